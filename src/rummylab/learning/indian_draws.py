"""Draws to declaration in self-play of `mindist-outs`, and the formula of `expected_turns` fitted to them.

    python -m rummylab.learning.indian_draws --hands 10000 --seed 7
    python -m rummylab.learning.indian_draws --hands 40000 --seed 1 --fit

The first command prints the table of docs/concepts/mindist.md, the second the numbers of the formula.

A *hand* is a player's position at the first turn of a deal at which its MinDist is d, before the draw. Its *draws* are
the player's own draws from then on, from stock or pile, until the player declares. In half of all deals the opponent
declares first. To count those deals only as far as they went, or not at all, would favor short waits. So the deal goes
on: a new opponent takes the seat, with thirteen cards from what the player has not seen, and plays as the first one
did. The table also gives what self-play alone says: the Kaplan-Meier mean, in which the opponent's declaration cuts a
wait short, and the mean over the deals that the player won.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import helper, kernel_of
from rummylab.agents.registry import agent
from rummylab.cards.bits import bit, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import AGENT, DECK, Root, root_of, shuffle_first, stream
from rummylab.errors import OptionError
from rummylab.games.indian.expected_turns import expected_turns
from rummylab.games.indian.game import indian
from rummylab.games.indian.mindist import live_outs, min_dist
from rummylab.games.indian.rules import (
    ACT_POINTER,
    CARDS_EACH,
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    RECORD,
    Rows,
    open_hand,
    shuffle_deck,
    step,
    unseen,
)
from rummylab.games.indian.target import TARGET_SIZE, min_dist_live, outs_live

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
    """Deal *seat* thirteen cards from its own and the stock, and forget what was known of it."""
    table, mine, stock = row.table, row.mine[seat], row.table.stock
    # 1. The stock from 0 on, then the hand; shuffled.
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
    # 2. Thirteen of them.
    mine.hand, mine.twice, mine.jokers = 0, 0, 0
    for i in range(CARDS_EACH):
        if row.deck[i] == JOKER_ID:
            mine.jokers += 1
        else:
            mine.twice |= mine.hand & bit(row.deck[i])
            mine.hand |= bit(row.deck[i])
    row.pos = CARDS_EACH
    # 3. A stranger: no notes, nothing known.
    for i in range(mine.memory.shape[0]):
        mine.memory[i] = 0
    table.known[seat], table.known_twice[seat], table.known_jokers[seat] = 0, 0, 0
    table.picked[seat], table.refused[seat], table.thrown[seat] = 0, 0, 0
    table.draws[seat] = 0


@helper
def _note(table: np.void, mine: np.void, distance: int, scratch: Ints, hand: np.void) -> None:
    """Write what a player could ask about its hand."""
    wild = np.int64(table.wild)
    once, twice, jokers = unseen(table, mine)
    near = min_dist_live(mine.hand, mine.twice, mine.jokers, wild, once, twice, jokers, scratch)
    found = outs_live(mine.hand, mine.twice, mine.jokers, wild, near, once, twice, jokers, scratch)
    hand.distance = distance
    hand.outs = live_outs(found, once, twice, jokers)
    hand.live = popcount(once) + popcount(twice) + jokers
    hand.cut = -1


@kernel_of(
    types.int64(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.UniTuple(types.uint64, 2),  # type: ignore[no-untyped-call]
        types.int64,
        types.int64[::1],
        ACT_POINTER,
        types.float32[::1],
        types.Array(from_dtype(HAND), 1, "C"),
    )
)
def play_deal(rows: Rows, root: Root, deal: int, wanted: Ints, act: Any, par: Any, hands: Rows) -> int:
    """Play deal number *deal* until one player declares; return how many of that player's hands were noted.

    wanted[d] is positive for the distances asked for. A deal that starts nearer than all of them is not played.
    """
    row = rows[0]
    table = row.table
    table.starter = deal & 1
    player = np.int64(deal >> 1 & 1)
    for seat in range(2):
        row.mine[seat].rng = stream(root, deal, np.int64(0), np.int64(AGENT + seat))
    shuffle_deck(row, stream(root, deal, np.int64(0), np.int64(DECK)))
    open_hand(row)
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
        if seat == player and table.phase == DRAW:
            distance = min_dist(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))
            if cut < 0 and 0 < distance <= _FURTHEST and asked[distance]:
                asked[distance] = 0
                _note(table, mine, distance, scratch, hands[n])
                before[n] = draws
                n += 1
            draws += 1
        code = act(table, row.mine[seat], par)
        if seat != player and code >= DECLARE_CODE:
            step(row, code - DECLARE_CODE + DISCARD_CODE)
            _seat_new_opponent(row, seat)
            cut = draws if cut < 0 else cut
        else:
            step(row, code)
    for i in range(n):
        hands[i].draws = draws - before[i]
        hands[i].cut = -1 if cut < 0 else cut - before[i]
    return n


def hands_of_self_play(n: int, seed: int) -> npt.NDArray[np.void]:
    """Return *n* hands at each of `DISTANCES`, a deal giving at most one at each."""
    player, rows = agent("indian", "mindist-outs"), indian("paper").new_rows(1)
    found, noted = np.zeros(n * len(DISTANCES), HAND), np.zeros(len(DISTANCES), HAND)
    wanted = np.array([n if d in DISTANCES else 0 for d in range(_FURTHEST + 1)], np.int64)
    at, deal = 0, 0
    while at < len(found):
        for hand in noted[: play_deal(rows, root_of(seed), deal, wanted, player.pointer, player.par, noted)]:
            found[at] = hand
            wanted[hand["distance"]] -= 1
            at += 1
        deal += 1
    return found


# --- What they say ------------------------------------------------------------------------------------------------


def kaplan_meier_mean(draws: Ints, cut: Ints) -> float:
    """Return the mean draws if the opponent's declaration only cuts a wait short, as in self-play.

    Where fewer than `_AT_RISK` hands are left the last four chances of a declaration are taken to go on for ever.
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
    """Hands of one distance: how long they waited, and what the formula says."""

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
        """How far the formula is off, as a share of the draws."""
        return self.formula / self.draws - 1


