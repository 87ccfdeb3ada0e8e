"""A tournament read back from the store, finished or not; its agents need not be here any more."""

from __future__ import annotations

import re
from typing import Any

from rummylab.arena.jobs import Played, tally_of
from rummylab.arena.match import collect
from rummylab.arena.store import Run, Store
from rummylab.arena.tournament import Plan, Standings
from rummylab.errors import StoreError


class KeptPlan(Plan):
    """What was to be played by agents that are not asked again, so that they may be gone."""

    def __post_init__(self) -> None:
        """Nothing to check: it was played."""


def find_tournament(store: Store, which: str | None) -> dict[str, Any]:
    """Return the tournament with this name, id or beginning of its key; without *which*, the latest."""
    known = [run for run in store.runs() if run["kind"] == "tournament"]
    if not known:
        raise StoreError(f"{store.path} holds no tournament")
    if which is None:
        return known[-1]
    for fits in (
        lambda run: run["name"] == which,
        lambda run: str(run["id"]) == which,
        lambda run: run["key"].startswith(which),
    ):
        found = [run for run in known if fits(run)]
        if len(found) == 1:
            return found[0]
    names = ", ".join(run["name"] or run["key"][:8] for run in known)
    raise StoreError(f"{store.path} has no tournament {which!r}; it has: {names}")


def read(store: Store, record: dict[str, Any]) -> Standings:
    """Return the standings of a run as far as it was played."""
    plan = KeptPlan.from_dict(record["config"])
    run = Run(store, record["id"], record["key"])
    dtype = tally_of(plan.game, 2)
    names = run.chunk_names()
    results = {}
    for pair in plan.pairings():
        parts: list[Played] = []
        for name in _in_order(pair, names):
            part = run.chunk(name, dtype)
            assert part is not None
            parts.append(part)
        if parts:
            results[pair] = collect(plan.game, plan.rules, pair, plan.seed, parts)
    if not any(one != two for one, two in results):
        raise StoreError(f"{store.path}: nothing has been played of the run {record['name'] or record['key']} yet")
    standings = Standings(plan, results)
    planned = len(plan.pairings()) * 2 * -(-plan.games // 2)
    return Standings(plan, results, complete=standings.games == planned)


def _in_order(pair: tuple[str, str], names: list[str]) -> list[str]:
    """Return the chunks of *pair*, by their first deal."""
    pattern = re.compile(re.escape(":".join(pair)) + r":(\d+)\+\d+")
    found = [(int(match[1]), name) for name in names if (match := pattern.fullmatch(name))]
    return [name for _, name in sorted(found)]
