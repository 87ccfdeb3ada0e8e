"""A tournament read back from the store, finished or not; its agents need not be here any more."""

from __future__ import annotations

import re
from dataclasses import replace

from rummylab.arena.jobs import tally_of
from rummylab.arena.match import collect
from rummylab.arena.store import Run, Store
from rummylab.arena.tournament import Plan, Standings
from rummylab.errors import OptionError, StoreError


class KeptPlan(Plan):
    """What was to be played by agents that are not asked again, so that they may be gone."""

    def __post_init__(self) -> None:
        """Nothing to check: it was played."""


def find_tournament(store: Store, which: str | None) -> Run:
    """Return the tournament with this name, number or beginning of its key; without *which*, the latest."""
    if which is not None:
        run = store.run(which)
        if run.about["kind"] != "tournament":
            raise OptionError(f"{store.path}: the run {which!r} is no tournament but a {run.about['kind']}")
        return run
    known = [about for about in store.runs() if about["kind"] == "tournament"]
    if not known:
        raise StoreError(f"{store.path} holds no tournament")
    return store.run(known[-1]["id"])


def read(run: Run, anchor: str | None = None) -> Standings:
    """Return the standings of a run as far as it was played, rated relative to *anchor*."""
    about = run.about
    plan = replace(KeptPlan.from_dict(about["config"]), anchor=anchor)
    dtype = tally_of(plan.game, 2)
    names = run.chunk_names()
    results = {}
    for pair in plan.pairings():
        chunks = [run.chunk(name, dtype) for name in _in_order(pair, names)]
        parts = [chunk for chunk in chunks if chunk is not None]
        if parts:
            results[pair] = collect(plan.game, plan.rules, pair, plan.root, parts)
    if not any(one != two for one, two in results):
        raise StoreError(f"{run.store.path}: nothing has been played of the run {about['name'] or run.key} yet")
    played = sum(result.games for result in results.values())
    return Standings(plan, results, complete=played == plan.games_in_all)


def _in_order(pair: tuple[str, str], names: list[str]) -> list[str]:
    """Return the chunks of *pair*, by their first deal."""
    pattern = re.compile(re.escape(":".join(pair)) + r":(\d+)\+\d+")
    found = [(int(match[1]), name) for name in names if (match := pattern.fullmatch(name))]
    return [name for _, name in sorted(found)]
