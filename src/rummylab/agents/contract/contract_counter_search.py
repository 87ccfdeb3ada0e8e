"""Contract counter that plays the end of a stock at two seats move by move in possible worlds.

Source: ours. Policy: that of `contract-counter` until few cards are left in the stock; then the move that most clearly
wins more than its own, in all worlds or in a sample of them. Clearly: the mean of the differences less its standard
error counts. A world assigns the unseen cards to the opponent's hand and to the places of the stock; all assignments
are equally likely. In each world both players go on like `contract-greedy` until the round is over, and a move is worth
the points it wins there, with ten more for going out. If there are few enough assignments, each is played equally
often, with different reshuffles. Then the value is the exact expectation over the unseen cards, given that both go on
in this way; only the reshuffles are sampled. If there are more, worlds are drawn at random. A decision takes some
milliseconds at most: where rounds go on for long, fewer worlds are played.

The search compares the two draws, or all discards of naturals; laydowns and layoffs are those of `contract-counter`,
and so is any move that no other one beats. With more than two players it plays like `contract-counter`. Departures:
none. An agent of its own, so that a match without it does not compile it; measured in docs/agents/contract.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.agents.contract import contract_counter, greedy
from rummylab.agents.register import register_agent
from rummylab.cards.bits import bit, lowest, noinline
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import below, scramble
from rummylab.engine.rows import Params
from rummylab.engine.two_decks import MAX_CARDS, take_up
from rummylab.games.contract import rules as r
from rummylab.games.contract.distance import ROOM, Ints

Scores = npt.NDArray[np.float64]
SHORT = 4
"""Cards in the stock from which on the search plays."""
WORLDS = 160
"""Worlds in which each move is played out, at most."""
PATIENCE = 2000
"""Moves in these worlds after which no further one is played: a few milliseconds."""
STRIDE = 7919
"""A prime beyond any number of worlds: steps of this size go through all of them, and early through all places."""
DOUBT = 1.0
"""Standard errors by which a move must win more than that of `contract-counter`."""
BONUS = 10.0
"""Points that going out counts beyond the points won, as in the training of `contract-counter`."""
MAX_MOVES = 64


@helper
def list_unseen(table: np.void, mine: np.void, cards: Ints) -> int:
    """Write the cards that a seat has not seen to *cards*; return how many they are."""
    once, twice, jokers = r.unseen(table, mine)
    n = np.int64(0)
    for plane in (once, twice):
        left = plane
        while left:
            cards[n] = lowest(left)
            left &= left - 1
            n += 1
    cards[n : n + jokers] = JOKER_ID
    return n + jokers


@helper
def n_assignments(n: int, stock: int, most: int) -> int:
    """Return in how many ways *stock* places can be filled from *n* cards, or *most* + 1 if there are more."""
    number = np.int64(1)
    for taken in range(stock):
        number = min(number * (n - taken), most + 1)
    return number


@helper
def imagine(table: np.void, mine: np.void, cards: Ints, n: int, number: int, row: np.void) -> None:
    """Write to *row* the world *number*: who has which of the *n* unseen *cards*; a random world if it is negative.

    The digits of *number* say which of the cards left lies in each place of the stock; the opponent has the others. The
    rest of *number* makes reshuffles differ in worlds with the same assignment.
    """
    noinline()
    seat = np.int64(mine.seat)
    other = 1 - seat
    row.table = table
    row.mine[seat] = mine
    theirs = row.mine[other]
    theirs.hand, theirs.twice = table.known[other], table.known_twice[other]
    theirs.jokers = table.known_jokers[other]
    theirs.seat, theirs.drawn = other, -1
    left, stock = cards[:n].copy(), np.int64(table.stock)
    is_random = number < 0
    for place in range(stock):
        k = below(mine, n) if is_random else number % n
        number = number // n
        n -= 1
        row.deck[place] = left[k]
        left[k] = left[n]
    for k in range(n):
        take_up(theirs, left[k])
    if is_random:
        number = below(mine, np.int64(128))
    for place in range(stock, MAX_CARDS):  # the first reshuffle depends on the deck, a later one on the stream
        row.deck[place] = number
    row.rng = scramble(np.uint64(number))
    row.pos = 0


@helper
def payoff(row: np.void, seat: int, room: Ints) -> tuple[float, int]:
    """Play a world to its end; return the points that *seat* wins, with the bonus, and the number of moves."""
    table = row.table
    n_moves = 0
    while table.actor >= 0:
        r.step(row, greedy.choose(table, row.mine[table.actor], room))
        n_moves += 1
    if table.winner < 0:
        return 0.0, n_moves
    points = float(table.paid[1 - seat] - table.paid[seat])
    return points + BONUS if table.winner == seat else points - BONUS, n_moves


@helper
def score_moves(
    table: np.void, mine: np.void, codes: Ints, n_codes: int, most: int, patience: int, scores: Scores, errors: Scores
) -> None:
    """Write to *scores* what each of the *n_codes* moves *codes* wins on average.

    *errors* are the standard errors of the differences from the first move. At most *most* worlds are played, and no
    further one after *patience* moves in all of them together.
    """
    noinline()
    cards, room, rows = np.empty(MAX_CARDS, np.int64), np.empty(ROOM, np.int64), np.empty(2, r.RECORD)
    n = list_unseen(table, mine, cards)
    assignments = n_assignments(n, np.int64(table.stock), most)
    is_exact = assignments <= most
    worlds = most // assignments * assignments if is_exact else most
    scores[:n_codes] = 0.0
    errors[:n_codes] = 0.0
    first = 0.0
    played = n_moves = np.int64(0)
    while played < worlds and n_moves < patience:
        number = played * STRIDE % worlds if is_exact else np.int64(-1)
        imagine(table, mine, cards, n, number, rows[0])
        for k in range(n_codes):
            rows[1] = rows[0]
            r.step(rows[1], codes[k])
            points, length = payoff(rows[1], np.int64(mine.seat), room)
            first = points if k == 0 else first
            scores[k] += points
            errors[k] += (points - first) ** 2
            n_moves += length
        played += 1
    for k in range(n_codes):
        scores[k] /= played
        errors[k] = np.sqrt(max(errors[k] / played - (scores[k] - scores[0]) ** 2, 0.0) / max(played - 1, 1))


@helper
def write_moves(table: np.void, mine: np.void, code: int, codes: Ints) -> int:
    """Write *code* and the moves that compete with it to *codes*; return how many they are."""
    codes[0] = code
    n = np.int64(1)
    if table.phase == r.DRAW:
        if table.up >= 0 and r.can_draw_stock(table):
            codes[n] = r.DRAW_STOCK if code == r.DRAW_PILE else r.DRAW_PILE
            n += 1
    elif table.phase == r.PLAY and r.DISCARD_CODE <= code < r.LAY_OFF_CODE and table.n_hand[mine.seat] > 1:
        left = r.discards(table, mine) & ~table.rules.wild_kinds & ~bit(code - r.DISCARD_CODE)
        while left:
            codes[n] = r.DISCARD_CODE + lowest(left)
            left &= left - 1
            n += 1
    return n


@helper
def improve(table: np.void, mine: np.void, code: int, stock: int, worlds: int, patience: int, doubt: float) -> int:
    """Return *code* or, with at most *stock* cards in the stock of two players, the move that clearly wins the most."""
    if table.rules.seats > 2 or table.stock > stock:
        return code
    codes, scores, errors = np.empty(MAX_MOVES, np.int64), np.empty(MAX_MOVES), np.empty(MAX_MOVES)
    n = write_moves(table, mine, code, codes)
    if n == 1:
        return code
    score_moves(table, mine, codes, n, worlds, patience, scores, errors)
    best, most = 0, 0.0
    for k in range(1, n):
        gain = scores[k] - scores[0] - doubt * errors[k]
        if gain > most:
            best, most = k, gain
    return codes[best]


@register_agent(
    game="contract",
    name="contract-counter-search",
    summary="Contract counter that plays out the possible worlds at the end of the stock",
    source="ours: contract-counter and a search",
    options=contract_counter.ContractCounterOptions,
    weights=lambda _: contract_counter.trained(),
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make the move of `contract-counter`, or at the end of the stock the one that wins most."""
    code = np.int64(contract_counter.choose(table, mine, params))
    return improve(table, mine, code, np.int64(SHORT), np.int64(WORLDS), np.int64(PATIENCE), DOUBT)
