"""Checks of melds and declarations, straight from the rules page (rows 4-7), for the results of kernels."""

from __future__ import annotations

from collections import Counter

import numpy as np

from properties.indian_hands import Card, Hand
from rummylab.cards.bits import ALL_CARDS
from rummylab.games.indian.melds import Ints
from rummylab.games.indian.minscore import MOST_MELDS

RunPlaces = set[frozenset[Card]]


def cards_of(mask: int) -> list[Card]:
    assert mask & ~ALL_CARDS == 0
    return [(i % 16, i // 16) for i in range(64) if mask >> i & 1]


def is_run(mask: int) -> bool:
    cards = cards_of(mask)
    ranks = sorted(rank for rank, _ in cards)
    high = sorted(13 if rank == 0 else rank for rank in ranks)
    consecutive = any(r == list(range(r[0], r[0] + len(r))) for r in (ranks, high))
    return len(cards) >= 3 and len({suit for _, suit in cards}) == 1 and consecutive


def is_group(mask: int) -> bool:
    cards = cards_of(mask)
    return len(cards) in (3, 4) and len({rank for rank, _ in cards}) == 1


def check_target(hand: Hand, wild: int, out: Ints, live: Counter[Card | None] | None) -> int:
    """Return the replacements a written target needs, after checking that it is a declaration of 13 cards."""
    melds = [int(m) for m in out[:4] if m]
    own = [int(m) for m in out[4 : 4 + len(melds)]]
    assert is_run(melds[0])
    assert is_run(melds[1])
    assert all(is_run(m) or is_group(m) for m in melds)
    assert sum(m.bit_count() for m in melds) == 13
    # What it keeps is in the hand.
    kept: Counter[Card | None] = Counter()
    for places, cards in zip(melds, own, strict=True):
        assert cards & ~places == 0
        kept.update(cards_of(cards))
    fillers: Counter[Card | None] = Counter(cards_of(int(out[8])) + cards_of(int(out[9])))
    fillers[None] = int(out[10])
    assert all(card is None or card[0] == wild for card in fillers)
    kept.update(fillers)
    assert not kept - Counter(hand)
    # Jokers fill no place of the pure run.
    holes = [places & ~cards for places, cards in zip(melds, own, strict=True)]
    elsewhere = sum(h.bit_count() for h in holes[1:])
    assert fillers.total() <= elsewhere
    if live is not None:
        left = live.copy()
        for card in cards_of(holes[0]):
            assert left[card] > 0
            left[card] -= 1
        jokers = sum(n for card, n in left.items() if card is None or card[0] == wild)
        only_jokers = 0
        for places in holes[1:]:
            for card in cards_of(places):
                if card[0] != wild and left[card] > 0:
                    left[card] -= 1
                else:
                    only_jokers += 1
        assert only_jokers <= fillers.total() + jokers
    return 13 - kept.total()


def check_grouping(hand: Hand, wild: int, n_melds: int, out: Ints, n_runs: int = 2) -> Counter[Card | None]:
    """Return the cards left outside of a written grouping, after checking the melds and their jokers.

    The first *n_runs* melds must be runs.
    """
    left: Counter[Card | None] = Counter(hand)
    needed = 0
    for k in range(n_melds):
        places, own = int(out[k]), int(out[k + MOST_MELDS])
        assert is_run(places) or (k >= n_runs and is_group(places))
        assert own
        assert own & ~places == 0
        if k == 0:
            assert own == places
        needed += (places & ~own).bit_count()
        for card in cards_of(own):
            assert left[card] > 0
            left[card] -= 1
    assert needed <= sum(n for card, n in left.items() if card is None or card[0] == wild)
    return +left


def scratch() -> Ints:
    return np.zeros(63, np.int64)
