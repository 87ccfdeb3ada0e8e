"""The kernels of the vector environment, made from a game's own rules, matches and tensors.

`advance` carries out one action at every table and plays on to the learner's next decision. It deals, moves and scores
with the functions that the batch driver uses, so an environment knows no rule of its own.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.cards.rng import Root
from rummylab.engine.matches import SEAT_BITS, agent_in, match_parts
from rummylab.engine.pointers import Ints, agent_caller
from rummylab.engine.rows import Rows
from rummylab.engine.tensor_kernels import clear, put_byte, write_tensor
from rummylab.games.registry import game

MAX_SEATS: Final = 8
POINTS, WIN, EQUITY = range(3)
REWARDS: Final = ("points", "win", "equity")
LEGAL, ILLEGAL, OPPONENT_ILLEGAL = range(3)
ALL_SEATS, IS_MATCH, REWARD, NEXT_STEP, SEATS, FULL, SIZE, CARDS_SIZE, N_ACTIONS, LEARNER, BEGIN, LINEUPS = range(12)
N_SETTINGS: Final = 12
"""Places in the array of settings."""
ROTATE: Final = -1
"""Stands for the learner's seat: the next one in every episode."""

STATUS: Final = np.dtype(
    [
        ("deal", "i8"),  # number of the match, or of the hand
        ("length", "i4"),  # learners' decisions in this episode
        ("lineup", "i4"),  # number of the opponents that play this episode
        ("learner", "i1"),
        ("finished", "u1"),  # the episode is over and the next has not begun
        ("equity", "f4"),  # of seat 0, after the last hand
        ("pending", "f4", (MAX_SEATS,)),  # rewards that no step has returned yet
    ],
    align=True,
)
"""What the environment remembers about a table between steps."""

OUT: Final = np.dtype(
    [
        ("deal", "i8"),
        ("length", "i4"),
        ("hands", "i4"),
        ("lineup", "i4"),
        ("skipped", "i4"),
        ("skipped_reward", "f4"),
        ("actor", "i1"),
        ("done", "?"),
        ("illegal", "i1"),
        ("outcome", "i1"),
        ("winner", "i1"),
        ("learner", "i1"),
    ],
    align=True,
)
"""What a step says about a table beside the tensor, the mask and the rewards."""


class EnvKernels(NamedTuple):
    """The kernels of one game."""

    advance: Any
    encode: Any
    tally: np.dtype[np.void]


@cache
def env_kernels(name: str) -> EnvKernels:
    """Return the kernels of the game *name*; they are compiled on first use and kept on disk."""
    spec = game(name)
    home = spec.module("tensors").__file__
    tensors, rules, kernels = spec.module("tensors").TENSORS, spec.batch.DRIVER.rules, spec.kernels
    tally = rules.tally_for(rules.max_seats)
    advance = _advance(home, kernels, rules, tensors, tally)
    return EnvKernels(advance, _encode(home, kernels, tensors), tally)


def _masks(kernels: Any, tensors: Any) -> Any:
    """Return the helper that writes the legal actions of the actor in either numbering."""
    write_legal, legal_codes = tensors.write_legal, kernels.legal_codes

    @helper
    def write_mask(table: np.void, mine: np.void, full: int, n: int, lookup: Any, codes: Any, out: int) -> None:
        if not full:
            write_legal(table, mine, out)
            return
        clear(out, n)
        for k in range(legal_codes(table, mine, codes)):
            put_byte(out + lookup[codes[k]], np.int64(1))

    return write_mask


def _encode(home: str, kernels: Any, tensors: Any) -> Any:
    """Return the kernel that writes the tensors and masks of an array of views."""
    write_mask, most = _masks(kernels, tensors), kernels.MAX_LEGAL

    @kernel_of(
        types.void(
            types.Array(from_dtype(kernels.VIEW), 1, "C"),
            types.int64[::1],
            types.int64[:, ::1],
            types.int32[::1],
            types.uint8[:, ::1],
            types.uint8[:, ::1],
        ),
        home,
    )
    def encode(views: Rows, settings: Ints, program: Ints, lookup: Any, tensor: Any, masks: Any) -> None:
        codes = np.empty(most, np.int16)
        for i in range(views.shape[0]):
            table, mine = views[i].table, views[i].mine
            at, mask = np.int64(tensor[i].ctypes.data), np.int64(masks[i].ctypes.data)
            write_tensor(table, mine, settings[SEATS], program, settings[CARDS_SIZE], settings[SIZE], at)
            if table.actor >= 0 and table.actor == mine.seat:
                write_mask(table, mine, settings[FULL], settings[N_ACTIONS], lookup, codes, mask)
            else:
                clear(mask, settings[N_ACTIONS])

    return encode


