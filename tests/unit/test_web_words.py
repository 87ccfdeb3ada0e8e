"""What the table says: cards, melds and ends of hands in sentences that a new player understands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rummylab import Card
from rummylab.analysis.values import Budget
from rummylab.engine.records import parse_records
from rummylab.engine.show import told_text
from rummylab.ui.table.coaching import review_dict
from rummylab.ui.table.history import leaks
from web_tables import Browser, Server, choice, running


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(coach_worlds=4) as found:
        yield found


def finished(browser: Browser, game: str, **wanted: Any) -> dict[str, Any]:
    return browser.play_on(browser.open(game, hands="one", **wanted))


def test_a_joker_alone_has_an_article_in_a_sentence() -> None:
    joker, king = Card.parse("PJ"), Card.parse("Kh")
    assert told_text([joker]) == "a joker"
    assert told_text([king]) == "K♥"
    assert told_text([king, joker]) == "K♥ joker"


def test_a_layoff_is_told_with_the_name_of_its_meld(server: Server) -> None:
    over = finished(server.browser(), "contract", rules="contract-7", seed=13, opponents=[{"agent": "contract-greedy"}])
    told = [entry["text"] for entry in over["log"] if entry["verb"].startswith("lay off")]
    assert "You laid off K♦ on Contract greedy's kings." in told
    assert all("meld" not in text for text in told)
    assert any(" on their tens." in text for text in told)


def test_the_end_of_a_contract_round_shows_the_melds_of_both(server: Server) -> None:
    over = finished(server.browser(), "contract", rules="contract-7", seed=13, opponents=[{"agent": "contract-greedy"}])
    for hand in over["showdown"]["hands"]:
        melds = [group for group in hand["groups"] if group["tone"] == "meld"]
        assert {(group["label"], len(group["cards"]) >= 3) for group in melds} >= {
            ("sevens" if hand["seat"] == 0 else "tens", True)
        }


def test_an_empty_stock_ends_a_hand_only_on_purpose(server: Server) -> None:
    browser = server.browser()
    view = browser.open("gin_pass", rules="course", seats=3, seed=6, opponents=[{"agent": "dummy"}] * 2, hands="one")
    while view["stock"]["count"] and view["actor"] is not None:
        going_on = [action for action in view["actions"] if action["tone"] != "end"]
        view = browser.move(view, choice({"actions": going_on}))
    assert view["actor"] == 0
    last = next(action for action in view["actions"] if action["verb"] == "draw stock")
    assert (last["tone"], last["confirm"], last["short"]) == ("end", "hold", "End the hand")
    assert "The stock is empty" in view["status"]["text"]
    over = browser.move(view, last["id"])
    assert over["log"][-1]["text"] == "You ended the hand: the stock is empty."


def test_who_wins_a_deal_of_a_pool_wins_the_deal_and_no_points(server: Server) -> None:
    over = finished(server.browser(), "indian", format="pool-101", seed=5)
    assert over["showdown"]["title"].endswith(("win the deal.", "wins the deal."))


def test_a_review_says_you_to_the_player_and_a_name_to_others(server: Server) -> None:
    browser = server.browser()
    over = finished(browser, "gin", seed=3)
    found = parse_records(browser.get(f"/api/games/{over['record']}/file").text, "the record")[0]
    few = Budget(worlds=4, seconds=None)
    mine, _ = review_dict(found, 0, few, None)
    theirs, _ = review_dict(found, 1, few, None, you=False)
    assert mine["who"] == "you"
    assert all(one["text"].startswith("You ") for one in mine["all"])
    assert theirs["who"] == "Simple"
    assert all(one["text"].startswith("Simple ") for one in theirs["all"])
    shown = [float(part["text"].split(" ± ")[0].replace("−", "-")) for part in mine["ledger"]]
    assert shown[0] == pytest.approx(sum(shown[1:]))


def test_leaks_are_told_by_what_they_cost_in_all() -> None:
    decisions = [{"kind": "draw", "loss": -1.0}, {"kind": "draw", "loss": -4.3}, {"kind": "knock", "loss": 0.0}]
    assert [row["text"] for row in leaks([("", {"all": decisions})])] == [
        "−5.3 points in 2 decisions, −2.6 each",
        "no loss in 1 decision",
    ]
