"""Readable twins of the Gin kernels: slow, exhaustive, and written without looking at them.

A card is its number 13 * suit + rank (suits clubs, hearts, spades, diamonds), a meld a frozenset of cards,
an arrangement a frozenset of disjoint melds. Nothing here uses the package under test.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations

Meld = frozenset[int]
Arrangement = frozenset[Meld]


def value(card: int) -> int:
    """Ace 1, pips their number, court cards 10 (rules page, 1)."""
    return min(card % 13 + 1, 10)


def points(cards: Iterable[int]) -> int:
    return sum(value(card) for card in cards)


def is_group(cards: Iterable[int]) -> bool:
    cards = list(cards)
    return len(cards) in (3, 4) and len({card % 13 for card in cards}) == 1


def is_run(cards: Iterable[int]) -> bool:
    ordered = sorted(cards)
    one_suit = len({card // 13 for card in ordered}) == 1
    return len(ordered) >= 3 and one_suit and ordered == list(range(ordered[0], ordered[0] + len(ordered)))


def is_meld(cards: Iterable[int]) -> bool:
    cards = list(cards)
    return is_group(cards) or is_run(cards)


def all_melds(hand: Iterable[int], max_run: int = 13) -> list[Meld]:
    """Every meld that can be formed from *hand*."""
    held = set(hand)
    found: list[Meld] = []
    for rank in {card % 13 for card in held}:
        same = [card for card in (rank, 13 + rank, 26 + rank, 39 + rank) if card in held]
        found += [frozenset(cards) for n in (3, 4) for cards in combinations(same, n)]
    for low in held:
        for length in range(3, min(max_run, 13 - low % 13) + 1):
            run = frozenset(range(low, low + length))
            if not run <= held:
                break
            found.append(run)
    return found


def min_deadwood(hand: Iterable[int]) -> int:
    """Least points left over by any choice of disjoint melds.

    Look at the lowest card: it stays loose, or it is in one of the melds that have it.
    """
    cards = frozenset(hand)
    melds = all_melds(cards)
    if not melds:
        return points(cards)
    # Loose for certain: cards in no meld at all.
    useful = frozenset().union(*melds)

    @cache
    def best(left: frozenset[int]) -> int:
        if not left:
            return 0
        card = min(left)
        options = [value(card) + best(left - {card})]
        options += [best(left - meld) for meld in melds if card in meld and meld <= left]
        return min(options)

    return points(cards - useful) + best(useful)


def arrangements(hand: Iterable[int], max_run: int = 13) -> Iterator[Arrangement]:
    """Every choice of disjoint melds of *hand*, the empty one included."""
    melds = all_melds(hand, max_run)

    def extend(chosen: tuple[Meld, ...], start: int, free: frozenset[int]) -> Iterator[Arrangement]:
        yield frozenset(chosen)
        for i in range(start, len(melds)):
            if melds[i] <= free:
                yield from extend((*chosen, melds[i]), i + 1, free - melds[i])

    return extend((), 0, frozenset(hand))


def loose(hand: Iterable[int], arrangement: Iterable[Meld]) -> frozenset[int]:
    return frozenset(hand) - frozenset().union(*arrangement)


def minimal_arrangements(hand: Iterable[int], max_run: int = 13) -> set[Arrangement]:
    """All arrangements of least deadwood; a run kept whole and the same run split count apart."""
    hand = frozenset(hand)
    every = [(points(loose(hand, melds)), melds) for melds in arrangements(hand, max_run)]
    least = min(left for left, _ in every)
    return {melds for left, melds in every if left == least}


def best_discards(hand: Iterable[int], allowed: Iterable[int]) -> tuple[set[int], int]:
    """The allowed cards whose discard leaves least deadwood, and that deadwood."""
    hand = frozenset(hand)
    after = {card: min_deadwood(hand - {card}) for card in allowed}
    least = min(after.values())
    return {card for card, left in after.items() if left == least}, least


def official_lay_offs(spread: Sequence[Meld], cards: Iterable[int]) -> list[tuple[int, int]]:
    """The referee's greedy scan: (card, place in the declared order), in the order of laying off."""
    melds, left, done = list(spread), sorted(cards), []
    restart = True
    while restart:
        restart = False
        for card in left:
            place = next((i for i, meld in enumerate(melds) if is_meld(meld | {card})), None)
            if place is not None:
                melds[place] |= {card}
                left.remove(card)
                done.append((card, place))
                restart = True
                break
    return done


