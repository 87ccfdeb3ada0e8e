"""How often each level beats the one below: ``python benchmarks/levels.py indian --deals 300``.

Duplicate deals: every deal is played twice with the seats swapped. Handicapped agents play at the Python table.
"""

from __future__ import annotations

import argparse
import json

from rummylab.agents.levels import LEVELS, rung_at
from rummylab.engine.referee import play
from rummylab.games.lookup import rules_of
from rummylab.ui.table.session import make_agent


def compare(game: str, level: int, deals: int, first: int) -> dict[str, float]:
    """Return how *level* does against the one below on *deals* duplicate deals, from seed *first* on."""
    rules = rules_of(game)
    upper, lower = (
        make_agent(game, rung.agent, rung.noise) for rung in (rung_at(game, level), rung_at(game, level - 1))
    )
    won = decided = 0
    points = 0.0
    for seed in range(first, first + deals):
        for place in (0, 1):
            state = play(rules, [lower, upper] if place else [upper, lower], seed)
            winner = state.result["winner"]
            decided += winner is not None
            won += winner == place
            points += state.payoffs()[place]
    rate = won / max(1, decided)
    return {
        "level": level,
        "won": won,
        "decided": decided,
        "rate": round(rate, 3),
        "points": round(points / 2 / deals, 2),
    }


def main() -> None:
    """Print one line for each level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="seed of the first deal")
    given = parser.parse_args()
    for level in LEVELS[1:]:
        print(json.dumps(compare(given.game, level, given.deals, given.first)), flush=True)


if __name__ == "__main__":
    main()
