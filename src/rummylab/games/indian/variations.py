"""MinScore and MinDist of other declarations: any required melds, any minimum length, some cards removed.

Source: Saha et al., section V, Algorithms 1 and 2 with the parameters that the text names (required melds, minimum
length, cap, k cards removed). The kernels in ``minscore`` and ``mindist`` are made for the game as it is played and a
thousand times as fast; they agree with this module on its default parameters.

Cards of the hand that stand for themselves in one meld are a *piece*. A table over all subsets of the hand says which
melds can hold exactly those cards; printed jokers, wild cards that stand for others, and replacements (the paper's
super jokers) fill the places between them, so they are counted and not listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel
from rummylab.cards.bits import popcount
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.errors import DeckError, OptionError, UnknownNameError
from rummylab.games.indian.bulk import Wild, rank_of
from rummylab.games.indian.evaluate import card_value
from rummylab.games.indian.options import SCORE_RULES

Ints = npt.NDArray[np.int64]
KINDS: Final = ("pure run", "run", "group", "meld")
MOST_CARDS: Final = 16
"""Cards of the largest hand; the table has an entry for each of its subsets."""
_LONGEST_GROUP, _LONGEST_RUN = 4, 13
_NEVER: Final = 99
_NO_JOKERS_NEEDED: Final = 0


@dataclass(frozen=True, slots=True)
class Required:
    """A meld that a declaration must have: its kind and its least length.

    >>> Required.parse("pure run 4")
    Required(kind='pure run', length=4)
    """

    kind: str
    """``pure run``, ``run``, ``group``, or ``meld`` for any of them."""
    length: int = 0
    """Least number of cards; 0 stands for the least length of any meld."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("required meld", self.kind, KINDS)
        if not 0 <= self.length <= _LONGEST_RUN:
            raise OptionError(f"A required {self.kind} has at most {_LONGEST_RUN} cards, not {self.length}.")

    @classmethod
    def parse(cls, text: str) -> Required:
        """Read a kind of meld, with its least length or without."""
        kind, _, length = text.strip().rpartition(" ")
        return cls(kind, int(length)) if length.isdecimal() else cls(text.strip())


STANDARD: Final = ("pure run", "run")
"""What Indian Rummy requires: a pure run and another run, pure or not."""


class _Piece(NamedTuple):
    """Cards of the hand that lie in one meld: a mask, the least places of the meld and the most."""

    mask: int
    least: int
    most: int
    is_run: bool

    @property
    def holes(self) -> int:
        return self.least - self.mask.bit_count()


def min_score(
    hand: Hand,
    wild: Wild,
    *,
    required: tuple[str | Required, ...] = STANDARD,
    min_length: int = 3,
    removed: int = 0,
    cap: int | None = 80,
    score_rule: str = "paper",
) -> int:
    """Return the least points outside of melds after the best *removed* cards are taken away (Algorithm 1).

    The *required* melds count in their order, and other melds count after all of them (``paper``). Without all of
    them every card counts (``platform``), or the first of them is enough (``pure_run_opens``).

    Raises:
        UnknownNameError: There is no such kind of meld or score rule.
        OptionError: A parameter is out of its range.
        DeckError: The hand has too many cards.

    >>> min_score(Hand.parse("3c 4c 5c 8h 9h Kd"), "2", required=("pure run",))
    27
    """
    needs = _checked(hand, required, min_length, removed)
    if score_rule not in SCORE_RULES:
        raise UnknownNameError("score rule", score_rule, SCORE_RULES)
    if score_rule == "pure_run_opens":
        needs = needs[:1]
    rank = rank_of(wild)
    cards = [card for card in hand if not card.is_joker]
    pieces = _pieces(cards, min_length)
    wild_mask = sum(1 << i for i, card in enumerate(cards) if card.rank == rank)
    values = np.array([card_value(card, rank) for card in cards], np.int64)
    # fewest[subset]: the fewest jokers with which melds hold exactly this subset.
    fewest = _optional_jokers(len(cards), _columns(pieces))
    scores = []
    for stage in range(len(needs), -1, -1):  # the first `stage` requirements, then nothing or, after all, any meld
        if stage < len(needs):
            if score_rule == "platform":
                break
            fewest = np.full(1 << len(cards), _NEVER, np.int64)
            fewest[0] = _NO_JOKERS_NEEDED
        table = fewest
        for need in reversed(needs[:stage]):
            table = _required_jokers(table, _columns(_serving(pieces, need, pure_holes=0)))
        scores.append(int(_least_points(table, values, wild_mask, hand.jokers, removed)))
    best = min([*scores, int(_points_left(0, values, removed))])
    return best if cap is None else min(best, cap)


