"""The abstraction of Gin behind the CFR tables, and how agents use them.

Each of three decisions has a table; an entry is the probability of the second action of the information set.

===========  ==============================================================  =======  =========================
table        information set                                                 sets     actions
===========  ==============================================================  =======  =========================
``discard``  card (52) x stage (3) x deadwood of the eleven cards (0-106)     16,692   keep it, discard it
``draw``     upcard (4)  x stage (3) x deadwood of the ten cards in fives        240   stock, upcard
``knock``    deadwood left (1-10) x own turn (1-16, later turns like 16)          160   play on, knock
===========  ==============================================================  =======  =========================

Stages count the cards dealt, including the first upcard: up to 30, 31 to 40, 41 and more. The upcard is useless, saves
a little (1 to 3 points after the best discard), saves more, or becomes part of a meld.

The paper's discard table has "over 24,000 values". 52 cards times 3 stages leave 154 to each pair, more than any hand
has deadwood; so an information set has two values, keep and discard, for about 77 of the 107 possible deadwoods: those
that arose. Ours has 2 x 16,692 = 33,384 values, most of which are never needed.

An agent looks up its best candidates one by one, in random order: discard this one? The last one is discarded without
looking it up. That turns a choice among cards into a series of decisions about single cards, as in the paper ("whether
they should discard that card").
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import bit, index_of, popcount
from rummylab.cards.melds import best_discards, melded, min_deadwood
from rummylab.cards.rng import any_card, unit
from rummylab.engine.artifacts import Trained
from rummylab.engine.rows import Floats, Params
from rummylab.errors import ArtifactError
from rummylab.games.gin.rules import own_turn

N_STAGES = 3
N_DEADWOODS = 107
N_BANDS, BAND = 20, 5
N_KINDS = 4
N_LEFT, N_TURNS = 10, 16
SHAPES = {
    "discard": (52, N_STAGES, N_DEADWOODS),
    "draw": (N_KINDS, N_STAGES, N_BANDS),
    "knock": (N_LEFT, N_TURNS),
}
DISCARDS = 0
DRAWS = DISCARDS + 52 * N_STAGES * N_DEADWOODS
KNOCKS = DRAWS + N_KINDS * N_STAGES * N_BANDS
N_SETS = KNOCKS + N_LEFT * N_TURNS
"""Where each table begins in the flat array of all, and its length."""
SUIT = 13 * N_STAGES * N_DEADWOODS
"""Distance from the entries of a card to those of the same rank in the next suit."""
UNSEEN = -1.0
"""Marks an information set that training has not visited."""
USELESS, SAVES_LITTLE, SAVES_MORE, MELDS_IT = range(N_KINDS)
MIDDLES = (25.0, 35.5, 45.5)
"""The cards dealt in the middle of each stage: 20 to 30, 31 to 40, 41 to 50."""


# --- Information sets ---------------------------------------------------------------------------------------------


@helper
def stage_of(table: np.void) -> int:
    """Return the stage by the cards dealt: 0 up to 30, 1 up to 40, 2 after that."""
    dealt = 52 - table.stock
    return np.int64(dealt > 30) + np.int64(dealt > 40)


@helper
def kind_of_upcard(table: np.void, mine: np.void, deadwood: int) -> int:
    """Return what the upcard would do for the hand with *deadwood* points."""
    up = bit(table.up)
    if melded(mine.hand | up) & up:
        return np.int64(MELDS_IT)
    _, left = best_discards(mine.hand | up, mine.hand)
    if left >= deadwood:
        return np.int64(USELESS)
    return np.int64(SAVES_LITTLE if deadwood - left < 4 else SAVES_MORE)


@helper
def draw_set(table: np.void, mine: np.void) -> int:
    """Return the information set of the actor's draw."""
    deadwood = min_deadwood(mine.hand)
    kind = kind_of_upcard(table, mine, deadwood)
    return DRAWS + (kind * N_STAGES + stage_of(table)) * N_BANDS + deadwood // BAND


@helper
def knock_set(table: np.void, left: int) -> int:
    """Return the information set of a knock with *left* points, which is not gin."""
    return KNOCKS + (min(left, N_LEFT) - 1) * N_TURNS + min(own_turn(table), N_TURNS) - 1


@helper
def discard_set(card: int, stage: int, deadwood: int) -> int:
    """Return the information set of discarding *card* from eleven cards with *deadwood* points."""
    return DISCARDS + (index_of(card) * N_STAGES + stage) * N_DEADWOODS + deadwood


