"""What one seat may know, as a copy with no way back to the table."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rummylab.cards.bits import to_ids
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine import position
from rummylab.engine.action import Action, Event
from rummylab.engine.lookup import rules_of
from rummylab.engine.position import Parsed
from rummylab.engine.seats import Seat
from rummylab.errors import NotationError, check_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rummylab.engine.rows import Rows
    from rummylab.engine.rules import Rules


def card_or_none(number: Any) -> Card | None:
    """Return the card with this id; a negative number stands for no card."""
    return Card(int(number)) if number >= 0 else None


def hand_of(part: Any, name: str = "hand", seat: int | None = None) -> Hand:
    """Return the cards in the field *name* of a record, with those held twice and the jokers where it has them.

    The hand itself has its companions in ``twice`` and ``jokers``, other fields in ``NAME_twice`` and ``NAME_jokers``.
    *seat* picks the element of fields that have one for each seat.
    """
    fields = _fields_of(name, part.dtype)
    return Hand(*[int(part[one] if seat is None else part[one][seat]) if one else 0 for one in fields])


@cache
def _fields_of(name: str, kind: np.dtype[np.void]) -> tuple[str, ...]:
    """Return the fields with the cards *name*, those held twice and the jokers; empty for one that is missing."""
    prefix = "" if name == "hand" else f"{name}_"
    fields = (name, f"{prefix}twice", f"{prefix}jokers")
    return tuple(one if one in (kind.names or ()) else "" for one in fields)


class Observation:
    """All one seat may know: copied bytes and redacted events.

    Every game has the properties below, with the same types and meaning. A game's own subclass adds to them. Two
    observations are equal if the rules, the seats and the positions are; the log does not count.
    """

    # Private fields with read-only properties: a frozen dataclass takes four times as long to make. The bytes of a view
    # become an array when somebody asks for one; compiled agents do not.
    __slots__ = ("_codes", "_log", "_rules", "_seat", "_view")

    def __init__(
        self, rules: Rules, seat: Seat, view: Rows | bytes, log: tuple[Event, ...], codes: tuple[int, ...] | None = None
    ) -> None:
        self._rules, self._seat, self._view, self._log, self._codes = rules, seat, view, log, codes

    @property
    def rules(self) -> Rules:
        """The game and its options."""
        return self._rules

    @property
    def seat(self) -> Seat:
        """Whose observation it is."""
        return self._seat

    @property
    def view(self) -> Rows:
        """One record with the public ``table`` and the private ``mine``, as the game's page lists their fields."""
        view = self._view
        if isinstance(view, bytes):
            view = self._view = np.ndarray(1, self._rules.view, bytearray(view))
        return view

    def view_bytes(self) -> bytes:
        """Return the bytes of the view."""
        view = self._view
        return view if isinstance(view, bytes) else view.tobytes()

    @property
    def log(self) -> tuple[Event, ...]:
        """What happened in this hand, as the seat saw it."""
        return self._log

    @property
    def codes(self) -> tuple[int, ...]:
        """Codes of the legal moves; empty unless it is this seat's turn. Computed from the view on first use."""
        if self._codes is None:
            self._codes = tuple(self._rules.legal_in(self.view)) if self.actor == self._seat else ()
        return self._codes

    @property
    def table(self) -> np.void:
        """The public part of the position, field by field."""
        table: np.void = self.view["table"][0]
        return table

    @property
    def mine(self) -> np.void:
        """The private part of the position, field by field."""
        mine: np.void = self.view["mine"][0]
        return mine

    @property
    def phase(self) -> str:
        """What kind of decision is due, such as ``draw`` or ``discard``; ``over`` at the end."""
        return str(self.rules.spec.kernels.PHASES[int(self.table["phase"])])

    @property
    def actor(self) -> Seat | None:
        """Whose turn it is; nobody's when the hand is over."""
        actor = int(self.table["actor"])
        return Seat(actor) if actor >= 0 else None

    @property
    def legal(self) -> tuple[Action, ...]:
        """The moves to choose from; empty unless it is this seat's turn."""
        return tuple(self.rules.decode(code) for code in self.codes)

    @property
    def hand(self) -> Hand:
        """The seat's own cards."""
        return hand_of(self.mine)

    @property
    def upcard(self) -> Card | None:
        """The top card of the discard pile, if there is one."""
        return card_or_none(self.table["up"])

    @property
    def pile(self) -> tuple[Card, ...]:
        """The discard pile, bottom to top; sorted in games whose record keeps only which cards are in it."""
        table = self.table
        if "stack" in (table.dtype.names or ()):
            return tuple(Card(int(card)) for card in table["stack"][: table["n_pile"]])
        return tuple(map(Card, to_ids(int(table["pile"]))))

    @property
    def stock(self) -> int:
        """How many cards the stock holds."""
        return int(self.table["stock"])

    @property
    def scores(self) -> tuple[int, ...]:
        """The running scores of the match, by seat; high is good."""
        return tuple(int(score) for score in self.table["scores"][: self.rules.seats])

    def known(self, seat: Seat) -> Hand:
        """Return the cards *seat* is known to hold: taken from the discard pile and not played since."""
        return hand_of(self.table, "known", seat)

    def in_sight(self) -> set[int]:
        """Return the ids of all cards whose place this seat knows: not the stock, nor what other hands hide."""
        others = (self.known(Seat(seat)) for seat in range(self.rules.seats) if seat != self.seat)
        return {card.id for card in chain(self.hand, self.pile, *others)}

    # --- Text and JSON, without the log -------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what a seat sees from the text that :meth:`to_text` writes. The log starts empty.

        >>> from rummylab import Observation, State, gin
        >>> seen = State.deal(gin(), seed=7).observe(0)
        >>> Observation.parse(str(seen)) == seen
        True

        Raises:
            NotationError: *text* is not a seat's view of a position. The message names the field.
        """
        check_type(text, str, "a position", "text")
        return cls.at(position.from_text(text, rules_of))

    @classmethod
    def from_json(cls, text: str | bytes | dict[str, Any]) -> Self:
        """Read what a seat sees from the JSON that :meth:`to_json` writes, as text or as an object.

        Raises:
            NotationError: It is not a seat's view of a position. The message names the field.
        """
        check_type(text, (str, bytes, dict), "a position", "JSON text or an object")
        return cls.at(position.from_json(text, rules_of))

    @classmethod
    def at(cls, parsed: Parsed) -> Self:
        """Return the view of a position that was read.

        Raises:
            NotationError: The position is a whole table, or one of another game.
        """
        check_type(parsed, Parsed, "a position", "a position that was read")
        rules = parsed.rules
        if parsed.seat is None:
            raise NotationError("this is the whole table; read it with State.parse or from_json, then observe a seat")
        seen = rules.observation(Seat(parsed.seat), parsed.row, ())
        if not isinstance(seen, cls):
            raise NotationError(f"this is a position of {rules.name}, not a {cls.__name__}")
        return seen

    def to_text(self) -> str:
        """Return what the seat sees as one line of text; :meth:`parse` reads it."""
        return position.to_text(self.rules, self.view, self.seat)

    def to_json(self) -> str:
        """Return what the seat sees as JSON; :meth:`from_json` reads it."""
        return position.to_json(self.rules, self.view, self.seat)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        value = position.to_dict(self.rules, self.view, self.seat)
        shown = {name: value[name] for name in ("phase", "hand", "upcard", "stock") if name in value}
        if "pile" in value and "upcard" not in value:
            shown["upcard"] = value["pile"][-1]
        words = [f"{name} {' '.join(part) if isinstance(part, list) else part}" for name, part in shown.items()]
        head = f"{type(self).__name__} {self.rules.name} {self.rules.options}, seat {self.seat}"
        return f"<{head}: {', '.join(words)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Observation):
            return NotImplemented
        return (self.rules, self.seat, self.view_bytes()) == (other.rules, other.seat, other.view_bytes())

    def __hash__(self) -> int:
        return hash((self.rules, self.seat, self.view_bytes()))

    # --- At the table -------------------------------------------------------------------------------------------------

    def arranged(self, hand: Hand, style: str) -> str:
        """Return *hand* as a player would sort it; *style* is the format of the cards."""
        cards = sorted(hand, key=lambda card: (card.is_joker, card.rank, card.suit))
        return " ".join(format(card, style) for card in cards)

    def table_lines(self, style: str, names: Sequence[str]) -> list[str]:
        """Return what the player at the terminal is shown before each decision; *names* are the players', by seat."""
        up = format(self.upcard, style) if self.upcard else "-"
        lines = [f"stock {self.stock} · upcard {up}{self.table_note(style)}"]
        for seat in range(self.rules.seats):
            if seat != self.seat and len(known := self.known(Seat(seat))):
                lines.append(f"{names[seat]} holds {self.arranged(known, style)}")
        return [*lines, self.arranged(self.hand, style) + self.hand_note()]

    def table_note(self, style: str) -> str:
        """Return what to add to the line about stock and upcard."""
        return ""

    def hand_note(self) -> str:
        """Return what to add to the line with the player's hand, such as its deadwood."""
        return ""

    def advice(self, style: str) -> str:
        """Return what arithmetic says about the decision; empty if it says nothing."""
        return ""

    def automatic(self) -> Action | None:
        """Return the move to make for a person at the table without asking; mostly there is none."""
        return None
