"""Contract rummy for Python: the :class:`ContractRummy` rules object and what a seat sees, in words.

The rules themselves are in :mod:`rummylab.games.contract.rules`; nothing here decides what is legal or what it scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

import numpy as np

from rummylab._jit import kernel
from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import JOKER_ID, Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.rng import DECK, Root, root_of, stream
from rummylab.engine.action import Action, Event
from rummylab.engine.kernel_rules import KernelRules
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rows
from rummylab.engine.seats import DEALER, Seat
from rummylab.errors import DeckError, NotationError
from rummylab.games.contract import rules as r
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.melds import TOP, WILD_SETS
from rummylab.games.contract.options import Contract, ContractOptions

_VERBS = {r.DRAW_STOCK: "draw stock", r.DRAW_PILE: "draw pile"}
ACTION_TABLE = (
    ("draw stock", str(r.DRAW_STOCK), "draw the top card of the stock"),
    ("draw pile", str(r.DRAW_PILE), "take the top card of the discard pile"),
    ("discard CARD", f"{r.DISCARD_CODE} + card", "throw a card and end the turn"),
    (
        "lay off CARD on meld N",
        f"{r.LAY_OFF_CODE} + 64 x (N - 1) + card",
        "add a card to a meld on the table, after the own lay-down",
    ),
    (
        "meld CARDS (a set)",
        f"{r.SET_CODE} + 17 x (16 x rank + suits) + wilds",
        "lay down a set of the contract; the rest of the contract must follow",
    ),
    (
        "meld CARDS (a run)",
        f"{r.RUN_CODE} + 17 x (8 x (13 x suit + lowest natural) + places above) + wilds",
        "lay down a run of the contract",
    ),
)
"""Words, code and meaning of every action: the documentation's table is made from it."""


def _melds() -> Iterator[tuple[int, tuple[Card, ...]]]:
    """Yield every meld that can be laid down, with its code."""
    for base, numbers, cards_of in ((r.SET_CODE, r.N_SETS, _set_cards), (r.RUN_CODE, r.N_RUNS, _run_cards)):
        for number in range(numbers):
            naturals = cards_of(number)
            for wilds, (twos, jokers) in enumerate(WILD_SETS):
                wild = [16 * suit + 1 for suit in range(4) if twos >> suit & 1] + [JOKER_ID] * jokers
                size = len(naturals) + len(wild)
                is_meld = len(naturals) >= max(2, len(wild)) and size >= 3
                if is_meld and (base == r.SET_CODE or _is_run(number, size)):
                    yield base + number * r.N_WILD_SETS + wilds, tuple(map(Card, sorted([*naturals, *wild])))


def _set_cards(number: int) -> list[int]:
    rank, suits = divmod(number, 16)
    return [16 * suit + rank for suit in range(4) if suits >> suit & 1] if rank != 1 else []


