"""Readable twin of the Indian Rummy kernels: the paper's subset table, one entry per part of the hand.

A hand is a list of cards (rank, suit) or None for a printed joker. Every subset of a suit that could lie in
one run, of whatever length, and every subset of a rank is a *piece*; a table over all subsets of the hand is
filled meld by meld. No windows, no plans, no reels.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

Card = tuple[int, int]
Table = npt.NDArray[np.int16]
NEVER = 99


class Piece(NamedTuple):
    """Cards of the hand that lie in one meld: a bit mask, the least places of the meld, and its kind."""

    mask: int
    places: int
    is_run: bool


def points(card: Card | None, wild: int) -> int:
    if card is None or card[0] == wild:
        return 0
    return 10 if card[0] == 0 or card[0] >= 9 else card[0] + 1


def span(ranks: list[int]) -> int:
    """Places from the lowest to the highest rank; the ace is low or high, whichever is shorter."""
    low = max(ranks) - min(ranks) + 1
    high = [13 if rank == 0 else rank for rank in ranks]
    return min(low, max(high) - min(high) + 1)


def pieces(cards: list[Card]) -> list[Piece]:
    found = []
    for suit in range(4):
        held = [i for i, card in enumerate(cards) if card[1] == suit]
        for n in range(1, len(held) + 1):
            for part in combinations(held, n):
                ranks = [cards[i][0] for i in part]
                if len(set(ranks)) == n:
                    found.append(Piece(sum(1 << i for i in part), max(3, span(ranks)), True))
    for rank in range(13):
        held = [i for i, card in enumerate(cards) if card[0] == rank]
        for n in range(2, 5):
            for part in combinations(held, n):
                if len({cards[i][1] for i in part}) == n:
                    found.append(Piece(sum(1 << i for i in part), max(3, n), False))
    return found


def add_meld(table: Table, candidates: list[Piece], optional: bool, count_places: bool) -> Table:
    """One meld more: least cost per subset. The cost of a meld is its places, or only those left empty."""
    after = table.copy() if optional else np.full_like(table, NEVER)
    for piece in candidates:
        cost = piece.places if count_places else piece.places - piece.mask.bit_count()
        join(table, after, piece.mask, cost)
    return after


@numba.njit
def join(table: Table, after: Table, mask: int, cost: int) -> None:
    """Put the cards of *mask* beside every subset without them. Compiled, because it is nearly all of the work."""
    for subset in range(table.shape[0]):
        if subset & mask == 0:
            for k in range(table.shape[1]):
                after[subset | mask, k] = min(after[subset | mask, k], table[subset, k] + cost)


def sizes(n_cards: int) -> npt.NDArray[np.int64]:
    subsets = np.arange(1 << n_cards)
    total = np.zeros_like(subsets)
    for i in range(n_cards):
        total += subsets >> i & 1
    return total


def min_dist(hand: list[Card | None], wild: int) -> int:
    """Thirteen less the most cards of the hand in a declaration, any card as replacement."""
    cards = [card for card in hand if card is not None]
    printed = len(hand) - len(cards)
    found = pieces(cards)
    runs = [piece for piece in found if piece.is_run]
    empty = Piece(0, 3, True)  # a run of which we hold nothing
    # table[subset, h]: least places of melds that hold the subset, the pure run lacking h cards.
    table = np.full((1 << len(cards), 4), NEVER, np.int16)
    for piece in [*runs, empty]:
        holes = piece.places - piece.mask.bit_count()
        if holes < 4:
            table[piece.mask, holes] = min(int(table[piece.mask, holes]), piece.places)
    table = add_meld(table, [*runs, empty], optional=False, count_places=True)
    for _ in range(2):
        table = add_meld(table, found, optional=True, count_places=True)
    held = sizes(len(cards))
    wild_mask = sum(1 << i for i, card in enumerate(cards) if card[0] == wild)
    subsets = np.arange(1 << len(cards))
    wilds_left = held[wild_mask & ~subsets] if wild_mask else np.zeros_like(subsets)
    best = 0
    for holes in range(4):
        fits = table[:, holes] <= 13
        jokers = np.minimum(wilds_left + printed, 13 - held - holes)
        best = max(best, int(np.max(np.where(fits, held + jokers, 0))))
    return 13 - best


def min_scores(hand: list[Card | None], wild: int) -> tuple[int, int]:
    """Least points outside of melds, uncapped, by the first two rules of the rules page's row 13: paper, platform."""
    paper, platform, _ = all_min_scores(hand, wild)
    return paper, platform


def all_min_scores(hand: list[Card | None], wild: int) -> tuple[int, int, int]:
    """Least points outside of melds, uncapped, by all rules of row 13: paper, platform, pure run opens."""
    cards = [card for card in hand if card is not None]
    printed = len(hand) - len(cards)
    found = pieces(cards)
    runs = [piece for piece in found if piece.is_run]
    # table[subset]: least jokers with which melds hold the subset.
    table = np.full((1 << len(cards), 1), NEVER, np.int16)
    for piece in runs:
        if piece.places == piece.mask.bit_count():
            table[piece.mask] = 0
    pure, opened = table[:, 0].copy(), table.copy()
    for _ in range(3):
        opened = add_meld(opened, found, optional=True, count_places=False)
    table = add_meld(table, runs, optional=False, count_places=False)
    for _ in range(2):
        table = add_meld(table, found, optional=True, count_places=False)
    held = sizes(len(cards))
    worth = np.zeros(1 << len(cards), np.int64)
    for i, card in enumerate(cards):
        worth += (np.arange(1 << len(cards)) >> i & 1) * points(card, wild)
    wild_mask = sum(1 << i for i, card in enumerate(cards) if card[0] == wild)
    jokers = held[wild_mask & ~np.arange(1 << len(cards))] + printed
    saved = int(np.max(np.where(table[:, 0] <= jokers, worth, 0)))
    saved_by_pure_run = int(np.max(np.where(pure == 0, worth, 0)))
    saved_by_any = int(np.max(np.where(opened[:, 0] <= jokers, worth, 0)))
    whole = int(worth[-1])
    return whole - max(saved, saved_by_pure_run), whole - saved, whole - saved_by_any
