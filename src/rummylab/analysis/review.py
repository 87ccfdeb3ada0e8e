"""Review a finished hand: what each decision cost, and how luck and skill add up to the result.

Every event changes what the table is worth to the reviewed player, all cards seen. For a decision, the part that its
player could answer for is *skill*: the value of the move less that of the best move, both judged by what the player saw
(:mod:`rummylab.analysis.trials`). All else is *luck*: the cards, and what nobody could know. So

    result = luck + own decisions + the opponents' decisions

holds exactly, whatever the errors of the estimates. A table that is not finished is worth the mean result of play-outs;
before the deal it is worth 0.

The loss of a decision is cross-fitted: one half of the worlds chooses the best move, the other half measures the
difference, and the other way round. So a choice among equals is not called a loss because chance favored another.

Where a game's coach values moves by other means than play-outs (the champion's values in Gin), the move that it would
choose is never called a mistake: who follows a hint is not blamed for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rummylab.analysis.answers import MoveValue
from rummylab.analysis.tables import TableValues, names_of, played_state, state_before
from rummylab.analysis.trials import Explainer, Floats, Trial, as_counted, explainer_of, prepare
from rummylab.analysis.values import Budget, ranked, standard_error, trial_of
from rummylab.engine.action import Action, Event, as_action
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record
from rummylab.engine.rows import Rows
from rummylab.engine.state import State
from rummylab.errors import IllegalActionError, RecordError, whole

Z = 1.96
WORST = 5
REVIEW = Budget(seconds=None)
"""The game's own number of worlds for each decision, however long it takes."""
VALUE_WORLDS = 2
"""Worlds for the value of a table, as a multiple of those for a decision."""
LONG_HAND = 48
"""Moves from which on a hand gets fewer worlds for each, so that its review takes no longer."""
FEWEST_WORLDS = 16
VALUE_SHARE = 0.25
"""Share of a limited time that goes into the values of the tables; the decisions get the rest."""
SHORTEST = 0.001
"""Seconds for a decision when the time is over: the fewest worlds."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice among moves, judged by what its player could see."""

    kind: str
    """What was decided, such as ``draw``, ``discard early`` or ``knock``."""
    played: str
    best: str
    loss: float
    """Points that the choice cost its player: 0 or less."""
    low: float
    """Lower end of the 95% interval of the loss."""
    high: float
    verdict: str
    """``best``, ``fine``, ``mistake`` or ``blunder``. A mistake has its whole interval below zero."""
    position: str
    """What the player saw, as text for ``Observation.parse``."""
    moves: tuple[MoveValue, ...]
    """The moves, best first."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "kind": self.kind,
            "played": self.played,
            "best": self.best,
            "loss": round(self.loss, 4),
            "low": round(self.low, 4),
            "high": round(self.high, 4),
            "verdict": self.verdict,
            "position": self.position,
            "moves": [move.to_dict() for move in self.moves],
        }


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One event, and what it changed for the reviewed player."""

    event: int
    """Its place in the log, from 0."""
    seat: int
    """Who acted; -1: the table."""
    text: str
    before: float
    after: float
    luck: float
    skill: float
    """What the decision changed. It belongs to the player of the row."""
    decision: Decision | None
    after_se: float = 0.0
    """Standard error of *after*."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        numbers = {name: round(getattr(self, name), 4) for name in ("before", "after", "after_se", "luck", "skill")}
        decision = None if self.decision is None else self.decision.to_dict()
        return {"event": self.event, "seat": self.seat, "text": self.text, **numbers, "decision": decision}


@dataclass(frozen=True, slots=True)
class KindTotal:
    """What one kind of decision cost the reviewed player."""

    kind: str
    decisions: int
    mistakes: int
    loss: float
    loss_se: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "kind": self.kind,
            "decisions": self.decisions,
            "mistakes": self.mistakes,
            "loss": round(self.loss, 4),
            "loss_se": round(self.loss_se, 4),
        }


@dataclass(frozen=True, slots=True)
class Review:
    """A finished hand, seen from one seat."""

    game: str
    seat: int
    names: tuple[str, ...]
    method: str
    result: float
    """The player's gain: ``luck + own + opponents``."""
    luck: float
    luck_se: float
    own: float
    """What the player's own decisions cost."""
    own_se: float
    opponents: float
    """What the others' decisions gave the player."""
    opponents_se: float
    rows: tuple[ReviewRow, ...]
    worst: tuple[int, ...]
    """Places in ``rows`` of the player's costliest decisions, worst first."""
    kinds: tuple[KindTotal, ...]

    @property
    def graph(self) -> tuple[float, ...]:
        """The value for the player before the deal and after each row; the last one is the result."""
        return (0.0, *(row.after for row in self.rows))

    @property
    def decisions(self) -> tuple[ReviewRow, ...]:
        """The player's own decisions, in order."""
        return tuple(row for row in self.rows if row.decision is not None and row.seat == self.seat)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        numbers = ("result", "luck", "luck_se", "own", "own_se", "opponents", "opponents_se")
        return {
            "game": self.game,
            "seat": self.seat,
            "names": list(self.names),
            "method": self.method,
            **{name: round(getattr(self, name), 4) for name in numbers},
            "graph": [round(value, 4) for value in self.graph],
            "worst": list(self.worst),
            "kinds": [kind.to_dict() for kind in self.kinds],
            "rows": [row.to_dict() for row in self.rows],
        }


