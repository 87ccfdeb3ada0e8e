"""Gin Rummy for Python: the :class:`Gin` rules object and what a seat sees.

The rules themselves are in :mod:`rummylab.games.gin.rules`. Nothing here decides what is legal or what it scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from rummylab._jit import kernel
from rummylab.cards.bulk import deadwood
from rummylab.cards.card import Card, cards_of
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.melds import melded, min_deadwood
from rummylab.engine.action import Action, Event
from rummylab.engine.deadwood import DeadwoodObservation
from rummylab.engine.drivers import seat_question, view_question
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec
from rummylab.errors import DeckError, IllegalActionError
from rummylab.games.gin import rules as r
from rummylab.games.gin.options import GinOptions
from rummylab.games.gin.showdown import showdown_code
from rummylab.games.gin.spec import SPEC

SHOWDOWN = ("spread", "lay off", "defend")
"""Phases in which melds and layoffs are chosen."""


@kernel
def _melded(hand: int) -> int:
    return melded(hand)


class GinObservation(DeadwoodObservation):
    """What a seat sees at a Gin table."""

    __slots__ = ()

    @property
    def knock_limit(self) -> int:
        """The most deadwood with which a player may knock in this hand."""
        return int(self.table["limit"])

    def would_meld(self, card: Card) -> bool:
        """Return whether *card* would be part of some meld in this hand."""
        return bool(_melded(self.hand.mask | 1 << card.id) >> card.id & 1)

    def showdown(self) -> Action:
        """Return the solver's next move in the phases ``spread``, ``lay off`` and ``defend``.

        Raises:
            IllegalActionError: In any other phase.
        """
        if self.phase not in SHOWDOWN:
            raise IllegalActionError(f"There is no showdown in the phase {self.phase!r}.")
        return self.rules.decode(int(view_question(showdown_code)(self.view)))

    def automatic(self) -> Action | None:
        """Return the best meld or layoff at the showdown."""
        return self.showdown() if self.codes and self.phase in SHOWDOWN else None

    def in_sight(self) -> set[int]:
        """Return the ids of all cards whose place this seat knows: melds and layoffs lie open."""
        spread = self.table["spread"]
        return super().in_sight() | {card.id for meld in (*spread[0], *spread[1]) for card in Hand(int(meld))}


@dataclass(frozen=True, repr=False)
class Gin(Rules):
    """The rules of two-player Gin Rummy under some options."""

    options: GinOptions = field(default_factory=GinOptions)

    spec: ClassVar[GameSpec] = SPEC
    FLAGS: ClassVar[Mapping[str, tuple[str, str]]] = {"defender_lays_off": ("layoffs", "defender")}
    STARTER_FIRST: ClassVar[bool] = False

    deadwood = staticmethod(deadwood)

    def cards_each(self, row: Rows) -> int:
        """Return how many cards each player is dealt: ten, or fewer in a small game."""
        return self.options.hand_size

    @cached_property
    def n_cards(self) -> int:
        """Number of cards in play."""
        return self.options.ranks * self.options.suits

    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None:
        """Deal a deck to each of *rows*.

        Raises:
            DeckError: A deck does not fit the options, or a starter is not a seat.
        """
        for deck in decks:
            if self.n_cards < 52 and sorted(deck.id_bytes()) != sorted(self.shuffled(0).id_bytes()):
                wanted = f"{self.options.ranks} ranks in {self.options.suits} suits"
                raise DeckError(f"{self.spec.title} with {wanted} cannot be dealt from this deck of {len(deck)} cards")
        super().deal(rows, decks, starters)

    def closing(self, row: Rows) -> list[Event]:
        """Return the automatic layoffs, then the hands shown."""
        n_laid = 0 if self.options.layoffs == "defender" else int(row["table"]["n_laid"][0])
        if n_laid == 0:
            return super().closing(row)
        table = row["table"][0]
        laid, defender = table["laid"][:n_laid].tolist(), Seat(1 - int(table["knocker"]))
        events = [Event(defender, Action("lays off", (card,)), (), False) for card in cards_of(laid)]
        return events + super().closing(row)

    def refusal(self, row: Rows, action: Action, hand: Hand, missing: Card | None) -> str:
        """Say why a discard, a knock or a meld is refused."""
        table, phase = row["table"][0], self.phase(row)
        if action.card and action.verb in ("discard", "knock") and phase == "discard":
            if missing:
                return f"{missing} is not in the hand"
            if action.card.id == int(table["taken"]):
                return f"{action.card} was just taken from the pile and may not be thrown back"
            if action.verb == "knock":
                left = int(min_deadwood(hand.mask & ~(1 << action.card.id)))
                limit = int(table["limit"])
                by_eleven = f"the eleven cards before the discard are over the limit {limit}"
                return f"deadwood {left} over the limit {limit}" if left > limit else by_eleven
            return "the same swap was made before in this hand"
        if action.verb == "meld" and phase in ("spread", "defend"):
            if missing:
                return "not all of these cards are in the hand"
            return "a card is melded already, or what is left would exceed the knock limit"
        return ""

    def details(self, row: Rows) -> dict[str, Any]:
        """Return points and scores and, after a knock, the knocker and the deadwood."""
        table, details = row["table"][0], super().details(row)
        if table["knocker"] >= 0:
            details |= {"knocker": int(table["knocker"]), "deadwood": [int(d) for d in table["deadwood"]]}
        return details

    def totals(self, row: Rows) -> tuple[int, int]:
        """Return the totals of a finished match, with boxes and bonuses."""
        total = seat_question(r.match_total)
        return int(total(row, 0)), int(total(row, 1))

    def table_note(self, row: Rows) -> str:
        """Return the cards of the discard pile."""
        return f", pile {Hand(int(row['table']['pile'][0]))}"

    def seat_note(self, row: Rows, seat: int) -> str:
        """Return the deadwood of a hand."""
        return f" (deadwood {int(min_deadwood(self.hand_at(row, seat).mask))})"

    def melds_of(self, row: Rows, seat: int) -> list[str]:
        """Return the melds laid down at the showdown."""
        melds = [str(Hand(int(meld))) for meld in row["table"]["spread"][0, seat] if meld]
        return [f"melds: {' | '.join(melds)}"] if melds else []


def gin(preset: str = "eaai", **changes: Any) -> Gin:
    """Return the rules of Gin Rummy: preset ``eaai``, ``classic`` or ``openspiel``, perhaps with changes.

    >>> gin("eaai", knock_limit=5).options.knock_limit
    5
    """
    return Gin(GinOptions.parse(preset, **changes))
