"""``rummylab bench``: how fast it is on this machine."""

from __future__ import annotations

from rummylab.cli.common import announce_compilation, duration, per_second, print_json, say
from rummylab.cli.options import AsJson, Game, Quiet


def bench(game: Game, quiet: Quiet = False, as_json: AsJson = False) -> None:
    """Measure the speed of the kernels and of the Python table on one core."""
    from rummylab.arena.speed import speed
    from rummylab.games.registry import game as find_game

    find_game(game)
    announce_compilation(quiet=quiet)
    figures = speed(game)
    if as_json:
        print_json(figures)
        return
    for name, value in figures.items():
        what, words = in_words(name, value)
        say(f"{what:40} {words}")


def in_words(name: str, value: float) -> tuple[str, str]:
    """Return what a figure measures and its value in the unit people would use, both read off its name.

    >>> in_words("deadwood_ns", 5.7), in_words("random_decisions_per_s", 43e6)
    (('deadwood', '5.7 ns'), ('random decisions', '43.0 million/s'))
    """
    for ending, shown in (("_ns", lambda ns: duration(ns * 1e-9)), ("_per_s", per_second)):
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " "), shown(value)
    return name.replace("_", " "), f"{value:,.2f}"
