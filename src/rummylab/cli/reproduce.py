"""``rummylab reproduce``: reproduce a published study and write a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rummylab.cli import complete
from rummylab.cli.common import (
    MOST,
    PLAYING,
    Address,
    AsJson,
    BackendName,
    Quiet,
    StoreOption,
    Workers,
    out_option,
)
from rummylab.cli.experiment import Changes, Quick, carry_out


def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="The study; `rummylab experiment list` lists them.", autocompletion=complete.studies
        ),
    ],
    games: Annotated[
        int | None,
        typer.Option("--games", metavar="N", max=MOST, help="Short for --set games=N.", rich_help_panel=PLAYING),
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            "--hands",
            metavar="N",
            max=MOST,
            help="Short for --set hands=N, in studies of random hands.",
            rich_help_panel=PLAYING,
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Short for --set seed=N.", rich_help_panel=PLAYING)] = None,
    settings: Changes = [],  # noqa: B006
    quick: Quick = False,
    store: StoreOption = None,
    out: Annotated[Path | None, out_option("Directory of the report; default: docs/results/STUDY.")] = None,
    backend: BackendName = "local",
    address: Address = None,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run every experiment of a published study and compare with its figures; a run that was stopped resumes.

    Exit codes: 0 for success, 2 for a bad request, 3 if an agent forfeited games, 130 after Ctrl-C.
    """
    from rummylab.studies.registry import reproduction

    short = {"games": games, "hands": hands, "seed": seed}
    changes = [*(f"{key}={value}" for key, value in short.items() if value is not None), *settings]
    experiment = reproduction(study, quick=quick, changes=changes)
    place = out or Path("docs/results") / (f"{study}-quick" if quick else study)
    carry_out(experiment, place, store, None, (backend, workers, address), quiet=quiet, as_json=as_json)
