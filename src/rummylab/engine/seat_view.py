"""Text and JSON of what one seat sees: the methods that every observation inherits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from rummylab.engine import position
from rummylab.engine.lookup import rules_of
from rummylab.engine.position import Parsed
from rummylab.engine.seats import Seat
from rummylab.errors import NotationError, check_type

if TYPE_CHECKING:
    from rummylab.engine.rows import Rows
    from rummylab.engine.rules import Rules


class SeatView:
    """What a seat sees, with a text and a JSON form. The log of events is not part of either.

    Two views are equal if the rules, the seats and the positions are.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def rules(self) -> Rules: ...
        @property
        def seat(self) -> Seat: ...
        @property
        def view(self) -> Rows: ...
        def view_bytes(self) -> bytes: ...

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
        """Return the view of a position that was read."""
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
        if not isinstance(other, SeatView):
            return NotImplemented
        return (self.rules, self.seat, self.view_bytes()) == (other.rules, other.seat, other.view_bytes())

    def __hash__(self) -> int:
        return hash((self.rules, self.seat, self.view_bytes()))
