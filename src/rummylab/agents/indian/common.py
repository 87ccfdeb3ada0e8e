"""What the Indian Rummy agents share: distances, the draw rule of the MinDist family, dear and cheap cards, drops."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, highest, lowest, ranks_of
from rummylab.cards.card import JOKER_ID
from rummylab.games.indian.melds import JOKER_BIT, take_away
from rummylab.games.indian.mindist import min_dist, outs
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.rules import DRAW_PILE, DRAW_STOCK, DROP, PLAYING, can_take

_TENS = 0b1_1110_0000_0001 * EACH_SUIT  # A T J Q K count ten (rules, row 4)
_PLACES = 0x3FFF * EACH_SUIT  # the ace also as place 13 of its lane

# Notes of the MinDist family: the hand's distance + 1, so that the zero of a new deal means "not worked out yet".
DISTANCE = 0


# --- Dear and cheap cards -----------------------------------------------------------------------------------------


@helper
def dearest(cards: int, wild: int) -> int:
    """Return those of *cards* that count most; jokers and wild cards count nothing."""
    plain = cards & ALL_CARDS & ~(np.int64(EACH_SUIT) << wild)
    if plain == 0:
        return cards
    if plain & _TENS:
        return plain & _TENS
    return plain & (np.int64(EACH_SUIT) << highest(ranks_of(plain)))


@helper
def cheapest(cards: int, wild: int) -> int:
    """Return those of *cards* that count least: jokers and wild cards before all others."""
    jokers = cards & (JOKER_BIT | np.int64(EACH_SUIT) << wild)
    if jokers:
        return jokers
    low = cards & ~_TENS
    return low & (np.int64(EACH_SUIT) << lowest(ranks_of(low))) if low else cards


# --- Cards side by side -------------------------------------------------------------------------------------------


@helper
def at_step(cards: int, step: int) -> int:
    """Return the cards *step* places from one of *cards* in its suit; the ace lies below the two and above the king."""
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
    """Return what helps to form a meld with one of *cards*: its neighbours in the suit and its rank (section VII)."""
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
    """Return whether a drop still costs least: the seat has not drawn yet (rules, row 11)."""
    return table.draws[mine.seat] == 0


# --- Distances ----------------------------------------------------------------------------------------------------


@helper
def distance_now(table: np.void, mine: np.void) -> int:
    """Return the MinDist of the thirteen cards, from the notes if it stands there."""
    if mine.memory[DISTANCE] == 0:
        mine.memory[DISTANCE] = 1 + min_dist(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
    return mine.memory[DISTANCE] - 1


@helper
def distance_before_draw(table: np.void, mine: np.void) -> int:
    """Return the MinDist the fourteen cards had without the one just drawn."""
    if mine.memory[DISTANCE] == 0:
        once, twice, jokers = mine.hand, mine.twice, mine.jokers
        if mine.drawn == JOKER_ID:
            jokers -= 1
        else:
            once, twice = take_away(once, twice, bit(mine.drawn))
        mine.memory[DISTANCE] = 1 + min_dist(once, twice, jokers, np.int64(table.wild))
    return mine.memory[DISTANCE] - 1


@helper
def note_distance(mine: np.void, distance: int) -> None:
    mine.memory[DISTANCE] = 1 + distance


@helper
def pile_card_brings_nearer(table: np.void, mine: np.void, distance: int) -> bool:
    """Return whether the best thirteen cards with the open card have a lower MinDist."""
    up = bit(table.up)
    return outs(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), distance, up & ALL_CARDS) & up != 0


@helper
def draw_by_distance(table: np.void, mine: np.void, drop_at: int) -> int:
    """Take the open card if and only if it lowers MinDist; drop first at MinDist *drop_at* or more (0: never)."""
    distance = distance_now(table, mine)
    if drop_at > 0 and distance >= drop_at and is_first_turn(table, mine):
        return np.int64(DROP)
    if can_take(table) and pile_card_brings_nearer(table, mine, distance):
        return np.int64(DRAW_PILE)
    return np.int64(DRAW_STOCK)


# --- Scores -------------------------------------------------------------------------------------------------------


@helper
def score_without(table: np.void, once: int, twice: int, jokers: int, card: int) -> int:
    """Return the uncapped MinScore of thirteen cards: the given fourteen but for *card*."""
    if card == JOKER_ID:
        jokers -= 1
    else:
        once, twice = take_away(once, twice, bit(card))
    return min_score(once, twice, jokers, np.int64(table.wild), table.rules.strict != 0)


@helper
def least_scores(table: np.void, once: int, twice: int, jokers: int, cards: int) -> tuple[int, int]:
    """Return the least MinScore after throwing one of *cards* from fourteen, and all of *cards* that leave it."""
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
