"""``rummylab tournament``: everybody against everybody."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli.common import announce_compilation, print_json, progress_bar


def tournament(
    game: str = typer.Argument(help="The game, such as gin."),
    agents: str = typer.Option(..., help="Agents, separated by commas."),
    games: int = typer.Option(1000, help="Games of each pair of agents, on duplicate deals."),
    seed: int = typer.Option(0, help="Same seed, same result."),
    rules: str | None = typer.Option(None, help="Preset of the rules; default: the game's first."),
    store: Path | None = typer.Option(None, help="Keep the results in this file; a run that was stopped goes on."),
    against_field: bool = typer.Option(False, "--against-field", help="Only the first agent's matches."),
    workers: int | None = typer.Option(None, help="Processes; default: one per core."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Play a round robin and print cross-table and ratings with 95 % intervals."""
    from rummylab.arena import tournament as t
    from rummylab.arena.backends import Processes
    from rummylab.arena.store import Store

    names = tuple(name.strip() for name in agents.split(",") if name.strip())
    plan = t.Plan(game=game, agents=names, games=games, seed=seed, preset=rules, against_field=against_field)
    kept = Store(store) if store else None
    announce_compilation()
    with progress_bar("chunks", wanted=not as_json) as progress:
        standings = t.tournament(plan, store=kept, backend=Processes(workers) if workers else None, progress=progress)
    if as_json:
        print_json(standings.to_dict())
        return
    _show(standings)


def _show(standings: object) -> None:
    from rich.console import Console
    from rich.table import Table

    from rummylab.arena.tournament import Standings

    assert isinstance(standings, Standings)
    console, names = Console(), standings.plan.agents
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
    ratings = Table("agent", "Elo", "95 %")
    for rating in standings.ratings():
        ratings.add_row(rating.name, f"{rating.elo:+.0f}", f"{rating.low:+.0f} to {rating.high:+.0f}")
    console.print(ratings)
    for cycle in standings.cycles():
        console.print("cycle: " + " beats ".join([*cycle, cycle[0]]))
