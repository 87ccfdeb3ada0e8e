"""Contract rummy in plain Python, from the rules page: melds, lay-offs, whether a contract is in a hand, scores.

Slow and simple; the kernels must agree with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from rummylab.cards.card import Card
from rummylab.engine.action import Event
from rummylab.games.contract.options import Contract, ContractOptions

KING_ACE = 13


def is_wild(card: Card) -> bool:
    return card.is_joker or card.rank == 1


def cost(card: Card, options: ContractOptions) -> int:
    if is_wild(card):
        return options.wild_points
    return options.high_points if card.rank == 0 or card.rank >= 9 else options.low_points


@dataclass
class Meld:
    """A meld on the table. A run lies on the places from *low* to *high*."""

    kind: str
    cards: list[Card]
    owner: int
    of: int
    low: int = 0
    high: int = 0

    def takes(self, card: Card) -> bool:
        if self.kind == "set":
            return is_wild(card) or card.rank == self.of
        if is_wild(card):
            return self.high < KING_ACE or self.low > 0
        return card.suit == self.of and bool(set(places(card)) & {self.low - 1, self.high + 1})

    def add(self, card: Card) -> None:
        assert self.takes(card)
        self.cards.append(card)
        if self.kind == "run":
            above = self.high < KING_ACE if is_wild(card) else self.high + 1 in places(card)
            self.high, self.low = self.high + above, self.low - (not above)


def places(card: Card) -> tuple[int, ...]:
    return (0, KING_ACE) if card.rank == 0 else (card.rank,)


def as_set(cards: Sequence[Card]) -> bool:
    """Whether *cards* may be laid down as a set: one rank, at least half of them (and two) natural."""
    natural = [card for card in cards if not is_wild(card)]
    return len({card.rank for card in natural}) == 1 and len(natural) >= 2 and 2 * len(natural) >= len(cards) >= 3


def as_run(cards: Sequence[Card]) -> tuple[int, int] | None:
    """Where *cards* lie as a run, spare wilds on top and below only at the ace; nothing if they are none."""
    natural = [card for card in cards if not is_wild(card)]
    if len(natural) < 2 or 2 * len(natural) < len(cards) or len({card.suit for card in natural}) != 1:
        return None
    for high_ace in (False, True):
        at = sorted(KING_ACE if card.rank == 0 and high_ace else card.rank for card in natural)
        if at[-1] - at[0] < len(cards) >= 3:
            high = min(at[0] + len(cards) - 1, KING_ACE)
            return high - len(cards) + 1, high
    return None


def lay(cards: Sequence[Card], owner: int) -> Meld:
    natural = [card for card in cards if not is_wild(card)]
    if as_set(cards):
        return Meld("set", list(cards), owner, natural[0].rank)
    run = as_run(cards)
    assert run is not None, f"{cards} is no meld"
    return Meld("run", list(cards), owner, natural[0].suit, *run)


def melds_of_size(
    hand: Sequence[Card], sets: int, set_size: int, runs: int, run_size: int
) -> Iterator[tuple[Card, ...]]:
    """Every meld in *hand* that one of the open items asks for."""
    if sets:
        yield from (cards for cards in combinations(hand, set_size) if as_set(cards))
    if runs:
        yield from (cards for cards in combinations(hand, run_size) if as_run(cards))


def has_contract(hand: Sequence[Card], contract: Contract, barred: Iterable[int] | None = None) -> bool:
    """Whether the contract can be laid down from *hand*; with *barred* (some ranks) every set needs its own rank."""
    return _has(list(hand), contract.sets, contract.set_size, contract.runs, contract.run_size, barred)


def _has(hand: list[Card], sets: int, set_size: int, runs: int, run_size: int, barred: Iterable[int] | None) -> bool:
    if not sets and not runs:
        return True
    # Runs first: once they lie, what is left over for sets does not depend on their order.
    for cards in melds_of_size(hand, sets if not runs else 0, set_size, runs, run_size):
        rest = list(hand)
        for card in cards:
            rest.remove(card)
        used = barred
        if barred is not None and not runs:
            rank = next(card.rank for card in cards if not is_wild(card))
            if rank in barred:
                continue
            used = {*barred, rank}
        if _has(rest, sets - (not runs), set_size, runs - bool(runs), run_size, used):
            return True
    return False


def score(options: ContractOptions, log: Sequence[Event]) -> tuple[float, float]:
    """The payoffs of a finished round, from its events and the rules page alone."""
    hands: list[list[Card]] = [[], []]
    melds: list[Meld] = []
    left = [0, 0]
    pile: list[Card] = []
    for event in log:
        verb, cards, seat = event.action.verb, list(event.action.cards), int(event.seat)
        if verb in ("deal", "draw stock"):
            hands[seat] += event.secret
        elif verb == "turn up":
            if pile:  # after a reshuffle of all that nobody holds
                melds, left = [], [0, 0]
            pile = cards
        elif verb == "draw pile":
            hands[seat].append(pile.pop())
        elif verb in ("discard", "meld", "lay off"):
            for card in cards:
                hands[seat].remove(card)
            if verb == "discard":
                pile.append(cards[0])
            elif verb == "meld":
                melds.append(lay(cards, seat))
                left[seat] += 1
            else:
                assert left[seat], "a lay-off before the lay-down"
                melds[event.action.on - 1].add(cards[0])
        elif verb == "shows":
            assert sorted(cards) == sorted(hands[seat])
    out = [seat for seat in (0, 1) if not hands[seat]]
    assert len(out) <= 1
    if not out:
        return 0.0, 0.0
    lost = float(sum(cost(card, options) for card in hands[1 - out[0]]))
    return (lost, -lost) if out[0] == 0 else (-lost, lost)
