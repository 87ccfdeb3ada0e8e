"""Contract rummy for learners: planes, scalars and numbered actions.

The rules know some 17,000 actions, nearly all of them melds. A learner's numbering is coarser: ``lay down`` makes the
whole laydown as `next_meld` chooses it, and a layoff goes to the first meld that takes the card.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import bit, lowest
from rummylab.cards.card import JOKER_ID
from rummylab.engine.tensor_kernels import clear, put_byte, put_cards
from rummylab.engine.tensors import Choice, GameTensors, Part, Plane, Scalar, joker_scalars, two_deck_planes
from rummylab.engine.two_decks import kinds
from rummylab.games.contract import rules as r
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.rules import (
    BUY,
    DRAW,
    LAY_DOWN,
    LAY_OFF_CODE,
    PASS,
    PLAY,
    REPLACE_CODE,
    can_lay_down,
    can_lay_off,
    can_replace,
    discards,
    has_laid_down,
    is_legal,
    place_for,
)

LAY_DOWN_CHOICE, LAY_OFF_CHOICE, REPLACE_CHOICE = -1, -2, -3
CHOICES: Final = (
    Choice("draw stock", r.DRAW_STOCK, "draw the top card of the stock"),
    Choice("draw upcard", r.DRAW_PILE, "take the top card of the discard pile"),
    Choice("buy", r.BUY_UPCARD, "buy the declined upcard, with a penalty card from the stock"),
    Choice("pass", PASS, "do not buy the upcard; or keep the last card where it may not be discarded"),
    Choice("lay down", LAY_DOWN_CHOICE, "lay down the whole contract, the melds chosen by the solver"),
    Choice("discard", r.DISCARD_CODE, "discard a card and end the turn", 53),
    Choice("lay off", LAY_OFF_CHOICE, "lay off a card on the first meld that takes it", 53),
    Choice("replace", REPLACE_CHOICE, "replace a wild on the first meld where the card can; the wild is laid off", 53),
)
_LAY_DOWN, _DISCARDS, _LAY_OFFS, _REPLACEMENTS, _SIZE = 4, 5, 58, 111, 164


def parts(seats: int) -> list[Part]:
    """Return the planes and scalars of an observation at a table of *seats*."""
    return [
        *two_deck_planes(seats, Plane("melds", "cards in the melds on the table", "table.melds", "union"), 4),
        Scalar("phase", ", ".join(r.PHASES), "table.phase", "one of", size=len(r.PHASES)),
        Scalar("actor", "who is to act", "table.actor", "seat"),
        Scalar("starter", "who started the round", "table.starter", "seat"),
        Scalar("drawer", "in the phase buy, whose turn it is", "table.drawer", "seat"),
        Scalar("thrower", "who discarded the upcard", "table.thrower", "seat"),
        Scalar("jokers", "jokers in the viewer's hand", "mine.jokers", scale=4),
        Scalar("drawn_joker", "the viewer drew a joker in this turn", "mine.drawn", "equals", value=JOKER_ID),
        Scalar("upcard_joker", "a joker lies on top of the pile", "table.up", "equals", value=JOKER_ID),
        Scalar("pile_jokers", "jokers in the pile", "table.pile_jokers", scale=4),
        Scalar("stock", "cards left in the stock", "table.stock", scale=80),
        Scalar("n_pile", "cards in the pile", "table.n_pile", scale=80),
        Scalar("turn", "completed turns of this round", "table.turn", scale=50),
        Scalar("reshuffles", "times the pile became the stock", "table.reshuffles", scale=4),
        Scalar("n_melds", "melds on the table", "table.n_melds", scale=12),
        Scalar("hand_no", "finished rounds of the match", "table.hand_no", scale=7),
        *(
            scalar
            for seat in range(seats)
            for scalar in (
                Scalar(f"n_hand_{seat}", "cards in hand", "table.n_hand", seat=seat, scale=14),
                Scalar(f"sets_left_{seat}", "sets of the contract to lay down", "table.sets_left", seat=seat, scale=3),
                Scalar(f"runs_left_{seat}", "runs of the contract to lay down", "table.runs_left", seat=seat, scale=3),
                Scalar(f"buys_{seat}", "discards bought in this round", "table.buys", seat=seat, scale=3),
                *joker_scalars(seat),
            )
        ),
    ]


@helper
def write_legal(table: np.void, mine: np.void, address: int) -> None:
    """Write a byte for each of the actor's choices: 1 if it is legal."""
    clear(address, np.int64(_SIZE))
    if table.phase == DRAW or table.phase == BUY:
        for code in range(PASS + 1):
            put_byte(address + code, np.int64(is_legal(table, mine, code)))
        return
    if table.phase != PLAY:
        return
    put_byte(address + PASS, np.int64(is_legal(table, mine, PASS)))
    put_byte(address + _LAY_DOWN, np.int64(can_lay_down(table, mine)))
    cards = discards(table, mine)
    put_cards(address + _DISCARDS, cards)
    put_byte(address + _DISCARDS + 52, cards >> np.int64(JOKER_ID) & 1)
    if has_laid_down(table, mine.seat):
        fits, cards = np.int64(0), kinds(mine)
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            if can_lay_off(table, mine, card) and place_for(table, card) >= 0:
                fits |= bit(card)
        put_cards(address + _LAY_OFFS, fits)
        put_byte(address + _LAY_OFFS + 52, fits >> np.int64(JOKER_ID) & 1)
        if table.rules.wild_replacement:
            put_cards(address + _REPLACEMENTS, _replacements(table, mine))


