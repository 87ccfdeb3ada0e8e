"""Contract rummy for Python: the :class:`ContractRummy` rules object and what a seat sees.

The rules themselves are in :mod:`rummylab.games.contract.rules`. Nothing here decides what is legal or what it scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, ClassVar, Final

import numpy as np

from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.card import JOKER_ID, Card
from rummylab.cards.hand import Hand
from rummylab.cards.planes import JOKER_BIT
from rummylab.engine.action import Action, Event
from rummylab.engine.codec import Codec, MeldCodes
from rummylab.engine.drivers import view_question
from rummylab.engine.observation import Observation, card_or_none
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules, face_up
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec, Verb
from rummylab.games.contract import rules as r
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.melds import (
    AT_ONCE,
    N_PATTERNS,
    N_RUNS,
    N_SETS,
    N_WILD_SETS,
    SET_PATTERNS,
    TOP,
    TWOS,
    WILD_SETS,
)
from rummylab.games.contract.options import Contract, ContractOptions
from rummylab.games.contract.spec import SPEC

_NUMBERS: Final = ("no", "a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table."""

    number: int
    """Its number, from 1, in the order in which melds were laid down."""
    owner: Seat
    """Who laid it down."""
    kind: str
    """``set`` or ``run``."""
    cards: Hand
    """Its cards."""

    def __format__(self, spec: str) -> str:
        return f"{self.number}: {format(self.cards, spec)}"


def table_melds(table: np.void) -> tuple[TableMeld, ...]:
    """Return the melds on a table, in the order in which they were laid down."""
    return tuple(
        TableMeld(
            k + 1,
            Seat(int(table["owner"][k])),
            ("", "set", "run")[table["meld_kind"][k]],
            Hand(int(table["melds"][k]), int(table["melds_twice"][k]), int(table["meld_jokers"][k])),
        )
        for k in range(int(table["n_melds"]))
    )


def has_laid_down(table: np.void, seat: int) -> bool:
    """Return whether *seat* has laid down the whole contract."""
    return not table["sets_left"][seat] and not table["runs_left"][seat]


class ContractObservation(Observation):
    """What a seat sees at a contract rummy table."""

    __slots__ = ()

    @property
    def contract(self) -> Contract:
        """What this round asks for."""
        assert isinstance(self.rules, ContractRummy)
        return self.rules.contract_of(self.view)

    @property
    def melds(self) -> tuple[TableMeld, ...]:
        """The melds on the table, in the order in which they were laid down."""
        return table_melds(self.table)

    def has_laid_down(self, seat: Seat) -> bool:
        """Return whether *seat* has laid down the whole contract."""
        return has_laid_down(self.table, seat)

    def n_cards(self, seat: Seat) -> int:
        """Return how many cards *seat* holds."""
        return int(self.table["n_hand"][seat])

    def thrown(self, seat: Seat) -> Hand:
        """Return the kinds of cards *seat* has discarded in this round."""
        mask = int(self.table["thrown"][seat])
        return Hand(mask & ALL_CARDS, 0, mask >> JOKER_ID & 1)

    @property
    def penalties(self) -> tuple[int, ...]:
        """The penalty points of the match, by seat; low is good."""
        return penalties_of(self.scores)

    def buys_left(self, seat: Seat) -> int:
        """Return how many discards *seat* may still buy in this round."""
        assert isinstance(self.rules, ContractRummy)
        return self.rules.buys_of(self.view) - int(self.table["buys"][seat])

    @property
    def freed(self) -> Card | None:
        """The wild that the actor has just replaced and must lay off at once, if any."""
        return card_or_none(self.table["freed"])

    def lay_down(self) -> Action | None:
        """Return the solver's next meld of a laydown; nothing if the contract cannot be laid down now."""
        code = int(view_question(next_meld)(self.view)) if self.phase in ("play", "lay down") and self.codes else -1
        return self.rules.decode(code) if code >= 0 else None

    def in_sight(self) -> set[int]:
        """Return the ids of all cards whose place this seat knows: melds lie open."""
        return super().in_sight() | {card.id for meld in self.melds for card in meld.cards}

    def table_lines(self, style: str, names: Sequence[str]) -> list[str]:
        """Return the contract, who has laid it down, the melds on the table, and the hand."""
        wild = "twos and jokers are wild" if self.table["rules"]["wild_twos"] else "jokers are wild"
        lines = [f"contract: {contract_words(self.contract)} · {wild}"]
        down = [names[seat] for seat in range(self.rules.seats) if self.has_laid_down(Seat(seat))]
        if down:
            have = "has" if len(down) == 1 and down != [names[self.seat]] else "have"
            lines.append(f"{' and '.join(down)} {have} laid it down")
        if self.table["short"]:
            lines.append(f"meld {self.table['n_melds']} needs {self.table['short']} more")
        if self.freed is not None:
            lines.append(f"{format(self.freed, style)} was taken from a meld and must be laid off now")
        first, *rest = super().table_lines(style, names)
        melds = [f"  meld {format(meld, style)}   ({names[meld.owner]})" for meld in self.melds]
        return [*lines, first, *melds, *rest]


