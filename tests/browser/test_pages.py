"""Every page does its work in a browser. `make browser` runs these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rummylab.engine.records import parse_records
from rummylab.ui.table.replays import present_action, start_state
from web_tables import cards_in

from .conftest import Site, Visit, new_site, sit
from .robot import Robot

GAMES = ["gin", "indian", "contract", "gin_pass"]
LESSONS = Path(__file__).parents[2] / "src" / "rummylab" / "ui" / "table" / "lessons"
SHORT = {"game": "gin", "opponents": [{"agent": "simple"}], "seed": 3, "hands": "one"}
MATCHES: dict[str, dict[str, Any]] = {
    "gin": {"game": "gin", "opponents": [{"agent": "simple"}], "seed": 21},
    "indian": {"game": "indian", "format": "deals-2", "opponents": [{"agent": "minscore"}], "seed": 21},
    "contract": {"game": "contract", "opponents": [{"agent": "chinese-heuristic"}], "seed": 21},
    "gin_pass": {"game": "gin_pass", "rules": "course(hands=4)", "opponents": [{"agent": "melder"}], "seed": 21},
}
FACES = """[...document.querySelectorAll('svg.face:not(.back)')].map(face => [...face.querySelectorAll('use')]
    .slice(0, 2).map(use => use.getAttribute('href').split('-')[1]).join('').replace('10', 'T'))"""
"""The cards whose faces are drawn, such as ``Th``."""
pytestmark = pytest.mark.full


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    """A server that a test may stop and start again."""
    found = new_site(tmp_path)
    found.start()
    yield found
    found.stop()


@pytest.mark.parametrize("game", GAMES)
def test_a_match_of_each_game_has_an_end(visit: Visit, game: str) -> None:
    page = visit("keys")
    sit(page, **MATCHES[game])
    robot = Robot(page, "keys")
    for _ in range(60):
        robot.play_hand()
        if not page.locator("button.main", has_text=re.compile("Next")).count():
            break
        page.keyboard.press("n")
        page.wait_for_selector("main:not([data-turn=over])")
    assert page.get_by_role("button", name="New game").count() == 1


@pytest.mark.parametrize("game", GAMES)
def test_a_tutorial_explains_a_wrong_move_and_ends_in_a_scored_hand(visit: Visit, game: str) -> None:
    script = json.loads((LESSONS / f"{game}.json").read_text(encoding="utf-8"))
    assert len(script["steps"]) >= 8
    page = visit("mouse", numbers=False)
    sit(page, game=game, kind="tutorial")
    robot = Robot(page, "mouse")
    robot.turn()
    view = page.evaluate(
        "fetch('/api' + location.hash.slice(1).replace('table', 'tables')).then(answer => answer.json())"
    )
    wrong = next(action for action in view["actions"] if action["id"] not in view["lesson"]["expected"])
    _do(page, wrong)
    page.get_by_role("alert").get_by_text(script["steps"][0]["wrong"][:40]).wait_for()
    page.get_by_role("button", name="OK").click()
    for step in script["steps"]:
        robot.turn()
        before = robot.version()
        _do(page, _action(page, step["action"]))
        page.wait_for_function(
            "v => Number(document.querySelector('main[data-version]').dataset.version) > v", arg=before
        )
    assert robot.turn() == "over"
    assert "Done." in page.locator(".lesson").inner_text()
    assert page.locator(".sum").inner_text()


def _action(page: Any, wanted: str) -> Any:
    view = page.evaluate(
        "fetch('/api' + location.hash.slice(1).replace('table', 'tables')).then(answer => answer.json())"
    )
    return next(action for action in view["actions"] if action["id"] == wanted)


def _do(page: Any, action: Any) -> None:
    """Do an action as a person with a mouse does."""
    for card in page.locator(".hand .card.sel").all():
        card.click(position={"x": 10, "y": 20})
    if action["place"] in ("card", "cards", "meld"):
        for card in action["cards"]:
            page.locator(f".hand [data-card='{card}']:not(.sel)").first.click(position={"x": 10, "y": 20})
    if action["place"] in ("stock", "pile"):
        page.locator(f"[data-pile={action['place']}]").click()
    elif action["place"] == "meld":
        page.locator(f"[data-drop='meld:{action['on']}']").click()
    elif action["tone"] == "end":
        button = page.locator(".hold").filter(has=page.locator("kbd", has_text=action["key"] or ""))
        button.click()
        page.locator(".hold.asking").click()
    else:
        page.locator(f".acts [data-verb='{action['verb']}']").click()


def test_a_reload_and_a_restart_of_the_server_keep_the_hand(visit: Visit, own_site: Site) -> None:
    page = visit("keys", url=own_site.url)
    sit(page, **SHORT)
    robot = Robot(page, "keys")
    robot.turn()
    robot.move()
    robot.turn()
    cards = "e => e.map(card => card.dataset.card).sort().join()"
    before = page.eval_on_selector_all(".hand .card", cards)
    page.reload()
    robot.turn()
    assert page.eval_on_selector_all(".hand .card", cards) == before
    own_site.stop()
    page.get_by_text("The line to the server is down").wait_for()
    own_site.start()
    page.get_by_text("The line to the server is down").wait_for(state="detached")
    assert page.eval_on_selector_all(".hand .card", cards) == before
    robot.play_hand()


def test_any_agent_is_an_opponent(visit: Visit) -> None:
    page = visit("mouse")
    page.get_by_label("Or an agent by name").select_option("simple")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector(".hand .card")
    assert page.locator("section.seat b").inner_text() == "Simple"


def test_two_browsers_cannot_see_each_others_table(visit: Visit) -> None:
    mine, other = visit("mouse"), visit("mouse")
    view = sit(mine, **SHORT)
    other.goto(f"/#/table/{view['id']}")
    other.get_by_role("alert").wait_for()
    assert other.locator(".hand").count() == 0
    assert other.request.get(f"/api/tables/{view['id']}").status == 404


def test_hidden_cards_are_nowhere_in_the_page_or_in_what_it_was_sent(visit: Visit) -> None:
    page = visit("mouse")
    sent: list[str] = []
    answers: list[Any] = []
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on("Network.eventSourceMessageReceived", lambda event: sent.append(event["data"]))
    page.on("response", lambda answer: answers.append(answer) if _is_plain(answer) else None)
    sit(page, **SHORT)
    robot = Robot(page, "mouse")
    moments: list[tuple[str, set[str], list[str]]] = []
    """The whole page, the faces drawn on it and all that was sent, before each move of the person."""
    while robot.turn() == "you":
        moments.append((page.content(), set(page.evaluate(FACES)), [*sent, *(answer.text() for answer in answers)]))
        sent.clear()
        answers.clear()
        robot.move()
    record = _record(page)
    state = start_state(record)
    hidden: list[tuple[set[str], set[str]]] = []
    """The player's own cards and those they could not know, at the same moments, from the revealed record."""
    for event in record.events:
        if event.chosen:
            if state.actor == 0:
                seen = state.observe(0)
                known = [*seen.hand, *seen.pile, *seen.known(1), *(card for one in seen.log for card in one.secret)]
                known += [card for one in seen.log for card in one.action.cards]
                own = {str(card) for card in seen.hand}
                hidden.append((own, {str(card) for card in state.deck} - {str(card) for card in known}))
            state.push(present_action(event.action))
    assert len(moments) > 5
    assert any(bodies for *_, bodies in moments)
    for (html, faces, bodies), (own, secret) in zip(moments, hidden, strict=False):
        attributes = set(re.findall(r'data-(?:card|key)="([A2-9TJQK][chsd])', html))
        named = cards_in(html) | faces | attributes
        assert own <= faces, "the faces on the page are read"
        assert own <= attributes
        assert len(secret) >= 10
        assert not named & secret
        for body in bodies:
            assert not cards_in(body) & secret, body[:300]


