"""Gin Rummy for learners: planes, scalars and numbered actions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import bit, lowest, points
from rummylab.cards.melds import min_deadwood
from rummylab.engine.tensor_kernels import clear, keep_code, put_byte, put_cards
from rummylab.engine.tensors import Choice, GameTensors, Part, Plane, Scalar, of_seats
from rummylab.games.gin import rules as r
from rummylab.games.gin.rules import (
    DISCARD,
    DRAW_STOCK,
    OVER,
    PASS,
    SHOW_BIG_GIN,
    TAKE_UP_CARD,
    WALL,
    can_knock,
    cards_to_play,
    discards,
    draws,
    is_legal,
)
from rummylab.games.gin.showdown import showdown_code

CHOICES: Final = (
    Choice("draw stock", DRAW_STOCK, "draw the top card of the stock"),
    Choice("draw upcard", TAKE_UP_CARD, "take the top card of the discard pile"),
    Choice("pass", PASS, "decline the first upcard; at the wall (`openspiel`), end the hand"),
    Choice("big gin", SHOW_BIG_GIN, "show eleven melded cards, where big gin is played"),
    Choice("discard", r.DISCARD_CODE, "discard a card", 52),
    Choice("knock", r.KNOCK_CODE, "discard a card and knock", 52),
)
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
            "drew_stock_1",
            "the opponent's last draw came from the stock",
            "table.last_draw",
            "equals",
            1,
            value=r.FROM_STOCK,
        ),
    ]


@helper
def knocks(table: np.void, mine: np.void) -> int:
    """Return the cards with whose discard the actor may knock.

    A hand without some card has at least the deadwood of the whole hand less the value of that card, so most cards need
    no look at the melds.
    """
    spare = min_deadwood(cards_to_play(table, mine)) - table.limit
    found = np.int64(0)
    if spare > 10:
        return found
    cards = discards(table, mine)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if points(bit(card)) >= spare and can_knock(table, mine, card):
            found |= bit(card)
    return found


@helper
def write_legal(table: np.void, mine: np.void, address: int) -> None:
    """Write a byte for each of the actor's choices: 1 if it is legal."""
    phase = table.phase
    if phase == DISCARD:
        clear(address, np.int64(_DISCARDS))
        put_cards(address + _DISCARDS, discards(table, mine))
        put_cards(address + _KNOCKS, knocks(table, mine))
        if table.rules.big_gin_bonus > 0:
            put_byte(address + 3, np.int64(is_legal(table, mine, SHOW_BIG_GIN)))
        return
    clear(address, np.int64(_SIZE))
    if phase == WALL:
        put_byte(address + 2, np.int64(1))
        put_cards(address + _KNOCKS, knocks(table, mine))
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
    choices=CHOICES,
    worst=worst,
    write_legal=write_legal,
    resolve=keep_code,
    automatic=automatic,
    payoff=payoff,
)
