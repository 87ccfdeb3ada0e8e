"""What a seat at a contract rummy table can tell from its own redacted log alone, in plain Python.

Written from the rules page and the field list of the view, not from the kernels: a second, slow implementation.
"""

from __future__ import annotations

from typing import Any

from properties import contract_reference as reference
from rummylab.cards.card import Card
from rummylab.engine.action import Event
from rummylab.games.contract.options import ContractOptions

PHASES = ["draw", "buy", "play", "lay down", "over"]
OUTCOMES = ["none", "out by discard", "out by lay-off", "void"]
FROM_STOCK, PLACES, MELDS, SEATS = 63, 108, 24, 6


def mask(cards: Any) -> int:
    return sum(1 << card.id for card in set(cards) if not card.is_joker)


def double(cards: Any) -> int:
    """The kinds that are there twice."""
    return sum(1 << card.id for card in set(cards) if not card.is_joker and list(cards).count(card) == 2)


def jokers(cards: Any) -> int:
    return sum(card.is_joker for card in cards)


def kinds(cards: set[Card]) -> int:
    return sum(1 << card.id for card in cards)


class ContractFold:
    """Apply the events of one seat's log; ``view()`` then says what every field of its view must hold."""

    def __init__(self, options: ContractOptions, seat: int, starter: int, hand_no: int = 0) -> None:
        self.options, self.seat, self.starter, self.hand_no = options, seat, starter, hand_no
        seats = range(options.seats)
        number = hand_no % len(options.contracts)
        self.contract = options.contracts[number]
        self.max_buys = options.buys_by_round[number] if options.seats > 2 else 0
        self.is_last = number == len(options.contracts) - 1
        self.hand: list[Card] = []
        self.drawn = -1
        self.pile: list[Card] = []
        self.known: list[list[Card]] = [[] for _ in seats]
        self.picked: list[set[Card]] = [set() for _ in seats]
        self.refused: list[set[Card]] = [set() for _ in seats]
        self.thrown: list[set[Card]] = [set() for _ in seats]
        self.n_hand = [self.contract.hand for _ in seats]
        self.left = [[self.contract.sets, self.contract.runs] for _ in seats]
        self.buys = [0 for _ in seats]
        self.paid = [0 for _ in seats]
        self.melds: list[reference.Meld] = []
        self.n_cards = options.decks * (52 + options.jokers)
        self.stock = self.n_cards - options.seats * self.contract.hand - 1
        self.reshuffles = self.turn = self.points = self.short = 0
        self.turned_up = self.thrower = self.drawer = self.freed = -1
        self.last_draw, self.last_discard = [-1 for _ in seats], [-1 for _ in seats]
        self.phase, self.actor, self.outcome, self.winner = "draw", starter, "none", -1
        self.scores = [0 for _ in seats]
        self.dealt = False

    def _next(self, seat: int) -> int:
        return (seat + 1) % self.options.seats

    def apply(self, event: Event) -> None:
        verb = event.action.verb.replace(" ", "_")
        if event.chosen:
            self.turned_up = -1
        getattr(self, "_" + verb)(int(event.seat), list(event.action.cards), list(event.secret), event.action.on)

    def _deal(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        if seat == self.seat:
            self.hand = secret

    def _turn_up(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        self.pile = cards
        if self.dealt:
            self.turned_up = cards[0].id
        self.dealt = True

    def _draw_stock(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        if self.pile:
            self.refused[seat].add(self.pile[-1])
        literal = self.stock == 0 and self.options.reshuffle == "all_non_hand"
        if self.stock == 0:
            self._reshuffle()
        self.stock -= 1
        self._drawn(seat, FROM_STOCK, secret)
        if self.max_buys and not literal:
            self._offer(seat, seat)

    def _offer(self, drawer: int, after: int) -> None:
        """The next seat after *after* that may buy the upcard decides; if there is none, the drawer goes on."""
        seat = self._next(after)
        while seat != drawer and not self._may_buy(seat):
            seat = self._next(seat)
        self.actor = seat
        self.phase, self.drawer = ("play", -1) if seat == drawer else ("buy", drawer)

    def _may_buy(self, seat: int) -> bool:
        ready = self.stock > 0 and bool(self.pile) and seat != self.thrower
        return ready and any(self.left[seat]) and self.buys[seat] < self.max_buys

    def _buy(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        card = self.pile.pop()
        self.known[seat].append(card)
        self.picked[seat].add(card)
        self.buys[seat] += 1
        self.stock -= 1
        self.thrower = -1
        self.n_hand[seat] += 2
        if seat == self.seat:
            self.hand += [card, *secret]
        self.actor, self.phase, self.drawer = self.drawer, "play", -1

    def _pass(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        if self.phase == "buy":
            self.refused[seat].add(self.pile[-1])
            self._offer(self.drawer, seat)
        else:
            self._end_turn(seat)

    def _reshuffle(self) -> None:
        self.reshuffles += 1
        if self.options.reshuffle == "all_non_hand":  # the card turned up is told by the next event
            held = sum(self.n_hand)
            self.melds, self.pile = [], []
            self.left = [[self.contract.sets, self.contract.runs] for _ in self.left]
            self.thrower = -1
            self.stock = self.n_cards - held - 1
        else:
            self.stock = len(self.pile) - 1
            self.pile = self.pile[-1:]

    def _draw_upcard(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        card = self.pile.pop()
        self.thrower = -1
        self.known[seat].append(card)
        self.picked[seat].add(card)
        self._drawn(seat, card.id, [card])

    def _drawn(self, seat: int, shown: int, cards: list[Card]) -> None:
        self.last_draw[seat] = shown
        self.n_hand[seat] += 1
        self.phase = "play"
        if seat == self.seat:
            self.hand.extend(cards)
            self.drawn = cards[0].id

    def _leaves(self, seat: int, cards: list[Card]) -> None:
        self.n_hand[seat] -= len(cards)
        for card in cards:
            if seat == self.seat:
                self.hand.remove(card)
            if card in self.known[seat]:
                self.known[seat].remove(card)

    def _discard(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        self._leaves(seat, cards)
        self.thrown[seat].add(cards[0])
        self.last_discard[seat] = cards[0].id
        self.pile.append(cards[0])
        self.thrower = seat
        if not self._is_out(seat, "out by discard"):
            self._end_turn(seat)

    def _end_turn(self, seat: int) -> None:
        if seat == self.seat:
            self.drawn = -1
        self.turn += 1
        self.actor, self.phase = self._next(seat), "draw"
        dry = self.stock == 0 and (self.reshuffles >= self.options.max_reshuffles or not self.pile)
        if dry or self.turn == self.options.turn_cap:
            self.phase, self.actor, self.outcome = "over", -1, "void"
            self.hand_no += 1

    def _lay_down(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        self._leaves(seat, cards)
        meld = reference.lay(cards, seat, self.options)
        self.melds.append(meld)
        is_run = meld.kind == "run"
        sizes = self.contract.run_sizes if is_run else self.contract.set_sizes
        asked = sizes[len(sizes) - self.left[seat][is_run]]
        self.left[seat][is_run] -= 1
        self.short = max(asked - len(cards), 0)
        self.phase = "lay down" if self.short or any(self.left[seat]) else "play"
        self._is_out(seat, "out by lay-off")

    def _lay_off(self, seat: int, cards: list[Card], secret: list[Card], on: int, below: bool = False) -> None:
        self._leaves(seat, cards)
        self.melds[on - 1].add(cards[0], below=below)
        self.freed = -1
        if self.phase == "lay down":
            self.short -= 1
            self.phase = "lay down" if self.short or any(self.left[seat]) else "play"
        self._is_out(seat, "out by lay-off")

    def _lay_off_low(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        self._lay_off(seat, cards, secret, on, below=True)

    def _replace(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        self._leaves(seat, cards)
        wild = self.melds[on - 1].replace(cards[0])
        self.n_hand[seat] += 1
        self.known[seat].append(wild)
        self.freed = wild.id
        if seat == self.seat:
            self.hand.append(wild)

    def _is_out(self, seat: int, outcome: str) -> bool:
        if self.n_hand[seat]:
            return False
        self.turn += 1
        self.hand_no += 1
        self.phase, self.actor, self.outcome, self.winner = "over", -1, outcome, seat
        if seat == self.seat:
            self.drawn = -1
        return True

    def _shows(self, seat: int, cards: list[Card], secret: list[Card], on: int) -> None:
        if self.winner >= 0:
            self.paid[seat] = sum(reference.cost(card, self.options) for card in cards)
            self.points += self.paid[seat]
            for other in range(self.options.seats):
                self.scores[other] += self.paid[seat] if other != seat else 0

    def view(self) -> dict[str, Any]:
        """Every field of the view, the options apart."""
        rest = MELDS - len(self.melds)

        def each(value: Any) -> list[Any]:
            return [value(meld) for meld in self.melds] + [0] * rest

        def seated(values: Any, none: int = 0) -> list[Any]:
            return [*values, *[none] * (SEATS - self.options.seats)]

        table = {
            "pile": mask(self.pile),
            "pile_twice": double(self.pile),
            "known_twice": seated(double(cards) for cards in self.known),
            "melds_twice": each(lambda meld: double(meld.cards)),
            "paid": seated(self.paid),
            "buys": seated(self.buys),
            "short": self.short,
            "drawer": self.drawer,
            "thrower": self.thrower,
            "known": seated(mask(cards) for cards in self.known),
            "picked": seated(kinds(cards) for cards in self.picked),
            "refused": seated(kinds(cards) for cards in self.refused),
            "thrown": seated(kinds(cards) for cards in self.thrown),
            "melds": each(lambda meld: mask(meld.cards)),
            "scores": seated(self.scores),
            "hand_no": self.hand_no,
            "turn": self.turn,
            "points": self.points,
            "stack": [card.id for card in self.pile] + [-1] * (PLACES - len(self.pile)),
            "n_pile": len(self.pile),
            "pile_jokers": jokers(self.pile),
            "known_jokers": seated(jokers(cards) for cards in self.known),
            "n_hand": seated(self.n_hand),
            "sets_left": seated(left[0] for left in self.left),
            "runs_left": seated(left[1] for left in self.left),
            "n_melds": len(self.melds),
            "meld_jokers": each(lambda meld: jokers(meld.cards)),
            "meld_kind": each(lambda meld: ["", "set", "run"].index(meld.kind)),
            "meld_of": each(lambda meld: meld.of),
            "meld_low": each(lambda meld: meld.low),
            "meld_high": each(lambda meld: meld.high),
            "owner": each(lambda meld: meld.owner),
            "stock": self.stock,
            "reshuffles": self.reshuffles,
            "phase": PHASES.index(self.phase),
            "actor": self.actor,
            "starter": self.starter,
            "up": self.pile[-1].id if self.pile else -1,
            "turned_up": self.turned_up,
            "last_draw": seated(self.last_draw, -1),
            "last_discard": seated(self.last_discard, -1),
            "outcome": OUTCOMES.index(self.outcome),
            "winner": self.winner,
            "freed": self.freed,
        }
        mine = {
            "hand": mask(self.hand),
            "twice": double(self.hand),
            "jokers": jokers(self.hand),
            "rng": 0,
            "seat": self.seat,
            "drawn": self.drawn,
            "memory": [0] * 32,
        }
        return {**{f"table.{k}": v for k, v in table.items()}, **{f"mine.{k}": v for k, v in mine.items()}}
