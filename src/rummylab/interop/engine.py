"""The engine behind ``rummylab engine``: answers questions about positions in JSON lines.

Every question is about a position and depends on nothing before it. While a question is worked on, the engine reads on:
``stop`` makes it answer with what it has. Other requests wait for that answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any, Final

import rummylab
from rummylab.engine.protocol import PROTOCOL, read_line, write_line
from rummylab.errors import OptionError, ProtocolError, RummyError, check_type, whole
from rummylab.games.registry import GAMES

FIRST_LOOK: Final = 32
"""Worlds of the first answer; each further one has twice as many."""
MOST_WORLDS: Final = 65_536
Tell = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Settings of the engine; every ``go`` can replace them for one question."""

    agent: str | None = None
    """Agent that chooses the move; None: the move with the best value, or the game's own agent without values."""
    seed: int = 0
    seconds: float = 1.0
    nodes: int | None = None
    """Worlds to sample; then the answer does not depend on the time."""
    moves: int = 5
    """Alternatives to list with values and reasons; 0: none, the agent's move alone."""

    def changed(self, message: Mapping[str, Any]) -> EngineOptions:
        """Return these options with those that *message* names replaced.

        Raises:
            OptionError: A value is not allowed.
            WrongTypeError: A value has the wrong type.
        """
        found = {one.name: message[one.name] for one in fields(self) if one.name in message}
        if found.get("agent") is not None:
            check_type(found["agent"], str, "the option 'agent'")
        for name, least in (("seed", 0), ("nodes", 1), ("moves", 0)):
            if found.get(name) is not None and whole(found[name], f"the option {name!r}") < least:
                raise OptionError(f"The option {name!r} is at least {least}, not {found[name]}.")
        if "seconds" in found:
            check_type(found["seconds"], (int, float), "the option 'seconds'")
            if not 0 < found["seconds"] <= 86_400:
                raise OptionError(f"The option 'seconds' is more than 0 and at most 86400, not {found['seconds']}.")
        return replace(self, **found)


def can_value() -> bool:
    """Return whether moves can be valued: the analysis package is there."""
    return find_spec("rummylab.analysis") is not None and find_spec("rummylab.analysis.values") is not None


def observation(position: object) -> Any:
    """Return what the seat in *position* sees; of a whole table, what the seat to act sees.

    Raises:
        NotationError: It is not a position.
        ProtocolError: It is neither text nor a JSON object.
    """
    from rummylab.engine.observation import Observation
    from rummylab.engine.position import from_json, from_text
    from rummylab.engine.state import State
    from rummylab.games.lookup import rules_of

    if not isinstance(position, (str, dict)):
        raise ProtocolError("A position is text or a JSON object.")
    is_json = isinstance(position, dict) or position.lstrip().startswith("{")
    parsed = from_json(position, rules_of) if is_json else from_text(position, rules_of)  # type: ignore[arg-type]
    return State.at(parsed).observe() if parsed.seat is None else Observation.at(parsed)


def answer(seen: Any, options: EngineOptions, stop: threading.Event | None = None) -> dict[str, Any]:
    """Return the message ``bestmove`` for the position *seen*.

    Raises:
        IllegalActionError: The seat is not to act.
        UnknownNameError: There is no such agent.
    """
    from rummylab.agents.move import move as move_of

    began = time.monotonic()
    told: dict[str, Any] = {
        "type": "bestmove",
        "game": seen.rules.name,
        "agent": options.agent,
        "seat": int(seen.seat),
        "move": "",
        "legal": [str(action) for action in seen.legal],
        "values": [],
    }
    if options.agent is not None:
        told["move"] = str(move_of(seen, options.agent, seed=options.seed))
    if options.moves and can_value():
        told |= _valued(seen, options, stop, began)
    if options.agent is None and told["values"]:
        told["move"] = told["values"][0]["action"]
    elif options.agent is None:
        told["agent"] = seen.rules.spec.opponent_for(seen.rules.options)
        told["move"] = str(move_of(seen, told["agent"], seed=options.seed))
    told["values"] = told["values"][: options.moves]
    return told | {"seconds": round(time.monotonic() - began, 3), "stopped": stop is not None and stop.is_set()}


