"""``rummylab experiment``: run the experiment that a file describes, and list what can be run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rummylab.cli import options
from rummylab.cli.common import (
    announce_compilation,
    count,
    exit_for_forfeits,
    how_to_resume,
    interruptible,
    note,
    print_json,
    progress_bar,
    say,
)
from rummylab.cli.options import out_path, play_option

Changes = Annotated[
    list[str],
    play_option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting: games=200 for every step, step.games=200 for one. Can be repeated.",
    ),
]
Quick = Annotated[bool, play_option("--quick", help="Run a tiny version that takes seconds.")]


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment, such as examples/first-look.toml.")],
    settings: Changes = [],  # noqa: B006
    quick: Quick = False,
    store: options.Store = None,
    name: options.Run = None,
    out: Annotated[Path | None, out_path("Directory of the report; default: results/NAME.")] = None,
    backend: options.Backend = "local",
    address: options.Address = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Run an experiment file and write its report; a run that was stopped resumes.

    The store defaults to runs.db in the report's directory. Exit codes: 0 for success, 2 for a bad request, 3 if an
    agent forfeited games, 130 after Ctrl-C.
    """
    from rummylab.lab.experiment.file import read_experiment

    experiment = read_experiment(file, quick=quick, changes=settings)
    place = out or Path("results") / (f"{experiment.name}-quick" if quick else experiment.name)
    carry_out(experiment, place, store, name, (backend, workers, address), quiet=quiet, as_json=as_json)


def list_experiments(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where to look for experiment files.", show_default=True)
    ] = Path("examples"),
    as_json: options.AsJson = False,
) -> None:
    """List the published studies and the experiment files in a folder."""
    from rummylab.studies.registry import reproductions

    studies, files = reproductions(), _titles(folder)
    if as_json:
        print_json({"studies": studies, "files": files})
        return
    say("Published studies (rummylab reproduce NAME):")
    for name, source in studies.items():
        say(f"  {name:18} {source}")
    say(f"Experiment files in {folder} (rummylab experiment run FILE):")
    for path, title in files.items():
        say(f"  {path}  {title}")
    if not files:
        say("  none")


def _titles(folder: Path) -> dict[str, str]:
    """Return the experiment files of *folder* with their titles."""
    from rummylab.errors import ExperimentError
    from rummylab.lab.experiment.file import read_experiment

    found = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            found[str(path)] = read_experiment(path).title
        except ExperimentError as error:
            found[str(path)] = f"cannot be read: {error}"
    return found


def carry_out(
    experiment: Any,
    out: Path,
    store: Path | None,
    name: str | None,
    place: tuple[str, int | None, str | None],
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play *experiment* on the back end *place*, write its report into *out*, and print what was found."""
    from rummylab.arena.backends import backend as backend_named
    from rummylab.lab.experiment.report import to_dict, write_report
    from rummylab.lab.experiment.run import earlier_run, run_experiment

    backend, workers, address = place
    where = backend_named(backend, workers=workers, address=address)
    kept = _store(store or out / "runs.db")
    if earlier := earlier_run(experiment, kept):
        note(f"Note: {earlier}", quiet=quiet)
    announce_compilation(quiet=quiet)
    with interruptible(how_to_resume(kept.path)), progress_bar(experiment.name, quiet=quiet) as progress:
        results = run_experiment(experiment, store=kept, name=name, backend=where, progress=progress)
    report = write_report(results, out)
    if as_json:
        print_json(to_dict(results) | {"report": str(report), "forfeits": results.forfeits})
    else:
        _show(results)
        say(f"Report: {report}")
    exit_for_forfeits([results.forfeits])


def _show(results: Any) -> None:
    for wanted, measured in results.findings:
        words = f"{wanted.measured_words(measured)} ({wanted.interval_words(measured)})"
        chosen = " (chosen)" if wanted.chosen else ""
        say(f"{wanted.verdict(measured):14} {wanted.name}: expected {wanted.figure}, measured {words}{chosen}")
    if results.forfeits:
        say(f"Forfeited by crashes, time-outs or illegal moves: {count(results.forfeits, 'game')}")


def _store(path: Path) -> Any:
    from rummylab.arena.store import Store
    from rummylab.errors import StoreError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"The directory {path.parent} cannot be created: {error.strerror or error}") from None
    return Store(path)
