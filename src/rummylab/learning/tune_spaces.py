"""Which agents can be tuned, by which numbers and between which bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from rummylab.agents.gin.utility_options import FORMAT, NAMES, NETWORK, VERSION, UtilityOptions, load_artifact
from rummylab.agents.gin_course.keats_options import KeatsOptions
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import OptionError, UnknownNameError

Numbers = Mapping[str, float]

PRESENT, PRINTED = "present", "printed"
"""Starts: the agent's numbers as they are, and those that its paper printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The tunable numbers of one agent: bounds by name, the numbers to start from, how to make the agent."""

    bounds: Mapping[str, tuple[float, float]]
    starts: Mapping[str, Callable[[], Numbers]]
    """Numbers to start from, by name; ``present`` are those of the agent as it is."""
    make: Callable[[Numbers], CompiledAgent]
    artifact: Callable[[Numbers], dict[str, Any]]
    """The tuned numbers in the form in which the agent's file reads them."""

    def start(self, name: str = PRESENT) -> Numbers:
        """Return the numbers of the start *name*."""
        if name not in self.starts:
            raise UnknownNameError("start", name, self.starts)
        return self.starts[name]()


_UTILITY_BOUNDS = {
    "meld_bonus": (0.0, 2.0),
    "combination_bonus": (0.0, 4.0),
    "deadwood_bonus": (0.2, 3.0),
    "knock_bonus": (0.0, 20.0),
    "gin_bonus": (0.0, 40.0),
    "opp_util_importance": (0.0, 3.0),
    "low_card_bonus": (-1.0, 2.0),
    "emergency_booster": (0.5, 5.0),
    "take_margin": (-1.0, 3.0),
    "haste": (0.0, 0.5),
    "knock_from": (0.0, 20.0),
    "knock_fall": (0.0, 5.0),
    "knock_value": (-20.0, 25.0),
}
PAPER_NUMBERS = tuple(_UTILITY_BOUNDS)[:8]
"""The eight numbers of the opponent-hand paper."""


def _utility(home: str) -> Space:
    """Return the space of an agent with :class:`UtilityOptions` in an artifact beside its file.

    Weights of its belief, which come after the options in ``par``, are in its ``BELIEF_WEIGHTS``.
    """

    def make(numbers: Numbers) -> CompiledAgent:
        module = import_module(home)
        weights = getattr(module, "BELIEF_WEIGHTS", ())
        if numbers["belief"] >= NETWORK and not len(weights):
            raise OptionError(f"belief is {numbers['belief']:g}, the network: that is tuned with the agent utility-dnn")
        par = (*UtilityOptions(**numbers).par, *weights)
        return CompiledAgent("tuned", module.act, par)

    return _utility_space(make, lambda: asdict(load_artifact(import_module(home).ARTIFACT)))


def _utility_of_file(name: str) -> Space:
    """Return the space of ``utility@FILE`` or ``utility@DIRECTORY``, a player of the opponent-hand study."""
    from rummylab.learning.opponent_hand.players import read_player, utility_player

    options, network = read_player(name)

    def make(numbers: Numbers) -> CompiledAgent:
        return utility_player("tuned", UtilityOptions(**numbers), network)

    return _utility_space(make, lambda: asdict(options))


def _utility_space(make: Callable[[Numbers], CompiledAgent], present: Callable[[], Numbers]) -> Space:
    return Space(
        bounds=_UTILITY_BOUNDS,
        starts={PRESENT: present, PRINTED: lambda: asdict(UtilityOptions())},
        make=make,
        artifact=lambda numbers: {
            "format": FORMAT,
            "version": VERSION,
            "options": {name: round(float(numbers[name]), 6) for name in NAMES},
        },
    )


def _keats() -> Space:
    def make(numbers: Numbers) -> CompiledAgent:
        act = import_module("rummylab.agents.gin_course.keats").act
        return CompiledAgent("tuned", act, KeatsOptions(**numbers).par)

    bounds = {
        "meld": (0.0, 40.0),
        "mid_range": (-5.0, 10.0),
        "mid_from": (1.0, 7.0),
        "mid_to": (4.0, 13.0),
        "late": (-5.0, 10.0),
        "late_below": (20.0, 42.0),
        "pair_of_two": (0.0, 1.5),
        "pair_of_one": (0.0, 15.0),
        "pair_of_none": (-0.5, 1.0),
        "run_of_some": (0.0, 1.5),
        "run_of_none": (-0.5, 1.0),
        "same_rank": (-0.5, 1.5),
        "next_rank": (-0.5, 1.5),
    }
    return Space(
        bounds=bounds,
        starts={PRESENT: lambda: asdict(KeatsOptions())},
        make=make,
        artifact=lambda numbers: {"options": {name: round(float(numbers[name]), 3) for name in numbers}},
    )


SPACES: dict[tuple[str, str], Space] = {
    ("gin-course", "keats"): _keats(),
    ("gin", "utility"): _utility("rummylab.agents.gin.utility"),
    ("gin", "utility-dnn"): _utility("rummylab.agents.gin.utility_dnn"),
}


def space(game: str, agent: str) -> Space:
    """Return what can be tuned of *agent*; an unknown name suggests the nearest."""
    if game == "gin" and agent.startswith("utility@"):
        return _utility_of_file(agent)
    known = {name: found for (of, name), found in SPACES.items() if of == game}
    if agent not in known:
        raise UnknownNameError(f"tunable agent of {game}", agent, known)
    return known[agent]


def check_names(found: Space, names: tuple[str, ...], what: str) -> None:
    """Raise OptionError if one of *names* is no number of the agent."""
    for name in names:
        if name not in found.start():
            raise OptionError(f"{what}: the agent has no number {name!r}; known: {', '.join(found.start())}")
