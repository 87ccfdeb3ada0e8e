"""Keats: every card has a score; take the up-card if its score is above zero, throw or pass the highest card.

Source: James Keats, "Artificial Opponents - Gin Rummy - Code Report". A card's *deadwood value* is v; *unseen* are the
cards that might be in the deck: not in the own hand, never face up, not passed on by us; D is their number.

Policy. Draw: 20 if the up-card completes a meld, 9 if it is a six to nine, less v, less 1 late in the game, less 1000
if the discard rule would throw it at once; take it if that is above zero. Discard and pass: strip the melds; each
card left scores v, and in a pair -v/2, -v/(D/2) or +v/2 as two, one or none of the other two are unseen; in a partial
run -v/3 if a card that completes it is unseen, else +3v/4; +3v/4 if the next opponent just discarded its rank, +v if a
neighbour in rank. The highest goes. Knock as soon as possible.

What the report leaves open, and how it is read here (rules page, "The AI, restated"):

- Melds are those of the first arrangement of least deadwood (:func:`rummylab.games.gin.melds.arrangement`).
- "Late" is D < 35, from the author's notes: "deck < 35".
- "In the deck" is unseen: the AI cannot tell the stock from other hands.
- A neighbour of "a different suit" makes no run. `keats` reads "the same suit", as the whiteboard does;
  `keats-whiteboard` has the whiteboard's numbers.
- With two seats the next opponent's last discard is the up-card itself. The restatement says "has the same rank", as
  a card has with itself: so an up-card that melds nothing looks more useless once it is taken. The report's "in a
  different suit" is the other reading (``own_sign=0``); it takes more such cards and is weaker.
- `keats-as-written` keeps the report's words in both places; `keats-different-suit` only for the neighbour.
- Ties go to the higher value, then rank, then suit. If all is melded, the card goes that keeps deadwood lowest.
- The score chooses the card; knock if what is left allows it. ``knock_with_any=1`` also looks for another card to knock
  with.

Departures: none. Measured in docs/agents/gin-course.md.

par: see :class:`~rummylab.agents.gin_course.keats_options.KeatsOptions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rummylab._jit import helper, kernel, kernel_of
from rummylab.agents.gin_course import keats_options as o
from rummylab.beliefs.fuzzy import Floats, FuzzyCards
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, highest, lowest, points, popcount, ranks_of
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Event
from rummylab.engine.seats import Seat
from rummylab.games.gin.melds import arrangement, best_discards
from rummylab.games.gin_course.game import GinCourseObservation
from rummylab.games.gin_course.rules import (
    ACT,
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    KNOCK_CODE,
    PASS,
    PASS_CODE,
    TAKE_UP_CARD,
    can_knock,
    next_seat,
    unseen,
)

OPTION_NAMES = o.NAMES
_ANY_RUN = 13
_NEAR = 1e-4  # scores nearer than this are equal: the least real difference is 1/492, float32 errs by 1e-6


# --- The report's utility functions -------------------------------------------------------------------------------
# A card is an id, several cards are a mask.


@helper
def strip_melds(hand: int) -> int:
    """Return the cards of *hand* outside its melds (``cloneAndStripMelds``)."""
    _, first, second, third = arrangement(hand, _ANY_RUN, np.int64(0))
    return hand & ~(first | second | third)


@helper
def is_in_meld(card: int, hand: int) -> bool:
    return strip_melds(hand) & bit(card) == 0


@helper
def same_rank(card: int) -> int:
    """Return the four cards of the rank."""
    return EACH_SUIT << (card & 15)


@helper
def neighbours(cards: int) -> int:
    """Return the cards next to *cards* in their suits."""
    return ((cards << 1) | (cards >> 1)) & ALL_CARDS & ~cards


@helper
def is_in_pair(card: int, hand: int) -> bool:
    return popcount(hand & same_rank(card)) > 1


@helper
def is_in_partial_run(card: int, hand: int) -> bool:
    return hand & neighbours(bit(card)) != 0


@helper
def might_exist_in_deck(cards: int, unseen: int) -> int:
    """Return how many of *cards* might be in the deck."""
    return popcount(cards & unseen)


@helper
def deadwood_value(card: int) -> int:
    return points(bit(card))


@helper
def pair_missing_two(card: int, hand: int) -> int:
    """Return the cards that would make a group of the pair of *card*."""
    return same_rank(card) & ~hand


@helper
def run_missing_two(card: int, hand: int) -> int:
    """Return the cards that would complete the partial run of *card*; at the ends of a suit there is only one."""
    return neighbours(bit(card) | hand & neighbours(bit(card)))


# --- Scores -------------------------------------------------------------------------------------------------------
# *last* is the last discard of the next opponent, or -1. The terms are what explanations show.


@helper
def pair_term(card: int, hand: int, unseen: int, par: Floats) -> float:
    """Return by how much a pair changes the score, as a share of the deadwood value."""
    if not is_in_pair(card, hand):
        return 0.0
    n = might_exist_in_deck(pair_missing_two(card, hand), unseen)
    if n == 0:
        return par[o.PAIR_OF_NONE]
    if n == 1:
        return -par[o.PAIR_OF_ONE] / (popcount(unseen) / 2)
    return -par[o.PAIR_OF_TWO]


@helper
def run_term(card: int, hand: int, unseen: int, par: Floats) -> float:
    """Return by how much a partial run changes the score, as a share of the deadwood value."""
    if not is_in_partial_run(card, hand):
        return 0.0
    return -par[o.RUN_OF_SOME] if might_exist_in_deck(run_missing_two(card, hand), unseen) else par[o.RUN_OF_NONE]


@helper
def same_rank_term(card: int, last: int, par: Floats) -> float:
    is_same = last >= 0 and last & 15 == card & 15 and (last != card or par[o.OWN_SIGN] != 0)
    return par[o.SAME_RANK] if is_same else 0.0


@helper
def next_rank_term(card: int, last: int, par: Floats) -> float:
    if last < 0 or abs((last & 15) - (card & 15)) != 1:
        return 0.0
    is_other_suit = last >> 4 != card >> 4
    return par[o.NEXT_RANK] if is_other_suit == (par[o.NEXT_SUIT] == o.DIFFERENT) else 0.0


@helper
def discard_terms(
    card: int, loose: int, unseen: int, last: int, par: Floats
) -> tuple[float, float, float, float, float]:
    """Return what the discard score of *card* is made of: value, pair, partial run, and the two signs of *last*."""
    value = np.float64(deadwood_value(card))
    return (
        value,
        value * pair_term(card, loose, unseen, par),
        value * run_term(card, loose, unseen, par),
        value * same_rank_term(card, last, par),
        value * next_rank_term(card, last, par),
    )


@helper
def discard_score(card: int, loose: int, unseen: int, last: int, par: Floats) -> float:
    value, pair, run, same, near = discard_terms(card, loose, unseen, last, par)
    return value + pair + run + same + near


@helper
def highest_card(cards: int) -> int:
    """Return the card of the highest value, then rank, then suit, of the non-empty *cards*."""
    return highest(cards & (EACH_SUIT << highest(ranks_of(cards))))


@helper
def cheapest_card(hand: int) -> int:
    """Return the card whose loss keeps deadwood lowest."""
    cards, _ = best_discards(hand, hand)
    return highest_card(cards)


@helper
def card_to_throw(hand: int, unseen: int, last: int, par: Floats) -> int:
    """Return the card of *hand* to discard or to pass: of the highest score."""
    loose = strip_melds(hand)
    if loose == 0:
        return cheapest_card(hand)
    left = loose
    best = -np.inf
    chosen = np.int64(0)
    while left:
        card = lowest(left)
        left &= left - 1
        score = discard_score(card, loose, unseen, last, par)
        if score > best + _NEAR:
            best = score
            chosen = bit(card)
        elif score > best - _NEAR:
            chosen |= bit(card)
    return highest_card(chosen)


@helper
def draw_terms(hand: int, up: int, unseen: int, last: int, par: Floats) -> tuple[float, float, float, float, float]:
    """Return what the score of taking *up* is made of: meld, mid-range, value, late in the game, thrown at once."""
    with_it = hand | bit(up)
    rank = (up & 15) + 1
    return (
        par[o.MELD] if is_in_meld(up, with_it) else 0.0,
        par[o.MID_RANGE] if par[o.MID_FROM] <= rank <= par[o.MID_TO] else 0.0,
        -np.float64(deadwood_value(up)),
        -par[o.LATE] if popcount(unseen) < par[o.LATE_BELOW] else 0.0,
        -par[o.DROPPED] if card_to_throw(with_it, unseen, last, par) == up else 0.0,
    )


@helper
def takes(hand: int, up: int, unseen: int, last: int, par: Floats) -> bool:
    meld, mid_range, value, late, dropped = draw_terms(hand, up, unseen, last, par)
    return meld + mid_range + value + late + dropped > 0


# --- Decisions ----------------------------------------------------------------------------------------------------


@helper
def throw_or_knock(table: np.void, mine: np.void, card: int) -> int:
    """Return the move that throws *card*: with a knock if that is possible."""
    return (KNOCK_CODE if can_knock(table, mine, card) else DISCARD_CODE) + card


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    hidden = unseen(table, mine)
    last = np.int64(table.last_discard[next_seat(table, mine.seat)])
    if table.phase == DRAW:
        return TAKE_UP_CARD if takes(mine.hand, np.int64(table.up), hidden, last, par) else DRAW_STOCK
    card = card_to_throw(mine.hand, hidden, last, par)
    if table.phase == PASS:
        return PASS_CODE + card
    if par[o.KNOCK_WITH_ANY] and can_knock(table, mine, cheapest_card(mine.hand)):
        card = cheapest_card(mine.hand)
    return throw_or_knock(table, mine, card)


# --- The report's classes: the game as a seat has seen it, event by event -----------------------------------------
# Nothing is scored here: the view asks the functions above, through these.


@kernel
def _takes(hand: int, up: int, unseen: int, last: int, par: Floats) -> bool:
    return takes(hand, up, unseen, last, par)


@kernel
def _card_to_throw(hand: int, unseen: int, last: int, par: Floats) -> int:
    return card_to_throw(hand, unseen, last, par)


@kernel
def _draw_terms(hand: int, up: int, unseen: int, last: int, par: Floats) -> tuple[float, float, float, float, float]:
    return draw_terms(hand, up, unseen, last, par)


@kernel
def _discard_terms(
    card: int, hand: int, unseen: int, last: int, par: Floats
) -> tuple[float, float, float, float, float]:
    return discard_terms(card, strip_melds(hand), unseen, last, par)


@kernel
def _strip_melds(hand: int) -> int:
    return strip_melds(hand)


class DrawScore(NamedTuple):
    """Where the score of taking the up-card comes from."""

    up_card: Card
    meld: float
    mid_range: float
    value: float
    late: float
    dropped: float

    @property
    def total(self) -> float:
        return sum(self[1:])

    def __str__(self) -> str:
        return _in_words(self)


class DiscardScore(NamedTuple):
    """Where the score of throwing or passing a card comes from."""

    card: Card
    value: float
    pair: float
    partial_run: float
    same_rank: float
    next_rank: float

    @property
    def total(self) -> float:
        return sum(self[1:])

    def __str__(self) -> str:
        return _in_words(self)


def _in_words(score: DrawScore | DiscardScore) -> str:
    """Return a line such as ``7h 3.5 = value +7 pair -3.5``; terms of nothing are left out."""
    terms = zip(score._fields[1:], score[1:], strict=True)
    told = " ".join(f"{name.replace('_', ' ')} {points:+.4g}" for name, points in terms if points)
    return f"{score[0]} {score.total:.4g} = {told}"


class DiscardPile:
    """The discard pile (``AIDiscardPile``): a stack that knows who threw what."""

    def __init__(self) -> None:
        self.cards: list[Card] = []
        self._last: dict[Seat, Card] = {}

    def __contains__(self, card: Card) -> bool:
        return card in self.cards

    @property
    def top(self) -> Card | None:
        return self.cards[-1] if self.cards else None

    def push(self, card: Card, seat: Seat) -> None:
        self.cards.append(card)
        self._last[seat] = card

    def pop(self) -> Card:
        return self.cards.pop()

    def last_discard(self, seat: Seat) -> Card | None:
        """Return the most recent discard of *seat*, also if somebody has taken it since."""
        return self._last.get(seat)


class GameView:
    """All that a seat has seen of a hand (``AIGameView``), and what it would do.

    The report's events are ours: CardPlayedEvent is ``discard`` and ``knock``, CardDrawnEvent ``draw stock`` and ``draw
    upcard``, CardPassedEvent ``pass`` and ``receive``. Its requests are the questions :meth:`takes` (DrawCardRequest)
    and :meth:`card_to_throw` (DiscardRequest, PassCardRequest).
    """

    def __init__(self, seat: Seat, seats: int, passes_to: Seat, par: Sequence[float] = o.KeatsOptions().par) -> None:
        self.seat, self.passes_to = seat, passes_to
        self.next_seat = Seat((seat + 1) % seats)
        self.par = np.array(par, np.float32)
        self.hand, self.passed = Hand(), Hand()
        self.opponents = {Seat(other): FuzzyCards() for other in range(seats) if other != seat}
        self.deck = FuzzyCards()
        self.pile = DiscardPile()

    @classmethod
    def of(cls, seen: GinCourseObservation, par: Sequence[float] = o.KeatsOptions().par) -> GameView:
        """Return the view of who made the observation *seen*, from its events."""
        view = cls(seen.seat, seen.rules.seats, seen.passes_to, par)
        for event in seen.log:
            view.hear(event)
        return view

    # Events.

    def hear(self, event: Event) -> None:
        """Take in what happened; cards that are not ours to see are missing from it."""
        verb, is_mine = event.action.verb, event.seat == self.seat
        cards = event.secret or event.action.cards
        if verb in ("deal", "pass", "receive") and is_mine:
            {"deal": self._dealt, "pass": self._pass, "receive": self._handed_over}[verb](Hand.of(cards))
        elif verb == "turn up":
            self.deck = self.deck.loses(cards[0])
            self._shown(cards[0], event.seat)
        elif verb == "draw stock":
            self._drew_stock(event.seat, cards[0] if is_mine else None)
        elif verb == "draw upcard":
            self._gains(event.seat, self.pile.pop())
        elif verb in ("discard", "knock"):
            self._loses(event.seat, cards[0])
            self._shown(cards[0], event.seat)

    def _dealt(self, hand: Hand) -> None:
        rest = Hand(ALL_CARDS) - hand
        self.hand = hand
        self.opponents = {seat: FuzzyCards(possible=rest, size=len(hand)) for seat in self.opponents}
        self.deck = FuzzyCards(possible=rest, size=len(rest) - len(self.opponents) * len(hand))

    def _pass(self, card: Hand) -> None:
        self.passed = card

    def _handed_over(self, received: Hand) -> None:
        """All cards change hands together; we know the one that we gave and the one that we got."""
        (given,), (got,) = self.passed, received
        for seat, cards in self.opponents.items():
            self.opponents[seat] = cards.loses().gains(given if seat == self.passes_to else None)
        self._loses(self.seat, given)
        self._gains(self.seat, got)
        self._rule_out(got)

    def _drew_stock(self, seat: Seat, card: Card | None) -> None:
        self.deck = self.deck.loses(card)
        self._gains(seat, card)
        if card is not None:
            self._rule_out(card)

    def _gains(self, seat: Seat, card: Card | None) -> None:
        if seat == self.seat:
            self.hand = Hand.of([*self.hand, *([card] if card else [])])
        else:
            self.opponents[seat] = self.opponents[seat].gains(card)

    def _loses(self, seat: Seat, card: Card) -> None:
        if seat == self.seat:
            self.hand -= Hand.of([card])
        else:
            self.opponents[seat] = self.opponents[seat].loses(card)

    def _shown(self, card: Card, seat: Seat) -> None:
        self.pile.push(card, seat)
        self._rule_out(card)

    def _rule_out(self, card: Card) -> None:
        self.deck = self.deck.rules_out(card)
        self.opponents = {seat: cards.rules_out(card) for seat, cards in self.opponents.items()}

    # Requests.

    @property
    def _scene(self) -> tuple[int, int, Floats]:
        """What every score depends on besides the hand: unseen cards, the next opponent's last discard, the numbers."""
        last = self.pile.last_discard(self.next_seat)
        return self.deck.possible.mask, last.id if last else -1, self.par

    def takes(self) -> bool:
        """Return whether to take the up-card."""
        return self.pile.top is not None and bool(_takes(self.hand.mask, self.pile.top.id, *self._scene))

    def card_to_throw(self) -> Card:
        """Return the card to discard or to pass."""
        return Card(int(_card_to_throw(self.hand.mask, *self._scene)))

    def draw_score(self) -> DrawScore:
        """Return the score of taking the up-card, item by item."""
        up = self.pile.cards[-1]
        return DrawScore(up, *_draw_terms(self.hand.mask, up.id, *self._scene))

    def discard_scores(self) -> list[DiscardScore]:
        """Return the score of every card outside melds, item by item, the highest first; none if all is melded."""
        loose = Hand(int(_strip_melds(self.hand.mask)))
        scores = [DiscardScore(card, *_discard_terms(card.id, self.hand.mask, *self._scene)) for card in loose]
        return sorted(scores, key=lambda score: (round(score.total, 3), score.card.rank, score.card.suit), reverse=True)


def explain(seen: GinCourseObservation, par: Sequence[float] = o.KeatsOptions().par) -> list[str]:
    """Return why Keats' AI does what it does, a line for each score: of the up-card, or of the cards to throw."""
    view = GameView.of(seen, par)
    return [str(score) for score in ([view.draw_score()] if seen.phase == "draw" else view.discard_scores())]
