"""``rummylab run``: play the experiment that a file describes and write its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from rummylab.cli.common import MOST_PROCESSES, announce_compilation, print_json, progress_bar

STORE = typer.Option(None, help="Keep the results in this file; default: runs.db in the report's directory.")
SET = typer.Option([], "--set", help="Change a setting: games=200 for every step, step.games=200 for one.")
QUICK = typer.Option(False, "--quick", help="A tiny version that takes seconds.")
BACKEND = typer.Option("local", help="Where to play: local or ray.")
ADDRESS = typer.Option(None, help="The cluster, with --backend ray.")
WORKERS = typer.Option(
    None, max=MOST_PROCESSES, help="Processes; default: one per core. The result does not depend on it."
)

JSON = typer.Option(False, "--json", help="Print one JSON object.")


def run(
    file: Path = typer.Argument(help="The experiment, such as examples/first-look.toml."),
    out: Path | None = typer.Option(None, help="Directory of the report; default: results/NAME."),
    store: Path | None = STORE,
    settings: list[str] = SET,
    quick: bool = QUICK,
    name: str | None = typer.Option(None, "--run", help="Name of the run; it has one configuration for good."),
    backend: str = BACKEND,
    address: str | None = ADDRESS,
    workers: int | None = WORKERS,
    as_json: bool = JSON,
) -> None:
    """Play an experiment file; what is already played is kept, so an interrupted run continues."""
    from rummylab.arena.experiment.file import read_experiment

    experiment = read_experiment(file, quick=quick, changes=settings)
    place = out or Path("results") / (f"{experiment.name}-quick" if quick else experiment.name)
    carry_out(experiment, place, store, name, backend, address, workers, as_json)


def carry_out(
    experiment: Any,
    out: Path,
    store: Path | None,
    name: str | None,
    backend: str,
    address: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Play *experiment*, write its report below *out*, and say what came out."""
    from rummylab.arena.backends import backend as backend_named
    from rummylab.arena.experiment.report import to_dict, write_report
    from rummylab.arena.experiment.run import earlier_run, run_experiment

    place = backend_named(backend, workers=workers, address=address)
    kept = _store(store or out / "runs.db")
    note = earlier_run(experiment, kept)
    if note:
        sys.stderr.write(f"note: {note}\n")
    announce_compilation()
    try:
        with progress_bar(experiment.name) as progress:
            results = run_experiment(experiment, store=kept, name=name, backend=place, progress=progress)
    except KeyboardInterrupt:
        sys.stderr.write(f"interrupted; what was played is in {kept.path}, and the same command goes on from there\n")
        raise typer.Exit(130) from None
    report = write_report(results, out)
    if as_json:
        print_json(to_dict(results) | {"report": str(report)})
        return
    for wanted, measured in results.findings:
        words = f"{wanted.measured_words(measured)} ({wanted.interval_words(measured)})"
        chosen = " (chosen)" if wanted.chosen else ""
        typer.echo(f"{wanted.verdict(measured):14} {wanted.name}: expected {wanted.figure}, measured {words}{chosen}")
    typer.echo(f"report: {report}")


def _store(path: Path) -> Any:
    from rummylab.arena.store import Store
    from rummylab.errors import StoreError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path.parent} cannot be made: {error.strerror or error}") from None
    return Store(path)
