"""``rummylab record``: show, check and redact game records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rummylab.cli.common import announce_compilation, count, print_json, say
from rummylab.cli.options import AsJson, Quiet, RecordFile, out_path, output_option


def show(file: RecordFile, as_json: AsJson = False) -> None:
    """Print the hands of a record as readable text."""
    from rummylab.engine.records import event_to_json, read_records

    records = read_records(file)
    if as_json:
        parts = ((found.header, map(event_to_json, found.events), found.result) for found in records)
        print_json([{"header": header, "events": list(events), "result": result} for header, events, result in parts])
        return
    for record in records:
        say(record.story())


def check(file: RecordFile, quiet: Quiet = False, as_json: AsJson = False) -> None:
    """Replay a record and report the first line that breaks the rules."""
    from rummylab.engine.records import validate_records

    announce_compilation(quiet=quiet)
    n = len(validate_records(file))
    if as_json:
        print_json({"hands": n})
        return
    say("1 hand replays correctly" if n == 1 else f"{n:,} hands replay correctly")


def redact(
    file: RecordFile,
    seat: Annotated[int, typer.Option("--seat", metavar="N", help="The seat whose view to keep.")],
    out: Annotated[Path, out_path("The record file to append to.")],
    overwrite: Annotated[
        bool, output_option("--overwrite", help="Replace the file instead of appending to it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write what one seat saw: without the deck, the seed and other seats' secrets."""
    from rummylab.engine.records import read_records, write_records

    records = [record.seen_by(seat) for record in read_records(file)]
    write_records(out, records, overwrite=overwrite)
    if as_json:
        print_json({"hands": len(records), "seat": seat, "out": str(out)})
        return
    say(f"{out}: {count(len(records), 'hand')} as seat {seat} saw {'it' if len(records) == 1 else 'them'}")
