"""Values of the legal moves of a position, best first, with their uncertainty and reasons.

In Gin the champion values the moves; everywhere else play-outs do. Only what the seat sees is used: the champion gets
its observation, and the worlds are sampled from it.

>>> from rummylab import State, gin
>>> from rummylab.analysis.values import Budget, analyze
>>> found = analyze(State.deal(gin(), seed=7).observe(0), budget=Budget(worlds=40, seconds=None))
>>> found.method, len(found.moves)
('values of champion, reasons by play-outs of simple', 2)
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from rummylab.analysis.answers import Analysis, BeliefMap, Estimates, MoveValue, Reason, percent
from rummylab.analysis.trials import Explainer, Floats, Trial, counts_losses, explainer_of, try_moves
from rummylab.beliefs.worlds import hidden_from
from rummylab.cards.bits import IDS_52
from rummylab.cards.card import JOKER_ID, Card
from rummylab.engine.observation import Observation
from rummylab.errors import IllegalActionError, OptionError, check_type

__all__ = [
    "HINT",
    "QUICK",
    "Analysis",
    "BeliefMap",
    "Budget",
    "MoveValue",
    "Reason",
    "analyze",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much an analysis may take."""

    worlds: int | None = None
    """Worlds to sample; None: the game's own number."""
    seconds: float | None = 1.0
    """When to stop early. None: never, so that the same seed gives the same values on every machine."""
    seed: int = 0
    reasons: bool = True
    moves: int = 12
    """Moves that are played in all worlds. If there are more, a first look drops the others."""

    def __post_init__(self) -> None:
        if self.worlds is not None and not 2 <= self.worlds <= 1_000_000:
            raise OptionError(f"worlds is {self.worlds}, but must be from 2 to 1,000,000")
        if self.seconds is not None and not 0 < self.seconds <= 3600:
            raise OptionError(f"seconds is {self.seconds}, but must be above 0 and at most 3600")
        if self.moves < 2:
            raise OptionError(f"moves is {self.moves}, but must be at least 2")


HINT = Budget()
QUICK = Budget(seconds=0.3)


def analyze(seen: Observation, *, agent: str | None = None, budget: Budget = HINT) -> Analysis:
    """Return the moves of the seat to act, best first.

    *agent* plays the worlds out, and its play-outs value the moves. By default it is the game's best fast agent, and
    where the game has estimates (`Explainer.estimates`) they value the moves; the worlds then supply reasons and map.

    Raises:
        IllegalActionError: The seat of *seen* is not to act.
        UnknownNameError: There is no such agent.
        AgentError: The agent is not compiled.
    """
    start = time.monotonic()
    check_type(seen, Observation, "seen", "an observation, such as state.observe(0)")
    if not seen.codes:
        raise IllegalActionError(f"seat {seen.seat} is not to act in this position")
    own = explainer_of(seen.rules.name)
    estimates = own.estimates(seen) if agent is None else None
    trial = trial_of(seen, agent=agent, budget=budget, worlds=own.WORLDS, estimates=estimates)
    if estimates is None:
        moves = ranked(trial, own, reasons=budget.reasons)
    else:
        moves = ranked_by(estimates, trial, own, reasons=budget.reasons)
    return Analysis(
        game=seen.rules.name,
        seat=int(seen.seat),
        phase=seen.phase,
        method=method_of(estimates, trial.player),
        worlds=trial.worlds,
        moves=moves,
        belief=belief_map(trial),
        facts=own.facts(seen, trial.signals) if budget.reasons else (),
        seconds=time.monotonic() - start,
    )


def method_of(estimates: Estimates | None, player: str) -> str:
    """Return how moves are valued, in words."""
    playouts = f"play-outs of {player}"
    return playouts if estimates is None else f"values of {estimates.agent}, reasons by {playouts}"