def _valued(seen: Any, options: EngineOptions, stop: threading.Event | None, began: float) -> dict[str, Any]:
    """Return values of the moves: from the given number of worlds, or from more and more until the time is up."""
    from importlib import import_module

    values = import_module("rummylab.analysis.values")
    worlds, found = options.nodes or FIRST_LOOK, None
    while True:
        left = None if options.nodes else options.seconds - (time.monotonic() - began)
        if found is not None and left is not None and (left <= 0 or worlds > MOST_WORLDS):
            break
        limit = None if left is None else min(max(left, 0.05), 3600.0)
        found = values.analyze(seen, budget=values.Budget(worlds=worlds, seconds=limit, seed=options.seed))
        if options.nodes or (stop is not None and stop.is_set()):
            break
        worlds *= 2
    told = found.to_dict()
    return {"values": told["moves"], "method": told["method"], "nodes": told["worlds"]}


class Engine:
    """One conversation: reads requests, sends answers."""

    def __init__(self, tell: Tell, options: EngineOptions | None = None) -> None:
        self._tell, self.options = tell, options or EngineOptions()
        self.position: object = None
        """The position that was sent last; a question can bring its own."""
        self._worker: threading.Thread | None = None
        self._halt = threading.Event()
        self._lock = threading.Lock()

    def hear(self, line: str) -> bool:
        """Answer one line; return whether the conversation goes on. A bad line is answered with an error."""
        request: str | None = None
        number: Any = None
        try:
            try:
                message = read_line(line)
                request, number = message["type"], message.get("id")
            finally:
                if request not in ("stop", "quit"):
                    self.wait()  # answers come in the order of the requests
            if request == "quit":
                self._halt.set()
                self.wait()
                self._say({"type": "bye"}, number)
                return False
            getattr(self, f"_on_{request}")(message, number)
        except RummyError as error:
            self._say({"type": "error", "message": str(error), "request": request}, number)
        return True

    def wait(self) -> None:
        """Wait for the answer to the last question."""
        if self._worker is not None:
            self._worker.join()
            self._worker = None

    def _say(self, message: Mapping[str, Any], number: Any) -> None:
        with self._lock:
            self._tell(message if number is None else {**message, "id": number})

    # --- Requests -----------------------------------------------------------------------------------------------------

    def _on_hello(self, message: Mapping[str, Any], number: Any) -> None:
        wanted = message.get("protocol", PROTOCOL)
        if wanted != PROTOCOL:
            raise ProtocolError(f"This engine speaks version {PROTOCOL} of the protocol, not {wanted}.")
        from rummylab.agents.registry import entries

        games = {name: [found.name for found in entries(name)] for name in GAMES}
        about = {"engine": "rummylab", "version": rummylab.__version__, "games": games, "values": can_value()}
        self._say({"type": "hello", "protocol": PROTOCOL, **about}, number)

    def _on_options(self, message: Mapping[str, Any], number: Any) -> None:
        self.options = self.options.changed(message)
        now = {one.name: getattr(self.options, one.name) for one in fields(self.options)}
        self._say({"type": "options", **{name: value for name, value in now.items() if value is not None}}, number)

    def _on_position(self, message: Mapping[str, Any], number: Any) -> None:
        seen = observation(message.get("position"))
        self.position = message["position"]
        facts = {"game": seen.rules.name, "seat": int(seen.seat), "phase": seen.phase}
        self._say({"type": "position", **facts, "legal": [str(action) for action in seen.legal]}, number)

    def _on_go(self, message: Mapping[str, Any], number: Any) -> None:
        position = message.get("position", self.position)
        if position is None:
            raise ProtocolError("There is no position yet: send one before go, or in it.")
        options, seen = self.options.changed(message), observation(position)
        self._halt.clear()
        self._worker = threading.Thread(target=self._work, args=(seen, options, number), daemon=True)
        self._worker.start()

    def _on_stop(self, message: Mapping[str, Any], number: Any) -> None:
        self._halt.set()

    def _work(self, seen: Any, options: EngineOptions, number: Any) -> None:
        try:
            told = answer(seen, options, self._halt)
        except RummyError as error:
            told = {"type": "error", "message": str(error), "request": "go"}
        self._say(told, number)


def serve(lines: Iterable[str], write: Callable[[str], None], options: EngineOptions | None = None) -> None:
    """Hold a conversation: answer *lines* until one says quit, or until they end."""
    engine = Engine(lambda message: write(write_line(message)), options)
    for line in lines:
        if line.strip() and not engine.hear(line):
            return
    engine.wait()
