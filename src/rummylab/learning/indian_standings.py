"""When a first drop pays in a pool with one opponent left, by the points that both players may still lose.

`note_openings` plays deals in which nobody drops. It notes what each player expects before the first draw, and who won
how much. `drop_table` then plays pools backward from their end: at every standing each player drops all hands worth
less than some value, and the value that wins most pools is the one in the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.agents.indian.champion import N_STEPS, STEP, USUAL_DROP, draw_values
from rummylab.cards.rng import AGENT, DECK, mix
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.pointers import addresses, agent_caller
from rummylab.engine.rows import Floats, Params
from rummylab.games.indian.rules import ACT, DRAW, Rows, open_hand, open_match, shuffle_deck, step
from rummylab.games.indian.view import indian

RULES = "platform(format=pool-101)"
OWN, THEIRS, WON, IS_FIRST, N_NOTES = range(5)
"""Notes of a deal for one of the players: what each expected before the first draw, the points won, who moved first."""
NEVER = -1000.0
"""A value that no hand is below."""
MOST_WON = 80
ANSWERS = 3
"""How often the two players of a standing answer each other."""

Chances = npt.NDArray[np.float64]
ask = agent_caller(ACT)


@kernel
def note_openings(rows: Rows, seed: int, players: Any, params: Params, out: Floats) -> None:
    """Play deals of player 0, whose numbers are *params*, against itself: two lines of *out* for each."""
    row = rows[0]
    table = row.table
    for deal in range(len(out) // 2):
        open_match(row, 0)
        for player in range(2):
            row.mine[player].rng = mix(seed, deal, 0, AGENT + player)
        shuffle_deck(row, mix(seed, deal, 0, DECK))
        open_hand(row)
        while table.actor >= 0:
            seat = np.int64(table.actor)
            if table.phase == DRAW and table.draws[seat] == 0:
                take, stock = draw_values(table, row.mine[seat], params)
                out[2 * deal + seat, OWN] = out[2 * deal + 1 - seat, THEIRS] = max(take, stock)
            step(row, ask(players, 0, table, row.mine[seat]))
        for player in range(2):
            out[2 * deal + player, WON] = table.gains[player]
            out[2 * deal + player, IS_FIRST] = player == 0


class Standing:
    """A player's view of a standing: what both may still lose, in steps, and the chances to win after each result."""

    def __init__(self, chances: Chances, ours: int, theirs: int) -> None:
        self.after = np.array([_chance(chances, ours, theirs, won) for won in range(-MOST_WON, MOST_WON + 1)])
        self.cut = NEVER

    def stay(self, notes: Floats, their_cut: float) -> Chances:
        """Return the chance to win after each deal if the player stays and the opponent drops below *their_cut*."""
        won = np.where(notes[:, THEIRS] < their_cut, USUAL_DROP, notes[:, WON]).astype(np.int64)
        return np.asarray(self.after[won + MOST_WON])

    def answer(self, notes: Floats, their_cut: float) -> float:
        """Choose the best value to drop below, *notes* being sorted by value; return the chance to win with it."""
        stay, dropped = self.stay(notes, their_cut), self.after[MOST_WON - USUAL_DROP]
        decides = (notes[:, IS_FIRST] > 0) | (notes[:, THEIRS] >= their_cut)  # or the opponent has dropped before
        lead = np.cumsum(np.where(decides, dropped - stay, 0.0))
        best = int(lead.argmax())
        self.cut = float(notes[best, OWN]) if lead[best] > 0 else NEVER
        return float(stay.mean() + max(lead[best], 0.0) / len(notes))


def _chance(chances: Chances, ours: int, theirs: int, won: int) -> float:
    """Return the chance to win the pool after a deal that brought *won* points; who has no step left is out."""
    lost = max(1, (abs(won) + STEP // 2) // STEP)
    if won < 0:
        return float(chances[ours - lost, theirs]) if ours > lost else 0.0
    return float(chances[ours, theirs - lost]) if theirs > lost else 1.0


def solve(notes: Floats) -> tuple[Chances, Floats]:
    """Return the chances to win and the values to drop below, by the steps that the player and the opponent have left.

    *notes* are those of `note_openings`, without deals that nobody won.
    """
    notes = notes[np.argsort(notes[:, OWN])]
    chances, cuts = np.full((2, N_STEPS + 1, N_STEPS + 1), 0.5)
    for total in range(2, 2 * N_STEPS + 1):
        for ours in range(max(1, total - N_STEPS), total // 2 + 1):
            theirs = total - ours
            one, other = Standing(chances, ours, theirs), Standing(chances, theirs, ours)
            for _ in range(ANSWERS):
                other.answer(notes, one.cut)
                won = one.answer(notes, other.cut)
            if ours != theirs:
                chances[ours, theirs], chances[theirs, ours] = won, 1 - won
            cuts[ours, theirs], cuts[theirs, ours] = one.cut, other.cut
    return chances[1:, 1:], cuts[1:, 1:].astype(np.float32)


def drop_table(player: CompiledAgent, seed: int, deals: int) -> Floats:
    """Return the values below which a first drop pays for *player*, which does not drop by itself."""
    notes = np.zeros((2 * deals, N_NOTES), np.float32)
    players = addresses([player.kernel], [player.params], ACT)
    note_openings(indian(RULES).new_rows(1), seed, players, player.params, notes)
    return solve(notes[notes[:, WON] != 0])[1]
