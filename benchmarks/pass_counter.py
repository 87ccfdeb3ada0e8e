"""Measures `pass-counter` on duplicate deals, in every circular order of the players at two, three and four seats.

python benchmarks/pass_counter.py --games 960 --seed 2026 --write docs/results/pass-counter
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import factorial
from pathlib import Path

from rummylab.arena.match import match

DUELS = ("keats-tuned", "melder", "keats", "dummy")
TABLES: tuple[tuple[str, ...], ...] = (
    ("keats-tuned", "melder"),
    ("keats-tuned", "keats-tuned"),
    ("melder", "melder"),
    ("keats-tuned", "melder", "keats"),
    ("keats-tuned", "keats-tuned", "keats-tuned"),
    ("melder", "melder", "melder"),
)
OTHER_RULES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("course-seven", ("keats-tuned",)),
    ("course-seven(seats=3)", ("keats-tuned", "melder")),
    ("course-ten(seats=4)", ("keats-tuned", "melder", "keats")),
)
OPTIONS = ("pass-counter(patience=1000)", "pass-counter(patience=-1000)")
"""Waits for gin, and knocks at once."""


def line(player: str, others: tuple[str, ...], rules: str, games: int, seed: int) -> str:
    """Return a line of a table: the points of *player* at a table with *others*."""
    seats = 1 + len(others)
    whole = seats * factorial(seats - 1)
    result = match("gin_pass", player, *others, rules=rules, games=games // whole * whole, seed=seed)
    points = result.points_per_hand
    names = ", ".join(f"`{name}`" for name in others)
    found = f"{points.value:+.2f} ({points.ci[0]:+.2f} to {points.ci[1]:+.2f})"
    return f"| `{player}` | {names} | `{rules}` | {found} | {100 * result.win_rate.value:.1f}% | {result.games:,} |"


def tables(games: int, seed: int) -> Iterator[str]:
    """Yield the lines of the results, with headings."""
    head = ("| agent | others | rules | points a hand | matches won | matches |", "|---|---|---|---|---|---|")
    yield from ("## Two seats", "", *head)
    for other in DUELS:
        yield line("pass-counter", (other,), "course", games, seed)
    yield from ("", "## Three and four seats", "", *head)
    for others in TABLES:
        yield line("pass-counter", others, f"course(seats={1 + len(others)})", games, seed)
    yield from ("", "## Other numbers of cards", "", *head)
    for rules, others in OTHER_RULES:
        yield line("pass-counter", others, rules, games // 2, seed)
    yield from ("", "## Without a part of it", "", *head)
    for player in OPTIONS:
        yield line(player, ("keats-tuned",), "course", games // 2, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=960, help="matches for each row; half of it for other rules")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--write", type=Path, help="directory for tables.md, the tables of its README")
    chosen = parser.parse_args()
    text: list[str] = []
    for row in tables(chosen.games, chosen.seed):
        print(row, flush=True)
        text.append(row)
    if chosen.write:
        chosen.write.mkdir(parents=True, exist_ok=True)
        (chosen.write / "tables.md").write_text("\n".join([*text, ""]))


if __name__ == "__main__":
    main()
