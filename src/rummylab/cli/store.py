"""``rummylab store``: what a results file holds, as a list, a report or tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from rummylab.cli import complete
from rummylab.cli.common import announce_compilation, count, print_json, say
from rummylab.cli.options import AsJson, Quiet, RunArgument, StoreFile, out_path, output_option


def list_runs(store: StoreFile, as_json: AsJson = False) -> None:
    """List the runs of a store and how far each has come."""
    from rummylab.arena.store import Store
    from rummylab.lab.export import summaries

    with Store(store, must_exist=True) as kept:
        found = summaries(kept)
    if as_json:
        print_json({"runs": found})
        return
    for run in found:
        _show_summary(run)
    if not found:
        say(f"{store} has no runs.")


def show(
    store: StoreFile,
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="Name, number or start of the key of a run.", autocompletion=complete.runs),
    ],
    as_json: AsJson = False,
) -> None:
    """Show one run in full: its settings, progress, artifacts, code version and machine."""
    from rummylab.arena.store import Store
    from rummylab.lab.export import summaries

    with Store(store, must_exist=True) as kept:
        chosen = kept.run(run)
        facts = next(found for found in summaries(kept) if found["id"] == chosen.number)
        config = chosen.about["config"]
    if as_json:
        print_json(facts | {"config": config})
        return
    _show_summary(facts)
    say(f"   key {facts['key']}")
    for name in facts["artifacts"]:
        say(f"   artifact {name}")
    for key, value in config.items():
        say(f"   {key}: {value if isinstance(value, str) else json.dumps(value)}")


def report(
    store: StoreFile,
    run: RunArgument = None,
    out: Annotated[Path, out_path("Directory for report.html, report.md and the figures.")] = Path("report"),
    anchor: Annotated[
        str | None, typer.Option("--anchor", help="Agent whose Elo is 0; default: the first that nobody sweeps.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write a tournament's report: one HTML file that works offline, and Markdown with figures.

    Without RUN, it is the report of the latest tournament.
    """
    from rummylab.arena.store import Store
    from rummylab.lab.report.tournament import write_report

    announce_compilation(quiet=quiet)
    with Store(store, must_exist=True) as kept:
        written = write_report(kept, run, out, anchor)
    if as_json:
        print_json(written.to_dict())
        return
    say(written.summary)
    say(f"Report: {written.html}, {written.markdown}")


def export(
    store: StoreFile,
    out: Annotated[Path, out_path("Directory to write the tables to.")],
    run: RunArgument = None,
    format: Annotated[
        str,
        output_option(
            "--format", help="csv, or parquet (needs the extra data).", autocompletion=complete.words("csv", "parquet")
        ),
    ] = "csv",
    force: Annotated[bool, output_option("--force", help="Overwrite existing tables.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the tables runs, games, faults and hands of a run, or of all runs, as CSV or Parquet."""
    from rummylab.arena.store import Store
    from rummylab.lab.export import export as write

    with Store(store, must_exist=True) as kept:
        written = write(kept, out, run=run, format=format, force=force)
    if as_json:
        print_json({"files": {str(path): rows for path, rows in written.items()}})
        return
    for path, rows in written.items():
        say(f"{path}: {count(rows, 'row')}")


def prune(
    store: StoreFile,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]...", help="Runs to remove.", autocompletion=complete.runs, show_default=False),
    ] = None,
    damaged: Annotated[
        bool, typer.Option("--damaged", help="Remove damaged chunks and records, which can then be played again.")
    ] = False,
    unfinished: Annotated[bool, typer.Option("--unfinished", help="Remove every run that is not finished.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove runs or damaged parts from a store, and give the space back."""
    from rummylab.arena.store import Store
    from rummylab.errors import OptionError
    from rummylab.lab.export import drop_damaged

    if not (runs or damaged or unfinished):
        raise OptionError("Nothing to prune. Name the runs to remove, or add --damaged or --unfinished.")
    with Store(store, must_exist=True) as kept:
        chosen = [kept.run(name).number for name in runs or []]
        chosen += [about["id"] for about in kept.runs() if unfinished and not about["finished"]]
        removed = [kept.remove(number) for number in dict.fromkeys(chosen)]
        parts = drop_damaged(kept) if damaged else []
        kept.compact()
    if as_json:
        print_json({"removed": removed, "damaged": parts})
        return
    for name in removed:
        say(f"Removed run {name}.")
    if damaged:
        say(f"Removed {count(len(parts), 'damaged part')}." + "".join(f"\n  {name}" for name in parts))


def _show_summary(run: dict[str, Any]) -> None:
    chunks = count(run["chunks"], "chunk")
    if run["chunks_in_all"] is not None:
        chunks = f"{run['chunks']:,} of {count(run['chunks_in_all'], 'chunk')}"
    state = f"finished {run['finished'][:19]}" if run["finished"] else "not finished"
    say(f"{run['id']}  {run['name'] or run['key']} · {run['kind']} · {run['game']} ({run['rules']}) · {state}")
    say(f"   {', '.join(run['agents'])}")
    kept = f"{chunks}, {count(run['hands'], 'game')} recorded, {count(len(run['artifacts']), 'artifact')}"
    if run["games_a_pair"] is not None:
        a_pair = "" if run["kind"] == "match" else " a pair"
        kept = f"{count(run['games_a_pair'], 'game')}{a_pair}, seed {run['seed']}: {run['games_played']:,} in {kept}"
    say(f"   {kept}")
    say(f"   started {run['created'][:19]}, code {run['code']}, {run['machine']}")
