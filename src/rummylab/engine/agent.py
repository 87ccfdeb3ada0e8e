"""Players: anything that gets observations and answers with actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from rummylab.engine.pointers import addresses, deciding
from rummylab.engine.rows import Params, Rows
from rummylab.engine.spec import GameSpec
from rummylab.engine.streams import PlayerStream, as_player_stream
from rummylab.errors import AgentError

if TYPE_CHECKING:
    from rummylab.engine.action import Action
    from rummylab.engine.observation import Observation
    from rummylab.engine.rules import Rules
    from rummylab.engine.seats import Seat

Numbers = Sequence[float] | Params

STOPPED: Final = -(2**62)
"""What a guarded compiled agent returns when it stops with an error; no game has an action with this code."""
STOPPED_WORDS: Final = "stopped with an error: it read or wrote outside an array, or raised an exception"


class Agent(Protocol):
    """A player."""

    name: str

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        """Take *seat* for a new hand under *rules*; *rng* is the player's own stream of random numbers."""

    def act(self, seen: Observation) -> Action:
        """Return one of ``seen.legal``."""
        ...


class Desk:
    """A compiled agent's own copy of what it sees: the kernel writes to the random stream and the notes in it."""

    def __init__(self, spec: GameSpec, kernel: Any, params: Params) -> None:
        self.spec, self.params = spec, params
        dtype = spec.kernels.VIEW
        self.views: Rows = np.zeros(1, dtype)
        self._agents = addresses([kernel], [params], spec.act_signature)
        decide, where = deciding(dtype, spec.act_signature), (self.views.ctypes.data, self._agents.ctypes.data)
        self.decide: Callable[[], int] = partial(decide, *where)
        self.whole: Any = memoryview(self.views.view(np.uint8))  # type: ignore[arg-type]
        self.rng = self._window("rng").cast("Q")
        self.memory = self._window("memory")

    def _window(self, field: str) -> Any:
        """Return the bytes of a *field* of ``mine``."""
        mine, first = self.views.dtype.fields["mine"][:2]  # type: ignore[index]
        kind, offset = mine.fields[field][:2]  # type: ignore[index]
        return self.whole[first + offset : first + offset + kind.itemsize]


class CompiledAgent:
    """A player whose decisions are one compiled function, ``kernel(table, mine, params) -> code``.

    Batches of such players run at native speed; at a Python table it is an :class:`Agent` like any other. *params* are
    numbers, or a function that returns them and is called when they are first needed.

    Raises:
        AgentError: If a parameter is infinite or not a number.
    """

    def __init__(self, name: str, kernel: Any, params: Numbers | Callable[[], Numbers] = ()) -> None:
        self.name = name
        if kernel is not None:  # else a subclass makes it when it is first needed
            self.kernel = kernel
        if callable(params):
            self._load = params
        else:
            self.params = self._checked(params)
        self._stream = PlayerStream(0)
        self._random = self._stream.cell
        self._memory: bytes | None = None
        self._desk: Desk | None = None

    @cached_property
    def params(self) -> Params:
        """The numbers that the kernel reads."""
        return self._checked(self._load())

    def _checked(self, params: Numbers) -> Params:
        numbers = np.ascontiguousarray(params if len(params) else [0.0], dtype=np.float32)
        if not np.isfinite(numbers).all():
            raise AgentError(f"The parameters of agent {self.name!r} must be finite numbers.")
        return numbers

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        """Forget the last hand."""
        self._stream = as_player_stream(rng)
        self._random = self._stream.cell
        self._memory = None

    def act(self, seen: Observation) -> Action:
        """Return the action that the kernel chooses.

        Raises:
            AgentError: If the kernel stops with an error.
        """
        desk, rules = self._desk, seen.rules
        if desk is None or desk.spec is not rules.spec or desk.params is not self.params:
            desk = self._desk = Desk(rules.spec, self.kernel, self.params)
        desk.whole[:] = seen.view_bytes()
        desk.rng[0] = self._random[0]
        if self._memory is not None:
            desk.memory[:] = self._memory
        code = desk.decide()
        if code == STOPPED:
            raise AgentError(f"Agent {self.name!r} {STOPPED_WORDS}.")
        self._random[0], self._memory = desk.rng[0], desk.memory.tobytes()
        return rules.decode(code)

    def snapshot(self) -> bytes:
        """Return what the agent remembers of this hand: its random stream and its notes."""
        return int(self._stream.state).to_bytes(8, "little") + (self._memory or b"")

    def restore(self, snapshot: bytes) -> None:
        """Remember what `snapshot` returned, after the agent took its seat again."""
        self._stream.state = int.from_bytes(snapshot[:8], "little")
        self._memory = snapshot[8:] or None

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the numbers themselves, not the function that loads them."""
        return {**self.__dict__, "params": self.params, "_desk": None, "_load": None}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
