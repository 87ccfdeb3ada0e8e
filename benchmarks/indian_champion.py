"""Measures `indian-champion` on duplicate deals: points, deals won, more seats, pools, and when a drop pays.

python benchmarks/indian_champion.py --games 20000 --seed 2026 --write docs/results/indian-champion
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from rummylab.agents.indian import champion as c
from rummylab.agents.indian import champion_values as v
from rummylab.agents.registry import agent
from rummylab.arena.match import MatchResult, match
from rummylab.learning.trainers.indian_champion import play

PAPER = ("minscore", "mindist", "mindist-score", "mindist-opp")
DUELS = (
    ("indian-champion", "mindist-outs", "paper"),
    ("indian-champion-stays", "mindist-outs", "paper"),
    ("indian-champion", "mindist-outs-drop", "paper"),
    *(("indian-champion", name, "paper") for name in PAPER),
    ("indian-champion", "mindist-outs", "platform"),
    ("indian-champion", "mindist-outs-drop", "platform"),
    ("indian-champion", "mindist-outs-drop", "platform(decks=2, printed_jokers=2)"),
)
WINS = tuple(("indian-champion-wins", name, "paper") for name in ("mindist-outs", *PAPER))
FIELDS = ((4, "platform(seats=4)"), (6, "platform(seats=6)"))
POOLS = (
    ("indian-champion", ("mindist-outs",), 4),
    ("indian-champion", ("mindist-outs-drop",), 4),
    ("indian-champion", ("mindist-outs-match",), 4),
    ("indian-champion", ("mindist-outs-drop",) * 5, 40),
)
TABLES = ("duels", "wins", "fields", "pools", "drops", "later", "standings")
LOST = (0, 20, 40, 60, 80)
"""Points lost by the players of a pool."""


def duels(pairs: Iterable[tuple[str, str, str]], games: int, seed: int) -> Iterator[str]:
    """Yield a line for each of *pairs*: two agents and the rules."""
    yield "| agent | opponent | rules | points a deal | deals won |"
    yield "|---|---|---|---|---|"
    for one, other, rules in pairs:
        result = match("indian", one, other, rules=rules, games=games, seed=seed)
        yield f"| `{one}` | `{other}` | `{rules}` | {_points(result)} | {_won(result)} |"


def fields(games: int, seed: int) -> Iterator[str]:
    """Yield a line for each table of four and six seats, where everybody else is `mindist-outs-drop`."""
    yield "| seats | rules | points a deal | deals won | fair share |"
    yield "|---|---|---|---|---|"
    for seats, rules in FIELDS:
        names = ["indian-champion", *["mindist-outs-drop"] * (seats - 1)]
        result = match("indian", *names, rules=rules, games=games // seats * seats, seed=seed)
        yield f"| {seats} | `{rules}` | {_points(result)} | {_won(result)} | {100 / seats:.1f}% |"


def pools(games: int, seed: int) -> Iterator[str]:
    """Yield a line for each match of pool 101."""
    yield "| agent | against | seats | matches won | fair share | matches |"
    yield "|---|---|---|---|---|---|"
    for one, others, less in POOLS:
        seats = 1 + len(others)
        n = games // less // (2 * seats) * 2 * seats
        rules = "platform(format=pool-101)" if seats == 2 else f"platform(seats={seats}, format=pool-101)"
        result = match("indian", one, *others, rules=rules, games=n, seed=seed)
        yield f"| `{one}` | `{others[0]}` | {seats} | {_won(result)} | {100 / seats:.1f}% | {result.games:,} |"


class Hands:
    """What deals brought to *player* by the hand before draw number *turn*, the first of which is 0."""

    def __init__(self, player: str, rules: str, deals: int, seed: int, turn: int = 0) -> None:
        notes = play(agent("indian", player), rules, seed, deals, every=False)
        here = np.round(notes.draws[:, v.DRAWS] * 10) == turn
        lines, self.results = notes.draws[here], notes.draw_results[here]
        self.started = lines[:, v.STARTED]
        self.distance = np.minimum(lines[:, v.DISTANCE : v.DISTANCE + v.N_DISTANCES].argmax(1), 5)
        self.jokers = np.minimum(np.round(lines[:, v.JOKERS] / 0.4).astype(int), 2)

    def of(self, started: int, jokers: int, distance: int) -> np.ndarray:
        """Return the results of these hands; a distance of 5 also stands for more, and two jokers too."""
        here = (self.started == started) & (self.jokers == jokers) & (self.distance == distance)
        return np.asarray(self.results[here])


def drops(deals: int, seed: int) -> Iterator[str]:
    """Yield a table of what a deal brings to who does not drop, by MinDist and jokers, moving first and second."""
    yield from by_hand(Hands("indian-champion-stays", "paper", deals, seed))


def later(deals: int, seed: int) -> Iterator[str]:
    """Yield the same table before the second draw, for a player who drops before the first one only."""
    yield from by_hand(Hands("indian-champion", "paper", deals, seed, turn=1))


def by_hand(hands: Hands) -> Iterator[str]:
    """Yield a table of results by MinDist and jokers, moving first and second."""
    yield "| moving | jokers | MinDist 2 | MinDist 3 | MinDist 4 | MinDist 5 or more |"
    yield "|---|---|---|---|---|---|"
    for started, words in ((1, "first"), (0, "second")):
        for n in range(3):
            cells = []
            for d in (2, 3, 4, 5):
                found = hands.of(started, n, d)
                error = 1.96 * found.std() / len(found) ** 0.5 if len(found) else 0.0
                cells.append(f"{found.mean():+.1f} ± {error:.1f}" if len(found) >= 100 else "")
            yield f"| {words} | {n if n < 2 else '2 or more'} | {' | '.join(cells)} |"


def standings(deals: int, seed: int) -> Iterator[str]:
    """Yield a table of the hands to drop in pool 101, by the points that the player and the opponent have lost."""
    openings = Hands("indian-champion-stays", "platform(decks=2, printed_jokers=2)", deals, seed)
    table = c.load_tensors(c.ARTIFACT)["drops"]
    yield f"| you have lost | {' | '.join(f'they have lost {lost}' for lost in LOST)} |"
    yield f"|---|{'---|' * len(LOST)}"
    for ours in LOST:
        cells = []
        for theirs in LOST:
            value = float(table[(100 - ours) // c.STEP, (100 - theirs) // c.STEP])
            hands = [_dropped_from(openings, started, jokers, value) for started in (1, 0) for jokers in (0, 1)]
            cells.append(f"{value:+.0f}: {', '.join(hands[:2])}; {', '.join(hands[2:])}" if value > -100 else "never")
        yield f"| {ours} | {' | '.join(cells)} |"


def _dropped_from(openings: Hands, started: int, jokers: int, value: float) -> str:
    """Return the lowest MinDist at which a hand is worth less than *value* on average; a dash if there is none."""
    for distance in (2, 3, 4, 5):
        found = openings.of(started, jokers, distance)
        if len(found) >= 100 and found.mean() < value:
            return str(distance)
    return "-"


def _points(result: MatchResult) -> str:
    found = result.points_per_hand
    return f"{found.value:+.2f} ({found.ci[0]:+.2f} to {found.ci[1]:+.2f})"


def _won(result: MatchResult) -> str:
    found = result.win_rate
    return f"{100 * found.value:.1f}% ({100 * found.ci[0]:.1f}% to {100 * found.ci[1]:.1f}%)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="deals for each pair")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--only", choices=TABLES, help="measure one table")
    parser.add_argument("--write", type=Path, help="directory for tables.md, the tables of its README")
    chosen = parser.parse_args()
    text: list[str] = []
    for name, title, table in (
        ("duels", "Two seats", duels(DUELS, chosen.games, chosen.seed)),
        ("wins", "Playing for deals won", duels(WINS, chosen.games, chosen.seed)),
        ("fields", "Four and six seats", fields(chosen.games, chosen.seed)),
        ("pools", "Pool 101", pools(chosen.games, chosen.seed)),
        ("drops", "What a deal brings without a drop", drops(10 * chosen.games, chosen.seed)),
        ("later", "What a deal brings before the second draw", later(10 * chosen.games, chosen.seed)),
        ("standings", "Which hands to drop in pool 101", standings(4 * chosen.games, chosen.seed)),
    ):
        if chosen.only not in (None, name):
            continue
        text += [f"## {title}", ""]
        for line in table:
            print(line, flush=True)
            text.append(line)
        text.append("")
    if chosen.write:
        chosen.write.mkdir(parents=True, exist_ok=True)
        (chosen.write / "tables.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
