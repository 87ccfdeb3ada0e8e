"""The readable twin of the encoder of observations: part by part, slow and plain."""

from __future__ import annotations

import numpy as np

from rummylab.engine.rows import Rows
from rummylab.engine.tensors import FROM_STOCK, MOST, Bytes, Layout, Plane, Scalar


def describe(layout: Layout, view: Rows) -> Bytes:
    """Return the tensor of the one *view*."""
    out = np.zeros(layout.size, np.uint8)
    for part in layout.parts:
        place, index = layout.element(view, part.field, part.seat)
        field, here = place[index], out[layout.places[part.name]]
        if part.kind in ("cards", "copies", "union"):
            for mask in np.atleast_1d(field).ravel():
                here |= _bits(int(mask))
            if isinstance(part, Plane) and part.twice:
                second, index = layout.element(view, part.twice, part.seat)
                here += _bits(int(second[index]))
        elif part.kind == "card":
            if 0 <= int(field) < FROM_STOCK:
                here[13 * (int(field) >> 4) + (int(field) & 15)] = 1
        elif isinstance(part, Scalar):
            me = int(view["mine"]["seat"][0])
            _describe_scalar(part, int(field), me, layout.seats, here)
    return out


def _describe_scalar(part: Scalar, value: int, me: int, seats: int, here: Bytes) -> None:
    if part.kind == "number":
        here[0] = min(max(value, 0), MOST)
    elif part.kind == "one of" and 0 <= value < part.size:
        here[value] = 1
    elif part.kind == "seat" and value >= 0:
        here[(value - me) % seats] = 1
    elif part.kind == "equals":
        here[0] = value == part.value
    elif part.kind == "bit":
        here[0] = value >> part.value & 1


def _bits(mask: int) -> Bytes:
    return np.array([mask >> (16 * suit + rank) & 1 for suit in range(4) for rank in range(13)], np.uint8)
