"""The event stream over a real connection: updates, resume, and another browser's table."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
import uvicorn

from rummylab.ui.web.app import WebConfig, create_app
from rummylab.ui.web.security import NO_LIMITS


class Connection:
    """A browser on a real socket."""

    def __init__(self, port: int) -> None:
        self.port, self.cookie = port, ""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[HTTPConnection, Any]:
        link = HTTPConnection("localhost", self.port, timeout=300)
        sent = {"Content-Type": "application/json", **headers} | ({"Cookie": self.cookie} if self.cookie else {})
        link.request(method, path, None if body is None else json.dumps(body), sent)
        answer = link.getresponse()
        if answer.getheader("set-cookie"):
            self.cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        return link, answer

    def json(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        link, answer = self.ask(method, path, body)
        found: dict[str, Any] = json.loads(answer.read())
        link.close()
        return found


def events(answer: Any) -> Iterator[dict[str, Any]]:
    """Yield the updates of a stream, with the id of each."""
    number = None
    for raw in answer:
        line = raw.decode().rstrip("\n")
        if line.startswith("id: "):
            number = int(line[4:])
        elif line.startswith("data: "):
            update = json.loads(line[6:])
            assert update["version"] == number
            yield update


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(16)
    config = uvicorn.Config(create_app(WebConfig(limits=NO_LIMITS)), log_level="error", timeout_graceful_shutdown=0)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([sock])), daemon=True)
    thread.start()
    yield int(sock.getsockname()[1])
    server.should_exit = True
    thread.join(20)


def table(browser: Connection) -> dict[str, Any]:
    body = {"game": "gin", "seed": 5, "opponents": [{"agent": "simple"}]}
    return browser.json("POST", "/api/tables", body)


def your_turn(stream: Iterator[dict[str, Any]]) -> dict[str, Any]:
    return next(update for update in stream if update["view"]["actor"] in (0, None))


def test_a_listener_gets_the_view_and_then_every_turn(port: int) -> None:
    browser = Connection(port)
    path = f"/api/tables/{table(browser)['id']}"
    link, answer = browser.ask("GET", f"{path}/events")
    assert answer.getheader("content-type").startswith("text/event-stream")
    stream = events(answer)
    first = your_turn(stream)
    action = first["view"]["actions"][-1]["id"]
    mine = browser.json("POST", f"{path}/move", {"version": first["version"], "action": action})
    update = your_turn(stream)
    assert update["version"] >= mine["version"] > first["version"]
    assert update["view"]["log"][: len(first["view"]["log"])] == first["view"]["log"]
    link.close()


def test_a_stream_resumes_with_what_was_missed(port: int) -> None:
    browser = Connection(port)
    path = f"/api/tables/{table(browser)['id']}"
    link, answer = browser.ask("GET", f"{path}/events")
    first = your_turn(events(answer))
    link.close()
    browser.json("POST", f"{path}/move", {"version": first["version"], "action": first["view"]["actions"][-1]["id"]})
    link, answer = browser.ask("GET", f"{path}/events", **{"Last-Event-ID": str(first["version"])})
    update = next(events(answer))
    log = update["view"]["log"]
    assert update["news"]
    assert update["news"] == [entry for entry in log if entry["n"] > first["view"]["log"][-1]["n"]]
    link.close()


def test_a_stream_of_another_browser_is_refused(port: int) -> None:
    path = f"/api/tables/{table(Connection(port))['id']}/events"
    link, answer = Connection(port).ask("GET", path)
    assert answer.status == 404
    link.close()