def contract_words(contract: Contract) -> str:
    """Return what a contract asks for: ``two sets of three and a run of four``."""
    items = Counter([("set", size) for size in contract.set_sizes] + [("run", size) for size in contract.run_sizes])
    return " and ".join(
        f"{_NUMBERS[n]} {what}{'s' * (n > 1)} of {_NUMBERS[size] if size <= 10 else size}"
        for (what, size), n in items.items()
    )


def penalties_of(scores: Sequence[int]) -> tuple[int, ...]:
    """Return the penalty points by seat: a score is what all others were caught with."""
    total = sum(scores) // (len(scores) - 1)
    return tuple(total - score for score in scores)


@dataclass(frozen=True, repr=False)
class ContractRummy(Rules):
    """The rules of contract rummy under some options."""

    options: ContractOptions = field(default_factory=ContractOptions)

    spec: ClassVar[GameSpec] = SPEC
    FLAGS: ClassVar[Mapping[str, tuple[str, str]]] = {
        "larger_sets": ("set_sizes", "minimum"),
        "discard_only": ("going_out", "discard_only"),
        "all_non_hand": ("reshuffle", "all_non_hand"),
    }

    @property
    def version(self) -> int:
        """Version of the behavior: two players with sets alone still play by the first."""
        first = self.seats == 2 and not any(contract.runs for contract in self.options.contracts)
        return 1 if first else self.spec.version

    @cached_property
    def _codec(self) -> Codec:
        """The codec of the game, by what a two is."""
        return _codec_for(self.options.wild_twos)

    @classmethod
    def meld_codes(cls, verb: Verb, first: int, wild_twos: bool = True) -> MeldCodes:
        """Yield every set or run of up to four cards that can be laid down, with its code."""
        is_set = verb.kind == "a set"
        for number in range(N_SETS if is_set else N_RUNS):
            naturals = _set_cards(number) if is_set else _run_cards(number)
            if wild_twos and any(card & 15 == 1 for card in naturals):
                continue
            for choice, (twos, double, jokers) in enumerate(WILD_SETS):
                wild = [16 * suit + 1 for suit in range(4) for _ in range((twos >> suit & 1) + (double >> suit & 1))]
                size = len(naturals) + len(wild) + jokers
                is_meld = len(naturals) >= max(2, len(wild) + jokers) and size >= 3 and (wild_twos or not wild)
                if is_meld and (is_set or _is_run(number, size)):
                    cards = sorted([*naturals, *wild, *[JOKER_ID] * jokers])
                    yield first + number * N_WILD_SETS + choice, tuple(map(Card, cards))

    def no_such_action(self, action: Action) -> str:
        """Say why no action reads like *action*."""
        cards = action.cards
        wilds = sum(card.is_joker or (card.rank == 1 and self.options.wild_twos) for card in cards)
        if action.verb in ("lay down", "meld") and 2 * wilds > len(cards):
            return f"{wilds} wilds in a meld of {len(cards)}: at least half of it must be natural"
        if action.verb in ("lay down", "meld") and len(cards) > AT_ONCE:
            return f"lay down up to {AT_ONCE} cards of a meld at once, then add the others: 'lay off 7h on meld 1'"
        if action.verb in ("lay down", "meld"):
            shown = " ".join(map(str, sorted(cards)))
            return f"{shown} is neither a set of one rank nor a run of three or four in a suit"
        if action.verb in ("lay off", "lay off low", "replace") and not action.on:
            return f"say on which meld, such as '{action} on meld 1'"
        return super().no_such_action(action)

    def start_row(self) -> Rows:
        """Return one position at the start of a match, with the contracts of all rounds."""
        rows, options = super().start_row(), self.options
        rules = rows["table"]["rules"]
        rules["wild_kinds"] = JOKER_BIT | (TWOS if options.wild_twos else 0)
        rules["n_contracts"] = len(options.contracts)
        for number, contract in enumerate(options.contracts):
            rules["sets"][:, number], rules["set_sizes"][:, number] = contract.sets, _packed(contract.set_sizes)
            rules["runs"][:, number], rules["run_sizes"][:, number] = contract.runs, _packed(contract.run_sizes)
            rules["hand_size"][:, number] = contract.hand
            rules["buys"][:, number] = self._buys(number)
        for name in ("ten_points", "ace_points"):
            if rules[name] < 0:
                rules[name] = options.high_points
        rows["table"]["stack"] = rows["deck"] = -1
        return rows

    def _buys(self, number: int) -> int:
        """Return how many discards each may buy in round *number* from 0: none at a table of two."""
        return self.options.buys_by_round[number] if self.seats > 2 else 0

    def _round(self, rows: Rows) -> int:
        """Return the number of the round, from 0, in the list of contracts."""
        table = rows["table"][0]
        number = int(table["hand_no"]) - (table["phase"] == r.OVER)  # a finished round is counted already
        return int(number) % len(self.options.contracts)

    def contract_of(self, rows: Rows) -> Contract:
        """Return the contract of the round at a table, or in a view of it."""
        return self.options.contracts[self._round(rows)]

    def buys_of(self, rows: Rows) -> int:
        """Return how many discards each player may buy in this round."""
        return self._buys(self._round(rows))

    def cards_each(self, row: Rows) -> int:
        """Return how many cards each player is dealt in this round."""
        return self.contract_of(row).hand

    def aside(self, row: Rows) -> list[Event]:
        """Return the card turned up after a reshuffle."""
        turned = row["table"]["turned_up"][0]
        return [face_up("turn up", turned)] if turned >= 0 else []

    def refusal(self, row: Rows, action: Action, hand: Hand, missing: Card | None) -> str:
        """Say why a draw, a discard, a layoff or a laydown is refused."""
        table, phase = row["table"][0], self.phase(row)
        if phase == "draw":
            empty = "the stock is empty and there are no discards to make a new one from"
            return empty if action.verb == "draw stock" else ""
        if phase == "buy":
            return ""
        if missing:
            return f"{missing} is not in the hand"
        laid_down = has_laid_down(table, int(table["actor"]))
        if table["freed"] >= 0:
            return f"{Card(int(table['freed']))} was taken from a meld and must be laid off at once"
        if phase == "play" and action.verb == "discard":
            if int(table["n_hand"][table["actor"]]) == 1:
                return "the last card may not be discarded in the last round: lay it off, or keep it and pass"
            return f"{action.card} was just drawn and may not be discarded while another card is left"
        if action.verb in ("lay off", "lay off low", "replace"):
            return self._why_not_add(table, action, laid_down)
        return self._why_not_lay_down(row, laid_down) if action.verb == "lay down" else ""

    def _why_not_add(self, table: np.void, action: Action, laid_down: bool) -> str:
        """Say why a card cannot be laid off, or take the place of a wild."""
        replaces, melds = action.verb == "replace", table_melds(table)
        if replaces and not table["rules"]["wild_replacement"]:
            return "wilds stay where they are at this table: the option wild_replacement is off"
        if table["short"] and not replaces:
            return f"meld {len(melds)} comes first: it needs {table['short']} more and the contract must follow"
        if not laid_down or table["short"]:
            what = "replacing a wild" if replaces else "laying off cards"
            return f"a player must lay down the contract before {what}"
        if action.on > len(melds):
            return f"there is no meld {action.on} on the table ({len(melds)} melds)"
        if table["rules"]["discard_only"] and table["n_hand"][table["actor"]] == 1:
            return "the last card must be discarded"
        meld = f"meld {action.on} ({melds[action.on - 1].cards})"
        return f"no wild of {meld} stands for {action.card}" if replaces else f"{meld} does not take {action.card}"

    def _why_not_lay_down(self, row: Rows, laid_down: bool) -> str:
        if laid_down:
            return "the contract is laid down already: once a round"
        contract = self.contract_of(row)
        table = row["table"][0]
        if table["short"]:
            return f"meld {table['n_melds']} comes first: it needs {table['short']} more"
        if not any(self.decode(code).verb == "lay down" for code in self.legal(row)):
            return f"the hand does not hold the whole contract {contract}"
        sets, runs = (int(table[f"{kind}_left"][table["actor"]]) for kind in ("sets", "runs"))
        left = Contract(contract.set_sizes[contract.sets - sets :], contract.run_sizes[contract.runs - runs :], 0)
        return f"the contract {contract} could not be completed with it (still to lay down, the largest first: {left})"

    def details(self, row: Rows) -> dict[str, Any]:
        """Return points, who laid down, turns, scores and penalties."""
        table, scores = row["table"][0], self.scores(row)
        return {
            "points": int(table["points"]),
            "laid_down": [has_laid_down(table, seat) for seat in range(self.seats)],
            "turns": int(table["turn"]),
            "scores": list(scores),
            "penalties": list(penalties_of(scores)),
        }

    def score_line(self, row: Rows, names: Sequence[str]) -> str:
        """Return the penalty points, as players of the game keep score."""
        paid = zip(names, penalties_of(self.scores(row)), strict=True)
        return "penalties: " + ", ".join(f"{name} {points}" for name, points in paid)

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        """Return what each seat gained on the others: the mean of their penalties less its own."""
        paid = [int(one) for one in row["table"]["paid"][0, : self.seats]]
        return tuple((sum(paid) - own) / (self.seats - 1) - own for own in paid)

    def table_note(self, row: Rows) -> str:
        """Return the contract and the penalty points."""
        return f", contract {self.contract_of(row)}, penalties {penalties_of(self.scores(row))}"

    def melds_of(self, row: Rows, seat: int) -> list[str]:
        """Return the melds that *seat* has laid down."""
        return [f"meld {meld}" for meld in table_melds(row["table"][0]) if meld.owner == seat]


