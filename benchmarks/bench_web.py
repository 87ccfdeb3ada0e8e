"""Load on the web table: the time from a POST to its event at many tables, and memory over many hands.

``python benchmarks/bench_web.py`` starts a server of its own and prints one JSON value; ``--write docs/results`` keeps
it as ``web-load.json``. ``--tables 20 --seconds 10 --hands 200`` is a quick look. ``--start`` measures instead how soon
a warm server answers, what the first page weighs and how soon agents of the default level answer.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PERIOD = 2.0
"""Seconds between moves at a table."""
WORKERS = 16
"""Tables at once while hands are counted."""


class Client:
    """One browser with one connection that is kept alive."""

    def __init__(self, port: int) -> None:
        self.port, self.cookie = port, ""
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    def _head(self, method: str, path: str, body: bytes) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", f"Host: localhost:{self.port}", f"Content-Length: {len(body)}"]
        lines += ["Content-Type: application/json"] * bool(body) + [f"Cookie: {self.cookie}"] * bool(self.cookie)
        return "\r\n".join([*lines, "", ""]).encode()

    async def _headers(self, reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
        status = int((await reader.readline()).split()[1])
        headers: dict[str, str] = {}
        while (line := await reader.readline()) != b"\r\n":
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        if "set-cookie" in headers:
            self.cookie = headers["set-cookie"].partition(";")[0]
        return status, headers

    async def ask(self, method: str, path: str, value: Any = None) -> tuple[int, Any]:
        """Send a request and return status and JSON of the answer."""
        body = json.dumps(value).encode() if value is not None else b""
        try:
            return await self._asked(method, path, body)
        except (ConnectionError, IndexError, asyncio.IncompleteReadError):  # the server closes what is idle for 5 s
            self.streams = None
            return await self._asked(method, path, body)

    async def _asked(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(self._head(method, path, body) + body)
        status, headers = await self._headers(reader)
        found = await reader.readexactly(int(headers["content-length"]))
        return status, json.loads(found)

    async def events(self, path: str) -> Any:
        """Yield the versions of a table's event stream, with its views."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**20)
        writer.write(self._head("GET", path, b""))
        await self._headers(reader)
        while line := await reader.readline():
            if line.startswith(b"data: "):
                update = json.loads(line[6:])
                yield update["version"], update["view"]


def choice(view: dict[str, Any]) -> str:
    """Return a sensible move: end the hand if possible, else what is suggested."""
    actions = view["actions"]
    ends = [one for one in actions if one["tone"] == "end"]
    suggested = [one for one in actions if one["suggested"]]
    return str((ends or suggested or actions)[0]["id"])


@dataclass(slots=True)
class Seat:
    """A table under load."""

    client: Client
    id: str = ""
    view: dict[str, Any] = field(default_factory=dict)
    version: int = -1
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def open(self) -> None:
        """Open a table and listen to it."""
        body = {"game": "gin", "opponents": [{"agent": "simple"}], "hints": "off"}
        _, self.view = await self.client.ask("POST", "/api/tables", body)
        self.id = self.view["id"]

    async def listen(self) -> None:
        """Follow the events."""
        async for version, view in self.client.events(f"/api/tables/{self.id}/events"):
            self.version, self.view = version, view
            self.changed.set()

    async def move(self) -> float | None:
        """Make one move, and return the seconds from the POST to the first event after it."""
        view = self.view
        if view["actor"] not in (None, 0):
            return None
        what = "next" if view["next"] else "move"
        if view["match_over"]:
            await self.open()
            return None
        body: dict[str, Any] = {"version": view["version"]} | ({"action": choice(view)} if what == "move" else {})
        began = time.perf_counter()
        self.changed.clear()
        status, _ = await self.client.ask("POST", f"/api/tables/{self.id}/{what}", body)
        if status != 200:
            return None
        while self.version <= view["version"]:
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 30)
        return time.perf_counter() - began


async def load(port: int, pid: int, tables: int, seconds: float) -> dict[str, Any]:
    """Make a move at each of many tables every two seconds.

    The server's processor time for each move does not depend on what else the machine does; the latency does.
    """
    seats = [Seat(Client(port)) for _ in range(tables)]
    listeners = []
    for seat in seats:
        await seat.open()
        listeners.append(asyncio.create_task(seat.listen()))
    times: list[float] = []
    before = processor_seconds(pid)

    async def play(seat: Seat, offset: float) -> None:
        await asyncio.sleep(offset)
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            began = time.perf_counter()
            took = await seat.move()
            if took is not None:
                times.append(took)
            await asyncio.sleep(max(0.0, PERIOD - (time.perf_counter() - began)))

    await asyncio.gather(*(play(seat, PERIOD * i / tables) for i, seat in enumerate(seats)))
    spent = processor_seconds(pid) - before
    for listener in listeners:
        listener.cancel()
    times.sort()
    at = {f"p{int(100 * q)}_ms": round(1000 * times[int(q * (len(times) - 1))], 1) for q in (0.5, 0.95, 0.99)}
    return {"tables": tables, "moves": len(times), "moves_per_s": round(len(times) / seconds, 1), **at} | {
        "server_cpu_ms_per_move": round(1000 * spent / max(1, len(times)), 2)
    }


