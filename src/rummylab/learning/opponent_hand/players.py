"""The agents that make data, by name: those of the registry, and utility agents with numbers of their own.

``utility@tuned.json`` is `utility` with the options of that file, ``utility@runs/phase1`` with the network and, if it
has a ``utility.json``, the options of that directory.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from rummylab.agents.gin import utility
from rummylab.agents.gin.utility_options import NETWORK, UtilityOptions, load_artifact
from rummylab.agents.registry import agent
from rummylab.beliefs.gin.network import BUNDLED, Network, bundled
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import OptionError


def utility_player(name: str, options: UtilityOptions, network: Network | None = None) -> CompiledAgent:
    """Return a utility agent; one whose belief is the network gets *network*, or that of the package."""
    par = np.array(options.par, np.float32)
    if options.belief == NETWORK:
        par = np.concatenate([par, (network or bundled()).flat])
    return CompiledAgent(name, utility.act, par)


@cache
def player(name: str) -> CompiledAgent:
    """Return the Gin agent *name*."""
    base, _, where = name.partition("@")
    if not where:
        return agent("gin", name)
    if base != "utility":
        raise OptionError(f"{name}: only utility takes its numbers from a file, not {base}")
    place = Path(where)
    if not place.is_dir():
        return utility_player(name, load_artifact(place))
    chosen = place / utility.ARTIFACT.name
    options = load_artifact(chosen if chosen.exists() else utility.ARTIFACT)
    return utility_player(name, replace(options, belief=NETWORK), Network.load(place / BUNDLED))
