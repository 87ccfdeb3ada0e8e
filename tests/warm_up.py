"""Compile kernels before the tests run, so that the test workers do not each compile all of them.

python tests/warm_up.py gin indian rest

Kernels of one game share helpers, which a process compiles once: so each game has one process for all its kernels.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from rummylab._jit import PACKAGE, is_cold
from rummylab.agents.registry import agent, entries
from rummylab.arena.match import match
from rummylab.engine import referee
from rummylab.engine.playouts import compile_for
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
        referee.play(rules, [agent(name, entries(name)[0].name)] * rules.seats, 1)
        _ = game(name).batch.DRIVER.advance
    module, notes = TRAINERS[name]
    if is_cold(f"rummylab.learning.{module}"):
        notes()


def note_gin() -> None:
    from rummylab.learning.options import GinChampionOptions
    from rummylab.learning.trainers.gin_champion import GinChampion

    run = GinChampion(GinChampionOptions(hands=2, block=2, games=2, batch=64))
    run.run_round()
    with TemporaryDirectory() as place:
        run.write(Path(place) / run.ARTIFACT, {})


def note_indian() -> None:
    from rummylab.learning.indian_standings import drop_table
    from rummylab.learning.trainers.indian_champion import play

    play(agent("indian", "mindist-outs"), "paper", 1, 2, True)
    drop_table(agent("indian", "indian-champion(drops=0)"), 1, 20)


def note_contract() -> None:
    from rummylab.learning.trainers.contract_counter import OTHER, play

    play(agent("contract", OTHER), "contract-7", 1, 2, True, 1.0)


def note_gin_pass() -> None:
    from rummylab.learning.trainers.pass_counter import OTHERS, play

    play(agent("gin_pass", OTHERS[0]), "course", 1, 2, True)


TRAINERS = {
    "gin": ("trainers.gin_champion", note_gin),
    "indian": ("indian_notes", note_indian),
    "contract": ("contract_notes", note_contract),
    "gin_pass": ("gin_pass_notes", note_gin_pass),
}
"""The module in `learning` whose kernels play a game and note what a trainer learns from, and a call of them."""


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
