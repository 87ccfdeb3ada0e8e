"""The agents of Saha et al. as their published program plays them, including its defect. For this study only.

The program that was published with the paper departs from the paper's text:

- *MinScore* caps the score at 80 before it compares, so at 80 it keeps a card only if that brings the score below 80.
- *MinDist* discards the drawn card if that gained nothing (`mindist-drawn`).
- *MinDist+Score*: after a card from the stock that brings the hand nearer, it discards the cheapest card outside its
  declaration. Otherwise it discards as MinScore does, whatever that does to MinDist, but the drawn card while MinScore
  is 80. The distance that it remembers does not change.
- *MinDist+Opp* discards likewise after a card that brings the hand nearer. Otherwise it discards the most expensive
  card outside its declaration that is near the opponent's discards or not near the cards the opponent took.
- **The defect**, in the last two: after taking the upcard, the cheapest card outside the declaration leaves the hand,
  but the oldest such card goes to the pile. If these are two cards, the second is now in the game twice, in the hand
  and on the pile, and the first is gone.

The cards "outside its declaration" are those that one declaration at the least distance does not use; the program and
we may find different declarations. The oldest card is drawn at random here, since hands have no order.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from rummylab._jit import helper, kernel_of
from rummylab.agents.indian.common import cheapest, dearest, least_scores, near
from rummylab.arena.jobs import Played
from rummylab.arena.keys import ChunkKey
from rummylab.arena.ordered import ORDERED_CHUNK, ORDERED_DEAL, Ordered, deals_of
from rummylab.arena.plan import chunks_of
from rummylab.cards.bits import ALL_CARDS, bit
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT, take_away
from rummylab.cards.rng import any_card, root_of
from rummylab.engine.batch import BatchDriver
from rummylab.engine.pointers import Floats
from rummylab.engine.two_decks import kinds, take_up
from rummylab.errors import OptionError
from rummylab.games.indian import batch as indian_batch
from rummylab.games.indian import rules
from rummylab.games.indian.mindist import PLACES, min_dist
from rummylab.games.indian.minscore import CAP
from rummylab.games.indian.rules import (
    ACT,
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    OUTCOMES,
    Rows,
    can_take,
    give_up,
)
from rummylab.games.indian.target import (
    OWN_AT,
    PRINTED_AT,
    TARGET_SIZE,
    WILDS_ONCE_AT,
    WILDS_TWICE_AT,
    target,
)
from rummylab.games.indian.view import indian
from rummylab.lab.experiment.steps import OrderedStepResult, Step
from rummylab.lab.experiment.verdicts import Measured

AGENTS = ("minscore", "mindist", "mindist-score", "mindist-opp")
"""By their names in the paper's Table I."""
_MINSCORE, _MINDIST, _SCORE, _OPP = range(len(AGENTS))
PICK_UPS = ("defect", "throws the cheapest", "throws the oldest")
"""How the last two discard after taking the upcard: as published, or repaired in one of two ways."""
_DEFECT, _CHEAPEST, _OLDEST = range(len(PICK_UPS))

# Memory: the value of the hand as the program remembers it + 1, and the card that the defect destroys + 1.
_VALUE, _DESTROYED = 0, 1


# --- The agents ---------------------------------------------------------------------------------------------------


@helper
def _outside(table: np.void, mine: np.void, distance: int) -> int:
    """Return the kinds of the fourteen cards that one declaration at *distance* does not use."""
    scratch = np.zeros(TARGET_SIZE, np.int64)
    target(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), distance, ALL_CARDS, ALL_CARDS, PLACES, scratch)
    once, twice = np.int64(mine.hand), np.int64(mine.twice)
    for i in range(4):
        once, twice = take_away(once, twice, scratch[OWN_AT + i])
    once, twice = take_away(once, twice, scratch[WILDS_ONCE_AT])
    once, twice = take_away(once, twice, scratch[WILDS_TWICE_AT])
    return once | JOKER_BIT if mine.jokers > scratch[PRINTED_AT] else once


