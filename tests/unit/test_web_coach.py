"""Coach, review, retry and puzzles over HTTP, from few worlds."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from web_tables import Browser, Server, cards_in, running


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(coach_worlds=12) as found:
        yield found


def reviewed(browser: Browser, path: str, waiting: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the review of ``games/RECORD`` or ``matches/MATCH``; *waiting* gets the answers on the way."""
    for _ in range(6000):
        done = browser.get(f"/api/{path}/review")
        if done.status_code == 200:
            found: dict[str, Any] = done.json()
            return found
        assert done.status_code == 202, done.text
        assert 0 <= done.json()["progress"] <= 1
        if waiting is not None:
            waiting.append(done.json())
        time.sleep(0.05)
    raise AssertionError("the review does not end")


def test_the_coach_ranks_the_legal_moves_with_reasons_and_a_map(server: Server) -> None:
    browser = server.browser()
    view = browser.open("contract")
    path = f"/api/tables/{view['id']}/coach"
    coach = browser.get(path, params={"version": view["version"]}).json()
    assert {move["action"] for move in coach["moves"]} <= {action["id"] for action in view["actions"]}
    values = [move["value"] for move in coach["moves"]]
    assert values == sorted(values, reverse=True)
    assert all(1 <= len(move["reasons"]) <= 3 for move in coach["moves"])
    assert [len(one["cells"]) for one in coach["map"]] == [52]
    assert browser.get(path, params={"version": view["version"] + 1}).json()["error"]["code"] == "stale"


def test_the_coach_of_gin_is_the_champion(server: Server) -> None:
    browser = server.browser()
    view = browser.open("gin")
    answered = browser.get(f"/api/tables/{view['id']}/coach", params={"version": view["version"]})
    assert answered.status_code == 200, answered.text
    coach = answered.json()
    assert coach["method"] == "Values of champion, reasons by play-outs of simple, 12 possible worlds."
    assert {move["action"] for move in coach["moves"]} == {action["id"] for action in view["actions"]}


def test_the_coach_names_no_cards_but_those_of_the_table_and_the_map(server: Server) -> None:
    browser = server.browser()
    view = browser.open("contract")
    coach = browser.get(f"/api/tables/{view['id']}/coach", params={"version": view["version"]}).json()
    assert {cell["card"] for cell in coach["map"][0]["cells"]} >= {"As", "Kc"}
    del coach["map"]
    seen = {card["card"] for card in view["hand"]["cards"]} | set(view["pile"]["cards"])
    assert cards_in(str(coach["moves"])) <= seen


def test_a_review_adds_up_and_can_be_retried_and_becomes_puzzles(server: Server) -> None:
    browser = server.browser()
    over = browser.play_on(browser.open("contract"))
    review = reviewed(browser, f"games/{over['record']}")
    ledger = {part["kind"]: part["value"] for part in review["ledger"]}
    assert ledger["result"] == pytest.approx(ledger["luck"] + ledger["mine"] + ledger["theirs"])
    steps = browser.get(f"/api/games/{over['record']}").json()["steps"]
    points = review["graph"]["points"]
    assert points[-1]["step"] == len(steps) - 1
    assert points[-1]["low"] == points[-1]["high"] == points[-1]["value"]
    assert any(point["low"] < point["value"] < point["high"] for point in points)
    assert "answers" not in review
    losses = [decision["loss"] for decision in review["decisions"]]
    assert losses == sorted(losses)
    if review["decisions"]:
        worst = review["decisions"][0]
        action = worst["position"]["actions"][0]["id"]
        done = browser.post(f"/api/games/{over['record']}/retry", {"decision": worst["decision"], "action": action})
        assert done.json()["text"]
        assert done.json()["best"]["best"]
    assert browser.get("/api/history").json()["leaks"]
    for puzzle in browser.get("/api/puzzles").json()["puzzles"][:1]:
        shown = browser.get(f"/api/puzzles/{puzzle['id']}").json()
        answer = {"action": shown["view"]["actions"][0]["id"]}
        assert browser.post(f"/api/puzzles/{puzzle['id']}/answer", answer).json()["verdict"]
        assert browser.get("/api/puzzles").json()["puzzles"][0]["solved"] in (True, False, None)


def test_a_match_is_reviewed_from_the_reviews_of_its_finished_hands(server: Server) -> None:
    browser, other = server.browser(), server.browser()
    first = browser.play_on(browser.open("indian", format="deals-2"))
    match = f"matches/{first['id']}"
    hands = [reviewed(browser, f"games/{first['record']}")]
    browser.post(f"/api/tables/{first['id']}/next", {"version": first["version"]})
    so_far = reviewed(browser, match)
    assert [row["record"] for row in so_far["hands"]] == [first["record"]], "the hand in play is no part of it"
    assert so_far["outcome"] == "The match is not over."
    last = browser.play_on(browser.settled(first))
    waiting: list[dict[str, Any]] = []
    review = reviewed(browser, match, waiting)
    assert {one["text"] for one in waiting} == {"Hand 2 of 2"}, "a review that is kept is used"
    hands.append(reviewed(browser, f"games/{last['record']}"))
    assert review["outcome"] == last["match_over"]["text"]
    ledgers = [{part["kind"]: part for part in one["ledger"]} for one in hands]
    total = {part["kind"]: part for part in review["ledger"]}
    for kind, part in total.items():
        assert part["value"] == pytest.approx(sum(ledger[kind]["value"] for ledger in ledgers))
        assert part["half"] == pytest.approx(math.hypot(*(ledger[kind]["half"] for ledger in ledgers)))
    assert total["result"]["value"] == pytest.approx(sum(total[kind]["value"] for kind in ("luck", "mine", "theirs")))
    losses = sorted(decision["loss"] for one in hands for decision in one["decisions"])
    assert [decision["loss"] for decision in review["decisions"]] == losses[:5]
    assert [row["record"] for row in review["hands"]] == [first["record"], last["record"]]
    marks = [sum(one["verdict"] in ("mistake", "blunder") for one in hand["all"]) for hand in hands]
    assert [row["mistakes"] for row in review["hands"]] == marks
    (line,) = browser.get("/api/matches").json()["matches"]
    assert (line["match"], line["hands"], line["outcome"]) == (first["id"], 2, review["outcome"])
    assert other.get(f"/api/{match}/review").status_code == 404
    assert other.get("/api/matches").json()["matches"] == []
