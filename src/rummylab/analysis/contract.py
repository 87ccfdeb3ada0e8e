"""Values and reasons in contract rummy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.analysis.answers import Estimates, Reason, counted, percent
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cards.planes import JOKER_BIT
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows
from rummylab.games.contract import rules as r
from rummylab.games.contract.evaluate import Evaluator
from rummylab.games.contract.options import Contract, ContractOptions
from rummylab.games.contract.view import ContractObservation

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WORLDS = 400
REVIEW_WORLDS = 96
CHUNK = 16
BLUNDER = 5.0
LATE_FROM = 4
RISKY = 0.3
_COUNTER = ((3, 3), (), 7)
"""The contract that `chinese-counter` was trained on: two sets of three from seven cards."""


@kernel
def _cost(views: Rows, once: int, twice: int, jokers: int) -> int:
    return r.cost(views[0].table.rules, once, twice, jokers)


@kernel
def _place_for(views: Rows, card: int) -> int:
    return r.place_for(views[0].table, card)


@kernel
def _unseen(views: Rows, out: Ints) -> None:
    out[0], out[1], out[2] = r.unseen(views[0].table, views[0].mine)


@lru_cache(maxsize=32)
def _evaluator(contract: Contract, options: ContractOptions) -> Evaluator:
    return Evaluator(contract, options)


def player(seen: Observation) -> str:
    """Return the agent that plays the worlds out: the strongest for the contract of the round."""
    assert isinstance(seen, ContractObservation)
    asked = seen.contract
    is_home = seen.rules.seats == 2 and (asked.set_sizes, asked.run_sizes, asked.hand) == _COUNTER
    return "chinese-counter" if is_home else "contract-greedy"


def estimates(seen: Observation) -> Estimates | None:
    """Return None: play-outs value the moves."""
    return None


def candidates(seen: Observation) -> list[int]:
    """Return the legal moves; of the melds that can be laid down, the solver's next one."""
    assert isinstance(seen, ContractObservation)
    others = [code for code in seen.codes if code < r.SET_CODE]
    meld = seen.lay_down()
    if meld is not None:
        others.append(seen.rules.encode(meld))
    return others or list(seen.codes)


def signals(seen: Observation, codes: Sequence[int], worlds: Rows, ends: Rows, replies: Ints) -> dict[str, Floats]:
    """Return how often the next player takes the discard, and what the seat is caught with."""
    paid = ends["table"]["paid"][:, :, int(seen.seat)].astype(np.float64)
    return {"taken": (replies == r.DRAW_PILE).astype(np.float64), "paid": paid}


def live_cards(seen: ContractObservation) -> Hand:
    """Return the cards that can still come."""
    out = np.zeros(3, np.int64)
    _unseen(seen.view, out)
    return Hand(*map(int, out))


def shortfall(seen: ContractObservation, hand: Hand) -> tuple[int, int]:
    """Return how many cards *hand* is short of the contract, and how many unseen cards bring it nearer."""
    assert isinstance(seen.rules.options, ContractOptions)
    evaluator = _evaluator(seen.contract, seen.rules.options)
    short, helps = evaluator.distance(hand)
    wild = int(seen.table["rules"]["wild_kinds"])
    n_outs = sum(bool(helps & (JOKER_BIT if wild >> card.id & 1 else 1 << card.id)) for card in live_cards(seen))
    return short, n_outs


def points_left(seen: ContractObservation, hand: Hand) -> int:
    """Return what *hand* costs if somebody goes out now."""
    return int(_cost(seen.view, hand.mask, hand.twice, hand.jokers))


def lay_offs(seen: ContractObservation, hand: Hand) -> list[Card]:
    """Return the cards of *hand* that fit a meld on the table."""
    return [card for card in hand if int(_place_for(seen.view, card.id)) >= 0]


def facts(seen: Observation, signals: dict[str, Floats]) -> tuple[Reason, ...]:
    """Return the distance to the contract with its outs, or what is left to lay off, and the points in the hand."""
    assert isinstance(seen, ContractObservation)
    cost = points_left(seen, seen.hand)
    caught = Reason("points_left", cost, f"Your hand costs {cost} points if somebody goes out now.")
    if seen.has_laid_down(seen.seat):
        fit = lay_offs(seen, seen.hand)
        text = f"{counted(len(fit), 'card fits', 'cards fit')} a meld on the table."
        return (Reason("lay_offs", len(fit), text, cards=tuple(fit)), caught)
    if seen.phase == "lay down":
        return (caught,)
    short, n_outs = shortfall(seen, seen.hand)
    text = "You hold the contract." if short == 0 else f"You are {counted(short, 'card')} short of the contract."
    found = [Reason("distance", short, text)]
    if short:
        found.append(Reason("outs", n_outs, f"{counted(n_outs, 'unseen card')} would bring you nearer."))
    return (*found, caught)


