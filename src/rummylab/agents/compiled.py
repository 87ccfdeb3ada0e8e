"""Write an agent as a Python function and run it at native speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba

from rummylab.engine.agent import CompiledAgent
from rummylab.engine.guard import guarded
from rummylab.errors import AgentError
from rummylab.games.registry import game


def compiled_agent(game_name: str, *, par: Sequence[float] = ()) -> Callable[[Callable[..., int]], CompiledAgent]:
    """Turn ``act(table, mine, par)`` into a :class:`CompiledAgent` for *game_name*.

    The function gets the public table, the player's private record and the float32 weights *par*, and returns an
    action code. It may call anything Numba understands, the game's kernels among it. It works on copies, of which
    ``mine.memory`` and ``mine.rng`` are kept; array indexes are checked (:mod:`rummylab.engine.guard`).
    """

    def compile_it(function: Callable[..., int]) -> CompiledAgent:
        signature: Any = game(game_name).act_signature
        try:
            act = guarded(function, signature)
        except (numba.core.errors.NumbaError, KeyError, TypeError, AttributeError, NotImplementedError) as error:
            raise AgentError(f"{function.__name__} does not compile as an agent of {game_name}: {error}") from None
        return CompiledAgent(function.__name__.replace("_", "-"), act, par)

    return compile_it


def guarded_agent(game_name: str, agent: CompiledAgent) -> CompiledAgent:
    """Return *agent* kept to its records, unless it is one of this package or is kept to them already."""
    function = getattr(agent.pointer, "py_func", None)
    if function is None or function.__module__.startswith("rummylab."):
        return agent
    return CompiledAgent(agent.name, guarded(function, game(game_name).act_signature), agent.par)
