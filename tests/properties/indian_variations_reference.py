"""Readable twin of the general MinScore and MinDist: the paper's recursion, card by card, super jokers as cards.

A hand is a list of cards (rank, suit), None for a printed joker, or SUPER for a card that may be any other. It is meant
for small hands: every way to take a meld from it is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

SUPER = "super"
Entry = Any
Need = tuple[str, int]


def value(card: Entry, wild: int) -> int:
    if card is None or card == SUPER or card[0] == wild:
        return 0
    return 10 if card[0] == 0 or card[0] >= 9 else card[0] + 1


def is_pure_run(cards: tuple[Entry, ...]) -> bool:
    return None not in cards and is_run_of(cards, [c for c in cards if c != SUPER])


def is_run(cards: tuple[Entry, ...], wild: int) -> bool:
    return any(is_run_of(cards, natural) for natural in choices(cards, wild))


def is_group(cards: tuple[Entry, ...], wild: int) -> bool:
    if len(cards) > 4:
        return False
    return any(
        len({c[0] for c in natural}) <= 1 and len({c[1] for c in natural}) == len(natural)
        for natural in choices(cards, wild)
    )


def choices(cards: tuple[Entry, ...], wild: int) -> Iterator[list[Entry]]:
    """Yield which cards stand for themselves: all but jokers, and any of the wild ones; one at least, or a super."""
    plain = [c for c in cards if c is not None and c != SUPER and c[0] != wild]
    wilds = [c for c in cards if c is not None and c != SUPER and c[0] == wild]
    for n in range(len(wilds) + 1):
        for own in combinations(wilds, n):
            if plain or own or SUPER in cards:
                yield [*plain, *own]


def is_run_of(cards: tuple[Entry, ...], natural: list[Entry]) -> bool:
    """Whether *natural* fit into one run as long as *cards*, everything else filling the other places."""
    if len(cards) > 13 or len({c[1] for c in natural}) > 1 or len(set(natural)) < len(natural):
        return False
    low = {c[0] for c in natural}
    high = {13 if rank == 0 else rank for rank in low}
    return any(
        ranks <= set(range(start, start + len(cards))) for start in range(15 - len(cards)) for ranks in (low, high)
    )


def meets(cards: tuple[Entry, ...], need: Need, wild: int) -> bool:
    kind, length = need
    if len(cards) < length:
        return False
    if kind == "pure run":
        return is_pure_run(cards)
    if kind == "run":
        return is_run(cards, wild)
    if kind == "group":
        return is_group(cards, wild)
    return is_run(cards, wild) or is_group(cards, wild)


def without(hand: tuple[Entry, ...], part: tuple[int, ...]) -> tuple[Entry, ...]:
    return tuple(card for i, card in enumerate(hand) if i not in part)


def in_order(hand: list[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(hand, key=str))


def min_score(hand: list[Entry], wild: int, needs: list[Need], length: int, removed: int, rule: str) -> int:
    if removed:
        return min(
            min_score(list(without(tuple(hand), part)), wild, needs, length, 0, rule)
            for part in combinations(range(len(hand)), removed)
        )
    stages = needs[:1] if rule == "pure_run_opens" else needs

    @cache
    def least(cards: tuple[Entry, ...], stage: int) -> int:
        """The recursion of section IV-A: the score without another meld, or after one that the stage allows."""
        total = sum(value(card, wild) for card in cards)
        best = total if stage == len(stages) or rule != "platform" else 999
        need = stages[stage] if stage < len(stages) else ("meld", length)
        for n in range(need[1], len(cards) + 1):
            for part in combinations(range(len(cards)), n):
                if meets(tuple(cards[i] for i in part), need, wild):
                    best = min(best, least(without(cards, part), min(stage + 1, len(stages))))
        return best

    return min(least(in_order(hand), 0), sum(value(card, wild) for card in hand))


def can_declare(hand: tuple[Entry, ...], wild: int, needs: tuple[Need, ...], length: int, removed: int) -> bool:
    """Whether all but *removed* cards fall into melds, the required ones among them."""

    @cache
    def falls(cards: tuple[Entry, ...], stage: int, spare: int) -> bool:
        if stage == len(needs) and len(cards) == spare:
            return True
        need = needs[stage] if stage < len(needs) else ("meld", length)
        return any(
            meets(tuple(cards[i] for i in part), need, wild)
            and falls(without(cards, part), min(stage + 1, len(needs)), spare)
            for n in range(need[1], len(cards) - spare + 1)
            for part in combinations(range(len(cards)), n)
        )

    return falls(hand, 0, removed)


def min_dist(hand: list[Entry], wild: int, needs: list[Need], length: int, removed: int) -> int | None:
    """Algorithm 2: add super jokers one by one until as many cards as before can be declared."""
    for supers in range(len(hand) - removed + 1):
        if can_declare(in_order([*hand, *[SUPER] * supers]), wild, tuple(needs), length, removed + supers):
            return supers
    return None
