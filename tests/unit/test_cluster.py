"""The Ray back end: the same table as here, whatever happens to the workers."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from rummylab.arena import cluster
from rummylab.arena.backends import ThisProcess, backend
from rummylab.arena.cluster import Cluster, Seal
from rummylab.arena.jobs import CompiledJob, Played, Task, play_task
from rummylab.arena.tournament import Plan, tournament
from rummylab.cli.main import app
from rummylab.errors import AgentError, ClusterError, MissingExtraError, OptionError, UnknownNameError
from waiting import wait_until

PLAN = Plan(game="gin", agents=("simple", "random"), games=4000, seed=3)
VICTIM = ""
"""The file into which a worker writes that it wants to be killed."""


def test_without_ray_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rummylab\[ray\]'"):
        backend("ray")


def test_a_node_with_other_code_refuses_to_play() -> None:
    with pytest.raises(ClusterError, match="other versions of Rummylab"):
        cluster._do(play_task, (), Seal("0" * 20, ()))


def test_a_node_with_another_outside_agent_refuses_to_play(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("class Mine: ...")
    name = f"{mine}:Mine"
    seal = cluster._seal([Task("gin", "eaai", ("simple", name), 0, 0, 1)])
    assert cluster._difference(seal) is None
    cluster._difference.cache_clear()
    mine.write_text("class Mine: pass")
    with pytest.raises(ClusterError, match=r"no agent .*mine\.py:Mine, or another"):
        cluster._do(play_task, (), seal)


def test_an_unknown_name_survives_the_way_between_processes() -> None:
    error = UnknownNameError("agent", "simpel", ["simple"])
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


ray = pytest.importorskip("ray", reason="the Ray back end needs: pip install 'rummylab[ray]'")
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the workers cannot import this file


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Cluster]:
    found = Cluster(workers=2)
    yield found
    found.close()
    assert not ray.is_initialized()


def table(plan: Plan, place: Any) -> str:
    return json.dumps(tournament(plan, backend=place).to_dict())


@pytest.mark.slow
def test_two_ray_workers_give_the_same_table_as_this_process(two_workers: Cluster) -> None:
    assert table(PLAN, two_workers) == table(PLAN, ThisProcess())


@pytest.mark.slow
def test_the_command_prints_the_same_bytes_on_ray(two_workers: Cluster) -> None:
    command = ["tournament", "gin", "simple", "random", "--games", "2000", "--workers", "2", "--json"]
    there, here = (CliRunner().invoke(app, [*command, "--backend", name]) for name in ("ray", "local"))
    assert here.exit_code == 0
    assert there.stdout == here.stdout


def first_one_waits_to_be_killed(task: Task) -> Played:
    """Play, but whoever comes first writes its process id to a file and plays dead until it is."""
    try:
        with open(VICTIM, "x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return play_task(task)
    time.sleep(600)
    raise AssertionError("nobody killed me")


class Killer:
    """A back end that kills the waiting worker as soon as the other one has a result."""

    def __init__(self, place: Cluster, victim: Path) -> None:
        self.place, self.victim, self.killed = place, victim, 0

    def run(self, work: Any, items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        for item, result in self.place.run(first_one_waits_to_be_killed, items):
            if not self.killed:
                assert wait_until(lambda: self.victim.read_text() != "")
                self.killed = int(self.victim.read_text())
                os.kill(self.killed, signal.SIGKILL)
            yield item, result


@pytest.mark.slow
def test_a_worker_killed_in_mid_run_leaves_the_same_table(
    two_workers: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "VICTIM", str(tmp_path / "victim"))
    killer = Killer(two_workers, tmp_path / "victim")
    there = table(PLAN, killer)
    assert killer.killed not in (0, os.getpid())
    assert there == table(PLAN, ThisProcess())


def dies(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.slow
def test_a_worker_that_always_dies_ends_the_run_with_its_chunk_named(
    two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "RETRIES", 1)
    with pytest.raises(ClusterError, match="A worker died 2 times on 3"):
        list(two_workers.run(dies, range(6)))


def misbehaves(task: Task) -> Played:
    raise AgentError(f"agent {task.agents[0]!r} made an illegal move")


@pytest.mark.slow
def test_an_error_in_a_worker_is_told_in_our_words(two_workers: Cluster) -> None:
    with pytest.raises(AgentError, match=r"^agent 'simple' made an illegal move$") as told:
        list(two_workers.run(misbehaves, PLAN.tasks()))
    assert type(told.value) is AgentError


def seconds(n: float) -> float:
    time.sleep(n)
    return n


@pytest.mark.slow
def test_whoever_stops_listening_stops_the_work(two_workers: Cluster) -> None:
    results = two_workers.run(seconds, [0.0, *(600.0 + i for i in range(8))])
    assert next(results) == (0.0, 0.0)
    results.close()  # type: ignore[attr-defined]
    assert list(two_workers.run(seconds, [0.001])) == [(0.001, 0.001)]  # a worker is free again


def test_an_address_where_nobody_answers_is_told_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        with pytest.raises(ClusterError, match=r"No cluster answers at 127\.0\.0\.1"):
            backend("ray", address=f"127.0.0.1:{taken.getsockname()[1]}")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"-ERR unknown command\r\n"])
def test_an_address_where_something_else_answers_is_told_at_once(answer: bytes) -> None:
    """Ray itself would try for more than three minutes."""
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer_once() -> None:
            line, _ = other.accept()
            with line:
                line.recv(100)
                line.sendall(answer)

        thread = threading.Thread(target=answer_once)
        thread.start()
        with pytest.raises(ClusterError, match="it is not a Ray cluster"):
            backend("ray", address=f"127.0.0.1:{other.getsockname()[1]}")
        thread.join()


@pytest.mark.parametrize("error", [Exception("odd\nmore"), AssertionError(), KeyError("x"), SystemError("bad")])
@pytest.mark.parametrize("address", [None, "auto"])
def test_whatever_ray_raises_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, error: Exception, address: str | None
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", fail)
    with pytest.raises(ClusterError) as told:
        next(Cluster(address).run(seconds, [0.0]))
    assert "\n" not in str(told.value)
    assert "cluster" in str(told.value)


@pytest.mark.slow
def test_the_cluster_that_we_start_listens_on_loopback_only(two_workers: Cluster) -> None:
    psutil = pytest.importorskip("psutil")
    before = ray._private.ray_constants.ENABLE_RAY_CLUSTER
    list(two_workers.run(seconds, [0.001]))
    assert before == ray._private.ray_constants.ENABLE_RAY_CLUSTER
    ours = {os.getpid(), *(child.pid for child in psutil.Process().children(recursive=True))}
    heard = [found for found in psutil.net_connections("inet") if found.status == "LISTEN" and found.pid in ours]
    assert len(heard) > 3
    assert {found.laddr.ip.removeprefix("::ffff:") for found in heard} == {"127.0.0.1"}


@pytest.mark.parametrize("address", ["somewhere", "host:port", "ray://host:10001", ":6379", "h:" + "9" * 5000, "h:²"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(OptionError, match="use auto or host:port"):
        backend("ray", address=address)


def test_agents_given_as_objects_do_not_travel() -> None:
    job = CompiledJob.__new__(CompiledJob)
    with pytest.raises(OptionError, match="given by name"):
        next(Cluster().run(job, [(0, 1)]))
