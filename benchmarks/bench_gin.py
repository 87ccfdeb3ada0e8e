"""Speed of Gin Rummy beside a C++ reference and OpenSpiel, in one run on one core: ``make bench``.

Fixed inputs; both sides take turns, and the least processor time of many repetitions counts. The reference
(``reference/gin.cpp``) plays the same hands, card by card, and the run fails if it does not. ``--write DIR`` keeps the
results, ``--check DIR`` compares the ratios with those kept there.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gin_reference import GinReference, Played, gin_reference
from harness import Results, Row, best_times, main
from rummylab.agents.registry import agent
from rummylab.arena.speed import table_speed
from rummylab.cards.melds import min_deadwood_many
from rummylab.cards.rng import root_of
from rummylab.games.gin.bench import random_hands
from rummylab.games.registry import game

SEED = 7
REPEATS = 200
MILLION = 1e6
DEALS = {"random": 12, "simple": 250}
"""Deals of a series: some milliseconds, short enough that now and then one is not interrupted."""


def measure() -> Results:
    """Return the table of Gin's speed: kernels, other programs, the Python table, the start."""
    figures: dict[str, float | None] = {}
    reference = gin_reference()
    rows = [deadwood_row(reference, figures)]
    rows += [play_row(name, reference, figures) for name in DEALS]
    rows += [*openspiel_rows(figures), table_row(figures), *start_rows(figures)]
    return Results(rows, figures)


# --- The kernels, beside C++ ----------------------------------------------------------------------------------------


def deadwood_row(reference: GinReference | None, figures: dict[str, float | None]) -> Row:
    """Return the time for the deadwood of one hand, over random hands of ten cards."""
    hands = random_hands()
    ours, theirs = np.empty(len(hands), np.int16), np.empty(len(hands), np.int16)
    ways: dict[str, Callable[[], object]] = {"ours": lambda: min_deadwood_many(hands, ours)}
    if reference is not None:
        ways["C++"] = lambda: reference.deadwood_of(hands, theirs)
    ns = {way: 1e9 * seconds / len(hands) for way, seconds in best_times(ways, 4 * REPEATS).items()}
    if reference is not None:
        assert (ours == theirs).all(), "the C++ reference finds another deadwood"
    figures |= {"deadwood_ns": ns["ours"], "cpp_deadwood_ns": ns.get("C++")}
    return _beside_cpp(
        "deadwood of a random ten-card hand, in a batch",
        "deadwood",
        {way: f"{time_of_one:.1f} ns" for way, time_of_one in ns.items()},
        ns["C++"] / ns["ours"] if "C++" in ns else None,
    )


def play_row(name: str, reference: GinReference | None, figures: dict[str, float | None]) -> Row:
    """Return the decisions a second of the agent *name* against itself."""
    ways: dict[str, Callable[[], Played]] = {"ours": _series(name, DEALS[name])}
    if reference is not None:
        ways["C++"] = lambda: reference.matches(name, SEED, DEALS[name])
    played = {way: play() for way, play in ways.items()}
    assert len(set(played.values())) == 1, f"{name}: the C++ reference plays other hands: {played}"
    speed = {way: played[way].decisions / seconds for way, seconds in best_times(ways, REPEATS).items()}
    figures |= {f"{name}_decisions_per_s": speed["ours"], f"cpp_{name}_decisions_per_s": speed.get("C++")}
    return _beside_cpp(
        f"{name} against {name}, compiled",
        name,
        {way: f"{per_s / MILLION:.1f} M decisions/s" for way, per_s in speed.items()},
        speed["ours"] / speed["C++"] if "C++" in speed else None,
    )


def _series(name: str, deals: int) -> Callable[[], Played]:
    """Return a function that plays *deals* deals twice, the seats swapped, in one call of the batch kernel."""
    spec, player = game("gin"), agent("gin", name)
    rows, tallies = spec.rules(None).new_rows(1), np.zeros(2 * deals, spec.batch.tally_for(2))

    def play() -> Played:
        tallies.view(np.uint8)[:] = 0
        spec.batch.play_pairs(rows, root_of(SEED), 0, [player.kernel] * 2, [player.params] * 2, tallies)
        return Played(
            decisions=int(tallies["decisions"].sum()),
            hands=int(tallies["hands"].sum()),
            score_of_first=int(tallies["scores"][:, 0].sum()),
            illegal=int((tallies["illegal"] > 0).sum()),
        )

    return play


def _beside_cpp(what: str, name: str, shown: dict[str, str], ratio: float | None) -> Row:
    """Return a row; where there is no compiler, nothing is compared."""
    compared = f"{shown['C++']} (C++)" if "C++" in shown else ""
    return Row(what=what, measured=shown["ours"], compared=compared, ratio=ratio, name=f"{name} to C++")


# --- Other programs, the Python table, the start ----------------------------------------------------------------------


def openspiel_rows(figures: dict[str, float | None]) -> list[Row]:
    """Return random play beside random play through OpenSpiel's Python interface; no row without OpenSpiel."""
    ours, theirs = figures["random_decisions_per_s"], openspiel_decisions_per_s()
    figures["openspiel_decisions_per_s"] = theirs
    if ours is None or theirs is None:
        return []
    compared = f"{theirs:,.0f} decisions/s (OpenSpiel)"
    what = "random against random, beside OpenSpiel from Python"
    return [Row(what=what, measured=f"{ours / MILLION:.1f} M decisions/s", compared=compared, ratio=ours / theirs)]


def openspiel_decisions_per_s(games: int = 60, repeats: int = 3) -> float | None:
    """Return the decisions per second of random play through OpenSpiel's Python interface."""
    try:
        import pyspiel
    except ImportError:
        return None
    spiel = pyspiel.load_game("gin_rummy")
    return max(_openspiel_speed(spiel, games, seed) for seed in range(repeats))


def _openspiel_speed(spiel: Any, games: int, seed: int) -> float:
    rng = random.Random(seed)
    n, began = 0, time.thread_time()
    for _ in range(games):
        state = spiel.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                n += 1
    return n / (time.thread_time() - began)


def table_row(figures: dict[str, float | None]) -> Row:
    """Return the decisions a second at the Python table."""
    figures["facade_decisions_per_s"] = per_s = table_speed(game("gin").rules(None), "simple", 12)
    return Row(what="simple against simple at the Python table", measured=f"{per_s:,.0f} decisions/s")


def start_rows(figures: dict[str, float | None]) -> list[Row]:
    """Return the processor time of ``rummylab match`` with an empty cache and with a full one."""
    command = [sys.executable, "-m", "rummylab", "match", "gin", "simple", "random", "--games", "200", "--json"]
    with tempfile.TemporaryDirectory() as cache:
        environment = {"RUMMYLAB_CACHE": cache, "PATH": "", "HOME": cache}
        times = []
        for _ in range(4):
            began = _seconds_of_children()
            subprocess.run(command, check=True, capture_output=True, env=environment)
            times.append(_seconds_of_children() - began)
    cold, warm = times[0], min(times[1:])
    figures |= {"cold_start_s": cold, "warm_start_s": warm}
    return [
        Row(what="`rummylab match` of 200 games, nothing compiled yet", measured=f"{cold:.1f} s of processor time"),
        Row(what="`rummylab match` of 200 games, compiled before", measured=f"{warm:.2f} s of processor time"),
    ]


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main({"gin": measure}, __doc__)