OUTS = ((0, 4), (5, 6), (7, 9), (10, 13), (14, 18), (19, 25), (26, 60))
"""The ranges of outs in the second table."""


def lines(hands: npt.NDArray[np.void]) -> list[Line]:
    """Return one line a distance."""
    return [Line.of(str(d), hands[hands["distance"] == d]) for d in DISTANCES]


def lines_by_outs(hands: npt.NDArray[np.void], least: int = 200) -> list[Line]:
    """Return one line for each distance and range of outs with at least so many hands."""
    found = []
    for d in DISTANCES:
        for low, high in OUTS:
            some = hands[(hands["distance"] == d) & (hands["outs"] >= low) & (hands["outs"] <= high)]
            if len(some) >= least:
                found.append(Line.of(f"{d}, {low}-{high} outs", some))
    return found


def table(found: Sequence[Line], *, with_self_play: bool = True) -> str:
    """Return lines as a Markdown table."""
    head = ["MinDist", "hands", "draws", "formula", "off"]
    head += ["Kaplan-Meier", "deals won"] * with_self_play
    rows = [head, ["---"] * len(head)]
    for line in found:
        row = [
            line.label,
            f"{line.n:,}",
            f"{line.draws:.2f} ± {line.error:.2f}",
            f"{line.formula:.2f}",
            f"{round(100 * line.off):+d}%",
        ]
        rows.append(row + [f"{line.kaplan_meier:.2f}", f"{line.winner:.2f}"] * with_self_play)
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


# --- The formula --------------------------------------------------------------------------------------------------


def fit(hands: npt.NDArray[np.void]) -> tuple[list[float], list[float]]:
    """Return `AFTER` and `WAIT`, from distance 1 on, by least squares."""
    after, wait = [], []
    for d in DISTANCES:
        some = hands[hands["distance"] == d]
        wait_d, after_d = np.polyfit(np.log((some["live"] + 1) / (some["outs"] + 1)), some["draws"], 1)
        after.append(float(after_d))
        wait.append(float(wait_d))
    return after, wait


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure draws to declaration in self-play of mindist-outs.")
    parser.add_argument("--hands", type=int, default=10_000, help="hands at each distance")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fit", action="store_true", help="fit the numbers of the formula instead")
    asked = parser.parse_args(arguments)
    if asked.hands < 100:
        raise OptionError(f"--hands is {asked.hands}, but a mean needs a hundred or more")
    hands = hands_of_self_play(asked.hands, asked.seed)
    if asked.fit:
        after, wait = fit(hands)
        for name, numbers in (("AFTER", after), ("WAIT", wait)):
            sys.stdout.write(f"{name}: {', '.join(f'{x:.2f}' for x in numbers)}\n")
        return
    sys.stdout.write(f"{table(lines(hands))}\n{table(lines_by_outs(hands), with_self_play=False)}")


if __name__ == "__main__":
    main()
