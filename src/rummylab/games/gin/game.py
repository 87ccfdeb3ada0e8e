"""Gin Rummy for Python: the :class:`Gin` rules object and what a seat sees, in words.

The rules themselves are in :mod:`rummylab.games.gin.rules`; nothing here decides what is legal or what it scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np

from rummylab._jit import kernel
from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.rng import DECK, Root, root_of, stream
from rummylab.engine.action import Action, Event
from rummylab.engine.kernel_rules import KernelRules
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rows
from rummylab.engine.seats import DEALER, Seat
from rummylab.errors import DeckError, IllegalActionError, NotationError
from rummylab.games.gin import rules as r
from rummylab.games.gin.melds import melded, min_deadwood
from rummylab.games.gin.options import GinOptions
from rummylab.games.gin.showdown import showdown_code

_VERBS = {
    r.DRAW_STOCK: "draw stock",
    r.TAKE_UP_CARD: "draw upcard",
    r.PASS: "pass",
    r.DONE: "done",
    r.SHOW_BIG_GIN: "big gin",
}
ACTION_TABLE = (
    ("draw stock", str(r.DRAW_STOCK), "draw the top card of the stock"),
    ("draw upcard", str(r.TAKE_UP_CARD), "take the top card of the discard pile"),
    ("pass", str(r.PASS), "let the first up-card go by; at the wall (`openspiel`): end the hand"),
    ("done", str(r.DONE), "no more melds, no more lay-offs"),
    ("big gin", str(r.SHOW_BIG_GIN), "show eleven melded cards, where it is played"),
    ("discard CARD", f"{r.DISCARD_CODE} + card", "throw a card"),
    ("knock CARD", f"{r.KNOCK_CODE} + card", "throw a card and knock"),
    ("lay off CARD", f"{r.LAY_OFF_CODE} + card", "lay a card off on the knocker's melds (where the defender chooses)"),
    ("meld CARDS", f"{r.MELD_CODE} + meld", "lay down one meld at the showdown"),
)
"""Words, code and meaning of every action: the documentation's table is made from it."""


@cache
def _actions() -> tuple[dict[int, Action], dict[Action, int]]:
    by_code = {code: Action(verb) for code, verb in _VERBS.items()}
    for card in to_ids(ALL_CARDS):
        for base, verb in ((r.DISCARD_CODE, "discard"), (r.KNOCK_CODE, "knock"), (r.LAY_OFF_CODE, "lay off")):
            by_code[base + card] = Action(verb, (Card(card),))
    for number, meld in enumerate(r.MELDS):
        by_code[r.MELD_CODE + number] = Action("meld", tuple(Hand(int(meld))))
    return by_code, {action: code for code, action in by_code.items()}


@kernel
def _melded(hand: int) -> int:
    return melded(hand)


@kernel
def _showdown(views: Rows) -> int:
    return showdown_code(views[0].table, views[0].mine)


class GinObservation(Observation):
    """What a seat sees at a Gin table."""

    __slots__ = ()

    @property
    def table(self) -> np.void:
        """The public part of the position, field by field as documented in ``docs/games/gin.md``."""
        return self.view["table"][0]

    @property
    def phase(self) -> str:
        """``offer``, ``draw``, ``discard``, ``spread``, ``lay off``, ``defend``, ``wall`` or ``over``."""
        return r.PHASES[int(self.table["phase"])]

    @property
    def up_card(self) -> Card | None:
        up = int(self.table["up"])
        return Card(up) if up >= 0 else None

    @property
    def pile(self) -> Hand:
        """Every card of the discard pile."""
        return Hand(int(self.table["pile"]))

    @property
    def known(self) -> Hand:
        """Cards the opponent is known to hold: up-cards it took and has not thrown."""
        return Hand(int(self.table["known"][1 - self.seat]))

    @property
    def stock(self) -> int:
        return int(self.table["stock"])

    @property
    def knock_limit(self) -> int:
        return int(self.table["limit"])

    @property
    def scores(self) -> tuple[int, int]:
        """The running scores: mine, the opponent's."""
        scores = self.table["scores"]
        return int(scores[self.seat]), int(scores[1 - self.seat])

    def would_meld(self, card: Card) -> bool:
        """Return whether *card* becomes part of some meld of the hand."""
        return bool(_melded(self.hand.mask | 1 << card.id) >> card.id & 1)

    def deadwood_after(self, card: Card) -> int:
        """Return the least deadwood of the hand once *card* is thrown."""
        return int(min_deadwood(self.hand.mask & ~(1 << card.id)))

    def showdown(self) -> Action:
        """Return the solver's next move in the phases spread, lay off and defend."""
        if self.phase not in ("spread", "lay off", "defend"):
            raise IllegalActionError(f"no showdown now: the phase is {self.phase}")
        return self.rules.decode(int(_showdown(self.view)))


