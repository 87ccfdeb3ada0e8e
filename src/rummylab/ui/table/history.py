"""A player's history: results by opponent with their intervals, and which kinds of decision cost most."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rummylab.engine.show import MINUS
from rummylab.games.registry import game as game_named
from rummylab.ui.table.config import agent_title
from rummylab.ui.table.store import Game

Z = 1.96


def wilson(won: int, n: int) -> tuple[float, float]:
    """Return the 95% interval of a rate by Wilson's score.

    >>> [round(100 * bound) for bound in wilson(11, 24)]
    [28, 65]
    """
    if n == 0:
        return 0.0, 1.0
    rate, z2 = won / n, Z * Z
    middle = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of *values* and its 95% interval; without a second value the interval is the mean."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, mean, mean
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = Z * math.sqrt(variance / len(values))
    return mean, mean - half, mean + half


def by_opponent(games: Iterable[Game]) -> list[dict[str, Any]]:
    """Return rated hands by game and opponent; hands that nobody won count for the points only."""
    groups: dict[tuple[str, str, int | None], list[Game]] = defaultdict(list)
    for game in games:
        if game.rated:
            name = agent_title(game.game, game.agent, game.level) if game.agent else game.opponents
            groups[game.game, name, game.level].append(game)
    return [_row(*key, found) for key, found in sorted(groups.items(), key=lambda item: -len(item[1]))]


def _row(game: str, opponent: str, level: int | None, found: Sequence[Game]) -> dict[str, Any]:
    decided = [one for one in found if one.won is not None]
    won = sum(bool(one.won) for one in decided)
    low, high = wilson(won, len(decided))
    points, points_low, points_high = mean_interval([one.points for one in found])
    rate = won / len(decided) if decided else 0.0
    name = f"{opponent}, level {level}" if level is not None else opponent
    return {
        "game": game,
        "title": game_named(game).title,
        "opponent": opponent,
        "level": level,
        "n": len(decided),
        "won": won,
        "rate": rate,
        "low": low,
        "high": high,
        "points": points,
        "points_low": points_low,
        "points_high": points_high,
        "text": f"{game_named(game).title} against {name}: {rate_text(won, len(decided))}",
    }


def rate_text(won: int, n: int) -> str:
    """Return a rate with its interval in words: ``won 11 of 24 (46%, 28 to 65)``."""
    if n == 0:
        return "no hands yet"
    low, high = wilson(won, n)
    return f"won {won} of {n} ({100 * won / n:.0f}%, {100 * low:.0f} to {100 * high:.0f})"


def leaks(reviews: Iterable[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Return which kinds of decision cost most, the worst first, from stored reviews."""
    losses: dict[str, list[float]] = defaultdict(list)
    for _, body in reviews:
        for decision in body["all"]:
            losses[str(decision["kind"])].append(float(decision["loss"]))
    rows = []
    for kind, values in losses.items():
        mean, low, high = mean_interval(values)
        rows.append(
            {
                "kind": kind,
                "label": kind.capitalize(),
                "n": len(values),
                "loss": mean,
                "low": low,
                "high": high,
                "total": sum(values),
                "text": _leak_text(sum(values), len(values)),
            }
        )
    return sorted(rows, key=lambda row: float(str(row["total"])))


def _leak_text(total: float, n: int) -> str:
    """Return what a kind of decision cost in words: ``−5.3 points in 5 decisions, −1.1 each``."""
    decisions = f"{n} decision{'s' * (n != 1)}"
    if total > -0.05:
        return f"no loss in {decisions}"
    each = f", {MINUS}{-total / n:.1f} each" if n > 1 else ""
    return f"{MINUS}{-total:.1f} points in {decisions}{each}"
