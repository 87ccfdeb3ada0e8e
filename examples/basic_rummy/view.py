"""Basic rummy for Python: the rules object and what a seat sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from basic_rummy.options import BasicOptions
from basic_rummy.spec import SPEC
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec


class BasicObservation(Observation):
    """What a seat sees at a table of basic rummy."""

    __slots__ = ()

    @property
    def melds(self) -> tuple[Hand, ...]:
        """The melds on the table, in the order in which they were laid down."""
        return tuple(Hand(int(meld)) for meld in self.table["melds"][: self.table["n_melds"]])

    def n_cards(self, seat: Seat) -> int:
        """Return how many cards *seat* holds."""
        return int(self.table["n_hand"][seat])

    def in_sight(self) -> set[int]:
        """Return the ids of all cards whose place this seat knows: melds lie open."""
        return super().in_sight() | {card.id for meld in self.melds for card in meld}

    def table_lines(self, style: str, names: Sequence[str]) -> list[str]:
        """Return the melds on the table before everything else."""
        melds = [f"  {format(meld, style)}" for meld in self.melds]
        return [*(["on the table"] if melds else []), *melds, *super().table_lines(style, names)]


@dataclass(frozen=True)
class BasicRummy(Rules):
    """The rules of basic rummy under some options."""

    options: BasicOptions = field(default_factory=BasicOptions)

    spec: ClassVar[GameSpec] = SPEC

    def cards_each(self, row: Rows) -> int:
        """Return how many cards each player is dealt."""
        return self.options.cards

    def refusal(self, row: Rows, action: Action, hand: Hand, missing: Card | None) -> str:
        """Say why a card can be neither discarded nor laid off."""
        if self.phase(row) != "play" or missing or not action.card:
            return ""
        if action.verb == "lay off":
            return f"{action.card} fits no meld on the table"
        return f"{action.card} was just taken from the pile and may not be discarded"


def basic_rummy(preset: str = "ten", **changes: Any) -> BasicRummy:
    """Return the rules of basic rummy: preset ``ten`` or ``seven``, perhaps with changes."""
    return BasicRummy(BasicOptions.parse(preset, **changes))