def _advance(home: str, kernels: Any, rules: Any, tensors: Any, tally_type: np.dtype[np.void]) -> Any:
    move, begin, end_hand = match_parts(rules)
    ask = agent_caller(kernels.ACT)
    write_mask, most = _masks(kernels, tensors), kernels.MAX_LEGAL
    resolve, automatic, payoff = tensors.resolve, tensors.automatic, tensors.payoff
    match_winner = rules.match_winner

    @helper
    def seating_of(learner: int, seats: int) -> int:
        """Return the seating in which the learner is agent 0 and the others follow in the order of play."""
        seating = np.int64(0)
        for seat in range(seats):
            number = seat - learner if seat >= learner else seat - learner + seats
            seating |= np.int64(number) << np.int64(SEAT_BITS * seat)
        return seating

    @helper
    def start(
        row: np.void, status: np.void, tally: np.void, root: Root, settings: Ints, equity: Any, n: int, i: int
    ) -> None:
        """Deal the next episode of table *i* of *n*."""
        status.deal += n
        status.length = 0
        status.finished = 0
        seats, episode = settings[SEATS], status.deal // n
        learner = np.int64(0)
        if not settings[ALL_SEATS]:
            learner = (i + episode) % seats if settings[LEARNER] == ROTATE else settings[LEARNER]
        status.learner = learner
        # Each lineup meets the learner at every seat before the next one comes.
        status.lineup = (i + episode) // seats % settings[LINEUPS]
        for seat in range(seats):
            status.pending[seat] = 0.0
        status.equity = equity[0, 0]
        tally.hands = 0
        tally.illegal = 0
        begin(row, root, status.deal, seats, seating_of(learner, seats), np.int64(-1), tally)

    @helper
    def pay_winner(status: np.void, winner: int, seats: int) -> None:
        if winner >= 0:
            for seat in range(seats):
                status.pending[seat] += 1.0 if seat == winner else -1.0 / (seats - 1)

    @helper
    def pay_hand(table: np.void, status: np.void, settings: Ints, equity: Any) -> None:
        """Add what the finished hand is worth to the pending rewards."""
        seats = settings[SEATS]
        if settings[REWARD] == POINTS:
            for seat in range(seats):
                status.pending[seat] += payoff(table, np.int64(seat))
        elif settings[REWARD] == EQUITY:
            last = equity.shape[0] - 1
            now = equity[min(table.scores[0], last), min(table.scores[1], last)]
            status.pending[0] += now - status.equity
            status.pending[1] -= now - status.equity
            status.equity = now
        elif not settings[IS_MATCH]:
            pay_winner(status, np.int64(table.winner), seats)

    @helper
    def hand_is_last(
        row: np.void, status: np.void, tally: np.void, root: Root, settings: Ints, equity: Any, out: np.void
    ) -> bool:
        """Count a finished hand; deal the next one of the match and return false, or close the episode."""
        table, seats = row.table, settings[SEATS]
        pay_hand(table, status, settings, equity)
        out.outcome = table.outcome
        winner = np.int64(table.winner)
        if settings[IS_MATCH]:
            seating = seating_of(np.int64(status.learner), seats)
            if not end_hand(row, root, status.deal, seats, seating, tally):
                return False
            winner = match_winner(table, seats, np.int64(tally.hands))
            if settings[REWARD] == WIN:
                pay_winner(status, winner, seats)
        else:
            tally.hands = 1
        out.winner = winner
        return True

    @helper
    def lose(table: np.void, status: np.void, settings: Ints, worst: float, seat: int, out: np.void) -> None:
        """Close the episode after an illegal move of *seat*."""
        seats = settings[SEATS]
        for other in range(seats):
            status.pending[other] += -worst if other == seat else worst / (seats - 1)
        out.winner = 1 - seat if seats == 2 else np.int64(-1)
        out.outcome = 0
        table.actor = -1

    @helper
    def close(status: np.void, tally: np.void, settings: Ints, rewards: Any, i: int, out: np.void) -> None:
        """Return the rewards of a finished episode, or note it as skipped if the learner has made no decision."""
        if status.length == 0 and out.illegal != OPPONENT_ILLEGAL:
            out.skipped += 1
            out.skipped_reward += status.pending[status.learner]
        else:
            flush(status, settings, rewards, i)
            out.done = True
            out.length = status.length
            out.hands = tally.hands
            out.deal = status.deal
            out.learner = status.learner
            out.lineup = status.lineup
            status.finished = 1

    @helper
    def flush(status: np.void, settings: Ints, rewards: Any, i: int) -> None:
        if settings[ALL_SEATS]:
            for seat in range(settings[SEATS]):
                rewards[i, seat] += status.pending[seat]
                status.pending[seat] = 0.0
        else:
            rewards[i, 0] += status.pending[status.learner]
            status.pending[status.learner] = 0.0

    @helper
    def act(
        row: np.void,
        status: np.void,
        tally: np.void,
        action: int,
        settings: Ints,
        worst: float,
        codes: Ints,
        cards: Ints,
        out: np.void,
    ) -> bool:
        """Carry out the learner's action; return whether it was illegal, which ends the episode."""
        table = row.table
        seat = np.int64(table.actor)
        code = np.int64(-1)
        if 0 <= action < settings[N_ACTIONS]:
            code = codes[action]
            if not settings[FULL]:
                code = resolve(table, row.mine[seat], code, cards[action])
        status.length += 1
        if code >= 0 and move(row, np.int64(0), code, tally):
            return False
        out.illegal = ILLEGAL
        lose(table, status, settings, worst, seat, out)
        return True

    @kernel_of(
        types.void(
            types.Array(from_dtype(kernels.RECORD), 1, "C"),
            types.Array(from_dtype(STATUS), 1, "C"),
            types.Array(from_dtype(tally_type), 1, "C"),
            types.int64[::1],
            types.int64[::1],
            types.float64,
            types.float32[:, ::1],
            types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
            types.int64[:, ::1],
            types.int64[:, ::1],
            types.int64[:, ::1],
            types.int32[::1],
            types.uint8[:, ::1],
            types.uint8[:, ::1],
            types.float32[:, ::1],
            types.Array(from_dtype(OUT), 1, "C"),
        ),
        home,
    )
    def advance(
        rows: Rows,
        states: Rows,
        tallies: Rows,
        actions: Ints,
        settings: Ints,
        worst: float,
        equity: Any,
        root: Root,
        agents: Ints,
        program: Ints,
        numbering: Ints,
        lookup: Any,
        tensor: Any,
        masks: Any,
        rewards: Any,
        outs: Rows,
    ) -> None:
        """Make one move at every table and play on to the next decision of a learner."""
        n, seats, full = rows.shape[0], settings[SEATS], settings[FULL]
        codes, cards = numbering[0], numbering[1]
        scratch = np.empty(most, np.int16)
        for i in range(n):
            row, status, tally, out = rows[i], states[i], tallies[i], outs[i]
            table = row.table
            # 1. Nothing has happened yet.
            for seat in range(rewards.shape[1]):
                rewards[i, seat] = 0.0
            out.done = False
            out.illegal = LEGAL
            out.skipped = 0
            out.skipped_reward = 0.0
            # 2. The learner's move, or the next episode.
            if settings[BEGIN] or status.finished:
                start(row, status, tally, root, settings, equity, n, i)
            elif act(row, status, tally, actions[i], settings, worst, codes, cards, out):
                close(status, tally, settings, rewards, i, out)
                if not settings[NEXT_STEP]:
                    start(row, status, tally, root, settings, equity, n, i)
            # 3. The others, the solver and the dealer, up to the learner's next decision.
            while not status.finished:
                if table.actor < 0:
                    if not hand_is_last(row, status, tally, root, settings, equity, out):
                        continue
                    close(status, tally, settings, rewards, i, out)
                    if status.finished and settings[NEXT_STEP]:
                        break
                    start(row, status, tally, root, settings, equity, n, i)
                    continue
                seat = np.int64(table.actor)
                mine = row.mine[seat]
                learns = settings[ALL_SEATS] or seat == status.learner
                code = np.int64(-1)
                if learns:
                    if not full:
                        code = automatic(table, mine)
                    if code < 0:
                        break
                    move(row, np.int64(0), code, tally)
                else:
                    number = agent_in(seating_of(np.int64(status.learner), seats), seat)
                    place = status.lineup * (seats - 1) + number - 1
                    if not move(row, number, ask(agents, place, table, mine), tally):
                        out.illegal = OPPONENT_ILLEGAL
                        lose(table, status, settings, worst, seat, out)
                        close(status, tally, settings, rewards, i, out)
            # 4. What the learner sees.
            if not out.done:
                flush(status, settings, rewards, i)
            viewer = np.int64(status.learner)
            if not status.finished and settings[ALL_SEATS]:
                viewer = np.int64(table.actor)
            mine = row.mine[viewer]
            at, mask = np.int64(tensor[i].ctypes.data), np.int64(masks[i].ctypes.data)
            write_tensor(table, mine, seats, program, settings[CARDS_SIZE], settings[SIZE], at)
            if status.finished:
                out.actor = -1
                clear(mask, settings[N_ACTIONS])
            else:
                out.actor = table.actor
                write_mask(table, mine, full, settings[N_ACTIONS], lookup, scratch, mask)

    return advance


@cache
def resolver(name: str) -> Any:
    """Return the kernel ``resolved(views, code, card)`` of the game *name*: the rules' code for a choice."""
    spec = game(name)
    resolve = spec.module("tensors").TENSORS.resolve

    @kernel_of(
        types.int64(types.Array(from_dtype(spec.kernels.VIEW), 1, "C"), types.int64, types.int64),
        spec.module("tensors").__file__,
    )
    def resolved(views: Rows, code: int, card: int) -> Any:
        return np.int64(resolve(views[0].table, views[0].mine, code, card))

    return resolved
