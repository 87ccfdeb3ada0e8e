"""Seats an engine at a table: takes the referee's lines and asks a program that speaks the engine protocol.

``python -m rummylab.arena.engine_host COMMAND ...`` is the program behind the agent ``engine:COMMAND ...``. The referee
sees an ordinary agent that answers in words; the engine sees positions and is asked for its best move. Both run in the
agent's own process, so nothing of the engine reaches the referee undecoded.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from rummylab.arena.wire import READY_FOR_VIEWS, SEATED, Listener
from rummylab.engine.protocol import ANSWERS, PROTOCOL, read_line, write_line
from rummylab.engine.reading import parse_json
from rummylab.errors import AgentError, ProtocolError, RummyError


class EngineProcess:
    """A program that speaks the engine protocol."""

    def __init__(self, command: Sequence[str]) -> None:
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, wanted: str, **message: Any) -> dict[str, Any]:
        """Send a message and return the answer of the type *wanted*.

        Raises:
            AgentError: The engine has ended, answers with an error, or with something else.
        """
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(write_line(message) + "\n")
            stdin.flush()
        except OSError as error:
            raise AgentError(f"the engine has ended: {error}") from None
        while line := stdout.readline():
            try:
                answer = read_line(line, ANSWERS)
            except ProtocolError as error:
                raise AgentError(f"the engine's answer cannot be read: {error}") from None
            if answer["type"] == wanted:
                return answer
            if answer["type"] == "error":
                raise AgentError(f"the engine says: {answer.get('message')}")
        raise AgentError("the engine has ended")


def serve(command: Sequence[str], lines: Iterable[str], answers: TextIO) -> None:
    """Answer the referee's *lines* with the moves of the engine that *command* starts."""
    engine = EngineProcess(command)
    listener: Any = None
    for line in lines:
        try:
            message = parse_json(line, AgentError, "the referee's line")
            if "sit" in message:
                listener.sit(message)
                words = SEATED
            elif "act" in message:
                seen = listener.observation(message)
                position = parse_json(seen.to_json(), AgentError, "a position")
                told = engine.ask("bestmove", type="go", position=position, legal=message["legal"])
                words = " ".join(str(told.get("move")).split())[:1000]
            else:
                listener = Listener(message)
                told = engine.ask("hello", type="hello", protocol=PROTOCOL, game=listener.rules.name)
                if told.get("protocol") != PROTOCOL:
                    raise AgentError(f"the engine speaks version {told.get('protocol')} of the protocol")
                words = READY_FOR_VIEWS
        except RummyError as error:
            words = "error: " + " ".join(str(error).split())[:1000]
        answers.write(words + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1:], sys.stdin, sys.stdout)
