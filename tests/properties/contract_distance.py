"""Distance to a contract by its definition: every laydown that the pack allows is spelled out, card by card.

`shapes` lists all melds of one size: which naturals, how many wilds. `best_targets` goes through the combinations of
one shape for each meld of the contract, drops those with more copies of a card than the pack has, and counts how many
cards of the hand each contains. The kernel under test knows no shapes: it counts places in windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.cards.bits import popcount
from rummylab.games.contract.distance import Terms, measure_many

WILD_BIT = 1 << 62
TOP = 13
CONTRACTS: dict[str, tuple[tuple[int, ...], tuple[int, ...], int]] = {
    "2S3": ((3, 3), (), 7),
    "S3+R4": ((3,), (4,), 8),
    "2R4": ((), (4, 4), 9),
    "3S3": ((3, 3, 3), (), 10),
    "S5+S4": ((5, 4), (), 10),
    "S3+R7": ((3,), (7,), 11),
    "2S3+R4": ((3, 3), (4,), 12),
    "S3+2R4": ((3,), (4, 4), 12),
    "3R4": ((), (4, 4, 4), 12),
    "2S3+R5": ((3, 3), (5,), 12),
    "S3+R10": ((3,), (10,), 14),
    "3S3+R5": ((3, 3, 3), (5,), 15),
    "3R5": ((), (5, 5, 5), 16),
}
"""The contracts of all presets: sizes of the sets, sizes of the runs, cards of a hand."""
SHANGHAI = ("2S3+R5", "S3+R10", "3S3+R5", "3R5")
"""Contracts that only `shanghai-10` asks for, whose pack is the last."""
PACKS = {"one deck": (1, True), "two decks": (2, True), "two decks, jokers wild": (2, False)}


def terms(decks: int, wild_twos: bool, **changes: Any) -> Terms:
    """The rules of a pack with two jokers a deck."""
    wilds = decks * (2 + 4 * wild_twos)
    return Terms(decks, 2 if wild_twos else 0, wilds, same_rank=1, neighbors=0, joined=0)._replace(**changes)


def pack(sizes: tuple[int, ...]) -> int:
    """Sizes of melds as one number, four bits each."""
    return sum(size << 4 * i for i, size in enumerate(sizes))


# --- All melds of a size ------------------------------------------------------------------------------------------

Shape = tuple[int, int, int, int, int]
"""Naturals, those that are there twice, wilds, where it lies (a set: -rank; a run: 16 * suit + lowest place), cards."""


def set_shapes(size: int, rules: Terms) -> Iterator[Shape]:
    """Every set of *size*: a rank, and how many of its naturals have which suit."""
    for rank, copies in product(range(13), product(range(rules.decks + 1), repeat=4)):
        naturals = sum(copies)
        if naturals <= size and 2 * naturals >= size and not rules.wild_ranks >> rank & 1:
            once = sum(1 << 16 * suit + rank for suit in range(4) if copies[suit])
            twice = sum(1 << 16 * suit + rank for suit in range(4) if copies[suit] == 2)
            yield once, twice, size - naturals, -rank - 1, size


def run_shapes(size: int, rules: Terms) -> Iterator[Shape]:
    """Every run of *size*: a suit, a lowest place, and which of its places are wild."""
    for suit, low, wild in product(range(4), range(TOP + 2 - size), product((False, True), repeat=size)):
        if 2 * sum(wild) > size or (not rules.neighbors and any(a and b for a, b in pairwise(wild))):
            continue
        ranks = [(low + k) % TOP for k in range(size) if not wild[k]]
        if not any(rules.wild_ranks >> rank & 1 for rank in ranks):
            yield sum(1 << 16 * suit + rank for rank in ranks), 0, sum(wild), 16 * suit + low, size


def shapes(sets: tuple[int, ...], runs: tuple[int, ...], rules: Terms) -> tuple[np.ndarray, np.ndarray]:
    """The melds for each part of the contract, one after the other, and where each part begins."""
    parts = [list(run_shapes(size, rules)) for size in runs] + [list(set_shapes(size, rules)) for size in sets]
    starts = np.cumsum([0, *map(len, parts)])
    return np.array([shape for part in parts for shape in part], np.int64), starts


# --- All combinations of melds ------------------------------------------------------------------------------------


@kernel
def in_hand(once, twice, hand, hand_twice):
    """How many cards of a collection the hand has."""
    return popcount(once & hand) + popcount(twice & hand_twice)


@kernel
def may_lie_beside(a, b, same_rank, joined):
    """Whether two melds may be parts of one laydown."""
    if a[3] < 0 or b[3] < 0:
        return a[3] != b[3] or same_rank
    ends_meet = a[3] >> 4 == b[3] >> 4 and (a[3] + a[4] == b[3] or b[3] + b[4] == a[3])
    return joined or not ends_meet


@kernel
def sort_by_naturals(hand, hand_twice, melds, starts, out):
    """Put the melds of each part in order: those with most naturals of the hand first."""
    for part in range(starts.shape[0] - 1):
        n = starts[part]
        for held in range(14, -1, -1):
            for i in range(starts[part], starts[part + 1]):
                if in_hand(melds[i, 0], melds[i, 1], hand, hand_twice) == held:
                    out[n] = i
                    n += 1


@kernel
def best_targets(hands, melds, starts, decks, wild_ranks, same_rank, joined, out):
    """Write for each hand how many cards are missing, and which kinds of cards the best targets lack."""
    parts = starts.shape[0] - 1
    order, at = np.empty(melds.shape[0], np.int64), np.empty(parts + 1, np.int64)
    once, twice, wild = np.zeros(parts + 1, np.int64), np.zeros(parts + 1, np.int64), np.zeros(parts + 1, np.int64)
    for row in range(hands.shape[0]):
        wilds, hand, hand_twice = hands[row, 2], np.int64(0), np.int64(0)
        for card in range(64):
            n = (hands[row, 0] >> card & 1) + (hands[row, 1] >> card & 1)
            if wild_ranks >> (card & 15) & 1:
                wilds += n
            else:
                hand |= np.int64(n > 0) << card
                hand_twice |= np.int64(n > 1) << card
        sort_by_naturals(hand, hand_twice, melds, starts, order)
        cards, most_wild = 0, 0
        top = np.zeros(parts + 1, np.int64)  # the most naturals in the parts from here on
        for part in range(parts - 1, -1, -1):
            best_meld = melds[order[starts[part]]]
            top[part] = top[part + 1] + in_hand(best_meld[0], best_meld[1], hand, hand_twice)
            cards += best_meld[4]
            most_wild += best_meld[4] // 2
        spare = min(wilds, most_wild)
        best, lacking = -1, np.int64(0)
        part = 0
        at[0] = starts[0]
        while part >= 0:
            if at[part] == starts[part + 1]:
                part -= 1
                if part >= 0:
                    at[part] += 1
                continue
            meld = melds[order[at[part]]]
            held = in_hand(meld[0], meld[1], hand, hand_twice)
            so_far = in_hand(once[part], twice[part], hand, hand_twice)
            if so_far + held + top[part + 1] + spare < best:
                at[part] = starts[part + 1]
                continue
            fits = True
            for other in range(part):
                fits &= may_lie_beside(meld, melds[order[at[other]]], same_rank, joined)
            both = once[part] & meld[0]
            if decks == 1:
                fits &= both == 0
            else:
                fits &= both & (twice[part] | meld[1]) == 0 and twice[part] & meld[1] == 0
            if not fits:
                at[part] += 1
                continue
            once[part + 1], twice[part + 1] = once[part] | meld[0], twice[part] | meld[1] | both
            wild[part + 1] = wild[part] + meld[2]
            if part + 1 < parts:
                part += 1
                at[part] = starts[part]
                continue
            naturals = in_hand(once[parts], twice[parts], hand, hand_twice)
            value = naturals + min(wilds, wild[parts])
            if value > best:
                best, lacking = value, np.int64(0)
            if value == best:
                lacking |= (once[parts] & ~hand) | (twice[parts] & ~hand_twice)
                if wild[parts] > wilds:
                    lacking |= WILD_BIT
            at[part] += 1
        out[row, 0] = cards - best
        out[row, 1] = lacking


# --- Hands --------------------------------------------------------------------------------------------------------


def random_hands(rng: np.random.Generator, n: int, size: int, decks: int, *, helpful: bool = False) -> np.ndarray:
    """Lines of (once, twice, jokers). A *helpful* deal favors wilds, one suit and a few neighboring ranks."""
    ids = np.array([16 * suit + rank for suit in range(4) for rank in range(13)] * decks + [62] * 2 * decks)
    hands = np.zeros((n, 3), np.int64)
    for hand in hands:
        center = rng.integers(0, 13)
        rank = ids & 15
        weight = 1.0 + 5 * ((rank == 1) | (ids == 62)) + 4 * (abs(rank - center) < 3) + 3 * (ids < 16)
        keys = rng.random(len(ids)) ** (1 / weight) if helpful else rng.random(len(ids))
        for card in ids[np.argsort(-keys)[:size]]:
            if card == 62:
                hand[2] += 1
            elif hand[0] >> card & 1:
                hand[1] |= 1 << int(card)
            else:
                hand[0] |= 1 << int(card)
    return hands


def compare(name: str, rules: Terms, hands: np.ndarray) -> np.ndarray:
    """Lines of the hands for which the kernel and this file differ, with what they say."""
    sets, runs, _ = CONTRACTS[name]
    ours, theirs = np.zeros((len(hands), 2), np.int64), np.zeros((len(hands), 2), np.int64)
    measure_many(hands, pack(sets), pack(runs), rules, ours)
    melds, starts = shapes(sets, runs, rules)
    best_targets(hands, melds, starts, rules.decks, rules.wild_ranks, rules.same_rank, rules.joined, theirs)
    different = (ours != theirs).any(axis=1)
    return np.concatenate([hands, ours, theirs], axis=1)[different]
