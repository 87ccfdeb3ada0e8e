"""Gin with a passed card for learners: planes, scalars and numbered actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummylab._jit import helper
from rummylab.cards.melds import knocks
from rummylab.engine.tensor_kernels import always_ask, clear, keep_code, put_byte, put_cards
from rummylab.engine.tensors import GameTensors, Part, Plane, Scalar, choices_of, of_seats, player_at
from rummylab.games.gin_pass import rules as r
from rummylab.games.gin_pass.rules import DISCARD, DRAW, DRAW_STOCK, PASS, TAKE_UP_CARD, is_legal
from rummylab.games.gin_pass.spec import SPEC

_DISCARDS, _KNOCKS, _PASSES, _SIZE = 2, 54, 106, 158


def parts(seats: int) -> list[Part]:
    """Return the planes and scalars of an observation at a table of *seats*."""
    return [
        Plane("hand", "the viewer's own hand", "mine.hand"),
        Plane("drawn", "the card that the viewer drew in this turn", "mine.drawn", "card"),
        Plane("passed", "the card that the viewer has chosen to pass", "mine.passed", "card"),
        Plane("received", "the card that the viewer was passed", "mine.received", "card"),
        Plane("upcard", "the top of the discard pile", "table.up", "card"),
        Plane("pile", "the discard pile, upcard included", "table.pile"),
        Plane("seen_up", "every card that ever lay face up in this hand", "table.seen_up"),
        *of_seats(
            seats,
            ("known", "cards that {} is known to hold: upcards taken and kept", "table.known", "cards"),
            ("picked", "upcards that {} has ever taken", "table.picked", "cards"),
            ("refused", "upcards that {} declined", "table.refused", "cards"),
            ("thrown", "cards that {} has discarded", "table.thrown", "cards"),
        ),
        Scalar("phase", ", ".join(r.PHASES), "table.phase", "one of", size=len(r.PHASES)),
        Scalar("actor", "who is to act", "table.actor", "seat"),
        Scalar("starter", "who started the hand", "table.starter", "seat"),
        Scalar("knocker", "who knocked", "table.knocker", "seat"),
        Scalar("passes", "players who have chosen the card they pass", "table.passes", scale=4),
        Scalar("stock", "cards left in the stock", "table.stock", scale=51),
        Scalar("turn", "completed turns of this hand", "table.turn", scale=50),
        Scalar("hand_no", "finished hands of the match", "table.hand_no", scale=42),
        *(
            Scalar(f"score_{seat}", f"score of {player_at(seat)}", "table.scores", seat=seat, scale=100)
            for seat in range(seats)
        ),
    ]


@helper
def write_legal(table: np.void, mine: np.void, address: int) -> None:
    """Write a byte for each of the actor's choices: 1 if it is legal."""
    clear(address, np.int64(_SIZE))
    if table.phase == DRAW:
        put_byte(address, np.int64(is_legal(table, mine, DRAW_STOCK)))
        put_byte(address + 1, np.int64(is_legal(table, mine, TAKE_UP_CARD)))
    elif table.phase == DISCARD:
        put_cards(address + _DISCARDS, mine.hand)
        put_cards(address + _KNOCKS, knocks(mine.hand, mine.hand, table.rules.knock_limit))
    elif table.phase == PASS:
        put_cards(address + _PASSES, mine.hand)


@helper
def payoff(table: np.void, seat: int) -> float:
    """Return what *seat* gained in the finished hand: the winner the points, the others an equal share of the loss."""
    if table.winner < 0:
        return 0.0
    if table.winner == seat:
        return float(table.points)
    return -float(table.points) / (table.rules.seats - 1)


def worst(options: Any) -> float:
    """Return the most that a hand can cost: the larger bonus and a hand of court cards."""
    return float(max(options.gin_bonus, options.undercut_bonus) + 10 * options.cards * (options.seats - 1))


TENSORS: Final = GameTensors(
    parts=parts,
    choices=choices_of(SPEC, 52),
    worst=worst,
    write_legal=write_legal,
    resolve=keep_code,
    automatic=always_ask,
    payoff=payoff,
)
