"""Tables over HTTP: every game to its end, requests that are refused, restarts, take-backs, people and watchers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rummylab.engine.commitment import commitment, verify
from rummylab.engine.records import parse_records
from rummylab.ui.web.security import Limits
from web_tables import QUICK, Browser, Server, running


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as found:
        yield found


@pytest.mark.parametrize("game", sorted(QUICK))
def test_a_hand_is_played_to_its_end_and_kept(server: Server, game: str) -> None:
    browser = server.browser()
    view = browser.open(game)
    sealed = view["fairness"]["commitment"]
    assert view["fairness"]["reveal"] is None
    over = browser.play_on(view)
    assert over["showdown"]["title"] == over["status"]["text"]
    assert len(over["showdown"]["hands"]) == over["game"]["seats"]
    games = browser.get("/api/games").json()["games"]
    assert [one["record"] for one in games] == [over["record"]]
    record = parse_records(browser.get(f"/api/games/{over['record']}/file").text)[0]
    assert record.header["commitment"] == sealed == over["fairness"]["commitment"]
    assert verify(record, record.replay().rules).hand == 0
    reveal = over["fairness"]["reveal"]
    head = record.header
    assert commitment(game, head["options"], 0, int(reveal["seed"], 16), reveal["salt"]) == sealed
    steps = browser.get(f"/api/games/{over['record']}").json()["steps"]
    assert len(steps) == 1 + sum(event.chosen for event in record.events)


def test_a_match_goes_on_with_the_next_hand_and_keeps_its_score(server: Server) -> None:
    browser = server.browser()
    over = browser.play_on(browser.open("gin"))
    scores = [seat["score"] for seat in over["seats"]]
    done = browser.post(f"/api/tables/{over['id']}/next", {"version": over["version"]})
    view = browser.settled(done.json())
    assert view["hand_no"] == 2
    assert [seat["score"] for seat in view["seats"]] == scores
    assert view["fairness"]["commitment"] != over["fairness"]["commitment"]


def test_six_players_sit_in_a_pool(server: Server) -> None:
    browser = server.browser()
    view = browser.open("indian", format="pool-101", seats=6, opponents=[{"agent": "mindist-drop"}] * 5)
    assert [seat["seat"] for seat in view["seats"]] == list(range(6))
    assert view["seats"][0]["score_text"] == "0 of 101"
    assert view["wild"]["text"].startswith("Wild rank: all ")


# --- Requests that are refused ----------------------------------------------------------------------------------------


def refused(done: Any, status: int, code: str) -> dict[str, Any]:
    assert done.status_code == status, done.text
    error: dict[str, Any] = done.json()["error"]
    assert error["code"] == code
    assert error["message"].strip()
    return error


def test_a_replayed_request_changes_nothing(server: Server) -> None:
    browser = server.browser()
    view = browser.open("gin", seed=1)
    body = {"version": view["version"], "action": view["actions"][0]["id"]}
    path = f"/api/tables/{view['id']}/move"
    assert browser.post(path, body).status_code == 200
    after = browser.settled(view)
    refused(browser.post(path, body), 409, "stale")
    assert browser.get(f"/api/tables/{view['id']}").json() == after


@pytest.mark.parametrize(
    ("action", "words"),
    [("knock Ah", "You can't do that"), ("fly away", "You can't do that"), ("7h", "not a move")],
)
def test_an_illegal_move_is_refused_in_words_and_changes_nothing(server: Server, action: str, words: str) -> None:
    browser = server.browser()
    view = browser.open("gin", seed=1)
    done = browser.post(f"/api/tables/{view['id']}/move", {"version": view["version"], "action": action})
    assert words in refused(done, 409, "illegal_move")["message"]
    assert browser.get(f"/api/tables/{view['id']}").json() == view


def test_nobody_moves_out_of_turn(server: Server) -> None:
    host, guest = server.browser(), server.browser()
    view = host.open("gin", opponents=[{"person": True}], seed=2)
    code = host.post(f"/api/tables/{view['id']}/invite", {}).json()["code"]
    theirs = guest.post("/api/join", {"code": code, "name": "Ann"}).json()
    waiting = guest if theirs["actor"] != theirs["you"] else host
    done = waiting.post(f"/api/tables/{view['id']}/move", {"version": theirs["version"], "action": "pass"})
    refused(done, 409, "not_your_turn")
    assert guest.get(f"/api/tables/{view['id']}").json() == theirs


def test_another_browser_can_neither_read_nor_play_a_table(server: Server) -> None:
    browser, other = server.browser(), server.browser()
    view = browser.open("gin")
    over = browser.play_on(view)
    for path in (f"/api/tables/{view['id']}", f"/api/tables/{view['id']}/events", f"/api/games/{over['record']}"):
        refused(other.get(path), 404, "not_found")
    for what in ("move", "next", "take-back", "leave", "step", "invite"):
        body = {"version": over["version"], "action": "pass"} if what == "move" else {"version": over["version"]}
        refused(other.post(f"/api/tables/{view['id']}/{what}", {} if what == "invite" else body), 404, "not_found")
    assert other.get("/api/me").json()["open_tables"] == []


def test_other_sites_and_other_names_are_refused(server: Server) -> None:
    browser = server.browser()
    body = {"game": "gin"}
    refused(browser.post("/api/tables", body, headers={"Origin": "http://evil.example"}), 403, "bad_origin")
    refused(browser.post("/api/tables", body, headers={"Origin": "null"}), 403, "bad_origin")
    refused(browser.get("/api/me", headers={"Sec-Fetch-Site": "cross-site"}), 403, "bad_origin")
    refused(browser.get("/api/me", headers={"Host": "evil.example"}), 421, "bad_host")
    refused(browser.get("/", headers={"Host": "evil.example"}), 421, "bad_host")
    assert browser.get("/api/me", headers={"Origin": "http://localhost:8750"}).status_code == 200
    assert browser.get("/api/me").json()["open_tables"] == []


def test_large_and_malformed_requests_are_refused(server: Server) -> None:
    browser = server.browser()
    refused(browser.post("/api/tables", {"game": "x" * 100_000}), 413, "too_large")
    for content, kind, status, code in (
        (b"{", "application/json", 400, "bad_request"),
        (b"game=gin", "application/x-www-form-urlencoded", 415, "unsupported_type"),
        (b'{"game": "gin", "cheat": 1}', "application/json", 422, "invalid"),
        (b'{"game": "whist"}', "application/json", 422, "invalid"),
        (b'{"game": "gin", "opponents": [{"agent": "simpel"}]}', "application/json", 422, "invalid"),
    ):
        sent = browser.client.post("/api/tables", content=content, headers={"Content-Type": kind})
        refused(server.run(sent), status, code)
    assert "did you mean 'simple'" in server.run(sent_agent(browser)).json()["error"]["message"]


def sent_agent(browser: Any) -> Any:
    return browser.client.post("/api/tables", json={"game": "gin", "opponents": [{"agent": "simpel"}]})


def test_too_many_requests_have_to_wait() -> None:
    with running(limits=Limits(per_second=0.001, burst=5.0)) as server:
        browser = server.browser()
        browser.get("/api/catalog")
        answers = [browser.get("/api/catalog") for _ in range(8)]
        assert [one.status_code for one in answers][-1] == 429
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert server.browser().get("/api/catalog").status_code in (200, 429)


def test_every_answer_has_strict_headers(server: Server) -> None:
    for path in ("/", "/api/me", "/v1/games", "/openapi.json", "/nothing.js"):
        headers = server.browser().get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_the_cookie_is_unguessable_and_out_of_reach_of_scripts(server: Server) -> None:
    cookies = [server.browser().get("/api/me").headers["set-cookie"] for _ in range(2)]
    assert cookies[0] != cookies[1]
    assert all("HttpOnly" in one and "SameSite=Strict" in one and len(one.partition("=")[2]) > 43 for one in cookies)


# --- Restart, take-back, people, watchers -----------------------------------------------------------------------------


def under_way(browser: Browser, game: str, moves: int = 3) -> dict[str, Any]:
    """Return a table where the player has made *moves* moves; a table whose hand ends sooner is left."""
    view = browser.open(game)
    for _ in range(moves):
        going_on = [action["id"] for action in view["actions"] if action["tone"] != "end"]
        if not going_on:
            browser.post(f"/api/tables/{view['id']}/leave", {"version": view["version"]})
            return under_way(browser, game, moves)
        view = browser.move(view, going_on[0])
    return view


@pytest.mark.parametrize("game", sorted(QUICK))
def test_a_hand_goes_on_after_a_restart(tmp_path: Path, game: str) -> None:
    file = tmp_path / "tables.db"
    with running(file) as server:
        browser = server.browser()
        view = under_way(browser, game)
        cookies = browser.client.cookies
    with running(file) as server:
        browser = server.browser()
        browser.client.cookies = cookies
        assert browser.get("/api/me").json()["open_tables"][0]["id"] == view["id"]
        assert browser.get(f"/api/tables/{view['id']}").json() == view
        assert browser.play_on(view)["showdown"] is not None


def test_a_restart_does_not_change_what_agents_do(tmp_path: Path) -> None:
    ends = []
    for restart in (False, True):
        file = tmp_path / f"{restart}.db"
        with running(file) as server:
            browser = server.browser()
            view = browser.open("gin", seed=5, opponents=[{"agent": "random"}])
            for _ in range(3):
                view = browser.move(view, view["actions"][0]["id"])
            if not restart:
                ends.append([one["text"] for one in browser.play_on(view)["log"]])
            cookies = browser.client.cookies
        if restart:
            with running(file) as server:
                browser = server.browser()
                browser.client.cookies = cookies
                ends.append([one["text"] for one in browser.play_on(view)["log"]])
    assert ends[0] == ends[1]


def test_a_take_back_is_free_until_a_card_is_seen(server: Server) -> None:
    browser = server.browser()
    view = browser.open("contract")
    assert not view["take_back"]["possible"]
    view = browser.move(view, "draw upcard")
    assert view["take_back"] == {"possible": True, "free": True, "text": "Take back your last move."}
    done = browser.post(f"/api/tables/{view['id']}/take-back", {"version": view["version"]}).json()
    assert done["rated"]
    assert done["phase"] == "draw"
    view = browser.move(done, "draw stock")
    assert not view["take_back"]["free"]
    done = browser.post(f"/api/tables/{view['id']}/take-back", {"version": view["version"]}).json()
    assert not done["rated"]
    assert "does not count" in done["rated_text"]
    refused(
        browser.post(f"/api/tables/{view['id']}/take-back", {"version": done["version"]}), 409, "nothing_to_take_back"
    )


def test_an_unrated_hand_does_not_enter_the_statistics(server: Server) -> None:
    browser = server.browser()
    browser.play_on(browser.open("gin", seed=3))
    history = browser.get("/api/history").json()
    assert history["games"] == 1
    assert history["by_opponent"] == []
    browser.play_on(browser.open("gin"))
    (row,) = browser.get("/api/history").json()["by_opponent"]
    assert row["opponent"] == "Simple"
    assert 0 <= row["low"] <= row["rate"] <= row["high"] <= 1


def test_two_people_play_each_other_and_see_only_their_own_cards(server: Server) -> None:
    host, guest = server.browser(), server.browser()
    view = host.open("gin", opponents=[{"person": True}])
    assert view["invite"]["open_seats"] == [1]
    code = host.post(f"/api/tables/{view['id']}/invite", {}).json()["code"]
    theirs = guest.post("/api/join", {"code": code, "name": "Ann"}).json()
    refused(server.browser().post("/api/join", {"code": code, "name": "Eve"}), 404, "not_found")
    mine = host.get(f"/api/tables/{view['id']}").json()
    assert theirs["you"] == 1
    assert mine["seats"][1]["name"] == "Ann"
    assert not {card["card"] for card in mine["hand"]["cards"]} & {card["card"] for card in theirs["hand"]["cards"]}
    for _ in range(200):
        mine = host.get(f"/api/tables/{view['id']}").json()
        if mine["actor"] is None:
            break
        if mine["actor"] == 0:
            host.move(mine, mine["actions"][0]["id"])
        else:
            theirs = guest.get(f"/api/tables/{view['id']}").json()
            guest.move(theirs, theirs["actions"][0]["id"])
    assert host.get("/api/games").json()["games"][0]["record"] == guest.get("/api/games").json()["games"][0]["record"]


def test_missed_turns_are_played_by_the_rules_page_and_the_third_is_a_drop(server: Server) -> None:
    host, guest = server.browser(), server.browser()
    view = host.open("indian", opponents=[{"person": True}], turn_seconds=10)
    code = host.post(f"/api/tables/{view['id']}/invite", {}).json()["code"]
    guest.post("/api/join", {"code": code, "name": "Ann"})
    house, live = server.house, server.house.live[view["id"]]
    for _ in range(6):
        if live.session.is_over:
            break
        live.session.changed -= 11
        server.run(house.miss_turns())
    over = host.get(f"/api/tables/{view['id']}").json()
    texts = [entry["text"] for entry in over["log"] if entry["seat"] >= 0]
    assert texts[-1].endswith("dropped.")
    draws = [entry for entry in over["log"] if entry["verb"] == "draw stock" and entry["seat"] == 0]
    throws = [entry for entry in over["log"] if entry["verb"] == "discard" and entry["seat"] == 0]
    assert len(throws) == 2
    assert [entry["cards"] for entry in draws] == [entry["cards"] for entry in throws]
    assert over["showdown"]["outcome"] == "dropped"


def test_a_watched_table_plays_on_request_and_is_kept(server: Server) -> None:
    browser = server.browser()
    view = browser.open("gin", kind="watch", watch={"agents": [{"agent": "simple"}, {"agent": "random"}], "eyes": 1})
    assert (view["you"], view["eyes"], view["actions"]) == (None, 1, [])
    path = f"/api/tables/{view['id']}/step"
    view = browser.post(path, {"version": view["version"], "until": "turn"}).json()
    assert view["actor"] is not None
    view = browser.post(path, {"version": view["version"], "until": "hand"}).json()
    assert view["showdown"] is not None
    assert browser.get("/api/games").json()["games"][0]["source"] == "watch"
    refused(browser.post(path, {"version": view["version"]}), 409, "hand_over")


def test_everyone_gets_the_same_daily_deal_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.house, "now", lambda: 1_800_000_000.0)  # midnight never comes between the two
    hands = []
    for _ in range(2):
        browser = server.browser()
        view = browser.open("contract", kind="daily")
        hands.append([card["card"] for card in view["hand"]["cards"]])
        done = browser.post("/api/tables", {"game": "contract", "kind": "daily"})
        refused(done, 409, "already_played")
        assert browser.get("/api/daily").json()["games"]
    assert hands[0] == hands[1]


def test_a_file_can_be_shared_and_opened_and_played_on_from_any_step(server: Server) -> None:
    browser, friend = server.browser(), server.browser()
    over = browser.play_on(browser.open("gin"))
    text = browser.get(f"/api/games/{over['record']}/file").text
    (game,) = friend.post("/api/games", {"text": text}).json()["games"]
    replay = friend.get(f"/api/games/{game['record']}").json()
    assert replay["fairness"]["verified"]
    view = friend.post(f"/api/games/{game['record']}/what-if", {"step": 4, "seat": 0}).json()
    assert view["kind"] == "what_if"
    assert friend.play_on(friend.settled(view))["showdown"] is not None
    refused(friend.post("/api/games", {"text": text.replace("discard", "knock", 1)}), 422, "invalid")
    page = friend.get(f"/api/games/{game['record']}/page").text
    assert "<script" in page
    assert "src=" not in page


def test_a_closed_table_is_gone(server: Server) -> None:
    browser = server.browser()
    view = browser.open("gin")
    assert browser.post(f"/api/tables/{view['id']}/leave", {"version": view["version"]}).json() == {"left": True}
    refused(browser.get(f"/api/tables/{view['id']}"), 404, "not_found")


def test_the_rules_panel_states_the_options_in_force(server: Server) -> None:
    browser = server.browser()
    found = browser.get("/api/rules", params={"game": "gin", "rules": "eaai(knock_limit=7)"}).json()
    assert "at most 7 points" in json.dumps(found)
    refused(browser.get("/api/rules", params={"game": "gin", "rules": "eaai(knock_limit=700)"}), 422, "invalid")


@pytest.mark.parametrize("game", sorted(QUICK))
def test_a_tutorial_leads_through_a_whole_hand_and_explains_wrong_moves(server: Server, game: str) -> None:
    browser = server.browser()
    view = browser.open(game, kind="tutorial")
    steps = 0
    while not view["lesson"]["done"]:
        (expected,) = view["lesson"]["expected"]
        assert view["lesson"]["step"] == steps + 1
        assert expected in [action["id"] for action in view["actions"]]
        wrong = next((action["id"] for action in view["actions"] if action["id"] != expected), None)
        if wrong is not None:
            body = {"version": view["version"], "action": wrong}
            refused(browser.post(f"/api/tables/{view['id']}/move", body), 409, "wrong_move")
        view = browser.move(view, expected)
        steps += 1
    assert steps >= 8
    assert view["showdown"]["winner"] is not None
    assert browser.get("/api/games").json()["games"] == []
