"""A vector environment: thousands of tables, one NumPy array for each thing a learner needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rummylab.agents.registry import agent
from rummylab.cards.rng import root_of
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.options import Options
from rummylab.engine.pointers import addresses
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.tensor_kernels import sample_legal, to_floats
from rummylab.envs.equity import match_equity
from rummylab.envs.kernels import (
    ALL_SEATS,
    BEGIN,
    EQUITY,
    IS_MATCH,
    LEARNER,
    LINEUPS,
    NEXT_STEP,
    OPPONENT_ILLEGAL,
    OUT,
    REWARD,
    REWARDS,
    ROTATE,
    STATUS,
    env_kernels,
)
from rummylab.envs.tensors import Masks, Tensors
from rummylab.errors import AgentError, IllegalActionError, OptionError, whole
from rummylab.games.registry import game as game_of

EPISODES: Final = ("hand", "match")
DTYPES: Final = ("uint8", "float32")
AUTORESETS: Final = ("same step", "next step")
ILLEGALS: Final = ("lose", "raise")
Actions = npt.NDArray[np.int64]


class Step(NamedTuple):
    """What `reset` and `step` return, one line for each table.

    The arrays are those of the environment. They stay as they are until the step after the next one: copy what you
    keep longer.
    """

    observation: npt.NDArray[Any]
    """Tensors of what the player to act may know, uint8 or float32, of shape (n, size)."""
    mask: Masks
    """Legal actions, (n, actions)."""
    reward: npt.NDArray[np.float32]
    """The learner's rewards, (n,); with ``seats="all"`` everybody's, (n, seats)."""
    actor: npt.NDArray[np.int8]
    """The seat to act; -1 when an episode is over and the next has not begun."""
    done: Masks
    """Whether an episode has just ended. *reward* belongs to it; *observation* to the next one, if that has begun."""
    info: dict[str, npt.NDArray[Any]]
    """More about each table: see `INFO`."""


INFO: Final = {
    "illegal": "1 if an illegal action has just ended the episode",
    "outcome": "how the last hand ended, as a number of the game's `OUTCOMES`",
    "winner": "the seat that won the last episode, -1 if nobody did",
    "hands": "hands of the last episode",
    "length": "learners' decisions in the last episode",
    "deal": "number of the last episode's deal under the seed",
    "learner": "the learner's seat in the last episode",
    "lineup": "number of the opponents of the last episode, from 0, where several take turns",
    "skipped": "episodes that ended before the learner's first decision, since the last step",
    "skipped_reward": "the learner's rewards in them",
}
"""The fields of `Step.info`. Those about the last episode are set where ``done`` is true."""


class VectorEnv:
    """Many tables of one game in lock-step, for learners.

    With *opponents*, the learner plays one seat and compiled agents play the others: a step comes back at the learner's
    next decision. With ``seats="all"`` (the default), every decision of every seat is the learner's.

    Arguments:
        game: Name of a game, such as ``"gin"``.
        n: Number of tables.
        rules: A preset such as ``"classic"``, options, or nothing: the first preset of the game.
        seats: ``"all"``, or a number of seats for games that have a choice.
        opponents: Names of agents, one for each other seat; one name serves for all of them. Where the number of seats
            is known, a longer list is several lineups that take turns: ``["simple", "champion(level=5)"]`` in Gin.
        learner: The learner's seat; by default it changes from episode to episode.
        episode: ``"hand"`` or ``"match"``.
        reward: ``"points"``, ``"win"`` or ``"equity"`` (Gin, in matches: the change of the chance to win the match).
        illegal: ``"lose"``: an illegal action ends the episode with the worst reward. ``"raise"``: it raises an error.
        actions: ``"compact"`` or ``"full"`` numbering of the actions; see `Tensors`.
        dtype: ``"uint8"`` or ``"float32"`` observations.
        autoreset: ``"same step"``: a step that ends an episode returns the first observation of the next one. ``"next
            step"``: it returns the last observation of the old one, and the next step ignores its action and deals.
        seed: Seed of the deals and of the agents' random numbers.

    Raises:
        UnknownNameError: If there is no such game, preset or agent.
        OptionError: If a value is not allowed.

    Example:
        >>> env = VectorEnv("gin", n=4, opponents=["simple"], seed=1)
        >>> step = env.reset()
        >>> step = env.step(env.sample())
        >>> step.observation.shape, step.mask.shape, step.reward.shape
        ((4, 698), (4, 108), (4,))
    """

    def __init__(
        self,
        game: str,
        n: int = 1,
        *,
        rules: str | Options | Rules | None = None,
        seats: str | int = "all",
        opponents: Sequence[str | CompiledAgent] | str | None = None,
        learner: int | None = None,
        episode: str = "hand",
        reward: str = "points",
        illegal: str = "lose",
        actions: str = "compact",
        dtype: str = "uint8",
        autoreset: str = "same step",
        seed: int = 0,
    ) -> None:
        spec = game_of(game)
        self.n = whole(n, "the number of tables")
        if self.n < 1:
            raise OptionError(f"An environment has at least one table, not {n}.")
        self.opponents = _players(game, opponents)
        self.rules = _rules(spec, rules, seats, self.opponents)
        self.tensors = Tensors(self.rules, actions)
        self.episode, self.reward = _one_of("episode", episode, EPISODES), _one_of("reward", reward, REWARDS)
        self.illegal, self.dtype = _one_of("illegal", illegal, ILLEGALS), _one_of("dtype", dtype, DTYPES)
        self.autoreset = _one_of("autoreset", autoreset, AUTORESETS)
        if self.opponents:
            others = self.rules.seats - 1
            self.opponents *= others if len(self.opponents) == 1 else 1
            if len(self.opponents) % others:
                words = f"{self.rules.seats} seats need {others} opponents, one for all, or lineups of {others}"
                raise OptionError(f"{words}, not {len(self.opponents)}.")
        self.learner = ROTATE if learner is None else whole(learner, "the learner's seat")
        if not ROTATE <= self.learner < self.rules.seats or (learner is not None and not self.opponents):
            raise OptionError(f"The learner's seat is one from 0 to {self.rules.seats - 1}, beside opponents.")
        self._equity = self._equity_table()
        worst = float(self.tensors.game.worst(self.rules.options))
        self.worst = worst if self.reward == "points" else 1.0
        """What an illegal action costs."""
        self.seed, self._is_new = whole(seed, "the seed"), True
        self._prepare()
        self.reset()

    def _equity_table(self) -> npt.NDArray[np.float32]:
        if self.reward != REWARDS[EQUITY]:
            return np.zeros((1, 1), np.float32)
        if self.episode != "match":
            raise OptionError("The reward 'equity' is about matches: choose episode='match'.")
        rules: Any = self.rules
        return match_equity(rules)

    def _prepare(self) -> None:
        """Make the arrays that the kernel reads and writes."""
        n, tensors = self.n, self.tensors
        kernels = env_kernels(self.rules.name)
        self._advance = kernels.advance
        self._rows: Rows = self.rules.new_rows(n)
        self._status: Rows = np.zeros(n, STATUS)
        self._tallies: Rows = np.zeros(n, kernels.tally)
        self._settings = tensors.settings.copy()
        self._settings[[ALL_SEATS, LEARNER]] = not self.opponents, self.learner
        self._settings[[IS_MATCH, REWARD]] = self.episode == "match", REWARDS.index(self.reward)
        self._settings[NEXT_STEP] = self.autoreset == "next step"
        self._settings[LINEUPS] = max(1, len(self.opponents) // (self.rules.seats - 1))
        acts, params = [one.kernel for one in self.opponents], [one.params for one in self.opponents]
        self._kept = acts, params
        self._agents = addresses(acts, params, self.rules.spec.act_signature)
        width = 1 if self.opponents else self.rules.seats
        self._buffers = [_Buffers(n, tensors, width, self.dtype) for _ in range(2)]
        self._turn = 0
        self._nothing = np.zeros(n, np.int64)

    # --- Play ---------------------------------------------------------------------------------------------------------

    @property
    def n_actions(self) -> int:
        """Number of actions."""
        return self.tensors.n_actions

    @property
    def size(self) -> int:
        """Numbers in an observation."""
        return self.tensors.size

    @property
    def seats(self) -> int:
        """Players at a table."""
        return self.rules.seats

    def reset(self, seed: int | None = None) -> Step:
        """Deal new episodes at all tables: from the start of *seed*, or the next ones without a seed."""
        if seed is None and self._is_new:
            seed = self.seed  # nobody has played the first deals yet
        if seed is not None:
            self.seed = whole(seed, "the seed")
            self._root = root_of(self.seed)
            self._status["deal"] = np.arange(self.n) - self.n
            streams = np.random.default_rng(np.random.PCG64(self.seed))
            self._streams = streams.integers(0, 2**63, self.n, np.uint64)
        self._settings[BEGIN] = 1
        step = self._step(self._nothing)
        self._settings[BEGIN] = 0
        self._is_new = True
        return step

    def step(self, actions: npt.ArrayLike) -> Step:
        """Carry out one action at every table.

        Raises:
            IllegalActionError: With ``illegal="raise"``, if an action is not legal; no table has changed.
            AgentError: If an opponent makes an illegal move.
        """
        given = np.ascontiguousarray(actions)
        if given.shape != (self.n,):
            raise OptionError(f"There are {self.n} tables, but the actions have the shape {given.shape}.")
        if given.dtype.kind not in "iu":
            raise OptionError(f"Actions are whole numbers, not {given.dtype}.")
        given = given.astype(np.int64, copy=False)
        if self.illegal == "raise":
            self._check(given)
        self._is_new = False
        return self._step(given)

    def sample(self) -> Actions:
        """Return a random legal action for every table, from the environment's own stream; 0 where none is due."""
        out = np.empty(self.n, np.int64)
        sample_legal(self._buffers[self._turn].masks, self._streams, out)
        return out

    def observe(self, table: int, seat: int) -> tuple[npt.NDArray[Any], Masks]:
        """Return the tensor of what *seat* may know at *table*, and its legal actions: none unless it is to act."""
        view = self.rules.observe(self._rows[table : table + 1], Seat(seat))
        tensor, mask = self.tensors.encode_with_masks(view)
        return (tensor if self.dtype == "uint8" else self.tensors.floats(tensor))[0], mask[0]

    def _check(self, actions: Actions) -> None:
        last = self._buffers[self._turn]
        known = (actions >= 0) & (actions < self.n_actions)
        legal = known & last.legal[np.arange(self.n), np.where(known, actions, 0)]
        wrong = np.flatnonzero(~legal & ~self._status["finished"].astype(bool))
        if len(wrong):
            at = int(wrong[0])
            words = self.tensors.name_of(int(actions[at]))
            raise IllegalActionError(f"{words} (action {int(actions[at])}) is not legal at table {at}.")

    def _step(self, actions: Actions) -> Step:
        self._turn ^= 1
        out = self._buffers[self._turn]
        tensors = self.tensors
        self._advance(
            self._rows,
            self._status,
            self._tallies,
            actions,
            self._settings,
            self.worst,
            self._equity,
            self._root,
            self._agents,
            tensors.program,
            tensors.numbers,
            tensors.lookup,
            out.tensor,
            out.masks,
            out.rewards,
            out.outs,
        )
        if self.opponents and (out.step.info["illegal"] == OPPONENT_ILLEGAL).any():
            at = int(np.flatnonzero(out.step.info["illegal"] == OPPONENT_ILLEGAL)[0])
            raise AgentError(f"An opponent made an illegal move at table {at}, deal {int(out.outs['deal'][at])}.")
        if out.floats is not None:
            to_floats(out.tensor, tensors.layout.scales, out.floats)
        return out.step