def min_dist(
    hand: Hand, wild: Wild, *, required: tuple[str | Required, ...] = STANDARD, min_length: int = 3, removed: int = 0
) -> int | None:
    """Return how many cards must be replaced, by any card, for all but *removed* of them to be declared (Algorithm 2).

    ``None`` if no hand of this size can be declared, however many cards are replaced.

    Raises:
        UnknownNameError: There is no such kind of meld.
        OptionError: A parameter is out of its range.
        DeckError: The hand has too many cards.

    >>> min_dist(Hand.parse("3c 4c 5c 8h 9h Kd"), "2", required=("pure run",))
    1
    """
    needs = _checked(hand, required, min_length, removed)
    size = len(hand) - removed
    cards = [card for card in hand if not card.is_joker]
    wild_mask = sum(1 << i for i, card in enumerate(cards) if card.rank == rank_of(wild))
    nothing = [_Piece(0, min_length, _LONGEST_RUN, True), _Piece(0, min_length, _LONGEST_GROUP, False)]
    pieces = _pieces(cards, min_length)
    # sizes[subset, supers]: which numbers of places, as bits, melds with exactly this subset can have if this many
    # places are sure to be replaced: those that a pure run lacks, and one in every meld without a card of the hand.
    sizes = _optional_sizes(len(cards), size, _columns(pieces), min_length)
    for need in reversed(needs):
        serving = _serving([*pieces, *nothing], need, pure_holes=size)
        sizes = _required_sizes(sizes, _columns(serving), need.kind == "pure run", size)
    best = int(_fewest_replaced(sizes, wild_mask, hand.jokers, size))
    return None if best == _NEVER else best


def _checked(hand: Hand, required: tuple[str | Required, ...], min_length: int, removed: int) -> list[Required]:
    """Return the required melds, read and with their lengths."""
    if not 2 <= min_length <= _LONGEST_RUN:
        raise OptionError(f"A meld has at least 2 to {_LONGEST_RUN} cards, not {min_length}.")
    if not 0 <= removed < max(len(hand), 1):
        raise OptionError(f"From {len(hand)} cards 0 to {max(len(hand) - 1, 0)} can be removed, not {removed}.")
    if len(hand) > MOST_CARDS:
        raise DeckError(f"A hand has at most {MOST_CARDS} cards here, not {len(hand)}.")
    read = [need if isinstance(need, Required) else Required.parse(need) for need in required]
    return [Required(need.kind, max(need.length, min_length)) for need in read]


def _pieces(cards: list[Card], min_length: int) -> list[_Piece]:
    """Return every set of cards that can lie in one meld and stand for themselves."""
    found = []
    for suit in range(4):
        held = [i for i, card in enumerate(cards) if card.suit == suit]
        for part in _parts(held, _LONGEST_RUN):
            ranks = [cards[i].rank for i in part]
            if len(set(ranks)) == len(part):
                found.append(_Piece(_mask(part), max(min_length, _span(ranks)), _LONGEST_RUN, True))
    if min_length > _LONGEST_GROUP:
        return found
    for rank in range(13):
        held = [i for i, card in enumerate(cards) if card.rank == rank]
        for part in _parts(held, _LONGEST_GROUP):
            if len({cards[i].suit for i in part}) == len(part):
                found.append(_Piece(_mask(part), max(min_length, len(part)), _LONGEST_GROUP, False))
    return found


def _parts(held: list[int], most: int) -> list[tuple[int, ...]]:
    return [part for n in range(1, min(len(held), most) + 1) for part in combinations(held, n)]


def _mask(part: tuple[int, ...]) -> int:
    return sum(1 << i for i in part)


def _span(ranks: list[int]) -> int:
    """Return the places from the lowest rank to the highest; the ace is low or high, whichever is shorter."""
    high = [13 if rank == 0 else rank for rank in ranks]
    return min(max(ranks) - min(ranks), max(high) - min(high)) + 1


def _serving(pieces: list[_Piece], need: Required, pure_holes: int) -> list[_Piece]:
    """Return the pieces of melds that meet a requirement, at its length; a pure run lacks at most *pure_holes*."""
    found = []
    for piece in pieces:
        if need.kind == "meld" or piece.is_run == (need.kind != "group"):
            longer = piece._replace(least=max(piece.least, need.length))
            if longer.least <= longer.most and (need.kind != "pure run" or longer.holes <= pure_holes):
                found.append(longer)
    return found


def _columns(pieces: list[_Piece]) -> Ints:
    """Return pieces as lines (mask, least places, most places), ordered by their lowest card."""
    ordered = sorted(pieces, key=lambda piece: piece.mask & -piece.mask)
    return np.array([(piece.mask, piece.least, piece.most) for piece in ordered], np.int64).reshape(-1, 3)


# --- MinScore: the fewest jokers for each subset ------------------------------------------------------------------


