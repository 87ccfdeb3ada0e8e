"""Indian Rummy for learners: planes, scalars and numbered actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummylab._jit import helper
from rummylab.cards.card import JOKER_ID
from rummylab.engine.tensor_kernels import always_ask, clear, keep_code, put_byte, put_cards
from rummylab.engine.tensors import GameTensors, Part, Plane, Scalar, choices_of, joker_scalars, two_deck_planes
from rummylab.engine.two_decks import kinds
from rummylab.games.indian import rules as r
from rummylab.games.indian.rules import DISCARD, PLAY_ON_CODE, is_legal
from rummylab.games.indian.spec import SPEC

_DISCARDS, _DECLARATIONS, _SIZE = 7, 60, 113


def parts(seats: int) -> list[Part]:
    """Return the planes and scalars of an observation at a table of *seats*."""
    return [
        *two_deck_planes(seats, Plane("indicator", "the card whose rank is wild", "table.indicator", "card"), 3),
        Scalar("phase", ", ".join(r.PHASES), "table.phase", "one of", size=len(r.PHASES)),
        Scalar("actor", "who is to act", "table.actor", "seat"),
        Scalar("starter", "who started the deal", "table.starter", "seat"),
        Scalar("wild", "the wild rank, ace first", "table.wild", "one of", size=13),
        Scalar("jokers", "printed jokers in the viewer's hand", "mine.jokers", scale=4),
        Scalar("drawn_joker", "the viewer drew a printed joker in this turn", "mine.drawn", "equals", value=JOKER_ID),
        Scalar("upcard_joker", "a printed joker lies on top of the pile", "table.up", "equals", value=JOKER_ID),
        Scalar("indicator_joker", "the indicator is a printed joker", "table.indicator", "equals", value=JOKER_ID),
        Scalar("pile_jokers", "printed jokers in the pile", "table.pile_jokers", scale=4),
        Scalar("fresh", "the first open card has not been covered yet", "table.fresh"),
        Scalar("stock", "cards left in the stock", "table.stock", scale=81),
        Scalar("n_pile", "cards in the pile", "table.n_pile", scale=81),
        Scalar("turn", "completed turns of this deal", "table.turn", scale=50),
        Scalar("round", "completed rounds of this deal", "table.round", scale=25),
        Scalar("reshuffles", "times the pile became the stock", "table.reshuffles", scale=4),
        Scalar("n_playing", "players still in this deal", "table.n_playing", scale=6),
        Scalar("hand_no", "finished deals of the match", "table.hand_no", scale=10),
        *(
            scalar
            for seat in range(seats)
            for scalar in (
                Scalar(f"status_{seat}", ", ".join(r.STATUS), "table.status", "one of", seat, len(r.STATUS)),
                Scalar(f"draws_{seat}", "draws in this deal", "table.draws", seat=seat, scale=25),
                Scalar(f"lost_{seat}", "points lost in the match", "table.lost", seat=seat, scale=100),
                *joker_scalars(seat),
            )
        ),
    ]


@helper
def write_legal(table: np.void, mine: np.void, address: int) -> None:
    """Write a byte for each of the actor's choices: 1 if it is legal."""
    clear(address, np.int64(_SIZE))
    if table.phase == DISCARD:
        put_cards(address + _DISCARDS, mine.hand)
        put_cards(address + _DECLARATIONS, mine.hand)
        joker = kinds(mine) >> np.int64(JOKER_ID) & 1
        put_byte(address + _DISCARDS + 52, joker)
        put_byte(address + _DECLARATIONS + 52, joker)
    else:
        for code in range(PLAY_ON_CODE + 1):
            put_byte(address + code, np.int64(is_legal(table, mine, code)))


@helper
def payoff(table: np.void, seat: int) -> float:
    """Return what *seat* gained in the finished deal."""
    return float(table.gains[seat])


def worst(options: Any) -> float:
    """Return the most that a deal can cost: a wrong declaration, or a full hand."""
    return float(max(options.wrong_declaration, options.cap))


TENSORS: Final = GameTensors(
    parts=parts,
    choices=choices_of(SPEC, 53),
    worst=worst,
    write_legal=write_legal,
    resolve=keep_code,
    automatic=always_ask,
    payoff=payoff,
)