@helper
def _value_of(table: np.void, once: int, twice: int, jokers: int, kind: int) -> int:
    """Return the agent's value of fourteen cards: the least MinDist, or capped MinScore, after a discard."""
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
def _discard(table: np.void, mine: np.void, kind: int, pick_up: int) -> int:
    wild = np.int64(table.wild)
    before = mine.memory[_VALUE] - 1
    value = _value_of(table, mine.hand, mine.twice, mine.jokers, kind)
    from_pile = table.last_draw[mine.seat] == mine.drawn
    if value >= before:
        if kind == _SCORE and value == before:
            return DISCARD_CODE + _by_minscore(table, mine)
        if kind == _OPP and value == before:
            return DISCARD_CODE + _by_opponent(table, mine, _outside(table, mine, value))
        return DISCARD_CODE + np.int64(mine.drawn)
    mine.memory[_VALUE] = value + 1
    if kind == _MINSCORE:
        _, cards = least_scores(table, mine.hand, mine.twice, mine.jokers, kinds(mine))
        card = any_card(mine, dearest(cards, wild))
    else:
        spare = _outside(table, mine, value)
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


@kernel_of(ACT)
def act(table: np.void, mine: np.void, params: Floats) -> int:
    """Return the move of agent number ``params[0]`` of `AGENTS`; ``params[1]`` says which of `PICK_UPS` it does."""
    kind = np.int64(params[0])
    if table.phase != DRAW:
        return _discard(table, mine, kind, np.int64(params[1]))
    if not mine.memory[_VALUE]:
        mine.memory[_VALUE] = _first_value(table, mine, kind) + 1
    return _draw(table, mine, kind)


# --- Deals --------------------------------------------------------------------------------------------------------


@helper
def step(row: np.void, code: int) -> int:
    """Carry out a move as the published program does: the defect keeps the card thrown and destroys another."""
    mine = row.mine[row.table.actor]
    drawn = rules.step(row, code)
    if mine.memory[_DESTROYED]:
        take_up(mine, code & 63)
        give_up(mine, mine.memory[_DESTROYED] - 1)
        mine.memory[_DESTROYED] = 0
    return drawn


PROGRAM = SimpleNamespace(**(vars(rules) | {"step": step}))
"""The kernels of Indian Rummy with the program's own step."""
DRIVER = BatchDriver(__file__, indian_batch.DRIVER.rules._replace(kernels=PROGRAM))


class PublishedTask(NamedTuple):
    """A chunk of deals in which *mover* moves first against *other*."""

    preset: str
    mover: str
    other: str
    pick_up: str
    seed: int
    start: int
    deals: int

    @property
    def key(self) -> ChunkKey:
        return ChunkKey((self.pick_up, self.mover, self.other), self.start, self.deals)


def play_published(rows: Rows, task: PublishedTask) -> Rows:
    """Play *task* on the table *rows*, which shows the end of the last deal; return what is kept, as `ORDERED_DEAL`."""
    tallies = np.zeros(task.deals, DRIVER.tally_for(2))
    numbers = [(AGENTS.index(name), PICK_UPS.index(task.pick_up)) for name in (task.mover, task.other)]
    params = [np.array(pair, np.float32) for pair in numbers]
    where = rows, root_of(task.seed), task.start, [(0, 1)]
    DRIVER.play_seatings(*where, [act, act], params, tallies, starter=0)
    return deals_of(tallies)


def play_task(task: PublishedTask) -> Played:
    """Play *task*; the rows are of the type `ORDERED_DEAL`."""
    began = time.perf_counter()
    rows = play_published(indian(task.preset).new_rows(1), task)
    return Played(rows, seconds=time.perf_counter() - began)


@dataclass(frozen=True, kw_only=True)
class PublishedStep(Step):
    """All ordered pairs of the published program's four skilled agents."""

    KIND = "indian-published"
    WORK = staticmethod(play_task)

    pick_up: str = PICK_UPS[_DEFECT]
    """How an agent discards after taking the upcard: one of `PICK_UPS`."""
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
        return ORDERED_DEAL

    def tasks(self) -> list[PublishedTask]:
        chunks = chunks_of(self.games, 1, ORDERED_CHUNK)
        pairs = [(one, two) for one in AGENTS for two in AGENTS]
        return [PublishedTask(self.rules, *pair, self.pick_up, self.seed, *c) for pair in pairs for c in chunks]

    def quantities(self) -> Mapping[str, tuple[int, ...]]:
        return dict.fromkeys(("win_rate", "skill", "adjusted"), (2,)) | {"edge": (1,)}

    def result(self, parts: Iterable[Played]) -> PublishedResult:
        return PublishedResult(self.pick_up, Ordered.of_chunks(self.tasks(), parts))


@dataclass(frozen=True)
class PublishedResult:
    """Deals of the published program. Not an `OrderedStepResult`: its agents are not those of the same names here."""

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
