"""Beliefs about the opponent's hand for any number of views, from Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.beliefs.gin import counts, joint, network, uniform
from rummylab.beliefs.gin.joint import Joint
from rummylab.beliefs.gin.network import Floats, Network
from rummylab.errors import UnknownNameError
from rummylab.games.gin.rules import Rows


@cache
def _many(fill: Any) -> Any:
    """Return the kernel that fills a row for each view."""

    @kernel
    def fill_all(views: Rows, params: Floats, out: Floats) -> None:
        for i in range(views.shape[0]):
            fill(views[i].table, views[i].mine, params, 0, out[i])

    return fill_all


BELIEFS: dict[str, Callable[[Rows, Floats, Floats], None]] = {
    "network": _many(network.fill),
    "counts": _many(counts.fill),
    "fuzzy": _many(counts.fill),
    "uniform": _many(uniform.fill),
    "joint": _many(joint.fill),
}
NAMES = ("network", "uniform", "joint")
"""What `rummylab.belief` offers in Gin besides ``counts``; the first is the default."""


def believe(name: str, views: Rows, model: Network | Joint | None = None) -> Floats:
    """Return the probability of each of the 52 cards (13 * suit + rank), one row for each of *views*.

    The belief ``network`` or ``joint`` is that of *model*, or the one that comes with the package.

    Raises:
        UnknownNameError: There is no such belief.
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
