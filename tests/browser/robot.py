"""A player at the browser's table, who uses the mouse, the keyboard or a finger, and sees only what the page shows."""

from __future__ import annotations

import re
from typing import Any, Literal

from playwright.sync_api import Locator, Page

Way = Literal["mouse", "keys", "touch"]
MAIN = "main[data-turn]"
PATIENCE = 300_000
"""Milliseconds that an agent's turn may take on a busy machine."""


class Robot:
    """Plays the card that the page offers, lays down and lays off what it can, and ends the hand when it may."""

    def __init__(self, page: Page, way: Way, *, careless: bool = False) -> None:
        self.page, self.way, self.moves = page, way, 0
        self.careless = careless
        """Whether it throws the first card of its first meld and never ends a hand."""
        self.rightmost = 0.0
        """The right edge of the rightmost own card that was ever shown."""

    # --- What the page shows ----------------------------------------------------------------------------------------

    def turn(self) -> str:
        """Wait until the table wants something, and return what: ``you`` or ``over``."""
        self.page.wait_for_selector(f"{MAIN}:is([data-turn=you], [data-turn=over])[data-busy=false]", timeout=PATIENCE)
        return self.page.get_attribute(MAIN, "data-turn") or ""

    def version(self) -> int:
        """Return the number of the position that is shown."""
        return int(self.page.get_attribute(MAIN, "data-version") or -1)

    def _pile(self, name: str) -> Locator:
        return self.page.locator(f"[data-pile={name}]")

    def _button(self, text: str) -> Locator:
        return self.page.locator(".acts button", has_text=re.compile(text, re.IGNORECASE)).first

    # --- Three ways to do a thing -----------------------------------------------------------------------------------

    def press(self, target: Locator, key: str) -> None:
        """Click, tap or type."""
        if self.way == "keys":
            self.page.keyboard.press(key)
        elif self.way == "touch":
            target.tap()
        else:
            target.click()

    def drag(self, start: Locator, end: Locator) -> None:
        """Drag with the mouse from a card's left edge, which other cards leave free."""
        a, b = start.bounding_box(), end.bounding_box()
        assert a is not None
        assert b is not None
        self.page.mouse.move(a["x"] + 12, a["y"] + 24)
        self.page.mouse.down()
        self.page.mouse.move(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2, steps=4)
        self.page.mouse.up()

    def end_hand(self, hold: Locator) -> None:
        """Do what ends a hand: hold the button, press the key twice, or tap twice."""
        if self.way == "mouse":
            box = hold.bounding_box()
            assert box is not None
            self.page.mouse.move(box["x"] + 20, box["y"] + 20)
            self.page.mouse.down()
            self.page.wait_for_timeout(800)
            self.page.mouse.up()
            return
        key = hold.locator("kbd").first.text_content() or ""
        before = self.version()
        self.press(hold, key)
        assert self.version() == before, "one press must not end the hand"
        self.press(self.page.locator(".hold.asking"), key)

    # --- Playing ----------------------------------------------------------------------------------------------------

    def move(self) -> None:
        """Make one move, and wait until the page shows that it was made."""
        before = self.version()
        edges = "cards => cards.map(card => card.getBoundingClientRect().right)"
        self.rightmost = max([self.rightmost, *self.page.eval_on_selector_all(".hand .card", edges)])
        self._choose()
        self.moves += 1
        self.page.wait_for_function(
            "v => Number(document.querySelector('main[data-version]')?.dataset.version) > v",
            arg=before,
            timeout=PATIENCE,
        )

    def _choose(self) -> None:
        page = self.page
        for hold in page.locator(".hold.go").all() if not self.careless else []:
            return self.end_hand(hold)
        if self._pile("stock").is_enabled():
            return self.press(self._pile("stock"), "s")
        if page.locator("[data-verb='lay down']:not([aria-disabled=true])").count():
            return self._press_button(page.locator("[data-verb='lay down']"))
        targets = page.locator(".meld.target.now")
        if targets.count() and self.way == "keys":
            return self._press_button(page.locator(".acts [data-verb^='lay off']").first)
        if targets.count():
            return self.press(targets.first, "")
        if self._throw():
            return None
        return self.press(page.locator(".acts [data-verb]").last, "p")

    def _press_button(self, button: Locator) -> None:
        """Press a button, or the key that is printed on it; without one, focus it and press Enter."""
        key = button.locator("kbd").first.text_content() if button.locator("kbd").count() else ""
        if self.way == "keys" and not key:
            button.focus()
        self.press(button, key or "Enter")

    def _throw(self) -> bool:
        """Throw or pass the card that is chosen, or the last one of the hand."""
        page = self.page
        if not page.locator(".hand.playable").count():
            return False
        chosen = page.locator(".hand .card.sel")
        if self.careless or not chosen.count():
            card = page.locator(".hand .card").first if self.careless else page.locator(".hand .card").last
            if self.way == "keys":
                card.focus()
                page.keyboard.press("Space")
            else:
                self.press(card, "")
            chosen = page.locator(".hand .card.sel")
        button = page.locator(".acts [data-verb]:not([aria-disabled=true])").last
        if self.way == "mouse" and "lit" in (self._pile("pile").get_attribute("class") or ""):
            self.drag(chosen.first, self._pile("pile"))
        elif self.way == "touch" and self._pile("pile").is_enabled():
            self._pile("pile").tap()
        else:
            self._press_button(button)
        return True

    def play_hand(self, most: int = 400) -> dict[str, Any]:
        """Play until the hand is over; return what the showdown says."""
        for _ in range(most):
            if self.turn() == "over":
                return self.showdown()
            self.move()
        raise AssertionError(f"the hand is not over after {most} moves")

    def showdown(self) -> dict[str, Any]:
        """Return the title and the arithmetic of the hand that is over."""
        title = self.page.locator("#showdown-title").text_content() or ""
        return {
            "title": title,
            "sum": self.page.locator(".sum").text_content() or "",
            "hands": self.page.locator(".show .one").count(),
        }
