"""Compiles the kernels of some games before the tests run: the workers of a test run would each compile all of them.

python tests/warm_up.py gin indian
"""

from __future__ import annotations

import sys

from rummylab.agents.registry import agent, entries
from rummylab.arena.match import match
from rummylab.engine.referee import play
from rummylab.games.registry import game


def warm_up(name: str) -> None:
    rules = game(name).rules()
    for home in {entry.home: entry for entry in entries(name)}.values():
        match(name, home.name, home.name, games=2, workers=1)
    play(rules, [agent(name, entries(name)[0].name)] * rules.seats, 1)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        warm_up(name)
