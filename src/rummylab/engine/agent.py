"""What a player is: something that gets observations and answers with actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rules, copy_of
from rummylab.engine.seats import Seat
from rummylab.engine.streams import PlayerStream, as_player_stream
from rummylab.errors import AgentError

STOPPED: Final = -(2**62)
"""What a guarded compiled agent returns when it stops with an error; no game has an action with this code."""
STOPPED_WORDS: Final = "stopped with an error: it read or wrote outside an array, or raised an exception"


class Agent(Protocol):
    """A player. ``sit`` comes at the start of every hand, ``act`` at every decision."""

    name: str

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None: ...
    def act(self, seen: Observation) -> Action: ...


class CompiledAgent:
    """A player whose decisions are one compiled function ``act(table, mine, par)`` that returns an action code.

    Batches of such players run at native speed; at a Python table it is an :class:`Agent` like any other.
    """

    def __init__(self, name: str, act: Any, par: Sequence[float] | npt.NDArray[np.float32] = ()) -> None:
        self.name = name
        self.pointer = act
        if not np.isfinite(np.asarray(par, dtype=np.float32)).all():
            raise AgentError(f"the parameters of the agent {name!r} must be finite numbers")
        self.par: npt.NDArray[np.float32] = np.ascontiguousarray(par if len(par) else [0.0], dtype=np.float32)
        self._stream = PlayerStream(0)
        self._memory: npt.NDArray[np.int64] | None = None

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self._stream = as_player_stream(rng)
        self._memory = None

    def act(self, seen: Observation) -> Action:
        view = copy_of(seen.view)[0]  # the function writes to its own random stream and notes
        mine = view["mine"]
        mine["rng"] = self._stream.state
        if self._memory is not None:
            mine["memory"] = self._memory
        code = self.pointer(view["table"], mine, self.par)
        if code == STOPPED:
            raise AgentError(f"agent {self.name!r} {STOPPED_WORDS}")
        self._stream.state, self._memory = mine["rng"], mine["memory"].copy()
        return seen.rules.decode(int(code))

    def __repr__(self) -> str:
        return f"CompiledAgent({self.name!r})"
