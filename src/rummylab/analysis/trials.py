"""Every candidate move played out in the same sampled worlds: the raw results behind values and reasons.

The worlds come from what one seat sees (:mod:`rummylab.beliefs.worlds`); each is played to the end of the hand by one
compiled agent in all seats, with the same random streams after every candidate.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from rummylab.agents.registry import agent as named_agent
from rummylab.analysis.answers import Estimates, Reason
from rummylab.beliefs.worlds import expected_copies, sample_rows
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.playouts import Playouts
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
PROBE = 16
"""Worlds that are always played, however short the time is."""
FIRST_LOOK = 24
"""Worlds in which all moves are tried if there are more of them than will be played out in full."""


class Explainer(Protocol):
    """What a game knows about its moves: the module ``analysis/<game>.py``."""

    WORLDS: int
    """Worlds for a hint."""
    REVIEW_WORLDS: int
    """Worlds for each decision of a review."""
    CHUNK: int
    """Worlds that are played at a time."""
    BLUNDER: float
    """A mistake that costs more points than this for certain is a blunder."""

    def player(self, seen: Observation) -> str:
        """Return the agent that plays the worlds out."""
        ...

    def estimates(self, seen: Observation) -> Estimates | None:
        """Return all legal moves as the game's strongest agent values them; None: play-outs value them."""
        ...

    def candidates(self, seen: Observation) -> list[int]:
        """Return the codes of the moves worth trying; all legal moves in most phases."""
        ...

    def signals(
        self, seen: Observation, codes: Sequence[int], worlds: Rows, ends: Rows, replies: Ints
    ) -> dict[str, Floats]:
        """Return what the play-outs show beside the score: arrays ``[world, move]``, or ``[world]``."""
        ...

    def facts(self, seen: Observation, signals: dict[str, Floats]) -> tuple[Reason, ...]:
        """Return reasons about the position itself."""
        ...

    def reasons(self, seen: Observation, action: Action, signals: dict[str, float]) -> tuple[Reason, ...]:
        """Return the reasons for and against *action*; *signals* are the means over the worlds."""
        ...

    def kind(self, seen: Observation, action: Action) -> str:
        """Return what kind of decision it is, for statistics."""
        ...


def explainer_of(game: str) -> Explainer:
    """Return what *game* knows about its moves."""
    return cast(Explainer, import_module(f"rummylab.analysis.{game}"))


@lru_cache(maxsize=16)
def _playouts(game: str, name: str, seats: int) -> Playouts:
    from rummylab.games.registry import game as spec_of

    player = named_agent(game, name)
    return Playouts(spec_of(game), [player.kernel] * seats, [player.params] * seats)


def playouts_by(rules: Rules, name: str) -> Playouts:
    """Return play-outs with the agent *name* in every seat."""
    return _playouts(rules.name, name, rules.seats)


@dataclass
class Trial:
    """The results of some moves in sampled worlds."""

    seen: Observation
    player: str
    codes: list[int]
    payoffs: Floats
    """``[world, move, seat]``."""
    signals: dict[str, Floats] = field(default_factory=dict)
    held: Floats = field(default_factory=lambda: np.zeros((0, 64)))
    """Expected copies of each card id in each opponent's hand."""

    @property
    def worlds(self) -> int:
        """How many worlds were played."""
        return len(self.payoffs)

    def own(self) -> Floats:
        """Return the payoffs of the seat that moves: ``[world, move]``."""
        return self.payoffs[:, :, int(self.seen.seat)]

    def means(self, move: int) -> dict[str, float]:
        """Return the signals of one move, averaged over the worlds."""
        return {name: float(np.mean(one[:, move] if one.ndim == 2 else one)) for name, one in self.signals.items()}


def try_moves(
    seen: Observation,
    codes: Sequence[int],
    *,
    player: str,
    worlds: int,
    seconds: float | None = None,
    seed: int = 0,
    keep: int = 12,
    always: Sequence[int] = (),
) -> Trial:
    """Play *codes* in sampled worlds, until there are enough *worlds* or the *seconds* are over.

    If there are more than *keep* moves, a first look in a few worlds keeps the best, and those of *always*.
    """
    own = explainer_of(seen.rules.name)
    prepare(seen, codes, own, player)
    start = time.monotonic()
    rng = np.random.default_rng([seed, 0x52756D6D])
    chosen = list(codes)
    if len(chosen) > keep:
        look = _play(seen, chosen, own, player, [min(FIRST_LOOK, worlds)], None, start, rng)
        best = [chosen[k] for k in np.argsort(-look.own().mean(axis=0), kind="stable")[:keep]]
        chosen = [code for code in chosen if code in best or code in always]
    sizes = _sizes(worlds, own.CHUNK, probe=seconds is not None)
    return _play(seen, chosen, own, player, sizes, seconds, start, rng)


