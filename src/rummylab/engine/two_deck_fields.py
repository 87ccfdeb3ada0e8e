"""The fields that positions of games with two decks share (:mod:`rummylab.engine.two_decks`)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummylab.cards.card import Card
from rummylab.engine.fields import CardList, Cards, Number, OneCard, Pile, Seed
from rummylab.engine.position import Field
from rummylab.engine.two_decks import FROM_STOCK, MAX_CARDS

HELD: Final = Cards(twice=True, jokers=True)
_KINDS: Final = Cards(joker_bit=True)

PILE: Final = (
    Field("pile", ("stack", "n_pile", "up", "pile", "pile_twice", "pile_jokers"), Pile(MAX_CARDS, twice=True)),
    Field("stock", ("stock",), Number(0, MAX_CARDS)),
)
KNOWN: Final = (
    Field("known", ("known", "known_twice", "known_jokers"), HELD, by_seat=True),
    Field("picked", ("picked",), _KINDS, by_seat=True),
    Field("refused", ("refused",), _KINDS, by_seat=True),
    Field("discarded", ("thrown",), _KINDS, by_seat=True),
)
LAST: Final = (
    Field("last_draw", ("last_draw",), OneCard(FROM_STOCK), by_seat=True),
    Field("last_discard", ("last_discard",), OneCard(), by_seat=True),
)
MINE: Final = (Field("hand", ("hand", "twice", "jokers"), HELD), Field("drawn", ("drawn",), OneCard()))
HIDDEN: Final = (
    Field("dealt", ("pos",), Number(0, MAX_CARDS)),
    Field("deck", ("deck",), CardList(MAX_CARDS)),
    Field("reshuffle_seed", ("rng",), Seed()),
)


def held_ids(*held: Any) -> list[int]:
    """Return the ids of the cards in two planes and a number of jokers."""
    return [Card.parse(word).id for word in HELD.load(held)]


def pile_ids(table: np.void) -> list[int]:
    """Return the ids of the cards in the discard pile."""
    return held_ids(table["pile"], table["pile_twice"], table["pile_jokers"])


def hand_ids(mine: np.void) -> list[int]:
    """Return the ids of the cards in a hand."""
    return held_ids(mine["hand"], mine["twice"], mine["jokers"])


def known_ids(table: np.void, seat: int) -> list[int]:
    """Return the ids of the cards that *seat* is known to hold."""
    return held_ids(table["known"][seat], table["known_twice"][seat], table["known_jokers"][seat])