@dataclass(frozen=True, slots=True)
class MatchReview:
    """The hands of a match."""

    hands: tuple[Review, ...]

    @property
    def result(self) -> float:
        """What the player gained in all hands."""
        return sum(hand.result for hand in self.hands)

    @property
    def luck(self) -> float:
        """Luck of all hands."""
        return sum(hand.luck for hand in self.hands)

    @property
    def own(self) -> float:
        """What the player's own decisions cost."""
        return sum(hand.own for hand in self.hands)

    @property
    def opponents(self) -> float:
        """What the others' decisions gave the player."""
        return sum(hand.opponents for hand in self.hands)

    @property
    def luck_se(self) -> float:
        """Standard error of the luck. Hands have independent errors, which add in squares."""
        return math.hypot(*(hand.luck_se for hand in self.hands))

    @property
    def own_se(self) -> float:
        """Standard error of what the player's own decisions cost."""
        return math.hypot(*(hand.own_se for hand in self.hands))

    @property
    def opponents_se(self) -> float:
        """Standard error of what the others' decisions gave the player."""
        return math.hypot(*(hand.opponents_se for hand in self.hands))

    @property
    def kinds(self) -> tuple[KindTotal, ...]:
        """What each kind of decision cost in all hands, the costliest first."""
        return _totals([row for hand in self.hands for row in hand.decisions])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        names = ("result", "luck", "luck_se", "own", "own_se", "opponents", "opponents_se")
        numbers = {name: round(getattr(self, name), 4) for name in names}
        kinds = [kind.to_dict() for kind in self.kinds]
        return {**numbers, "kinds": kinds, "hands": [hand.to_dict() for hand in self.hands]}


class _Judged(NamedTuple):
    """A decision, what it changed for the reviewed seat, and the standard error of that."""

    decision: Decision
    effect: float
    effect_se: float


