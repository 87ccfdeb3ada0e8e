"""The library over HTTP: the client example, positions, and no input that ends in a server error."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

import http_client
from rummylab import Observation
from rummylab.ui.web import api
from web_tables import QUICK, Server, running

EXAMPLES = int(os.environ.get("RUMMYLAB_SCHEMA_EXAMPLES", "3"))
"""Requests to each path; `make browser` sends many more."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


def test_the_client_example_runs(server: Server) -> None:
    browser = server.browser()

    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        done = browser.post(path, body)
        assert done.status_code == 200, done.text
        found: dict[str, Any] = done.json()
        return found

    lines = http_client.tour(post)
    assert "run of clubs: 3♣ 4♣ 5♣ 6♣" in lines
    assert "three fours: 4♥ 4♠ 4♦" in lines
    assert lines[-1].startswith("simple would: ")


@pytest.mark.parametrize("game", sorted(QUICK))
def test_a_position_gives_its_legal_moves_and_an_agents_move(server: Server, game: str) -> None:
    browser = server.browser()
    position = browser.post("/v1/sample", {"game": game, "seed": 3, "moves": 3}).json()["position"]
    legal = {action["id"] for action in browser.post("/v1/legal", {"position": position}).json()["actions"]}
    assert legal == {str(action) for action in Observation.from_json(position).legal}
    assert browser.post("/v1/move", {"position": position, "agent": QUICK[game]}).json()["action"] in legal
    shown = browser.post("/v1/view", {"position": position}).json()["view"]
    assert sorted(card["card"] for card in shown["hand"]["cards"]) == sorted(position["hand"])


@pytest.mark.parametrize(
    ("body", "phase"),
    [
        ({"game": "gin", "hand": "3c 4c 5c 9h 9d 9s Ad 2d 7s Kh", "pile": "Js 2h"}, "draw"),
        ({"game": "gin", "hand": "3c 4c 5c 9h 9d 9s Ad 2d 7s Kh Qd", "pile": "Js"}, "discard"),
        ({"game": "indian", "hand": "3c 4c 5c 9h 9d 9s Ad 2d 7s Kh Qd Qc 7d", "wild": "6", "pile": "Js"}, "draw"),
    ],
)
def test_a_position_can_be_set_up_by_hand(server: Server, body: dict[str, Any], phase: str) -> None:
    done = server.browser().post("/v1/position", body)
    assert done.status_code == 200, done.text
    seen = Observation.from_json(done.json()["position"])
    assert seen.phase == phase
    assert str(seen.hand).split() == sorted(body["hand"].split(), key=str(seen.hand).split().index)


def test_a_position_that_does_not_add_up_is_refused_in_words(server: Server) -> None:
    browser = server.browser()
    twice = browser.post("/v1/position", {"game": "gin", "hand": "3c 4c 5c 9h 9d 9s Ad 2d 7s Kh", "pile": "Kh"})
    assert twice.status_code == 422
    assert "Kh" in twice.json()["error"]["message"]
    short = browser.post("/v1/position", {"game": "gin", "hand": "3c 4c"})
    assert "not 2" in short.json()["error"]["message"]


def test_the_schema_holds_and_nothing_ends_in_a_server_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "LONGEST_STREAM", 0.02)
    with running(coach_worlds=2) as server:
        schema = schemathesis.openapi.from_dict(server.browser().get("/openapi.json").json())
        browser = server.browser()
        real = {"table": browser.open("gin", seed=1)["id"], "record": browser.play_on(browser.open("gin"))["record"]}
        for operation in schema.get_all_operations():
            _never_fails(operation.ok(), browser, real)


def _never_fails(call: Any, browser: Any, real: dict[str, str]) -> None:
    """Send requests to the path of *call*, with made-up ids and with the *real* ones; none ends in a server error."""

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=call.as_strategy())
    def check(case: Any) -> None:
        body = case.body if case.body.__class__.__name__ != "NotSet" else None
        paths = [case.formatted_path]
        # The other requests are about the real table, so nobody leaves it.
        if not call.path.endswith("/leave") and set(re.findall(r"{(\w+)}", call.path)) <= set(real):
            paths.append(call.path.format(**real))
        for path in dict.fromkeys(paths):
            done = browser.send(case.method, path, body, params=case.query or None)
            assert done.status_code < 500, f"{case.method} {path} {body}: {done.text}"

    check()
