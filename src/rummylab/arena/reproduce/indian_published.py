"""The agents of Saha et al. as their published program plays them, its defect included. For this study only.

The program that was published with the paper departs from the paper's text:

- *MinScore* caps the score at 80 before it compares: at 80 it keeps a card only if it brings the score below 80.
- *MinDist* throws the drawn card if that gained nothing (`mindist-drawn`).
- *MinDist+Score*: a card from the stock that brings it nearer: it throws the cheapest card outside of its declaration.
  Else it throws what MinScore throws, whatever that does to MinDist, but the drawn card while MinScore is 80. The
  distance in its notes stays.
- *MinDist+Opp*: the same for a card that brings it nearer. Else, of the cards outside of its declaration, the dearest
  of those near the opponent's discards or not near the opponent's picks.
- **The defect**, in the last two: after a pick-up from the pile it takes the cheapest card outside of its declaration
  out of its hand, but puts the oldest such card on the pile. If these are two cards, the second is now in the game
  twice, in the hand and on the pile, and the first is gone.

The cards "outside of its declaration" are those of one declaration at the least distance; the program and we may find
different ones. The oldest card is drawn at random here: hands have no order.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.agents.indian.common import cheapest, dearest, least_scores, near
from rummylab.arena.experiment.steps import OrderedStepResult, Step
from rummylab.arena.experiment.verdicts import Measured
from rummylab.arena.jobs import Played
from rummylab.arena.match import chunks_of
from rummylab.arena.ordered import CHUNK, DEAL, Ordered, Series
from rummylab.cards.bits import ALL_CARDS, bit
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import AGENT, DECK, Root, any_card, root_of, stream
from rummylab.errors import OptionError
from rummylab.games.indian.game import indian
from rummylab.games.indian.melds import JOKER_BIT, Ints, take_away
from rummylab.games.indian.mindist import PLACES, min_dist
from rummylab.games.indian.minscore import CAP
from rummylab.games.indian.rules import (
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    OUTCOMES,
    RECORD,
    Rows,
    can_take,
    give_up,
    kinds,
    open_hand,
    shuffle_deck,
    step,
    take_up,
)
from rummylab.games.indian.target import (
    OWN_AT,
    PRINTED_AT,
    TARGET_SIZE,
    WILDS_ONCE_AT,
    WILDS_TWICE_AT,
    target,
)

AGENTS = ("minscore", "mindist", "mindist-score", "mindist-opp")
"""By their names in the paper's Table I."""
_MINSCORE, _MINDIST, _SCORE, _OPP = range(len(AGENTS))
PICK_UPS = ("defect", "throws the cheapest", "throws the oldest")
"""What the last two do after a pick-up from the pile: as published, or repaired in one of two ways."""
_DEFECT, _CHEAPEST, _OLDEST = range(len(PICK_UPS))

# Notes: the value of the hand as the program remembers it + 1, and the card that the defect destroys + 1.
_VALUE, _DESTROYED = 0, 1


# --- The agents ---------------------------------------------------------------------------------------------------


@helper
def _outside(table: np.void, mine: np.void, distance: int, scratch: Ints) -> int:
    """Return the kinds of the fourteen cards that one declaration at *distance* does not use."""
    target(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), distance, ALL_CARDS, ALL_CARDS, PLACES, scratch)
    once, twice = np.int64(mine.hand), np.int64(mine.twice)
    for i in range(4):
        once, twice = take_away(once, twice, scratch[OWN_AT + i])
    once, twice = take_away(once, twice, scratch[WILDS_ONCE_AT])
    once, twice = take_away(once, twice, scratch[WILDS_TWICE_AT])
    return once | JOKER_BIT if mine.jokers > scratch[PRINTED_AT] else once


@helper
def _value_of(table: np.void, once: int, twice: int, jokers: int, kind: int) -> int:
    """Return what the agent goes by: the least MinDist, or capped MinScore, after a discard from fourteen cards."""
    if kind != _MINSCORE:
        return min_dist(once, twice, jokers, np.int64(table.wild))
    all_kinds = once | JOKER_BIT if jokers else once
    score, _ = least_scores(table, once, twice, jokers, all_kinds)
    return min(score, np.int64(CAP))


