"""The baselines of Gin Rummy against each other: ``make reproduce`` writes docs/results/gin-baselines.md."""

from __future__ import annotations

import argparse
from pathlib import Path

from rummylab.arena.match import match

PAIRINGS = (
    ("simple", "simple", "eaai", 100_000),
    ("simple", "random", "eaai", 10_000),
    ("random", "random", "eaai", 400),
    ("simple", "simple", "classic", 20_000),
    ("simple", "random", "classic", 10_000),
    ("simple", "simple", "openspiel", 100_000),
    ("simple", "random", "openspiel", 20_000),
)
SEED = 7
HEAD = """# Gin baselines

Duplicate deals (same cards, seats swapped), intervals clustered by pair, seed {seed}. Each line is
`rummylab match gin FIRST SECOND --rules PRESET --games N --seed {seed}`; all of it is `make reproduce`.
The official Java referee, 500 games of Simple against itself: 48.2% (43.9-52.6), 10.1 hands a game.

| rules | first | second | games | first wins | 95% | points per hand | 95% | hands a game | how hands end |
|---|---|---|---|---|---|---|---|---|---|
"""


def line(first: str, second: str, preset: str, games: int) -> str:
    result = match("gin", first, second, games=games, seed=SEED, rules=preset)
    win, points = result.win_rate, result.points_per_hand
    ends = ", ".join(f"{name} {share:.1%}" for name, share in result.outcomes().items())
    return (
        f"| {preset} | {first} | {second} | {result.games:,} | {win.value:.2%} | {win.low:.2%} to {win.high:.2%} "
        f"| {points.value:+.3f} | {points.low:+.3f} to {points.high:+.3f} "
        f"| {result.hands / result.games:.2f} | {ends} |\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, default=Path("docs/results"), help="directory of the report")
    arguments = parser.parse_args()
    text = HEAD.format(seed=SEED)
    for pairing in PAIRINGS:
        row = line(*pairing)
        print(row, end="")
        text += row
    (arguments.write / "gin-baselines.md").write_text(text)


if __name__ == "__main__":
    main()
