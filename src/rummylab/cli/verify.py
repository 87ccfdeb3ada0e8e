"""``rummylab verify``: check that recorded deals were committed to before play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rummylab.cli.common import announce_compilation, count, print_json, say
from rummylab.cli.options import AsJson


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record file (.rgr).", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Check the commitment of every deal in a record, and replay it."""
    from rummylab.engine.commitment import verify as check
    from rummylab.engine.records import read_records

    announce_compilation(quiet=as_json)
    found = []
    for record in read_records(file):
        found.append(check(record, record.replay().rules))
    if as_json:
        print_json([{"hand": one.hand + 1, "commitment": one.commitment, "seats": list(one.names)} for one in found])
        return
    for one in found:
        say(f"hand {one.hand + 1}: sealed as {one.commitment[:16]}… before play; the key deals these cards")
    say(f"{count(len(found), 'deal')} verified")
