"""What ``rummylab reproduce opponent-hand`` needs beyond its experiment file: beliefs measured, figures, sections."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rummylab.arena import plots
from rummylab.arena.experiment.run import Results
from rummylab.arena.experiment.steps import Step
from rummylab.arena.experiment.verdicts import Measured
from rummylab.arena.jobs import Played
from rummylab.arena.statistics import Z95
from rummylab.arena.words import table
from rummylab.beliefs.gin import shape as hand_shape
from rummylab.beliefs.gin.network import bundled
from rummylab.errors import OptionError
from rummylab.learning.opponent_hand.beliefs import Belief, counts, uniform
from rummylab.learning.opponent_hand.dataset import Plan, paper_mix, play_shard
from rummylab.learning.opponent_hand.evaluate import sampled, score
from rummylab.learning.opponent_hand.measures import N_BINS, N_MEASURES, STAGES, TOP, Score

NAMES = ("network", "uniform", "counts")
"""The beliefs that are measured on every entry."""
PAPER = {10: 0.3775, 15: 0.6147, 20: 0.7961, 25: 0.9068}
"""Table 1."""
_SHARD = 10_000
_ENTRIES_A_DEAL = 100  # a deal takes as long as so many entries; for the progress bar
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

    @property
    def name(self) -> str:
        return f"shard {self.start}"


@cache
def _beliefs() -> dict[str, Belief]:
    return {"network": bundled().probabilities, "uniform": uniform, "counts": counts}


def _plan(seed: int, entries: int) -> Plan:
    return Plan(entries=entries, seed=seed, line_ups=paper_mix(), shard_entries=_SHARD)


def measure_shard(task: EntriesTask) -> Played:
    """Play a shard of the paper's mix and return one row of `SUMS`."""
    began = time.perf_counter()
    row = np.zeros(1, SUMS)
    if task.deals:
        found = score(play_shard(_plan(task.seed, task.entries), task.start), _beliefs())
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

    def check(self) -> None:
        if not 100 <= self.entries <= 1_000_000_000:
            raise OptionError(f"entries is {self.entries}, but must lie between 100 and 1000000000")

    @property
    def dtype(self) -> np.dtype[np.void]:
        return SUMS

    def tasks(self) -> list[EntriesTask]:
        plan = _plan(self.seed, self.entries)
        return [EntriesTask(self.seed, self.entries, shard, plan.goal(shard)) for shard in range(plan.shards)]

    def work(self, task: EntriesTask) -> int:
        return task.deals // _ENTRIES_A_DEAL

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        return dict.fromkeys((f"{name}_top_{k}" for name in NAMES for k in TOP), (0,))

    def result(self, parts: Sequence[Played]) -> BeliefResult:
        rows = np.concatenate([part.rows for part in parts])
        return BeliefResult(self.seed, self.entries, rows)


@dataclass(frozen=True)
class BeliefResult:
    """The measures of all beliefs; a row per shard, whose spread gives the intervals."""

    seed: int
    entries: int
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
        """Return a top-K share; entries of one game hang together, so the interval is that of whole shards."""
        name, _, top = quantity.partition("_top_")
        k, t = NAMES.index(name), TOP.index(int(top))
        by_shard = self.rows["sums"][:, k, :, t].sum(axis=1)
        sizes = self.rows["counts"][:, k].sum(axis=1)
        value = float(by_shard.sum() / sizes.sum())
        n = len(sizes)
        spread = float(np.std(by_shard - value * sizes, ddof=1)) if n > 1 else float(sizes[0])
        half = Z95 * spread * np.sqrt(n) / float(sizes.sum())
        return Measured(value, value - half, value + half)

    def to_dict(self) -> dict[str, Any]:
        return {"entries": self.n, **{name: self.score(name) for name in NAMES}}

    def markdown(self) -> str:
        return top_table(self)


def top_table(result: BeliefResult) -> str:
    """Return Table 1: the paper's, ours, and the beliefs that know less."""
    rows = [("paper (network)", *(f"{PAPER[k]:.2%}" for k in TOP), "", "")]
    for name in NAMES:
        found = result.score(name)
        shares = (f"{found['top_k'][str(k)]:.2%}" for k in TOP)
        rows.append((f"ours: {name}", *shares, f"{found['log_loss']:.4f}", f"{found['brier']:.4f}"))
    return table(("belief", *(f"top {k}" for k in TOP), "log loss", "Brier"), rows)


STEPS = {BeliefStep.KIND: BeliefStep}


