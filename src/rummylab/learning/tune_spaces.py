"""The agents that can be tuned, their numbers, and the bounds of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rummylab.agents.contract import contract_counter
from rummylab.agents.gin import hand_strength, utility
from rummylab.agents.gin.utility import FORMAT, VERSION
from rummylab.agents.gin.utility_policy import UtilityOptions
from rummylab.agents.gin_pass import keats
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import OptionError, UnknownNameError
from rummylab.learning.opponent_hand.players import player, read_player, utility_player

Numbers = Mapping[str, float]

PRESENT, PRINTED = "present", "printed"
"""Starts of a search: the agent's present numbers, and those that its paper printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The tunable numbers of one agent: bounds by name, the numbers to start from, how to make the agent."""

    bounds: Mapping[str, tuple[float, float]]
    starts: Mapping[str, Callable[[], Numbers]]
    """Numbers to start from, by name; ``present`` are the agent's own."""
    make: Callable[[Numbers], CompiledAgent]
    artifact: Callable[[Numbers], dict[str, Any]]
    """The tuned numbers in the form that the agent reads."""

    def start(self, name: str = PRESENT) -> Numbers:
        """Return the numbers of the start *name*.

        Raises:
            UnknownNameError: There is no such start.
        """
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


def _utility(variant: str) -> Space:
    """Return the space of a utility agent whose numbers are in an artifact beside its file."""

    def make(numbers: Numbers) -> CompiledAgent:
        return utility.act.with_options(UtilityOptions().changed(numbers), "tuned")

    return _utility_space(make, lambda: asdict(utility.tuned(variant)))


def _utility_of_file(name: str) -> Space:
    """Return the space of ``utility@FILE`` or ``utility@DIRECTORY``, a player of the opponent-hand study."""
    options, network = read_player(name)

    def make(numbers: Numbers) -> CompiledAgent:
        return utility_player("tuned", UtilityOptions().changed(numbers), network)

    return _utility_space(make, lambda: asdict(options))


def _utility_space(make: Callable[[Numbers], CompiledAgent], present: Callable[[], Numbers]) -> Space:
    return Space(
        bounds=_UTILITY_BOUNDS,
        starts={PRESENT: present, PRINTED: lambda: asdict(UtilityOptions())},
        make=make,
        artifact=lambda numbers: {
            "format": FORMAT,
            "version": VERSION,
            "options": {name: round(float(numbers[name]), 6) for name in UtilityOptions.names()},
        },
    )


def _keats() -> Space:
    def make(numbers: Numbers) -> CompiledAgent:
        return keats.act.with_options(keats.REPORT.changed(numbers), "tuned")

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
        starts={PRESENT: lambda: asdict(keats.REPORT)},
        make=make,
        artifact=lambda numbers: {"options": {name: round(float(numbers[name]), 3) for name in numbers}},
    )


def _camper() -> Space:
    def rounded(numbers: Numbers) -> dict[str, float]:
        return {name: round(number, None if name == "draws" else 3) for name, number in numbers.items()}

    def make(numbers: Numbers) -> CompiledAgent:
        return hand_strength.act.with_options(hand_strength.CAMPER.changed(rounded(numbers)), "tuned")

    return Space(
        bounds={
            "draws": (1.0, 16.0),
            "future": (2.0, 40.0),
            "fade": (0.5, 1.0),
            "margin": (2.0, 15.0),
            "safety": (0.0, 4.0),
        },
        starts={PRESENT: lambda: asdict(hand_strength.CAMPER)},
        make=make,
        artifact=lambda numbers: {"options": rounded(numbers)},
    )


def _contract_counter() -> Space:
    def make(numbers: Numbers) -> CompiledAgent:
        return contract_counter.act.with_options(contract_counter.ContractCounterOptions().changed(numbers), "tuned")

    bounds = {"margin": (-20.0, 20.0), "buy_margin": (-20.0, 20.0)}
    return Space(
        bounds=bounds,
        starts={PRESENT: lambda: asdict(contract_counter.ContractCounterOptions())},
        make=make,
        artifact=lambda numbers: {"options": {name: round(float(numbers[name]), 3) for name in numbers}},
    )


SPACES: dict[tuple[str, str], Space] = {
    ("contract", "contract-counter"): _contract_counter(),
    ("gin", "camper"): _camper(),
    ("gin_pass", "keats"): _keats(),
    ("gin", "utility"): _utility("utility"),
    ("gin", "utility-dnn"): _utility("utility-dnn"),
}
SPACES_OF_FILES: dict[str, Callable[[str], Space]] = {"gin": _utility_of_file}
PLAYERS_OF_FILES: dict[str, Callable[[str], CompiledAgent]] = {"gin": player}
"""The games in which the numbers of an agent can come from a file: ``AGENT@FILE``."""


def space(game: str, agent: str) -> Space:
    """Return the numbers of *agent* that can be tuned.

    Raises:
        UnknownNameError: The agent cannot be tuned; the message suggests the nearest that can.
    """
    if "@" in agent and game in SPACES_OF_FILES:
        return SPACES_OF_FILES[game](agent)
    known = {name: found for (of, name), found in SPACES.items() if of == game}
    if agent not in known:
        raise UnknownNameError(f"tunable agent of {game}", agent, known)
    return known[agent]


def check_names(found: Space, names: tuple[str, ...], what: str) -> None:
    """Raise `OptionError` if one of *names* is not a number of the agent."""
    for name in names:
        if name not in found.start():
            raise OptionError(f"{what}: the agent has no number {name!r}; known: {', '.join(found.start())}")
