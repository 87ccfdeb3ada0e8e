"""Do the values of moves come true? Predicted points beside what real hands brought.

Self-play of the agent that plays the worlds out gives positions in mid-hand. The value of the move that the agent makes
is predicted from what it sees; the real hand is then played to its end. If the worlds are right, both agree on average.

    python -m rummylab.analysis.calibration GAME [POSITIONS [WORLDS]]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rummylab.agents.move import move
from rummylab.analysis.trials import explainer_of, payoffs_of, playouts_by, try_moves
from rummylab.engine.rows import copy_of
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.learning.card_evidence import positions

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """Predicted and realized points of the player to act, position by position."""

    predicted: Floats
    realized: Floats

    def groups(self, n: int = 5) -> list[tuple[int, float, float, float]]:
        """Return size, mean prediction, mean result and its standard error of *n* groups by prediction."""
        order = np.argsort(self.predicted, kind="stable")
        found = []
        for part in np.array_split(order, n):
            real = self.realized[part]
            error = float(real.std(ddof=1) / np.sqrt(len(part)))
            found.append((len(part), float(self.predicted[part].mean()), float(real.mean()), error))
        return found

    @property
    def slope(self) -> float:
        """Points that come true for each point predicted: 1 if the values are neither too bold nor too timid."""
        return float(np.polyfit(self.predicted, self.realized, 1)[0])


def calibrate(rules: Rules, n: int, worlds: int, seed: int = 0) -> Calibration:
    """Return predictions and results of about *n* positions, each judged in so many *worlds*."""
    own = explainer_of(rules.name)
    first = rules.new_rows(1)
    rules.deal(first, [rules.shuffled(0)], [0])
    name = own.player(rules.observation(Seat(0), rules.observe(first, Seat(0)), ()))
    predicted, realized = [], []
    rows = positions(rules, name, n, seed)
    for k in range(len(rows)):
        row = copy_of(rows[k : k + 1])
        seat = Seat(rules.actor(row))
        seen = rules.observation(seat, rules.observe(row, seat), ())
        code = rules.encode(move(seen, name, seed=k))
        trial = try_moves(seen, [code], player=name, worlds=worlds, seed=k)
        rules.step(row, code)
        row["mine"]["memory"] = 0
        playouts_by(rules, name).advance(row)
        predicted.append(float(trial.own().mean()))
        realized.append(float(payoffs_of(rules, row)[0, seat]))
    return Calibration(np.array(predicted), np.array(realized))


def main(arguments: list[str]) -> None:
    """Print the groups of a game as a table."""
    from rummylab.games.registry import game

    name, *numbers = arguments
    n, worlds = (*map(int, numbers), *(400, 60)[len(numbers) :])
    found = calibrate(game(name).rules(), n, worlds)
    sys.stdout.write("| positions | predicted | realized |\n|---|---|---|\n")
    for size, predicted, real, error in found.groups():
        sys.stdout.write(f"| {size} | {predicted:+.1f} | {real:+.1f} ± {1.96 * error:.1f} |\n")
    sys.stdout.write(f"slope {found.slope:.2f}, {len(found.predicted)} positions, {worlds} worlds each\n")


if __name__ == "__main__":
    main(sys.argv[1:])
