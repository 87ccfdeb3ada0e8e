"""Indian champion: make the move that two small networks expect to bring the most points of the deal.

Source: ours. The paper's agents (Saha et al., arXiv:2601.00024) count deals won; this one counts points, as players
at a table do.

Policy. Among the discards that keep the lowest MinDist, throw the one after which the position is worth most. Take the
upcard if the best discard with it is worth more than a card from the stock by a margin: an upcard shows the others what
we collect. Declare as soon as possible. Drop before the first draw if the deal is worth less than a drop costs. In a
match the drops follow the standing, as those of `mindist-outs-match` do. What the networks see is in
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
from rummylab.agents.indian.common import between_deals, distance_now, is_first_turn, spare_cards
from rummylab.agents.indian.mindist_outs import drop_loses_the_match
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import ALL_CARDS, lowest
from rummylab.cards.rng import nearly_normal
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import Tensors, check_kind, read_artifact
from rummylab.engine.rows import Floats, Params
from rummylab.games.indian.mindist import outs
from rummylab.games.indian.rules import (
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    DROP,
    OVER,
    can_take,
    unseen,
)

FORMAT, VERSION = "rummylab indian champion", 1
ARTIFACT = Path(__file__).with_suffix(".safetensors")
SHAPES = {"points": (N_WEIGHTS,), "wins": (N_WEIGHTS,)}
"""The tensors of the artifact: networks that value a choice by points, and by deals won."""
MARGIN, WINS_MARGIN = 6.0, 2.0
"""The margin of an upcard when playing for points, and when playing for deals won (a deal counts 40 points there)."""


@dataclass(frozen=True, kw_only=True)
class IndianChampionOptions(AgentOptions):
    """Options of the agent."""

    margin: float = option(MARGIN, "Take the upcard if it is worth this many points more than a draw from the stock.")
    drops: bool = option(True, "1 to drop before the first draw where that costs less than the deal is worth.")
    noise: float = option(0.0, "Spread of the random error of a value, in points.", low=0, high=1000)


P = IndianChampionOptions.indices()
WEIGHTS = len(P)
"""Where the trained numbers begin in ``params``."""

# Memory: the outs of the hand after a discard; 0 if they have not been computed.
_OUTS = 1


@cache
def load_tensors(path: Path) -> Tensors:
    """Return the tensors of the artifact *path*; raise `ArtifactError` if it does not fit."""
    tensors, manifest = read_artifact(path, SHAPES)
    check_kind(manifest, path.name, FORMAT, VERSION)
    return tensors


def weights(kind: str, options: IndianChampionOptions) -> Floats:
    """Return the trained numbers of the artifact: ``points`` or ``wins``."""
    return load_tensors(ARTIFACT)[kind]


@helper
def outs_now(table: np.void, mine: np.void, distance: int) -> int:
    """Return the outs of the thirteen cards, from memory if they are there."""
    if mine.memory[_OUTS] == 0:
        may_come = ALL_CARDS & ~(mine.hand if table.rules.decks == 1 else mine.twice)
        mine.memory[_OUTS] = outs(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), distance, may_come)
    return mine.memory[_OUTS]


@helper
def _draw(table: np.void, mine: np.void, params: Params) -> int:
    """Drop, take the upcard or draw from the stock."""
    distance = distance_now(table, mine)
    may_drop = params[P.drops] > 0 and is_first_turn(table, mine) and not drop_loses_the_match(table, mine)
    if not can_take(table) and not may_drop:
        return np.int64(DRAW_STOCK)
    live, work, spread = unseen(table, mine), new_work(), params[P.noise]
    stock = stock_value(table, mine, distance, outs_now(table, mine, distance), live, params, WEIGHTS, work)
    take = stock
    if can_take(table):
        take = take_value(table, mine, live, params, WEIGHTS, work)
    if may_drop and max(take, stock) < -np.float32(table.rules.first_drop):
        return np.int64(DROP)
    takes = can_take(table) and take - params[P.margin] + nearly_normal(mine, spread) > stock
    return np.int64(DRAW_PILE) if takes else np.int64(DRAW_STOCK)


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
            options=IndianChampionOptions(margin=WINS_MARGIN, drops=False),
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
