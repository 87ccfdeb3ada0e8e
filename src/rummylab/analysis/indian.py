"""Values and reasons in Indian Rummy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.analysis.answers import Estimates, Reason, counted, percent
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows
from rummylab.games.indian import rules as r
from rummylab.games.indian.expected_turns import expected_turns
from rummylab.games.indian.mindist import live_outs, min_dist, outs
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.view import IndianObservation

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WORLDS = 600
REVIEW_WORLDS = 96
CHUNK = 16
BLUNDER = 4.0
LATE_FROM = 4
RISKY = 0.3


@kernel
def _declarable(views: Rows) -> int:
    return r.declarable(views[0].table, views[0].mine)


def player(seen: Observation) -> str:
    """Return the agent that plays the worlds out: the strongest that follows the format."""
    assert isinstance(seen, IndianObservation)
    if seen.format.is_match:
        return "mindist-outs-match"
    return "mindist-outs" if seen.table["rules"]["no_drops"] else "mindist-outs-drop"


def estimates(seen: Observation) -> Estimates | None:
    """Return None: play-outs value the moves."""
    return None


def candidates(seen: Observation) -> list[int]:
    """Return the legal moves without invalid declarations, which only lose points."""
    if seen.phase != "discard":
        return list(seen.codes)
    valid = int(_declarable(seen.view))
    return [code for code in seen.codes if code < r.DECLARE_CODE or valid >> (code - r.DECLARE_CODE) & 1]


def signals(seen: Observation, codes: Sequence[int], worlds: Rows, ends: Rows, replies: Ints) -> dict[str, Floats]:
    """Return how often the next player takes the discard, and points paid."""
    paid = ends["table"]["paid"][:, :, int(seen.seat)].astype(np.float64)
    return {"taken": (replies == r.DRAW_PILE).astype(np.float64), "paid": paid}


@dataclass(frozen=True)
class Wait:
    """How far thirteen cards are from a declaration."""

    distance: int
    outs: int
    draws: float
    score: int


def wait_of(seen: IndianObservation, hand: Hand) -> Wait:
    """Return MinDist, live outs, expected draws and MinScore of thirteen cards."""
    planes = (hand.mask, hand.twice, hand.jokers)
    live = seen.unseen
    distance = int(min_dist(*planes, seen.wild))
    found = int(outs(*planes, seen.wild, distance, live.mask & ~hand.twice))
    n_outs = int(live_outs(found, live.mask, live.twice, live.jokers))
    rule = int(seen.table["rules"]["score_rule"])
    score = min(int(min_score(*planes, seen.wild, rule)), int(seen.table["rules"]["cap"]))
    return Wait(distance, n_outs, float(expected_turns(distance, n_outs, len(live))), score)


def facts(seen: Observation, signals: dict[str, Floats]) -> tuple[Reason, ...]:
    """Return MinDist, outs, expected draws and MinScore of the hand."""
    assert isinstance(seen, IndianObservation)
    hand = seen.hand
    if len(hand) != r.CARDS_EACH:
        distance = int(min_dist(hand.mask, hand.twice, hand.jokers, seen.wild))
        words = "can be declared" if distance == 0 else f"is {counted(distance, 'card')} from a declaration"
        return (Reason("min_dist", distance, f"With the best discard your hand {words} (MinDist)."),)
    wait = wait_of(seen, hand)
    return (
        Reason(
            "min_dist", wait.distance, f"Your hand is {counted(wait.distance, 'card')} from a declaration (MinDist)."
        ),
        Reason("outs", wait.outs, f"{counted(wait.outs, 'unseen card')} would bring it nearer."),
        Reason("expected_draws", wait.draws, f"It takes about {wait.draws:.1f} of your draws to declare."),
        Reason("min_score", wait.score, f"If an opponent declares now, you lose {wait.score} points (MinScore)."),
    )


def reasons(seen: Observation, action: Action, signals: dict[str, float]) -> tuple[Reason, ...]:
    """Return the reasons for and against *action*."""
    assert isinstance(seen, IndianObservation)
    if action.verb == "discard" and action.card is not None:
        return _discard_reasons(seen, action.card, signals)
    if action.verb == "declare":
        return (Reason("ends_hand", 0, "declares: the deal is won"),)
    if action.verb == "drop":
        rules = seen.table["rules"]
        cost = int(rules["later_drop"] if seen.table["draws"][seen.seat] else rules["first_drop"])
        return (Reason("drop_cost", cost, f"costs {cost} points for certain"),)
    if action.verb == "draw upcard" and seen.upcard is not None:
        return _take_reasons(seen, seen.upcard)
    if action.verb == "draw stock":
        wait = wait_of(seen, seen.hand)
        near = (
            Reason("outs", wait.outs, f"{counted(wait.outs, 'unseen card')} would bring the hand nearer"),
            Reason("min_dist", wait.distance, f"until then it is {_away(wait.distance)}"),
        )
        if seen.table["rules"]["no_drops"]:
            return near
        paid = signals.get("paid", 0.0)
        return (*near, Reason("expected_loss", paid, f"playing on loses {paid:.0f} points on average"))
    return ()


def _away(distance: int) -> str:
    return f"{counted(distance, 'card')} from a declaration"


def _take_reasons(seen: IndianObservation, card: Card) -> tuple[Reason, ...]:
    """Return what the hand is like with the upcard and without the best discard: nearest first, then most live outs."""
    now = int(min_dist(seen.hand.mask, seen.hand.twice, seen.hand.jokers, seen.wild))
    with_it = Hand.of([*seen.hand, card], decks=2)
    after = int(min_dist(with_it.mask, with_it.twice, with_it.jokers, seen.wild))
    words = f"brings the hand from {now} to {after} away" if after < now else f"leaves the hand {_away(now)}"
    distance = Reason("min_dist", after, f"{card:unicode} {words}", cards=(card,))
    if after == 0:
        return (distance,)
    waits = (wait_of(seen, with_it - Hand.of([discard])) for discard in set(with_it))
    live = max(wait.outs for wait in waits if wait.distance == after)
    return distance, Reason(
        "outs", live, f"after the best discard {counted(live, 'unseen card')} would bring it nearer"
    )


def _discard_reasons(seen: IndianObservation, card: Card, signals: dict[str, float]) -> tuple[Reason, ...]:
    wait = wait_of(seen, seen.hand - Hand.of([card]))
    taken = signals.get("taken", 0.0)
    who = "the opponent" if seen.rules.seats == 2 else "the next player"
    danger = Reason("danger", taken, f"{who} takes {card:unicode} in {percent(taken)} of possible deals", cards=(card,))
    found = [
        Reason("min_dist", wait.distance, f"leaves the hand {_away(wait.distance)}"),
        Reason("outs", wait.outs, f"{counted(wait.outs, 'live card')} would bring it nearer"),
        Reason("expected_draws", wait.draws, f"about {wait.draws:.1f} more draws to declare"),
        Reason("min_score", wait.score, f"leaves {wait.score} points to lose"),
    ]
    found.insert(0 if taken >= RISKY else 2, danger)
    return tuple(found)


def kind(seen: Observation, action: Action) -> str:
    """Return what kind of decision it is."""
    if seen.phase == "draw":
        return "drop" if action.verb == "drop" else "draw"
    if seen.phase != "discard":
        return "match"
    if action.verb == "declare":
        return "declare"
    late = int(seen.table["turn"]) // seen.rules.seats >= LATE_FROM
    return "discard late" if late else "discard early"
