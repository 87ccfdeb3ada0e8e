"""``rummylab tournament``: everybody against everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from rummylab.cli.common import (
    KEY_HELP,
    MOST,
    MOST_PROCESSES,
    announce_compilation,
    announce_strangers,
    exit_for,
    finite,
    given_key,
    print_json,
    progress_bar,
)


def tournament(
    game: str = typer.Argument(help="The game, such as gin."),
    agents: str = typer.Option("", help="Agents, separated by commas; `all` takes every agent of the game."),
    agent: list[str] = typer.Option([], "--agent", help="A further agent, such as path/to/mine.py:MyAgent."),
    games: int = typer.Option(1000, max=MOST, help="Games of each pair of agents, on duplicate deals."),
    seed: int = typer.Option(0, help="Same seed, same result."),
    key: str | None = typer.Option(None, help=KEY_HELP),
    rules: str | None = typer.Option(None, help="Preset of the rules; default: the game's first."),
    store: Path | None = typer.Option(None, help="Keep the results in this file; a run that was stopped goes on."),
    run: str | None = typer.Option(None, help="Name of the run in the store; it has one configuration for good."),
    keep_hands: int = typer.Option(
        0, max=MOST, help="Also keep the records of the first games of each pair, this many."
    ),
    against_field: bool = typer.Option(False, "--against-field", help="Only the first agent's matches."),
    self_play: bool = typer.Option(False, "--self-play", help="Also every agent against itself."),
    anchor: str | None = typer.Option(None, help="Agent whose Elo is 0; default: the first that nobody sweeps."),
    seconds_a_move: float = typer.Option(10.0, callback=finite, help="What an outside agent has for a decision."),
    backend: str = typer.Option("local", help="Where to play: local or ray."),
    address: str | None = typer.Option(None, help="The cluster, with --backend ray."),
    workers: int | None = typer.Option(None, max=MOST_PROCESSES, help="Processes; default: one per core."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Play a round robin and print cross-table and ratings with 95 % intervals.

    Exit code: 0 if all went well, 2 for a request that cannot be carried out, 3 if an agent forfeited games, 130 if
    interrupted.
    """
    from rummylab.arena import tournament as t
    from rummylab.arena.backends import backend as backend_named
    from rummylab.arena.store import Store

    plan = t.Plan(
        game=game,
        agents=_names(game, agents, agent),
        games=games,
        seed=seed,
        key=given_key(key),
        preset=rules,
        against_field=against_field,
        self_play=self_play,
        seconds_a_move=seconds_a_move,
        anchor=anchor,
    )
    kept = Store(store) if store else None
    announce_compilation()
    announce_strangers(game, plan.agents)
    with progress_bar("games") as progress:
        standings = t.tournament(
            plan,
            store=kept,
            name=run,
            backend=backend_named(backend, workers=workers, address=address),
            progress=progress,
            keep_partial=True,
            keep_hands=keep_hands,
        )
    if as_json:
        print_json(standings.to_dict())
    else:
        _show(standings)
    exit_for(complete=standings.complete, forfeits=standings.forfeits().values())


def _names(game: str, agents: str, more: list[str]) -> tuple[str, ...]:
    from rummylab.agents.registry import entries

    if agents.strip() == "all":
        return (*(found.name for found in entries(game)), *more)
    return (*(name.strip() for name in agents.split(",") if name.strip()), *more)


def _show(standings: Any) -> None:
    from rich.console import Console
    from rich.table import Table

    from rummylab.arena.ratings import rating_notes
    from rummylab.engine.streams import seed_words

    console, names = Console(), standings.plan.agents
    if not standings.complete:
        console.print(f"interrupted after {standings.games:,} games: this is how it stood")
    cross = Table("win rate of", *names, title=f"{standings.plan.game}, {standings.plan.games} games a pair")
    cells = {(row["first"], row["second"]): row for row in standings.cross_table()}
    for first in names:
        line = [first]
        for second in names:
            row = cells.get((first, second))
            half = (row["ci"][1] - row["ci"][0]) / 2 if row else 0
            line.append(f"{row['win_rate']:.3f} ± {half:.3f}" if row else "-")
        cross.add_row(*line)
    console.print(cross)
    found = standings.ratings()
    ratings = Table("agent", "Elo", "95%")
    for rating in found:
        ratings.add_row(rating.name, str(rating), rating.interval)
    console.print(ratings)
    for sentence in rating_notes(found):
        console.print(sentence)
    for cycle in standings.cycles():
        console.print("cycle: " + " beats ".join([*cycle, cycle[0]]))
    for name, n in standings.forfeits().items():
        if n:
            console.print(f"{name} forfeited {n:,} games by crashes, time-outs or illegal moves")
    console.print(f"deals from {seed_words(standings.plan.root)}", soft_wrap=True)
