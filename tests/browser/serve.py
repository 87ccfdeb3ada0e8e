"""Start a web table for the browser tests: ``python serve.py PORT STORE [WORLDS]``."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn

from rummylab.ui.web.app import WebConfig, create_app
from rummylab.ui.web.security import NO_LIMITS

STATIC = Path(__file__).parents[2] / "src" / "rummylab" / "ui" / "web" / "static"
WORLDS = 24
"""Worlds that the coach and the review sample: enough to rank moves, few enough for a test."""


def main(port: int, store: str, worlds: int = WORLDS) -> None:
    """Serve until the process is ended."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(128)
    app = create_app(
        WebConfig(
            store=store,
            static=STATIC,
            limits=NO_LIMITS,
            coach_worlds=worlds,
        )
    )
    settings = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
    uvicorn.Server(settings).run([listening])


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:]))