def _is_plain(answer: Any) -> bool:
    return "/api/" in answer.url and not answer.url.partition("?")[0].endswith("/events")


def _record(page: Any) -> Any:
    view = page.evaluate(
        "fetch('/api' + location.hash.slice(1).replace('table', 'tables')).then(answer => answer.json())"
    )
    return parse_records(page.request.get(f"/api/games/{view['record']}/file").text(), "the record")[0]


def test_the_coach_ranks_moves_and_draws_a_map(visit: Visit) -> None:
    page = visit("keys")
    sit(page, **SHORT, hints="request")
    robot = Robot(page, "keys")
    robot.turn()
    _skip_without_coach(page)
    page.keyboard.press("h")
    page.locator(".mv.best").first.wait_for()
    assert page.locator(".mv").count() >= 2
    assert page.locator(".mv.best ul li").count() >= 1
    cells = page.locator("table.heat tbody td")
    assert cells.count() == 52
    own = page.eval_on_selector_all(".hand .card", "e => e.length")
    assert page.locator("table.heat td.none").count() >= own, "own cards cannot be in another hand"


def test_a_review_asks_before_it_tells(visit: Visit) -> None:
    page = visit("mouse")
    sit(page, **SHORT)
    _skip_without_coach(page)
    Robot(page, "mouse").play_hand()
    page.get_by_role("button", name="Review this hand").click()
    page.locator(".led").wait_for(timeout=300_000)
    values = _ledger(page)
    assert abs(values[0] - sum(values[1:])) < 0.11, values
    page.get_by_role("button", name="Try again").first.click()
    aside = page.locator("aside")
    aside.get_by_text("Choose before you look").wait_for()
    assert aside.locator(".mv").count() == 0
    buttons = aside.locator(".acts [data-verb]:not([aria-disabled=true])")
    buttons.first.click()
    aside.get_by_text("The answer").wait_for()
    assert aside.locator(".mv").count() >= 1