async def hands(port: int, pid: int, wanted: int) -> dict[str, Any]:
    """Play many hands and return the server's memory on the way."""
    done = 0
    memory: list[tuple[int, float]] = []

    async def worker() -> None:
        nonlocal done
        client = Client(port)
        body = {"game": "gin", "opponents": [{"agent": "simple"}], "hints": "off"}
        _, view = await client.ask("POST", "/api/tables", body)
        while done < wanted:
            path = f"/api/tables/{view['id']}"
            if view["actor"] is None:
                done += 1
                if done % max(1, wanted // 10) == 0:
                    memory.append((done, resident(pid)))
                if view["match_over"]:
                    await client.ask("POST", f"{path}/leave", {"version": view["version"]})
                    _, view = await client.ask("POST", "/api/tables", body)
                else:
                    _, view = await client.ask("POST", f"{path}/next", {"version": view["version"]})
            elif view["actor"] == 0:
                status, found = await client.ask(
                    "POST", f"{path}/move", {"version": view["version"], "action": choice(view)}
                )
                view = found if status == 200 else (await client.ask("GET", path))[1]
                if status == 429:
                    await asyncio.sleep(1)
            else:
                await asyncio.sleep(0.002)
                status, found = await client.ask("GET", path)
                view = found if status == 200 else view

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(WORKERS)))
    seconds = time.perf_counter() - began
    return {"hands": done, "hands_per_s": round(done / seconds, 1), "memory_mb": memory}


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Return the resident memory of a process in megabytes."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    return round(int(found[1]) / 1024, 1) if found else 0.0


def started(folder: str) -> tuple[subprocess.Popen[str], int]:
    """Start a server and return it with its port."""
    command = [sys.executable, "-m", "rummylab", "play", "gin", "--no-browser", "--port", "0"]
    command += ["--tables", str(Path(folder) / "tables.db")]
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "RUMMYLAB_NO_LIMITS": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout is not None
    line = server.stdout.readline()
    port = re.search(r":(\d+)/", line)
    if port is None:
        raise SystemExit(f"the server did not start: {line}")
    return server, int(port[1])


def first_answer(with_answers: bool = False) -> dict[str, Any]:
    """Return how soon a server answers its first request, and the bytes of the first page as a browser gets it."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        server, port = started(folder)
        try:
            page = fetched(port, "/")
            up = time.perf_counter() - began
            text = gzip.decompress(page).decode()
            parts = re.findall(r'(?:src|href)="(/assets/[^"]+\.(?:js|css))"', text)
            sizes = {"/": len(page)} | {part: len(fetched(port, part)) for part in parts}
            figures = {
                "up_s": round(up, 2),
                "up_cpu_s": round(processor_seconds(server.pid), 2),
                "first_page_kb": round(sum(sizes.values()) / 1000, 1),
            }
            return figures | ({"answers": asyncio.run(answers(port))} if with_answers else {})
        finally:
            server.terminate()
            server.wait(20)


def fetched(port: int, path: str) -> bytes:
    """Return the compressed body of an answer; try again until the server listens."""
    asked = urllib.request.Request(f"http://localhost:{port}{path}", headers={"Accept-Encoding": "gzip"})
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(asked, timeout=30) as found:
            assert found.headers["Content-Encoding"] == "gzip"
            return bytes(found.read())
        time.sleep(0.02)


async def answers(port: int, moves: int = 60) -> dict[str, dict[str, float]]:
    """Return how soon agents of the default level answer, game by game: from a POST to the player's next turn."""
    found = {}
    for game in ("gin", "indian", "contract", "gin_pass"):
        client = Client(port)
        took: list[float] = []
        view: dict[str, Any] = {"actor": None}
        while len(took) <= moves:
            if view["actor"] is None:
                _, view = await client.ask("POST", "/api/tables", {"game": game, "hands": "one", "hints": "off"})
            path = f"/api/tables/{view['id']}"
            began = time.perf_counter()
            if view["actor"] == 0:
                move = {"version": view["version"], "action": choice(view)}
                _, view = await client.ask("POST", f"{path}/move", move)
            asked = view["actor"] not in (0, None)
            while view["actor"] not in (0, None):
                await asyncio.sleep(0.001)
                _, view = await client.ask("GET", path)
            if asked:
                took.append(1000 * (time.perf_counter() - began))
        kept = sorted(took[1:])  # the first one loads kernels
        at = {f"p{q}_ms": round(kept[len(kept) * q // 100], 1) for q in (50, 95)}
        found[game] = {**at, "most_ms": round(kept[-1], 1), "turns": len(kept)}
    return found


def main() -> None:
    """Run both parts and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--write", metavar="FOLDER", type=Path, default=None)
    parser.add_argument("--start", action="store_true", help="measure start, first page and answers")
    given = parser.parse_args()
    if given.start:
        first_answer()  # warms the caches
        print(json.dumps({"start": [first_answer(n == 2) for n in range(3)]}))
        return
    with tempfile.TemporaryDirectory() as folder:
        server, port = started(folder)
        try:
            asyncio.run(load(port, server.pid, 2, 4 * PERIOD))  # compiles what is not compiled yet
            result = {"load": asyncio.run(load(port, server.pid, given.tables, given.seconds))}
            if given.hands:
                result["memory"] = asyncio.run(hands(port, server.pid, given.hands))
        finally:
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(20)
            server.kill()
    print(json.dumps(result))
    if given.write is not None:
        (given.write / "web-load.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