def trial_of(
    seen: Observation,
    *,
    agent: str | None,
    budget: Budget,
    worlds: int,
    always: Sequence[int] = (),
    estimates: Estimates | None = None,
) -> Trial:
    """Return the play-outs of the candidate moves, and of *always*, within *budget*.

    With *estimates*, the moves that they rank highest are played out, without a first look.
    """
    own = explainer_of(seen.rules.name)
    if estimates is None:
        codes = own.candidates(seen)
    else:
        codes = [one.code for one in estimates.moves[: budget.moves]]
    codes += [code for code in always if code not in codes]
    return try_moves(
        seen,
        codes,
        player=agent or own.player(seen),
        worlds=budget.worlds or worlds,
        seconds=budget.seconds,
        seed=budget.seed,
        keep=budget.moves if estimates is None else len(codes),
        always=always,
    )


def ranked(trial: Trial, own: Explainer, *, reasons: bool, hinted: int | None = None) -> tuple[MoveValue, ...]:
    """Return the moves of *trial*, best first. *hinted* is the code of the move that the coach would choose."""
    points = trial.own()
    means = points.mean(axis=0)
    order = np.argsort(-means, kind="stable")
    best = points[:, order[0]]
    losses_alone = counts_losses(trial.seen.rules)
    moves = []
    for k in order:
        column = points[:, k]
        action = trial.seen.rules.decode(trial.codes[k])
        chance = float((column >= 0 if losses_alone else column > 0).mean())
        why: tuple[Reason, ...] = ()
        if reasons:
            words = Reason("win_chance", chance, f"wins the hand in {percent(chance)} of possible deals")
            why = own.reasons(trial.seen, action, trial.means(int(k)))
            why = why if action.verb == "drop" else (*why, words)
        moves.append(
            MoveValue(
                action=action,
                points=float(means[k]),
                se=standard_error(column),
                behind=float(means[k] - means[order[0]]),
                behind_se=standard_error(column - best),
                win_chance=chance,
                match_chance=None,
                worlds=trial.worlds,
                reasons=why,
                hinted=trial.codes[k] == hinted,
            )
        )
    return tuple(moves)


def ranked_by(estimates: Estimates, trial: Trial, own: Explainer, *, reasons: bool) -> tuple[MoveValue, ...]:
    """Return the moves of *trial*, best first by *estimates*; the play-outs supply reasons alone."""
    best = estimates.moves[0]
    moves = []
    for one in estimates.moves:
        if one.code not in trial.codes:
            continue
        action = trial.seen.rules.decode(one.code)
        why: tuple[Reason, ...] = ()
        if reasons:
            words = Reason("win_chance", one.win_chance, f"wins the hand with a chance of {percent(one.win_chance)}")
            why = (*own.reasons(trial.seen, action, trial.means(trial.codes.index(one.code))), words)
        moves.append(
            MoveValue(
                action=action,
                points=one.points,
                se=estimates.se,
                behind=one.points - best.points,
                behind_se=0.0 if one is best else estimates.behind_se,
                win_chance=one.win_chance,
                match_chance=one.match_chance,
                worlds=trial.worlds,
                reasons=why,
            )
        )
    return tuple(moves)


def standard_error(values: Floats) -> float:
    """Return the standard error of the mean of *values*."""
    n = len(values)
    return float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0


@cache
def _columns() -> tuple[tuple[int, ...], tuple[str, ...]]:
    ids = (*map(int, IDS_52), JOKER_ID)
    return ids, tuple(str(Card(card)) for card in ids)


def belief_map(trial: Trial) -> BeliefMap:
    """Return where the unseen cards were in the worlds of *trial*."""
    ids, names = _columns()
    hidden = hidden_from(trial.seen)
    counts = Counter(hidden.cards.tolist())
    for cards in hidden.known:
        counts.update(cards)
    total = np.array([counts[card] for card in ids], np.float64)
    held = trial.held[:, list(ids)]
    return BeliefMap(
        seats=tuple(map(int, hidden.opponents)),
        cards=names,
        held=tuple(tuple(row) for row in held.tolist()),
        stock=tuple(np.maximum(0.0, total - held.sum(axis=0)).tolist()),
        known=tuple(tuple(str(Card(card)) for card in cards) for cards in hidden.known),
    )
