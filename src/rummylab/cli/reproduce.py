"""``rummylab reproduce``: run a published study again and write a report."""

from __future__ import annotations

from pathlib import Path

import typer

from rummylab.cli import run as r
from rummylab.cli.common import MOST


def reproduce(
    name: str | None = typer.Argument(None, help="The study; --list shows them."),
    listing: bool = typer.Option(False, "--list", help="List the studies."),
    out: Path | None = typer.Option(None, help="Directory of the report; default: docs/results/NAME."),
    games: int | None = typer.Option(None, max=MOST, help="The same as --set games=..."),
    hands: int | None = typer.Option(
        None, max=MOST, help="The same as --set hands=..., for studies with random hands."
    ),
    seed: int | None = typer.Option(None, help="The same as --set seed=..."),
    store: Path | None = r.STORE,
    settings: list[str] = r.SET,
    quick: bool = r.QUICK,
    backend: str = r.BACKEND,
    address: str | None = r.ADDRESS,
    workers: int | None = r.WORKERS,
    as_json: bool = r.JSON,
) -> None:
    """Run every experiment of a paper; what is already played is kept, so an interrupted run continues."""
    from rummylab.arena.reproduce.registry import reproduction, reproductions
    from rummylab.errors import OptionError

    if listing:
        for known, source in reproductions().items():
            typer.echo(f"{known:14} {source}")
        return
    if name is None:
        raise OptionError(f"which study? known: {', '.join(reproductions())}")
    short = {"games": games, "hands": hands, "seed": seed}
    changes = [*(f"{key}={value}" for key, value in short.items() if value is not None), *settings]
    experiment = reproduction(name, quick=quick, changes=changes)
    place = out or Path("docs/results") / (f"{name}-quick" if quick else name)
    r.carry_out(experiment, place, store, None, backend, address, workers, as_json)
