"""A handicap for any agent: now and then it plays a random move, as a tired or distracted player would.

It is honest: the agent sees what it always sees and never more; it only forgets to use it. A random move never ends the
hand, gives it up or lays cards down, so a weak player is weak and not absurd.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummylab.engine.action import Action
from rummylab.engine.agent import Agent, CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.streams import as_player_stream

CASUAL: Final = ("draw stock", "draw upcard", "discard", "pass", "buy")
"""Kinds of move that may be made at random."""
_OWN: Final = 0x5EED
"""Keeps the handicap's random numbers apart from the agent's."""


class Handicapped:
    """An agent that makes a random move with the probability *noise*."""

    def __init__(self, agent: Agent, noise: float) -> None:
        self.agent, self.noise = agent, noise
        self.name = agent.name
        self._start, self._drawn = 0, 0
        self._random = np.random.Generator(np.random.PCG64(0))

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        """Take a seat for a new hand."""
        stream = as_player_stream(rng)
        self._start = int(stream.state) ^ _OWN
        self._restart(0)
        self.agent.sit(rules, seat, stream)

    def _restart(self, drawn: int) -> None:
        self._random = np.random.Generator(np.random.PCG64(self._start))
        self._random.random(2 * drawn)
        self._drawn = drawn

    def act(self, seen: Observation) -> Action:
        """Return the agent's move, or a random one."""
        slip, which = self._random.random(2)
        self._drawn += 1
        chosen = self.agent.act(seen)
        casual = [action for action in seen.legal if action.verb in CASUAL]
        if slip >= self.noise or chosen.verb not in CASUAL or not casual:
            return chosen
        return casual[int(which * len(casual))]

    def snapshot(self) -> bytes:
        """Return what the agent remembers of this hand."""
        inner = self.agent.snapshot() if isinstance(self.agent, CompiledAgent) else b""
        return self._drawn.to_bytes(4, "little") + inner

    def restore(self, snapshot: bytes) -> None:
        """Remember what `snapshot` returned."""
        self._restart(int.from_bytes(snapshot[:4], "little"))
        if isinstance(self.agent, CompiledAgent):
            self.agent.restore(snapshot[4:])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["agent"], name)
