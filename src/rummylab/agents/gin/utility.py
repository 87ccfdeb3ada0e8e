"""Utility: keep the hand of the highest heuristic utility, and do not throw what the opponent can use.

Source: the opponent-hand paper of the EAAI-2021 Gin Rummy challenge ("Heuristic Based Strategy" and Appendix B).

Policy. *Card utility* of an unmelded card: for each possible three-card meld with it MELD_BONUS, and COMBINATION_BONUS
if two cards of that meld are held, both times the probability that no card of the meld is melded by the opponent;
plus (5 - points) * DEADWOOD_BONUS; plus LOW_CARD_BONUS for an ace, half of it for a two. *Hand utility*: the average
card utility, plus the number of melded cards, plus KNOCK_BONUS or GIN_BONUS. Take the up-card if it lowers the
deadwood, else if the hand with it and a reasonable discard is worth more than the average over the stock. Throw the
unmelded card with the highest hand utility less OPP_UTIL_IMPORTANCE times the opponent's expected gain. Knock at once.

What the paper leaves open, and how it is read here:

- A possible meld has no card in the discard pile and none that is melded in the own hand. A card thrown in thought
  lies in the pile: the cards it would have made melds with lose those.
- "The probability that none of the cards is part of a meld in the opponent's hand": a card is melded by the opponent
  if it is held there together with both others of some three-card meld; single probabilities are multiplied, as if
  independent.
- "Drawing lowers the deadwood": the eleven cards have less than the ten, that is, the up-card makes a meld.
- "One card away from knockable": the ten cards without the dearest unmelded one are within the knock limit (of eleven
  cards: the ten with least deadwood). The state is that of the hand at the decision and holds for all hands imagined
  in it.
- Melding ties are broken for the eleven cards, by their average card utility; the ten left keep that melding.
- The stock draw of a sampled opponent is the plain average over the cards we have not seen and that hand does not
  hold. It does not hang on our discard, so it is computed once per hand and shared, as the hands are, by all
  candidates. The opponent's own belief is uniform over all cards outside the pile.
- Hands are sampled by the belief given that there are exactly ten cards (:mod:`rummylab.beliefs.gin.sampling`).
- The network's weights follow the options in ``par``, and those of the hands' shape follow the network's.
- "Seems close" (Appendix B, 1) is a bound on the mean deadwood of the sampled hands: option ``close``.

Departures: none in `utility-printed`; `utility` has our numbers (utility.json, found by `rummylab tune gin utility`)
and the options of ours that `UtilityOptions` marks so. Measured in docs/agents/gin.md.

par: see :class:`~rummylab.agents.gin.utility_options.UtilityOptions`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin.utility_options import (
    BELIEF,
    COUNTS,
    N_OPTIONS,
    NAMES,
    NETWORK,
    SHAPED,
    UtilityOptions,
    load_artifact,
)
from rummylab.agents.gin.utility_policy import Floats, decide
from rummylab.beliefs.gin import counts, network, uniform
from rummylab.beliefs.gin.network import N_WEIGHTS, Network
from rummylab.beliefs.gin.shape import N_KINDS, N_SHAPE
from rummylab.errors import OptionError
from rummylab.games.gin.rules import ACT

OPTION_NAMES = NAMES
ARTIFACT = Path(__file__).with_suffix(".json")
WEIGHTS = load_artifact(ARTIFACT).par
"""The tuned numbers. An entry with options of its own puts them before these, which are then not read."""


def with_network(options: UtilityOptions, model: Network, shape: Floats | None = None) -> Floats:
    """Return the parameters of an agent with *model* and, for shaped hands, the weights of *shape* for each kind."""
    weights = np.zeros(N_KINDS * N_SHAPE, np.float32) if shape is None else shape.ravel()
    return np.concatenate([np.array(options.par, np.float32), model.flat, weights])


def check_par(name: str, par: Floats) -> None:
    """Raise `OptionError` if the agent *name* cannot play with *par*: what its kernels read must be there."""
    options = UtilityOptions(**dict(zip(NAMES, map(float, par[:N_OPTIONS]), strict=True)))
    if options.belief >= NETWORK and len(par) < N_OPTIONS + N_WEIGHTS + N_KINDS * N_SHAPE:
        raise OptionError(f"{name} has no network, so belief must be 0 or 1; utility-dnn has one")


CHECK_PAR = check_par


@helper
def fill_belief(table: np.void, mine: np.void, par: Floats, belief: Floats) -> None:
    """Write the belief that the options name to *belief*."""
    if par[BELIEF] == COUNTS:
        counts.fill(table, mine, par, N_OPTIONS, belief)
    elif par[BELIEF] == NETWORK or par[BELIEF] == SHAPED:
        network.fill(table, mine, par, N_OPTIONS, belief)
    else:
        uniform.fill(table, mine, par, N_OPTIONS, belief)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    belief = np.empty(52, np.float32)
    fill_belief(table, mine, par, belief)
    return decide(table, mine, par, belief)
