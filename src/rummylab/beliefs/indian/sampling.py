"""Possible worlds of Indian Rummy: how likely each unseen card is in each hand (:mod:`rummylab.beliefs.worlds`)."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummylab.beliefs import evidence
from rummylab.beliefs.worlds import Floats, Hidden
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat

# python -m rummylab.learning.card_evidence indian paper mindist-outs 3000
# Log loss on fresh positions 0.642, by counting 0.655.
WEIGHTS: Final = (0.63, 0.50, 0.68, -0.59, -0.45, -0.53, -0.56, -0.24, -0.28, -1.40, -0.13, -0.17, 0.78)


def known(seen: Observation, seat: Seat) -> list[int]:
    """Return the cards that *seat* took from the pile and still holds."""
    return [card.id for card in seen.known(seat)]


def log_odds(seen: Observation, hidden: Hidden) -> Floats:
    """Return the evidence of what each opponent took, refused and threw."""
    return np.array([evidence.log_odds(seen, seat, hidden.cards, WEIGHTS) for seat in hidden.opponents])


def finish(seen: Observation, hidden: Hidden, rows: Rows, rng: np.random.Generator) -> None:
    """Leave *rows* as they are: the records have nothing else that is hidden."""
