"""Agents that play for data, by name: those of the registry, and utility agents with other numbers.

``utility@tuned.json`` is `utility` with the options of that file; ``utility@runs/phase1`` has the network and, if there
is a ``utility.json``, the options of that directory. The package has ``utility@ours`` (our numbers and network) and, on
the paper's own terms, ``utility@first``, ``utility@second`` (two sets of numbers) and ``utility@at-once`` (the network
trained on their games). ``~10`` at the end of a name makes a utility agent sample ten hands, which is faster and
changes its play little.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from rummylab.agents.gin import utility
from rummylab.agents.gin.utility import load_artifact
from rummylab.agents.gin.utility_policy import NETWORK, P, UtilityOptions
from rummylab.agents.registry import agent
from rummylab.beliefs.gin.network import AT_ONCE, BUNDLED, Network, bundled
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import OptionError

OURS = "ours"
AT_ONCE_NUMBERS = utility.ARTIFACT.with_name("utility_at_once.json")
NUMBERS = Path(__file__).with_name("numbers")
"""The tuned numbers of the agents that knock at once: what :mod:`~rummylab.learning.trainers.gin_at_once` found."""


def utility_player(name: str, options: UtilityOptions, network: Network | None = None) -> CompiledAgent:
    """Return a utility agent, with *network* as its belief if there is one."""
    if network is None:
        return utility.act.with_options(options, name)
    return CompiledAgent(name, utility.act.kernel, utility.with_network(replace(options, belief=NETWORK), network))


@cache
def player(name: str) -> CompiledAgent:
    """Return the Gin agent *name*."""
    plain, tilde, samples = name.rpartition("~")
    found = _player(plain if tilde else name)
    if tilde:
        if found.kernel is not utility.act.kernel or not samples.isdigit():
            raise OptionError(f"{name}: only utility agents take a number of samples, such as utility~10")
        found = CompiledAgent(name, found.kernel, found.params.copy())
        found.params[P.samples] = int(samples)
    return found


def _player(name: str) -> CompiledAgent:
    return utility_player(name, *read_player(name)) if "@" in name else agent("gin", name)


def read_player(name: str) -> tuple[UtilityOptions, Network | None]:
    """Return the options and the network of ``utility@FILE`` or ``utility@DIRECTORY``."""
    base, _, where = name.partition("@")
    if base != "utility":
        raise OptionError(f"{name}: only utility takes its numbers from a file, not {base}")
    if where == OURS:
        return load_artifact(utility.ARTIFACT), bundled()
    if where == "at-once":
        return load_artifact(AT_ONCE_NUMBERS), bundled(AT_ONCE)
    if where in ("first", "second"):
        return load_artifact(NUMBERS / f"{where}.json"), None
    place = Path(where)
    if not place.is_dir():
        return load_artifact(place), None
    chosen = place / utility.ARTIFACT.name
    return load_artifact(chosen if chosen.exists() else utility.ARTIFACT), Network.load(place / BUNDLED)