def _sizes(worlds: int, chunk: int, *, probe: bool) -> list[int]:
    """Return how many worlds are played at a time; a *probe* of few comes first, to learn how long they take."""
    first = min(PROBE, worlds) if probe else 0
    return [first] * (first > 0) + [min(chunk, worlds - done) for done in range(first, worlds, chunk)]


def prepare(seen: Observation, codes: Sequence[int], own: Explainer, player: str) -> None:
    """Compile what the play-outs need before the clock starts."""
    key = (seen.rules.name, player)
    if key not in _PREPARED:
        _play(seen, list(codes)[:1], own, player, [1], None, time.monotonic(), np.random.default_rng(0))
        _PREPARED.add(key)


_PREPARED: set[tuple[str, str]] = set()
"""Games and agents whose kernels are loaded."""


def _play(
    seen: Observation,
    codes: list[int],
    own: Explainer,
    player: str,
    sizes: list[int],
    seconds: float | None,
    start: float,
    rng: np.random.Generator,
) -> Trial:
    """Play chunks of worlds: the first one in full, then as many worlds as the time allows."""
    rules = seen.rules
    table = playouts_by(rules, player)
    payoffs: list[Floats] = []
    signals: list[dict[str, Floats]] = []
    held: list[Floats] = []
    done, began = 0, time.monotonic()
    for full in sizes:
        size = full
        if done and seconds is not None:
            now = time.monotonic()
            size = min(full, int((seconds - (now - start)) * done / (now - began)))
            if size < min(full, PROBE):
                break
        done += size
        worlds = sample_rows(seen, size, rng)
        fresh_streams(worlds, rng)
        ends, replies = table.try_moves(worlds, codes)
        payoffs.append(as_counted(rules, payoffs_of(rules, ends.reshape(-1))).reshape(size, len(codes), rules.seats))
        signals.append(own.signals(seen, codes, worlds, ends, replies))
        held.append(expected_copies(seen, worlds)[1] * size)
    total = sum(len(part) for part in payoffs)
    return Trial(
        seen,
        player,
        codes,
        np.concatenate(payoffs),
        {name: np.concatenate([part[name] for part in signals]) for name in signals[0]},
        np.asarray(sum(held) / total),
    )


def fresh_streams(rows: Rows, rng: np.random.Generator) -> None:
    """Give every seat in *rows* a random stream of its own and clear its notes."""
    rows["mine"]["rng"] = rng.integers(2**63, size=rows["mine"]["rng"].shape, dtype=np.int64).astype(np.uint64)
    rows["mine"]["memory"] = 0


def counts_losses(rules: Rules) -> bool:
    """Return whether a match counts only the points lost, as a pool of Indian Rummy does."""
    form = getattr(rules.options, "match_format", None)
    return form is not None and bool(form.is_pool)


def as_counted(rules: Rules, payoffs: Floats) -> Floats:
    """Return *payoffs* as the match counts them: what others lose is no gain in a pool."""
    return np.minimum(payoffs, 0.0) if counts_losses(rules) else payoffs


def payoffs_of(rules: Rules, rows: Rows) -> Floats:
    """Return what each seat gains in each of *rows*, as ``rules.payoffs`` does for one; 0 while the hand goes on."""
    table: Any = rows["table"]
    names, seats = table.dtype.names, rules.seats
    if "gains" in names:  # Indian Rummy
        out = table["gains"][:, :seats].astype(np.float64)
    elif "paid" in names:  # contract rummy
        paid = table["paid"][:, :seats].astype(np.float64)
        out = (paid.sum(axis=1, keepdims=True) - paid) / (seats - 1) - paid
    else:
        winner, won = table["winner"].astype(np.int64), table["points"].astype(np.float64)
        is_winner = winner[:, None] == np.arange(seats)
        out = np.where(is_winner, won[:, None], -won[:, None] / (seats - 1))
        out[winner < 0] = 0.0
    out[table["actor"] >= 0] = 0.0
    return np.asarray(out)