def review(
    hand: Record | State,
    *,
    seat: int = 0,
    agent: str | None = None,
    budget: Budget = REVIEW,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Review:
    """Review a finished hand from *seat*.

    *agent* plays the worlds out, by default the game's best fast agent. *progress* is called with the number of events
    done and of all events. *seconds* limits the whole review: a long hand, or a slow machine, gets fewer worlds.

    Raises:
        RecordError: The hand is not finished, has no log, or its record shows only what one seat saw.
        IllegalActionError: There is no such seat.
    """
    state = played_state(hand)
    rules = state.rules
    if state.actor is not None:
        raise RecordError("the hand is not finished: finish it before you review it")
    if not 0 <= whole(seat, "a seat") < rules.seats:
        raise IllegalActionError(f"there is no seat {seat} at a table of {rules.seats}")
    own = explainer_of(rules.name)
    steps = _steps(state)
    first_seen = steps[0].seen if steps else state.observe(seat)
    player = agent or own.player(first_seen)
    budget = replace(budget, worlds=budget.worlds or _worlds(own.REVIEW_WORLDS, len(steps)))
    values = TableValues(rules, player, worlds=VALUE_WORLDS * (budget.worlds or 1), seed=budget.seed)
    clock = _Clock(seconds, len(steps))
    if seconds is not None and steps:
        prepare(first_seen, first_seen.codes, own, player)
        values.fit(steps[0].row, VALUE_SHARE * seconds / (len(steps) + 1), FEWEST_WORLDS)
        clock = _Clock(seconds, len(steps))
    rows: list[ReviewRow] = []
    variances = {True: 0.0, False: 0.0}
    before, doubt = 0.0, 0.0
    by_event = {step.event: step for step in steps}
    opening = steps[0].event if steps else len(state.log)
    for number, event in enumerate(state.log):
        step = by_event.get(number)
        after = before
        judged = None
        if number == opening - 1:  # the deal is complete
            after, doubt = values.estimate(steps[0].row, seat)
        if step is not None:
            after, doubt = values.estimate(step.after, seat)
            judged = _judge(step, own, agent, clock.limited(budget), seat)
        skill = judged.effect if judged else 0.0
        if judged:
            variances[event.seat == seat] += judged.effect_se**2
        decision = judged.decision if judged else None
        luck = after - before - skill
        rows.append(ReviewRow(number, int(event.seat), str_of(event), before, after, luck, skill, decision, doubt))
        before = after
        if progress is not None:
            progress(number + 1, len(state.log))
    return _summed(state, seat, names_of(hand, rules.seats, names), f"play-outs of {player}", rows, variances)


class _Clock:
    """Shares the time of a review among its decisions."""

    def __init__(self, seconds: float | None, decisions: int) -> None:
        self.end = None if seconds is None else time.monotonic() + seconds
        self.left = decisions

    def limited(self, budget: Budget) -> Budget:
        """Return *budget* with the share of the next decision."""
        if self.end is None:
            return budget
        share = max(SHORTEST, (self.end - time.monotonic()) / max(1, self.left))
        self.left -= 1
        return replace(budget, seconds=share)


def _worlds(usual: int, moves: int) -> int:
    """Return the worlds for each decision of a hand of so many *moves*."""
    return min(usual, max(FEWEST_WORLDS, usual * LONG_HAND // max(1, moves)))


def review_match(
    records: Sequence[Record],
    *,
    seat: int = 0,
    agent: str | None = None,
    budget: Budget = REVIEW,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> MatchReview:
    """Review every hand of a match from *seat*; see :func:`review`."""
    return MatchReview(
        tuple(review(one, seat=seat, agent=agent, budget=budget, names=names, progress=progress) for one in records)
    )


class _Step(NamedTuple):
    """A move: the table before and after it, and what its player saw."""

    event: int
    row: Rows
    after: Rows
    seen: Observation
    action: Action


def _steps(state: State) -> list[_Step]:
    """Return the moves of a hand, from the first on."""
    back = state.copy()
    found: list[_Step] = []
    while back.n_moves:
        after = back.rows()
        event = back.pop()
        seen = back.observe()
        found.append(_Step(len(back.log), back.rows(), after, seen, event.action))
    return found[::-1]


def _judge(step: _Step, own: Explainer, agent: str | None, budget: Budget, seat: int) -> _Judged | None:
    """Return the decision of a move, None if there was nothing to decide."""
    seen, rules = step.seen, step.seen.rules
    if len(seen.codes) < 2 or _is_automatic(seen):
        return None
    played = rules.encode(step.action)
    hinted = _hinted(seen, own) if agent is None else None
    always = (played,) if hinted is None else (played, hinted)
    trial = trial_of(seen, agent=agent, budget=budget, worlds=own.REVIEW_WORLDS, always=always)
    mover, at = int(seen.seat), trial.codes.index(played)
    loss, loss_se = cross_fitted(trial.own(), trial.own(), at)
    effect, effect_se = cross_fitted(trial.own(), trial.payoffs[:, :, seat], at) if mover != seat else (loss, loss_se)
    moves = ranked(trial, own, reasons=budget.reasons, hinted=hinted)
    best = trial.codes[int(np.argmax(trial.own().mean(axis=0)))]
    if loss >= 0:  # no loss was found: chance alone favors another move
        loss = effect = 0.0
    decision = Decision(
        kind=own.kind(seen, step.action),
        played=str(step.action),
        best=str(rules.decode(best)) if loss < 0 else str(step.action),
        loss=loss,
        low=min(0.0, loss - Z * loss_se),
        high=min(0.0, loss + Z * loss_se),
        verdict="fine" if played == hinted and loss < 0 else verdict_of(loss, loss_se, own.BLUNDER),
        position=seen.to_text(),
        moves=moves,
    )
    return _Judged(decision, effect, effect_se)


def _hinted(seen: Observation, own: Explainer) -> int | None:
    """Return what the coach would choose by its own values; None if it plays worlds out as the review does."""
    found = own.estimates(seen)
    return None if found is None else found.moves[0].code


def _is_automatic(seen: Observation) -> bool:
    """Return whether the table moves for a person here, as at the showdown."""
    return seen.automatic() is not None


def cross_fitted(choosing: Floats, measured: Floats, played: int) -> tuple[float, float]:
    """Return what the move *played* brings more than the best one, and the standard error.

    Both arrays are ``[world, move]``. Each half of the worlds chooses the best move by *choosing*, and the other half
    measures the difference by *measured*.
    """
    half = len(choosing) // 2
    parts = [(slice(None, half), slice(half, None)), (slice(half, None), slice(None, half))]
    gains, variances = [], []
    for choose, measure in parts:
        best = int(np.argmax(choosing[choose].mean(axis=0)))
        difference = measured[measure, played] - measured[measure, best]
        gains.append(float(difference.mean()))
        variances.append(standard_error(difference) ** 2)
    return sum(gains) / 2, float(np.sqrt(sum(variances)) / 2)


def verdict_of(loss: float, se: float, blunder: float) -> str:
    """Return what to call a decision: a mistake only if the whole interval of its loss is below zero."""
    if loss >= 0:
        return "best"
    high = loss + Z * se
    if high >= 0:
        return "fine"
    return "blunder" if high < -blunder else "mistake"


def _summed(
    state: State,
    seat: int,
    names: tuple[str, ...],
    method: str,
    rows: list[ReviewRow],
    variances: dict[bool, float],
) -> Review:
    result = float(as_counted(state.rules, np.array(state.payoffs()))[seat])
    own = sum(row.skill for row in rows if row.seat == seat)
    others = sum(row.skill for row in rows if row.seat != seat)
    decided = [k for k, row in enumerate(rows) if row.decision is not None and row.seat == seat]
    losses = {k: row.decision.loss for k, row in enumerate(rows) if row.decision is not None}
    worst = [k for k in sorted(decided, key=losses.__getitem__) if losses[k] < 0][:WORST]
    return Review(
        game=state.rules.name,
        seat=seat,
        names=names,
        method=method,
        result=result,
        luck=result - own - others,
        luck_se=float(np.sqrt(variances[True] + variances[False])),
        own=own,
        own_se=float(np.sqrt(variances[True])),
        opponents=others,
        opponents_se=float(np.sqrt(variances[False])),
        rows=tuple(rows),
        worst=tuple(worst),
        kinds=_totals([rows[k] for k in decided]),
    )


def _totals(rows: Sequence[ReviewRow]) -> tuple[KindTotal, ...]:
    """Return what each kind of decision cost, the costliest first."""
    by_kind: dict[str, list[Decision]] = {}
    for row in rows:
        assert row.decision is not None
        by_kind.setdefault(row.decision.kind, []).append(row.decision)
    totals = [
        KindTotal(
            kind,
            len(made),
            sum(one.verdict in ("mistake", "blunder") for one in made),
            sum(one.loss for one in made),
            float(np.sqrt(sum(((one.high - one.low) / (2 * Z)) ** 2 for one in made))),
        )
        for kind, made in by_kind.items()
    ]
    return tuple(sorted(totals, key=lambda total: total.loss))


def str_of(event: Event) -> str:
    """Return an event without its seat: ``draw stock [7h]``."""
    secret = f" [{' '.join(map(str, event.secret))}]" if event.secret else ""
    return f"{event.action}{secret}"


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Another move at some point of a hand, compared with the one that was made."""

    event: int
    seat: int
    played: str
    instead: str
    gain: float
    """Points that the other move brings more, by what the player could see."""
    gain_se: float
    position: str
    """The whole table after the other move, as text for ``State.parse``: play on from there."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        numbers = {"gain": round(self.gain, 4), "gain_se": round(self.gain_se, 4)}
        words = {"played": self.played, "instead": self.instead, "position": self.position}
        return {"event": self.event, "seat": self.seat, **words, **numbers}


def what_if(
    hand: Record | State, event: int, action: Action | str, *, agent: str | None = None, budget: Budget = REVIEW
) -> WhatIf:
    """Compare *action* with the move that was made at event number *event*.

    Raises:
        RecordError: The event is not a move.
        IllegalActionError: The action is not legal there.
    """
    table = state_before(hand, event)
    made = played_state(hand).log[event].action
    other = as_action(action)
    seen = table.observe()
    table.push(other)
    codes = [seen.rules.encode(one) for one in (made, other)]
    own = explainer_of(seen.rules.name)
    trial: Trial = trial_of(seen, agent=agent, budget=budget, worlds=own.REVIEW_WORLDS, always=codes)
    old, new = (trial.own()[:, trial.codes.index(code)] for code in codes)
    gain = new - old
    return WhatIf(
        event=event,
        seat=int(seen.seat),
        played=str(made),
        instead=str(other),
        gain=float(gain.mean()),
        gain_se=standard_error(gain),
        position=table.to_text(),
    )
