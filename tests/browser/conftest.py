"""Chromium and a web table for the browser tests. Where one of them is missing, the tests are skipped and say why."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FULL = os.environ.get("RUMMYLAB_BROWSER") == "full"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}


def _why_not() -> str:
    for package in ("playwright", "fastapi", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            return f"{package} is not installed"
    return "" if CHROMIUM else "Chromium is not installed (Debian: apt-get install chromium)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and skip those that cannot run or that only `make browser` runs."""
    reason = _why_not()
    for item in items:
        if HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.browser)
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))
        elif item.get_closest_marker("full") and not FULL:
            item.add_marker(pytest.mark.skip(reason="make browser runs it"))


@dataclass
class Site:
    """A running server."""

    port: int
    store: Path
    worlds: int = 24
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "serve.py"), str(self.port), str(self.store), str(self.worlds)]
        )
        for _ in range(3000):
            try:
                with urllib.request.urlopen(f"{self.url}/", timeout=5) as answer:
                    assert answer.status == 200
                    return
            except OSError:
                assert self.process.poll() is None, "the server has ended"
                time.sleep(0.1)
        raise AssertionError("the server does not answer")

    def stop(self) -> None:
        """End the server."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:  # an agent is still thinking
                self.process.kill()
                self.process.wait()
            self.process = None


def new_site(folder: Path, worlds: int = 24) -> Site:
    """Return a server on a free port, not started yet; its coach and its reviews sample so many *worlds*."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return Site(free.getsockname()[1], folder / "tables.db", worlds)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for all tests of this process."""
    found = new_site(tmp_path_factory.mktemp("web"))
    found.start()
    yield found
    found.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless browser for all tests of this process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


Visit = Callable[..., Any]


@pytest.fixture
def visit(site: Site, chromium: Any) -> Iterator[Visit]:
    """Return a function that opens a page as a person who was never here before."""
    contexts: list[Any] = []
    problems: list[str] = []

    def open_page(
        way: str = "mouse", *, url: str = "", theme: str = "light", bypass_csp: bool = False, **settings: Any
    ) -> Any:
        phone = way == "touch"
        context = chromium.new_context(
            viewport=PHONE if phone else DESKTOP,
            has_touch=phone,
            is_mobile=phone,
            reduced_motion="reduce",
            bypass_csp=bypass_csp,
            base_url=url or site.url,
            accept_downloads=True,
        )
        contexts.append(context)
        kept = {"theme": theme, **settings}
        place = "'rummylab.settings'"
        context.add_init_script(f"localStorage.getItem({place}) ?? localStorage.setItem({place}, '{json.dumps(kept)}')")
        page = context.new_page()
        page.set_default_timeout(300_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda line: problems.append(line.text) if "Content Security Policy" in line.text else None)
        page.goto("/")
        page.wait_for_selector(".games")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not problems, problems


def sit(page: Any, **wanted: Any) -> Any:
    """Open a table for the person at *page* and show it; return the first view."""
    answer = page.request.post(
        "/api/tables", data=wanted, headers={"Origin": page.url.split("/#")[0].rstrip("/")}, timeout=300_000
    )
    assert answer.ok, answer.text()
    view = answer.json()
    page.goto(f"/#/table/{view['id']}")
    page.wait_for_selector("main[data-turn]")
    return view
