"""What a seat can infer about the cards it does not see."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummylab.cards.bits import IDS_52
from rummylab.cards.card import JOKER_ID, Card
from rummylab.engine.observation import Observation
from rummylab.engine.position import layout_of
from rummylab.engine.seats import Seat
from rummylab.errors import NotationError, UnknownNameError, check_type

CARDS: Final = tuple(Card(int(card)) for card in (*IDS_52, JOKER_ID))
"""The cards of the columns: 13 * suit + rank, then the printed joker."""
COUNTS: Final = "counts"


@dataclass(frozen=True, eq=False)
class Belief:
    """The chance that each opponent holds each card, as one seat can tell.

    ``probabilities`` has a row for each of ``opponents`` and a column for each of 53 cards: 13 * suit + rank, then the
    printed joker. With two decks, or several jokers, a value is the expected number of copies.

    >>> from rummylab import State, belief, gin
    >>> found = belief(State.deal(gin(), seed=7).observe(0), "counts")
    >>> found.probabilities.shape, round(float(found.probabilities.sum()), 3)
    ((1, 53), 10.0)
    """

    game: str
    seat: Seat
    name: str
    """How it was inferred: ``counts``, or a name of the game's own, such as ``network`` in Gin."""
    opponents: tuple[Seat, ...]
    probabilities: npt.NDArray[np.float32]

    def of(self, seat: int) -> dict[Card, float]:
        """Return the chance of every card that *seat* may hold, likeliest first.

        Raises:
            NotationError: *seat* is not an opponent.
        """
        if seat not in self.opponents:
            raise NotationError(f"seat {seat!r} is not an opponent of seat {self.seat}")
        row = self.probabilities[self.opponents.index(Seat(seat))]
        order = np.argsort(-row, kind="stable")
        return {CARDS[i]: float(row[i]) for i in order if row[i] > 0}

    def __repr__(self) -> str:
        lines = [f"<Belief of seat {self.seat} in {self.game}, by {self.name}"]
        for seat in self.opponents:
            likely = [f"{card} {chance:.0%}" for card, chance in list(self.of(seat).items())[:8]]
            lines.append(f"  seat {seat}: {', '.join(likely) or 'no cards'}")
        return "\n".join(lines) + ">"


def belief(seen: Observation, name: str | None = None) -> Belief:
    """Return what the seat that sees *seen* can infer about the opponents' hands.

    ``counts`` works in every game: cards taken from the discard pile and kept are certain, and every other unseen card
    is equally likely at each unknown place. Gin also has ``network``, its default; ``joint``, which samples whole hands
    and adapts to the opponent's play; and ``uniform``, which forgets even the cards that the opponent was seen to take.

    Raises:
        UnknownNameError: There is no such belief for this game.
    """
    check_type(seen, Observation, "seen", "an observation, such as state.observe(0)")
    check_type(name, (str, type(None)), "the name of a belief")
    own = _own_beliefs(seen.rules.name)
    known = (*(own.NAMES if own else ()), COUNTS)
    chosen = name or known[0]
    if chosen not in known:
        raise UnknownNameError(f"belief for {seen.rules.name}", chosen, known)
    opponents = tuple(Seat(seat) for seat in range(seen.rules.seats) if seat != seen.seat)
    values = _counted(seen, opponents) if chosen == COUNTS else _with_joker(own.believe(chosen, seen.view))
    return Belief(seen.rules.name, seen.seat, chosen, opponents, values)


def _own_beliefs(game: str) -> Any:
    """Return the module ``beliefs/<game>/query.py``, or None if the game has no beliefs of its own."""
    folder = f"rummylab.beliefs.{game}"
    found = find_spec(folder) and find_spec(f"{folder}.query")
    return import_module(found.name) if found else None


def _with_joker(chances: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.concatenate([chances, np.zeros((len(chances), 1), np.float32)], axis=1)


def _counted(seen: Observation, opponents: tuple[Seat, ...]) -> npt.NDArray[np.float32]:
    """Return the chances where every unseen card may lie at every unknown place."""
    layout, table, mine = layout_of(seen.rules), seen.view["table"][0], seen.view["mine"][0]
    unseen = Counter(card.id for card in seen.rules.shuffled(0))
    unseen.subtract(layout.hand(mine))
    for cards in layout.places.values():
        unseen.subtract(cards(table))
    known = {seat: Counter(layout.known(table, seat)) for seat in opponents}
    for cards_known in known.values():
        unseen.subtract(cards_known)
    left = max(1, sum(n for n in unseen.values() if n > 0))
    rows = np.zeros((len(opponents), len(CARDS)), np.float32)
    for row, seat in enumerate(opponents):
        places = layout.hand_size(table, seat) - known[seat].total()
        for column, card in enumerate(CARDS):
            rows[row, column] = known[seat][card.id] + max(0, unseen[card.id]) * places / left
    return rows
