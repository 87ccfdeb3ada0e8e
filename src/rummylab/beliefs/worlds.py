"""Possible worlds: whole tables that agree with everything one seat has seen, drawn at random.

A world has the public table and the seat's own part as they are. Cards the seat cannot place are dealt to the other
hands and to the stock: each player's known cards stay with them, and every hand and the stock keep their sizes. Which
unseen card goes to which hand follows the log-odds that the game gives it (``beliefs/<game>/sampling.py``), by drawing
without replacement (Gumbel top-k). Nothing here has access to the real table.

The worlds of a seat that waits may be impossible in one way: in the middle of an opponent's showdown or laydown, the
hand that is imagined for that opponent may not allow it.

After a reshuffle the table no longer shows which cards went back into the stock, and neither do the worlds.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from rummylab.beliefs.evidence import Floats, Ids
from rummylab.cards.card import JOKER_ID
from rummylab.engine.observation import Observation
from rummylab.engine.position import layout_of
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.errors import IllegalActionError, check_type

_N_IDS = 64
_BITS = np.array([1 << card if card < JOKER_ID else 0 for card in range(_N_IDS)], np.int64)


@dataclass(frozen=True)
class Hidden:
    """What a seat cannot see: the unseen cards, and how many of them each place holds."""

    cards: Ids
    """Ids of the unseen cards; two copies count twice."""
    opponents: tuple[Seat, ...]
    known: tuple[tuple[int, ...], ...]
    """Card ids that each opponent is known to hold."""
    places: tuple[int, ...]
    """How many unseen cards each opponent holds."""
    stock: int


class Sampling(Protocol):
    """What a game adds: the module ``beliefs/<game>/sampling.py``, or ``tables.py`` in Gin."""

    def known(self, seen: Observation, seat: Seat) -> list[int]:
        """Return the ids of the cards that *seat* is known to hold."""
        ...

    def log_odds(self, seen: Observation, hidden: Hidden) -> Floats:
        """Return one row per opponent: the log-odds that they hold each of the unseen cards, up to a constant."""
        ...

    def finish(self, seen: Observation, hidden: Hidden, rows: Rows, rng: np.random.Generator) -> None:
        """Fill in what only this game's records have."""
        ...


@cache
def sampling_of(game: str) -> Sampling:
    """Return what *game* adds to the sampling of worlds."""
    folder = f"rummylab.beliefs.{game}"
    own = find_spec(f"{folder}.tables")  # where `sampling` has kernels, which should not depend on so many files
    return cast(Sampling, import_module(own.name if own else f"{folder}.sampling"))


def hidden_from(seen: Observation) -> Hidden:
    """Return what the seat of *seen* cannot see.

    Raises:
        IllegalActionError: The hand is over, so that nothing is hidden.
    """
    check_type(seen, Observation, "seen", "an observation, such as state.observe(0)")
    if seen.actor is None:
        raise IllegalActionError("the hand is over: all cards lie open")
    rules, layout, table = seen.rules, layout_of(seen.rules), seen.view["table"][0]
    own = sampling_of(rules.name)
    unseen = Counter(card.id for card in rules.shuffled(0))
    unseen.subtract(layout.hand(seen.view["mine"][0]))
    for cards in layout.places.values():
        unseen.subtract(cards(table))
    opponents = tuple(Seat(seat) for seat in range(rules.seats) if seat != seen.seat)
    known = tuple(tuple(own.known(seen, seat)) for seat in opponents)
    for one in known:
        unseen.subtract(one)
    places = tuple(layout.hand_size(table, seat) - len(cards) for seat, cards in zip(opponents, known, strict=True))
    left = sorted(unseen.elements())
    return Hidden(np.array(left, np.int64), opponents, known, places, len(left) - sum(places))


def sample_rows(seen: Observation, n: int, rng: np.random.Generator) -> Rows:
    """Return *n* whole positions that the seat of *seen* cannot tell from the real one.

    The seat's own view of each has the same bytes as ``seen.view``.

    Raises:
        IllegalActionError: The hand is over.
    """
    hidden = hidden_from(seen)
    own = sampling_of(seen.rules.name)
    rows = _copies(seen, n)
    hands, stock = _drawn_whole(seen, hidden, own, n, rng) or deal_hidden(hidden, own.log_odds(seen, hidden), n, rng)
    for seat, known, dealt in zip(hidden.opponents, hidden.known, hands, strict=True):
        cards = np.concatenate([np.broadcast_to(np.array(known, np.int64), (n, len(known))), dealt], axis=1)
        write_hand(rows["mine"][:, seat], cards)
    in_sight = [*layout_of(seen.rules).hand(seen.view["mine"][0])]
    for cards_at in layout_of(seen.rules).places.values():
        in_sight += cards_at(seen.view["table"][0])
    for one in hidden.known:
        in_sight += one
    _write_deck(rows, in_sight, hands, stock)
    if "rng" in (rows.dtype.names or ()):
        rows["rng"] = rng.integers(2**63, size=n, dtype=np.int64).astype(np.uint64)
    _write_drawn(seen, hidden, rows, hands)
    own.finish(seen, hidden, rows, rng)
    return rows


