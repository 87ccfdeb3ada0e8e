"""Actions and events in words. Both print as they parse."""

from __future__ import annotations

from dataclasses import dataclass

from rummylab.cards.card import Card, is_card
from rummylab.engine.seats import Seat
from rummylab.errors import NotationError, check_type


@dataclass(frozen=True, order=True, slots=True)
class Action:
    """A player's move: a verb of one or more words, and the cards it applies to.

    >>> Action.parse("discard 7h")
    Action.parse('discard 7h')
    >>> Action.parse("meld 3c 4c 5c").cards[0]
    Card.parse('3c')
    >>> Action.parse("lay off 7h on meld 2").on
    2
    """

    verb: str
    cards: tuple[Card, ...] = ()
    on: int = 0
    """The number of the meld on the table that the action extends, from 1; 0 if it extends none."""

    @classmethod
    def parse(cls, text: str) -> Action:
        """Read an action such as ``draw stock`` or ``discard 7h``: a verb, then cards.

        Raises:
            NotationError: *text* does not start with a verb, or a word after it is not a card.
        """
        check_type(text, str, "an action", "text such as 'discard 7h'")
        words, on = _split_place(text.split())
        n_verb = 0
        while n_verb < len(words) and words[n_verb].isalpha() and not is_card(words[n_verb]):
            n_verb += 1
        if n_verb == 0:
            raise NotationError(f"not an action: {text!r} (start with a verb, such as 'discard 7h')")
        return cls(" ".join(words[:n_verb]).lower(), tuple(Card.parse(word) for word in words[n_verb:]), on)

    @property
    def card(self) -> Card | None:
        """The card of an action that applies to exactly one card."""
        return self.cards[0] if len(self.cards) == 1 else None

    def __str__(self) -> str:
        return format(self, "")

    def __repr__(self) -> str:
        return f"Action.parse({str(self)!r})"

    def __format__(self, spec: str) -> str:
        place = [f"on meld {self.on}"] if self.on else []
        return " ".join([self.verb, *(format(card, spec) for card in self.cards), *place])


def as_action(value: Action | str) -> Action:
    """Return *value* as an action; text is parsed.

    Raises:
        NotationError: The text is not an action.
        WrongTypeError: *value* is neither an action nor text.
    """
    check_type(value, (Action, str), "an action", "an Action or text such as 'discard 7h'")
    return Action.parse(value) if isinstance(value, str) else value


def _split_place(words: list[str]) -> tuple[list[str], int]:
    """Return the words before ``on meld N``, and N."""
    if len(words) > 3 and words[-3:-1] == ["on", "meld"] and words[-1].isdecimal() and len(words[-1]) < 4:
        return words[:-3], int(words[-1])
    return words, 0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at the table. ``secret`` (cards dealt, drawn or passed) is for ``seat`` alone.

    ``chosen`` is false for what follows by rule: the deal, automatic layoffs, hands shown at the end.
    """

    seat: Seat
    action: Action
    secret: tuple[Card, ...] = ()
    chosen: bool = True

    def seen_by(self, viewer: Seat) -> Event:
        """Return the event as *viewer* saw it: another seat's secret is removed, also from the action's cards."""
        return self if viewer == self.seat else self.redacted()

    def redacted(self) -> Event:
        """Return the event as everybody but its own seat saw it."""
        if not self.secret:
            return self
        action = self.action
        if action.cards:
            shown = tuple(card for card in action.cards if card not in self.secret)
            action = Action(action.verb, shown, action.on)
        return Event(self.seat, action, (), self.chosen)

    def __str__(self) -> str:
        who = f"seat {self.seat}" if self.seat >= 0 else "table"
        secret = f" [{' '.join(map(str, self.secret))}]" if self.secret else ""
        return f"{who}: {self.action}{secret}"


Told = tuple[Event, Event]
"""An event twice: as its own seat saw it, and as the others did."""
