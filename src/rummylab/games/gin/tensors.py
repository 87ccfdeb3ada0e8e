"""Gin Rummy for learners: planes, scalars and numbered actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummylab._jit import helper
from rummylab.cards.melds import knocks
from rummylab.engine.tensor_kernels import clear, keep_code, put_byte, put_cards
from rummylab.engine.tensors import GameTensors, Part, Plane, Scalar, choices_of, of_seats
from rummylab.games.gin import rules as r
from rummylab.games.gin.eleven import deadwood_by_eleven
from rummylab.games.gin.rules import DISCARD, OVER, SHOW_BIG_GIN, WALL, cards_to_play, discards, draws, is_legal
from rummylab.games.gin.showdown import showdown_code
from rummylab.games.gin.spec import SPEC

_DISCARDS, _KNOCKS, _SIZE = 4, 56, 108


def parts(seats: int) -> list[Part]:
    """Return the planes and scalars of a Gin observation."""
    return [
        Plane("hand", "the viewer's own hand", "mine.hand"),
        Plane("drawn", "the card that the viewer drew in this turn", "mine.drawn", "card"),
        Plane("upcard", "the top of the discard pile", "table.up", "card"),
        Plane("taken", "the upcard that the player to act took in this turn", "table.taken", "card"),
        Plane("pile", "the discard pile, upcard included", "table.pile"),
        *of_seats(
            seats,
            ("known", "cards that {} is known to hold: upcards taken and kept", "table.known", "cards"),
            ("refused", "upcards that {} declined", "table.refused", "cards"),
            ("thrown", "cards that {} has discarded", "table.thrown", "cards"),
            ("melds", "cards in the melds that {} has laid down, layoffs included", "table.spread", "union"),
        ),
        Scalar("phase", ", ".join(r.PHASES), "table.phase", "one of", size=len(r.PHASES)),
        Scalar("actor", "who is to act", "table.actor", "seat"),
        Scalar("starter", "who started the hand", "table.starter", "seat"),
        Scalar("knocker", "who knocked", "table.knocker", "seat"),
        Scalar("stock", "cards left in the stock", "table.stock", scale=31),
        Scalar("turn", "completed turns of this hand", "table.turn", scale=50),
        Scalar("limit", "knock limit of this hand", "table.limit", scale=10),
        Scalar("offers", "refusals of the first upcard", "table.offers", scale=2),
        Scalar("stake", "2 where the hand counts double", "table.stake", scale=2),
        Scalar("score_0", "score of the viewer in the match", "table.scores", seat=0, scale=100),
        Scalar("score_1", "score of the opponent in the match", "table.scores", seat=1, scale=100),
        Scalar(
            "drew_stock_1", "the opponent last drew from the stock", "table.last_draw", "equals", 1, value=r.FROM_STOCK
        ),
    ]


@helper
def _knocks(table: np.void, mine: np.void) -> int:
    """Return the cards with whose discard the actor may knock."""
    cards = cards_to_play(table, mine)
    if table.rules.knock_by_eleven and deadwood_by_eleven(cards) > table.limit:
        return np.int64(0)
    return knocks(cards, discards(table, mine), table.limit)


@helper
def write_legal(table: np.void, mine: np.void, address: int) -> None:
    """Write a byte for each of the actor's choices: 1 if it is legal."""
    phase = table.phase
    if phase == DISCARD:
        clear(address, np.int64(_DISCARDS))
        put_cards(address + _DISCARDS, discards(table, mine))
        put_cards(address + _KNOCKS, _knocks(table, mine))
        if table.rules.big_gin_bonus > 0:
            put_byte(address + 3, np.int64(is_legal(table, mine, SHOW_BIG_GIN)))
        return
    clear(address, np.int64(_SIZE))
    if phase == WALL:
        put_byte(address + 2, np.int64(1))
        put_cards(address + _KNOCKS, _knocks(table, mine))
    elif phase < DISCARD:
        moves = draws(table)
        for code in range(3):
            put_byte(address + code, moves >> np.int64(code) & 1)


@helper
def automatic(table: np.void, mine: np.void) -> int:
    """Return the solver's meld or layoff at the showdown, else -1."""
    if table.phase <= DISCARD or table.phase == WALL or table.phase == OVER:
        return np.int64(-1)
    return showdown_code(table, mine)


@helper
def payoff(table: np.void, seat: int) -> float:
    """Return the points that *seat* won in the finished hand; what one wins the other loses."""
    if table.winner < 0:
        return 0.0
    return float(table.points) if table.winner == seat else -float(table.points)


def worst(options: Any) -> float:
    """Return the most that a hand can cost: the largest bonus and ten unmelded cards, twice where hands may double."""
    bonus = max(options.gin_bonus, options.undercut_bonus, options.big_gin_bonus)
    return float((bonus + 100) * (2 if options.oklahoma else 1))


TENSORS: Final = GameTensors(
    parts=parts,
    choices=choices_of(SPEC, 52, without=("done", "lay off", "meld")),
    worst=worst,
    write_legal=write_legal,
    resolve=keep_code,
    automatic=automatic,
    payoff=payoff,
)
