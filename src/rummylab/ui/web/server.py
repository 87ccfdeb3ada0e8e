"""Start the web table: a free port on this machine, an address to print, a browser where there is one."""

from __future__ import annotations

import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rummylab.errors import MissingExtraError, OptionError

PORT: Final = 8750
TRIES: Final = 20


def listening(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens on *port*; None: the first free one from 8750 on.

    Raises:
        OptionError: The address cannot be used.
    """
    last: OSError | None = None
    for number in [port] if port is not None else [*range(PORT, PORT + TRIES), 0]:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, number))
            found.listen(512)
        except OSError as error:
            found.close()
            last = error
            continue
        return found
    raise OptionError(f"The server cannot listen on {host}, port {port or PORT}: {last}.")


def serve(
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    store: Path | None = None,
    hosts: frozenset[str] = frozenset(),
    warm: tuple[str, ...] = (),
    route: str = "",
    browser: bool = True,
    say: Callable[[str], None] = lambda text: None,
) -> None:
    """Run the server until it is stopped.

    Raises:
        MissingExtraError: FastAPI or uvicorn is not installed.
        OptionError: The address cannot be used.
    """
    try:
        import uvicorn

        from rummylab.ui.table.store import default_store
        from rummylab.ui.web.app import WebConfig, create_app
        from rummylab.ui.web.security import NO_LIMITS, Limits
    except ImportError as error:
        raise MissingExtraError(
            f"the web table needs: pip install 'rummylab[web]' ({error.name} is missing); "
            "`rummylab play --terminal` works without"
        ) from None
    path = store or default_store()
    path.parent.mkdir(parents=True, exist_ok=True)
    sock = listening(host, port)
    shown = "localhost" if host in ("127.0.0.1", "::1") else host
    address = f"http://{shown}:{sock.getsockname()[1]}/{route}"
    names = hosts | ({host.lower()} if host not in ("0.0.0.0", "::") else frozenset())
    limits = NO_LIMITS if os.environ.get("RUMMYLAB_NO_LIMITS") else Limits()
    app = create_app(WebConfig(store=str(path), hosts=frozenset(names), warm=warm, limits=limits))
    settings = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, server_header=False, lifespan="on"
    )
    say(f"The table is at {address} (Ctrl-C stops the server).")
    if browser and _has_browser():
        threading.Timer(0.3, _open_browser, (address,)).start()
    uvicorn.Server(settings).run([sock])


def _has_browser() -> bool:
    """Return whether this machine shows windows: not over a plain connection, nor in a container."""
    if os.name == "nt" or os.uname().sysname == "Darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_browser(address: str) -> None:
    webbrowser.open(address)
