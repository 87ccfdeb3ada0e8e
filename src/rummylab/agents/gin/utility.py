"""Utility: keep the hand with the highest heuristic utility, and do not discard what the opponent can use.

Source: "Opponent hand estimation in Gin Rummy", a paper of the EAAI-2021 Gin Rummy challenge ("Heuristic Based
Strategy" and Appendix B).

Policy. *Card utility* of an unmelded card: for each possible three-card meld with it MELD_BONUS, and COMBINATION_BONUS
if two cards of that meld are held, both times the probability that the opponent melds no card of that meld; plus
(5 - points) * DEADWOOD_BONUS; plus LOW_CARD_BONUS for an ace, half of it for a two. *Hand utility*: the average card
utility, plus the number of melded cards, plus KNOCK_BONUS or GIN_BONUS. Take the upcard if it lowers the deadwood, else
if the hand with it and a reasonable discard is worth more than the average over the stock. Discard the unmelded card
with the highest hand utility less OPP_UTIL_IMPORTANCE times the opponent's expected gain. Knock at once.

What the paper leaves open, and how it is read here:

- A possible meld has no card in the discard pile and none that is melded in the player's own hand. A discard that is
  only considered counts as being in the pile: the cards it would have melded with lose those melds.
- "The probability that none of the cards is part of a meld in the opponent's hand": the opponent melds a card if they
  hold it together with both others of some three-card meld; single probabilities are multiplied, as if independent.
- "Drawing lowers the deadwood": the eleven cards have less than the ten, that is, the upcard makes a meld.
- "One card away from knockable": the ten cards without the costliest unmelded one are within the knock limit (of eleven
  cards: the ten with the least deadwood). The state is that of the hand at the decision and applies to all hands
  imagined in it.
- Ties between arrangements of the eleven cards are broken by their average card utility; the ten left keep that
  arrangement.
- The stock draw of a sampled opponent is the plain average over the cards that the player has not seen and that hand
  does not hold. It does not depend on the discard, so it is computed once per hand and shared, as the hands are, by all
  candidates. The opponent's own belief is uniform over all cards outside the pile.
- Hands are sampled by the belief, conditioned on exactly ten cards (:mod:`rummylab.beliefs.gin.sampling`).
- "Seems close" (Appendix B, 1) is a bound on the mean deadwood of the sampled hands: option ``close``.

Variants. `utility-printed` is the paper's agent with its printed numbers, and `utility-printed-dnn` its final agent,
which estimates the opponent's hand with the trained network (:mod:`rummylab.beliefs.gin.network`): in the probabilities
that they meld what the player needs, in the weights of the stock and in the sampled hands. `utility-at-once` follows
the paper's procedure on a small scale: it knocks at once, samples ten hands, and has a network trained on games of such
agents; its eight numbers are re-tuned with that network, as the paper re-tuned its own. `utility` and `utility-dnn`
have our numbers, found by `rummylab tune`; `utility-dnn` knocks only if that pays on average over the sampled hands.
The tuned numbers are in utility.json, utility_dnn.json and utility_at_once.json.

Departures: none in `utility-printed` and `utility-printed-dnn`; the other variants use options that are marked as ours.
Measured in docs/agents/gin.md and docs/results/opponent-hand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.utility_policy import COUNTS, NETWORK, SHAPED, WEIGHTS, P, UtilityOptions, decide, needs_belief
from rummylab.agents.register import Variant, register_agent
from rummylab.beliefs.gin import counts, network, shape, uniform
from rummylab.beliefs.gin.network import Network
from rummylab.cards.bits import stack_array
from rummylab.engine.artifacts import check_kind, read_numbers
from rummylab.engine.rows import Floats, Params
from rummylab.errors import ArtifactError, OptionError

FORMAT, VERSION = "rummylab utility", 1
ARTIFACT = Path(__file__).with_suffix(".json")
"""The tuned numbers of `utility`; those of the other tuned variants are in files beside it."""
APPENDIX_B = {"close": 30.0, "careful_limit": 6.0, "free_discard": 1.0, "defend_well": 1.0, "spread_well": 1.0}
"""The options of the paper's Appendix B. It does not say when an opponent "seems close"; the bound is ours."""
PATIENT = UtilityOptions(
    meld_bonus=1.0,
    combination_bonus=3.5,
    deadwood_bonus=0.45,
    knock_bonus=6.3,
    gin_bonus=27.0,
    opp_util_importance=1.5,
    low_card_bonus=1.3,
    emergency_booster=1.8,
    samples=10,
    belief=COUNTS,
    free_discard=True,
    defend_well=True,
    spread_well=True,
    take_margin=1.4,
    haste=0.22,
    knock_from=4.8,
    knock_fall=1.25,
)
"""A second well-performing strategy, as the paper keeps two or three: plays for gin and guards its discards."""
_PAPER = "the opponent-hand paper"


