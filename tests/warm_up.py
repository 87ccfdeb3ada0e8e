"""Compile kernels before the tests run, so that the test workers do not each compile all of them.

python tests/warm_up.py gin indian rest
"""

from __future__ import annotations

import sys
from importlib import import_module

from rummylab._jit import PACKAGE, is_cold
from rummylab.agents.registry import agent, entries
from rummylab.arena.match import match
from rummylab.engine.playouts import compile_for
from rummylab.engine.referee import play
from rummylab.envs.kernels import env_kernels
from rummylab.games.registry import game


def warm_up(name: str) -> None:
    """Compile what is not on disk yet: the game's tables and drivers, and one agent of each file."""
    rules = game(name).rules()
    homes = {entry.home: entry.name for entry in entries(name)}
    cold = [agent_name for home, agent_name in homes.items() if is_cold(home)]
    compile_for(game(name))
    for agent_name in cold:
        match(name, agent_name, agent_name, games=2, workers=1)
    if is_cold(game(name).module_name("tensors")):
        env_kernels(name)
    if cold:
        play(rules, [agent(name, entries(name)[0].name)] * rules.seats, 1)


def warm_up_the_rest() -> None:
    """Import the modules outside `games` and `agents` that compile kernels when they are imported."""
    for package in ("beliefs", "learning", "studies"):
        for path in sorted((PACKAGE / package).rglob("*.py")):
            module = ".".join(("rummylab", *path.relative_to(PACKAGE).with_suffix("").parts))
            if "@kernel_of(" in path.read_text() and is_cold(module):
                import_module(module)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if name == "rest":
            warm_up_the_rest()
        else:
            warm_up(name)
