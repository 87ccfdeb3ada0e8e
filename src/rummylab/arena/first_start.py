"""The first match of a game: agents are compiled in other processes while this one compiles the driver.

Nothing here imports Numba before it has to: that takes as long as compiling a small kernel, so the processes of the
very first start import it side by side.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from rummylab._cache_directory import cache_root, is_read_only
from rummylab._sources import PACKAGE, sources_of
from rummylab.agents.registry import agent, entries
from rummylab.errors import RummyError
from rummylab.games.registry import game

_MOST_AGENTS = 256
"""Agents that a byte can number."""
_LOAD = """
import gc, os, sys
gc.disable()
try:
    from rummylab.agents.registry import agent
    while number := os.read(0, 1):
        agent(sys.argv[1], sys.argv[2 + number[0]])
finally:  # the process that waits compiles what is missing and reports errors; taking the compiler apart takes 0.5 s
    os._exit(0)
"""


class _Others:
    """Processes that compile agents. Whoever is free takes the next: its number is a byte in a pipe that all read."""

    def __init__(self, game_name: str, names: Sequence[str]) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-c", _LOAD, game_name, *names]
        numbers, filled = os.pipe()
        self._names, self._waiting = names, open(numbers, "rb", buffering=0)  # noqa: SIM115 - closed in `end`
        with open(filled, "wb", buffering=0) as queue:
            queue.write(bytes(range(len(names))))
        n_others = min(len(names), max((os.cpu_count() or 1) - 1, 1))
        self._running = [subprocess.Popen(command, stdin=self._waiting, env=environment) for _ in range(n_others)]

    def left(self) -> Iterator[str]:
        """Take one agent after the other, as long as there is one that nobody has taken."""
        while number := self._waiting.read(1):
            yield self._names[number[0]]

    def wait(self) -> None:
        """Wait until all agents are compiled."""
        for process in self._running:
            process.wait()

    def end(self) -> None:
        """End what still runs."""
        for process in self._running:
            process.kill()
            process.wait()
        self._waiting.close()


_begun: dict[tuple[str, ...], _Others] = {}
"""Processes that `begin` has started, by game and agents."""


def begin(game_name: str, names: Sequence[str]) -> None:
    """Start to compile agents in other processes, if this machine has never compiled a match of the game.

    A command calls this before it imports Numba; `compile_together` finds the processes. A mistake in *names* is left
    to the command to report.
    """
    with suppress(RummyError):
        ours = _largest_first(game_name, names)
        if ours and _is_new(game(game_name).module_name("batch")):
            _begun[game_name, *ours] = others = _Others(game_name, ours)
            atexit.register(others.end)


def compile_together(game_name: str, names: Sequence[str]) -> None:
    """On a first start, compile the agents in other processes while this one compiles the driver."""
    from rummylab._jit import is_cold

    ours = _largest_first(game_name, names)
    others = _begun.pop((game_name, *ours), None)
    if others is None:
        if not ours or not is_cold(game(game_name).module_name("batch")):
            return
        others = _Others(game_name, ours)
    try:
        _ = game(game_name).batch
        for name in others.left():
            agent(game_name, name)
        others.wait()
    finally:
        others.end()


def _is_new(module: str) -> bool:
    """Return whether no version of *module* has machine code on disk, where it could be kept."""
    root = None if is_read_only() else cache_root()
    return root is not None and not any((root / module.partition(".")[2]).glob("*/*"))


def _largest_first(game_name: str, names: Sequence[str]) -> list[str]:
    """Return one agent for each kernel that *names* need, those with the most source text first."""
    homes = {found.name: found.home for found in entries(game_name)}
    sizes: dict[str, Any] = {}
    for name in names:
        home = homes.get(name.partition("(")[0])  # None: an outside agent
        if home is not None and home not in sizes:
            path = PACKAGE.joinpath(*home.split(".")[1:]).with_suffix(".py")
            sizes[home] = sum(part.stat().st_size for part in sources_of(path)), name
    return [name for _, name in sorted(sizes.values(), reverse=True)[:_MOST_AGENTS]]
