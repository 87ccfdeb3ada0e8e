"""Keats: every card has a score; take the upcard if its score is above zero, discard or pass the card with the highest.

Source: James Keats, "Artificial Opponents - Gin Rummy - Code Report". Below, v is a card's *deadwood value*; *unseen*
cards are those that might be in the deck: not in the player's own hand, never face up, not passed on by the player; D
is their number.

Policy. Draw: 20 if the upcard completes a meld, 9 if it is a six to nine, less v, less 1 late in the game, less 1000 if
the discard rule would throw it away at once; take it if the sum is above zero. Discard and pass: strip the melds; each
card left scores v, and in a pair -v/2, -v/(D/2) or +v/2 as two, one or none of the other two are unseen; in a partial
run -v/3 if a card that completes it is unseen, else +3v/4; +3v/4 if the next opponent just discarded its rank, +v if
they discarded a neighbor in rank. The highest score goes. Knock as soon as possible.

What the report leaves open, and how it is read here (rules page, "The AI, restated"):

- Melds are those of the first arrangement with the least deadwood (:func:`rummylab.games.gin.melds.arrangement`).
- "Late" is D < 35, from the author's notes: "deck < 35".
- "In the deck" means unseen: the AI cannot tell the stock from other hands.
- A neighbor of "a different suit" makes no run. `keats` reads "the same suit", as the whiteboard does;
  `keats-whiteboard` has the whiteboard's numbers.
- With two seats the next opponent's last discard is the upcard itself. The restatement says "has the same rank", as
  a card has with itself: so an upcard that melds nothing looks more useless once it is taken. The report's "in a
  different suit" is the other reading (``own_sign=0``); it takes more such cards and is weaker.
- `keats-as-written` keeps the report's words in both places; `keats-different-suit` only for the neighbor.
- Ties go to the higher value, then rank, then suit. If everything is melded, the discard is the card that keeps
  deadwood lowest.
- The score chooses the card; the agent knocks if what is left allows it. ``knock_with_any=1`` also looks for another
  card to knock with.

Departures: none. Measured in docs/agents/gin_pass.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rummylab._jit import helper, kernel
from rummylab.agents.gin_pass.common import draw_code, throw_or_knock
from rummylab.agents.register import Variant, register_agent
from rummylab.beliefs.fuzzy import FuzzyCards
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, highest, lowest, points, popcount, ranks_of
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cards.melds import arrangement, best_discards
from rummylab.engine.action import Event
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.engine.seats import Seat
from rummylab.games.gin_pass.rules import (
    DRAW,
    PASS,
    PASS_CODE,
    can_knock,
    next_seat,
    unseen,
)

if TYPE_CHECKING:
    from rummylab.games.gin_pass.view import GinPassObservation

SAME, DIFFERENT = range(2)
"""Values of ``next_suit``."""


@dataclass(frozen=True, kw_only=True)
class KeatsOptions(AgentOptions):
    """Options of Keats' AI. The defaults are the report's numbers, with a run's neighbor in the same suit (`keats`).

    Those of the draw are points; those of the discard are shares of a card's deadwood value.
    """

    meld: float = option(20.0, "Draw: added if the upcard completes a meld.")
    mid_range: float = option(9.0, "Draw: added if the upcard's rank is from mid_from to mid_to.")
    mid_from: float = option(6.0, "Draw: the lowest rank that is mid-range.")
    mid_to: float = option(9.0, "Draw: the highest rank that is mid-range.")
    late: float = option(1.0, "Draw: subtracted late in the game.")
    late_below: float = option(35.0, "Draw: it is late with fewer unseen cards than this.")
    dropped: float = option(1000.0, "Draw: subtracted if the discard rule would throw the upcard away at once.")
    pair_of_two: float = option(1 / 2, "Discard, pair: subtracted if both other cards of the rank are unseen.")
    pair_of_one: float = option(
        1.0, "Discard, pair: subtracted if one is unseen, divided by half the number of unseen cards."
    )
    pair_of_none: float = option(1 / 2, "Discard, pair: added if none is unseen.")
    run_of_some: float = option(1 / 3, "Discard, partial run: subtracted if a card that completes it is unseen.")
    run_of_none: float = option(3 / 4, "Discard, partial run: added if no card that completes it is unseen.")
    same_rank: float = option(3 / 4, "Discard: added if the next opponent just discarded a card of the same rank.")
    next_rank: float = option(1.0, "Discard: added if the next opponent just discarded a neighbor in rank.")
    next_suit: int = option(
        SAME, "Discard: the suit of such a neighbor: 0 the same, 1 a different one.", low=SAME, high=DIFFERENT
    )
    own_sign: bool = option(
        True, "Discard: 0 if the next opponent's last discard, once taken, does not count against itself."
    )
    knock_with_any: bool = option(
        False, "1 to knock also with a card that does not have the highest score, if only that allows it."
    )


P = KeatsOptions.indices()
REPORT = KeatsOptions()
AS_WRITTEN = KeatsOptions(next_suit=DIFFERENT, own_sign=False)
"""The report to the letter: "a card of the same value in a different suit", so a card does not count against itself,
and "a card of a different suit plus or minus one value"."""
DIFFERENT_SUIT = KeatsOptions(next_suit=DIFFERENT)
"""The reading behind two figures of the rules page: a neighbor in a different suit, but any card of the rank counts."""
WHITEBOARD = KeatsOptions(mid_to=8, pair_of_none=2, run_of_none=1.25, same_rank=1, next_rank=0.75)
"""The numbers on the author's whiteboard, from before the report."""
TUNED = KeatsOptions(
    mid_range=0,
    pair_of_two=0.45,
    pair_of_one=4.9,
    pair_of_none=-0.08,
    run_of_some=0.42,
    run_of_none=0.18,
    same_rank=0.19,
    next_rank=0.11,
    knock_with_any=True,
)
"""Ours: ``rummylab tune gin_pass keats --trials 150 --games 800 --seed 1 --fix knock_with_any=1 --against melder``,
rounded. The draw it found takes only upcards that meld, which ``mid_range=0`` says plainly."""
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
    """Return whether *card* is left out of the deadwood by the melds of *hand*."""
    return strip_melds(hand) & bit(card) == 0


