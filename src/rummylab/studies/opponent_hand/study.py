"""The opponent-hand study beyond its experiment file: measured beliefs, figures, sections of the report."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rummylab.arena import plots
from rummylab.arena.jobs import Played
from rummylab.arena.keys import ChunkKey
from rummylab.arena.markdown import table
from rummylab.beliefs.gin import shape as hand_shape
from rummylab.beliefs.gin.network import AT_ONCE, BUNDLED, bundled
from rummylab.errors import OptionError, UnknownNameError
from rummylab.lab.experiment.run import Results
from rummylab.lab.experiment.steps import Step
from rummylab.lab.experiment.verdicts import Measured
from rummylab.learning.opponent_hand.beliefs import Belief, counts, uniform
from rummylab.learning.opponent_hand.dataset import DatasetPlan, play_shard
from rummylab.learning.opponent_hand.evaluate import sampled, score
from rummylab.learning.opponent_hand.line_ups import CASTS, paper_mix
from rummylab.learning.opponent_hand.measures import N_BINS, N_MEASURES, N_TOP, STAGES, TOP, Score, shard_interval
from rummylab.learning.opponent_hand.shape import deadwood_by_turn, sample
from rummylab.learning.trainers.gin_hand_shape import line_ups_of, positions_of
from rummylab.studies.opponent_hand import trend

NAMES = ("network", "uniform", "counts")
"""The beliefs that are measured on every entry."""
FIRST_CARD = "_first_card"
READINGS = ("", FIRST_CARD)
"""Readings of the metric: all cards, or the first card only."""
NETWORKS = {"ours": BUNDLED, "at-once": AT_ONCE}
PAPER = {10: 0.3775, 15: 0.6147, 20: 0.7961, 25: 0.9068}
"""The paper's Table 1."""
_SHARD = 10_000
_ENTRIES_A_DEAL = 100  # entries that take as long as one deal, for the progress bar
_N = len(NAMES)
SUMS = np.dtype(
    [
        ("sums", "f8", (_N, len(STAGES), N_MEASURES)),
        ("counts", "i8", (_N, len(STAGES))),
        ("bins", "f8", (_N, N_BINS, 3)),
    ]
)
"""The measures of the entries of one shard, belief by belief."""


class EntriesTask(NamedTuple):
    """One shard of fresh games."""

    seed: int
    entries: int
    start: int
    deals: int
    cast: str

    @property
    def key(self) -> ChunkKey:
        return ChunkKey((), self.start, self.deals)


@cache
def _beliefs(cast: str) -> dict[str, Belief]:
    network = bundled(NETWORKS[cast])
    return {"network": network.probabilities, "uniform": uniform, "counts": counts}


def _plan(seed: int, entries: int, cast: str) -> DatasetPlan:
    return DatasetPlan(entries=entries, seed=seed, line_ups=paper_mix(cast=CASTS[cast]), shard_entries=_SHARD)


def measure_shard(task: EntriesTask) -> Played:
    """Play a shard of the paper's mix and return one row of `SUMS`."""
    began = time.perf_counter()
    row = np.zeros(1, SUMS)
    if task.deals:
        found = score(play_shard(_plan(task.seed, task.entries, task.cast), task.start), _beliefs(task.cast))
        for k, name in enumerate(NAMES):
            row["sums"][0, k], row["counts"][0, k] = found[name].sums, found[name].counts
            row["bins"][0, k] = found[name].bins
    return Played(row, seconds=time.perf_counter() - began)


@dataclass(frozen=True, kw_only=True)
class BeliefStep(Step):
    """Beliefs about the opponent's hand, measured on fresh games of the paper's mix of agents."""

    KIND = "gin-beliefs"
    WORK = staticmethod(measure_shard)

    entries: int = 200_000
    cast: str = "ours"
    """Who plays, and which network is measured."""

    def check(self) -> None:
        if self.cast not in CASTS:
            raise UnknownNameError("cast", self.cast, CASTS)
        if not 100 <= self.entries <= 1_000_000_000:
            raise OptionError(f"entries is {self.entries}, but must be between 100 and 1000000000")

    @property
    def dtype(self) -> np.dtype[np.void]:
        return SUMS

    def tasks(self) -> list[EntriesTask]:
        plan = _plan(self.seed, self.entries, self.cast)
        return [
            EntriesTask(self.seed, self.entries, shard, plan.goal(shard), self.cast) for shard in range(plan.shards)
        ]

    def work(self, task: EntriesTask) -> int:
        return task.deals // _ENTRIES_A_DEAL

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        return dict.fromkeys((f"{name}{reading}_top_{k}" for name in NAMES for reading in READINGS for k in TOP), (0,))

    def result(self, parts: Iterable[Played]) -> BeliefResult:
        rows = np.concatenate([part.rows for part in parts])
        return BeliefResult(self.seed, self.entries, self.cast, rows)


