"""Pictures of every screen for the documents: desktop, phone and dark. `make browser` writes docs/images/web."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from web_tables import choice

from .conftest import Site, Visit, new_site, sit
from .robot import PATIENCE, Robot

FOLDER = Path(__file__).parents[2] / "docs" / "images" / "web"
LOOKS = {"desktop": ("mouse", "light"), "phone": ("touch", "light"), "dark": ("mouse", "dark")}
TABLES: dict[str, tuple[dict[str, Any], int]] = {
    "gin": ({"game": "gin", "opponents": [{"agent": "simple"}], "hints": "request"}, 16),
    "indian": (
        {"game": "indian", "format": "pool-101", "seats": 6, "opponents": [{"agent": "mindist-drop"}] * 5},
        4,
    ),
    "contract": ({"game": "contract", "rules": "contract-7", "opponents": [{"agent": "contract-greedy"}]}, 30),
    "passing": ({"game": "gin_pass", "seats": 4, "opponents": [{"agent": "keats"}] * 3}, 0),
    "tutorial": ({"game": "gin", "kind": "tutorial"}, 0),
}
COACHED = {"gin": "coach", "indian": "coach-indian"}
SHOWDOWNS = {"gin": "showdown", "contract": "showdown-contract"}
SEEDS = {"gin": (2, 4, 8, 3, 24), "contract": (13, 11, 10, 5, 7)}
"""Deals to choose from: the first that soon shows what the game is about."""
PAGES = {
    "start": "play",
    "history": "history",
    "analyze": "analyze",
    "settings": "settings",
    "rules": "rules",
    "watch": "watch",
    "learn": "learn",
}
WORLDS = 400
"""Worlds of coach and reviews, so that the pictures show the doubt that players see."""
RATED_HANDS = 3
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def careful_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = new_site(tmp_path_factory.mktemp("pictures"), WORLDS)
    found.start()
    yield found
    found.stop()


def _play_quietly(page: Any, **wanted: Any) -> None:
    """Play a hand without looking, for the lists of the history page."""
    headers = {"Origin": page.url.split("/#")[0].rstrip("/")}
    view = page.request.post("/api/tables", data=wanted, headers=headers, timeout=PATIENCE).json()
    path = f"/api/tables/{view['id']}"
    while view["actor"] is not None:
        if view["actor"] == 0:
            move = {"version": view["version"], "action": choice(view)}
            view = page.request.post(f"{path}/move", data=move, headers=headers, timeout=PATIENCE).json()
        else:
            page.wait_for_timeout(20)
            view = page.request.get(path, timeout=PATIENCE).json()
    page.request.post(f"{path}/leave", data={"version": view["version"]}, headers=headers, timeout=PATIENCE)


def _is_telling(page: Any, name: str) -> bool:
    """Return whether the table shows what the game is about: a possible knock, or a card that fits a meld."""
    if name == "contract":
        return page.locator(".melds .meld").count() >= 4 and page.locator(".melds .meld.target.now").count() > 0
    return name == "gin" and page.locator(".hold.go").count() > 0


@pytest.mark.parametrize("look", LOOKS)
def test_every_screen_has_its_picture(visit: Visit, careful_site: Site, look: str) -> None:
    way, theme = LOOKS[look]
    page = visit(way, theme=theme, url=careful_site.url)
    for _ in range(RATED_HANDS):
        _play_quietly(page, game="gin", level=3)
    robot = Robot(page, "touch" if way == "touch" else "keys")
    FOLDER.mkdir(parents=True, exist_ok=True)

    def shoot(name: str) -> None:
        page.wait_for_timeout(250)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        picture.save(FOLDER / f"{name}-{look}.webp", quality=84, method=6)

    for name, (wanted, moves) in TABLES.items():
        for seed in SEEDS.get(name, (7,)):
            sit(page, **wanted, seed=seed)
            for _ in range(moves):
                if robot.turn() == "over" or _is_telling(page, name):
                    break
                robot.move()
            if robot.turn() != "over" and (name not in SEEDS or _is_telling(page, name)):
                break
        shoot(name)
        if name in COACHED:
            page.keyboard.press("h")
            page.wait_for_selector(".mv", timeout=PATIENCE)
            shoot(COACHED[name])
            page.keyboard.press("Escape")
        if name in SHOWDOWNS:
            robot.play_hand()
            shoot(SHOWDOWNS[name])
        if name == "gin":
            _review(page)
            shoot("review")
    _review_a_match(page, robot)
    shoot("match")
    _leave_all_but_one(page)
    for name, route in PAGES.items():
        page.goto(f"/#/{route}")
        page.wait_for_selector("h1")
        if name == "analyze":
            page.get_by_placeholder("3c 4c").fill("3c 4c 5c 6c 9s 9d 9h Ad 2d 7s")
            page.wait_for_selector(".best")
        page.wait_for_timeout(500)
        shoot(name)
    page.goto("/#/history")
    page.get_by_role("link", name="Gin Rummy: ").first.click()
    page.wait_for_selector(".hand .card")
    shoot("puzzle")
    sit(
        page,
        game="gin",
        kind="watch",
        watch={"agents": [{"agent": "champion"}, {"agent": "simple"}], "eyes": 0},
        seed=2,
    )
    for _ in range(4):
        version = robot.version()
        page.get_by_role("button", name="Next move").click()
        page.wait_for_selector(f"main:not([data-version='{version}'])", timeout=PATIENCE)
    shoot("watching")
    sit(page, game="gin", opponents=[{"person": True}])
    page.get_by_role("button", name="Make an invitation link").click()
    page.wait_for_selector("#link")
    shoot("invitation")
    assert len(list(FOLDER.glob(f"*-{look}.webp"))) >= 21


def _review(page: Any) -> None:
    """Open the review of the hand that is over, with the worst decision ready for another try."""
    page.get_by_role("button", name="Review this hand").click()
    page.wait_for_selector(".stage")
    page.wait_for_selector(".led", timeout=PATIENCE)
    again = page.get_by_role("button", name="Try again")
    if page.viewport_size["width"] > 900 and again.count():
        again.first.click()


def _review_a_match(page: Any, robot: Robot) -> None:
    """Play a match of two deals and open its review."""
    sit(page, game="indian", format="deals-2", opponents=[{"agent": "minscore"}], seed=21)
    robot.play_hand()
    page.keyboard.press("n")
    page.wait_for_selector("main:not([data-turn=over])")
    robot.play_hand()
    page.get_by_role("button", name="Review the match").click()
    page.wait_for_selector(".led", timeout=PATIENCE)


def _leave_all_but_one(page: Any) -> None:
    """Leave the tables of the other pictures, so that the start page looks as it does to a player."""
    headers = {"Origin": page.url.split("/#")[0].rstrip("/")}
    for table in page.request.get("/api/me").json()["open_tables"][1:]:
        path = f"/api/tables/{table['id']}"
        version = page.request.get(path).json()["version"]
        page.request.post(f"{path}/leave", data={"version": version}, headers=headers)
