"""Tournaments: the same table on every back end, and after being killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from helpers import Stops
from helpers_cli import killed_after, n_chunks, run
from rummylab.agents.registry import agent
from rummylab.arena.backends import Processes, ThisProcess
from rummylab.arena.jobs import Played, Task, play_task
from rummylab.arena.match import match
from rummylab.arena.store import Store
from rummylab.arena.tournament import Plan, standings_of, tournament
from rummylab.errors import OptionError, StoreError, UnknownNameError

PLAN = Plan(game="gin", agents=("simple", "random"), games=1400, seed=3)


def table(standings: object) -> str:
    return json.dumps(standings.to_dict())  # type: ignore[attr-defined]


class Counts:
    """A back end that remembers what it was asked to play."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def run(self, work: Any, items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        self.tasks = list(items)
        return ThisProcess().run(work, self.tasks)


def test_every_back_end_gives_the_same_table() -> None:
    here = table(tournament(PLAN, backend=ThisProcess()))
    assert table(tournament(PLAN, backend=Processes(2))) == here


def test_the_table_has_every_ordered_pair_and_adds_up() -> None:
    result = tournament(PLAN, backend=ThisProcess()).to_dict()
    assert [(row["first"], row["second"]) for row in result["cross_table"]] == [
        ("simple", "random"),
        ("random", "simple"),
    ]
    assert sum(row["win_rate"] for row in result["cross_table"]) == pytest.approx(1)
    assert all(row["ci"][0] <= row["win_rate"] <= row["ci"][1] for row in result["cross_table"])
    assert [rating["agent"] for rating in result["ratings"]] == ["simple", "random"]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole = table(tournament(PLAN, backend=ThisProcess()))
    with pytest.raises(KeyboardInterrupt):
        tournament(PLAN, store=Store(tmp_path / "runs.db"), backend=Stops(after=2))
    counting = Counts()
    again = tournament(PLAN, store=Store(tmp_path / "runs.db"), backend=counting)
    assert table(again) == whole
    assert len(counting.tasks) == len(PLAN.tasks()) - 2


def test_another_configuration_is_another_run(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.db")
    tournament(PLAN, store=store, backend=ThisProcess())
    counting = Counts()
    other = Plan(game="gin", agents=("simple", "random"), games=1400, seed=4)
    tournament(other, store=store, backend=counting)
    assert len(counting.tasks) == len(other.tasks())
    assert [run["config"]["seed"] for run in store.runs()] == [3, 4]
    assert all(run["finished"] and run["machine"] and run["code"] for run in store.runs())


@pytest.mark.slow
def test_kill_minus_nine_loses_nothing(tmp_path: Path) -> None:
    arguments = ["tournament", "gin", "simple", "random", "--games", "30000", "--seed", "5", "--json"]
    whole = run(arguments).stdout
    path = tmp_path / "runs.db"
    kept = [*arguments, "--store", str(path), "--workers", "1"]
    for chunks in (5, 10):
        killed_after(5, kept)
        assert n_chunks(path) == chunks
    assert run(kept).stdout == whole


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    scar = tmp_path / "died"

    def dies_once(task: Task) -> Played:
        if task.deals and not scar.exists():
            scar.write_text("once")
            os.kill(os.getpid(), signal.SIGKILL)
        return play_task(task)

    whole = table(tournament(PLAN, backend=ThisProcess()))
    known = dict(Processes(2).run(dies_once, PLAN.tasks()))
    assert table(standings_of(PLAN, ((task.key, part) for task, part in known.items()))) == whole
    assert scar.exists()


def test_bad_plans_and_bad_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="at least two agents"):
        Plan(game="gin", agents=("simple",))
    with pytest.raises(OptionError, match="listed twice"):
        Plan(game="gin", agents=("simple", "simple"))
    with pytest.raises(UnknownNameError, match="did you mean 'simple'"):
        tournament(Plan(game="gin", agents=("simpel", "random")))
    with pytest.raises(StoreError, match="is a directory"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        Store(tmp_path / "nowhere" / "runs.db")
    broken = tmp_path / "broken.db"
    broken.write_text("this is not a database, and it is long enough to be read as one " * 20)
    before = broken.read_bytes()
    with pytest.raises(StoreError, match="not a results file"):
        Store(broken)
    assert broken.read_bytes() == before
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("create table letters (x)")
    with pytest.raises(StoreError, match="something else"):
        Store(other)


def test_a_store_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("pragma user_version = 99")
    with pytest.raises(StoreError, match="schema 99"):
        Store(path)


# --- Matches in a store ---------------------------------------------------------------------------------------------


def test_a_stopped_match_resumes_and_gives_the_same_result(tmp_path: Path) -> None:
    path, agents = tmp_path / "runs.db", ("simple", "random")
    whole = match("gin", *agents, games=1400, seed=3, backend=ThisProcess())
    with pytest.raises(KeyboardInterrupt):
        match("gin", *agents, games=1400, seed=3, store=path, name="one", backend=Stops(after=2))
    counting = Counts()
    again = match("gin", *agents, games=1400, seed=3, store=path, name="one", backend=counting)
    assert (again.tallies == whole.tallies).all()
    assert len(counting.tasks) == 1
    with Store(path) as store:
        (run,) = store.runs()
        assert (run["kind"], run["name"]) == ("match", "one")
        assert run["finished"]


def test_a_match_of_objects_cannot_be_stored(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="players given by name"):
        match("gin", agent("gin", "simple"), "random", games=2, store=tmp_path / "runs.db")
