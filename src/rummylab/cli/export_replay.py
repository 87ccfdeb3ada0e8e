"""``rummylab export-replay``: write a page that replays recorded hands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rummylab.cli.common import OUTPUT, AsJson, announce_compilation, count, print_json, say


def export_replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record file (.rgr).", show_default=False)],
    html: Annotated[
        bool, typer.Option("--html", help="Write one self-contained HTML page (the default).", rich_help_panel=OUTPUT)
    ] = True,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The page to write. Default: the record's name with .html.",
            rich_help_panel=OUTPUT,
        ),
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