class _Buffers:
    """The arrays of one step."""

    def __init__(self, n: int, tensors: Tensors, width: int, dtype: str) -> None:
        self.tensor = np.zeros((n, tensors.size), np.uint8)
        self.masks = np.zeros((n, tensors.n_actions), np.uint8)
        self.legal = self.masks.view(np.bool_)
        self.rewards = np.zeros((n, width), np.float32)
        self.outs = np.zeros(n, OUT)
        self.floats = np.zeros(self.tensor.shape, np.float32) if dtype == "float32" else None
        observation: npt.NDArray[Any] = self.tensor if self.floats is None else self.floats
        reward = self.rewards[:, 0] if width == 1 else self.rewards
        info = {name: self.outs[name] for name in INFO}
        self.step = Step(observation, self.legal, reward, self.outs["actor"], self.outs["done"], info)


def _one_of(what: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise OptionError(f"The option {what!r} is one of {', '.join(map(repr, known))}, not {value!r}.")
    return value


def _players(game: str, names: Sequence[str | CompiledAgent] | str | None) -> list[CompiledAgent]:
    listed = [names] if isinstance(names, str) else list(names or ())
    players = [agent(game, one) if isinstance(one, str) else one for one in listed]
    for player in players:
        if not isinstance(player, CompiledAgent):
            raise AgentError(f"The opponent {player!r} is not a compiled agent.")
    return players


def _rules(spec: Any, rules: Any, seats: str | int, opponents: list[CompiledAgent]) -> Rules:
    changes = {}
    if isinstance(seats, int):
        if seats not in spec.seats:
            most = f" to {spec.seats[-1]}" if len(spec.seats) > 1 else ""
            raise OptionError(f"{spec.title} is for {spec.seats[0]}{most} players, not {seats}.")
        changes["seats"] = seats
    elif seats != "all":
        raise OptionError(f"The option 'seats' is 'all' or a number, not {seats!r}.")
    elif len(opponents) > 1 and len(spec.seats) > 1:
        changes["seats"] = 1 + len(opponents)
    if hasattr(rules, "spec"):
        rules = rules.options
    if changes.get("seats") == spec.seats[0] == spec.seats[-1]:
        changes = {}
    found: Rules = spec.rules(rules, **changes)
    return found
