"""What a hand of Indian Rummy is worth: melds, MinScore, MinDist, what to wait for and what to discard.

The values come from the kernels (`minscore`, `mindist`, `target`, `expected_turns`); `wording` says them in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import RANKS, Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.planes import JOKER_BIT
from rummylab.errors import DeckError, NotationError, OptionError
from rummylab.games.indian import wording
from rummylab.games.indian.bulk import rank_of
from rummylab.games.indian.expected_turns import expected_turns
from rummylab.games.indian.mindist import CANNOT_DECLARE, live_outs, min_dist, outs
from rummylab.games.indian.minscore import CAP, MOST_MELDS, grouping, min_score
from rummylab.games.indian.options import SCORE_RULES, IndianOptions
from rummylab.games.indian.target import (
    OWN_AT,
    PRINTED_AT,
    TARGET_SIZE,
    WILDS_ONCE_AT,
    WILDS_TWICE_AT,
    min_dist_live,
    outs_live,
    target,
)

ANY_CARD = (ALL_CARDS, ALL_CARDS, 13)
"""Live cards where anything may come: more than any declaration needs."""
MOST_JOKERS = 4
"""Printed jokers the kernels are made for."""


@dataclass(frozen=True, slots=True)
class Meld:
    """A meld of a grouping or a target: what stands at each place, a joker, or nothing yet (``None``)."""

    kind: str
    """``pure run``, ``run`` or ``group``."""
    places: tuple[Card, ...]
    """The cards the meld consists of, in order."""
    cards: tuple[Card | None, ...]
    """What of the hand stands there: the card itself, a joker in its place, or ``None`` if it is still missing."""

    @property
    def missing(self) -> tuple[Card, ...]:
        """The places that a joker fills."""
        return tuple(place for place, card in zip(self.places, self.cards, strict=True) if card is None)

    def __str__(self) -> str:
        return format(self)

    def __format__(self, spec: str) -> str:
        """Format as ``5s 6s PJ=7s [8s]``: a joker for the seven, the eight missing."""
        words = []
        for place, card in zip(self.places, self.cards, strict=True):
            name = format(place, spec)
            words.append(f"[{name}]" if card is None else name if card == place else f"{format(card, spec)}={name}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Value:
    """What thirteen cards are worth."""

    hand: Hand
    wild: int
    min_score: int
    """What the hand costs if another declares now, at most 80, by the asked rule."""
    min_scores: dict[str, int]
    """MinScore without the cap by both rules, ``paper`` and ``platform``."""
    grouping: tuple[Meld, ...]
    """Melds that leave exactly that score."""
    loose: Hand
    """The cards outside of melds. Jokers among them cost nothing and may join any meld but the pure run."""
    min_dist: int
    """Cards to be replaced before the hand can be declared, if any card may come."""
    min_dist_live: int | None
    """The same if replacements must come from the live cards given; 14 if they do not suffice."""
    target: tuple[Meld, ...]
    """The declaration to play for; empty if there is none."""
    kept: Hand
    """The cards of the hand that are in it."""
    outs: Hand
    """Kinds of cards, among those that can still come, that bring the hand a step nearer in `distance`."""
    n_outs: int
    """How many such cards there are."""
    expected_turns: float | None
    """Expected draws until the hand can be declared; ``None`` if the live cards do not suffice."""

    @property
    def distance(self) -> int:
        """The MinDist that target, outs and expected draws go by: the live one where live cards were given."""
        return self.min_dist if self.min_dist_live is None else self.min_dist_live


@dataclass(frozen=True, slots=True)
class Choice:
    """A discard from fourteen cards, and what is left after it."""

    discard: Card
    left: Value

    @property
    def rank(self) -> tuple[float, ...]:
        """Order of choices: nearest first, then most outs, then least score, then the dearest card."""
        left = self.left
        return left.distance, -left.n_outs, left.min_scores["paper"], -card_value(self.discard, left.wild)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A hand of thirteen cards with its value, or of fourteen with a choice for each kind of discard, best first."""

    hand: Hand
    wild: int
    value: Value
    """Of the thirteen cards, or of what the best discard leaves."""
    choices: tuple[Choice, ...] = ()

    @property
    def is_declaration(self) -> bool:
        """Whether the hand can be declared as it is."""
        return self.value.min_dist == 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        result: dict[str, Any] = {"hand": str(self.hand), "wild": RANKS[self.wild], **_plain(self.value)}
        if self.choices:
            result["discard"] = str(self.choices[0].discard)
            result["choices"] = [{"discard": str(c.discard), **_plain(c.left)} for c in self.choices]
        return result


def _plain(value: Value) -> dict[str, Any]:
    plain = asdict(value) | {
        "grouping": [str(meld) for meld in value.grouping],
        "target": [str(meld) for meld in value.target],
        "missing": [str(card) for meld in value.target for card in meld.missing],
    }
    for name in ("loose", "kept", "outs"):
        plain[name] = str(getattr(value, name))
    del plain["hand"], plain["wild"]
    return plain


