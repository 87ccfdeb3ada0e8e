"""Gymnasium environments: one table, or many, against compiled opponents.

Importing this module registers an environment for each game: ``gymnasium.make("rummylab/Gin-v0", opponent="simple")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummylab.envs.vector import VectorEnv
from rummylab.errors import MissingExtraError, OptionError
from rummylab.games.registry import game as game_of
from rummylab.interop.gymnasium_ids import NEEDS, register

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise MissingExtraError(NEEDS) from None

FORMS: Final = ("flat", "planes")


class _Tables:
    """What the environment of one table and that of many have in common."""

    def __init__(self, game: str, n: int, opponent: str | Sequence[str] | None, form: str, options: Any) -> None:
        if form not in FORMS:
            raise OptionError(f"The form of an observation is {' or '.join(FORMS)}, not {form!r}.")
        self.form = form
        spec = game_of(game)
        rules = spec.read_options(options.get("rules"))
        opponents = opponent if opponent is not None else spec.opponent_for(rules)
        self.env = VectorEnv(game, n, opponents=opponents, **{"autoreset": "next step", **options})
        tensors, dtype = self.env.tensors, np.dtype(self.env.dtype).type
        most: Any = 255 if self.env.dtype == "uint8" else np.inf
        self.action_space = spaces.Discrete(tensors.n_actions)
        if form == "flat":
            self.space: Any = spaces.Box(0, most, (tensors.size,), dtype)
        else:
            planes = spaces.Box(0, 2, (tensors.n_planes, 4, 13), dtype)
            scalars = spaces.Box(0, most, (tensors.n_scalars,), dtype)
            self.space = spaces.Dict({"planes": planes, "scalars": scalars})

    def shaped(self, observation: npt.NDArray[Any]) -> Any:
        """Return a copy of flat observations in the form that was asked for."""
        if self.form == "flat":
            return observation.copy()
        tensors = self.env.tensors
        return {"planes": tensors.planes(observation).copy(), "scalars": tensors.scalars(observation).copy()}


class GameEnv(gymnasium.Env[Any, Any]):  # type: ignore[misc]
    """One table of a game, for one learner.

    Arguments:
        game: Name of a game; set by the registered ids.
        opponent: Name of an agent, or several as in `VectorEnv`; by default the game's own.
        form: ``"flat"`` (one vector) or ``"planes"`` (a dictionary of planes and scalars).
        render_mode: Nothing or ``"ansi"``: `render` returns the table as the learner sees it.
        options: Anything else that `VectorEnv` takes: ``rules``, ``episode``, ``reward``, ``illegal``, ``dtype``.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: str = "gin",
        opponent: str | Sequence[str] | None = None,
        form: str = "flat",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._tables = _Tables(game, 1, opponent, form, options)
        self.env_ = self._tables.env
        self.observation_space, self.action_space = self._tables.space, self._tables.action_space
        self.render_mode = render_mode
        self._mask = np.zeros(self.env_.n_actions, np.int8)
        self._action = np.zeros(1, np.int64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal the next hand, or with *seed* the first one of that seed."""
        super().reset(seed=seed)
        step = self.env_.reset(seed)
        return self._tables.shaped(step.observation[0]), self._info(step)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a move; the opponents answer until it is the learner's turn again."""
        self._action[0] = action
        step = self.env_.step(self._action)
        done = bool(step.done[0])
        return self._tables.shaped(step.observation[0]), float(step.reward[0]), done, False, self._info(step)

    def _info(self, step: Any) -> dict[str, Any]:
        self._mask = step.mask[0].view(np.int8).copy()
        info: dict[str, Any] = {"action_mask": self._mask}
        if step.done[0]:
            info |= {name: values[0].item() for name, values in step.info.items()}
        return info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, as sb3-contrib's MaskablePPO asks for them."""
        return self._mask.view(np.bool_)

    def render(self) -> str | None:
        """Return the table as the learner sees it, in mode ``ansi``."""
        if self.render_mode != "ansi":
            return None
        rows, rules = self.env_._rows, self.env_.rules
        seat = int(self.env_._status["learner"][0])
        seen = rules.observation(seat, rules.observe(rows, seat), (), ())  # type: ignore[arg-type]
        names = ["you" if k == seat else f"player {k + 1}" for k in range(rules.seats)]
        return "\n".join(seen.table_lines("text", names))


class GameVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):  # type: ignore[misc]
    """Many tables of a game in lock-step: `VectorEnv` as Gymnasium wants it.

    Arguments are those of `GameEnv`, and the number of tables.
    """

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        game: str = "gin",
        num_envs: int = 1,
        opponent: str | Sequence[str] | None = None,
        form: str = "flat",
        **options: Any,
    ) -> None:
        self._tables = _Tables(game, num_envs, opponent, form, options)
        self.env_ = self._tables.env
        self.num_envs, self.render_mode = num_envs, None
        self.single_observation_space, self.single_action_space = self._tables.space, self._tables.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal the next hands, or with *seed* the first ones of that seed; of a list the first number counts."""
        first = seed[0] if isinstance(seed, list) else seed
        super().reset(seed=first)
        step = self.env_.reset(first)
        return self._tables.shaped(step.observation), {"action_mask": step.mask.view(np.int8).copy()}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Make a move at every table. A table whose episode is over ignores it and deals."""
        step = self.env_.step(actions)
        info = {name: values.copy() for name, values in step.info.items()}
        info["action_mask"] = step.mask.view(np.int8).copy()
        observation, over = self._tables.shaped(step.observation), step.done.copy()
        return observation, step.reward.astype(np.float64), over, np.zeros_like(over), info


register()
