"""No byte that a browser is sent names a card that its seat cannot know, over whole hands of every game."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rummylab.engine.seats import Seat
from rummylab.ui.table import view as table_views
from web_tables import QUICK, Browser, Server, cards_in, choice, running

HANDS = int(os.environ.get("RUMMYLAB_LEAK_HANDS", "0"))
"""Hands of each game; `make browser` plays 200."""
FEW = {"gin": 6, "gin_pass": 6, "indian": 2, "contract": 6}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


def hidden_from(state: Any, seat: int) -> set[str]:
    """Return the kinds of cards of which *seat* has seen no copy: in the stock or in other hands."""
    seen = state.observe(Seat(seat))
    known = {str(card) for card in seen.hand} | {str(card) for card in seen.pile}
    for event in seen.log:
        known |= {str(card) for card in (*event.action.cards, *event.secret)}
    for other in range(state.rules.seats):
        known |= {str(card) for card in seen.known(Seat(other))}
    if seen.upcard is not None:
        known.add(str(seen.upcard))
    return {str(card) for card in state.deck} - known


def check(server: Server, browser: Browser, view: dict[str, Any]) -> dict[str, Any]:
    """Play a hand; after every answer and event, look for what the seat cannot know."""
    live = server.house.live[view["id"]]
    while True:
        state = live.session.state
        if state.actor is None:
            return view
        server.traffic.clear()
        view = browser.settled(view)
        bodies = [*server.traffic, server.house.update(live, 0, None)[1].decode()]
        browser.post(f"/api/tables/{view['id']}/move", {"version": view["version"], "action": "discard Zz"})
        browser.get("/api/me")
        bodies += server.traffic
        if live.session.state.actor is None:
            return view
        hidden = hidden_from(live.session.state, 0)
        assert hidden
        for body in bodies:
            found = cards_in(body) & hidden
            assert not found, f"{sorted(found)} in {body[:300]}"
        view = browser.move(view, choice(view))


@pytest.mark.parametrize("game", sorted(QUICK))
def test_nothing_hidden_reaches_the_browser(server: Server, game: str) -> None:
    browser = server.browser()
    for seed in range(HANDS or FEW[game]):
        over = check(server, browser, browser.open(game, seed=seed))
        browser.post(f"/api/tables/{over['id']}/leave", {"version": browser.settled(over)["version"]})


def test_a_planted_leak_is_caught(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = server.browser()
    view = browser.open("gin", seed=1)
    live = server.house.live[view["id"]]
    honest = table_views.seat_views

    def leaking(show: Any, chairs: Any, you: int | None) -> Any:
        hand = live.session.state.observe(Seat(1)).hand
        seats = honest(show, chairs, you)
        return (seats[0], replace(seats[1], note=f"holds {format(next(iter(hand)), 'unicode')}"))

    monkeypatch.setattr(table_views, "seat_views", leaking)
    live.views.clear()
    with pytest.raises(AssertionError, match="in "):
        check(server, browser, view)


def test_the_watcher_knows_no_more_than_the_player_watched(server: Server) -> None:
    browser = server.browser()
    view = browser.open("gin", kind="watch", watch={"agents": [{"agent": "simple"}] * 2, "eyes": 1}, seed=4)
    live = server.house.live[view["id"]]
    for _ in range(10):
        server.traffic.clear()
        view = browser.post(f"/api/tables/{view['id']}/step", {"version": view["version"], "until": "turn"}).json()
        if live.session.is_over:
            break
        hidden = hidden_from(live.session.state, 1)
        assert all(not cards_in(body) & hidden for body in server.traffic)
