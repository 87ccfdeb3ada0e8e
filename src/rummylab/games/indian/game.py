"""Classic Indian Rummy for Python: the :class:`Indian` rules object and what a seat sees, in words.

The rules themselves are in :mod:`rummylab.games.indian.rules`; nothing here decides what is legal or what it scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import JOKER_ID, RANKS, Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.rng import DECK, Root, root_of, stream
from rummylab.engine.action import Action, Event
from rummylab.engine.kernel_rules import KernelRules
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rows
from rummylab.engine.seats import DEALER, Seat
from rummylab.errors import DeckError, NotationError
from rummylab.games.indian import rules as r
from rummylab.games.indian.mindist import min_dist
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.options import CARDS_EACH, IndianOptions

_VERBS = {r.DRAW_STOCK: "draw stock", r.DRAW_PILE: "draw pile", r.DROP: "drop"}
ACTION_TABLE = (
    ("draw stock", str(r.DRAW_STOCK), "draw the top card of the stock"),
    ("draw pile", str(r.DRAW_PILE), "take the top card of the open pile"),
    ("drop", str(r.DROP), "give up, before drawing"),
    ("discard CARD", f"{r.DISCARD_CODE} + card", "throw a card"),
    ("declare CARD", f"{r.DECLARE_CODE} + card", "throw a card and declare the other thirteen"),
)
"""Words, code and meaning of every action: the documentation's table is made from it."""


@cache
def _actions() -> tuple[dict[int, Action], dict[Action, int]]:
    by_code = {code: Action(verb) for code, verb in _VERBS.items()}
    for base, verb in ((r.DISCARD_CODE, "discard"), (r.DECLARE_CODE, "declare")):
        by_code |= {base + card: Action(verb, (Card(card),)) for card in (*to_ids(ALL_CARDS), JOKER_ID)}
    return by_code, {action: code for code, action in by_code.items()}


def _kinds(mask: Any) -> Hand:
    """Return a mask of kinds, jokers as ``JOKER_BIT``, as cards."""
    return Hand(int(mask) & ALL_CARDS, 0, int(mask) >> JOKER_ID & 1)


class IndianObservation(Observation):
    """What a seat sees at an Indian Rummy table."""

    __slots__ = ()

    @property
    def table(self) -> np.void:
        """The public part of the position, field by field as documented in ``docs/games/indian.md``."""
        return self.view["table"][0]

    @property
    def mine(self) -> np.void:
        return self.view["mine"][0]

    @property
    def hand(self) -> Hand:
        """The own cards."""
        return _hand_of(self.mine)

    @property
    def phase(self) -> str:
        """``draw``, ``discard`` or ``over``."""
        return r.PHASES[int(self.table["phase"])]

    @property
    def wild(self) -> int:
        """The wild rank: 0 for aces, 12 for kings."""
        return int(self.table["wild"])

    @property
    def indicator(self) -> Card:
        return Card(int(self.table["indicator"]))

    @property
    def up_card(self) -> Card | None:
        """The top of the open pile."""
        up = int(self.table["up"])
        return Card(up) if up >= 0 else None

    @property
    def pile(self) -> tuple[Card, ...]:
        """The open pile from the bottom up."""
        return tuple(Card(int(card)) for card in self.table["stack"][: self.table["n_pile"]])

    @property
    def stock(self) -> int:
        return int(self.table["stock"])

    def known(self, seat: Seat) -> Hand:
        """Return the cards *seat* is known to hold: taken from the open pile and not thrown since."""
        table = self.table
        return Hand(*(int(table[name][seat]) for name in ("known", "known_twice", "known_jokers")))

    def picked(self, seat: Seat) -> Hand:
        """Return the kinds of cards *seat* has taken from the open pile in this deal."""
        return _kinds(self.table["picked"][seat])

    def thrown(self, seat: Seat) -> Hand:
        """Return the kinds of cards *seat* has discarded in this deal."""
        return _kinds(self.table["thrown"][seat])

    @property
    def unseen(self) -> Hand:
        """What can still come: every card that is not in sight."""
        out = np.zeros(3, np.int64)
        _unseen(self.view, out)
        return Hand(*map(int, out))

    def min_score_after(self, card: Card) -> int:
        """Return the MinScore, uncapped, of the hand once *card* is thrown."""
        left = self.hand - Hand.of([card])
        return int(min_score(left.mask, left.twice, left.jokers, self.wild, bool(self.table["rules"]["strict"])))

    def min_dist_after(self, card: Card) -> int:
        """Return the MinDist of the hand once *card* is thrown; 0: it can be declared."""
        left = self.hand - Hand.of([card])
        return int(min_dist(left.mask, left.twice, left.jokers, self.wild))