@helper
def _replacements(table: np.void, mine: np.void) -> int:
    """Return the cards of the hand that can take the place of a wild."""
    found, cards = np.int64(0), np.int64(mine.hand)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if _meld_to_replace(table, mine, card) >= 0:
            found |= bit(card)
    return found


@helper
def _meld_to_replace(table: np.void, mine: np.void, card: int) -> int:
    """Return the first meld in which *card* can take the place of a wild, or -1."""
    for meld in range(table.n_melds):
        if can_replace(table, mine, meld, card):
            return np.int64(meld)
    return np.int64(-1)


@helper
def resolve(table: np.void, mine: np.void, code: int, card: int) -> int:
    """Return the rules' code for a choice: the next meld of a laydown, or the layoff of *card*; -1 if there is none."""
    if code >= 0:
        return code
    if table.phase != PLAY:
        return np.int64(-1)
    if code == LAY_DOWN_CHOICE:
        return next_meld(table, mine)
    if code == REPLACE_CHOICE:
        meld = _meld_to_replace(table, mine, card)
        return REPLACE_CODE + 64 * meld + card if meld >= 0 else np.int64(-1)
    if not can_lay_off(table, mine, card):
        return np.int64(-1)
    meld = place_for(table, card)
    return LAY_OFF_CODE + 64 * meld + card if meld >= 0 else np.int64(-1)


@helper
def automatic(table: np.void, mine: np.void) -> int:
    """Return the next meld of a laydown that has begun, or the layoff of a wild that was replaced, else -1."""
    if table.freed >= 0:
        return LAY_OFF_CODE + 64 * place_for(table, np.int64(table.freed)) + table.freed
    return next_meld(table, mine) if table.phase == LAY_DOWN else np.int64(-1)


@helper
def payoff(table: np.void, seat: int) -> float:
    """Return what *seat* gained on the others in the finished round: the mean of their penalties less its own."""
    total, seats = np.int64(0), np.int64(table.rules.seats)
    for other in range(seats):
        total += table.paid[other]
    own = np.int64(table.paid[seat])
    return (total - own) / (seats - 1) - own


def worst(options: Any) -> float:
    """Return the most that a round can cost: twenty cards, all of the dearest kind."""
    return 20.0 * max(options.low_points, options.high_points, options.ace_points, options.wild_points)


TENSORS: Final = GameTensors(
    parts=parts,
    choices=CHOICES,
    worst=worst,
    write_legal=write_legal,
    resolve=resolve,
    automatic=automatic,
    payoff=payoff,
)