@dataclass(frozen=True)
class BeliefResult:
    """The measures of all beliefs; a row per shard, whose spread gives the intervals."""

    seed: int
    entries: int
    cast: str
    rows: Any

    def score(self, name: str) -> dict[str, Any]:
        k = NAMES.index(name)
        return Score(
            self.rows["sums"][:, k].sum(axis=0),
            self.rows["counts"][:, k].sum(axis=0),
            self.rows["bins"][:, k].sum(axis=0),
        ).to_dict()

    @property
    def n(self) -> int:
        return int(self.rows["counts"][:, 0].sum())

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        """Return a top-K share. Entries of a game are dependent, so the interval comes from whole shards."""
        name, _, top = quantity.partition("_top_")
        name, first, _ = name.partition(FIRST_CARD)
        k, t = NAMES.index(name), TOP.index(int(top)) + (N_TOP if first else 0)
        by_shard = self.rows["sums"][:, k, :, t].sum(axis=1)
        sizes = self.rows["counts"][:, k].sum(axis=1)
        value, half = shard_interval(by_shard, sizes)
        return Measured(value, value - half, value + half)

    def to_dict(self) -> dict[str, Any]:
        return {"entries": self.n, **{name: self.score(name) for name in NAMES}}

    def markdown(self) -> str:
        return top_table(self)


def top_table(result: BeliefResult) -> str:
    """Return Table 1: the paper's figures, ours in both readings, and those of simpler beliefs."""
    rows = [("paper (network)", "not stated", *(f"{PAPER[k]:.2%}" for k in TOP), "", "")]
    for name in NAMES:
        found = result.score(name)
        both = {"all cards": "top_k", "first card": "first_card_top_k"}
        for reading, key in both.items():
            shares = (f"{found[key][str(k)]:.2%}" for k in TOP)
            quality = (f"{found['log_loss']:.4f}", f"{found['brier']:.4f}") if key == "top_k" else ("", "")
            rows.append((f"ours: {name}", reading, *shares, *quality))
    return table(("belief", "reading", *(f"top {k}" for k in TOP), "log loss", "Brier"), rows)


STEPS = {BeliefStep.KIND: BeliefStep}


ready = plots.need_matplotlib
"""Figures that cannot be drawn are an error before anything is played."""


def report(results: Results, out: Path) -> str:
    """Draw the figures below *out* and return the report's sections."""
    measured = {result.cast: result for result in results.of_kind(BeliefResult)}
    beliefs = measured["ours"]
    deadwood = _deadwood(beliefs)
    _draw(beliefs, deadwood, out)
    parts = [
        _table_1(measured),
        trend.section(),
        _stages(beliefs),
        _shape(deadwood),
        _kinds(beliefs.seed, min(20_000, beliefs.entries)),
        _games(results),
    ]
    return "\n".join(parts)


_ABOUT_TABLE_1 = """
The mix is the paper's, with fresh games. *Uniform*: all cards outside the player's own hand and the pile are equally
likely. *Counts*: cards taken and kept are certain as well. Log loss and Brier score are means over the 52 cards. These
are the network's raw outputs; agents correct them where a card is certain, which a network that saw few entries has not
learned.

The metric has two readings. *All cards*: the share of the opponent's ten cards among the K most probable. *First card*:
whether the lowest card held is among them, which is what the Keras metric of the paper's name computes for several
right answers. The paper does not say which it used.
"""
_ABOUT_SHAPE = """
Mean deadwood of the opponent's hand by the number of their turns: the truth, and hands of ten cards sampled from each
belief. *Shaped* takes the network's probabilities and adds weights for deadwood, neighbors and pairs, so that the cards
of a sampled hand fit together.
"""
_ABOUT_KINDS = """
The weights of shaped hands are fitted for each kind of opponent. The table shows the mean deadwood by the opponent's
turns, with the matching weights and with those of the other kinds. An agent does not know its opponent: the option
`opponent_kind` says whose hands to expect, by default 0 (utility agents). {entries:,} entries for each kind.
"""


def _table_1(measured: Mapping[str, BeliefResult]) -> str:
    names = {"at-once": "Agents that knock at once, as in the paper", "ours": "Our agents, which hold back some knocks"}
    parts = ["## Table 1: which cards the opponent holds\n"]
    for cast, name in names.items():
        if cast in measured:
            parts.append(f"### {name}\n\n{measured[cast].n:,} entries.\n\n{top_table(measured[cast])}")
    return "\n".join(parts) + _ABOUT_TABLE_1


