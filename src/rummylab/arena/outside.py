"""Outside agents: a class in a user's Python file or package, or a program in any language.

An outside agent runs in a process of its own and communicates in lines of text. This process never imports or unpickles
anything of it, and never waits for it without a limit. A crash, a time-out or an unreadable answer raises
:class:`OutsideError` and forfeits the game; the process is restarted for the next game, and the tournament continues.
``docs/guides/arena.md`` shows how to bring an agent.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast

import numpy as np

import rummylab.agents.registry as registry  # named in full: the code version of a run follows these lines
import rummylab.arena.fingerprint as fingerprints
import rummylab.arena.sandbox as sandbox
import rummylab.arena.wire as wire
from rummylab.arena.faults import Fault as Fault
from rummylab.arena.faults import OutsideError
from rummylab.arena.installed import installed
from rummylab.arena.line_process import LineProcess, printable
from rummylab.engine.action import Action
from rummylab.engine.agent import Agent
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.errors import AgentError, OptionError, RummyError, UnknownNameError

PROGRAM: Final = "program:"
ENGINE: Final = "engine:"
"""Begins the name of a program that speaks the engine protocol (``docs/reference/engine-protocol.md``)."""
START_UP: Final = 60.0
"""Seconds an outside agent has to be loaded, to get ready, and for its first hand to begin."""
LONGEST_MOVE: Final = 86_400.0
LONGEST_ANSWER: Final = 1000
"""Characters of a move; the longest legal one has about a hundred."""
FRESH_AFTER: Final = 3600.0
"""Seconds after which a process is replaced by a fresh one when the next game begins."""
MAX_PROCESSES: Final = 16
"""Processes of outside agents that one referee keeps; the least recently used ones are ended."""
Kind = Literal["ours", "class", "compiled", "program"]


# --- Names --------------------------------------------------------------------------------------------------------


def is_outside(game_name: str, spec: str) -> bool:
    """Return whether *spec* names an agent that is not in our registry."""
    return spec.partition("(")[0] not in {found.name for found in registry.entries(game_name)}


def player(game_name: str, spec: str, seconds_a_move: float = 10.0) -> Agent:
    """Return the agent *spec*: a registered name, ``file.py:Class``, ``module:Class``, ``program:command`` or
    ``engine:command``.
    """
    if not 0 < seconds_a_move <= LONGEST_MOVE:
        raise OptionError(f"seconds a move is {seconds_a_move}, but must be more than 0 and at most {LONGEST_MOVE:g}")
    kind = describe(game_name, spec)
    if kind == "ours":
        return registry.agent(game_name, spec)
    if kind == "compiled":
        from rummylab.arena.guests import CompiledGuest

        start = _python("compiled_host", target(game_name, spec))
        return CompiledGuest(spec, game_name, start, seconds_a_move)
    if kind == "program":
        start = _engine(spec) if spec.startswith(ENGINE) else _program(spec)
    else:
        start = _hosted("play", target(game_name, spec))
    return Outsider(spec, start, seconds_a_move)


def is_compiled(game_name: str, spec: str) -> bool:
    """Return whether the agent *spec* is compiled. Raise an error if it is unknown or cannot be loaded."""
    return describe(game_name, spec) in ("ours", "compiled")


def describe(game_name: str, spec: str) -> Kind:
    """Return the kind of agent that *spec* names, without trusting it.

    A class or a compiled agent is loaded by a child process, which has :data:`START_UP` seconds for it; its answer is
    remembered as long as the file stays as it is. Raises ``AgentError`` for somebody who cannot play. Whoever lies
    here is seated the wrong way and forfeits.
    """
    if not is_outside(game_name, spec):
        return "ours"
    if spec.startswith((PROGRAM, ENGINE)):
        _command(spec)
        return "program"
    answer = _described(target(game_name, spec), fingerprint(spec))
    if answer not in ("class", "compiled"):
        raise AgentError(f"{spec!r}: {answer.removeprefix('error: ')}")
    return cast(Kind, answer)


@cache
def _described(named: str, _fingerprint: str) -> str:
    process = LineProcess(_hosted("describe", named).start())
    try:
        return printable(process.hear(START_UP), 500)
    except OutsideError as error:
        return f"error: cannot be imported: {error}"
    finally:
        process.stop()


def fingerprint(spec: str) -> str:
    """Return a hash of the files behind an outside *spec*, so that a changed agent is not taken for the same."""
    return fingerprints.digest(spec, _files_of(spec))


def _files_of(spec: str) -> Iterator[Path]:
    if spec.startswith((PROGRAM, ENGINE)):
        return fingerprints.of_command(_command(spec))
    home = spec.partition(":")[0] if ":" in spec else installed().get(spec, spec).partition(":")[0]
    if home.endswith(".py"):
        return fingerprints.of_script(Path(home))
    try:
        found = importlib.util.find_spec(home.partition(".")[0])  # of the top alone: nothing is imported
    except (ImportError, ValueError):
        found = None
    return iter(()) if found is None else fingerprints.of_module(found)


def target(game_name: str, spec: str) -> str:
    """Return ``HOME:NAME`` as another process finds it: an entry point followed, a file by its absolute path."""
    home, colon, name = (spec if ":" in spec else installed().get(spec, spec)).partition(":")
    if not colon:
        known = [*(found.name for found in registry.entries(game_name)), *installed()]
        raise UnknownNameError(f"{game_name} agent", spec, known)
    if not home.endswith(".py"):
        return f"{home}:{name}"
    if not Path(home).is_file():
        raise AgentError(f"{spec!r}: there is no file {home}")
    return f"{Path(home).resolve()}:{name}"


# --- How their processes are started ------------------------------------------------------------------------------


class Start(NamedTuple):
    """How to start an outside agent's process, and which files it needs beyond the system's and this package's."""

    command: tuple[str, ...]
    readable: tuple[str, ...] = ()
    python_path: tuple[str, ...] = ()

    def start(self, pass_fds: tuple[int, ...] = ()) -> sandbox.Process:
        return sandbox.launch(self.command, readable=self.readable, python_path=self.python_path, pass_fds=pass_fds)