def load_artifact(path: Path) -> UtilityOptions:
    """Return the options of the artifact *path*; raise `ArtifactError` if it does not fit this agent."""
    found = read_numbers(path)
    check_kind(found, path.name, FORMAT, VERSION)
    options, names = found.get("options"), UtilityOptions.names()
    if not isinstance(options, dict) or set(options) != set(names):
        raise ArtifactError(f"{path.name}: 'options' must have exactly these numbers: {', '.join(names)}")
    try:
        return UtilityOptions(**options)
    except OptionError as error:
        raise ArtifactError(f"{path.name}: {error}") from error


def tuned(variant: str) -> UtilityOptions:
    """Return the tuned numbers of *variant*, such as ``utility-dnn``."""
    return load_artifact(ARTIFACT.with_stem(variant.replace("-", "_")))


def belief_weights(options: UtilityOptions, model: str = network.BUNDLED) -> Floats:
    """Return the trained numbers that the belief of *options* needs: a network and the shape of hands, or none."""
    if options.belief < NETWORK:
        return np.empty(0, np.float32)
    return np.concatenate([network.bundled(model).flat, shape.bundled().ravel()])


def with_network(options: UtilityOptions, model: Network) -> Floats:
    """Return the parameters of an agent with *options* and the network *model*, without a shape of hands."""
    no_shape = np.zeros(shape.N_KINDS * shape.N_SHAPE, np.float32)
    return np.concatenate([np.array(options.params, np.float32), model.flat, no_shape])


@helper
def fill_belief(table: np.void, mine: np.void, params: Params, belief: Floats) -> None:
    """Write the belief that the options name to *belief*."""
    if params[P.belief] == COUNTS:
        counts.fill(table, mine, params, WEIGHTS, belief)
    elif params[P.belief] == NETWORK or params[P.belief] == SHAPED:
        network.fill(table, mine, params, WEIGHTS, belief)
    else:
        uniform.fill(table, mine, params, WEIGHTS, belief)


@register_agent(
    game="gin",
    name="utility",
    summary="Keeps the hand with the highest utility and discards what the opponent gains least from; our numbers",
    source=f"{_PAPER}, re-tuned",
    options=tuned("utility"),
    weights=belief_weights,
    variants={
        "utility-dnn": Variant(
            summary="Utility agent with the network's estimate of the opponent's hand; our numbers",
            source=f"{_PAPER}, its final agent, re-tuned",
            options=tuned("utility-dnn"),
        ),
        "utility-patient": Variant(
            summary="Utility agent that plays for gin and guards its discards",
            source=f"{_PAPER}, re-tuned",
            options=PATIENT,
        ),
        "utility-printed": Variant(
            summary="Utility agent with the paper's printed numbers and 100 sampled hands",
            source=_PAPER,
            options=UtilityOptions(),
        ),
        "utility-printed-dnn": Variant(
            summary="Utility agent with the paper's printed numbers and the network: the paper's final agent",
            source=_PAPER,
            options=UtilityOptions(belief=NETWORK),
        ),
        "utility-at-once": Variant(
            summary="Utility agent that knocks at once, with a network trained on the games of such agents",
            source=f"{_PAPER}, re-tuned",
            options=tuned("utility-at-once"),
            weights=lambda options: belief_weights(options, network.AT_ONCE),
        ),
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Form a belief about the opponent's hand, and decide by it."""
    belief = stack_array(52, np.float32)
    if needs_belief(table, mine, params):
        fill_belief(table, mine, params, belief)
    return decide(table, mine, params, belief)
