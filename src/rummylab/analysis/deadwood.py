"""Reasons that Gin and Gin with a passed card share: deadwood, outs, danger, undercuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.analysis.answers import Reason, counted, percent
from rummylab.cards.bits import bit, lowest
from rummylab.cards.card import Card
from rummylab.cards.melds import best_discards, best_throws, melded, min_deadwood, min_deadwood_many
from rummylab.engine.action import Action
from rummylab.engine.deadwood import DeadwoodObservation
from rummylab.engine.rows import Rows

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
NEAR_GIN = 12
"""Deadwood at which outs to gin are worth a sentence."""
RISKY = 0.25
"""Share of the worlds from which the danger of a discard comes first."""


@kernel
def _count_outs(hand: int, unseen: int, limit: int, out: Ints) -> None:
    """Write how many of the cards *unseen* make a meld with *hand*, allow a knock, and make gin."""
    out[:] = 0
    while unseen:
        card = lowest(unseen)
        unseen &= unseen - 1
        with_it = hand | bit(card)
        _, left = best_discards(with_it, with_it)
        out[0] += melded(with_it) & bit(card) != 0
        out[1] += left <= limit
        out[2] += left == 0


def outs_of(hand: int, unseen: int, limit: int) -> tuple[int, int, int]:
    """Return how many unseen cards make a meld, allow a knock and make gin, if one of them is drawn next."""
    out = np.zeros(3, np.int64)
    _count_outs(hand, unseen, limit, out)
    return int(out[0]), int(out[1]), int(out[2])


def deadwoods(hands: Ints) -> Floats:
    """Return the deadwood of each of the masks *hands*."""
    out = np.empty(len(hands), np.int16)
    min_deadwood_many(np.ascontiguousarray(hands, np.int64), out)
    return out.astype(np.float64)


def other_name(seen: Any) -> str:
    """Return what to call the player who moves next."""
    return "the opponent" if seen.rules.seats == 2 else "the next player"


def play_signals(
    seen: DeadwoodObservation, worlds: Rows, ends: Rows, replies: Ints, take: int, undercut: int
) -> dict[str, Floats]:
    """Return how often the next player takes the discard, how often a knock is undercut, and opponents' deadwood."""
    table, seat = ends["table"], int(seen.seat)
    lost_knock = (table["outcome"] == undercut) & (table["knocker"] == seat)
    others = [other for other in range(seen.rules.seats) if other != seat]
    left = np.stack([deadwoods(worlds["mine"]["hand"][:, other]) for other in others], axis=1)
    return {
        "taken": (replies == take).astype(np.float64),
        "undercut": lost_knock.astype(np.float64),
        "opponent deadwood": left.min(axis=1),
    }


def position_facts(seen: DeadwoodObservation, signals: dict[str, Floats], unseen: int) -> tuple[Reason, ...]:
    """Return the deadwood of the hand, its outs, and the opponents' likely deadwood."""
    hand = seen.hand.mask
    own = int(min_deadwood(hand)) if seen.phase != "discard" else best_throws(hand)[1]
    facts = [Reason("deadwood", own, f"Your deadwood is {own}.")]
    if seen.phase != "discard":
        meld, knock, _ = outs_of(hand, unseen, seen.knock_limit)
        facts.append(Reason("outs", meld, f"{counted(meld, 'unseen card')} would make a meld."))
        facts.append(Reason("outs_to_knock", knock, f"{counted(knock, 'unseen card')} would let you knock."))
    found = signals.get("opponent deadwood")
    if found is not None and len(found):
        low, middle, high = np.quantile(found, [0.1, 0.5, 0.9])
        who = "The opponent's" if seen.rules.seats == 2 else "The lowest opponent's"
        text = f"{who} deadwood is probably {low:.0f} to {high:.0f}."
        facts.append(Reason("opponent_deadwood", float(middle), text, float(low), float(high)))
    return tuple(facts)


def discard_reasons(
    seen: DeadwoodObservation, card: Card, signals: dict[str, float], unseen: int, limit: int
) -> list[Reason]:
    """Return what a discard leaves, what it waits for and how dangerous it is."""
    left = seen.hand.mask & ~(1 << card.id)
    points = int(min_deadwood(left))
    meld, knock, gin = outs_of(left, unseen, limit)
    found = [Reason("deadwood", points, f"leaves {points} deadwood")]
    if points <= NEAR_GIN:
        found.append(Reason("outs_to_gin", gin, f"{counted(gin, 'unseen card')} would make gin"))
    to_knock = Reason("outs_to_knock", knock, f"{counted(knock, 'unseen card')} would let you knock")
    to_meld = Reason("outs", meld, f"{counted(meld, 'unseen card')} would make a meld")
    found += [to_knock, to_meld] if knock else [to_meld]
    taken = signals.get("taken", 0.0)
    danger = Reason("danger", taken, f"{other_name(seen)} takes {card:unicode} in {percent(taken)} of possible deals")
    danger = Reason(danger.kind, danger.number, danger.text, cards=(card,))
    found.insert(0 if taken >= RISKY else 2, danger)
    return found


def knock_reasons(seen: DeadwoodObservation, card: Card, signals: dict[str, float]) -> list[Reason]:
    """Return what a knock is made with, and how often it is undercut."""
    points = int(min_deadwood((seen.hand.mask | _upcard(seen)) & ~(1 << card.id)))
    undercut = signals.get("undercut", 0.0)
    if points == 0:
        return [Reason("ends_hand", 0, "shows gin: nobody can undercut it")]
    return [
        Reason("undercut", undercut, f"is undercut in {percent(undercut)} of possible deals"),
        Reason("ends_hand", points, f"ends the hand with {points} deadwood"),
    ]


def _upcard(seen: DeadwoodObservation) -> int:
    return 1 << seen.upcard.id if seen.phase == "wall" and seen.upcard else 0


def draw_reasons(seen: DeadwoodObservation, action: Action, unseen: int, limit: int) -> list[Reason]:
    """Return what taking the upcard does for the hand, or what a card from the stock may do."""
    hand, up = seen.hand.mask, seen.upcard
    now = int(min_deadwood(hand))
    if action.verb == "draw upcard" and up is not None:
        _, after = best_throws(hand | 1 << up.id)
        makes = bool(is_melded(hand | 1 << up.id, up.id))
        words = f"{up:unicode} makes a meld" if makes else f"{up:unicode} makes no meld"
        return [
            Reason("takes_melds", float(makes), words, cards=(up,)),
            Reason("deadwood", after, f"leaves {after} deadwood after the best discard, {now} without it"),
        ]
    meld, knock, _ = outs_of(hand, unseen, limit)
    return [
        Reason("outs", meld, f"{counted(meld, 'unseen card')} would make a meld"),
        Reason("outs_to_knock", knock, f"{counted(knock, 'unseen card')} would let you knock"),
    ]


@kernel
def is_melded(hand: int, card: int) -> bool:
    """Return whether *card* is part of some meld of *hand*."""
    return melded(hand) & bit(card) != 0


def card_of(action: Action) -> Card:
    """Return the card of an action that has one."""
    assert action.card is not None
    return action.card


def early_or_late(turn: int, seats: int, late_from: int) -> str:
    """Return whether a discard is an early or a late one, by completed rounds."""
    return "discard late" if turn // seats >= late_from else "discard early"
