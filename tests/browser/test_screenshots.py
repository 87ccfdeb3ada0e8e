"""Pictures of every screen for the documents: desktop, phone and dark. `make browser` writes docs/images/web."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from .conftest import Visit, sit
from .robot import Robot

FOLDER = Path(__file__).parents[2] / "docs" / "images" / "web"
LOOKS = {"desktop": ("mouse", "light"), "phone": ("touch", "light"), "dark": ("mouse", "dark")}
TABLES: dict[str, tuple[dict[str, Any], int]] = {
    "gin": ({"game": "gin", "opponents": [{"agent": "simple"}], "seed": 3, "hints": "request"}, 7),
    "indian": (
        {"game": "indian", "format": "pool-101", "seats": 6, "opponents": [{"agent": "mindist-drop"}] * 5, "seed": 7},
        4,
    ),
    "contract": ({"game": "contract", "opponents": [{"agent": "chinese-heuristic"}]}, 12),
    "passing": ({"game": "gin_pass", "seats": 4, "opponents": [{"agent": "keats"}] * 3, "seed": 7}, 0),
    "tutorial": ({"game": "gin", "kind": "tutorial"}, 0),
}
SEEDS = (3, 24, 5, 9, 11)
"""Deals of contract rummy, of which one soon has melds beside a hand of some cards."""
PAGES = {
    "start": "play",
    "history": "history",
    "analyze": "analyze",
    "settings": "settings",
    "rules": "rules",
    "watch": "watch",
    "learn": "learn",
}
pytestmark = pytest.mark.full


def _melds_and_hand(page: Any) -> bool:
    """Return whether there are melds, in the hand or on the table, and the hand has at least three cards."""
    return bool(page.locator(".meld").count() and page.locator(".hand .card").count() >= 3)


@pytest.mark.parametrize("look", LOOKS)
def test_every_screen_has_its_picture(visit: Visit, look: str) -> None:
    way, theme = LOOKS[look]
    page = visit(way, theme=theme)
    robot = Robot(page, "touch" if way == "touch" else "keys")
    FOLDER.mkdir(parents=True, exist_ok=True)

    def shoot(name: str) -> None:
        page.wait_for_timeout(250)
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        picture.save(FOLDER / f"{name}-{look}.webp", quality=84, method=6)

    for name, (wanted, moves) in TABLES.items():
        for seed in SEEDS if name == "contract" else (None,):
            sit(page, **wanted, **({} if seed is None else {"seed": seed}))
            for _ in range(moves):
                if robot.turn() == "over" or _melds_and_hand(page):
                    break
                robot.move()
            if robot.turn() != "over" and _melds_and_hand(page):
                break
        shoot(name)
        if name == "gin":
            page.keyboard.press("h")
            page.wait_for_selector(".mv, [role=status]:not(:empty)")
            page.wait_for_timeout(4000)
            shoot("coach")
            page.keyboard.press("Escape")
            robot.play_hand()
            shoot("showdown")
            if page.locator("button", has_text="Review this hand").count():
                page.locator("button", has_text="Review this hand").click()
                page.wait_for_selector(".stage")
                page.wait_for_selector(".led, .error", timeout=300_000)
                if page.get_by_role("button", name="Try again").count():
                    page.get_by_role("button", name="Try again").first.click()
                shoot("review")
    for name, route in PAGES.items():
        page.goto(f"/#/{route}")
        page.wait_for_selector("h1")
        if name == "analyze":
            page.get_by_placeholder("3c 4c").fill("3c 4c 5c 6c 9s 9d 9h Ad 2d 7s")
            page.wait_for_selector(".best")
        page.wait_for_timeout(500)
        shoot(name)
    assert len(list(FOLDER.glob(f"*-{look}.webp"))) >= 14
