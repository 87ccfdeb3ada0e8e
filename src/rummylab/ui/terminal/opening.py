"""Sitting down at a table in the terminal: a new one, or the one that was left."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rummylab.errors import OptionError
from rummylab.games.registry import game as game_named
from rummylab.ui.table.config import TableConfig, agent_title, chairs_for
from rummylab.ui.table.opening import wanted_rules
from rummylab.ui.table.session import Session
from rummylab.ui.table.store import TableStore


def new_session(wanted: Mapping[str, Any], *, agent: str | None = None, level: int | None = None) -> Session:
    """Return a new table as it is *wanted*; all opponents are *agent*, or play at *level*.

    Raises:
        RummyError: The game, the rules, the agent, the level or the seats cannot be had.
    """
    spec = game_named(wanted["game"])
    if wanted.get("rules") is None and wanted.get("format") is None and spec.format_for_people:
        wanted = {**wanted, "format": spec.format_for_people}
    rules, base = wanted_rules(wanted, wanted.get("seats"))
    chairs = chairs_for(rules, "You", [{"agent": agent}] * (rules.seats - 1), level)
    if rules.seats == 2 and chairs[1].agent is not None:
        # A level behind the name reads like a score: "Champion 6 0".
        chairs = (chairs[0], replace(chairs[1], short=agent_title(spec.name, chairs[1].agent, chairs[1].level)))
    return Session.create(secrets.token_urlsafe(12), TableConfig(chairs=chairs, **base))


def keep(session: Session, store: TableStore) -> Session:
    """Keep a new table in *store*, and every move from now on."""
    store.add_table(session, store.local_player(), 0)
    return _kept(session, store)


def _kept(session: Session, store: TableStore) -> Session:
    session.on_command = lambda command: store.add_command(session.id, command)
    return session


def resumed(store: TableStore, game: str | None) -> Session:
    """Return the table in *store* that was last left, of *game* if it is named.

    Raises:
        OptionError: There is none.
    """
    for table in store.tables_of(store.local_player()):
        session = store.load(table)
        if session is not None and not session.match_is_over and game in (None, session.config.game):
            return _kept(session, store)
    what = f" of {game_named(game).title}" if game is not None else ""
    raise OptionError(f"No table{what} is saved in {store.path}. Leave out --resume to sit down at a new one.")
