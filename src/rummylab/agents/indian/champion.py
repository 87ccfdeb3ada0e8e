"""Indian champion: make the move that two small networks expect to bring the most points of the deal.

Source: ours. The paper's agents (Saha et al., arXiv:2601.00024) count deals won; this one counts points, as players
at a table do.

Policy. Among the discards that keep the lowest MinDist, throw the one after which the position is worth most. Take the
upcard if the best discard with it is worth more than a card from the stock by a margin: an upcard shows the others what
we collect. Declare as soon as possible. Drop before the first draw if the deal is worth less than a drop costs. In a
pool with one opponent left, a table says how little a deal must be worth for a drop, by the points that both may still
lose; in other matches it never drops where that would lose the match. What the networks see is in
:mod:`rummylab.agents.indian.champion_values`.

Departures: none. Trained by ``rummylab train indian-champion``; measured in docs/results/indian-champion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.champion_values import (
    N_WEIGHTS,
    new_work,
    stock_value,
    take_value,
    weigh_discards,
)
from rummylab.agents.indian.common import between_deals, distance_now, draw_code, is_first_turn, next_seat, spare_cards
from rummylab.agents.indian.mindist_outs import drop_loses_the_match
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import ALL_CARDS, lowest
from rummylab.cards.rng import nearly_normal
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import Tensors, read_tensors
from rummylab.engine.rows import Floats, Params
from rummylab.games.indian.mindist import outs
from rummylab.games.indian.rules import DECLARE_CODE, DISCARD_CODE, DRAW, DROP, OVER, can_take, n_in, unseen

FORMAT, VERSION = "rummylab indian champion", 3
ARTIFACT = Path(__file__).with_suffix(".safetensors")
STEP, N_STEPS = 5, 33
USUAL_DROP = 20
"""The table of drops counts the points a player may still lose in steps of five, for a first drop of 20 points."""
SETS = {"points": 1, "wins": 2}
"""How many sets of networks value a choice by points, and by deals won; with several, their mean counts."""
SHAPES = {**{kind: (n, N_WEIGHTS) for kind, n in SETS.items()}, "drops": (N_STEPS, N_STEPS)}
"""The tensors of the artifact: the sets of networks; and the values below which a drop pays in a pool, by the points
that the player and the opponent may still lose."""
MARGIN = 6.0
"""The margin of an upcard when playing for points."""


@dataclass(frozen=True, kw_only=True)
class IndianChampionOptions(AgentOptions):
    """Options of the agent."""

    margin: float = option(MARGIN, "Take the upcard if it is worth this many points more than a draw from the stock.")
    discount: float = option(0.0, "That much less, if the upcard brings the hand one card from a declaration.")
    drops: bool = option(True, "1 to drop before the first draw where that costs less than the deal is worth.")
    noise: float = option(0.0, "Spread of the random error of a value, in points.", low=0, high=1000)


FOR_WINS = IndianChampionOptions(margin=2.0, discount=2.0, drops=False)
"""How the agent plays for deals won; a deal counts 40 points there."""

P = IndianChampionOptions.indices()
WEIGHTS = len(P)
"""Where the trained numbers begin in ``params``: the number of sets, the sets, and the table of drops."""

# Memory: the outs of the hand after a discard; 0 if they have not been computed.
_OUTS = 1


@cache
def load_tensors(path: Path) -> Tensors:
    """Return the tensors of the artifact *path*; raise `ArtifactError` if it does not fit."""
    return read_tensors(path, SHAPES, FORMAT, VERSION)


def weights(kind: str, options: IndianChampionOptions) -> Floats:
    """Return the trained numbers of the artifact: the networks ``points`` or ``wins``, and the table of drops."""
    tensors = load_tensors(ARTIFACT)
    return trained(tensors[kind], tensors["drops"])


def trained(sets: Floats, drops: Floats) -> Floats:
    """Return the trained numbers as they follow the options in ``params``; *sets* has a line for each set."""
    return np.concatenate([np.array([len(sets)], np.float32), sets.ravel(), drops.ravel()])


@helper
def outs_now(table: np.void, mine: np.void, distance: int) -> int:
    """Return the outs of the thirteen cards, from memory if they are there."""
    if mine.memory[_OUTS] == 0:
        may_come = ALL_CARDS & ~(mine.hand if table.rules.decks == 1 else mine.twice)
        mine.memory[_OUTS] = outs(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), distance, may_come)
    return mine.memory[_OUTS]


@helper
def draw_values(table: np.void, mine: np.void, params: Params) -> tuple[float, float]:
    """Return what the upcard, less the margin, and a card from the stock are worth.

    An upcard that cannot be taken is worth no more than the stock.
    """
    distance, live, work = distance_now(table, mine), unseen(table, mine), new_work()
    stock = stock_value(table, mine, distance, outs_now(table, mine, distance), live, params, WEIGHTS, work)
    if not can_take(table):
        return stock, stock
    take, after = take_value(table, mine, live, params, WEIGHTS, work)
    margin = params[P.margin] - (params[P.discount] if after == 1 and distance > 1 else np.float32(0.0))
    return take - margin, stock


@helper
def step_of(table: np.void, left: int) -> int:
    """Return the line of the table of drops for a player who is out after losing *left* more points."""
    return min(max(left * USUAL_DROP // table.rules.first_drop - 1, 0) // STEP, N_STEPS - 1)


@helper
def drop_below(table: np.void, mine: np.void, params: Params) -> float:
    """Return the value below which a first drop pays at this standing."""
    rules = table.rules
    if rules.out_at and rules.first_drop and n_in(table) == 2:
        ours = step_of(table, np.int64(rules.out_at - table.lost[mine.seat]))
        theirs = step_of(table, np.int64(rules.out_at - table.lost[next_seat(table, mine)]))
        place = len(params) - N_STEPS * N_STEPS + ours * N_STEPS + theirs
        return params[place] * np.float32(rules.first_drop) / np.float32(USUAL_DROP)
    return -np.float32(rules.first_drop)


@helper
def _draw(table: np.void, mine: np.void, params: Params) -> int:
    """Drop, take the upcard or draw from the stock."""
    may_drop = params[P.drops] > 0 and is_first_turn(table, mine) and not drop_loses_the_match(table, mine)
    if not can_take(table) and not may_drop:
        return draw_code(False)
    take, stock = draw_values(table, mine, params)
    if may_drop and max(take, stock) < drop_below(table, mine, params):
        return np.int64(DROP)
    takes = can_take(table) and take + nearly_normal(mine, params[P.noise]) > stock
    return draw_code(takes)


@helper
def _discard(table: np.void, mine: np.void, params: Params) -> int:
    """Declare, or discard the spare card after which the position is worth most."""
    distance, spares = spare_cards(table, mine)
    mine.memory[_OUTS] = 0
    card = lowest(spares)
    if distance == 0:
        return DECLARE_CODE + card
    if spares & (spares - 1) == 0:
        return DISCARD_CODE + card
    work, spread = new_work(), params[P.noise]
    cards = (np.int64(mine.hand), np.int64(mine.twice), np.int64(mine.jokers))
    card = weigh_discards(table, mine, cards, distance, spares, unseen(table, mine), params, WEIGHTS, work)
    if spread > 0:
        most = np.float32(-1e9)
        while spares:
            other = lowest(spares)
            spares &= spares - 1
            worth = np.float32(work.values[other] + nearly_normal(mine, spread))
            if worth > most:
                card, most = other, worth
    mine.memory[_OUTS] = work.found[card]
    return DISCARD_CODE + card


@register_agent(
    game="indian",
    name="indian-champion",
    summary="Plays for the most expected points by networks that learned from play with all hands shown",
    source="ours",
    options=IndianChampionOptions,
    weights=partial(weights, "points"),
    variants={
        "indian-champion-stays": Variant(
            summary="Plays for the most expected points by learned values; never drops",
            source="ours",
            options=IndianChampionOptions(drops=False),
        ),
        "indian-champion-wins": Variant(
            summary="Plays for the most deals won by learned values; never drops",
            source="ours",
            options=FOR_WINS,
            weights=partial(weights, "wins"),
        ),
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Drop, draw, discard and declare by the learned values."""
    if table.phase > OVER:
        return between_deals(table, mine)
    if table.phase == DRAW:
        return _draw(table, mine, params)
    return _discard(table, mine, params)