def test_a_match_is_reviewed_as_a_whole(visit: Visit) -> None:
    page, other = visit("mouse"), visit("mouse")
    view = sit(page, **MATCHES["indian"])
    _skip_without_coach(page)
    robot = Robot(page, "mouse")
    robot.play_hand()
    assert page.get_by_role("button", name="Review the match").count() == 0
    page.keyboard.press("n")
    page.wait_for_selector("main:not([data-turn=over])")
    robot.play_hand()
    page.get_by_role("button", name="Review the match").click()
    page.locator(".led").wait_for(timeout=300_000)
    values = _ledger(page)
    assert abs(values[0] - sum(values[1:])) < 0.01, values
    assert page.locator("tbody tr").count() == 2
    page.get_by_role("link", name="Try again").first.click()
    page.locator("aside").get_by_text("Choose before you look").wait_for()
    assert page.locator("aside .mv").count() == 0
    page.get_by_role("link", name="Back to the match").click()
    page.get_by_role("link", name="Review Deal 2").click()
    page.locator(".stage").wait_for()
    page.goto("/#/history")
    page.get_by_role("link", name="Review the match").click()
    page.locator(".led").wait_for()
    other.goto(f"/#/match/{view['id']}")
    other.get_by_role("alert").wait_for()
    assert other.locator(".led").count() == 0


def _ledger(page: Any) -> list[float]:
    return [
        float(text.split(" ±")[0].replace("−", "-").replace("+", ""))
        for text in page.locator(".led dd").all_inner_texts()
    ]


def _skip_without_coach(page: Any) -> None:
    table = page.url.rpartition("/")[2]
    version = page.get_attribute("main[data-version]", "data-version")
    answer = page.request.get(f"/api/tables/{table}/coach?version={version}")
    if answer.status == 409 and answer.json()["error"]["code"] == "not_available":
        pytest.skip("this version has no coach")


def test_a_hand_is_stepped_through_shared_and_opened_again(visit: Visit, tmp_path: Path) -> None:
    page = visit("mouse")
    sit(page, **SHORT)
    Robot(page, "mouse").play_hand()
    page.get_by_role("button", name="Review this hand").click()
    stage = page.locator(".stage")
    stage.wait_for()
    last = page.locator(".where").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".where").inner_text() != last
    stage.get_by_role("button", name="Hide their cards").click()
    assert stage.locator(".face.back").count() >= 9
    page.get_by_role("tab", name="Share").click()
    with page.expect_download() as download:
        page.get_by_text("Save the file").click()
    file = tmp_path / "hand.rgr"
    download.value.save_as(file)
    other = visit("mouse")
    other.goto("/#/history")
    other.locator("#file").set_input_files(str(file))
    other.locator(".stage").wait_for()
    assert other.locator(".where").inner_text().endswith(last.rpartition(" ")[2])


def test_a_page_saved_to_disk_replays_the_hand_without_a_server(visit: Visit, tmp_path: Path) -> None:
    page = visit("mouse")
    sit(page, **SHORT)
    Robot(page, "mouse").play_hand()
    page.get_by_role("button", name="Review this hand").click()
    page.get_by_role("tab", name="Share").click()
    with page.expect_download() as download:
        page.get_by_text("Save a page that replays it").click()
    file = tmp_path / "hand.html"
    download.value.save_as(file)
    alone = page.context.new_page()
    asked: list[str] = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    first = alone.locator("#say").inner_text()
    alone.get_by_role("button", name="Last").click()
    assert alone.locator("#say").inner_text() != first
    assert alone.locator("#seats [aria-label*=' of ']").count() >= 10
    alone.get_by_label("Show all hands").uncheck()
    assert alone.locator("#seats [aria-label*=' of ']").count() == 0
    assert asked == [file.as_uri()]


def test_a_mistake_becomes_a_puzzle_that_can_be_solved(visit: Visit) -> None:
    page = visit("mouse")
    sit(page, **SHORT)
    Robot(page, "mouse", careless=True).play_hand()
    page.get_by_role("button", name="Review this hand").click()
    page.locator(".led").wait_for(timeout=300_000)
    assert page.locator(".tag.mistake, .tag.blunder").count() >= 1
    page.goto("/#/history")
    page.locator(".leak").first.wait_for()
    page.locator(".pz a").first.click()
    page.get_by_role("heading", name="What would you do?").wait_for()
    assert page.locator(".mv").count() == 0, "the position comes first"
    page.locator(".acts [data-verb]:not([aria-disabled=true])").first.click()
    page.locator(".mv").first.wait_for()
    page.get_by_role("link", name="More puzzles").click()
    page.locator(".pz").first.wait_for()
    marks = [mark.strip() for mark in page.locator(".pz > span:first-child").all_inner_texts()]
    assert {"✓", "✗"} & set(marks)


