"""Pass counter: make the move that four small networks expect to bring the most points of the hand.

Source: ours. Keats' report judges each card alone; this agent judges the hand that is left.

Policy. Pass and discard the card after which the position is worth most: what every unseen card would do for the hand
that is left, and what the card does for the player who gets it. Take the upcard if the best discard or knock with it is
worth more than a card from the stock. Knock with gin at once, and otherwise if a knock is worth more than playing on.
What the networks see is in :mod:`rummylab.agents.gin_pass.counter_values`.

Departures: none. Trained by ``rummylab train pass-counter``; measured in docs/results/pass-counter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin_pass.common import draw_code
from rummylab.agents.gin_pass.counter_values import (
    N_NUMBERS,
    N_SETS,
    best_discard,
    best_pass,
    candidates,
    knock_card,
    knock_value,
    new_work,
    stock_value,
    take_value,
)
from rummylab.agents.register import register_agent
from rummylab.cards.bits import bit, lowest
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import nearly_normal
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import read_tensors
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin_pass.rules import DISCARD_CODE, DRAW, KNOCK_CODE, PASS, PASS_CODE, unseen

FORMAT, VERSION = "rummylab pass counter", 1
ARTIFACT = Path(__file__).with_suffix(".safetensors")
SHAPES = {"weights": (N_SETS, N_NUMBERS)}
"""The tensor of the artifact: the networks for two, three and four seats."""


@dataclass(frozen=True, kw_only=True)
class PassCounterOptions(AgentOptions):
    """Options of the agent."""

    margin: float = option(0.0, "Take the upcard if it is worth this many points more than a draw from the stock.")
    patience: float = option(0.0, "Knock without gin if that is worth this many points more than playing on.")
    noise: float = option(0.0, "Spread of the random error of a value, in points.", low=0, high=1000)


P = PassCounterOptions.indices()
WEIGHTS = len(P)
"""Where the trained numbers begin in ``params``."""


@cache
def trained() -> Floats:
    """Return the trained numbers of the artifact."""
    return read_tensors(ARTIFACT, SHAPES, FORMAT, VERSION)["weights"].ravel()


@helper
def blurred(mine: np.void, cards: int, spread: float, out: Floats) -> int:
    """Add a random error with the given *spread* to the value ``out[card]`` of each of *cards*; return the best."""
    best, most = np.int64(-1), np.float32(-1e9)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        out[card] += np.float32(nearly_normal(mine, spread))
        if out[card] > most:
            best, most = card, out[card]
    return best


@helper
def _draw(table: np.void, mine: np.void, params: Params) -> int:
    """Take the upcard or draw from the stock, whichever is worth more."""
    live, work, values = unseen(table, mine), new_work(), np.empty(64, np.float32)
    stock = stock_value(table, mine, live, params, WEIGHTS, work)
    take = take_value(table, mine, live, params, WEIGHTS, work, values)
    if params[P.noise] > 0:
        take += np.float32(nearly_normal(mine, params[P.noise]))
    return draw_code(take > stock + params[P.margin])


@helper
def _discard(table: np.void, mine: np.void, params: Params) -> int:
    """Knock or discard, whichever is worth more; knock with gin at once."""
    hand, knock = np.int64(mine.hand), knock_card(table, mine.hand)
    if knock >= 0 and min_deadwood(hand & ~bit(knock)) == 0:
        return KNOCK_CODE + knock
    live, work, values = unseen(table, mine), new_work(), np.empty(64, np.float32)
    allowed = hand & ~bit(mine.drawn) if table.last_draw[mine.seat] == mine.drawn else hand
    card = best_discard(table, mine, hand, allowed, live, params, WEIGHTS, work, values)
    if params[P.noise] > 0:
        card = blurred(mine, candidates(hand, allowed), params[P.noise], values)
    if knock >= 0:
        worth = knock_value(table, mine, hand, knock, live, params, WEIGHTS, work)
        if worth > values[card] + params[P.patience]:
            return KNOCK_CODE + knock
    return DISCARD_CODE + card


@helper
def _pass(table: np.void, mine: np.void, params: Params) -> int:
    live, work, values = unseen(table, mine), new_work(), np.empty(64, np.float32)
    card = best_pass(table, mine, live, params, WEIGHTS, work, values)
    if params[P.noise] > 0:
        card = blurred(mine, candidates(mine.hand, mine.hand), params[P.noise], values)
    return PASS_CODE + card


@register_agent(
    game="gin_pass",
    name="pass-counter",
    summary="Plays for the most expected points by networks that count what every unseen card does for a hand",
    source="ours",
    options=PassCounterOptions,
    weights=lambda _: trained(),
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Pass, draw, discard and knock by the learned values."""
    if table.phase == PASS:
        return _pass(table, mine, params)
    if table.phase == DRAW:
        return _draw(table, mine, params)
    return _discard(table, mine, params)