@helper
def _draw(table: np.void, mine: np.void, kind: int) -> int:
    if not can_take(table):
        return np.int64(DRAW_STOCK)
    once, twice, jokers = np.int64(mine.hand), np.int64(mine.twice), np.int64(mine.jokers)
    if table.up == JOKER_ID:
        jokers += 1
    else:
        twice |= once & bit(table.up)
        once |= bit(table.up)
    if _value_of(table, once, twice, jokers, kind) < mine.memory[_VALUE] - 1:
        return np.int64(DRAW_PILE)
    return np.int64(DRAW_STOCK)


@helper
def _first_value(table: np.void, mine: np.void, kind: int) -> int:
    """Return the value of the thirteen cards dealt."""
    if kind != _MINSCORE:
        return min_dist(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
    score, _ = least_scores(table, mine.hand | JOKER_BIT, mine.twice, mine.jokers + 1, np.int64(JOKER_BIT))
    return min(score, np.int64(CAP))


@helper
def _by_minscore(table: np.void, mine: np.void) -> int:
    """Return the discard of the least MinScore; the drawn card while that is 80."""
    score, cards = least_scores(table, mine.hand, mine.twice, mine.jokers, kinds(mine))
    if score >= CAP:
        return np.int64(mine.drawn)
    return any_card(mine, dearest(cards, np.int64(table.wild)))


@helper
def _by_opponent(table: np.void, mine: np.void, cards: int) -> int:
    opponent = 1 - np.int64(mine.seat)
    dropped, taken = np.int64(table.thrown[opponent]), np.int64(table.picked[opponent])
    good = cards & (near(dropped) | dropped | ~(near(taken) | taken))
    return any_card(mine, dearest(good if good else cards, np.int64(table.wild)))


@helper
def _discard(table: np.void, mine: np.void, kind: int, pick_up: int, scratch: Ints) -> int:
    wild = np.int64(table.wild)
    before = mine.memory[_VALUE] - 1
    value = _value_of(table, mine.hand, mine.twice, mine.jokers, kind)
    from_pile = table.last_draw[mine.seat] == mine.drawn
    if value >= before:
        if kind == _SCORE and value == before:
            return DISCARD_CODE + _by_minscore(table, mine)
        if kind == _OPP and value == before:
            return DISCARD_CODE + _by_opponent(table, mine, _outside(table, mine, value, scratch))
        return DISCARD_CODE + np.int64(mine.drawn)
    mine.memory[_VALUE] = value + 1
    if kind == _MINSCORE:
        _, cards = least_scores(table, mine.hand, mine.twice, mine.jokers, kinds(mine))
        card = any_card(mine, dearest(cards, wild))
    else:
        spare = _outside(table, mine, value, scratch)
        if kind == _MINDIST:
            card = any_card(mine, dearest(spare, wild))
        else:
            card = any_card(mine, cheapest(spare, wild))
            if from_pile and pick_up != _CHEAPEST:
                shown = any_card(mine, spare)
                if pick_up == _DEFECT and shown != card:
                    mine.memory[_DESTROYED] = card + 1
                card = shown
    return card + (DECLARE_CODE if value == 0 else DISCARD_CODE)


# --- Deals --------------------------------------------------------------------------------------------------------


@kernel_of(
    types.void(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.Array(from_dtype(DEAL), 1, "C"),
    )
)
def play_published(rows: Rows, root: Root, first: int, mover: int, other: int, pick_up: int, deals: Rows) -> None:
    """Play deals that agent number *mover* of `AGENTS` opens against *other*, on the cards of `batch.play_deals`."""
    row = rows[0]
    table = row.table
    scratch = np.zeros(TARGET_SIZE, np.int64)
    for i in range(deals.shape[0]):
        table.starter = 0
        for seat in range(2):
            row.mine[seat].rng = stream(root, first + i, np.int64(0), np.int64(AGENT + seat))
        shuffle_deck(row, stream(root, first + i, np.int64(0), np.int64(DECK)))
        open_hand(row)
        row.mine[0].memory[_VALUE] = _first_value(table, row.mine[0], mover) + 1
        row.mine[1].memory[_VALUE] = _first_value(table, row.mine[1], other) + 1
        while table.actor >= 0:
            mine = row.mine[table.actor]
            kind = other if table.actor else mover
            if table.phase == DRAW:
                step(row, _draw(table, mine, kind))
                continue
            code = _discard(table, mine, kind, pick_up, scratch)
            step(row, code)
            if mine.memory[_DESTROYED]:
                take_up(mine, code - DISCARD_CODE)
                give_up(mine, mine.memory[_DESTROYED] - 1)
                mine.memory[_DESTROYED] = 0
        deals[i].winner = table.winner
        deals[i].outcome = table.outcome
        deals[i].gain = table.gains[0]
        deals[i].rounds = (table.turn + 1) // 2


class PublishedTask(NamedTuple):
    """Some deals that *mover* opens against *other*."""

    preset: str
    mover: str
    other: str
    pick_up: str
    seed: int
    start: int
    deals: int

    @property
    def name(self) -> str:
        return f"{self.pick_up}:{self.mover}:{self.other}:{self.start}+{self.deals}"


def play_task(task: PublishedTask) -> Played:
    """Play *task*; the rows are of the type `DEAL`."""
    began, rows = time.perf_counter(), np.zeros(task.deals, DEAL)
    numbers = AGENTS.index(task.mover), AGENTS.index(task.other), PICK_UPS.index(task.pick_up)
    play_published(indian(task.preset).new_rows(1), root_of(task.seed), task.start, *numbers, rows)
    return Played(rows, seconds=time.perf_counter() - began)


@dataclass(frozen=True, kw_only=True)
class PublishedStep(Step):
    """All ordered pairs of the published program's four skilled agents."""

    KIND = "indian-published"
    WORK = staticmethod(play_task)

    pick_up: str = PICK_UPS[_DEFECT]
    """What happens after a pick-up from the pile: one of `PICK_UPS`."""
    games: int = 1000
    """Deals of each ordered pair."""

    def check(self) -> None:
        if self.pick_up not in PICK_UPS:
            raise OptionError(f"pick_up is {self.pick_up!r}, but must be one of: {', '.join(PICK_UPS)}")
        if self.games < 2:
            raise OptionError(f"games is {self.games}, but must be two or more")

    def players(self) -> tuple[str, ...]:
        return AGENTS

    @property
    def dtype(self) -> np.dtype[np.void]:
        return DEAL

    def tasks(self) -> list[PublishedTask]:
        chunks = chunks_of(self.games, 1, CHUNK)
        pairs = [(one, two) for one in AGENTS for two in AGENTS]
        return [PublishedTask(self.rules, *pair, self.pick_up, self.seed, *c) for pair in pairs for c in chunks]

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        return dict.fromkeys(("win_rate", "skill", "adjusted"), (2,)) | {"edge": (1,)}

    def result(self, parts: Sequence[Played]) -> PublishedResult:
        rows: dict[tuple[str, str], list[npt.NDArray[Any]]] = {}
        for task, part in zip(self.tasks(), parts, strict=True):
            rows.setdefault((task.mover, task.other), []).append(part.rows)
        found = Ordered({pair: Series(np.concatenate(chunks)) for pair, chunks in rows.items()})
        return PublishedResult(self.pick_up, found)


@dataclass(frozen=True)
class PublishedResult:
    """Series of the published program. Not an `OrderedStepResult`: its agents are not those of the same names here."""

    pick_up: str
    ordered: Ordered

    @property
    def _series(self) -> OrderedStepResult:
        return OrderedStepResult(self.ordered, OUTCOMES)

    def measure(self, quantity: str, agents: Sequence[str] = ()) -> Measured:
        return self._series.measure(quantity, agents)

    def to_dict(self) -> dict[str, Any]:
        return {"pick_up": self.pick_up, **self._series.to_dict()}

    def markdown(self) -> str:
        return self._series.markdown()
