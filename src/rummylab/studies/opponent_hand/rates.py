"""Measure how fast entries are played and learned from on one core, to estimate the time of a run of any size.

    python -m rummylab.studies.opponent_hand.rates

prints a Markdown table. It counts CPU time, so a busy machine changes it little.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rummylab.arena.markdown import table
from rummylab.learning.opponent_hand.dataset import DatasetPlan, generate, play_shard
from rummylab.learning.opponent_hand.line_ups import CASTS, LineUp, paper_mix, phase_mix
from rummylab.learning.options import OpponentHandOptions
from rummylab.learning.trainer import train
from rummylab.learning.trainers.gin_opponent_hand import GinOpponentHand

PAPER_ENTRIES = 50_000_000


def play_rate(line_ups: tuple[LineUp, ...], entries: int, seed: int) -> float:
    """Return the number of entries that a core plays in a second."""
    play_shard(DatasetPlan(entries=200, seed=seed, line_ups=line_ups, shard_entries=200), 0)  # compiles the kernels
    start = time.process_time()
    made = play_shard(DatasetPlan(entries=entries, seed=seed + 1, line_ups=line_ups, shard_entries=entries), 0)
    return len(made) / (time.process_time() - start)


def train_rate(entries: int, seed: int) -> float:
    """Return the number of entries that a core learns from in a second, each seen once."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        plan = DatasetPlan(entries=entries, seed=seed, line_ups=phase_mix(1), shard_entries=entries)
        generate(data, plan, workers=1)
        options = OpponentHandOptions(data=(data,), epochs=1.0, round_entries=entries // 2, threads=1)
        train(GinOpponentHand(replace(options, epochs=0.1)), Path(place) / "first")  # loads PyTorch
        start = time.process_time()
        train(GinOpponentHand(options), Path(place) / "second")
        return entries / (time.process_time() - start)


def rates(entries: int, seed: int) -> Iterator[tuple[str, float]]:
    """Yield the name of each measurement and its entries a second."""
    for name, cast in CASTS.items():
        for line_up in (*phase_mix(1, cast=cast), *phase_mix(3, cast=cast)):
            yield f"play: `{line_up.first}` against `{line_up.second}`", play_rate((line_up,), entries, seed)
        yield f"play: the whole mix, {name}", play_rate(paper_mix(cast=cast), entries, seed)
    yield "training, one epoch", train_rate(max(entries, 50_000), seed)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.studies.opponent_hand.rates")
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    rows = [
        (what, f"{rate:,.0f}", f"{PAPER_ENTRIES / rate / 3600:.1f} h")
        for what, rate in rates(chosen.entries, chosen.seed)
    ]
    sys.stdout.write(table(("work", "entries a second, one core", "50 million (extrapolated)"), rows))


if __name__ == "__main__":
    main()
