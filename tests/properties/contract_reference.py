"""Contract rummy in plain Python, from the rules page: melds, lay-offs, whether a contract is in a hand, scores.

Slow and simple; the kernels must agree with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from rummylab.cards.card import Card
from rummylab.engine.action import Event
from rummylab.games.contract.options import Contract, ContractOptions

KING_ACE = 13
CHINESE = ContractOptions()
Ends = tuple[int, int, int]
"""Suit, lowest and highest place of a run."""


def is_wild(card: Card, options: ContractOptions = CHINESE) -> bool:
    return card.is_joker or (card.rank == 1 and options.wild_twos)


def cost(card: Card, options: ContractOptions) -> int:
    court = options.high_points
    if is_wild(card, options):
        return options.wild_points
    if card.rank == 0:
        return court if options.ace_points < 0 else options.ace_points
    if card.rank >= 10:
        return court
    if options.face_value:
        return card.rank + 1
    if card.rank == 9:
        return court if options.ten_points < 0 else options.ten_points
    return options.low_points


@dataclass
class Meld:
    """A meld on the table. A run lies on the places from *low* to *high*, wilds on those in *wild*."""

    kind: str
    cards: list[Card]
    owner: int
    of: int
    options: ContractOptions
    low: int = 0
    high: int = 0
    wild: set[int] = field(default_factory=set)

    def takes(self, card: Card) -> bool:
        if self.kind == "set":
            return is_wild(card, self.options) or card.rank == self.of
        if is_wild(card, self.options):
            return self.high < KING_ACE or self.low > 0
        return card.suit == self.of and bool(set(places(card)) & {self.low - 1, self.high + 1})

    def takes_below(self, card: Card) -> bool:
        """Whether a wild may lie below although it could lie above."""
        return self.kind == "run" and is_wild(card, self.options) and self.low > 0 and self.high < KING_ACE

    def add(self, card: Card, *, below: bool = False) -> None:
        assert self.takes_below(card) if below else self.takes(card)
        self.cards.append(card)
        if self.kind == "run":
            wild = is_wild(card, self.options)
            above = not below and (self.high < KING_ACE if wild else self.high + 1 in places(card))
            self.high, self.low = self.high + above, self.low - (not above)
            if wild:
                self.wild.add(self.high if above else self.low)

    def replaces(self, card: Card) -> bool:
        """Whether *card* is a natural that can take the place of a wild."""
        if is_wild(card, self.options) or not any(is_wild(other, self.options) for other in self.cards):
            return False
        if self.kind == "set":
            return card.rank == self.of
        return card.suit == self.of and bool(self.wild & set(places(card)))

    def replace(self, card: Card) -> Card:
        """Put *card* in the place of a wild and return the wild: a joker first, else the first two by suit."""
        assert self.replaces(card)
        wild = max((other for other in self.cards if is_wild(other, self.options)), key=lambda w: (w.is_joker, -w.id))
        self.cards[self.cards.index(wild)] = card
        self.wild -= set(places(card))
        return wild

    def copy(self) -> Meld:
        return Meld(self.kind, [*self.cards], self.owner, self.of, self.options, self.low, self.high, {*self.wild})


def places(card: Card) -> tuple[int, ...]:
    return (0, KING_ACE) if card.rank == 0 else (card.rank,)


def as_set(cards: Sequence[Card], options: ContractOptions = CHINESE) -> bool:
    """Whether *cards* may be laid down as a set: one rank, at least half of them (and two) natural."""
    natural = [card for card in cards if not is_wild(card, options)]
    return len({card.rank for card in natural}) == 1 and len(natural) >= 2 and 2 * len(natural) >= len(cards) >= 3


def as_run(cards: Sequence[Card], options: ContractOptions = CHINESE) -> tuple[int, int] | None:
    """Where *cards* lie as a run, spare wilds on top and below only at the ace; nothing if they are none."""
    natural = [card for card in cards if not is_wild(card, options)]
    if len(natural) < 2 or 2 * len(natural) < len(cards) or len({card.suit for card in natural}) != 1:
        return None
    if len(set(natural)) < len(natural):
        return None
    for high_ace in (False, True):
        at = sorted(KING_ACE if card.rank == 0 and high_ace else card.rank for card in natural)
        if at[-1] - at[0] < len(cards) >= 3:
            high = min(at[0] + len(cards) - 1, KING_ACE)
            return high - len(cards) + 1, high
    return None


def lay(cards: Sequence[Card], owner: int, options: ContractOptions = CHINESE) -> Meld:
    natural = [card for card in cards if not is_wild(card, options)]
    if as_set(cards, options):
        return Meld("set", list(cards), owner, natural[0].rank, options)
    run = as_run(cards, options)
    assert run is not None, f"{cards} is no meld"
    low, high = run
    wild = {*range(low, high + 1)} - {place for card in natural for place in places(card)}
    return Meld("run", list(cards), owner, natural[0].suit, options, low, high, wild)


def side_by_side(some: Iterable[int]) -> bool:
    return any(b - a == 1 for a, b in pairwise(sorted(some)))


def join(one: Ends, two: Ends) -> bool:
    """Whether two runs are one run cut in two."""
    return one[0] == two[0] and (one[2] + 1 == two[1] or two[2] + 1 == one[1])


def run_melds(size: int, wilds: int, options: ContractOptions) -> Iterator[tuple[Ends, list[Card], int]]:
    """Every run of *size* with up to *wilds* wilds: its ends, its naturals, how many wilds."""
    for suit in range(4):
        for low in range(KING_ACE + 2 - size):
            on = range(low, low + size)
            for n_wild in range(min(wilds, size // 2) + 1):
                for wild in combinations(on, n_wild):
                    if size == 3 and low in wild and low + size <= KING_ACE:
                        continue  # it is laid down at once, with the wild above
                    if options.wild_neighbors or not side_by_side(wild):
                        cards = [Card(16 * suit + place % 13) for place in on if place not in wild]
                        yield (suit, low, low + size - 1), cards, n_wild


def has_contract(
    hand: Sequence[Card],
    contract: Contract,
    options: ContractOptions = CHINESE,
    laid: Sequence[Ends] = (),
    barred: Iterable[int] = (),
) -> bool:
    """Whether the contract can be laid down from *hand*, beside runs already *laid* and sets of the ranks *barred*."""
    naturals = Counter(card for card in hand if not is_wild(card, options))
    wilds = len(hand) - naturals.total()
    return _has_runs(naturals, wilds, contract.run_sizes, contract.set_sizes, options, tuple(laid), frozenset(barred))


def _has_runs(
    naturals: Counter[Card],
    wilds: int,
    runs: tuple[int, ...],
    sets: tuple[int, ...],
    options: ContractOptions,
    laid: tuple[Ends, ...],
    barred: frozenset[int],
) -> bool:
    if not runs:
        return _has_sets(Counter(card.rank for card in naturals.elements()), wilds, sets, options, barred)
    for ends, cards, n_wild in run_melds(runs[0], wilds, options):
        if all(naturals[card] for card in cards) and (options.joined_runs or not any(join(ends, a) for a in laid)):
            left = naturals - Counter(cards)
            if _has_runs(left, wilds - n_wild, runs[1:], sets, options, (*laid, ends), barred):
                return True
    return False


def _has_sets(
    ranks: Counter[int], wilds: int, sets: tuple[int, ...], options: ContractOptions, barred: frozenset[int]
) -> bool:
    if not sets:
        return True
    for rank in [rank for rank in ranks if options.same_rank or rank not in barred]:
        for n_wild in range(min(wilds, sets[0] // 2) + 1):
            natural = sets[0] - n_wild
            if ranks[rank] >= natural:
                left = ranks - Counter({rank: natural})
                if _has_sets(left, wilds - n_wild, sets[1:], options, barred | {rank}):
                    return True
    return False


def can_follow(meld: Meld, asked: int, hand: Sequence[Card], rest: Contract, laid: Sequence[Ends]) -> bool:
    """Whether *meld* can grow to *asked* cards from *hand* and the contract *rest* be laid down with what is left."""
    options = meld.options
    n_wild = sum(is_wild(card, options) for card in meld.cards)
    if 2 * n_wild > max(asked, len(meld.cards)) or (side_by_side(meld.wild) and not options.wild_neighbors):
        return False
    if len(meld.cards) >= asked:
        ends = (meld.of, meld.low, meld.high)
        barred = []
        if meld.kind == "run":
            if not options.joined_runs and any(join(ends, other) for other in laid):
                return False
            laid = [*laid, ends]
        else:
            barred = [meld.of]
        return has_contract(hand, rest, options, laid, barred)
    for card in set(hand):
        for below in (False, True):
            if meld.takes_below(card) if below else meld.takes(card):
                more, left = meld.copy(), list(hand)
                more.add(card, below=below)
                left.remove(card)
                if can_follow(more, asked, left, rest, laid):
                    return True
    return False


def score(options: ContractOptions, log: Sequence[Event]) -> tuple[float, ...]:
    """The payoffs of a finished round, from its events and the rules page alone."""
    seats = options.seats
    hands: list[list[Card]] = [[] for _ in range(seats)]
    melds: list[Meld] = []
    laid = [0] * seats
    pile: list[Card] = []
    for event in log:
        verb, cards, seat = event.action.verb, list(event.action.cards), int(event.seat)
        if verb in ("deal", "draw stock", "buy"):
            hands[seat] += event.secret
        if verb == "turn up":
            if pile:  # after a reshuffle of all that nobody holds
                melds, laid = [], [0] * seats
            pile = cards
        elif verb in ("draw upcard", "buy"):
            hands[seat].append(pile.pop())
        elif verb in ("discard", "lay down", "lay off", "lay off low"):
            for card in cards:
                hands[seat].remove(card)
            if verb == "discard":
                pile.append(cards[0])
            elif verb == "lay down":
                melds.append(lay(cards, seat, options))
                laid[seat] += 1
            else:
                assert laid[seat], "a lay-off before the lay-down"
                melds[event.action.on - 1].add(cards[0], below=verb == "lay off low")
        elif verb == "replace":
            hands[seat].remove(cards[0])
            hands[seat].append(melds[event.action.on - 1].replace(cards[0]))
        elif verb == "shows":
            assert sorted(cards) == sorted(hands[seat])
    out = [seat for seat in range(seats) if not hands[seat]]
    assert len(out) <= 1
    lost = [sum(cost(card, options) for card in hand) if out else 0 for hand in hands]
    return tuple((sum(lost) - own) / (seats - 1) - own for own in lost)