@helper
def same_rank(card: int) -> int:
    """Return the four cards of the rank."""
    return EACH_SUIT << (card & 15)


@helper
def neighbors(cards: int) -> int:
    """Return the cards next to *cards* in their suits."""
    return ((cards << 1) | (cards >> 1)) & ALL_CARDS & ~cards


@helper
def is_in_pair(card: int, hand: int) -> bool:
    """Return whether *hand* has another card of the rank of *card*."""
    return popcount(hand & same_rank(card)) > 1


@helper
def is_in_partial_run(card: int, hand: int) -> bool:
    """Return whether *hand* has a neighbor of *card* in its suit."""
    return hand & neighbors(bit(card)) != 0


@helper
def might_exist_in_deck(cards: int, unseen: int) -> int:
    """Return how many of *cards* might be in the deck."""
    return popcount(cards & unseen)


@helper
def deadwood_value(card: int) -> int:
    """Return the deadwood points of *card*."""
    return points(bit(card))


@helper
def pair_missing_two(card: int, hand: int) -> int:
    """Return the cards that would make a group of the pair of *card*."""
    return same_rank(card) & ~hand


@helper
def run_missing_two(card: int, hand: int) -> int:
    """Return the cards that would complete the partial run of *card*; at the ends of a suit there is only one."""
    return neighbors(bit(card) | hand & neighbors(bit(card)))


# --- Scores -------------------------------------------------------------------------------------------------------
# *last* is the last discard of the next opponent, or -1. Explanations show the terms.