def _kinds(seed: int, entries: int) -> str:
    """Return the table of sampled hands for every kind of opponent and of weights."""
    weights = dict(zip(hand_shape.KINDS, hand_shape.bundled(), strict=True))
    rows = []
    for kind in hand_shape.KINDS:
        plan = DatasetPlan(entries=entries, seed=seed + 1, line_ups=line_ups_of(kind), shard_entries=entries)
        positions = positions_of(kind, bundled(), plan)
        drawn = {f"weights of {other}": sample(positions, found, seed) for other, found in weights.items()}
        for name, hands in {"truth": positions.held, **drawn}.items():
            by_turn = deadwood_by_turn(positions, hands)
            cells = (f"{by_turn[turn]:.1f}" if turn in by_turn else "" for turn in range(hand_shape.N_STAGES))
            rows.append((kind, name, *cells))
    head = ("opponent", "hands", *map(str, range(hand_shape.N_STAGES)))
    return (
        "## Do the weights fit each kind of opponent?\n"
        + _ABOUT_KINDS.format(entries=entries)
        + "\n"
        + table(head, rows)
    )


def _stages(beliefs: BeliefResult) -> str:
    rows = []
    for stage in STAGES:
        for name in ("network", "uniform"):
            found = beliefs.score(name)["stages"][stage]
            shares = (f"{found['top_k'][str(k)]:.1%}" for k in TOP)
            rows.append(
                (stage, name, f"{found['entries']:,}", *shares, f"{found['log_loss']:.4f}", f"{found['brier']:.4f}")
            )
    head = ("own turns", "belief", "entries", *(f"top {k}" for k in TOP), "log loss", "Brier")
    return (
        f"## By stage of the hand\n\n{table(head, rows)}\n![Reliability of the beliefs](reliability.svg)\n\n"
        "*Predicted probability against observed frequency; perfect calibration is on the line.*\n\n"
    )


def _deadwood(beliefs: BeliefResult) -> dict[str, dict[int, float]]:
    entries = min(40_000, beliefs.entries)
    hands = play_shard(DatasetPlan(entries=entries, seed=beliefs.seed, line_ups=paper_mix(), shard_entries=entries), 0)
    found = sampled(hands, bundled(), hand_shape.bundled(), beliefs.seed)["deadwood"]
    return {name: {int(turn): value for turn, value in by_turn.items()} for name, by_turn in found.items()}


def _shape(deadwood: Mapping[str, Mapping[int, float]]) -> str:
    turns = [turn for turn in sorted(deadwood["truth"]) if turn <= 14]
    rows = [(name, *(f"{by_turn[turn]:.1f}" for turn in turns)) for name, by_turn in deadwood.items()]
    figure = "\n![Mean deadwood of sampled hands](deadwood.svg)\n"
    head = "## How strong are the hands that a belief implies?\n"
    return head + _ABOUT_SHAPE + "\n" + table(("hands", *map(str, turns)), rows) + figure


def _games(results: Results) -> str:
    rows = []
    for name, result in results.steps.items():
        if isinstance(result, BeliefResult):
            continue
        match = result.match
        win, gain = match.win_rate, match.points_per_hand
        rows.append(
            (
                f"`{match.agents[0]}`",
                f"`{match.agents[1]}`",
                f"{match.games:,}",
                f"{win.value:.1%} ({win.low:.1%} to {win.high:.1%})",
                f"{gain.value:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})",
                name,
            )
        )
    head = ("agent", "against", "games", "win rate (95%)", "points a hand (95%)", "step")
    return f"## Games\n\nDuplicate deals, rules `eaai`.\n\n{table(head, rows)}\n"


def _draw(beliefs: BeliefResult, deadwood: Mapping[str, Mapping[int, float]], out: Path) -> None:
    colors = {
        "network": plots.VERMILION,
        "uniform": plots.GREY,
        "counts": plots.BLUE,
        "truth": plots.INK,
        "shaped": plots.GREEN,
    }
    with plots.figure(out / "reliability.svg", plots.WIDTH, 4.0) as (_, axes):
        axes.plot([0, 100], [0, 100], color=plots.GREY, lw=0.8)
        for name, marker in (("network", "o"), ("counts", "s"), ("uniform", "^")):
            found = beliefs.score(name)["reliability"]
            believed, held = ([100 * bin_[what] for bin_ in found] for what in ("believed", "held"))
            axes.plot(
                believed, held, marker=marker, color=colors[name], label=name, ls="-" if name == "network" else "none"
            )
        axes.set(xlabel="believed chance that a card is held, in %", ylabel="cards really held, in %")
        axes.set(title="Reliability of the beliefs", xlim=(0, 100), ylim=(0, 100))
        axes.legend(loc="upper left")
    with plots.figure(out / "deadwood.svg", plots.WIDTH, 3.6) as (_, axes):
        for name, line in (("truth", "-"), ("shaped", "--"), ("network", "-."), ("counts", ":"), ("uniform", ":")):
            by_turn = {turn: value for turn, value in deadwood.get(name, {}).items() if turn <= 14}
            axes.plot(list(by_turn), list(by_turn.values()), color=colors[name], ls=line, label=name, lw=2)
        axes.set(
            xlabel="opponent's turns",
            ylabel="mean deadwood, in points",
            title="Hands sampled from each belief",
            ylim=(0, None),
        )
        axes.legend(loc="lower left")
