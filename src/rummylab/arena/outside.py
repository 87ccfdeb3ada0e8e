"""Players from outside: a class in somebody's Python file or package, or a program in any language.

An outside player sits in a process of its own. A crash, a time-out or an answer that cannot be understood raises
:class:`OutsideError` here and is a forfeit at the table; the process is started afresh for the next game, and the
tournament goes on. ``docs/guides/arena.md`` shows the three ways to bring an agent.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import pickle
import selectors
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from rummylab.agents import registry
from rummylab.engine.action import Action
from rummylab.engine.agent import Agent, CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.records import event_to_json
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.errors import AgentError, NotationError, UnknownNameError

PROGRAM: Final = "program:"
GROUP: Final = "rummylab.agents"
"""The entry-point group under which an installed package offers agents."""
START_UP: Final = 60.0
"""Seconds an outside player has for its first answer."""
PROTOCOL: Final = 1
_FRAME = struct.Struct("<Q")


class Fault(NamedTuple):
    """A game lost without being played out: who, in which deal and seating, how, and the details."""

    agent: str
    deal: int
    turn: int
    kind: str
    words: str


class OutsideError(AgentError):
    """An outside player crashed, took too long, or said something that is no move."""

    def __init__(self, kind: str, words: str) -> None:
        self.kind = kind
        super().__init__(words)


# --- Names --------------------------------------------------------------------------------------------------------


def is_outside(game_name: str, spec: str) -> bool:
    """Return whether *spec* names a player that is not in our registry."""
    return spec.partition("(")[0] not in {found.name for found in registry.entries(game_name)}


def player(game_name: str, spec: str, seconds_a_move: float = 10.0) -> Agent:
    """Return the player *spec*: a registered name, ``file.py:Class``, ``module:Class``, ``program:command``."""
    if not is_outside(game_name, spec):
        return registry.agent(game_name, spec)
    if spec.startswith(PROGRAM):
        return Program(spec, _command(spec), seconds_a_move)
    thing = _load(game_name, spec)
    if isinstance(thing, CompiledAgent):
        return CompiledAgent(spec, thing.pointer, thing.par)
    return Hosted(spec, game_name, seconds_a_move)


def is_compiled(game_name: str, spec: str) -> bool:
    """Return whether the player *spec* runs in the batch drivers; somebody unknown or broken raises."""
    return not is_outside(game_name, spec) or isinstance(player(game_name, spec), CompiledAgent)


def fingerprint(spec: str) -> str:
    """Return a hash of the file behind an outside *spec*, so that a changed agent is not taken for the same."""
    digest = hashlib.blake2b(spec.encode(), digest_size=8)
    place = _file_of(spec)
    if place is not None and place.is_file():
        digest.update(place.read_bytes())
    return digest.hexdigest()


def _file_of(spec: str) -> Path | None:
    if spec.startswith(PROGRAM):
        words = [word for word in _command(spec) if Path(word).is_file()]
        return Path(words[-1]) if words else None
    home = spec.partition(":")[0] if ":" in spec else _entry_points().get(spec, spec).partition(":")[0]
    if home.endswith(".py"):
        return Path(home)
    found = importlib.util.find_spec(home)
    return Path(found.origin) if found is not None and found.origin else None


def _command(spec: str) -> list[str]:
    words = shlex.split(spec.removeprefix(PROGRAM))
    if not words:
        raise AgentError(f"{spec!r} names no program: write program: and a command, such as 'program:./bot --fast'")
    if shutil.which(words[0]) is None:
        raise AgentError(f"{spec!r}: there is no program {words[0]!r} that can be started")
    return words


@cache
def _entry_points() -> dict[str, str]:
    return {point.name: point.value for point in importlib.metadata.entry_points(group=GROUP)}


def _load(game_name: str, spec: str) -> Any:
    """Import what *spec* names; a class, a factory or a compiled agent."""
    home, colon, name = (spec if ":" in spec else _entry_points().get(spec, spec)).partition(":")
    if not colon:
        known = [*(found.name for found in registry.entries(game_name)), *_entry_points()]
        raise UnknownNameError(f"{game_name} agent", spec, known)
    try:
        module = _module_at(Path(home)) if home.endswith(".py") else import_module(home)
    except FileNotFoundError:
        raise AgentError(f"{spec!r}: there is no file {home}") from None
    except Exception as error:  # noqa: BLE001 - whatever a stranger's file raises is told, not passed on
        raise AgentError(f"{spec!r} cannot be imported: {type(error).__name__}: {error}") from None
    if not hasattr(module, name):
        raise AgentError(f"{spec!r}: {home} has no {name!r}")
    return getattr(module, name)


def _module_at(path: Path) -> Any:
    name = "_outside_" + hashlib.blake2b(str(path.resolve()).encode(), digest_size=6).hexdigest()
    if name not in sys.modules:
        if not path.is_file():
            raise FileNotFoundError(path)
        found = importlib.util.spec_from_file_location(name, path)
        assert found is not None
        assert found.loader is not None
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module
        try:
            found.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def instance(game_name: str, spec: str) -> Any:
    """Return an agent made from what *spec* names, in this process."""
    thing = _load(game_name, spec)
    made = thing() if (callable(thing) and not hasattr(thing, "act")) or isinstance(thing, type) else thing
    for verb in ("sit", "act"):
        if not callable(getattr(made, verb, None)):
            raise AgentError(f"{spec!r} is no agent: it has no method {verb!r}")
    return made


# --- A player in a process of its own -----------------------------------------------------------------------------


class Outsider:
    """A player behind two pipes. Subclasses know what is written on them."""

    def __init__(self, name: str, command: Sequence[str], seconds_a_move: float) -> None:
        self.name, self.command, self.seconds_a_move = name, list(command), seconds_a_move
        self._child: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        self._stderr: Any = None

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        raise NotImplementedError

    def act(self, seen: Observation) -> Action:
        raise NotImplementedError

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def start(self) -> None:
        self.stop()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process is stopped
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
        self._child = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=environment,
            start_new_session=True,  # an interrupt of ours is not meant for it
        )

    def stop(self) -> None:
        """End the process; the next hand starts another."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout, self._stderr):
                if pipe is not None:
                    pipe.close()
        self._child, self._buffer = None, b""

    __del__ = stop

    def fault(self, kind: str, words: str) -> OutsideError:
        self.stop()
        return OutsideError(kind, f"{self.name}: {words}")

    def write(self, data: bytes) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(data)
            self._child.stdin.flush()
        except OSError:
            raise self._crash() from None

    def _crash(self) -> OutsideError:
        assert self._child is not None
        self._child.kill()
        code = self._child.wait()
        self._stderr.seek(0)
        said = self._stderr.read().decode(errors="replace").strip().splitlines()
        return self.fault("crash", f"ended with code {code}" + (f": {said[-1][:200]}" if said else ""))

    def read(self, enough: Any, seconds: float) -> bytes:
        """Read until ``enough(buffer)`` tells how many bytes are wanted, or the time is over."""
        assert self._child is not None
        assert self._child.stdout is not None
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._child.stdout, selectors.EVENT_READ)
            while (n := enough(self._buffer)) is None:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise self.fault("time-out", f"no answer within {seconds:g} s")
                part = os.read(self._child.stdout.fileno(), 1 << 16)
                if not part:
                    raise self._crash()
                self._buffer += part
        data, self._buffer = self._buffer[:n], self._buffer[n:]
        return data