@cache
def _codec_for(wild_twos: bool) -> Codec:
    """Return the codec of games where twos are wild, or are not."""
    return Codec(SPEC, lambda verb, first: ContractRummy.meld_codes(verb, first, wild_twos))


def _packed(sizes: Sequence[int]) -> int:
    """Return sizes as the kernels read them: four bits each, the first lowest."""
    return sum(size << 4 * k for k, size in enumerate(sizes))


def _set_cards(number: int) -> list[int]:
    """Return the natural cards of set *number*."""
    rank, pattern = divmod(number, N_PATTERNS)
    once, twice = SET_PATTERNS[pattern]
    return [16 * suit + rank for suit in range(4) for _ in range((once >> suit & 1) + (twice >> suit & 1))]


def _run_cards(number: int) -> list[int]:
    """Return the natural cards of run *number*."""
    suit, low = divmod(number // 8, 13)
    places = [low, *(low + 1 + k for k in range(3) if number >> k & 1)]
    return [16 * suit + place % 13 for place in places] if max(places) <= TOP else []


def _is_run(number: int, size: int) -> bool:
    """Return whether the naturals of run *number* lie within *size* places, four at the most."""
    return size <= AT_ONCE and (number & 7) >> (size - 1) == 0


def contract(preset: str = "chinese", **changes: Any) -> ContractRummy:
    """Return the rules of contract rummy: a preset such as ``chinese`` or ``contract-7``, perhaps with changes.

    >>> contract("chinese", target=100, rounds=0).options.target
    100
    """
    return ContractRummy(ContractOptions.parse(preset, **changes))
