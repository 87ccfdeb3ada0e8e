"""People play in a browser: one hand of each game by mouse, by keyboard and with a finger, and a match of Gin."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Visit, sit
from .robot import Robot

HANDS: dict[str, dict[str, Any]] = {
    "gin": {"game": "gin", "opponents": [{"agent": "simple"}], "seed": 3},
    "indian": {"game": "indian", "format": "points", "opponents": [{"agent": "minscore"}], "seed": 3},
    "contract": {"game": "contract", "opponents": [{"agent": "chinese-heuristic"}], "seed": 3},
    "gin_pass": {"game": "gin_pass", "opponents": [{"agent": "melder"}], "seed": 3},
}
"""Seeds whose hands are short."""


@pytest.mark.parametrize("way", ["mouse", "keys", "touch"])
@pytest.mark.parametrize("game", HANDS)
def test_a_hand_is_played_to_its_score(visit: Visit, game: str, way: Any) -> None:
    page = visit(way)
    sit(page, **HANDS[game], hands="one")
    robot = Robot(page, way)
    end = robot.play_hand()
    assert robot.moves > 0
    assert "point" in end["sum"] or "nobody" in end["title"].lower(), end
    assert end["hands"] == 2
    if way == "touch":
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, "a phone must not scroll sideways"
        assert robot.rightmost <= 390, "every card of the hand must be on the screen"


def test_playing_is_two_clicks_away_and_a_match_of_gin_has_a_winner(visit: Visit) -> None:
    page = visit("keys")
    page.get_by_role("radio", name="Gin Rummy Knock").click()
    page.get_by_role("button", name="Play", exact=True).click()
    robot = Robot(page, "keys")
    page.wait_for_selector("main[data-turn] .hand .card")
    assert page.locator(".hand .card").count() in (10, 11)
    # To 40 points, not 100: seven hands are enough for a match that goes on and ends.
    sit(page, game="gin", rules="eaai(target=40)", opponents=[{"agent": "simple"}], seed=11)
    hands = 0
    while True:
        robot.play_hand()
        hands += 1
        if not page.locator("button.main", has_text="Next hand").count():
            break
        page.keyboard.press("n")
        page.wait_for_selector("main:not([data-turn=over])")
    assert hands > 1
    assert (
        "wins the match" in page.locator(".show").inner_text()
        or "You win the match" in page.locator(".show").inner_text()
    )
