"""``rummylab engine``: answers questions about positions in JSON lines."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rummylab.cli import complete


def engine(
    agent: Annotated[
        str | None, typer.Option(metavar="AGENT", help="The agent that chooses moves.", autocompletion=complete.agents)
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="N", help="Time for one question.")] = 1.0,
    moves: Annotated[int, typer.Option(metavar="N", help="Alternatives to list with values; 0: none.")] = 5,
) -> None:
    """Answer questions about positions, as JSON lines on stdin and stdout.

    docs/reference/engine-protocol.md describes the conversation. The options are defaults that a line can replace.
    """
    from rummylab.interop.engine import EngineOptions, serve

    def write(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    serve(sys.stdin, write, EngineOptions().changed({"agent": agent, "seconds": seconds, "moves": moves}))
