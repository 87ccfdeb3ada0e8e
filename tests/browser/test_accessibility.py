"""axe finds no serious violation on any page in any theme; targets are large; 200% zoom works (`make browser`)."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Visit, sit
from .robot import Robot

PAGES = ["play", "history", "analyze", "rules", "settings", "watch", "learn", "join/code"]
TABLES: list[dict[str, Any]] = [
    {"game": "gin", "opponents": [{"agent": "simple"}], "seed": 3, "hands": "one"},
    {"game": "indian", "format": "pool-101", "seats": 4, "opponents": [{"agent": "minscore"}] * 3, "seed": 3},
    {"game": "contract", "opponents": [{"agent": "chinese-heuristic"}], "seed": 3},
    {"game": "gin_pass", "opponents": [{"agent": "melder"}], "seed": 3},
    {"game": "gin", "kind": "tutorial"},
]
pytestmark = pytest.mark.full


def _serious(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_no_page_has_a_serious_violation(visit: Visit, theme: str) -> None:
    page = visit("mouse", theme=theme, bypass_csp=True)
    found: dict[str, list[str]] = {}
    for name in PAGES:
        page.goto(f"/#/{name}")
        page.wait_for_selector("h1")
        page.wait_for_timeout(300)
        found[name] = _serious(page)
    robot = Robot(page, "keys")
    for wanted in TABLES:
        sit(page, **wanted)
        robot.turn()
        found[f"table {wanted}"] = _serious(page)
    sit(page, **TABLES[0])
    robot.play_hand()
    found["showdown"] = _serious(page)
    page.keyboard.press("v")
    page.wait_for_selector(".stage")
    found["review"] = _serious(page)
    assert not {name: problems for name, problems in found.items() if problems}


def test_the_review_of_a_match_has_no_serious_violation(visit: Visit) -> None:
    page = visit("mouse", bypass_csp=True)
    sit(page, game="indian", format="deals-2", opponents=[{"agent": "minscore"}], seed=21)
    robot = Robot(page, "keys")
    robot.play_hand()
    page.keyboard.press("n")
    page.wait_for_selector("main:not([data-turn=over])")
    robot.play_hand()
    page.get_by_role("button", name="Review the match").click()
    page.locator(".led").wait_for()
    found: dict[str, list[str]] = {}
    for theme in ("light", "dark", "contrast"):
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        found[theme] = _serious(page)
    assert not any(found.values()), found


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_coach_retry_puzzle_and_watched_table_have_no_serious_violation(visit: Visit, theme: str) -> None:
    page = visit("mouse", theme=theme, bypass_csp=True)
    found: dict[str, list[str]] = {}
    robot = Robot(page, "keys", careless=True)
    sit(page, **TABLES[1], hints="request")
    robot.turn()
    page.keyboard.press("h")
    page.locator(".mv").first.wait_for()
    found["coach"] = _serious(page)
    sit(page, **TABLES[0])
    robot.play_hand()
    page.keyboard.press("v")
    page.locator(".led").wait_for()
    page.get_by_role("button", name="Try again").first.click()
    found["retry"] = _serious(page)
    page.goto("/#/history")
    page.locator(".pz a").first.wait_for()
    found["history"] = _serious(page)
    page.locator(".pz a").first.click()
    page.locator(".hand .card").first.wait_for()
    found["puzzle"] = _serious(page)
    page.locator(".acts [data-verb]:not([aria-disabled=true])").first.click()
    page.locator(".mv").first.wait_for()
    found["answer"] = _serious(page)
    sit(page, game="gin", kind="watch", watch={"agents": [{"agent": "simple"}] * 2, "eyes": 0})
    found["watched"] = _serious(page)
    sit(page, game="gin", opponents=[{"person": True}])
    found["invitation"] = _serious(page)
    assert not {name: problems for name, problems in found.items() if problems}


def test_targets_are_at_least_44_pixels_on_a_phone(visit: Visit) -> None:
    page = visit("touch")
    small = """els => els.filter(e => { const r = e.getBoundingClientRect();
        return r.width > 1 && (r.height < 43.5 || r.width < 43.5) && !e.closest('.sr') && e.type !== 'radio' })
        .map(e => `${e.textContent} ${e.getBoundingClientRect().width}x${e.getBoundingClientRect().height}`)"""
    found: dict[str, list[str]] = {}
    for wanted in TABLES:
        sit(page, **wanted)
        Robot(page, "touch").turn()
        found[str(wanted)] = page.eval_on_selector_all("button, a, select", small)
    for name in PAGES:
        page.goto(f"/#/{name}")
        page.wait_for_selector("h1")
        page.wait_for_timeout(300)
        found[name] = page.eval_on_selector_all("button, a, select", small)
    assert not {name: problems for name, problems in found.items() if problems}


@pytest.mark.parametrize("width", [640, 320])
def test_no_page_scrolls_sideways_when_it_is_enlarged(visit: Visit, width: int) -> None:
    page = visit("mouse")
    page.set_viewport_size({"width": width, "height": 400})  # 1280 pixels at 200% and at 400%
    wide = []
    for wanted in TABLES:
        sit(page, **wanted)
        Robot(page, "mouse").turn()
        wide += [wanted] * (page.evaluate("document.documentElement.scrollWidth") > width)
    for name in PAGES:
        page.goto(f"/#/{name}")
        page.wait_for_selector("h1")
        page.wait_for_timeout(300)
        wide += [name] * (page.evaluate("document.documentElement.scrollWidth") > width)
    assert wide == []


def test_everything_can_be_reached_at_200_percent_zoom(visit: Visit) -> None:
    page = visit("mouse")
    page.set_viewport_size({"width": 640, "height": 400})  # 1280 x 800 at 200%
    sit(page, **TABLES[0])
    Robot(page, "mouse").turn()
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    button = page.locator(".acts [data-verb]").first
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= 400 - 40


def test_the_hand_has_one_stop_for_the_tab_key_and_says_its_cards(visit: Visit) -> None:
    page = visit("keys")
    sit(page, **TABLES[0])
    Robot(page, "keys").turn()
    assert page.locator(".hand [tabindex='0']").count() == 1
    names = page.eval_on_selector_all(".hand .card", "e => e.map(card => card.getAttribute('aria-label'))")
    assert all(" of " in name for name in names)
    page.keyboard.press("ArrowLeft")
    first = page.evaluate("document.activeElement.dataset.key")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.key") != first
