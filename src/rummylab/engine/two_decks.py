"""What games with two decks and jokers share: hands, the discard pile and what is known of them, as planes.

The helpers work on any game's ``table``, ``mine`` and record, by the names of their fields. Cards lie in planes
(:mod:`rummylab.cards.planes`): a mask of the kinds that are there, one of the kinds that are there twice, and a count
of jokers. A mask alone gives the kinds, with jokers as ``JOKER_BIT``. Identical cards of two decks are never told
apart.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, IDS_52, bit
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT, minus, take_away
from rummylab.cards.rng import shuffle
from rummylab.engine.kernel_records import clearing

MAX_CARDS = 108  # two decks and four jokers
FROM_STOCK = 63
"""Stands for a card drawn unseen in ``last_draw``."""

MINE = np.dtype(
    [
        ("hand", "i8"),  # kinds held
        ("twice", "i8"),  # kinds held twice
        ("jokers", "i8"),  # printed jokers held
        ("rng", "u8"),  # the agent's own random stream
        ("seat", "i1"),
        ("drawn", "i1"),  # the card drawn in this turn, -1 between turns
        ("memory", "i8", (32,)),  # the agent's own notes, cleared at every deal
    ],
    align=True,
)
"""What only one seat knows."""
HIDDEN = [
    ("rng", "u8"),  # the seed of reshuffles
    ("pos", "i2"),  # next card of the stock
    ("deck", "i1", (MAX_CARDS,)),  # in dealing order; after a reshuffle the new stock from 0 on
]
"""What nobody knows."""
clear_mine = clearing(MINE, ("rng",), ("drawn",))


@helper
def kinds(mine: np.void) -> int:
    """Return the kinds in a hand, with ``JOKER_BIT`` if there is a printed joker."""
    return mine.hand | JOKER_BIT if mine.jokers else mine.hand


@helper
def take_up(mine: np.void, card: int) -> None:
    """Put *card* into a hand."""
    if card == JOKER_ID:
        mine.jokers += 1
    else:
        mine.twice |= mine.hand & bit(card)
        mine.hand |= bit(card)


@helper
def lay_open(table: np.void, card: int) -> None:
    """Put *card* on the discard pile."""
    table.stack[table.n_pile] = card
    table.n_pile += 1
    table.up = card
    if card == JOKER_ID:
        table.pile_jokers += 1
    else:
        table.pile_twice |= table.pile & bit(card)
        table.pile |= bit(card)


@helper
def take_open(table: np.void, seat: int) -> int:
    """Take the top card off the discard pile, and note that everybody saw *seat* take it."""
    card = np.int64(table.up)
    table.n_pile -= 1
    table.stack[table.n_pile] = -1
    table.up = table.stack[table.n_pile - 1] if table.n_pile else -1
    table.picked[seat] |= bit(card)
    if card == JOKER_ID:
        table.pile_jokers -= 1
        table.known_jokers[seat] += 1
    else:
        table.pile, table.pile_twice = take_away(table.pile, table.pile_twice, bit(card))
        table.known_twice[seat] |= table.known[seat] & bit(card)
        table.known[seat] |= bit(card)
    return card


@helper
def empty_pile(table: np.void) -> None:
    """Take all cards off the discard pile."""
    for i in range(table.n_pile):
        table.stack[i] = -1
    table.n_pile = 0
    table.pile = 0
    table.pile_twice = 0
    table.pile_jokers = 0
    table.up = -1


@helper
def unplaced(table: np.void, mine: np.void, jokers: int) -> tuple[int, int, int]:
    """Return the planes and jokers of the cards in play, *jokers* of them jokers, that a seat cannot place.

    They are not in its hand, not in the discard pile, and not taken from it by another seat and kept.
    """
    once, twice = np.int64(ALL_CARDS), np.int64(ALL_CARDS) if table.rules.decks == 2 else np.int64(0)
    once, twice = minus(once, twice, mine.hand, mine.twice)
    once, twice = minus(once, twice, table.pile, table.pile_twice)
    jokers -= mine.jokers + table.pile_jokers
    for seat in range(table.rules.seats):
        if seat != mine.seat:
            once, twice = minus(once, twice, table.known[seat], table.known_twice[seat])
            jokers -= table.known_jokers[seat]
    return once, twice, jokers


@helper
def shuffle_into(row: np.void, decks: int, jokers: int, seed: np.uint64) -> None:
    """Shuffle fresh *decks* and *jokers* into ``row.deck``; ``row.rng`` is the stream *seed* after that."""
    for i in range(52):
        row.deck[i] = IDS_52[i]
    if decks == 2:
        for i in range(52):
            row.deck[52 + i] = IDS_52[i]
    n = 52 * np.int64(decks) + jokers
    for i in range(52 * np.int64(decks), n):
        row.deck[i] = JOKER_ID
    row.rng = shuffle(row.deck[:n], seed)