def _hosted(verb: str, named: str) -> Start:
    """Return how to start our host for a Python agent."""
    return _python("host", verb, named)


def _python(module: str, *words: str) -> Start:
    """Return how to start a module of ours around the agent that the last of *words* names."""
    named = words[-1]
    home = named.partition(":")[0]
    places = [os.path.abspath(place) for place in sys.path]
    if home.endswith(".py"):  # a file needs no modules from where we happen to be
        places = [place for place in places if place != os.getcwd() or place == str(Path(home).parent)]
        readable: tuple[str, ...] = (str(Path(home).parent),)
    else:
        readable = ()
    command = (sys.executable, "-P", "-m", f"rummylab.arena.{module}", *words)
    return Start(command, readable, tuple(dict.fromkeys(places)))


def _command(spec: str) -> list[str]:
    try:
        words = shlex.split(spec.partition(":")[2])
    except ValueError as error:
        raise AgentError(f"{spec!r} cannot be read as a command: {error}") from None
    if not words:
        raise AgentError(f"{spec!r} names no program: add a command, such as 'program:./bot --fast'")
    if shutil.which(words[0]) is None:
        raise AgentError(f"{spec!r}: there is no program {words[0]!r} that can be started")
    return words


def _program(spec: str) -> Start:
    """Return how to start a program. It runs in a scratch folder, so words that name files become absolute paths."""
    first, *others = _command(spec)
    program = os.path.abspath(cast(str, shutil.which(first)))
    others = [os.path.abspath(word) if _is_path(word) else word for word in others]
    folders = [word if os.path.isdir(word) else os.path.dirname(word) for word in others if _is_path(word)]
    installed_at = Path(program).resolve().parent
    folders += [str(installed_at.parent if installed_at.name == "bin" else installed_at), os.path.dirname(program)]
    return Start((program, *others), tuple(folders))


def _engine(spec: str) -> Start:
    """Return how to start a program that speaks the engine protocol, with our host around it."""
    inner, outer = _program(spec), _python("engine_host", "")
    return Start((*outer.command[:-1], *inner.command), inner.readable, outer.python_path)


