"""How fast entries are made and learned from, on one core: what a run of any size will take.

    python -m rummylab.learning.opponent_hand.rates

prints a Markdown table. Seconds are those of the processor, so a busy machine changes them little.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rummylab.arena.words import table
from rummylab.learning.opponent_hand.dataset import CASTS, LineUp, Plan, generate, paper_mix, phase_mix, play_shard
from rummylab.learning.opponent_hand.train import Settings, train

PAPER_ENTRIES = 50_000_000


def play_rate(line_ups: tuple[LineUp, ...], entries: int, seed: int) -> float:
    """Return how many entries a core makes in a second."""
    play_shard(Plan(entries=200, seed=seed, line_ups=line_ups, shard_entries=200), 0)  # what is compiled is compiled
    start = time.process_time()
    made = play_shard(Plan(entries=entries, seed=seed + 1, line_ups=line_ups, shard_entries=entries), 0)
    return len(made) / (time.process_time() - start)


def train_rate(entries: int, seed: int) -> float:
    """Return from how many entries a core learns in a second, each seen once."""
    with tempfile.TemporaryDirectory() as place:
        data, net = Path(place) / "data", Path(place) / "net"
        generate(data, Plan(entries=entries, seed=seed, line_ups=phase_mix(1), shard_entries=entries), workers=1)
        train([data], net, Settings(epochs=0.1), threads=1)  # the first call loads PyTorch
        start = time.process_time()
        train([data], Path(place) / "again", Settings(epochs=1.0, round_entries=entries // 2), threads=1)
        return entries / (time.process_time() - start)


def rates(entries: int, seed: int) -> Iterator[tuple[str, float]]:
    """Yield what is measured and its entries a second."""
    for name, cast in CASTS.items():
        for line_up in (*phase_mix(1, cast=cast), *phase_mix(3, cast=cast)):
            yield f"play: `{line_up.first}` against `{line_up.second}`", play_rate((line_up,), entries, seed)
        yield f"play: the whole mix, {name}", play_rate(paper_mix(cast=cast), entries, seed)
    yield "training, one epoch", train_rate(max(entries, 50_000), seed)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.learning.opponent_hand.rates")
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    rows = [
        (what, f"{rate:,.0f}", f"{PAPER_ENTRIES / rate / 3600:.1f} h")
        for what, rate in rates(chosen.entries, chosen.seed)
    ]
    sys.stdout.write(table(("what", "entries a second, one core", "50 million (extrapolated)"), rows))


if __name__ == "__main__":
    main()
