"""Actions in words and as the kernels number them, made from the verbs that a game declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import JOKER_ID, Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event, Told
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec, Verb
from rummylab.errors import NotationError

MELD_STRIDE = 64
"""Codes between a card laid off on one meld and the same card on the next."""
MeldCodes = Iterable[tuple[int, tuple[Card, ...]]]


class Codec:
    """Translates the actions of a game to codes and back."""

    def __init__(self, spec: GameSpec, meld_codes: Callable[[Verb, int], MeldCodes]) -> None:
        self.title = spec.title
        self.by_code: dict[int, Action] = {}
        self.former: dict[str, str] = {old: verb.words for verb in spec.verbs for old in verb.former}
        cards = [Card(card) for card in (*to_ids(ALL_CARDS), *[JOKER_ID] * spec.jokers)]
        for verb in spec.verbs:
            first = int(getattr(spec.kernels, verb.code))
            if verb.takes == "":
                self.by_code[first] = Action(verb.words)
            elif verb.takes == "CARD":
                self.by_code |= {first + card.id: Action(verb.words, (card,)) for card in cards}
            elif verb.takes == "CARDS":
                self.by_code |= {code: Action(verb.words, meld) for code, meld in meld_codes(verb, first)}
            else:
                for k in range(spec.kernels.ON_TABLE):
                    codes = {first + MELD_STRIDE * k + card.id: Action(verb.words, (card,), k + 1) for card in cards}
                    self.by_code |= codes
        self.by_action = {action: code for code, action in self.by_code.items()}
        self.by_identity = {id(action): code for code, action in self.by_code.items()}
        self._told: dict[tuple[int, int, int], Told] = {}

    def encode(self, action: Action) -> int | None:
        """Return the code of *action*, its cards in any order, former words understood; nothing if it has none."""
        code = self.by_action.get(action)
        if code is None:
            verb = self.former.get(action.verb, action.verb)
            code = self.by_action.get(Action(verb, tuple(sorted(action.cards)), action.on))
        return code

    def decode(self, code: int) -> Action:
        """Return the action with this *code*.

        Raises:
            NotationError: If there is none.
        """
        try:
            return self.by_code[code]
        except KeyError:
            raise NotationError(f"no action of {self.title} has the code {code}") from None

    def told(self, seat: Seat, code: int, drawn: int) -> Told:
        """Return the event of a move, as its seat and as the others see it. Each is made once."""
        told = self._told.get((seat, code, drawn))
        if told is None:
            event = Event(seat, self.decode(code), (Card(drawn),) if drawn >= 0 else ())
            told = self._told[seat, code, drawn] = event, event.redacted()
        return told


def numbered_melds(masks: Iterable[int], first: int) -> MeldCodes:
    """Yield the codes of melds that are numbered in order, from *first* on."""
    for number, meld in enumerate(masks):
        yield first + number, tuple(Hand(int(meld)))
