"""Do the values of moves come true? Predicted points beside what real hands brought.

Self-play of the agent that plays the worlds out gives positions in mid-hand. The value of the move that the agent makes
is predicted from what it sees; the real hand is then played to its end. If the worlds are right, both agree on average.

    python -m rummylab.analysis.calibration GAME [POSITIONS [WORLDS]]

Where an agent values the moves itself, its estimates are compared with the means of its own play-outs instead:

    python -m rummylab.analysis.calibration estimates gin [POSITIONS [WORLDS]]
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
from rummylab.errors import OptionError
from rummylab.learning.card_evidence import positions

Floats = npt.NDArray[np.float64]
COMPARED = 4
"""Best moves of a position whose estimates are compared with play-outs."""


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


def estimate_errors(rules: Rules, n: int, worlds: int, seed: int = 0) -> tuple[float, float]:
    """Return the root mean square errors of estimated points, and of the differences from the best move.

    The truth is the mean of play-outs by the agent of the estimates, in about *n* positions of its self-play. The
    sampling error of that mean is taken out.

    Raises:
        OptionError: No agent of this game estimates the values of moves.
    """
    own = explainer_of(rules.name)
    first = rules.new_rows(1)
    rules.deal(first, [rules.shuffled(0)], [0])
    seat = Seat(rules.actor(first))
    opening = own.estimates(rules.observation(seat, rules.observe(first, seat), ()))
    if opening is None:
        raise OptionError(f"no agent values the moves of {rules.name} by itself under these rules")
    squares: list[float] = []
    behind: list[float] = []
    rows = positions(rules, opening.agent, n, seed)
    for k in range(len(rows)):
        seat = Seat(rules.actor(rows[k : k + 1]))
        seen = rules.observation(seat, rules.observe(copy_of(rows[k : k + 1]), seat), ())
        found = own.estimates(seen)
        if found is None or len(found.moves) < 2:
            continue
        moves = found.moves[:COMPARED]
        trial = try_moves(seen, [one.code for one in moves], player=found.agent, worlds=worlds, seed=k)
        points, results = np.array([one.points for one in moves]), trial.own()
        squares += _errors(points, results).tolist()
        behind += _errors(points - points[0], results - results[:, :1])[1:].tolist()
    error, behind_error = (max(0.0, float(np.mean(one))) ** 0.5 for one in (squares, behind))
    return error, behind_error


def _errors(predicted: Floats, results: Floats) -> Floats:
    """Return squared errors against the means of *results*, ``[world, move]``, less the sampling error of the means."""
    sampling = results.var(axis=0, ddof=1) / len(results)
    return np.asarray((predicted - results.mean(axis=0)) ** 2 - sampling)


def main(arguments: list[str]) -> None:
    """Print the groups of a game as a table, or the errors of estimates."""
    from rummylab.games.registry import game

    if arguments[0] == "estimates":
        _, name, *numbers = arguments
        n, worlds = (*map(int, numbers), *(120, 400)[len(numbers) :])
        error, behind = estimate_errors(game(name).rules(), n, worlds)
        sys.stdout.write(f"error of points {error:.2f}, of differences {behind:.2f}; {n} positions, {worlds} worlds\n")
        return
    name, *numbers = arguments
    n, worlds = (*map(int, numbers), *(400, 60)[len(numbers) :])
    found = calibrate(game(name).rules(), n, worlds)
    sys.stdout.write("| positions | predicted | realized |\n|---|---|---|\n")
    for size, predicted, real, error in found.groups():
        sys.stdout.write(f"| {size} | {predicted:+.1f} | {real:+.1f} ± {1.96 * error:.1f} |\n")
    sys.stdout.write(f"slope {found.slope:.2f}, {len(found.predicted)} positions, {worlds} worlds each\n")


if __name__ == "__main__":
    main(sys.argv[1:])
