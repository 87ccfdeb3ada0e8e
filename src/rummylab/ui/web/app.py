"""The web application: tables for people under ``/api``, the library under ``/v1``, and the page itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.responses import Response

from rummylab import __version__
from rummylab.ui.table.house import House
from rummylab.ui.table.store import TableStore
from rummylab.ui.web import api, v1
from rummylab.ui.web.answers import add_handlers
from rummylab.ui.web.files import STATIC, static_file
from rummylab.ui.web.reviews import Reviews
from rummylab.ui.web.security import Guard, Limits

log = logging.getLogger(__name__)
TICK: Final = 2.0
"""Seconds between two checks for turns that people have missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebConfig:
    """How a server is set up."""

    store: str = ":memory:"
    """The file that tables are kept in."""
    hosts: frozenset[str] = frozenset()
    """Names that the server answers to, besides those of this machine."""
    limits: Limits = field(default_factory=Limits)
    static: Path = STATIC
    warm: tuple[str, ...] = ()
    """Games whose kernels are loaded in the background."""
    coach_worlds: int | None = None
    """Possible tables that the coach and reviews play out; None: as many as a second allows."""


def create_app(config: WebConfig | None = None) -> FastAPI:
    """Return the application, with the tables that its store has."""
    config = config or WebConfig()
    store = TableStore(config.store)
    house, reviews = House(store), Reviews(store, worlds=config.coach_worlds)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if config.warm:
            threading.Thread(target=warm_up, args=(config.warm,), daemon=True).start()
        ticker = asyncio.get_running_loop().create_task(_tick(house))
        yield
        ticker.cancel()
        reviews.close()
        house.close()

    app = FastAPI(
        title="Rummylab",
        version=__version__,
        summary="Tables for people, and the library over HTTP.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=lifespan,
    )
    app.state.house, app.state.reviews = house, reviews
    add_handlers(app)
    app.include_router(api.router)
    app.include_router(v1.router)

    def openapi() -> dict[str, Any]:
        from rummylab.ui.web.openapi import schema  # describing all answers takes a second

        if app.openapi_schema is None:
            app.openapi_schema = schema(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/{path:path}", include_in_schema=False)
    async def page(request: Request, path: str) -> Response:
        return static_file(request, path, config.static)

    app.add_middleware(Guard, store=store, hosts=config.hosts, limits=config.limits)  # type: ignore[arg-type]
    return app


async def _tick(house: House) -> None:
    """Play the turns that people have missed, again and again."""
    while True:
        await asyncio.sleep(TICK)
        try:
            await house.miss_turns()
        except Exception:
            log.exception("a missed turn could not be played")


def warm_up(games: tuple[str, ...]) -> None:
    """Load the kernels of *games*, their default opponents and their best: play a few moves at tables nobody sees."""
    from rummylab.agents.levels import DEFAULT_LEVEL, LEVELS
    from rummylab.games.registry import game as game_named
    from rummylab.ui.table.config import TableConfig, chairs_for, table_rules
    from rummylab.ui.table.session import Session
    from rummylab.ui.table.view import table_view

    for level, name in product((DEFAULT_LEVEL, LEVELS[-1]), games):
        try:
            rules: Any = table_rules(game_named(name), None, None, None)
            config = TableConfig(
                game=name,
                rules=str(rules.options),
                rules_title="",
                chairs=chairs_for(rules, "You", [], level),
                one_hand=True,
            )
            session = Session.create("", config)
            for _ in range(6):
                if session.actor == 0:
                    session.act(0, str(session.observe(0).legal[0]), session.version)
                elif session.actor is not None:
                    session.play_agents("turn")
                table_view(session, 0)
        except Exception:
            log.exception("the kernels of %s could not be loaded", name)
