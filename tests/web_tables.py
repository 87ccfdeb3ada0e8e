"""Helpers for tests of the web table: a server in this process, and players who click what the page offers."""

from __future__ import annotations

import asyncio
import re
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from rummylab.ui.web.app import WebConfig, create_app
from rummylab.ui.web.security import NO_LIMITS, Limits

QUICK = {
    "gin": "simple",
    "gin_pass": "melder",
    "indian": "mindist",
    "contract": "chinese-heuristic",
}
"""An agent for each game that answers at once."""


class Server:
    """The application, with an event loop of its own and any number of browsers."""

    def __init__(self, store: str | Path = ":memory:", limits: Limits = NO_LIMITS, **config: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.app = create_app(WebConfig(store=str(store), limits=limits, **config))
        self._lifespan = self.app.router.lifespan_context(self.app)
        self.run(self._lifespan.__aenter__())
        self.traffic: list[str] = []
        """Everything that any browser was sent."""

    def run(self, what: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(600)

    @property
    def house(self) -> Any:
        return self.app.state.house

    def close(self) -> None:
        self.run(self._lifespan.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def browser(self) -> Browser:
        return Browser(self)


class Browser:
    """One browser: its own cookies."""

    def __init__(self, server: Server) -> None:
        self.server = server
        transport = httpx.ASGITransport(server.app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://localhost:8750")

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        found: httpx.Response = self.server.run(self.client.request(method, path, json=body, **more))
        self.server.traffic.append(found.text)
        return found

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.send("GET", path, **more)

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return self.send("POST", path, body, **more)

    def open(self, game: str, **wanted: Any) -> dict[str, Any]:
        opponents = {} if "opponents" in wanted or "kind" in wanted else {"opponents": [{"agent": QUICK[game]}]}
        done = self.post("/api/tables", {"game": game, **opponents, **wanted})
        assert done.status_code == 201, done.text
        return self.settled(done.json())

    def settled(self, view: dict[str, Any]) -> dict[str, Any]:
        """Return the view when no agent is to act any more; the first move of an agent may have to compile it."""
        live = self.server.house.live.get(view["id"])
        give_up = time.monotonic() + 300
        while live is not None and live.driver is not None and not live.driver.done():
            assert time.monotonic() < give_up, "an agent does not answer"
            self.server.run(asyncio.sleep(0.001))
        found: dict[str, Any] = self.get(f"/api/tables/{view['id']}").json()
        return found

    def move(self, view: dict[str, Any], action: str) -> dict[str, Any]:
        done = self.post(f"/api/tables/{view['id']}/move", {"version": view["version"], "action": action})
        assert done.status_code == 200, done.text
        return self.settled(done.json())

    def play_on(self, view: dict[str, Any], most: int = 400) -> dict[str, Any]:
        """Play a hand to its end, as the page suggests."""
        for _ in range(most):
            if view["actor"] is None:
                return view
            view = self.move(view, choice(view))
        raise AssertionError("the hand does not end")


def choice(view: dict[str, Any]) -> str:
    """Return the move that the page makes most obvious: what ends the hand well, else what is suggested."""
    actions = view["actions"]
    ends = [one for one in actions if one["tone"] == "end" and one["confirm"] == "hold"]
    suggested = [one for one in actions if one["suggested"]]
    main = [one for one in actions if one["tone"] == "main"]
    return str((ends or suggested or main or actions)[0]["id"])


@contextmanager
def running(store: str | Path = ":memory:", **config: Any) -> Iterator[Server]:
    """Run a server inside the block."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = Server(store, **config)
        try:
            yield server
        finally:
            server.close()


CARD = re.compile(r'"([A2-9TJQK][chsd]|PJ)"')
TEXT = re.compile(r"(10|[A2-9JQK])([♣♥♠♦])")
NAMES = ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"]
NAME = re.compile(rf"({'|'.join(NAMES)}) of (clubs|hearts|spades|diamonds)")


def cards_in(text: str) -> set[str]:
    """Return every card that *text* names, in any of the ways in which answers name cards.

    What a wild card in the player's own hand stands for names a place in a meld, not a card.
    """
    text = re.sub(r'"stands_for":"[^"]*"', "", text)
    found = set(CARD.findall(text))
    for action in re.findall(r'"([a-z ]+ (?:(?:[A-Z2-9T][chsdJ] ?)+)[^"]*)"', text):
        found |= {word for word in action.split() if re.fullmatch(r"[A2-9TJQK][chsd]|PJ", word)}
    found |= {("T" if rank == "10" else rank) + "chsd"["♣♥♠♦".index(suit)] for rank, suit in TEXT.findall(text)}
    ranks = dict(zip(NAMES, "A23456789TJQK", strict=True))
    found |= {ranks[rank] + suit[0] for rank, suit in NAME.findall(text)}
    return found
