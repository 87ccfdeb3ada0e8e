"""``rummylab reproduce``: reproduce a published study and write a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rummylab.cli import complete, options
from rummylab.cli.experiment import Changes, Quick, carry_out
from rummylab.cli.options import MOST, out_path, play_option


def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="The study; `rummylab experiment list` lists them.", autocompletion=complete.studies
        ),
    ],
    games: Annotated[int | None, play_option("--games", metavar="N", max=MOST, help="Short for --set games=N.")] = None,
    hands: Annotated[
        int | None,
        play_option("--hands", metavar="N", max=MOST, help="Short for --set hands=N, in studies of random hands."),
    ] = None,
    seed: Annotated[int | None, play_option("--seed", help="Short for --set seed=N.")] = None,
    settings: Changes = [],  # noqa: B006
    quick: Quick = False,
    store: options.Store = None,
    out: Annotated[Path | None, out_path("Directory of the report; default: docs/results/STUDY.")] = None,
    backend: options.Backend = "local",
    address: options.Address = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
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
