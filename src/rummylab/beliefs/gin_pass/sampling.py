"""Possible worlds of Gin with a passed card: who may hold and pass what (:mod:`rummylab.beliefs.worlds`)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rummylab.beliefs import evidence
from rummylab.beliefs.worlds import Floats, Hidden
from rummylab.cards.bits import to_ids
from rummylab.engine.drivers import seat_question
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.games.gin_pass import rules as r

# python -m rummylab.learning.card_evidence gin_pass course keats-tuned 3000
# Log loss on fresh positions 0.547, by counting 0.569.
WEIGHTS: Final = (0.89, 0.79, 1.50, -0.61, -0.02, -1.08, -0.45, -0.03, -0.86, 0.00, 0.00, -0.33, 0.47)


def known(seen: Observation, seat: Seat) -> list[int]:
    """Return the cards that *seat* took from the pile, or was passed by the viewer, and still holds."""
    return [card.id for card in seen.known(seat)]


def log_odds(seen: Observation, hidden: Hidden) -> Floats:
    """Return the evidence of what each opponent took, refused and threw."""
    return np.array([evidence.log_odds(seen, seat, hidden.cards, WEIGHTS) for seat in hidden.opponents])


def finish(seen: Observation, hidden: Hidden, rows: Rows, rng: np.random.Generator) -> None:
    """Say which card every other seat has passed and received.

    The viewer knows one card each way. Another seat that has chosen, or has handed a card over, passed a card that
    nobody saw: before the exchange one of its own, after it one that the receiver holds unseen or has thrown since.
    """
    rows["mine"]["passed"][:, list(hidden.opponents)] = -1
    rows["mine"]["received"][:, list(hidden.opponents)] = -1
    if not seen.table["rules"]["pass_card"]:
        return
    if seen.phase == "pass":
        for seat in _have_chosen(seen):
            if seat != seen.seat:
                rows["mine"]["passed"][:, seat] = _any_of(rows["mine"]["hand"][:, seat], rng)
        return
    ask = seat_question(r.passes_to)
    for seat in range(seen.rules.seats):
        goes_to = int(ask(seen.view, seat))
        if seat == seen.seat:
            card: npt.NDArray[np.int64] | int = int(seen.mine["passed"])
        elif goes_to == seen.seat:
            card = int(seen.mine["received"])
        else:
            table = seen.table
            shown = int(table["known"][goes_to]) | int(table["picked"][goes_to])
            thrown = int(table["thrown"][goes_to]) & ~int(table["picked"][goes_to])
            card = _any_of((rows["mine"]["hand"][:, goes_to] & ~shown) | thrown, rng)
        if seat != seen.seat:
            rows["mine"]["passed"][:, seat] = card
        if goes_to != seen.seat:
            rows["mine"]["received"][:, goes_to] = card


def _have_chosen(seen: Observation) -> list[int]:
    """Return the seats that have chosen the card they pass, from the starter on."""
    starter, seats = int(seen.table["starter"]), seen.rules.seats
    return [(starter + k) % seats for k in range(int(seen.table["passes"]))]


def _any_of(masks: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a random card of each mask."""
    picked = [ids[int(rng.integers(len(ids)))] if (ids := to_ids(int(mask))) else -1 for mask in masks]
    return np.array(picked, np.int64)
