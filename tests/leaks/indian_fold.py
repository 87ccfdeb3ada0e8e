"""What a seat at an Indian Rummy table can tell from its own redacted log alone, in plain Python.

Written from the rules page and the field list of the view, not from the kernels: a second, slow implementation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from properties import indian_score as score
from properties.indian_match import MatchLedger
from rummylab.cards.card import Card
from rummylab.engine.action import Event
from rummylab.games.indian.options import IndianOptions

PHASES = ["draw", "discard", "over", "rejoin", "split"]
OUTCOMES = ["none", "declared", "dropped", "wrong declaration", "limit"]
STATUS = ["playing", "dropped", "wrong", "away"]
SEATS, PLACES = 6, 108
FROM_STOCK = 63


def planes(cards: Counter[Card]) -> tuple[int, int, int]:
    """At least once, twice, printed jokers."""
    natural = {card: n for card, n in cards.items() if not card.is_joker}
    once = sum(1 << card.id for card, n in natural.items() if n > 0)
    twice = sum(1 << card.id for card, n in natural.items() if n > 1)
    return once, twice, sum(n for card, n in cards.items() if card.is_joker)


def kinds(cards: set[Card]) -> int:
    return sum(1 << card.id for card in cards)


class IndianFold:
    """Apply the events of one seat's log; ``view()`` then says what every field of its view must hold."""

    def __init__(
        self,
        options: IndianOptions,
        seat: int,
        starter: int,
        *,
        scores: Sequence[int] = (),
        standing: Mapping[str, Sequence[int]] | None = None,
        played: int = 0,
    ) -> None:
        self.options, self.seat, self.starter = options, seat, starter
        self.seats = options.seats
        self.hand: Counter[Card] = Counter()
        self.drawn = -1
        self.pile: list[Card] = []
        self.known: list[Counter[Card]] = [Counter() for _ in range(SEATS)]
        self.picked: list[set[Card]] = [set() for _ in range(SEATS)]
        self.refused: list[set[Card]] = [set() for _ in range(SEATS)]
        self.thrown: list[set[Card]] = [set() for _ in range(SEATS)]
        self.draws, self.deadwood, self.paid, self.gains = ([0] * SEATS for _ in range(4))
        self.last_draw, self.last_discard = [-1] * SEATS, [-1] * SEATS
        self.scores, self.played, self.answers = list(scores) or [0] * self.seats, played, 0
        self.ledger = MatchLedger(options.match_format, self.seats, starter, deals=played)
        for name, values in (standing or {}).items():
            setattr(self.ledger, name, list(values))
        self.in_match = sorted(self.ledger.playing)
        self.status = ["playing" if seat in self.in_match else "away" for seat in range(SEATS)]
        self.stock = options.n_cards - 13 * len(self.in_match) - 2
        self.turn = self.round = self.reshuffles = 0
        self.phase, self.actor, self.fresh = "draw", starter, 1
        self.wild = self.indicator = -1
        self.outcome, self.winner = "none", -1
        self.lost: dict[int, int] = {}
        self.last_mover = -1
        self.shown: list[list[Card]] = [[] for _ in range(self.seats)]

    def apply(self, event: Event) -> None:
        cards, secret = list(event.action.cards), list(event.secret)
        getattr(self, "_" + event.action.verb.replace(" ", "_"))(int(event.seat), cards, secret)

    # The deal

    def _deal(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        if seat == self.seat:
            self.hand = Counter(secret)

    def _indicator(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.indicator = cards[0].id
        self.wild = 0 if cards[0].is_joker else cards[0].rank

    def _turn_up(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.pile = [cards[0]]

    # Turns

    def may_take(self) -> bool:
        is_joker = self.pile[-1].is_joker or self.pile[-1].rank == self.wild
        return self.options.pile_jokers or bool(self.fresh) or not is_joker

    def _draw_stock(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        if self.may_take():
            self.refused[seat].add(self.pile[-1])
        if self.stock == 0:
            self.stock = len(self.pile) - 1
            self.pile = self.pile[-1:]
            self.reshuffles += 1
        self.stock -= 1
        self._drawn(seat, FROM_STOCK, secret)

    def _draw_upcard(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        card = self.pile.pop()
        self.known[seat][card] += 1
        self.picked[seat].add(card)
        self._drawn(seat, card.id, [card])

    def _drawn(self, seat: int, shown: int, cards: list[Card]) -> None:
        self.last_draw[seat] = shown
        self.draws[seat] += 1
        self.phase = "discard"
        if seat == self.seat:
            self.hand.update(cards)
            self.drawn = cards[0].id

    def _throw(self, seat: int, card: Card) -> None:
        if seat == self.seat:
            self.hand[card] -= 1
            self.drawn = -1
        if self.known[seat][card]:
            self.known[seat][card] -= 1
        self.thrown[seat].add(card)
        self.pile.append(card)
        self.last_discard[seat] = card.id
        self.fresh = 0

    def _discard(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self._throw(seat, cards[0])
        self._next(seat)

    def _declare(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        """Whether it was valid shows in what follows: the deal is over, or the next one plays on."""
        self._throw(seat, cards[0])
        self._exit(seat, "wrong", self.options.wrong_declaration)

    def _drop(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self._exit(seat, "dropped", self.options.later_drop if self.draws[seat] else self.options.first_drop)

    def _exit(self, seat: int, status: str, lost: int) -> None:
        self.last_mover = seat
        self.status[seat] = status
        self.lost[seat] = self.paid[seat] = lost
        if self.status.count("playing") > 1:
            self._next(seat)
        else:
            self.turn += 1
            self.phase, self.actor = "over", -1

    def _next(self, seat: int) -> None:
        """Pass the turn; a round is over when it comes to the starter's place or passes it."""
        self.last_mover = seat
        self.turn += 1
        self.phase = "draw"
        for step in range(1, self.seats + 1):
            other = (seat + step) % self.seats
            if other == self.starter:
                self.round += 1
            if self.status[other] == "playing":
                self.actor = other
                break
        if self.round >= self.options.round_limit:
            self.phase, self.actor = "over", -1

    # The end

    def _shows(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self.shown[seat] = cards
        if seat == self.in_match[-1]:
            self._settle()

    def _settle(self) -> None:
        declarer = None
        last = score.plain(self.shown[self.last_mover])
        if self.status[self.last_mover] == "wrong" and score.reference.min_dist(last, self.wild) == 0:
            declarer = self.last_mover
            self._take_back_the_exit(declarer)
        n_left = len(self.in_match) - len(self.lost)
        absent = {seat: 0 for seat in range(self.seats) if seat not in self.in_match}
        winner, paid, deadwood = score.settle(
            self.shown, self.wild, self.options, self.starter, absent | self.lost, declarer, self.draws
        )
        self.outcome = "limit"
        if declarer is not None:
            self.outcome = "declared"
        elif n_left == 1:
            self.outcome = "dropped" if self.status[self.last_mover] == "dropped" else "wrong declaration"
        self.winner = winner
        self.ledger.settle(winner, paid)
        self._ask()
        away = [0] * (SEATS - self.seats)
        self.paid, self.deadwood = paid + away, deadwood + away
        self.gains = score.gains(winner, paid) + away

    # Between deals

    def _ask(self) -> None:
        self.phase, self.actor = self.ledger.asked or ("over", -1)

    def _answer(self, word: str) -> None:
        self.answers += 1
        self.ledger.answer(word)
        self._ask()

    def _rejoin(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self._answer("rejoin")

    def _leave(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self._answer("leave")

    def _split(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self._answer("split")

    def _play_on(self, seat: int, cards: list[Card], secret: list[Card]) -> None:
        self._answer("play on")

    def standing(self) -> dict[str, Any]:
        """The standing of the match, by field of the table."""
        ledger, away = self.ledger, [0] * (SEATS - self.seats)
        place = [-1 if seat in ledger.leaving else ledger.place[seat] for seat in range(self.seats)]
        return {
            "lost": ledger.lost + away,
            "chips": ledger.chips + away,
            "place": place + away,
            "rejoins": ledger.rejoins + away,
            "hand_no": self.played + (self.phase == "over"),
            "answers": self.answers,
            "agreed": ledger.n_agreed,
            "shared": int(ledger.is_split),
        }

    def _take_back_the_exit(self, seat: int) -> None:
        """The declaration was valid: nobody left, and the turn was not passed on."""
        self.status[seat] = "playing"
        del self.lost[seat]
        if self.status.count("playing") > 2:  # then the turn was passed
            others = [(seat + k) % self.seats for k in range(1, self.seats + 1)]
            passed = others[: next(i for i, s in enumerate(others) if self.status[s] == "playing" and s != seat) + 1]
            self.round -= self.starter in passed

    def view(self) -> dict[str, Any]:
        """Every field of the view, the options apart."""
        pile, known = planes(Counter(self.pile)), [planes(+cards) for cards in self.known]
        hand = planes(+self.hand)
        table = {
            "pile": pile[0],
            "pile_twice": pile[1],
            "pile_jokers": pile[2],
            "known": [once for once, _, _ in known],
            "known_twice": [twice for _, twice, _ in known],
            "known_jokers": [jokers for _, _, jokers in known],
            "picked": [kinds(cards) for cards in self.picked],
            "refused": [kinds(cards) for cards in self.refused],
            "thrown": [kinds(cards) for cards in self.thrown],
            **self.standing(),
            "scores": [old + max(0, gain) for old, gain in zip(self.scores + [0] * 6, self.gains, strict=False)],
            "gains": self.gains,
            "paid": self.paid,
            "deadwood": self.deadwood,
            "draws": self.draws,
            "turn": self.turn,
            "round": self.round,
            "stock": self.stock,
            "reshuffles": self.reshuffles,
            "n_pile": len(self.pile),
            "stack": [card.id for card in self.pile] + [-1] * (PLACES - len(self.pile)),
            "last_draw": self.last_draw,
            "last_discard": self.last_discard,
            "status": [STATUS.index(status) for status in self.status],
            "n_playing": self.status.count("playing"),
            "phase": PHASES.index(self.phase),
            "actor": self.actor,
            "starter": self.starter,
            "wild": self.wild,
            "indicator": self.indicator,
            "up": self.pile[-1].id if self.pile else -1,
            "fresh": self.fresh,
            "outcome": OUTCOMES.index(self.outcome),
            "winner": self.winner,
        }
        mine = {
            "hand": hand[0],
            "twice": hand[1],
            "jokers": hand[2],
            "rng": 0,
            "seat": self.seat,
            "drawn": self.drawn,
            "memory": [0] * 32,
        }
        return {**{f"table.{k}": v for k, v in table.items()}, **{f"mine.{k}": v for k, v in mine.items()}}