def _drawn_whole(
    seen: Observation, hidden: Hidden, own: Sampling, n: int, rng: np.random.Generator
) -> tuple[list[Ids], Ids] | None:
    """Return hidden cards and stock where the game draws the one opponent's hand as a whole, else None."""
    draw = getattr(own, "whole_hands", None)
    drawn = draw(seen, hidden, n, rng) if draw is not None else None
    if drawn is None:
        return None
    is_held = (drawn[:, :, None] == hidden.cards).any(axis=1)  # one deck, so a card is its id
    order = np.argsort(np.where(is_held, -1.0, rng.random(is_held.shape)), axis=1, kind="stable")
    dealt = hidden.cards[order]
    return [dealt[:, : hidden.places[0]]], dealt[:, hidden.places[0] :]


def deal_hidden(hidden: Hidden, odds: Floats, n: int, rng: np.random.Generator) -> tuple[list[Ids], Ids]:
    """Deal the unseen cards *n* times: the unknown cards of each opponent and the stock, one row per world."""
    cards = hidden.cards
    free = np.ones((n, len(cards)), np.bool_)
    hands: list[Ids] = [np.empty((n, 0), np.int64)] * len(hidden.opponents)
    for number in rng.permutation(len(hidden.opponents)):
        places = hidden.places[number]
        keys = np.where(free, odds[number] + rng.gumbel(size=free.shape), -np.inf)
        chosen = np.argsort(-keys, axis=1, kind="stable")[:, :places]
        np.put_along_axis(free, chosen, False, axis=1)
        hands[number] = cards[chosen]
    order = np.argsort(np.where(free, rng.random(free.shape), 2.0), axis=1, kind="stable")
    return hands, cards[order[:, : hidden.stock]]


def write_hand(mine: Rows, cards: Ids) -> None:
    """Write the hands *cards*, one row of ids each, to the parts *mine* of as many records."""
    counts = np.zeros((len(cards), _N_IDS), np.int64)
    np.add.at(counts, (np.arange(len(cards))[:, None], cards), 1)
    mine["hand"] = (counts >= 1) @ _BITS
    if "twice" in (mine.dtype.names or ()):
        mine["twice"] = (counts >= 2) @ _BITS
        mine["jokers"] = counts[:, JOKER_ID]


def _copies(seen: Observation, n: int) -> Rows:
    """Return *n* records with the table and the seat's own part of *seen*; the other seats hold no cards yet."""
    rules = seen.rules
    row = rules.new_rows(1)
    rules.deal(row, [rules.shuffled(0)], [0])  # for what no position changes, such as unused seats
    for seat in range(rules.seats):
        other = row["mine"][0, seat]
        other["memory"], other["rng"], other["drawn"] = 0, 0, -1
    record, view = row.dtype.fields, seen.view.dtype.fields
    assert record is not None
    assert view is not None
    part, start = view["mine"][:2]
    whole, known = bytearray(row.tobytes()), seen.view.tobytes()
    whole[:start] = known[:start]  # the table, padding included
    at = record["mine"][1] + int(seen.seat) * part.itemsize
    whole[at : at + part.itemsize] = known[start : start + part.itemsize]
    return np.frombuffer(bytearray(bytes(whole) * n), row.dtype)


def _write_deck(rows: Rows, in_sight: list[int], hands: list[Ids], stock: Ids) -> None:
    """Put the stock at the end of the deck, after all other cards; their order does not matter any more."""
    n, size = stock.shape
    before = [np.broadcast_to(np.array(in_sight, np.int64), (n, len(in_sight))), *hands]
    deck = np.concatenate([*before, stock], axis=1)
    rows["deck"] = -1
    rows["deck"][:, : deck.shape[1]] = deck
    rows["pos"] = deck.shape[1] - size


def _write_drawn(seen: Observation, hidden: Hidden, rows: Rows, hands: list[Ids]) -> None:
    """Say which card an opponent in mid-turn has drawn: the one they were seen to take, or any hidden one."""
    actor = seen.actor
    if actor == seen.seat or actor is None or seen.phase not in ("discard", "play", "lay down"):
        return
    last = int(seen.table["last_draw"][actor])
    number = hidden.opponents.index(actor)
    if last in hidden.known[number]:
        rows["mine"]["drawn"][:, actor] = last
    elif hidden.places[number]:
        rows["mine"]["drawn"][:, actor] = hands[number][:, 0]


def expected_copies(seen: Observation, rows: Rows) -> tuple[tuple[Seat, ...], npt.NDArray[np.float64]]:
    """Return the opponents and, row by row, the mean number of copies of each of 64 card ids in their hands."""
    opponents = tuple(Seat(seat) for seat in range(seen.rules.seats) if seat != seen.seat)
    out = np.zeros((len(opponents), _N_IDS))
    ids = np.arange(JOKER_ID)
    for number, seat in enumerate(opponents):
        mine = rows["mine"][:, seat]
        for name in ("hand", "twice"):
            if name in (mine.dtype.names or ()):
                out[number, :JOKER_ID] += (mine[name][:, None] >> ids & 1).mean(axis=0)
        if "jokers" in (mine.dtype.names or ()):
            out[number, JOKER_ID] = mine["jokers"].mean()
    return opponents, out
