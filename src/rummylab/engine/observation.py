"""What one seat may know, as a copy with no way back to the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.seats import Seat

if TYPE_CHECKING:
    from rummylab.engine.rules import Rows, Rules


@dataclass(frozen=True, slots=True)
class Observation:
    """All one seat may know: copied bytes and redacted events. Each game adds its own words in a subclass."""

    rules: Rules
    seat: Seat
    view: Rows
    log: tuple[Event, ...]
    codes: tuple[int, ...]

    @property
    def legal(self) -> tuple[Action, ...]:
        """The moves to choose from; empty unless it is this seat's turn."""
        return tuple(self.rules.decode(code) for code in self.codes)

    @property
    def hand(self) -> Hand:
        """The own cards."""
        return Hand(int(self.view["mine"]["hand"][0]))