@kernel
def _optional_jokers(n_cards: int, pieces: Ints) -> Ints:
    """Return, per subset, the fewest jokers with which melds of any kind hold exactly these cards."""
    table = np.full(1 << n_cards, _NEVER, np.int64)
    table[0] = 0
    for subset in range(1, 1 << n_cards):
        lowest_card = subset & -subset
        for i in range(len(pieces)):
            piece = pieces[i, 0]
            if piece & lowest_card and piece & ~subset == 0:
                jokers = table[subset ^ piece] + pieces[i, 1] - popcount(piece)
                table[subset] = min(table[subset], jokers)
    return table


@kernel
def _required_jokers(table: Ints, pieces: Ints) -> Ints:
    """Return the table with one more meld, made of one of *pieces*."""
    after = np.full(len(table), _NEVER, np.int64)
    for subset in range(len(table)):
        if table[subset] < _NEVER:
            for i in range(len(pieces)):
                piece = pieces[i, 0]
                if piece & subset == 0:
                    jokers = table[subset] + pieces[i, 1] - popcount(piece)
                    after[subset | piece] = min(after[subset | piece], jokers)
    return after


@helper
def _sum_without_top(left: int, values: Ints, removed: int) -> int:
    """Return the points of the cards *left*, the dearest *removed* of them not counted."""
    total = 0
    for i in range(len(values)):
        if left >> i & 1:
            total += values[i]
    for _ in range(removed):
        dearest = -1
        for i in range(len(values)):
            if left >> i & 1 and (dearest < 0 or values[i] > values[dearest]):
                dearest = i
        if dearest >= 0:
            total -= values[dearest]
            left ^= 1 << dearest
    return total


@kernel
def _points_left(melded: int, values: Ints, removed: int) -> int:
    """Return what the cards outside of *melded* count."""
    return _sum_without_top(((1 << len(values)) - 1) & ~melded, values, removed)


@kernel
def _least_points(table: Ints, values: Ints, wild_mask: int, printed: int, removed: int) -> int:
    """Return the least points left over all subsets that melds can hold, *removed* cards being left for it."""
    n_cards = len(values)
    best = np.int64(10 * (n_cards + 1))
    for subset in range(len(table)):
        jokers = printed + popcount(wild_mask & ~subset)
        outside = n_cards + printed - popcount(subset) - table[subset]
        if table[subset] <= jokers and outside >= removed:
            best = min(best, _sum_without_top(((1 << n_cards) - 1) & ~subset, values, removed))
    return best


# --- MinDist: the numbers of places for each subset ---------------------------------------------------------------


@helper
def _with_meld(sizes: int, least: int, most: int, size: int) -> int:
    """Return which total places are possible after a meld of *least* to *most* places, as bits up to *size*."""
    after = 0
    for places in range(least, min(most, size) + 1):
        after |= sizes << places
    return after & ((2 << size) - 1)


@kernel
def _optional_sizes(n_cards: int, size: int, pieces: Ints, min_length: int) -> Ints:
    """Return the table of melds of any kind: which places, per subset and number of melds without a card."""
    table = np.zeros((1 << n_cards, size + 1), np.int64)
    table[0, 0] = 1
    for subset in range(1, 1 << n_cards):
        lowest_card = subset & -subset
        for i in range(len(pieces)):
            piece = pieces[i, 0]
            if piece & lowest_card and piece & ~subset == 0:
                table[subset, 0] |= _with_meld(table[subset ^ piece, 0], pieces[i, 1], pieces[i, 2], size)
    for subset in range(1 << n_cards):
        for empty in range(size):
            table[subset, empty + 1] |= _with_meld(table[subset, empty], min_length, _LONGEST_RUN, size)
    return table


@kernel
def _required_sizes(table: Ints, pieces: Ints, is_pure: bool, size: int) -> Ints:
    """Return the table with one more meld, made of one of *pieces*."""
    after = np.zeros_like(table)
    for subset in range(len(table)):
        for i in range(len(pieces)):
            piece, least, most = pieces[i, 0], pieces[i, 1], pieces[i, 2]
            if piece & subset:
                continue
            for supers in range(size + 1):
                sizes = table[subset, supers]
                if sizes == 0:
                    continue
                if not is_pure:
                    at = supers + (piece == 0)
                    if at <= size:
                        after[subset | piece, at] |= _with_meld(sizes, least, most, size)
                    continue
                for places in range(least, min(most, size) + 1):
                    at = supers + places - popcount(piece)
                    if at <= size:
                        after[subset | piece, at] |= _with_meld(sizes, places, places, size)
    return after


@kernel
def _fewest_replaced(table: Ints, wild_mask: int, printed: int, size: int) -> int:
    """Return the fewest replacements over all subsets that melds of *size* places can hold."""
    best = np.int64(_NEVER)
    for subset in range(len(table)):
        jokers = printed + popcount(wild_mask & ~subset)
        for supers in range(size + 1):
            if table[subset, supers] >> size & 1:
                best = min(best, max(size - popcount(subset) - jokers, supers))
    return best