# --- Decisions by table; *at* is where the tables begin in ``params`` ---------------------------------------------


@helper
def agrees(mine: np.void, p: float, pure: float) -> bool:
    """Return yes with probability *p*; a *pure* agent always returns the likelier answer."""
    if pure and p != 0.5:
        return p > 0.5
    return unit(mine) < p


@helper
def share_of_earlier(dealt: float, earlier: float, later: float) -> float:
    """Return the weight of the *earlier* of two stages between their middles: 1 there, 0 at the *later* middle.

    This is the pseudo-harmonic mapping that Sandholm (2015) gives for a bet between two bets of the abstraction.
    """
    return (later - dealt) * (1 + earlier) / ((later - earlier) * (1 + dealt))


@helper
def entry(table: np.void, params: Params, place: int, per_stage: int, blend: float) -> float:
    """Return the entry at *place* of ``params``; with *blend*, mix it with that of the stage whose middle is next.

    Entries of successive stages are *per_stage* apart. If one stage has no entry, the other one counts alone.
    """
    p = params[place]
    stage = stage_of(table)
    dealt = 52.0 - table.stock
    other = stage + 1 if dealt > MIDDLES[stage] else stage - 1
    if not blend or other < 0 or other >= N_STAGES:
        return p
    next_p = params[place + (other - stage) * per_stage]
    if p < 0 or next_p < 0:
        return max(p, next_p)
    share = share_of_earlier(dealt, MIDDLES[min(stage, other)], MIDDLES[max(stage, other)])
    if other < stage:
        share = 1 - share
    return share * p + (1 - share) * next_p


@helper
def table_takes(table: np.void, mine: np.void, params: Params, at: int, pure: float, blend: float) -> bool:
    """Return whether to take the upcard; where the table has no entry, take what makes a meld."""
    place = draw_set(table, mine)
    p = entry(table, params, at + place, N_BANDS, blend)
    if p < 0:
        return place >= DRAWS + MELDS_IT * N_STAGES * N_BANDS
    return agrees(mine, p, pure)


@helper
def table_knocks(table: np.void, mine: np.void, left: int, params: Params, at: int, pure: float) -> bool:
    """Return whether to knock with *left* points; knock with gin, and where the table has no entry."""
    if left == 0:
        return True
    p = params[at + knock_set(table, left)]
    return p < 0 or agrees(mine, p, pure)


@helper
def table_discards(
    table: np.void, mine: np.void, cards: int, params: Params, at: int, pure: float, blend: float
) -> int:
    """Return one of *cards*: look up each, in random order, until one is to be discarded; the last needs no lookup.

    As in the paper, a card without an entry means a random one of them.
    """
    stage, deadwood = stage_of(table), min_deadwood(mine.hand)
    left = cards
    while popcount(left) > 1:
        card = any_card(mine, left)
        p = entry(table, params, at + discard_set(card, stage, deadwood), N_DEADWOODS, blend)
        if p < 0:
            return any_card(mine, cards)
        if agrees(mine, p, pure):
            return card
        left &= ~bit(card)
    return any_card(mine, left)


# --- The trained file ---------------------------------------------------------------------------------------------


class Tables(Trained):
    """The trained tables."""

    FORMAT, SHAPES = "rummylab-gin-cfr", SHAPES

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the tables and check that they hold probabilities.

        Raises:
            ArtifactError: The file is damaged, or a number is not a probability.
        """
        found = super().load(path)
        for name, tensor in found.tensors.items():
            if not ((tensor == UNSEEN) | ((tensor >= 0) & (tensor <= 1))).all():
                raise ArtifactError(f"{path}: table {name!r} has numbers that are not probabilities")
        return found

    @classmethod
    def of(cls, flat: Floats, manifest: Mapping[str, Any]) -> Tables:
        """Return the tables that the array *flat* holds."""
        ends = (DISCARDS, DRAWS, KNOCKS, N_SETS)
        parts = {
            name: flat[ends[i] : ends[i + 1]].astype(np.float32).reshape(shape)
            for i, (name, shape) in enumerate(SHAPES.items())
        }
        return cls(parts, manifest)


def uniform() -> Floats:
    """Return untrained tables: every decision is a fair coin."""
    return np.full(N_SETS, 0.5, np.float32)


@cache
def bundled() -> Tables:
    """Return the trained tables that come with the package."""
    return Tables.load(Path(__file__).with_name("gin_cfr.safetensors"))