@dataclass(frozen=True)
class Gin(KernelRules):
    """The rules of two-player Gin Rummy under some options."""

    options: GinOptions = field(default_factory=GinOptions)

    name: ClassVar[str] = "gin"
    version: ClassVar[int] = 1
    seats: ClassVar[int] = 2
    record: ClassVar[np.dtype[np.void]] = r.RECORD
    view: ClassVar[np.dtype[np.void]] = r.VIEW
    n_codes: ClassVar[int] = r.N_CODES
    kernels: ClassVar[Any] = r

    def encode(self, action: Action) -> int:
        code = _actions()[1].get(action)
        if code is None and action.verb == "meld":
            code = _actions()[1].get(Action("meld", tuple(sorted(action.cards))))
        if code is None:
            raise NotationError(f"no action of Gin Rummy: {action}")
        return code

    def decode(self, code: int) -> Action:
        try:
            return _actions()[0][code]
        except KeyError:
            raise NotationError(f"no action of Gin Rummy has the code {code}") from None

    def new_rows(self, n: int) -> Rows:
        rows = np.zeros(n, r.RECORD)
        for name, value in self.options.to_dict().items():
            if name == "lay_offs":
                rows["table"]["rules"]["defender_lays_off"] = value == "defender"
            else:
                rows["table"]["rules"][name] = value
        rows["table"]["actor"] = -1
        return rows

    def shuffled(self, seed: int, pair: int = 0, hand: int = 0) -> Deck:
        return Deck.shuffled(int(stream(root_of(seed), np.int64(pair), np.int64(hand), np.int64(DECK))))

    def first_starter(self, seed: int, pair: int = 0) -> Seat:
        return Seat(int(_first_starter(self.new_rows(1), root_of(seed), np.int64(pair))))

    def next_starter(self, row: Rows) -> Seat:
        return Seat(int(_next_starter(row)))

    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None:
        for deck in decks:
            if len(deck) != 52:
                raise DeckError(f"Gin Rummy is played with 52 cards, not {len(deck)}")
        if any(starter not in (0, 1) for starter in starters):
            raise DeckError(f"the starter is seat 0 or 1, not {list(starters)}")
        r.open_hands(rows, np.stack([deck.ids() for deck in decks]), np.array(starters, np.int8))

    def opening(self, row: Rows) -> list[Event]:
        deck = row["deck"][0]
        dealt = [Event(Seat(s), Action("deal"), tuple(Card(int(c)) for c in deck[s:20:2]), False) for s in (0, 1)]
        return [*dealt, Event(DEALER, Action("turn up", (Card(int(deck[20])),)), (), False)]

    def closing(self, row: Rows) -> list[Event]:
        table = row["table"][0]
        events = []
        if not table["rules"]["defender_lays_off"]:
            defender = Seat(1 - int(table["knocker"]))
            laid = [Card(int(c)) for c in table["laid"][: table["n_laid"]]]
            events = [Event(defender, Action("lays off", (card,)), (), False) for card in laid]
        shown = [Action("shows", tuple(Hand(int(row["mine"][0]["hand"][s])))) for s in (0, 1)]
        return events + [Event(Seat(s), shown[s], (), False) for s in (0, 1)]

    def why_not(self, row: Rows, code: int) -> str:
        """Say in words why the rules refuse *code*: for people, not for deciding anything."""
        table = row["table"][0]
        if table["actor"] < 0:
            return "the hand is over"
        phase = r.PHASES[int(table["phase"])]
        action = self.decode(code)
        hand = Hand(int(row["mine"][0]["hand"][table["actor"]]))
        if action.card and action.verb in ("discard", "knock") and phase == "discard":
            if action.card not in hand:
                return f"{action.card} is not in the hand"
            if action.card.id == int(table["taken"]):
                return f"{action.card} was just taken from the pile and may not be thrown back"
            if action.verb == "knock":
                left = int(min_deadwood(hand.mask & ~(1 << action.card.id)))
                return f"deadwood {left} over the limit {int(table['limit'])}"
            return "the same swap was made before in this hand"
        if action.verb == "meld" and phase in ("spread", "defend"):
            if any(card not in hand for card in action.cards):
                return "not all of these cards are in the hand"
            return "a card is melded already, or what is left would exceed the knock limit"
        options = ", ".join(sorted({self.decode(c).verb for c in self.legal(row)}))
        return f"not possible in the phase {phase!r} (possible: {options})"

    def observation(self, seat: Seat, view: Rows, log: tuple[Event, ...], codes: tuple[int, ...]) -> GinObservation:
        return GinObservation(self, seat, view, log, codes)

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        table = row["table"][0]
        winner, won = int(table["winner"]), float(table["points"])
        return (0.0, 0.0) if winner < 0 else (won, -won) if winner == 0 else (-won, won)

    def result(self, row: Rows) -> dict[str, Any]:
        table = row["table"][0]
        result: dict[str, Any] = {
            "outcome": r.OUTCOMES[int(table["outcome"])],
            "winner": int(table["winner"]) if table["winner"] >= 0 else None,
            "points": int(table["points"]),
            "scores": list(self.scores(row)),
        }
        if table["knocker"] >= 0:
            result |= {"knocker": int(table["knocker"]), "deadwood": [int(d) for d in table["deadwood"]]}
        return result

    def match_is_over(self, row: Rows) -> bool:
        return bool(_match_is_over(row))

    def scores(self, row: Rows) -> tuple[int, ...]:
        scores = row["table"]["scores"][0]
        return int(scores[0]), int(scores[1])

    def set_scores(self, row: Rows, scores: Sequence[int]) -> None:
        row["table"]["scores"] = list(scores)

    def totals(self, row: Rows) -> tuple[int, int]:
        """Return the totals of a finished match, with boxes and bonuses."""
        return int(_match_total(row, 0)), int(_match_total(row, 1))

    def show(self, row: Rows) -> str:
        table = row["table"][0]
        up = int(table["up"])
        lines = [
            f"Gin Rummy ({self.options.preset_name()}), turn {table['turn']}, phase {r.PHASES[int(table['phase'])]}",
            f"stock {int(table['stock'])}, up-card {Card(up) if up >= 0 else '-'}, pile {Hand(int(table['pile']))}",
        ]
        for seat in (0, 1):
            hand = Hand(int(row["mine"][0]["hand"][seat]))
            mark = ">" if table["actor"] == seat else " "
            lines.append(f"{mark} seat {seat}: {hand} (deadwood {int(min_deadwood(hand.mask))})")
            melds = [str(Hand(int(m))) for m in table["spread"][seat] if m]
            if melds:
                lines.append(f"    melds: {' | '.join(melds)}")
        if table["actor"] < 0 and table["outcome"]:
            result = self.result(row)
            who = "nobody" if result["winner"] is None else f"seat {result['winner']}"
            lines.append(f"{result['outcome']}: {who} wins {result['points']} points")
        return "\n".join(lines)

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        table = row["table"][0]
        other = 1 - viewer
        theirs = int(row["mine"][0]["hand"][other]) & ~int(table["known"][other])
        for meld in table["spread"][0] | table["spread"][1]:  # melds and lay-offs lie open
            theirs &= ~int(meld)
        if table["actor"] < 0:  # both hands are shown at the end
            theirs = 0
        deck = [int(c) for c in row["deck"][0]]
        pos = int(row["pos"][0])
        return [i for i, card in enumerate(deck) if i >= pos or theirs >> card & 1]


@kernel
def _next_starter(rows: Rows) -> int:
    return r.next_starter(rows[0].table)


@kernel
def _first_starter(rows: Rows, root: Root, pair: int) -> int:
    return r.first_starter(rows[0].table, root, pair)


@kernel
def _match_is_over(rows: Rows) -> bool:
    return r.match_is_over(rows[0].table)


@kernel
def _match_total(rows: Rows, seat: int) -> int:
    return r.match_total(rows[0].table, seat)


def gin(preset: str = "eaai", **changes: Any) -> Gin:
    """Return the rules of Gin Rummy: preset ``eaai``, ``classic`` or ``openspiel``, some options changed."""
    return Gin(GinOptions.preset(preset, **changes))
