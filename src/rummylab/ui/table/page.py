"""One self-contained page that replays recorded hands: no server, no network, nothing but the file itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, select_autoescape

from rummylab.engine.records import Record
from rummylab.ui.table.replays import replay


def replay_page(records: Sequence[Record], title: str = "") -> str:
    """Return the page.

    Raises:
        RecordError: A record does not follow the rules, or shows only what one seat saw.
    """
    hands: list[dict[str, Any]] = [msgspec.json.decode(msgspec.json.encode(replay(record))) for record in records]
    # No "<" in the data: it could end the script element.
    data = json.dumps(hands, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    environment = Environment(
        loader=PackageLoader("rummylab.ui.table", "templates"), autoescape=select_autoescape(["html", "j2"])
    )
    heading = title or " against ".join(seat["name"] for seat in hands[0]["seats"])
    return environment.get_template("replay.html.j2").render(title=heading, data=data, hands=hands)