@dataclass(frozen=True, slots=True)
class HandReport:
    """An evaluation with the rules and the cards it was made for."""

    result: Evaluation
    options: IndianOptions
    live: Counter[Card]
    """How many copies of each card can still come."""
    dead: tuple[Card, ...]
    """Cards known to be gone."""

    def lines(self, style: str = "unicode") -> list[str]:
        """Return the evaluation as text, with reasons."""
        return wording.lines(self.result, self.live, self.options.score_rule, style)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        options, plain = self.options, self.result.to_dict()
        plain |= {"rules": options.score_rule, "decks": options.decks, "printed_jokers": options.printed_jokers}
        plain["dead"] = [str(card) for card in self.dead]
        plain["waits_for"] = {str(card): self.live[card] for card in self.result.value.outs}
        if self.result.choices:
            plain["discards"] = [str(choice.discard) for choice in wording.best_choices(self.result)]
            plain["why"] = wording.why(self.result, "unicode")
        return plain


def evaluate_text(cards: str, options: IndianOptions, wild: str = "", dead: str = "") -> HandReport:
    """Return what the hand written as *cards* is worth with the rank *wild*, where the cards *dead* are gone.

    Raises:
        OptionError: If the wild rank is missing.
        DeckError: If a card is there more often than in play.
        NotationError: If a text cannot be read.
    """
    if not wild:
        raise OptionError("Indian Rummy needs the wild rank: --wild 3")
    rank, decks, rule = wild_rank(wild), options.decks, options.score_rule
    hand = Hand.parse(cards, decks=decks)
    indicator = wild if len(wild.strip()) > 1 and wild.strip() != "10" else ""
    gone = [Card.parse(word) for word in f"{dead} {indicator}".replace(",", " ").split()]
    _check(hand, rank, decks, options.printed_jokers, None)
    live = _live(hand, gone, options)
    rest = Hand.of(live.elements(), decks=decks) if gone else None
    result = evaluate(hand, rank, decks=decks, printed_jokers=options.printed_jokers, live=rest, score_rule=rule)
    return HandReport(result, options, live, tuple(gone))


def _live(hand: Hand, gone: list[Card], options: IndianOptions) -> Counter[Card]:
    """Return how many copies of each card can still come."""
    there = Counter(Deck.ordered(decks=options.decks, jokers=options.printed_jokers))
    live = Counter(there)
    live.subtract(hand)
    live.subtract(gone)
    for card, n in live.items():
        if n < 0:
            raise DeckError(f"{card} is in the hand or gone {there[card] - n} times, but {there[card]} in play")
    return +live


def card_value(card: Card, wild: int) -> int:
    """Return what *card* counts outside of melds (rules page, row 4)."""
    if card.is_joker or card.rank == wild:
        return 0
    return 10 if card.rank == 0 or card.rank >= 9 else card.rank + 1


def wild_rank(text: str) -> int:
    """Read the wild rank: a rank (``3``, ``10``, ``K``), or the indicator itself (``3c``; ``PJ`` makes aces wild).

    Raises:
        NotationError: *text* is neither a rank nor a card.
    """
    try:
        return rank_of(text)
    except NotationError:
        raise NotationError(f"not a wild rank: {text!r} (one of {RANKS}, or the indicator, such as 3c)") from None


def evaluate(
    hand: Hand,
    wild: int,
    *,
    decks: int = 1,
    printed_jokers: int | None = None,
    live: Hand | None = None,
    score_rule: str = "paper",
) -> Evaluation:
    """Return what 13 or 14 cards are worth with *wild* (0 = ace) as the wild rank.

    *printed_jokers* in play are two a deck unless given. *live* are the cards that can still be had (default: every
    card that the hand does not hold); MinDist is then also given for replacements from these alone. *score_rule*
    is one of `SCORE_RULES`.
    """
    jokers = 2 * decks if printed_jokers is None else printed_jokers
    _check(hand, wild, decks, jokers, live)
    rest = live if live is not None else _rest(hand, decks, jokers)
    if len(hand) == 13:
        return Evaluation(hand, wild, _value(hand, wild, rest, live is not None, score_rule))
    choices = [
        Choice(card, _value(hand - Hand.of([card]), wild, rest, live is not None, score_rule))
        for card in dict.fromkeys(hand)
    ]
    choices.sort(key=lambda choice: choice.rank)
    return Evaluation(hand, wild, choices[0].left, tuple(choices))


def _check(hand: Hand, wild: int, decks: int, jokers: int, live: Hand | None) -> None:
    if decks not in (1, 2):
        raise OptionError(f"Indian Rummy is played with one or two decks, not {decks}")
    if not 0 <= jokers <= MOST_JOKERS:
        raise OptionError(f"there can be 0 to {MOST_JOKERS} printed jokers, not {jokers}")
    if not 0 <= wild < 13:
        raise NotationError(f"no rank {wild}: the wild rank lies between 0 (ace) and 12 (king)")
    if len(hand) not in (13, 14):
        raise DeckError(f"a hand has 13 cards, or 14 before the discard, not {len(hand)}")
    everything = list(hand) + list(live or ())
    for card in sorted(set(everything)):
        n, there = everything.count(card), jokers if card.is_joker else decks
        if n > there:
            where = "in the hand" if live is None else "in the hand and among the live cards"
            in_decks = "one deck is" if decks == 1 else f"{decks} decks are"
            in_play = f"{there} printed joker{'s' * (there != 1)}" if card.is_joker else in_decks
            raise DeckError(f"{card} is {where} {n} times, but {in_play} in play")


