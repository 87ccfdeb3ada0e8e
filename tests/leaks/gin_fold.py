"""What a seat at a Gin table can tell from its own redacted log alone, in plain Python.

Written from the rules page and the field list of the view, not from the kernels: a second, slow implementation.
Cards are ids (16 * suit + rank), as the view's fields hold them.
"""

from __future__ import annotations

from typing import Any

from properties import reference
from rummylab.engine.action import Event
from rummylab.games.gin.options import GinOptions

PHASES = ["offer", "draw", "discard", "spread", "lay off", "defend", "wall", "over"]
OUTCOMES = ["none", "knock", "gin", "undercut", "cancelled", "big gin", "tie"]
FROM_STOCK = 62


def number(card: int) -> int:
    return 13 * (card // 16) + card % 16


def value(cards: set[int]) -> int:
    return reference.points(map(number, cards))


def mask(cards: set[int]) -> int:
    return sum(1 << card for card in cards)


class GinFold:
    """Apply the events of one seat's log; ``view()`` then says what every field of its view must hold."""

    def __init__(self, options: GinOptions, seat: int, starter: int) -> None:
        self.options, self.seat, self.starter = options, seat, starter
        self.hand: set[int] = set()
        self.drawn = -1
        self.pile: set[int] = set()
        self.known: list[set[int]] = [set(), set()]
        self.refused: list[set[int]] = [set(), set()]
        self.thrown: list[set[int]] = [set(), set()]
        self.turns: dict[str, list[dict[int, int]]] = {what: [{}, {}] for what in ("took", "passed", "threw")}
        self.turns_done = [0, 0]
        self.melds: list[list[set[int]]] = [[], []]
        self.last_draw, self.last_discard = [-1, -1], [-1, -1]
        self.deadwood, self.scores, self.won = [0, 0], [0, 0], [0, 0]
        self.knocks = {what: [0, 0] for what in ("knocks", "gins", "knocked_with", "knock_turns")}
        self.laid: list[tuple[int, int]] = []
        self.swaps: set[tuple[int, int]] = set()
        self.up, self.taken, self.stock, self.turn, self.offers = -1, -1, 31, 0, 0
        self.up_draws, self.back_and_forth, self.knocker = 0, 0, -1
        self.phase, self.actor, self.outcome, self.winner, self.points = "offer", starter, "none", -1, 0
        self.limit, self.stake, self.hand_no = options.knock_limit, 1, 0
        self.shown: list[set[int]] = [set(), set()]

    def apply(self, event: Event) -> None:
        cards = [card.id for card in event.action.cards]
        secret = [card.id for card in event.secret]
        getattr(self, "_" + event.action.verb.replace(" ", "_"))(int(event.seat), cards, secret)

    # The deal

    def _deal(self, seat: int, cards: list[int], secret: list[int]) -> None:
        if seat == self.seat:
            self.hand = set(secret)

    def _turn_up(self, seat: int, cards: list[int], secret: list[int]) -> None:
        self.up = cards[0]
        self.pile = {self.up}
        worth = value({self.up})
        if self.options.oklahoma:
            self.limit = 0 if worth == 1 else worth
            self.stake = 2 if self.up // 16 == 2 else 1
        elif self.options.knock_card:
            self.limit = worth

    # Turns

    def _pass(self, seat: int, cards: list[int], secret: list[int]) -> None:
        if self.phase == "wall":
            self._cancel()
            return
        self._let_go_by(seat)
        self.offers += 1
        self.actor = 1 - seat

    def _let_go_by(self, seat: int) -> None:
        self.refused[seat].add(self.up)
        self._note_turn("passed", seat, self.up)

    def _note_turn(self, what: str, seat: int, card: int) -> None:
        self.turns[what][seat][number(card)] = self.turns_done[seat] + 1

    def _draw_stock(self, seat: int, cards: list[int], secret: list[int]) -> None:
        self._let_go_by(seat)
        self.stock -= 1
        self.last_draw[seat] = FROM_STOCK
        self.phase = "discard"
        if seat == self.seat:
            self.hand |= set(secret)
            self.drawn = secret[0]

    def _draw_upcard(self, seat: int, cards: list[int], secret: list[int]) -> None:
        if self.phase == "draw":
            self.up_draws += 1
            if self.up_draws == self.options.upcard_cap:
                self._cancel()
                return
        self._take(seat)
        self.phase = "discard"

    def _take(self, seat: int) -> None:
        card, self.up = self.up, -1
        self.pile.remove(card)
        self.known[seat].add(card)
        self._note_turn("took", seat, card)
        self.last_draw[seat] = self.taken = card
        if seat == self.seat:
            self.hand.add(card)
            self.drawn = card

    def _throw(self, seat: int, card: int) -> None:
        if seat == self.seat:
            self.hand.remove(card)
            self.drawn = -1
        self.known[seat].discard(card)
        self.thrown[seat].add(card)
        self._note_turn("threw", seat, card)
        self.turns_done[seat] += 1
        self.pile.add(card)
        self.up = self.last_discard[seat] = card
        self.turn += 1

    def _discard(self, seat: int, cards: list[int], secret: list[int]) -> None:
        self._throw(seat, cards[0])
        self.back_and_forth = self.back_and_forth + 1 if self.taken == self.up else 0
        if self.taken >= 0 and self.options.refuse_repeats:
            self.swaps.add((self.taken, self.up))
        self.taken = -1
        self.actor, self.phase = 1 - seat, "draw"
        if self.back_and_forth == 2:
            self._cancel()
        elif self.stock <= self.options.wall:
            self.phase = "wall"
            if not self.options.last_upcard:
                self._cancel()
        elif self.turn == self.options.turn_cap:
            self._cancel()

    # The showdown

    def _knock(self, seat: int, cards: list[int], secret: list[int]) -> None:
        if self.phase == "wall":
            self._take(seat)
        self.taken = -1
        self._throw(seat, cards[0])
        self.knocker, self.phase = seat, "spread"

    def _big_gin(self, seat: int, cards: list[int], secret: list[int]) -> None:
        self.knocker, self.phase, self.outcome = seat, "spread", "big gin"
        self.taken, self.limit = -1, 0  # all eleven cards must be laid down
        self.turn += 1
        if seat == self.seat:
            self.drawn = -1

    def _meld(self, seat: int, cards: list[int], secret: list[int]) -> None:
        self.melds[seat].append(set(cards))

    def _lay_off(self, seat: int, cards: list[int], secret: list[int]) -> None:
        fitting = [i for i, m in enumerate(self.melds[self.knocker]) if reference.is_meld(map(number, m | set(cards)))]
        runs = [i for i in fitting if len({card % 16 for card in self.melds[self.knocker][i]}) > 1]
        self._note_lay_off(cards[0], (runs or fitting)[0])

    def _lays_off(self, seat: int, cards: list[int], secret: list[int]) -> None:
        """Automatic: on the first meld in declared order that takes it."""
        melds = self.melds[self.knocker]
        place = next(i for i, m in enumerate(melds) if reference.is_meld(map(number, m | set(cards))))
        self._note_lay_off(cards[0], place)

    def _note_lay_off(self, card: int, place: int) -> None:
        self.melds[self.knocker][place].add(card)
        self.laid.append((card, place))

    def _done(self, seat: int, cards: list[int], secret: list[int]) -> None:
        if self.phase == "spread":
            gin = sum(map(len, self.melds[seat])) >= 10
            self.actor = 1 - seat
            if gin and self.outcome == "none":  # ten cards lie there: everybody can count them
                self.outcome = "gin"
            self.phase = "lay off" if self.options.layoffs == "defender" and not gin else "defend"
        elif self.phase == "lay off":
            self.phase = "defend"
        else:
            self.phase, self.actor = "over", -1

    def _shows(self, seat: int, cards: list[int], secret: list[int]) -> None:
        self.shown[seat] = set(cards)
        if seat == 1 and self.knocker >= 0:
            self._settle()

    # The end

    def _cancel(self) -> None:
        self.phase, self.actor, self.outcome, self.hand_no = "over", -1, "cancelled", 1

    def _settle(self) -> None:
        off = {card for card, _ in self.laid}
        for seat in (0, 1):
            melded = set().union(*self.melds[seat])
            self.deadwood[seat] = value(self.shown[seat] - melded - (off if seat != self.knocker else set()))
        knocker, big = self.knocker, self.outcome == "big gin"
        if big:
            self.deadwood[knocker] = 0
        kept, caught = self.deadwood[knocker], self.deadwood[1 - knocker]
        self.knocks["knocks"][knocker] = 1
        self.knocks["gins"][knocker] = int(kept == 0)
        self.knocks["knocked_with"][knocker] = kept
        self.knocks["knock_turns"][knocker] = self.turns_done[knocker] + big
        won = reference.hand_score(kept, caught, options=self.options.to_dict(), big=big, stake=self.stake)
        self.winner = -1 if won == 0 and kept else knocker if won >= 0 else 1 - knocker
        self.outcome = (
            "big gin" if big else "gin" if kept == 0 else "knock" if won > 0 else "tie" if not won else "undercut"
        )
        self.points, self.hand_no = abs(won), 1
        if self.winner >= 0:
            self.scores[self.winner] += abs(won)
            self.won[self.winner] = 1

    def view(self) -> dict[str, Any]:
        """Every field of the view, the options apart."""
        spread = [[mask(meld) for meld in self.melds[s]] + [0] * (3 - len(self.melds[s])) for s in (0, 1)]
        swapped = [mask({thrown for taken, thrown in self.swaps if taken == card}) for card in range(64)]
        idle = [0] * (10 - len(self.laid))
        table = {
            "pile": mask(self.pile),
            "known": [mask(cards) for cards in self.known],
            "refused": [mask(cards) for cards in self.refused],
            "thrown": [mask(cards) for cards in self.thrown],
            **{what: [[n.get(i, 0) for i in range(52)] for n in notes] for what, notes in self.turns.items()},
            "spread": spread,
            "scores": self.scores,
            "hands_won": self.won,
            **self.knocks,
            "hand_no": self.hand_no,
            "turn": self.turn,
            "up_draws": self.up_draws,
            "points": self.points,
            "deadwood": self.deadwood,
            "phase": PHASES.index(self.phase),
            "actor": self.actor,
            "starter": self.starter,
            "offers": self.offers,
            "up": self.up,
            "taken": self.taken,
            "stock": self.stock,
            "limit": self.limit,
            "last_draw": self.last_draw,
            "last_discard": self.last_discard,
            "back_and_forth": self.back_and_forth,
            "knocker": self.knocker,
            "n_melds": [len(self.melds[0]), len(self.melds[1])],
            "n_laid": len(self.laid),
            "laid": [card for card, _ in self.laid] + idle,
            "laid_on": [place for _, place in self.laid] + idle,
            "outcome": OUTCOMES.index(self.outcome),
            "winner": self.winner,
            "stake": self.stake,
            "swapped": swapped,
        }
        mine = {"hand": mask(self.hand), "rng": 0, "seat": self.seat, "drawn": self.drawn, "memory": [0] * 32}
        return {**{f"table.{k}": v for k, v in table.items()}, **{f"mine.{k}": v for k, v in mine.items()}}
