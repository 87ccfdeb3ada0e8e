"""Shared kernels of the Indian Rummy agents: distances, the MinDist draw, costly and cheap cards, drops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, highest, lowest, ranks_of
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT, take_away
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.games.indian.mindist import discards14, min_dist, outs
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.rules import (
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    DROP,
    PLAY_ON_CODE,
    PLAYING,
    REJOIN,
    REJOIN_CODE,
    SHARES,
    SPLIT_CODE,
    can_drop,
    can_take,
    n_in,
    split_share,
)

_TENS = 0b1_1110_0000_0001 * EACH_SUIT  # A T J Q K count ten points (rules, row 4)
_PLACES = 0x3FFF * EACH_SUIT  # the ace is also place 13 of its lane

# Memory of the MinDist agents: the hand's distance + 1, so that the zero of a new deal means "not computed yet".
DISTANCE = 0


@dataclass(frozen=True, kw_only=True)
class DropOptions(AgentOptions):
    """Options of the MinDist agents."""

    drop_at: int = option(0, "Drop before the first draw at this MinDist or more; 0 never drops.", low=0)


DROP_AT = DropOptions(drop_at=5)
"""The paper's drop rule, which it calls drop adherence: drop at MinDist above 4."""


# --- Costly and cheap cards -----------------------------------------------------------------------------------------


@helper
def dearest(cards: int, wild: int) -> int:
    """Return those of *cards* that count most points; jokers and wild cards count none."""
    plain = cards & ALL_CARDS & ~(np.int64(EACH_SUIT) << wild)
    if plain == 0:
        return cards
    if plain & _TENS:
        return plain & _TENS
    return plain & (np.int64(EACH_SUIT) << highest(ranks_of(plain)))


@helper
def cheapest(cards: int, wild: int) -> int:
    """Return those of *cards* that count fewest points: jokers and wild cards before all others."""
    jokers = cards & (JOKER_BIT | np.int64(EACH_SUIT) << wild)
    if jokers:
        return jokers
    low = cards & ~_TENS
    return low & (np.int64(EACH_SUIT) << lowest(ranks_of(low))) if low else cards


# --- Cards side by side -------------------------------------------------------------------------------------------


@helper
def at_step(cards: int, step: int) -> int:
    """Return the cards *step* places from one of *cards* in its suit; the ace is below the two and above the king."""
    aces = np.int64(EACH_SUIT)
    places = cards | (cards & aces) << 13
    places = (places << step | places >> step) & _PLACES
    return (places | (places & aces << 13) >> 13) & ALL_CARDS


@helper
def of_same_rank(cards: int) -> int:
    """Return all cards of the ranks that occur in *cards*."""
    return np.int64(EACH_SUIT) * ranks_of(cards & ALL_CARDS)


@helper
def near(cards: int) -> int:
    """Return the cards that help form a meld with one of *cards*: its neighbors in suit and its rank (section VII)."""
    cards &= ALL_CARDS
    return at_step(cards, 1) | (of_same_rank(cards) & ~cards)


# --- The table ----------------------------------------------------------------------------------------------------


@helper
def next_seat(table: np.void, mine: np.void) -> int:
    """Return the seat that can take the next discard."""
    seats = np.int64(table.rules.seats)
    seat = (np.int64(mine.seat) + 1) % seats
    while table.status[seat] != PLAYING and seat != mine.seat:
        seat = (seat + 1) % seats
    return seat


@helper
def is_first_turn(table: np.void, mine: np.void) -> bool:
    """Return whether a drop is possible and still costs the least: the seat has not drawn yet (rules, row 11)."""
    return table.draws[mine.seat] == 0 and can_drop(table)


@helper
def between_deals(table: np.void, mine: np.void) -> int:
    """Answer between deals: always rejoin, and split for an equal share of the pot or more."""
    if table.phase == REJOIN:
        return np.int64(REJOIN_CODE)
    is_fair = split_share(table, mine.seat) * n_in(table) >= SHARES - n_in(table)  # shares are rounded down
    return np.int64(SPLIT_CODE) if is_fair else np.int64(PLAY_ON_CODE)


@helper
def draw_code(takes: bool) -> int:
    """Return the move that takes the upcard, or draws from the stock."""
    return np.int64(DRAW_PILE) if takes else np.int64(DRAW_STOCK)


# --- Distances ----------------------------------------------------------------------------------------------------


@helper
def distance_now(table: np.void, mine: np.void) -> int:
    """Return the MinDist of the thirteen cards, from memory if it is there."""
    if mine.memory[DISTANCE] == 0:
        mine.memory[DISTANCE] = 1 + min_dist(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
    return mine.memory[DISTANCE] - 1


@helper
def distance_before_draw(table: np.void, mine: np.void) -> int:
    """Return the MinDist that the fourteen cards had before the draw."""
    if mine.memory[DISTANCE] == 0:
        once, twice, jokers = mine.hand, mine.twice, mine.jokers
        if mine.drawn == JOKER_ID:
            jokers -= 1
        else:
            once, twice = take_away(once, twice, bit(mine.drawn))
        mine.memory[DISTANCE] = 1 + min_dist(once, twice, jokers, np.int64(table.wild))
    return mine.memory[DISTANCE] - 1


@helper
def spare_cards(table: np.void, mine: np.void) -> tuple[int, int]:
    """Return the least MinDist after a discard, which is remembered, and the cards whose discard leaves it."""
    distance, spares = discards14(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
    mine.memory[DISTANCE] = 1 + distance
    return distance, spares


@helper
def upcard_lowers_distance(table: np.void, mine: np.void, distance: int) -> bool:
    """Return whether the best thirteen cards with the upcard have a lower MinDist."""
    up = bit(table.up)
    return outs(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), distance, up & ALL_CARDS) & up != 0


@helper
def draw_by_distance(table: np.void, mine: np.void, drop_at: float) -> int:
    """Take the upcard if and only if it lowers MinDist; before that, drop at MinDist *drop_at* or more (0: never)."""
    distance = distance_now(table, mine)
    if drop_at > 0 and distance >= drop_at and is_first_turn(table, mine):
        return np.int64(DROP)
    return draw_code(can_take(table) and upcard_lowers_distance(table, mine, distance))


@helper
def before_discard(table: np.void, mine: np.void, drop_at: float) -> int:
    """Return a MinDist agent's move in all phases but the discard: its draw, or its answer between deals."""
    return draw_by_distance(table, mine, drop_at) if table.phase == DRAW else between_deals(table, mine)


# --- Scores -------------------------------------------------------------------------------------------------------


@helper
def score_without(table: np.void, once: int, twice: int, jokers: int, card: int) -> int:
    """Return the uncapped MinScore of the given fourteen cards without *card*."""
    if card == JOKER_ID:
        jokers -= 1
    else:
        once, twice = take_away(once, twice, bit(card))
    return min_score(once, twice, jokers, np.int64(table.wild), np.int64(table.rules.score_rule))


@helper
def least_scores(table: np.void, once: int, twice: int, jokers: int, cards: int) -> tuple[int, int]:
    """Return the least MinScore after discarding one of *cards* from fourteen, and those of *cards* that leave it."""
    least, found = np.int64(1000), np.int64(0)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        score = score_without(table, once, twice, jokers, card)
        if score < least:
            least, found = score, np.int64(0)
        if score == least:
            found |= bit(card)
    return least, found