def test_the_daily_deal_is_played_once(visit: Visit, own_site: Site) -> None:
    page = visit("keys", url=own_site.url)
    page.get_by_role("button", name="Play today’s deal").click()
    page.wait_for_selector("main[data-turn]")
    robot = Robot(page, "keys")
    robot.turn()
    page.goto("/#/play")
    page.get_by_role("button", name="Play today’s deal").click()
    page.wait_for_selector("main[data-turn]")
    robot.play_hand()
    page.goto("/#/play")
    page.get_by_role("link", name="See it again").wait_for()
    again = page.request.post(
        "/api/tables", data={"game": "gin", "kind": "daily"}, headers={"Origin": own_site.url}, timeout=300_000
    )
    assert again.json()["error"]["code"] == "already_played"


def test_a_take_back_is_free_before_a_card_is_seen_and_asks_after(visit: Visit) -> None:
    page = visit("mouse")
    sit(page, game="gin", opponents=[{"agent": "simple"}], hands="one")
    robot = Robot(page, "mouse")
    robot.turn()
    robot.move()
    while robot.turn() == "you" and not page.locator(".hand .card.new").count():
        robot.move()
    assert "counts" in _log(page)
    before = robot.version()
    page.get_by_role("button", name="Take back").click()
    assert robot.version() == before
    page.get_by_role("button", name="a card was seen").click()
    page.wait_for_selector(f"main:not([data-version='{before}'])")
    assert "does not count" in _log(page)


def _log(page: Any) -> str:
    page.get_by_role("tab", name="Log").click()
    return str(page.locator("#panel").inner_text())


def test_what_if_goes_on_from_the_middle_of_a_hand(visit: Visit) -> None:
    page = visit("mouse")
    sit(page, **SHORT)
    robot = Robot(page, "mouse")
    robot.play_hand()
    page.get_by_role("button", name="Review this hand").click()
    page.get_by_role("button", name="To the deal").click()
    page.get_by_role("button", name="Play on from here").click()
    page.wait_for_selector("main[data-turn]")
    robot.play_hand()


def test_an_invitation_seats_one_other_person_once(visit: Visit) -> None:
    host, guest, late = visit("mouse"), visit("touch"), visit("mouse")
    sit(host, game="gin", opponents=[{"person": True}], hands="one")
    host.get_by_role("button", name="Make an invitation link").click()
    link = host.locator("#link").input_value()
    guest.goto(link)
    guest.locator("#guest").fill("Maya")
    guest.get_by_role("button", name="Sit down").click()
    guest.wait_for_selector(".hand")
    host.get_by_text("Maya").first.wait_for()
    hands = [
        set(page.eval_on_selector_all(".hand .card", "e => e.map(card => card.dataset.card)")) for page in (host, guest)
    ]
    assert not hands[0] & hands[1]
    late.goto(link)
    late.get_by_role("button", name="Sit down").click()
    late.get_by_role("alert").wait_for()


def test_two_agents_are_watched(visit: Visit) -> None:
    page = visit("mouse")
    page.goto("/#/watch")
    for select in page.locator("select").all():
        select.select_option("simple")
    page.get_by_role("button", name="Watch", exact=True).click()
    page.get_by_role("button", name="Next move").click()
    page.get_by_role("button", name="To the end of the hand").click()
    page.locator("#showdown-title").wait_for()
    page.get_by_role("button", name="Review this hand").click()
    page.locator(".led").wait_for(timeout=300_000)
    page.get_by_text("Reading the mind of").wait_for(state="detached", timeout=300_000)
    thinking = set()
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
        thinking |= set(page.locator(".thoughts > p").all_inner_texts())
    assert len(thinking) >= 2, "both players' thinking is shown"
    assert page.locator(".thoughts .mv, .rv").count() >= 1


def test_analyze_groups_the_cards_of_a_typed_hand(visit: Visit) -> None:
    page = visit("mouse")
    page.goto("/#/analyze")
    page.get_by_placeholder("3c 4c").fill("3c 4c 5c 6c 9s 9d 9h Ad 2d 7s")
    page.locator(".best").wait_for()
    assert "10" in page.locator(".best").inner_text()
    assert page.locator(".best .grp").count() == 3


def test_settings_change_what_is_seen(visit: Visit) -> None:
    page = visit("mouse")
    page.goto("/#/settings")
    page.get_by_role("radio", name="Dark").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("radio", name="Two colors").click()
    club, spade = (
        page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{suit}')") for suit in "cs"
    )
    assert club == spade
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
