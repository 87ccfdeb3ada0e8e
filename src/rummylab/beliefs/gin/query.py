"""Beliefs about the opponent's hand for any number of views, from Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rummylab._jit import kernel
from rummylab.beliefs.gin import counts, joint, network, uniform
from rummylab.beliefs.gin.joint import Joint
from rummylab.beliefs.gin.network import Floats, Network
from rummylab.errors import UnknownNameError
from rummylab.games.gin.rules import Rows


@kernel
def _uniform(views: Rows, params: Floats, out: Floats) -> None:
    for i in range(views.shape[0]):
        uniform.fill(views[i].table, views[i].mine, params, 0, out[i])


@kernel
def _counts(views: Rows, params: Floats, out: Floats) -> None:
    for i in range(views.shape[0]):
        counts.fill(views[i].table, views[i].mine, params, 0, out[i])


@kernel
def _network(views: Rows, params: Floats, out: Floats) -> None:
    for i in range(views.shape[0]):
        network.fill(views[i].table, views[i].mine, params, 0, out[i])


@kernel
def _joint(views: Rows, params: Floats, out: Floats) -> None:
    for i in range(views.shape[0]):
        joint.fill(views[i].table, views[i].mine, params, 0, out[i])


BELIEFS: dict[str, Callable[[Rows, Floats, Floats], None]] = {
    "network": _network,
    "counts": _counts,
    "fuzzy": _counts,
    "uniform": _uniform,
    "joint": _joint,
}
NAMES = ("network", "uniform", "joint")
"""What `rummylab.belief` offers in Gin besides ``counts``; the first is the default."""


def believe(name: str, views: Rows, model: Network | Joint | None = None) -> Floats:
    """Return the probability of each of the 52 cards (13 * suit + rank), one row for each of *views*.

    The belief ``network`` or ``joint`` is that of *model*, or the one that comes with the package.
    """
    if name not in BELIEFS:
        raise UnknownNameError("belief", name, BELIEFS)
    params = np.zeros(1, np.float32)
    if name == "network":
        params = (model or network.bundled()).flat
    elif name == "joint":
        params = (model or joint.bundled()).flat
    out = np.empty((len(views), 52), np.float32)
    BELIEFS[name](views, params, out)
    return out
