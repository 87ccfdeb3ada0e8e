"""Games of every kind of Gin agent, as views with the opponent's true hand, and the inputs of the joint belief.

A position is what the player to act sees, with the hand that the opponent really holds. Both seats of a game are
players and opponents. The trainer (`rummylab.learning.trainers.gin_joint_belief`) learns from such positions, and the
calibration report measures beliefs on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from rummylab._jit import helper, kernel, kernel_of
from rummylab.beliefs.gin import joint
from rummylab.cards.bits import index_of, lowest, popcount
from rummylab.cards.melds import arrangement, best_discards, min_deadwood
from rummylab.cards.rng import AGENT, DECK, mix, typed_root, unit
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.kernel_records import copy_into
from rummylab.engine.rows import MAX_HANDS, Rows
from rummylab.errors import AgentError
from rummylab.games.gin import rules as r
from rummylab.games.gin.view import Gin
from rummylab.learning.signatures import INT, PARAMS, rows_of

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Masks = npt.NDArray[np.int64]

N_FALSE = 11
"""Proposed hands for each true one."""
NOTE = np.dtype([("held", "i8"), ("opponent", "i8"), ("turn", "i8")])
"""The opponent's hand, the number of their agent, and their complete turns."""
KNOCK = np.dtype([("inputs", "f4", (joint.N_KNOCK,)), ("knocked", "f4")])
"""A choice to knock or not: the inputs of the knock network, and what was done."""
_MOST_KNOCKS = 1 << 12
_SHARE_STREAM = 29


@helper
def _note_knock(table: np.void, mine: np.void, knocked: bool, note: np.void) -> int:
    """Note whether the actor knocked, if they could without gin; return 1 if so, else 0."""
    best, least = best_discards(mine.hand, r.discards(table, mine))
    if least == 0 or least > table.limit or not r.can_knock(table, mine, lowest(best)):
        return 0
    joint.write_knock_inputs(table, mine.seat, least, popcount(table.thrown[mine.seat]) + 1, note.inputs)
    note.knocked = np.float32(knocked)
    return 1


@kernel_of(
    types.UniTuple(types.int64, 2)(  # type: ignore[no-untyped-call]
        *(rows_of(r.RECORD), INT, INT, INT, r.ACT_POINTER, r.ACT_POINTER, PARAMS, PARAMS, types.float64),
        *(rows_of(r.VIEW), rows_of(NOTE), rows_of(KNOCK)),
    )
)
def note_game(
    rows: Rows,
    seed: int,
    game: int,
    swap: int,
    first: Any,
    second: Any,
    params: Any,
    params2: Any,
    share: float,
    views: Rows,
    notes: Rows,
    knocks: Rows,
) -> tuple[int, int]:
    """Play one game with the first agent in seat *swap*, and note a *share* of the draws and discards.

    Return how many positions and how many choices to knock were noted; -1 positions after an illegal action.
    """
    row = rows[0]
    table = row.table
    streams = np.empty(1, joint.STREAM)
    streams[0].rng = mix(seed, game, 0, _SHARE_STREAM)
    r.open_match(row, r.first_starter(table, typed_root(seed), game))
    row.mine[swap].rng = mix(seed, game, 0, AGENT)
    row.mine[1 - swap].rng = mix(seed, game, 0, AGENT + 1)
    n, k = np.int64(0), np.int64(0)
    while True:
        r.shuffle_deck(row, mix(seed, game, table.hand_no, DECK))
        r.open_hand(row)
        while table.actor >= 0:
            seat = table.actor
            mine = row.mine[seat]
            phase = table.phase
            is_choice = phase == r.DRAW or phase == r.OFFER or phase == r.DISCARD
            if is_choice and n < views.shape[0] and unit(streams[0]) < share:
                copy_into(views[n].table, table)
                copy_into(views[n].mine, mine)
                views[n].mine.rng = 0
                notes[n].held = row.mine[1 - seat].hand
                notes[n].opponent = np.int64((1 - seat) != swap)
                notes[n].turn = popcount(table.thrown[1 - seat])
                n += 1
            code = first(table, mine, params) if seat == swap else second(table, mine, params2)
            if not r.is_legal(table, mine, code):
                return np.int64(-1), np.int64(0)
            if phase == r.DISCARD and k < knocks.shape[0]:
                k += _note_knock(table, mine, r.KNOCK_CODE <= code < r.LAY_OFF_CODE, knocks[k])
            r.step(row, code)
        if r.match_is_over(table) or table.hand_no >= MAX_HANDS or n == views.shape[0]:
            return n, k
        table.starter = r.next_starter(table)


@dataclass(frozen=True, eq=False)
class Positions:
    """Views, the hands that the opponents really held, and choices to knock."""

    views: Rows
    notes: Rows
    knocks: Rows

    def __len__(self) -> int:
        return len(self.views)

    @staticmethod
    def join(parts: list[Positions]) -> Positions:
        """Return all positions of *parts*, in order."""
        return Positions(
            np.concatenate([part.views for part in parts]),
            np.concatenate([part.notes for part in parts]),
            np.concatenate([part.knocks for part in parts]),
        )