def _rest(hand: Hand, decks: int, jokers: int) -> Hand:
    """Return every card that is not in the hand."""
    if decks == 1:
        return Hand(ALL_CARDS & ~hand.mask, 0, jokers - hand.jokers)
    return Hand(ALL_CARDS & ~hand.twice, ALL_CARDS & ~hand.mask, jokers - hand.jokers)


def _value(hand: Hand, wild: int, rest: Hand, only_live: bool, score_rule: str) -> Value:
    planes = (hand.mask, hand.twice, hand.jokers)
    scores = {rule: int(min_score(*planes, wild, number)) for number, rule in enumerate(SCORE_RULES)}
    melds = _grouping(hand, wild, SCORE_RULES.index(score_rule))
    distance = int(min_dist(*planes, wild))
    scratch = np.zeros(TARGET_SIZE, np.int64)
    live = (rest.mask, rest.twice, rest.jokers)
    nearest = int(min_dist_live(*planes, wild, *live, scratch)) if only_live else None
    if nearest is None:
        near, may_come = distance, ANY_CARD
        # With two decks a kind held twice cannot come a third time.
        found = int(outs(*planes, wild, distance, rest.mask & ~hand.twice))
    else:
        near, may_come = nearest, live
        found = int(outs_live(*planes, wild, nearest, *live, scratch))
    aim = _target(hand, wild, near, may_come)
    n_outs = int(live_outs(found, *live))
    return Value(
        hand=hand,
        wild=wild,
        min_score=min(scores[score_rule], CAP),
        min_scores=scores,
        grouping=melds,
        loose=hand - _cards_in(melds),
        min_dist=distance,
        min_dist_live=nearest,
        target=aim,
        kept=_cards_in(aim),
        outs=Hand(found & rest.mask, 0, int(bool(found & JOKER_BIT and rest.jokers))),
        n_outs=n_outs,
        expected_turns=float(expected_turns(near, n_outs, len(rest))) if near < CANNOT_DECLARE else None,
    )


def _cards_in(melds: Iterable[Meld]) -> Hand:
    return Hand.of([card for meld in melds for card in meld.cards if card is not None], decks=2)


def _grouping(hand: Hand, wild: int, rule: int) -> tuple[Meld, ...]:
    out = np.zeros(2 * MOST_MELDS, np.int64)
    n = int(grouping(hand.mask, hand.twice, hand.jokers, wild, rule, out))
    pairs = [(int(out[k]), int(out[k + MOST_MELDS])) for k in range(n)]
    used = Hand.of([Card(card) for _, own in pairs for card in to_ids(own)], decks=2)
    jokers = [card for card in hand - used if card.is_joker or card.rank == wild]
    return _melds(pairs, jokers)


def _target(hand: Hand, wild: int, distance: int, live: tuple[int, int, int]) -> tuple[Meld, ...]:
    if distance >= CANNOT_DECLARE:
        return ()
    out = np.zeros(TARGET_SIZE, np.int64)
    found = target(hand.mask, hand.twice, hand.jokers, wild, distance, *live, out)
    assert found, "a declaration lies at the distance that MinDist says"
    pairs = [(int(out[k]), int(out[OWN_AT + k])) for k in range(4) if out[k]]
    fillers = Hand(int(out[WILDS_ONCE_AT]), int(out[WILDS_TWICE_AT]), int(out[PRINTED_AT]))
    return _melds(pairs, list(fillers))


def _melds(pairs: list[tuple[int, int]], jokers: list[Card]) -> tuple[Meld, ...]:
    """Put melds, given as places and the hand's cards there, into words, *jokers* at free places but the pure run's."""
    melds = []
    for k, (places, own) in enumerate(pairs):
        cards: list[Card | None] = []
        order = _in_order(places)
        for place in order:
            if own >> place.id & 1:
                cards.append(place)
            else:
                cards.append(jokers.pop() if k > 0 and jokers else None)
        is_group = len({place.rank for place in order}) == 1
        melds.append(Meld("pure run" if k == 0 else "group" if is_group else "run", order, tuple(cards)))
    return tuple(melds)


def _in_order(places: int) -> tuple[Card, ...]:
    """Return the cards of a meld as they are laid out: an ace beside a king comes last."""
    cards = [Card(card) for card in to_ids(places)]
    if cards[0].rank == 0 and cards[-1].rank == 12 and cards[0].suit == cards[-1].suit:
        cards = [*cards[1:], cards[0]]
    return tuple(cards)
