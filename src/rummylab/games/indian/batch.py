"""Whole matches of Indian Rummy in one kernel call, in every format and for two to six seats."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.engine.batch import BatchDriver
from rummylab.engine.matches import MatchRules
from rummylab.games.indian import rules
from rummylab.games.indian.rules import LIMIT, MAX_SEATS, OUTCOMES, PHASES, pot_share

__all__ = ["DRIVER", "OUTCOMES", "PHASES", "play_pairs", "play_seatings", "tally_for"]


@helper
def count_deal(table: np.void, tally: np.void) -> None:
    """Count the rounds begun and the reshuffles."""
    tally.rounds += table.round + (table.outcome != LIMIT)
    tally.reshuffles += table.reshuffles


@helper
def note_standing(table: np.void, seat: int, tally: np.void, number: int) -> None:
    """Note the points that a seat won or lost in the match, its place and its share of the pot."""
    tally.gains[number] = table.chips[seat] - table.rules.start_chips
    tally.places[number] = table.place[seat]
    tally.shares[number] = pot_share(table, seat)
    tally.rejoins[number] = table.rejoins[seat]


@helper
def only_winner(table: np.void, seats: int, hands: int) -> int:
    """Return the seat with the first place, or -1 if nobody has it alone."""
    winner, n = np.int64(-1), 0
    for seat in range(seats):
        if table.place[seat] == 1:
            winner = np.int64(seat)
            n += 1
    return winner if n == 1 else np.int64(-1)


BY_AGENT = ("gains", "places", "shares", "rejoins")
DRIVER = BatchDriver(
    __file__, MatchRules(rules, MAX_SEATS, BY_AGENT, ("rounds", "reshuffles"), count_deal, note_standing, only_winner)
)
play_pairs, play_seatings, tally_for = DRIVER.play_pairs, DRIVER.play_seatings, DRIVER.tally_for
