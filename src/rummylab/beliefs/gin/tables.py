"""Possible worlds of Gin: the opponent's hand from the joint belief (:mod:`rummylab.beliefs.worlds`)."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummylab.beliefs.gin.query import believe
from rummylab.beliefs.gin.worlds import sample_masks
from rummylab.beliefs.worlds import Floats, Hidden, Ids, write_hand
from rummylab.cards.bits import IDS_52, to_ids
from rummylab.engine.observation import Observation
from rummylab.engine.position import layout_of
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat

_COLUMN: Final = {int(card): column for column, card in enumerate(IDS_52)}
_LEAST: Final = 1e-4
HAND_SIZE: Final = 10


def known(seen: Observation, seat: Seat) -> list[int]:
    """Return the upcards that *seat* kept and, after a knock, the melds it laid down."""
    return list(layout_of(seen.rules).known(seen.table, seat))


def whole_hands(seen: Observation, hidden: Hidden, n: int, rng: np.random.Generator) -> Ids | None:
    """Return *n* hands of the opponent, one row of ids each, during play; nothing in the showdown."""
    if seen.phase not in ("offer", "draw", "discard") or hidden.places[0] + len(hidden.known[0]) != HAND_SIZE:
        return None
    masks = sample_masks(seen.view, n, seed=int(rng.integers(2**31)))[0]
    return np.array([to_ids(int(mask)) for mask in masks], np.int64)


def log_odds(seen: Observation, hidden: Hidden) -> Floats:
    """Return the network's log-odds of each card; after a knock, high cards are unlikely beside the melds."""
    (seat,) = hidden.opponents
    if int(seen.table["knocker"]) == seat:
        return -np.minimum((hidden.cards & 15) + 1, 10)[None, :].astype(np.float64)
    chances = believe("network", seen.view)[0].astype(np.float64)
    found = np.clip(chances[[_COLUMN[int(card)] for card in hidden.cards]], _LEAST, 1 - _LEAST)
    odds: Floats = np.log(found / (1 - found))[None, :]
    return odds


def finish(seen: Observation, hidden: Hidden, rows: Rows, rng: np.random.Generator) -> None:
    """After a knock, keep the knocker's loose cards within the limit: the lowest unseen ones where chance has not."""
    (seat,) = hidden.opponents
    if int(seen.table["knocker"]) != seat or seen.phase in ("draw", "discard", "offer"):
        return
    value = np.minimum((np.arange(64) & 15) + 1, 10)
    limit = int(seen.table["limit"])
    shown = sum(1 << card for card in hidden.known[0])
    for number, mask in enumerate(rows["mine"]["hand"][:, seat]):
        loose = [int(card) for card in IDS_52 if (int(mask) & ~shown) >> int(card) & 1]
        if sum(value[card] for card in loose) > limit:
            low = sorted(hidden.cards.tolist(), key=lambda card: (card & 15, card))[: hidden.places[0]]
            taken = np.array([*hidden.known[0], *low], np.int64)
            write_hand(rows["mine"][number : number + 1, seat], taken[None, :])
            left = [card for card in hidden.cards.tolist() if card not in set(low)]
            pos = int(rows["pos"][number])
            rows["deck"][number, pos - len(low) : pos] = low
            rows["deck"][number, pos : pos + len(left)] = rng.permutation(left)
