"""Hands of Gin for the opponent-hand network: the deal and two bytes a turn.

The inputs of the network at any turn follow from these, so they are computed when they are needed and only the play is
on disk. One turn is one entry: what the player to act knew, and the opponent's ten cards. Entries alternate between two
moments of a turn, before the draw and before the discard, since agents use the belief at both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from rummylab._jit import helper, kernel, kernel_of
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS
from rummylab.cards.bits import IDS_52, bit, index_of
from rummylab.cards.rng import AGENT, DECK, mix, typed_root
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.rows import MAX_HANDS
from rummylab.engine.rules import Rules
from rummylab.errors import AgentError
from rummylab.games.gin import rules as r
from rummylab.learning.signatures import INT, PARAMS, rows_of

Turns = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

HAND = np.dtype(
    [
        ("game", "<u4"),
        ("number", "<u2"),  # of the hand in its game
        ("agents", "u1", (2,)),  # by seat: which of the dataset's agents
        ("first", "u1"),  # the seat that plays the first turn
        ("offers", "u1"),  # times the first upcard was declined
        ("turns", "u1"),  # complete turns
        ("dealt", "u1", (21,)),  # card ids: alternately to seat 0 and 1, the last face up
    ]
)
"""One hand. Its turns are pairs: the card drawn (plus PILE if it was the upcard), and the discard."""
PILE = 64
CARD = 63
MAX_TURNS = 2 * r.MAX_TURN
_ROOM = (256, 1 << 14)  # hands and turns of one game; longer games, which are rare, are cut off here


# --- Play and note ------------------------------------------------------------------------------------------------


@helper
def _note_hand(
    row: np.void, swap: int, first: Any, second: Any, params: Any, params2: Any, hand: np.void, turns: Turns, start: int
) -> bool:
    """Play the open hand to its end and note it; return whether all actions were legal."""
    table = row.table
    drawn = 0
    n = 0
    for i in range(21):
        hand.dealt[i] = row.deck[i]
    while table.actor >= 0:
        seat = table.actor
        mine = row.mine[seat]
        code = first(table, mine, params) if seat == swap else second(table, mine, params2)
        if not r.is_legal(table, mine, code):
            return False
        if n == 0 and (code == r.DRAW_STOCK or code == r.TAKE_UP_CARD):
            hand.first = seat
            hand.offers = table.offers
        r.step(row, code)
        if code == r.DRAW_STOCK or code == r.TAKE_UP_CARD:
            drawn = mine.drawn + (PILE if code == r.TAKE_UP_CARD else 0)
        elif r.DISCARD_CODE <= code < r.LAY_OFF_CODE and n < MAX_TURNS and start + n < turns.shape[0]:
            turns[start + n, 0] = drawn
            turns[start + n, 1] = (code - r.DISCARD_CODE) & CARD
            n += 1
    hand.turns = n
    return True


@kernel_of(
    INT(
        *(rows_of(r.RECORD), INT, INT, INT, r.ACT_POINTER, r.ACT_POINTER, PARAMS, PARAMS),
        *(rows_of(HAND), types.uint8[:, ::1]),
    )
)
def note_game(
    rows: r.Rows,
    seed: int,
    game: int,
    swap: int,
    first: Any,
    second: Any,
    params: Any,
    params2: Any,
    hands: r.Rows,
    turns: Turns,
) -> int:
    """Play one game with the first agent in seat *swap*; return the number of hands, or -1 after an illegal action."""
    row = rows[0]
    table = row.table
    r.open_match(row, r.first_starter(table, typed_root(seed), game))
    row.mine[swap].rng = mix(seed, game, 0, AGENT)
    row.mine[1 - swap].rng = mix(seed, game, 0, AGENT + 1)
    start = 0
    n = 0
    while n < hands.shape[0]:
        r.shuffle_deck(row, mix(seed, game, table.hand_no, DECK))
        r.open_hand(row)
        hand = hands[n]
        hand.game = game
        hand.number = n
        if not _note_hand(row, swap, first, second, params, params2, hand, turns, start):
            return -1
        start += hand.turns
        n += 1
        if r.match_is_over(table) or table.hand_no >= MAX_HANDS:
            break
        table.starter = r.next_starter(table)
    return n


@dataclass(frozen=True, eq=False)
class Hands:
    """Hands and their turns, one after the other. Entry number i is the i-th turn of all."""

    hands: r.Rows
    turns: Turns

    @classmethod
    def join(cls, parts: Sequence[Hands]) -> Hands:
        """Return the hands of all *parts*, in order."""
        empty = [cls(np.empty(0, HAND), np.empty((0, 2), np.uint8))]
        both = [*parts] or empty
        return cls(np.concatenate([part.hands for part in both]), np.concatenate([part.turns for part in both]))

    def __len__(self) -> int:
        return len(self.turns)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """The number of each hand's first entry."""
        return np.concatenate([[0], np.cumsum(self.hands["turns"], dtype=np.int64)])[:-1]

    @cached_property
    def hand_of(self) -> npt.NDArray[np.int32]:
        """The hand of each entry."""
        return np.repeat(np.arange(len(self.hands), dtype=np.int32), self.hands["turns"])

    @cached_property
    def opponents(self) -> npt.NDArray[np.uint8]:
        """The number of the opponent's agent in each entry."""
        of = self.hand_of
        mover = (self.hands["first"][of] + self.turn_of) & 1
        return np.asarray(self.hands["agents"][of, 1 - mover], np.uint8)

    @cached_property
    def turn_of(self) -> npt.NDArray[np.int64]:
        """The number of each entry's turn in its hand, from 0."""
        return np.arange(len(self)) - self.starts[self.hand_of]

    def some(self, chosen: npt.NDArray[np.bool_]) -> Hands:
        """Return the hands for which *chosen* is true."""
        return Hands(self.hands[chosen], self.turns[chosen[self.hand_of]])

    def planes(self, entries: npt.NDArray[np.int64], inputs: Floats, targets: Floats) -> None:
        """Write inputs (208) and targets (52) of the *entries* to the rows of *inputs* and *targets*."""
        write_entries(self.hands, self.starts, self.hand_of, self.turns, entries, inputs, targets)


