"""``rummylab reproduce``: run a published study again and write a report."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli.common import announce_compilation, progress_bar


def reproduce(
    name: str | None = typer.Argument(None, help="The study; --list shows them."),
    listing: bool = typer.Option(False, "--list", help="List the studies."),
    quick: bool = typer.Option(False, "--quick", help="A tiny version that takes seconds."),
    out: Path | None = typer.Option(None, help="Directory of the report; default: docs/results/NAME."),
    games: int | None = typer.Option(None, help="Deals per ordered pair of agents."),
    hands: int | None = typer.Option(None, help="Random hands for distributions."),
    seed: int | None = typer.Option(None, help="Same seed, same report."),
    workers: int | None = typer.Option(
        None, help="Processes; default: one per core. The result does not depend on it."
    ),
) -> None:
    """Run every experiment of a paper; what is already played is kept, so an interrupted run continues."""
    from rummylab.arena.reproduce.registry import QUICK, REPRODUCTIONS, Scale, reproduction
    from rummylab.errors import OptionError

    if listing:
        for study in REPRODUCTIONS.values():
            typer.echo(f"{study.name:10} {study.title}")
        return
    if name is None:
        raise OptionError(f"which study? known: {', '.join(REPRODUCTIONS)}")
    study = reproduction(name)
    default = QUICK if quick else Scale()
    scale = Scale(
        games=default.games if games is None else games,
        hands=default.hands if hands is None else hands,
        seed=default.seed if seed is None else seed,
        workers=workers,
    )
    place = out or Path("docs/results") / (f"{name}-quick" if quick else name)
    announce_compilation()
    with progress_bar(f"reproduce {name}") as progress:
        report = study.run(place, scale, progress)
    typer.echo(f"report: {report}")