def ready() -> None:
    """Complain before anything is played if the figures could not be drawn."""
    plots.need_matplotlib()


def report(results: Results, out: Path) -> str:
    """Draw the figures below *out* and return the report's sections."""
    (beliefs,) = results.of_kind(BeliefResult)
    deadwood = _deadwood(beliefs)
    _draw(beliefs, deadwood, out)
    parts = [_table_1(beliefs), _stages(beliefs), _shape(deadwood), _games(results)]
    return "\n".join(parts)


_ABOUT_TABLE_1 = """
*Uniform*: all cards neither in hand nor in the pile alike. *Counts*: cards taken and kept are certain as well. Log loss
and Brier score are means over the 52 cards.

The paper's *categorical accuracy* may have looked at one card of each hand only (the metric of that name in Keras does,
with several right answers): by that reading ours are {}.
"""
_ABOUT_SHAPE = """
Mean deadwood of the opponent's hand after so many of its turns: the truth, and hands of ten cards sampled by each
belief. *Shaped* takes the network's probabilities and adds what pairs and melds are worth, so that sampled hands hang
together.
"""


def _table_1(beliefs: BeliefResult) -> str:
    first = beliefs.score("network")["first_card_top_k"]
    other = ", ".join(f"{first[str(k)]:.2%}" for k in TOP)
    head = f"## Table 1: which cards the opponent holds\n\n{beliefs.n:,} entries of fresh games of the paper's mix.\n\n"
    return head + top_table(beliefs) + _ABOUT_TABLE_1.format(other)


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
        f"## By stage of the hand\n\n{table(head, rows)}\n![Reliability of the beliefs](reliability.png)\n\n"
        "*What was believed, and how often it was so; on the line is perfect.*\n\n"
    )


def _deadwood(beliefs: BeliefResult) -> dict[str, dict[int, float]]:
    hands = play_shard(Plan(entries=40_000, seed=beliefs.seed, line_ups=paper_mix(), shard_entries=40_000), 0)
    found = sampled(hands, bundled(), hand_shape.bundled(), beliefs.seed)["deadwood"]
    return {name: {int(turn): value for turn, value in by_turn.items()} for name, by_turn in found.items()}


def _shape(deadwood: Mapping[str, Mapping[int, float]]) -> str:
    turns = [turn for turn in sorted(deadwood["truth"]) if turn <= 14]
    rows = [(name, *(f"{by_turn[turn]:.1f}" for turn in turns)) for name, by_turn in deadwood.items()]
    figure = "\n![Mean deadwood of sampled hands](deadwood.png)\n"
    head = "## How weak are the hands that a belief implies?\n"
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
    head = ("agent", "against", "games", "games won (95 %)", "points a hand (95 %)", "step")
    return f"## Games\n\nDuplicate deals, rules `eaai`.\n\n{table(head, rows)}\n"


def _draw(beliefs: BeliefResult, deadwood: Mapping[str, Mapping[int, float]], out: Path) -> None:
    colors = {
        "network": plots.VERMILION,
        "uniform": plots.GREY,
        "counts": plots.BLUE,
        "truth": plots.INK,
        "shaped": plots.GREEN,
    }
    with plots.figure(out / "reliability.png", 5.2, 4.6) as (_, axes):
        axes.plot([0, 1], [0, 1], color=plots.GREY, lw=0.8)
        for name, marker in (("network", "o"), ("counts", "s"), ("uniform", "^")):
            found = beliefs.score(name)["reliability"]
            believed, held = [bin_["believed"] for bin_ in found], [bin_["held"] for bin_ in found]
            axes.plot(
                believed, held, marker=marker, color=colors[name], label=name, ls="-" if name == "network" else "none"
            )
        axes.set(xlabel="believed", ylabel="held", title="Reliability", xlim=(0, 1), ylim=(0, 1))
        axes.legend(loc="upper left")
    with plots.figure(out / "deadwood.png", 6.5, 4.0) as (_, axes):
        for name, line in (("truth", "-"), ("shaped", "--"), ("network", "-."), ("counts", ":"), ("uniform", ":")):
            by_turn = {turn: value for turn, value in deadwood.get(name, {}).items() if turn <= 14}
            axes.plot(list(by_turn), list(by_turn.values()), color=colors[name], ls=line, label=name, lw=2)
        axes.set(
            xlabel="turns of the opponent", ylabel="mean deadwood", title="Hands that a belief implies", ylim=(0, None)
        )
        axes.legend(loc="lower left")