def play_game(
    rules: Rules, seed: int, game: int, swap: int, players: tuple[CompiledAgent, CompiledAgent], which: tuple[int, int]
) -> Hands:
    """Return the hands of one game; *which* are the numbers of the two agents in the dataset's list."""
    hands, turns = np.zeros(_ROOM[0], HAND), np.empty((_ROOM[1], 2), np.uint8)
    first, second = players
    n = note_game(
        rules.new_rows(1), seed, game, swap, first.kernel, second.kernel, first.params, second.params, hands, turns
    )
    if n < 0:
        raise AgentError(f"{first.name} or {second.name} made an illegal action in game {game} of seed {seed}")
    hands["agents"][:, swap], hands["agents"][:, 1 - swap] = which
    return Hands(hands[:n], turns[: int(hands["turns"][:n].sum())])


# --- Entries ------------------------------------------------------------------------------------------------------


@helper
def is_before_discard(hand: np.void, turn: int) -> bool:
    """Return whether the entry of this turn is taken before the discard, not before the draw."""
    return ((turn >> 1) + hand.number + hand.game) & 1 != 0


@helper
def write_planes_of(hand: np.void, turns: Turns, start: int, turn: int, x: Floats, y: Floats) -> None:
    """Replay *hand* up to *turn*; write the planes its player saw to *x* and the opponent's hand to *y*."""
    me = (hand.first + turn) & 1
    mine = np.int64(0)
    theirs = np.int64(0)
    for i in range(20):
        if i & 1 == me:
            mine |= bit(hand.dealt[i])
        else:
            theirs |= bit(hand.dealt[i])
    up = np.int64(hand.dealt[20])
    pile = bit(up)
    for i in range(N_INPUTS):
        x[i] = 0
    # 1. The first upcard, declined: if once, then by the other seat, which moves second.
    if hand.offers == 2 or (hand.offers == 1 and me == hand.first):
        x[2 * N_CARDS + index_of(up)] = 1
    # 2. The turns before this one.
    for t in range(turn):
        drawn = np.int64(turns[start + t, 0])
        thrown = np.int64(turns[start + t, 1])
        card = drawn & CARD
        if drawn & PILE:
            pile &= ~bit(card)
        if (t ^ turn) & 1:  # the opponent's
            number = np.float32((t >> 1) + 1)
            if drawn & PILE:
                x[N_CARDS + index_of(card)] = number
            else:
                x[2 * N_CARDS + index_of(up)] = number
            x[3 * N_CARDS + index_of(thrown)] = number
            theirs = (theirs | bit(card)) & ~bit(thrown)
        else:
            mine = (mine | bit(card)) & ~bit(thrown)
        pile |= bit(thrown)
        up = thrown
    # 3. The draw of this turn, if the entry is taken after it.
    if is_before_discard(hand, turn):
        drawn = np.int64(turns[start + turn, 0])
        mine |= bit(drawn & CARD)
        if drawn & PILE:
            pile &= ~bit(drawn & CARD)
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        x[i] = np.float32((mine >> card & 1) - (pile >> card & 1))
        y[i] = np.float32(theirs >> card & 1)


@kernel
def write_entries(
    hands: r.Rows,
    starts: npt.NDArray[np.int64],
    hand_of: npt.NDArray[np.int32],
    turns: Turns,
    entries: npt.NDArray[np.int64],
    inputs: Floats,
    targets: Floats,
) -> None:
    """Write inputs and targets of the *entries*."""
    for i in range(entries.shape[0]):
        h = hand_of[entries[i]]
        write_planes_of(hands[h], turns, starts[h], entries[i] - starts[h], inputs[i], targets[i])
