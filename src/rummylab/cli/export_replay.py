"""``rummylab export-replay``: write a page that replays recorded hands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from rummylab.cli.common import announce_compilation, count, print_json, say
from rummylab.cli.options import AsJson, RecordFile, output_option


def export_replay(
    file: RecordFile,
    html: Annotated[bool, output_option("--html", help="Write one self-contained HTML page (the default).")] = True,
    out: Annotated[
        Path | None,
        output_option("--out", metavar="FILE", help="The page to write. Default: the record's name with .html."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a page that replays a record, with hands shown or hidden. It needs no server and no network."""
    from rummylab.engine.records import read_records
    from rummylab.engine.writing import write_whole
    from rummylab.ui.table.page import replay_page

    announce_compilation(quiet=as_json)
    records = read_records(file)
    path = out or file.with_suffix(".html")
    write_whole(path, replay_page(records).encode())
    if as_json:
        print_json({"out": str(path), "hands": len(records)})
        return
    say(f"{path}: {count(len(records), 'hand')} to step through")
