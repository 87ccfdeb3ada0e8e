"""Values and reasons in Gin with a passed card."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin_pass.keats import TUNED, discard_score, strip_melds
from rummylab.analysis import deadwood
from rummylab.analysis.answers import Estimates, Reason, percent
from rummylab.analysis.deadwood import Floats, Ints, card_of
from rummylab.cards.bits import bit
from rummylab.cards.card import Card
from rummylab.cards.melds import melded, min_deadwood
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Params, Rows
from rummylab.games.gin_pass import rules as r
from rummylab.games.gin_pass.view import GinPassObservation

WORLDS = 1500
REVIEW_WORLDS = 400
CHUNK = 125
BLUNDER = 3.0
LATE_FROM = 4


@kernel
def _card_score(hand: int, card: int, unseen: int, last: int, params: Params) -> float:
    """Return Keats' score of throwing *card*; a melded card scores nothing."""
    loose = strip_melds(hand)
    return discard_score(card, loose, unseen, last, params) if loose & bit(card) else 0.0


@kernel
def _completes(hands: Ints, cards: Ints, out: Floats) -> None:
    """Write whether each of *cards* is in a meld together with each of *hands*: ``out[hand, card]``."""
    for i in range(hands.shape[0]):
        for k in range(cards.shape[0]):
            out[i, k] = 1.0 if melded(hands[i] | bit(cards[k])) & bit(cards[k]) != 0 else 0.0


@cache
def _params() -> Params:
    return np.array(TUNED.params, np.float32)


def player(seen: Observation) -> str:
    """Return the agent that plays the worlds out."""
    return "keats-tuned"


def estimates(seen: Observation) -> Estimates | None:
    """Return None: play-outs value the moves."""
    return None


def candidates(seen: Observation) -> list[int]:
    """Return all legal moves."""
    return list(seen.codes)


def signals(seen: Observation, codes: Sequence[int], worlds: Rows, ends: Rows, replies: Ints) -> dict[str, Floats]:
    """Return takes, undercuts, opponents' deadwood and, for a passed card, whether it joins a meld where it goes."""
    assert isinstance(seen, GinPassObservation)
    found = deadwood.play_signals(seen, worlds, ends, replies, r.TAKE_UP_CARD, r.UNDERCUT)
    helps = np.zeros(ends.shape)
    if seen.phase == "pass":
        hands = np.ascontiguousarray(worlds["mine"]["hand"][:, seen.passes_to])
        _completes(hands, np.array([code - r.PASS_CODE for code in codes], np.int64), helps)
    return found | {"helps": helps}


def facts(seen: Observation, signals: dict[str, Floats]) -> tuple[Reason, ...]:
    """Return deadwood, outs and the lowest likely deadwood of an opponent."""
    assert isinstance(seen, GinPassObservation)
    return deadwood.position_facts(seen, signals, seen.unseen.mask)


def card_score(seen: GinPassObservation, card: Card) -> float:
    """Return Keats' score of throwing *card*: the higher, the more it is in the way."""
    after = (int(seen.seat) + 1) % seen.rules.seats
    last = int(seen.table["last_discard"][after])
    return float(_card_score(seen.hand.mask, card.id, seen.unseen.mask, last, _params()))


def reasons(seen: Observation, action: Action, signals: dict[str, float]) -> tuple[Reason, ...]:
    """Return the reasons for and against *action*."""
    assert isinstance(seen, GinPassObservation)
    hidden, limit = seen.unseen.mask, seen.knock_limit
    if action.verb == "knock":
        return tuple(deadwood.knock_reasons(seen, card_of(action), signals))
    if action.verb == "discard":
        found = deadwood.discard_reasons(seen, card_of(action), signals, hidden, limit)
        return (*found, _score_reason(seen, card_of(action)))
    if action.verb == "pass":
        return _pass_reasons(seen, card_of(action), signals)
    return tuple(deadwood.draw_reasons(seen, action, hidden, limit))


def _score_reason(seen: GinPassObservation, card: Card) -> Reason:
    score = card_score(seen, card)
    return Reason("card_score", score, f"card score {score:.1f}: the higher, the more it is in the way", cards=(card,))


def _pass_reasons(seen: GinPassObservation, card: Card, signals: dict[str, float]) -> tuple[Reason, ...]:
    left = int(min_deadwood(seen.hand.mask & ~(1 << card.id)))
    helps = signals.get("helps", 0.0)
    who = "the opponent" if seen.rules.seats == 2 else f"seat {seen.passes_to}"
    return (
        Reason("deadwood", left, f"leaves {left} deadwood"),
        Reason(
            "helps",
            helps,
            f"joins a meld of {who}, who gets it, in {percent(helps)} of possible deals",
            cards=(card,),
        ),
        _score_reason(seen, card),
    )


def kind(seen: Observation, action: Action) -> str:
    """Return what kind of decision it is."""
    if seen.phase != "discard":
        return str(seen.phase)
    if any(r.KNOCK_CODE <= code < r.PASS_CODE for code in seen.codes):
        return "knock" if action.verb == "knock" else "keep playing"
    return deadwood.early_or_late(int(seen.table["turn"]), seen.rules.seats, LATE_FROM)
