"""PettingZoo environments: every seat is an agent, one acts at a time.

``rummylab.interop.pettingzoo.env("gin")`` is an `AECEnv`. Observations are dictionaries with ``observation`` and
``action_mask``. An agent observes what its seat may know, whoever's turn it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab.envs.vector import VectorEnv
from rummylab.errors import MissingExtraError

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise MissingExtraError("The PettingZoo environments need: pip install 'rummylab[rl]'") from None


class TableEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """One table of a game. An illegal move ends the episode with the worst reward.

    Arguments:
        game: Name of a game.
        render_mode: Nothing or ``"ansi"``: `render` returns what the player to act sees.
        options: Anything else that `VectorEnv` takes: ``rules``, ``seats``, ``episode``, ``reward``, ``dtype``.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "is_parallelizable": False, "render_fps": 1}

    def __init__(self, game: str = "gin", render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        self.tables = VectorEnv(game, 1, autoreset="next step", **options)
        self.metadata = {**self.metadata, "name": f"rummylab_{game}_v0"}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.tables.seats)]
        tensors, dtype = self.tables.tensors, np.dtype(self.tables.dtype).type
        most: Any = 255 if self.tables.dtype == "uint8" else np.inf
        space = spaces.Dict(
            {
                "observation": spaces.Box(0, most, (tensors.size,), dtype),
                "action_mask": spaces.Box(0, 1, (tensors.n_actions,), np.int8),
            }
        )
        self._actions = {name: spaces.Discrete(tensors.n_actions) for name in self.possible_agents}
        self._observations = dict.fromkeys(self.possible_agents, space)
        self._seats = {name: seat for seat, name in enumerate(self.possible_agents)}

    def observation_space(self, agent: str) -> Any:
        """Return the space of what *agent* sees."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of what *agent* can do."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next hand, or with *seed* the first one of that seed."""
        step = self.tables.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self.agent_selection = self.possible_agents[int(step.actor[0])]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what *agent* may know."""
        tensor, mask = self.tables.observe(0, self._seats[agent])
        if any(self.terminations.values()):
            mask = np.zeros_like(mask)
        return {"observation": tensor, "action_mask": mask.astype(np.int8)}

    def step(self, action: Any) -> None:
        """Make the move of the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        step = self.tables.step([int(action)])
        for name, seat in self._seats.items():
            self.rewards[name] = float(step.reward[0, seat])
        if step.done[0]:
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {name: {"illegal": bool(step.info["illegal"][0])} for name in self.agents}
            self.agent_selection = self.possible_agents[(self._seats[agent] + 1) % len(self.possible_agents)]
        else:
            self.agent_selection = self.possible_agents[int(step.actor[0])]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return what the player to act sees, in mode ``ansi``."""
        if self.render_mode != "ansi":
            return None
        rules, seat = self.tables.rules, self._seats[self.agent_selection]
        seen = rules.observation(seat, rules.observe(self.tables._rows, seat), (), ())  # type: ignore[arg-type]
        return "\n".join(seen.table_lines("text", self.possible_agents))

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def env(game: str = "gin", **options: Any) -> Any:
    """Return a table of *game* with PettingZoo's usual wrappers: calls in a wrong order raise errors.

    Raises:
        UnknownNameError: If there is no such game.
    """
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw_env(game, **options)))


def raw_env(game: str = "gin", **options: Any) -> TableEnv:
    """Return a table of *game* without wrappers."""
    return TableEnv(game, **options)