# --- Python agents ------------------------------------------------------------------------------------------------


class Hosted(Outsider):
    """A Python agent in a process of its own; the two sides exchange pickles."""

    def __init__(self, spec: str, game_name: str, seconds_a_move: float) -> None:
        super().__init__(spec, [sys.executable, "-m", "rummylab.arena.host", game_name, spec], seconds_a_move)

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        seconds = self.seconds_a_move
        if not self.is_running:
            self.start()
            seconds = max(START_UP, seconds)
        self._ask(("sit", rules, seat, rng), seconds)

    def act(self, seen: Observation) -> Action:
        answer = self._ask(("act", seen), self.seconds_a_move)
        if not isinstance(answer, Action):
            raise OutsideError("illegal move", f"{self.name}: {answer!r} is no action")
        return answer

    def _ask(self, question: Any, seconds: float) -> Any:
        self.write(frame(pickle.dumps(question)))
        kind, answer = pickle.loads(self.read(_framed, seconds)[_FRAME.size :])
        if kind == "error":  # the process is well and makes a new agent for the next hand
            raise OutsideError("crash", f"{self.name}: {answer}")
        return answer


def frame(data: bytes) -> bytes:
    """Return *data* with its length before it."""
    return _FRAME.pack(len(data)) + data


def _framed(buffer: bytes) -> int | None:
    if len(buffer) < _FRAME.size:
        return None
    n = _FRAME.size + int(_FRAME.unpack_from(buffer)[0])
    return n if len(buffer) >= n else None


# --- Programs in any language -------------------------------------------------------------------------------------


class Program(Outsider):
    """A program that reads lines of JSON and answers every ``act`` with a line: the move in words."""

    _heard = 0

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        if not self.is_running:
            self.start()
            self._tell({"rummylab": PROTOCOL, "game": rules.name, "rules": rules.options.to_dict()})
            answer = self.read(_line, max(START_UP, self.seconds_a_move)).decode(errors="replace").strip()
            if answer != "ready":
                raise self.fault("bad answer", f"said {answer[:80]!r} instead of 'ready'")
        self._heard = 0
        self._tell({"sit": int(seat), "seats": rules.seats, "seed": int(rng.integers(2**53))})

    def act(self, seen: Observation) -> Action:
        news = [event_to_json(event) for event in seen.log[self._heard :]]
        self._heard = len(seen.log)
        self._tell({"act": int(seen.seat), "hand": str(seen.hand), "events": news, "legal": list(map(str, seen.legal))})
        text = self.read(_line, self.seconds_a_move).decode(errors="replace").strip()
        try:
            return Action.parse(text)
        except NotationError as error:
            raise OutsideError("illegal move", f"{self.name}: {error}") from None

    def _tell(self, message: dict[str, Any]) -> None:
        self.write(json.dumps(message).encode() + b"\n")


def _line(buffer: bytes) -> int | None:
    end = buffer.find(b"\n")
    return end + 1 if end >= 0 else None


@dataclass(frozen=True, slots=True)
class Listed:
    """An agent that an installed package offers."""

    name: str
    value: str


def installed() -> list[Listed]:
    """Return the agents that installed packages offer under the entry-point group."""
    return [Listed(name, value) for name, value in sorted(_entry_points().items())]
