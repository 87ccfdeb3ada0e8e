"""What the table plays for a person who misses a turn (rules page of Indian Rummy, "Missed turns")."""

from __future__ import annotations

from typing import Final

from rummylab.engine.action import Action
from rummylab.engine.observation import Observation, card_or_none

DROP_AT: Final = 3
"""The missed turn, in a row, that is a drop where the game has drops."""
QUIET: Final = ("pass", "done", "leave", "play on", "draw stock")
"""Moves that commit a player to nothing, the first that is legal."""


def missed_move(seen: Observation, missed: int) -> Action:
    """Return the move for a person who has now missed *missed* turns in a row, this one included.

    The card just drawn is thrown again; the third turn in a row is a drop.
    """
    legal = seen.legal
    drop = Action("drop")
    if missed >= DROP_AT and drop in legal:
        return drop
    for verb in QUIET:
        if Action(verb) in legal:
            return Action(verb)
    drawn = card_or_none(seen.mine["drawn"])
    throw = Action("discard", (drawn,)) if drawn is not None else None
    if throw in legal and throw is not None:
        return throw
    throws = [action for action in legal if action.verb in ("discard", "pass")]
    return max(throws, key=lambda action: action.cards[0].rank) if throws else legal[0]
