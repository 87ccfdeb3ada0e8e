"""``rummylab warm-up``: compile everything now, so that nothing has to be compiled later."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Annotated, Final, NamedTuple

import typer

from rummylab.cli import complete
from rummylab.cli.common import duration, note, print_json, progress_bar, say
from rummylab.cli.options import AsJson, Quiet

DRIVER: Final = "batch driver"
TABLE: Final = "Python table"
PLAYOUTS: Final = "play-outs"


class Part(NamedTuple):
    """What one process compiles at a time."""

    game: str
    what: str
    """`DRIVER`, `TABLE`, `PLAYOUTS`, or the name of an agent."""


def warm_up(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...",
            help="The games; default: all of them.",
            autocompletion=complete.games,
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compile the kernels of the games and of all their agents into the cache, on all cores.

    Useful when a machine image is built, or before an experiment that must start at once.
    """
    from rummylab.games.registry import GAMES, game

    names = [game(name).name for name in games or GAMES]
    parts = [part for name in names for part in parts_of(name)]
    cores = min(len(parts), os.cpu_count() or 1)
    note(f"Compiling {len(parts)} parts on {cores} cores; what is in the cache takes no time ...", quiet=quiet)
    began, seconds = time.perf_counter(), dict.fromkeys(names, 0.0)
    with progress_bar("parts", quiet=quiet) as progress:
        for done, (part, took) in enumerate(_compiled(parts, cores), 1):
            seconds[part.game] += took
            if progress is not None:
                progress(done, len(parts), f"{part.game} {part.what}")
    if as_json:
        print_json({"seconds": seconds})
        return
    for name, took in seconds.items():
        say(f"{name}: {duration(took)} of processor time")
    say(f"Ready in {duration(time.perf_counter() - began)}")


def parts_of(name: str) -> list[Part]:
    """Return what there is to compile of the game *name*: the largest part first."""
    from rummylab.agents.registry import entries

    homes = {entry.home: entry.name for entry in entries(name)}
    return [*(Part(name, what) for what in (DRIVER, TABLE, PLAYOUTS)), *(Part(name, agent) for agent in homes.values())]


def _compiled(parts: list[Part], cores: int) -> Iterator[tuple[Part, float]]:
    """Compile *parts* in so many processes; yield each with the processor time that it took."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(cores, mp_context=context) as pool:
        yield from zip(parts, pool.map(compile_part, parts), strict=True)


def compile_part(part: Part) -> float:
    """Compile a part if it is not in the cache; return the processor time in seconds."""
    from rummylab.agents.registry import agent, entries
    from rummylab.engine.playouts import compile_for
    from rummylab.engine.referee import play
    from rummylab.games.registry import game

    began, spec = time.process_time(), game(part.game)
    if part.what == DRIVER:
        _ = spec.batch
    elif part.what == PLAYOUTS:
        compile_for(spec)
    elif part.what == TABLE:
        rules = spec.rules()
        hand = play(rules, [agent(part.game, entries(part.game)[0].name)] * rules.seats, 1)
        hand.pop()
        _ = list(hand.legal_actions), rules.match_is_over(hand.rows())
    else:
        agent(part.game, part.what)
    return time.process_time() - began