def reasons(seen: Observation, action: Action, signals: dict[str, float]) -> tuple[Reason, ...]:
    """Return the reasons for and against *action*."""
    assert isinstance(seen, ContractObservation)
    paid = signals.get("paid", 0.0)
    caught = Reason("expected_loss", paid, f"you are caught with {paid:.0f} points on average")
    if action.verb == "discard" and action.card is not None:
        return _discard_reasons(seen, action.card, signals)
    if action.verb in ("draw upcard", "buy") and seen.upcard is not None:
        return (*_upcard_reasons(seen, seen.upcard), caught)
    if action.verb in ("lay off", "lay off low"):
        left = points_left(seen, seen.hand - Hand.of(action.cards))
        return (Reason("points_left", left, f"leaves {left} points in hand"), caught)
    if action.verb == "replace":
        left = points_left(seen, seen.hand - Hand.of(action.cards))
        return (Reason("points_left", left, f"leaves {left} points in hand, once the wild is laid off again"), caught)
    if action.verb == "lay down":
        left = points_left(seen, seen.hand - Hand.of(action.cards, decks=2))
        return (Reason("points_left", left, f"leaves {left} points in hand and opens the way to lay off"), caught)
    if action.verb == "draw stock" and not seen.has_laid_down(seen.seat):
        short, n_outs = shortfall(seen, seen.hand)
        text = f"{counted(n_outs, 'unseen card')} would bring you nearer to the contract, {counted(short, 'card')} away"
        return (Reason("outs", n_outs, text), caught)
    return (caught,)


def _upcard_reasons(seen: ContractObservation, up: Card) -> list[Reason]:
    if seen.has_laid_down(seen.seat):
        fits = int(_place_for(seen.view, up.id)) >= 0
        words = "fits a meld on the table" if fits else "fits no meld on the table"
        return [Reason("lay_offs", float(fits), f"{up:unicode} {words}", cards=(up,))]
    now, _ = shortfall(seen, seen.hand)
    after, _ = shortfall(seen, Hand.of([*seen.hand, up], decks=2))
    words = (
        f"brings the contract from {now} to {counted(after, 'card')}"
        if after < now
        else "brings the contract no nearer"
    )
    return [Reason("distance", after, f"{up:unicode} {words}", cards=(up,))]


def _discard_reasons(seen: ContractObservation, card: Card, signals: dict[str, float]) -> tuple[Reason, ...]:
    hand = seen.hand - Hand.of([card])
    left = points_left(seen, hand)
    found = []
    if seen.has_laid_down(seen.seat):
        fit = lay_offs(seen, hand)
        text = f"{counted(len(fit), 'card', 'cards')} left that can be laid off"
        found.append(Reason("lay_offs", len(fit), text, cards=tuple(fit)))
    elif len(hand):
        short, n_outs = shortfall(seen, hand)
        words = "keeps the whole contract" if short == 0 else f"leaves the hand {counted(short, 'card')} short"
        found.append(Reason("distance", short, words))
        if short:
            found.append(Reason("outs", n_outs, f"{counted(n_outs, 'unseen card')} would bring it nearer"))
    found.append(Reason("points_left", left, f"leaves {left} points in hand"))
    taken = signals.get("taken", 0.0)
    who = "the opponent" if seen.rules.seats == 2 else "the next player"
    danger = Reason("danger", taken, f"{who} takes {card:unicode} in {percent(taken)} of possible deals", cards=(card,))
    found.insert(0 if taken >= RISKY else 1, danger)
    return tuple(found)


def kind(seen: Observation, action: Action) -> str:
    """Return what kind of decision it is."""
    if seen.phase in ("draw", "buy"):
        return str(seen.phase)
    if action.verb == "discard":
        late = int(seen.table["turn"]) // seen.rules.seats >= LATE_FROM
        return "discard late" if late else "discard early"
    return "lay down" if action.verb == "lay down" else "lay off"
