"""How many draws hands of Indian Rummy take until declaration, in self-play of `mindist-outs`.

A *hand* is a player's position at the first turn of a deal at which its MinDist is d, before the draw. Its *draws* are
the player's own draws from then on, from stock or pile, until the player declares. In half of all deals the opponent
declares first. Dropping those deals, or counting them as far as they went, would favor short waits. So the deal goes
on: a new opponent takes the seat, with thirteen cards from what the player has not seen, and plays like the first one.
The tables also show what self-play alone says: the Kaplan-Meier mean, in which the opponent's declaration censors a
wait, and the mean over the deals that the player won.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from rummylab._jit import helper, kernel_of
from rummylab.agents.registry import agent
from rummylab.arena.markdown import table
from rummylab.cards.bits import bit, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import AGENT, DECK, Root, root_of, shuffle_first, stream
from rummylab.games.indian import rules as r
from rummylab.games.indian.expected_turns import expected_turns
from rummylab.games.indian.mindist import live_outs, min_dist
from rummylab.games.indian.target import TARGET_SIZE, min_dist_live, outs_live
from rummylab.games.indian.view import indian
from rummylab.learning.signatures import INT, PARAMS, rows_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

DISTANCES = (1, 2, 3, 4, 5)
HAND = np.dtype(
    [
        ("distance", "i8"),
        ("outs", "i8"),  # live cards that bring the hand nearer
        ("live", "i8"),  # cards the player has not seen
        ("draws", "i8"),  # until the player declares
        ("cut", "i8"),  # draws when the first opponent declared; -1 if the player was first
    ]
)
_AT_RISK = 100  # a Kaplan-Meier curve ends where fewer hands are left
_NEAREST, _FURTHEST = min(DISTANCES), max(DISTANCES)


# --- Self-play ----------------------------------------------------------------------------------------------------


@helper
def _seat_new_opponent(row: np.void, seat: int) -> None:
    """Deal *seat* thirteen cards from its hand and the stock, and clear what is known of them."""
    table, mine, stock = row.table, row.mine[seat], row.table.stock
    # 1. The stock, then the hand, shuffled together.
    for i in range(stock):
        row.deck[i] = row.deck[row.pos + i]
    n = stock
    for card in range(JOKER_ID):
        copies = np.int64(mine.hand >> card & 1) + np.int64(mine.twice >> card & 1)
        for _ in range(copies):
            row.deck[n] = card
            n += 1
    for _ in range(mine.jokers):
        row.deck[n] = JOKER_ID
        n += 1
    shuffle_first(row, n)
    # 2. Thirteen of them make the new hand.
    mine.hand, mine.twice, mine.jokers = 0, 0, 0
    for i in range(r.CARDS_EACH):
        if row.deck[i] == JOKER_ID:
            mine.jokers += 1
        else:
            mine.twice |= mine.hand & bit(row.deck[i])
            mine.hand |= bit(row.deck[i])
    row.pos = r.CARDS_EACH
    # 3. A new player: no memory, nothing known.
    for i in range(mine.memory.shape[0]):
        mine.memory[i] = 0
    table.known[seat], table.known_twice[seat], table.known_jokers[seat] = 0, 0, 0
    table.picked[seat], table.refused[seat], table.thrown[seat] = 0, 0, 0
    table.draws[seat] = 0


@helper
def _note(table: np.void, mine: np.void, distance: int, scratch: Ints, hand: np.void) -> None:
    """Write what the player can know about their hand."""
    wild = np.int64(table.wild)
    once, twice, jokers = r.unseen(table, mine)
    near = min_dist_live(mine.hand, mine.twice, mine.jokers, wild, once, twice, jokers, scratch)
    found = outs_live(mine.hand, mine.twice, mine.jokers, wild, near, once, twice, jokers, scratch)
    hand.distance = distance
    hand.outs = live_outs(found, once, twice, jokers)
    hand.live = popcount(once) + popcount(twice) + jokers
    hand.cut = -1


@kernel_of(
    INT(
        *(rows_of(r.RECORD), types.UniTuple(types.uint64, 2), INT, types.int64[::1]),  # type: ignore[no-untyped-call]
        *(r.ACT_POINTER, PARAMS, rows_of(HAND)),
    )
)
def play_deal(rows: r.Rows, root: Root, deal: int, wanted: Ints, act: Any, params: Any, hands: r.Rows) -> int:
    """Play deal number *deal* until the player declares; return the number of their hands that were noted.

    ``wanted[d]`` is positive for the distances to note. A deal that starts nearer than all of them is not played.
    """
    row = rows[0]
    table = row.table
    r.open_match(row, deal & 1)
    player = np.int64(deal >> 1 & 1)
    for seat in range(2):
        row.mine[seat].rng = stream(root, deal, np.int64(0), np.int64(AGENT + seat))
    r.shuffle_deck(row, stream(root, deal, np.int64(0), np.int64(DECK)))
    r.open_hand(row)
    mine = row.mine[player]
    asked = np.zeros(_FURTHEST + 1, np.int64)
    nearest = min_dist(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
    left = 0
    for d in range(_NEAREST, _FURTHEST + 1):
        asked[d] = wanted[d] > 0 and d <= nearest
        left += asked[d]
    if left == 0:
        return 0
    scratch = np.zeros(TARGET_SIZE, np.int64)
    before = np.zeros(_FURTHEST + 1, np.int64)
    n, draws, cut = 0, 0, -1
    while table.actor >= 0:
        seat = np.int64(table.actor)
        if seat == player and table.phase == r.DRAW:
            distance = min_dist(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
            if cut < 0 and 0 < distance <= _FURTHEST and asked[distance]:
                asked[distance] = 0
                _note(table, mine, distance, scratch, hands[n])
                before[n] = draws
                n += 1
            draws += 1
        code = act(table, row.mine[seat], params)
        if seat != player and code >= r.DECLARE_CODE:
            r.step(row, code - r.DECLARE_CODE + r.DISCARD_CODE)
            _seat_new_opponent(row, seat)
            cut = draws if cut < 0 else cut
        else:
            r.step(row, code)
    for i in range(n):
        hands[i].draws = draws - before[i]
        hands[i].cut = -1 if cut < 0 else cut - before[i]
    return n


class Collection:
    """Hands collected deal by deal: the same ones, however the work is cut."""

    def __init__(self, n: int, seed: int) -> None:
        self.seed, self.deal, self.at = seed, 0, 0
        self.hands = np.zeros(n * len(DISTANCES), HAND)
        """Room for *n* hands at each of `DISTANCES`; a deal gives at most one at each."""
        self.wanted: Ints = np.array([n if d in DISTANCES else 0 for d in range(_FURTHEST + 1)], np.int64)

    def grow(self, to: int) -> None:
        """Play deals until at least *to* hands are there, or all."""
        player, rows = agent("indian", "mindist-outs"), indian("paper").new_rows(1)
        noted = np.zeros(len(DISTANCES), HAND)
        while self.at < min(to, len(self.hands)):
            n = play_deal(rows, root_of(self.seed), self.deal, self.wanted, player.kernel, player.params, noted)
            for hand in noted[:n]:
                self.hands[self.at] = hand
                self.wanted[hand["distance"]] -= 1
                self.at += 1
            self.deal += 1


def hands_of_self_play(n: int, seed: int) -> npt.NDArray[np.void]:
    """Return *n* hands at each of `DISTANCES`."""
    found = Collection(n, seed)
    found.grow(len(found.hands))
    return found.hands


# --- Measures -----------------------------------------------------------------------------------------------------


def kaplan_meier_mean(draws: Ints, cut: Ints) -> float:
    """Return the Kaplan-Meier mean of the draws, with waits censored when the opponent declared.

    Where fewer than `_AT_RISK` hands are left, the mean of the last four hazards is taken to hold forever.
    """
    ended = cut < 0
    seen = np.where(ended, draws, cut)
    alive, mean, chances = 1.0, 0.0, [0.0]
    for k in range(1, int(seen.max()) + 1):
        at_risk = int((seen >= k).sum())
        if at_risk < _AT_RISK:
            break
        mean += alive
        chances.append(float((ended & (draws == k)).sum()) / at_risk)
        alive *= 1 - chances[-1]
    return mean + alive / max(float(np.mean(chances[-4:])), 1e-9)


@dataclass(frozen=True, slots=True)
class Line:
    """Hands of one distance: the draws they took, and what the formula expects."""

    label: str
    n: int
    draws: float
    error: float
    """Half of a 95% interval of the mean."""
    formula: float
    kaplan_meier: float
    winner: float
    """Mean over the deals that the player won."""

    @classmethod
    def of(cls, label: str, hands: npt.NDArray[np.void]) -> Line:
        draws, cut = hands["draws"], hands["cut"]
        told = [expected_turns(*map(int, hand)) for hand in hands[["distance", "outs", "live"]].tolist()]
        return cls(
            label,
            len(hands),
            float(draws.mean()),
            float(1.96 * draws.std() / np.sqrt(len(hands))),
            float(np.mean(told)),
            kaplan_meier_mean(draws, cut),
            float(draws[cut < 0].mean()),
        )

    @property
    def off(self) -> float:
        """The error of the formula, as a share of the draws."""
        return self.formula / self.draws - 1


OUTS = ((0, 4), (5, 6), (7, 9), (10, 13), (14, 18), (19, 25), (26, 60))
"""Ranges of outs in the second table."""


def lines(hands: npt.NDArray[np.void]) -> list[Line]:
    """Return one line for each distance."""
    return [Line.of(str(d), hands[hands["distance"] == d]) for d in DISTANCES]


def lines_by_outs(hands: npt.NDArray[np.void], least: int = 200) -> list[Line]:
    """Return one line for each distance and range of outs with *least* or more hands."""
    found = []
    for d in DISTANCES:
        for low, high in OUTS:
            some = hands[(hands["distance"] == d) & (hands["outs"] >= low) & (hands["outs"] <= high)]
            if len(some) >= least:
                found.append(Line.of(f"{d}, {low}-{high} outs", some))
    return found


def tables(hands: npt.NDArray[np.void]) -> str:
    """Return the two tables, by distance and by distance and outs, as Markdown."""
    short = ("MinDist", "hands", "draws", "formula", "error")
    rows = [(*_cells(line), f"{line.kaplan_meier:.2f}", f"{line.winner:.2f}") for line in lines(hands)]
    by_outs = table(short, [_cells(line) for line in lines_by_outs(hands)])
    return f"{table((*short, 'Kaplan-Meier', 'deals won'), rows)}\n{by_outs}"


def _cells(line: Line) -> Sequence[str]:
    draws = f"{line.draws:.2f} ± {line.error:.2f}"
    return line.label, f"{line.n:,}", draws, f"{line.formula:.2f}", f"{round(100 * line.off):+d}%"