@helper
def pair_term(card: int, hand: int, unseen: int, params: Params) -> float:
    """Return by how much a pair changes the score, as a share of the deadwood value."""
    if not is_in_pair(card, hand):
        return 0.0
    n = might_exist_in_deck(pair_missing_two(card, hand), unseen)
    if n == 0:
        return params[P.pair_of_none]
    if n == 1:
        return -params[P.pair_of_one] / (popcount(unseen) / 2)
    return -params[P.pair_of_two]


@helper
def run_term(card: int, hand: int, unseen: int, params: Params) -> float:
    """Return by how much a partial run changes the score, as a share of the deadwood value."""
    if not is_in_partial_run(card, hand):
        return 0.0
    return -params[P.run_of_some] if might_exist_in_deck(run_missing_two(card, hand), unseen) else params[P.run_of_none]


@helper
def same_rank_term(card: int, last: int, params: Params) -> float:
    """Return what discarding *card* scores for its rank: the next opponent last discarded the same one, or not."""
    is_same = last >= 0 and last & 15 == card & 15 and (last != card or params[P.own_sign] != 0)
    return params[P.same_rank] if is_same else 0.0


@helper
def next_rank_term(card: int, last: int, params: Params) -> float:
    """Return what discarding *card* scores for its rank: the next opponent last discarded a neighbor, or not."""
    if last < 0 or abs((last & 15) - (card & 15)) != 1:
        return 0.0
    is_other_suit = last >> 4 != card >> 4
    return params[P.next_rank] if is_other_suit == (params[P.next_suit] == DIFFERENT) else 0.0


@helper
def discard_terms(
    card: int, loose: int, unseen: int, last: int, params: Params
) -> tuple[float, float, float, float, float]:
    """Return the terms of the discard score of *card*: value, pair, partial run, and the two signs of *last*."""
    value = np.float64(deadwood_value(card))
    return (
        value,
        value * pair_term(card, loose, unseen, params),
        value * run_term(card, loose, unseen, params),
        value * same_rank_term(card, last, params),
        value * next_rank_term(card, last, params),
    )


@helper
def discard_score(card: int, loose: int, unseen: int, last: int, params: Params) -> float:
    """Return the sum of the `discard_terms`."""
    value, pair, run, same, near = discard_terms(card, loose, unseen, last, params)
    return value + pair + run + same + near


@helper
def highest_card(cards: int) -> int:
    """Return the card with the highest value, then rank, then suit, among the non-empty *cards*."""
    return highest(cards & (EACH_SUIT << highest(ranks_of(cards))))


@helper
def cheapest_card(hand: int) -> int:
    """Return the card whose loss keeps deadwood lowest."""
    cards, _ = best_discards(hand, hand)
    return highest_card(cards)


@helper
def card_to_throw(hand: int, unseen: int, last: int, params: Params) -> int:
    """Return the card of *hand* to discard or to pass: the one with the highest score."""
    loose = strip_melds(hand)
    if loose == 0:
        return cheapest_card(hand)
    left = loose
    best = -np.inf
    chosen = np.int64(0)
    while left:
        card = lowest(left)
        left &= left - 1
        score = discard_score(card, loose, unseen, last, params)
        if score > best + _NEAR:
            best = score
            chosen = bit(card)
        elif score > best - _NEAR:
            chosen |= bit(card)
    return highest_card(chosen)


@helper
def draw_terms(hand: int, up: int, unseen: int, last: int, params: Params) -> tuple[float, float, float, float, float]:
    """Return the terms of the score of taking *up*: meld, mid-range, value, late in the game, thrown away at once."""
    with_it = hand | bit(up)
    rank = (up & 15) + 1
    return (
        params[P.meld] if is_in_meld(up, with_it) else 0.0,
        params[P.mid_range] if params[P.mid_from] <= rank <= params[P.mid_to] else 0.0,
        -np.float64(deadwood_value(up)),
        -params[P.late] if popcount(unseen) < params[P.late_below] else 0.0,
        -params[P.dropped] if card_to_throw(with_it, unseen, last, params) == up else 0.0,
    )