def _run_cards(number: int) -> list[int]:
    suit, low = divmod(number // 8, 13)
    places = [low, *(low + 1 + k for k in range(3) if number >> k & 1)]
    return [16 * suit + place % 13 for place in places] if 1 not in places and max(places) <= TOP else []


def _is_run(number: int, size: int) -> bool:
    """Return whether the naturals of run *number* lie within *size* places; the longest run laid down has four."""
    return size <= 4 and (number & 7) >> (size - 1) == 0


@cache
def _actions() -> tuple[dict[int, Action], dict[Action, int]]:
    by_code = {code: Action(verb) for code, verb in _VERBS.items()}
    for card in (*to_ids(ALL_CARDS), JOKER_ID):
        by_code[r.DISCARD_CODE + card] = Action("discard", (Card(card),))
        for meld in range(r.ON_TABLE):
            by_code[r.LAY_OFF_CODE + 64 * meld + card] = Action("lay off", (Card(card),), meld + 1)
    by_code |= {code: Action("meld", cards) for code, cards in _melds()}
    return by_code, {action: code for code, action in by_code.items()}


def _hand(mask: Any, jokers: Any) -> Hand:
    return Hand(int(mask), 0, int(jokers))


def _kinds(mask: Any) -> Hand:
    """Return a mask of kinds, jokers as bit 62, as cards."""
    return Hand(int(mask) & ALL_CARDS, 0, int(mask) >> JOKER_ID & 1)


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table: its number (from 1), who laid it down, what it is, and its cards."""

    number: int
    owner: Seat
    kind: str
    cards: Hand

    def __format__(self, spec: str) -> str:
        return f"{self.number}: {format(self.cards, spec)}"


def _table_melds(table: np.void) -> tuple[TableMeld, ...]:
    return tuple(
        TableMeld(
            k + 1,
            Seat(int(table["owner"][k])),
            ("", "set", "run")[table["meld_kind"][k]],
            _hand(table["melds"][k], table["meld_jokers"][k]),
        )
        for k in range(int(table["n_melds"]))
    )


class ContractObservation(Observation):
    """What a seat sees at a contract rummy table."""

    __slots__ = ()

    @property
    def table(self) -> np.void:
        """The public part of the position, field by field as documented in ``docs/games/chinese.md``."""
        return self.view["table"][0]

    @property
    def hand(self) -> Hand:
        """The own cards."""
        mine = self.view["mine"][0]
        return _hand(mine["hand"], mine["jokers"])

    @property
    def phase(self) -> str:
        """``draw``, ``play``, ``lay down`` (begun, not complete) or ``over``."""
        return r.PHASES[int(self.table["phase"])]

    @property
    def contract(self) -> Contract:
        """What this round asks for."""
        assert isinstance(self.rules, ContractRummy)
        return self.rules.contract_of(self.view)

    @property
    def up_card(self) -> Card | None:
        """The top of the discard pile."""
        up = int(self.table["up"])
        return Card(up) if up >= 0 else None

    @property
    def pile(self) -> tuple[Card, ...]:
        """The discard pile from the bottom up."""
        return tuple(Card(int(card)) for card in self.table["stack"][: self.table["n_pile"]])

    @property
    def stock(self) -> int:
        return int(self.table["stock"])

    @property
    def melds(self) -> tuple[TableMeld, ...]:
        """The melds on the table, in the order they were laid."""
        return _table_melds(self.table)

    def has_laid_down(self, seat: Seat) -> bool:
        return not self.table["sets_left"][seat] and not self.table["runs_left"][seat]

    def n_cards(self, seat: Seat) -> int:
        """Return how many cards *seat* holds."""
        return int(self.table["n_hand"][seat])

    def known(self, seat: Seat) -> Hand:
        """Return the cards *seat* is known to hold: taken from the pile and still there."""
        return _hand(self.table["known"][seat], self.table["known_jokers"][seat])

    def thrown(self, seat: Seat) -> Hand:
        """Return the kinds of cards *seat* has discarded in this round."""
        return _kinds(self.table["thrown"][seat])

    @property
    def penalties(self) -> tuple[int, int]:
        """The score sheet, low is good: mine, the opponent's."""
        won = self.table["scores"]
        return int(won[1 - self.seat]), int(won[self.seat])

    def lay_down(self) -> Action | None:
        """Return the solver's next meld of a lay-down; nothing if the contract cannot be laid down now."""
        code = int(_next_meld(self.view)) if self.phase in ("play", "lay down") and self.codes else -1
        return self.rules.decode(code) if code >= 0 else None


@dataclass(frozen=True)
class ContractRummy(KernelRules):
    """The rules of contract rummy for two under some options."""

    options: ContractOptions = field(default_factory=ContractOptions)

    name: ClassVar[str] = "chinese"
    version: ClassVar[int] = 1
    seats: ClassVar[int] = 2
    record: ClassVar[np.dtype[np.void]] = r.RECORD
    view: ClassVar[np.dtype[np.void]] = r.VIEW
    n_codes: ClassVar[int] = r.N_CODES
    kernels: ClassVar[Any] = r

    def encode(self, action: Action) -> int:
        if action.verb == "meld":
            action = Action("meld", tuple(sorted(action.cards)), action.on)
        code = _actions()[1].get(action)
        if code is None:
            raise NotationError(_no_action(action))
        return code

    def decode(self, code: int) -> Action:
        try:
            return _actions()[0][code]
        except KeyError:
            raise NotationError(f"no action of contract rummy has the code {code}") from None

    def new_rows(self, n: int) -> Rows:
        rows = np.zeros(n, r.RECORD)
        rules, options = rows["table"]["rules"], self.options
        for name, value in options.to_dict().items():
            if not isinstance(value, str):
                rules[name] = value
        rules["larger_sets"] = options.set_sizes == "minimum"
        rules["discard_only"] = options.going_out == "discard_only"
        rules["all_non_hand"] = options.reshuffle == "all_non_hand"
        rules["n_contracts"] = len(options.contracts)
        for number, contract in enumerate(options.contracts):
            for name in ("sets", "set_size", "runs", "run_size"):
                rules[name][:, number] = getattr(contract, name)
            rules["hand_size"][:, number] = contract.hand
        rows["table"]["actor"] = -1
        return rows

    def contract_of(self, rows: Rows) -> Contract:
        """Return the contract of the round at a table, or in a view of it."""
        table = rows["table"][0]
        number = int(table["hand_no"]) - (table["phase"] == r.OVER)  # a finished round is counted already
        return self.options.contracts[number % len(self.options.contracts)]

    def shuffled(self, seed: int, pair: int = 0, hand: int = 0) -> Deck:
        row = self.new_rows(1)
        r.shuffle_rows(row, np.uint64(stream(root_of(seed), np.int64(pair), np.int64(hand), np.int64(DECK))))
        return Deck.from_ids(row["deck"][0, : self.options.n_cards])

    def first_starter(self, seed: int, pair: int = 0) -> Seat:
        return Seat(int(_first_starter(self.new_rows(1), root_of(seed), np.int64(pair))))

    def next_starter(self, row: Rows) -> Seat:
        """Return who starts the next round: the deal alternates."""
        return Seat(1 - int(row["table"]["starter"][0]))

    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None:
        for deck in decks:
            jokers = sum(card.is_joker for card in deck)
            if (len(deck) - jokers, jokers) != (52, self.options.jokers):
                asked = f"52 cards and {self.options.jokers} jokers"
                raise DeckError(f"these rules ask for {asked}, not {len(deck) - jokers} and {jokers}")
        if any(starter not in (0, 1) for starter in starters):
            raise DeckError(f"the starter is seat 0 or 1, not {list(starters)}")
        r.open_hands(rows, np.stack([deck.ids() for deck in decks]), np.array(starters, np.int8))

    def opening(self, row: Rows) -> list[Event]:
        deck, table = row["deck"][0], row["table"][0]
        dealt, starter = 2 * self.contract_of(row).hand, int(table["starter"])
        hands = [tuple(Card(int(card)) for card in deck[seat ^ starter : dealt : 2]) for seat in (0, 1)]
        return [
            *(Event(Seat(seat), Action("deal"), hand, False) for seat, hand in enumerate(hands)),
            Event(DEALER, Action("turn up", (Card(int(table["up"])),)), (), False),
        ]

    def aside(self, row: Rows) -> list[Event]:
        turned = int(row["table"]["turned_up"][0])
        return [Event(DEALER, Action("turn up", (Card(turned),)), (), False)] if turned >= 0 else []

    def closing(self, row: Rows) -> list[Event]:
        mine = row["mine"][0]
        shown = [Action("shows", tuple(_hand(mine[seat]["hand"], mine[seat]["jokers"]))) for seat in (0, 1)]
        return [Event(Seat(seat), action, (), False) for seat, action in enumerate(shown)]

    def why_not(self, row: Rows, code: int) -> str:
        """Say in words why the rules refuse *code*: for people, not for deciding anything."""
        table = row["table"][0]
        actor = int(table["actor"])
        if actor < 0:
            return "the round is over"
        phase = r.PHASES[int(table["phase"])]
        action = self.decode(code)
        mine = row["mine"][0][actor]
        missing = [card for card in action.cards if card not in _hand(mine["hand"], mine["jokers"])]
        if phase == "draw" and action.verb == "draw stock":
            return "the stock is empty and there are no discards to make a new one of"
        if phase != "draw" and missing:
            return f"{missing[0]} is not in the hand"
        laid_down = not table["sets_left"][actor] and not table["runs_left"][actor]
        if phase == "play" and action.verb == "discard":
            return f"{action.card} was just drawn and may not be thrown while another card is left"
        if phase == "play" and action.verb == "lay off":
            return self._why_not_lay_off(table, action, laid_down)
        if phase in ("play", "lay down") and action.verb == "meld":
            return self._why_not_meld(row, action, laid_down)
        options = ", ".join(sorted({self.decode(c).verb for c in self.legal(row)}))
        return f"not possible in the phase {phase!r} (possible: {options})"

    def _why_not_lay_off(self, table: np.void, action: Action, laid_down: bool) -> str:
        if not laid_down:
            return "cards are laid off only after the own lay-down"
        if action.on > table["n_melds"]:
            return f"there is no meld {action.on} on the table ({int(table['n_melds'])} melds)"
        if table["rules"]["discard_only"] and table["n_hand"][table["actor"]] == 1:
            return "the last card must be discarded"
        return f"meld {action.on} ({_table_melds(table)[action.on - 1].cards}) does not take {action.card}"

    def _why_not_meld(self, row: Rows, action: Action, laid_down: bool) -> str:
        if laid_down:
            return "the contract is laid down already: once a round"
        contract = self.contract_of(row)
        actor = int(row["table"]["actor"][0])
        sets, runs = (int(row["table"][f"{kind}_left"][0, actor]) for kind in ("sets", "runs"))
        if not self.legal(row) or not any(self.decode(c).verb == "meld" for c in self.legal(row)):
            return f"the hand does not hold the whole contract {contract}"
        left = Contract(sets, contract.set_size, runs, contract.run_size, contract.hand)
        return f"the contract {contract} could not be completed with it (still to lay down: {left})"

    def observation(
        self, seat: Seat, view: Rows, log: tuple[Event, ...], codes: tuple[int, ...]
    ) -> ContractObservation:
        return ContractObservation(self, seat, view, log, codes)

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        table = row["table"][0]
        winner, won = int(table["winner"]), float(table["points"])
        return (0.0, 0.0) if winner < 0 else (won, -won) if winner == 0 else (-won, won)

    def result(self, row: Rows) -> dict[str, Any]:
        table = row["table"][0]
        scores = self.scores(row)
        return {
            "outcome": r.OUTCOMES[int(table["outcome"])],
            "winner": int(table["winner"]) if table["winner"] >= 0 else None,
            "points": int(table["points"]),
            "laid_down": [not table["sets_left"][seat] and not table["runs_left"][seat] for seat in (0, 1)],
            "turns": int(table["turn"]),
            "scores": list(scores),
            "penalties": list(scores[::-1]),
        }

    def match_is_over(self, row: Rows) -> bool:
        return bool(_match_is_over(row))

    def scores(self, row: Rows) -> tuple[int, ...]:
        """Return what each seat has won: the opponent's penalty points, so high is good."""
        scores = row["table"]["scores"][0]
        return int(scores[0]), int(scores[1])

    def set_scores(self, row: Rows, scores: Sequence[int]) -> None:
        row["table"]["scores"] = list(scores)

    def show(self, row: Rows) -> str:
        table = row["table"][0]
        up = int(table["up"])
        lines = [
            f"Contract rummy ({self.options.preset_name()}), contract {self.contract_of(row)}, turn {table['turn']},"
            f" phase {r.PHASES[int(table['phase'])]}",
            f"stock {int(table['stock'])}, up-card {Card(up) if up >= 0 else '-'}, penalties {self.scores(row)[::-1]}",
        ]
        for seat in (0, 1):
            mine = row["mine"][0][seat]
            mark = ">" if table["actor"] == seat else " "
            lines.append(f"{mark} seat {seat}: {_hand(mine['hand'], mine['jokers'])}")
            lines += [f"    meld {meld}" for meld in _table_melds(table) if meld.owner == seat]
        if table["actor"] < 0 and table["outcome"]:
            result = self.result(row)
            lost = f"seat {1 - result['winner']} pays {result['points']}" if result["winner"] is not None else "0-0"
            lines.append(f"{result['outcome']}: {lost}")
        return "\n".join(lines)

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        """Return the places in the deck's order whose cards *viewer* cannot tell apart by now.

        Both jokers are left out once one of them is in sight. None after a reshuffle: its order hangs on the whole
        deck, so another deck would not have led here.
        """
        table, mine = row["table"][0], row["mine"][0]
        if table["reshuffles"]:
            return []
        other = 1 - viewer
        seen = {int(card) for card in table["stack"][: table["n_pile"]]}
        hands = [_hand(mine[viewer]["hand"], mine[viewer]["jokers"]), *(meld.cards for meld in _table_melds(table))]
        if table["actor"] < 0:  # both hands are shown at the end
            hands.append(_hand(mine[other]["hand"], mine[other]["jokers"]))
        hands.append(_hand(table["known"][other], table["known_jokers"][other]))
        seen |= {card.id for hand in hands for card in hand}
        return [slot for slot, card in enumerate(row["deck"][0, : self.options.n_cards]) if int(card) not in seen]


def _no_action(action: Action) -> str:
    """Say why no action has these words."""
    cards = action.cards
    wilds = sum(card.is_joker or card.rank == 1 for card in cards)
    if action.verb == "meld" and 2 * wilds > len(cards):
        return f"{wilds} wilds in a meld of {len(cards)}: at least half of it must be natural"
    if action.verb == "meld":
        return f"{Hand.of(cards, decks=2)} is no set of one rank and no run of three or four in a suit"
    if action.verb == "lay off" and not action.on:
        return f"say on which meld, such as '{action} on meld 1'"
    return f"no action of contract rummy: {action}"


@kernel
def _first_starter(rows: Rows, root: Root, pair: int) -> int:
    return r.first_starter(rows[0].table, root, pair)


@kernel
def _match_is_over(rows: Rows) -> bool:
    return r.match_is_over(rows[0].table)


@kernel
def _next_meld(views: Rows) -> int:
    return next_meld(views[0].table, views[0].mine)


def chinese(preset: str = "chinese_mg1", **changes: Any) -> ContractRummy:
    """Return the rules of Chinese Rummy: ``chinese_mg1``, ``chinese_mg1_literal`` or ``contract7``, options changed."""
    return ContractRummy(ContractOptions.preset(preset, **changes))