def _hand_of(mine: Any) -> Hand:
    return Hand(int(mine["hand"]), int(mine["twice"]), int(mine["jokers"]))


@dataclass(frozen=True)
class Indian(KernelRules):
    """The rules of Classic Indian Rummy under some options."""

    options: IndianOptions = field(default_factory=IndianOptions)

    name: ClassVar[str] = "indian"
    version: ClassVar[int] = 1
    record: ClassVar[np.dtype[np.void]] = r.RECORD
    view: ClassVar[np.dtype[np.void]] = r.VIEW
    n_codes: ClassVar[int] = r.N_CODES
    kernels: ClassVar[Any] = r

    @property
    def seats(self) -> int:
        return self.options.seats

    def encode(self, action: Action) -> int:
        code = _actions()[1].get(action)
        if code is None:
            raise NotationError(f"no action of Indian Rummy: {action}")
        return code

    def decode(self, code: int) -> Action:
        try:
            return _actions()[0][code]
        except KeyError:
            raise NotationError(f"no action of Indian Rummy has the code {code}") from None

    def new_rows(self, n: int) -> Rows:
        rows = np.zeros(n, r.RECORD)
        rules, options = rows["table"]["rules"], self.options
        for name, value in options.to_dict().items():
            if not isinstance(value, str):
                rules[name] = value
        rules["aces_wild"] = options.joker_indicator == "aces wild"
        rules["strict"] = options.score_rule == "platform"
        rules["limit_difference"] = options.limit_gain == "difference"
        rows["table"]["actor"] = -1
        return rows

    def shuffled(self, seed: int, pair: int = 0, hand: int = 0) -> Deck:
        row = self.new_rows(1)
        r.shuffle_rows(row, np.uint64(stream(root_of(seed), np.int64(pair), np.int64(hand), np.int64(DECK))))
        return Deck.from_ids(row["deck"][0, : self.options.n_cards])

    def first_starter(self, seed: int, pair: int = 0) -> Seat:
        return Seat(int(_first_starter(self.new_rows(1), root_of(seed), np.int64(pair))))

    def next_starter(self, row: Rows) -> Seat:
        """Return who starts the next deal: the next seat."""
        return Seat((int(row["table"]["starter"][0]) + 1) % self.seats)

    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None:
        for deck in decks:
            self._check_deck(deck)
        if any(not 0 <= starter < self.seats for starter in starters):
            raise DeckError(f"the starter is a seat from 0 to {self.seats - 1}, not {list(starters)}")
        r.open_hands(rows, np.stack([deck.ids() for deck in decks]), np.array(starters, np.int8))

    def _check_deck(self, deck: Deck) -> None:
        jokers = sum(card.is_joker for card in deck)
        if (len(deck) - jokers, jokers) != (52 * self.options.decks, self.options.printed_jokers):
            raise DeckError(
                f"these rules ask for {52 * self.options.decks} cards and {self.options.printed_jokers} printed jokers,"
                f" not {len(deck) - jokers} and {jokers}"
            )

    def opening(self, row: Rows) -> list[Event]:
        deck, table = row["deck"][0], row["table"][0]
        dealt = CARDS_EACH * self.seats
        hands = [tuple(Card(int(card)) for card in deck[seat : dealt : self.seats]) for seat in range(self.seats)]
        return [
            *(Event(Seat(seat), Action("deal"), hand, False) for seat, hand in enumerate(hands)),
            Event(DEALER, Action("indicator", (Card(int(table["indicator"])),)), (), False),
            Event(DEALER, Action("turn up", (Card(int(table["up"])),)), (), False),
        ]

    def closing(self, row: Rows) -> list[Event]:
        mine = row["mine"][0]
        shown = [Action("shows", tuple(_hand_of(mine[seat]))) for seat in range(self.seats)]
        return [Event(Seat(seat), action, (), False) for seat, action in enumerate(shown)]

    def why_not(self, row: Rows, code: int) -> str:
        """Say in words why the rules refuse *code*: for people, not for deciding anything."""
        table = row["table"][0]
        if table["actor"] < 0:
            return "the deal is over"
        phase = r.PHASES[int(table["phase"])]
        action = self.decode(code)
        if action.card and phase == "discard":
            return f"{action.card} is not in the hand"
        if action.verb == "draw pile" and phase == "draw":
            return f"{Card(int(table['up']))} is a joker and may not be taken from the open pile"
        options = ", ".join(sorted({self.decode(c).verb for c in self.legal(row)}))
        return f"not possible in the phase {phase!r} (possible: {options})"

    def observation(self, seat: Seat, view: Rows, log: tuple[Event, ...], codes: tuple[int, ...]) -> IndianObservation:
        return IndianObservation(self, seat, view, log, codes)

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        return tuple(float(gain) for gain in row["table"]["gains"][0, : self.seats])

    def result(self, row: Rows) -> dict[str, Any]:
        table = row["table"][0]
        seats = range(self.seats)
        return {
            "outcome": r.OUTCOMES[int(table["outcome"])],
            "winner": int(table["winner"]) if table["winner"] >= 0 else None,
            "gains": [int(table["gains"][seat]) for seat in seats],
            "deadwood": [int(table["deadwood"][seat]) for seat in seats],
            "left": [r.STATUS[int(table["status"][seat])] for seat in seats],
            "turns": int(table["turn"]),
            "scores": list(self.scores(row)),
        }

    def match_is_over(self, row: Rows) -> bool:
        """Return whether the match is over: it is one deal; formats of several are in ``formats``."""
        return self.actor(row) < 0

    def scores(self, row: Rows) -> tuple[int, ...]:
        return tuple(int(score) for score in row["table"]["scores"][0, : self.seats])

    def set_scores(self, row: Rows, scores: Sequence[int]) -> None:
        row["table"]["scores"][0, : self.seats] = list(scores)

    def show(self, row: Rows) -> str:
        table = row["table"][0]
        up = int(table["up"])
        lines = [
            f"Indian Rummy ({self.options.preset_name()}), round {int(table['round']) + 1},"
            f" phase {r.PHASES[int(table['phase'])]}",
            f"wild {RANKS[int(table['wild'])]} (indicator {Card(int(table['indicator']))}),"
            f" stock {int(table['stock'])}, open card {Card(up) if up >= 0 else '-'}",
        ]
        for seat in range(self.seats):
            hand = _hand_of(row["mine"][0][seat])
            mark = ">" if table["actor"] == seat else " "
            status = int(table["status"][seat])
            note = "" if status == r.PLAYING else f" ({r.STATUS[status]})"
            lines.append(f"{mark} seat {seat}: {hand}{note}")
        if table["actor"] < 0 and table["outcome"]:
            result = self.result(row)
            lines.append(f"{result['outcome']}: seat {result['winner']} wins {max(result['gains'])} points")
        return "\n".join(lines)

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        """Return the places in the deck's order whose cards *viewer* cannot tell apart by now.

        With two decks those of a kind of which one card is in sight are left out, unless in the stock. None after a
        reshuffle: its order hangs on the whole deck, so another deck would not have led here.
        """
        table = row["table"][0]
        if table["reshuffles"]:
            return []
        seen = {int(card) for card in table["stack"][: table["n_pile"]]} | {int(table["indicator"])}
        for seat in range(self.seats):
            hand = _hand_of(row["mine"][0][seat])
            if seat != viewer and table["actor"] >= 0:  # all hands are shown at the end
                hand = Hand(*(int(table[f"known{more}"][seat]) for more in ("", "_twice", "_jokers")))
            seen |= {card.id for card in hand}
        deck = [int(card) for card in row["deck"][0, : self.options.n_cards]]
        pos = int(row["pos"][0])
        return [slot for slot, card in enumerate(deck) if slot >= pos or card not in seen]


@kernel
def _first_starter(rows: Rows, root: Root, pair: int) -> int:
    return r.first_starter(rows[0].table, root, pair)


@kernel
def _unseen(views: Rows, out: npt.NDArray[np.int64]) -> None:
    out[0], out[1], out[2] = r.unseen(views[0].table, views[0].mine)


def indian(preset: str = "paper", **changes: Any) -> Indian:
    """Return the rules of Classic Indian Rummy: preset ``paper`` or ``platform``, some options changed."""
    return Indian(IndianOptions.preset(preset, **changes))