@helper
def takes(hand: int, up: int, unseen: int, last: int, params: Params) -> bool:
    """Return whether the sum of the `draw_terms` is above zero."""
    meld, mid_range, value, late, dropped = draw_terms(hand, up, unseen, last, params)
    return meld + mid_range + value + late + dropped > 0


# --- Decisions ----------------------------------------------------------------------------------------------------


_SOURCE = "Keats, code report"


@register_agent(
    game="gin_pass",
    name="keats",
    summary="Scores every card: takes an upcard that scores above zero, discards or passes the highest, knocks at once",
    source=f"{_SOURCE}, with a neighbor in the same suit",
    options=REPORT,
    variants={
        "keats-as-written": Variant(
            summary="Keats' AI to the letter: a neighbor in a different suit; a taken upcard is no sign against itself",
            source=_SOURCE,
            options=AS_WRITTEN,
        ),
        "keats-different-suit": Variant(
            summary="Keats' AI with a neighbor in a different suit; a taken upcard is a sign against itself",
            source=f"{_SOURCE}, the reading behind two figures of the rules page",
            options=DIFFERENT_SUIT,
        ),
        "keats-whiteboard": Variant(
            summary="Keats' AI with the numbers on the author's whiteboard",
            source=f"{_SOURCE}, the pictures",
            options=WHITEBOARD,
        ),
        "keats-tuned": Variant(
            summary="Keats' AI with our tuned numbers; knocks with any card that allows it",
            source=f"{_SOURCE}, re-tuned",
            options=TUNED,
        ),
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Score the upcard or the cards to discard or pass; knock as soon as possible."""
    hidden = unseen(table, mine)
    last = np.int64(table.last_discard[next_seat(table, mine.seat)])
    if table.phase == DRAW:
        return draw_code(takes(mine.hand, np.int64(table.up), hidden, last, params))
    card = card_to_throw(mine.hand, hidden, last, params)
    if table.phase == PASS:
        return PASS_CODE + card
    if params[P.knock_with_any] and can_knock(table, mine, cheapest_card(mine.hand)):
        card = cheapest_card(mine.hand)
    return throw_or_knock(table, mine, card)


# --- The report's classes: the game as a seat has seen it, event by event -----------------------------------------
# Nothing is scored here: the view calls the functions above, through these.


@kernel
def _takes(hand: int, up: int, unseen: int, last: int, params: Params) -> bool:
    return takes(hand, up, unseen, last, params)


@kernel
def _card_to_throw(hand: int, unseen: int, last: int, params: Params) -> int:
    return card_to_throw(hand, unseen, last, params)


@kernel
def _draw_terms(hand: int, up: int, unseen: int, last: int, params: Params) -> tuple[float, float, float, float, float]:
    return draw_terms(hand, up, unseen, last, params)


@kernel
def _discard_terms(
    card: int, hand: int, unseen: int, last: int, params: Params
) -> tuple[float, float, float, float, float]:
    return discard_terms(card, strip_melds(hand), unseen, last, params)


@kernel
def _strip_melds(hand: int) -> int:
    return strip_melds(hand)


class DrawScore(NamedTuple):
    """The score of taking the upcard, term by term."""

    up_card: Card
    meld: float
    mid_range: float
    value: float
    late: float
    dropped: float

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return sum(self[1:])

    def __str__(self) -> str:
        return _in_words(self)


class DiscardScore(NamedTuple):
    """The score of discarding or passing a card, term by term."""

    card: Card
    value: float
    pair: float
    partial_run: float
    same_rank: float
    next_rank: float

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return sum(self[1:])

    def __str__(self) -> str:
        return _in_words(self)


def _in_words(score: DrawScore | DiscardScore) -> str:
    """Return a line such as ``7h 3.5 = value +7 pair -3.5``; terms of zero are left out."""
    terms = zip(score._fields[1:], score[1:], strict=True)
    words = " ".join(f"{name.replace('_', ' ')} {points:+.4g}" for name, points in terms if points)
    return f"{score[0]} {score.total:.4g} = {words}"


class DiscardPile:
    """The discard pile (``AIDiscardPile``): a stack that remembers who discarded what."""

    def __init__(self) -> None:
        self.cards: list[Card] = []
        self._last: dict[Seat, Card] = {}

    def __contains__(self, card: Card) -> bool:
        return card in self.cards

    @property
    def top(self) -> Card | None:
        """The upcard, or None."""
        return self.cards[-1] if self.cards else None

    def push(self, card: Card, seat: Seat) -> None:
        """Put *card*, discarded by *seat*, on the pile."""
        self.cards.append(card)
        self._last[seat] = card

    def pop(self) -> Card:
        """Take the upcard off the pile."""
        return self.cards.pop()

    def last_discard(self, seat: Seat) -> Card | None:
        """Return the most recent discard of *seat*, even if another player has taken it since."""
        return self._last.get(seat)


class GameView:
    """Everything a seat has seen of a hand (``AIGameView``), and what it would do.

    The report's events are ours: CardPlayedEvent is ``discard`` and ``knock``, CardDrawnEvent ``draw stock`` and ``draw
    upcard``, CardPassedEvent ``pass`` and ``receive``. Its requests are the questions :meth:`takes` (DrawCardRequest)
    and :meth:`card_to_throw` (DiscardRequest, PassCardRequest).
    """

    def __init__(self, seat: Seat, seats: int, passes_to: Seat, options: KeatsOptions = REPORT) -> None:
        self.seat, self.passes_to = seat, passes_to
        self.next_seat = Seat((seat + 1) % seats)
        self.params: Params = np.array(options.params, np.float32)
        self.hand, self.passed = Hand(), Hand()
        self.opponents = {Seat(other): FuzzyCards() for other in range(seats) if other != seat}
        self.deck = FuzzyCards()
        self.pile = DiscardPile()

    @classmethod
    def of(cls, seen: GinPassObservation, options: KeatsOptions = REPORT) -> GameView:
        """Return the view of the seat that *seen* belongs to, from its events."""
        view = cls(seen.seat, seen.rules.seats, seen.passes_to, options)
        for event in seen.log:
            view.hear(event)
        return view

    # Events.

    def hear(self, event: Event) -> None:
        """Take note of *event*, which lacks the cards that this seat may not see."""
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
        """Exchange the passed cards, all at once; this seat knows the one it gave and the one it got."""
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
    def _scene(self) -> tuple[int, int, Params]:
        """What every score depends on besides the hand: unseen cards, the next opponent's last discard, the options."""
        last = self.pile.last_discard(self.next_seat)
        return self.deck.possible.mask, last.id if last else -1, self.params

    def takes(self) -> bool:
        """Return whether to take the upcard."""
        return self.pile.top is not None and bool(_takes(self.hand.mask, self.pile.top.id, *self._scene))

    def card_to_throw(self) -> Card:
        """Return the card to discard or to pass."""
        return Card(int(_card_to_throw(self.hand.mask, *self._scene)))

    def draw_score(self) -> DrawScore:
        """Return the score of taking the upcard, term by term."""
        up = self.pile.cards[-1]
        return DrawScore(up, *_draw_terms(self.hand.mask, up.id, *self._scene))

    def discard_scores(self) -> list[DiscardScore]:
        """Return the score of every unmelded card, the highest first; none if everything is melded."""
        loose = Hand(int(_strip_melds(self.hand.mask)))
        scores = [DiscardScore(card, *_discard_terms(card.id, self.hand.mask, *self._scene)) for card in loose]
        return sorted(scores, key=lambda score: (round(score.total, 3), score.card.rank, score.card.suit), reverse=True)


def explain(seen: GinPassObservation, options: KeatsOptions = REPORT) -> list[str]:
    """Explain the move of Keats' AI: a line for each score, of the upcard or of the cards to discard."""
    view = GameView.of(seen, options)
    return [str(score) for score in ([view.draw_score()] if seen.phase == "draw" else view.discard_scores())]