def after_official_lay_offs(spread: Sequence[Meld], cards: Iterable[int]) -> frozenset[int]:
    cards = frozenset(cards)
    return cards - {card for card, _ in official_lay_offs(spread, cards)}


def lay_off_choices(spread: Sequence[Meld], hand: Iterable[int]) -> set[frozenset[int]]:
    """Every set of cards a defender can lay off one after the other, on whichever melds."""
    seen: set[tuple[tuple[Meld, ...], frozenset[int]]] = set()
    start = (tuple(spread), frozenset(hand))
    todo, sets = [start], set()
    while todo:
        melds, left = todo.pop()
        if (melds, left) in seen:
            continue
        seen.add((melds, left))
        sets.add(frozenset(hand) - left)
        for card in left:
            for i, meld in enumerate(melds):
                if is_meld(meld | {card}):
                    todo.append(((*melds[:i], meld | {card}, *melds[i + 1 :]), left - {card}))
    return sets


def best_lay_off_deadwood(spread: Sequence[Meld], hand: Iterable[int]) -> int:
    """Least deadwood of a defender who lays off freely and then melds."""
    hand = frozenset(hand)
    return min(min_deadwood(hand - laid) for laid in lay_off_choices(spread, hand))


def best_defence_deadwood(spread: Sequence[Meld], hand: Iterable[int]) -> int:
    """Least deadwood of a defender who melds first and whose loose cards the referee then lays off."""
    hand = frozenset(hand)
    return min(points(after_official_lay_offs(spread, loose(hand, melds))) for melds in arrangements(hand))


def exposed_points(spread: Iterable[Meld], unseen: Iterable[int]) -> int:
    """Points of the unseen cards that could be laid off on *spread* if a defender held them all."""
    spread = list(spread)
    reach: set[int] = set()
    for meld in spread:
        grown = meld
        while True:
            fitting = {card for card in unseen if card not in grown and is_meld(grown | {card})}
            if not fitting:
                break
            # On a run two cards fit at most, and both may come; on a group one.
            grown = grown | ({min(fitting)} if is_group(meld) else fitting)
        reach |= grown - meld
    return points(reach)


def safest_exposure(hand: Iterable[int], unseen: Iterable[int], max_run: int = 13) -> int:
    """What the safest spread of least deadwood leaves open to lay off."""
    return min(exposed_points(spread, unseen) for spread in minimal_arrangements(hand, max_run))


def hand_score(knocker_left: int, defender_left: int, *, options: dict[str, object], big: bool, stake: int) -> int:
    """Points of the knocker in a scored hand, negative if the defender scores (rules page, 10, 12, 15)."""
    if big:
        won = int(options["big_gin_bonus"]) + defender_left  # type: ignore[call-overload]
    elif knocker_left == 0:
        won = int(options["gin_bonus"]) + defender_left  # type: ignore[call-overload]
    elif knocker_left < defender_left:
        won = defender_left - knocker_left
    elif knocker_left == defender_left and not options["tie_undercuts"]:
        won = 0
    else:
        won = -(int(options["undercut_bonus"]) + knocker_left - defender_left)  # type: ignore[call-overload]
    return won * stake


def splitmix64(state: int) -> int:
    """The number that splitmix64 draws in this state (Steele, Lea and Flood, 2014)."""
    z = state % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def shuffled(cards: Iterable[int], seed: int) -> list[int]:
    """The cards after a shuffle by Fisher and Yates, card by card from the last on."""
    deck, state = list(cards), seed
    for i in range(len(deck) - 1, 0, -1):
        state += 0x9E3779B97F4A7C15
        j = (splitmix64(state) >> 32) * (i + 1) >> 32
        deck[i], deck[j] = deck[j], deck[i]
    return deck
