"""Values and reasons in Gin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rummylab.agents.gin.champion_explain import values
from rummylab.analysis import deadwood
from rummylab.analysis.answers import Estimate, Estimates, Reason
from rummylab.analysis.deadwood import Floats, Ints, card_of
from rummylab.cards.bits import ALL_CARDS
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows
from rummylab.games.gin import rules as r
from rummylab.games.gin.options import GinOptions
from rummylab.games.gin.view import GinObservation

WORLDS = 4000
REVIEW_WORLDS = 1000
CHUNK = 250
BLUNDER = 3.0
CHAMPION_SE: Final = 7.0
"""Root mean square difference, in points, between the champion's values and the means of its own play-outs."""
CHAMPION_BEHIND_SE: Final = 3.7
"""The same for the difference between a move and the best one. Measured: `rummylab.analysis.calibration`."""
_LEARNED: Final = GinOptions()
LATE_FROM = 5
"""From this turn of each player on, a discard counts as late."""


def player(seen: Observation) -> str:
    """Return the agent that plays the worlds out."""
    return "simple"


def estimates(seen: Observation) -> Estimates | None:
    """Return the champion's values of draws, discards and knocks; None at the showdown and under other rules.

    The champion learned the scores of the preset ``eaai``. Only the target of the match may differ.
    """
    assert isinstance(seen, GinObservation)
    options = seen.rules.options
    assert isinstance(options, GinOptions)
    if replace(options, target=_LEARNED.target) != _LEARNED:
        return None
    found = values(seen)
    if not found:
        return None
    moves = [Estimate(seen.rules.encode(one.action), one.points, one.win_chance, one.match_chance) for one in found]
    return Estimates("champion", tuple(moves), CHAMPION_SE, CHAMPION_BEHIND_SE)


def candidates(seen: Observation) -> list[int]:
    """Return all legal moves."""
    return list(seen.codes)


def unseen(seen: Observation) -> int:
    """Return the cards that may be in the stock or hidden in the opponent's hand."""
    table = seen.table
    in_sight = int(seen.mine["hand"]) | int(table["pile"]) | int(table["known"][1 - seen.seat])
    return int(ALL_CARDS) & ~in_sight


def signals(seen: Observation, codes: Sequence[int], worlds: Rows, ends: Rows, replies: Ints) -> dict[str, Floats]:
    """Return takes, undercuts and the opponent's deadwood."""
    assert isinstance(seen, GinObservation)
    return deadwood.play_signals(seen, worlds, ends, replies, r.TAKE_UP_CARD, r.UNDERCUT)


def facts(seen: Observation, signals: dict[str, Floats]) -> tuple[Reason, ...]:
    """Return deadwood, outs and the opponent's likely deadwood."""
    assert isinstance(seen, GinObservation)
    return deadwood.position_facts(seen, signals, unseen(seen))


def reasons(seen: Observation, action: Action, signals: dict[str, float]) -> tuple[Reason, ...]:
    """Return the reasons for and against *action*."""
    assert isinstance(seen, GinObservation)
    hidden, limit = unseen(seen), seen.knock_limit
    if action.verb == "discard":
        return tuple(deadwood.discard_reasons(seen, card_of(action), signals, hidden, limit))
    if action.verb == "knock":
        return tuple(deadwood.knock_reasons(seen, card_of(action), signals))
    if action.verb == "big gin":
        return (Reason("ends_hand", 0, "shows eleven melded cards"),)
    if seen.phase in ("draw", "offer"):
        return tuple(deadwood.draw_reasons(seen, action, hidden, limit))
    return ()


def kind(seen: Observation, action: Action) -> str:
    """Return what kind of decision it is: a knock counts only where one is possible."""
    if seen.phase in ("offer", "draw"):
        return str(seen.phase)
    if seen.phase == "discard":
        may_knock = any(r.KNOCK_CODE <= code < r.LAY_OFF_CODE for code in seen.codes)
        if may_knock:
            return "knock" if action.verb in ("knock", "big gin") else "keep playing"
        return deadwood.early_or_late(int(seen.table["turn"]), 2, LATE_FROM)
    return "lay off" if seen.phase in ("lay off", "defend", "spread") else "wall"