def _is_path(word: str) -> bool:
    """Return whether a word of a command means a file or a folder; ``test`` alone is not taken for a folder."""
    return os.path.isfile(word) or (os.sep in word and os.path.isdir(word))


# --- An agent in a process of its own -----------------------------------------------------------------------------


class Outsider:
    """An agent behind pipes: a program that reads lines of JSON and answers with the move in words.

    A Python class is such a program too, with ``rummylab.arena.host`` around it.
    """

    def __init__(self, name: str, start: Start, seconds_a_move: float) -> None:
        self.name, self.seconds_a_move = name, seconds_a_move
        self._start = start
        self._process: LineProcess | None = None
        self._since = 0.0
        self._told = 0
        self._with_view = False
        self._seatings: dict[int, Outsider] = {}

    def in_seating(self, place: int) -> Outsider:
        """Return the agent for the next game, which is played in seating number *place* of its deal.

        Every seating has a process of its own: one that played a deal from one seat knows the cards of the other.
        """
        found = self._seatings.setdefault(place, Outsider(self.name, self._start, self.seconds_a_move))
        if found._process is not None and time.monotonic() - found._since > FRESH_AFTER:
            found.stop()
        if found._process is not None:
            keep(found._process)
        return found

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        seconds = self.seconds_a_move
        try:
            if self._process is None or not self._process.is_running:
                seconds = max(START_UP, seconds)
                self._begin(rules, seconds)
            assert self._process is not None
            self._told = 0
            line = wire.seating(rules, seat, int(rng.integers(2**53)))
            if not self._with_view:
                self._process.tell(line, seconds)
            elif (answer := self._answer(line, seconds)) != wire.SEATED:
                self.stop()
                raise OutsideError("bad answer", f"said {printable(answer, 80)!r} instead of {wire.SEATED!r}")
        except OutsideError as error:
            raise self._named(error) from None

    def act(self, seen: Observation) -> Action:
        line = wire.question(seen, self._told, with_view=self._with_view)
        self._told = len(seen.log)
        try:
            return _move(self._answer(line, self.seconds_a_move), seen.rules)
        except OutsideError as error:
            raise self._named(error) from None

    def stop(self) -> None:
        """End the process; the next hand starts another."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _begin(self, rules: Rules, seconds: float) -> None:
        self.stop()
        self._process = LineProcess(self._start.start())
        self._since = time.monotonic()
        keep(self._process)
        answer = self._answer(wire.greeting(rules), seconds)
        if answer not in (wire.READY, wire.READY_FOR_VIEWS):
            self.stop()
            raise OutsideError("bad answer", f"said {printable(answer, 80)!r} instead of {wire.READY!r}")
        self._with_view = answer == wire.READY_FOR_VIEWS

    def _answer(self, line: str, seconds: float) -> str:
        if self._process is None:
            raise OutsideError("crash", "its process has ended")
        answer = self._process.ask(line, seconds)
        for start, kind in wire.FAULTS.items():
            if answer.startswith(start):
                raise OutsideError(kind, printable(answer.removeprefix(start)))
        return answer

    def _named(self, error: OutsideError) -> OutsideError:
        return OutsideError(error.kind, f"{self.name}: {error}")


def _move(text: str, rules: Rules) -> Action:
    """Return the move that an outside agent wrote; whether it is legal now is for the referee to see."""
    if len(text) > LONGEST_ANSWER:
        raise OutsideError("illegal move", f"not an action: {printable(text, 40)!r}... ({len(text):,} letters)")
    try:
        action = Action.parse(text)
        if not 0 <= rules.encode(action) < rules.n_codes:
            raise OutsideError("illegal move", f"not a move of this game: {printable(text)!r}")
    except OutsideError:
        raise
    except (RummyError, ValueError, LookupError, ArithmeticError, TypeError) as error:
        raise OutsideError("illegal move", printable(str(error))) from None
    return action


_running: dict[Callable[[], object], None] = {}
"""What ends each running process, those used last at the end."""


def keep(process: LineProcess) -> None:
    """Note that *process* is in use; end those that have not been for longest, if there are too many."""
    _running.pop(process.stop, None)
    _running[process.stop] = None
    while len(_running) > MAX_PROCESSES:
        stop = next(iter(_running))
        del _running[stop]
        stop()
