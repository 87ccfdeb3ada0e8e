"""Hypothesis strategies for cards and hands, by number 13 * suit + rank."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rummylab.cards.card import Card

Cards = frozenset[int]


def cards(low: int = 0, high: int = 51) -> SearchStrategy[Card]:
    """A card."""
    return st.integers(low, high).map(Card.from_index52)


def hands(size: int, pool: list[int] | None = None) -> SearchStrategy[Cards]:
    """A hand of *size* different cards of *pool* (default: the deck)."""
    return st.frozensets(st.sampled_from(pool or range(52)), min_size=size, max_size=size)


def low_card_hands(size: int, ranks: int = 5) -> SearchStrategy[Cards]:
    """A hand of low cards only: many groups and runs compete."""
    return hands(size, [13 * suit + rank for suit in range(4) for rank in range(ranks)])


@st.composite
def late_hands(draw: st.DrawFn, size: int) -> Cards:
    """A hand as at the end of a deal: melds and near-melds, which often overlap."""
    hand: set[int] = set()
    while len(hand) < size:
        card = draw(st.integers(0, 51))
        if draw(st.booleans()):
            length = draw(st.integers(2, 5))
            more = [c for c in range(card, card + length) if c // 13 == card // 13]
        else:
            more = [13 * suit + card % 13 for suit in draw(st.sets(st.integers(0, 3), min_size=2))]
        hand |= set(more)
    return frozenset(draw(st.permutations(sorted(hand)))[:size])


def any_hands(size: int) -> SearchStrategy[Cards]:
    return st.one_of(hands(size), low_card_hands(size), late_hands(size))