def play_game(
    rules: Gin,
    seed: int,
    game: int,
    players: tuple[CompiledAgent, CompiledAgent],
    *,
    share: float,
    most: int,
) -> Positions:
    """Play game number *game* of *seed*, and return at most *most* positions; odd games swap the seats.

    ``notes["opponent"]`` is 0 where the opponent is the first of *players*, else 1.

    Raises:
        AgentError: An agent made an illegal action.
    """
    views, notes, knocks = np.empty(most, r.VIEW), np.empty(most, NOTE), np.empty(_MOST_KNOCKS, KNOCK)
    first, second = players
    n, k = note_game(
        *(rules.new_rows(1), seed, game, game & 1, first.kernel, second.kernel, first.params, second.params),
        *(share, views, notes, knocks),
    )
    if n < 0:
        raise AgentError(f"{first.name} or {second.name} made an illegal action in game {game} of seed {seed}")
    return Positions(views[:n], notes[:n], knocks[:k])


# --- Inputs for learning ------------------------------------------------------------------------------------------


@kernel
def write_inputs(views: Rows, held: Masks, params: Floats, seed: int, public: Floats, hands: Floats) -> None:
    """Write the public inputs of each view, and the inputs of the true hand and of `N_FALSE` proposed ones.

    *public* and *hands* must be zeros. The true hand is the first.
    """
    streams = np.empty(1, joint.STREAM)
    facts = np.empty(joint.N_FACTS, np.int64)
    odds, cards, melds = np.empty(52, np.float32), np.empty(52, np.float32), np.empty(joint.N_THREES, np.float32)
    which, values = np.empty(joint.MOST_PUBLIC, np.int64), np.empty(joint.MOST_PUBLIC, np.float32)
    at = np.int64(0)
    for i in range(views.shape[0]):
        table, mine = views[i].table, views[i].mine
        joint.seed_stream(table, mine, seed + i, streams[0])
        joint.write_facts(table, mine, facts)
        joint.write_odds(facts, params, at, odds)
        joint.write_card_odds(odds, cards)
        joint.write_meld_odds(facts, odds, melds)
        n = joint.write_public(table, mine, facts, which, values)
        for k in range(n):
            public[i, which[k]] = values[k]
        for k in range(hands.shape[1]):
            hand = held[i] if k == 0 else joint.propose(streams[0], facts, params, at, cards, melds)
            number = joint.write_hand(facts, hand, hands[i, k, joint.DENSE :])
            hands[i, k, joint.BINS + number] = 1.0
            while hand:
                hands[i, k, index_of(lowest(hand))] = 1.0
                hand &= hand - 1


@kernel
def write_card_inputs(views: Rows, held: Masks, inputs: Floats, prior: Floats, labels: Floats) -> int:
    """Write the inputs of the odds for every hidden card of all views, and whether it is held; return how many."""
    facts = np.empty(joint.N_FACTS, np.int64)
    n = 0
    for i in range(views.shape[0]):
        joint.write_facts(views[i].table, views[i].mine, facts)
        free = facts[joint.F_HIDDEN] & ~facts[joint.F_KNOWN]
        need = joint.HAND_SIZE - popcount(facts[joint.F_KNOWN])
        start = np.log(np.float32(max(need, 1)) / np.float32(max(popcount(free) - need, 1)))
        while free and n < inputs.shape[0]:
            card = lowest(free)
            free &= free - 1
            joint.write_odds_inputs(facts, card, inputs[n])
            prior[n] = start
            labels[n] = np.float32(held[i] >> card & 1)
            n += 1
    return n


@kernel
def count_melds(hands: Masks, out: Ints) -> None:
    """Write the number of melds in the best arrangement of each hand to *out*."""
    for i in range(hands.shape[0]):
        _, a, b, c = arrangement(hands[i], np.int64(13), np.int64(0))
        out[i] = np.int64(a != 0) + np.int64(b != 0) + np.int64(c != 0)


@kernel
def deadwoods(hands: Masks, out: Ints) -> None:
    """Write the deadwood of each hand to *out*."""
    for i in range(hands.shape[0]):
        out[i] = min_deadwood(hands[i])


def fit_odds(positions: Positions, steps: int = 12, ridge: float = 1.0) -> Floats:
    """Return the weights of the logistic model of single cards, by Newton's method."""
    room = 42 * len(positions)
    inputs, prior, labels = (
        np.empty((room, joint.N_ODDS), np.float32),
        np.empty(room, np.float32),
        np.empty(room, np.float32),
    )
    n = write_card_inputs(positions.views, positions.notes["held"].copy(), inputs, prior, labels)
    x, offset, y = inputs[:n].astype(np.float64), prior[:n].astype(np.float64), labels[:n]
    weights = np.zeros(joint.N_ODDS)
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-(x @ weights + offset)))
        slope = x.T @ (y - chance) - ridge * weights
        curvature = (x * (chance * (1 - chance))[:, None]).T @ x + ridge * np.eye(joint.N_ODDS)
        weights += np.linalg.solve(curvature, slope)
    return weights.astype(np.float32)


def planted_shares(positions: Positions, least: float = 0.06) -> Floats:
    """Return for each turn the share of hands with zero to three melds, none of them below *least*."""
    melds = np.empty(len(positions), np.int64)
    count_melds(positions.notes["held"].copy(), melds)
    stages = np.minimum(positions.notes["turn"], joint.N_STAGES - 1)
    shares = np.empty((joint.N_STAGES, joint.MAX_PLANTED + 1))
    for stage in range(joint.N_STAGES):
        here = np.bincount(np.minimum(melds[stages == stage], joint.MAX_PLANTED), minlength=joint.MAX_PLANTED + 1)
        shares[stage] = np.maximum((here + 1) / (here.sum() + joint.MAX_PLANTED + 1), least)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares.astype(np.float32)
