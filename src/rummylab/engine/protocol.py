"""The engine protocol: JSON lines between a front end and an engine that answers questions about positions.

``docs/reference/engine-protocol.md`` describes it. This module holds what both sides share: the version, the messages
and their JSON Schema. Nothing here imports Numba.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from rummylab.engine.reading import parse_json
from rummylab.errors import ProtocolError

PROTOCOL: Final = 1
MAX_LINE: Final = 100_000
"""Characters of the longest line that is read."""
REQUESTS: Final = ("hello", "options", "position", "go", "stop", "quit")
ANSWERS: Final = ("hello", "options", "position", "bestmove", "error", "bye")

_TEXT: Final[dict[str, Any]] = {"type": "string"}
_ID: Final[dict[str, Any]] = {"type": ["string", "integer"], "description": "Comes back in the answer."}
_SECONDS: Final[dict[str, Any]] = {"type": "number", "exclusiveMinimum": 0, "maximum": 86_400}
_POSITION: Final[dict[str, Any]] = {
    "type": ["string", "object"],
    "description": "What a seat sees, or a whole table, as text or as JSON (position.schema.json).",
}
_SETTINGS: Final[dict[str, Any]] = {
    "agent": {"type": ["string", "null"], "description": "Agent that chooses the move; null: the best value."},
    "seed": {"type": "integer", "minimum": 0},
    "seconds": {**_SECONDS, "description": "Time for one question."},
    "nodes": {"type": "integer", "minimum": 1, "description": "Worlds to sample, in place of a time."},
    "moves": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Alternatives to list; 0: none."},
}
_REASON: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"kind": _TEXT, "number": {"type": "number"}, "text": _TEXT},
    "required": ["kind", "number", "text"],
}
_LEGAL: Final[dict[str, Any]] = {
    "type": "array",
    "items": _TEXT,
    "description": "The legal moves, for engines that do not know all rules. A referee sends them.",
}
_VALUE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "action": _TEXT,
        "points": {"type": "number", "description": "Expected points of the hand."},
        "se": {"type": "number", "description": "Standard error of the points."},
        "behind": {"type": "number", "maximum": 0, "description": "Points behind the best move."},
        "win_chance": {"type": ["number", "null"]},
        "reasons": {"type": "array", "items": _REASON},
    },
    "required": ["action", "points"],
}


def _message(kind: str, properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"type": {"const": kind}, "id": _ID, **properties},
        "required": ["type", *required],
    }


_INTEGER: Final[dict[str, Any]] = {"type": "integer"}
_TEXTS: Final[dict[str, Any]] = {"type": "array", "items": _TEXT}
_GAMES: Final[dict[str, Any]] = {"type": "object", "additionalProperties": _TEXTS}
_CAN_VALUE: Final[dict[str, Any]] = {"type": "boolean", "description": "Whether it can value moves."}
_HELLO: Final = {"protocol": _INTEGER, "engine": _TEXT, "version": _TEXT, "games": _GAMES, "values": _CAN_VALUE}
_BEST_MOVE: Final[dict[str, Any]] = {
    "game": _TEXT,
    "seat": _INTEGER,
    "agent": {"type": ["string", "null"]},
    "move": _TEXT,
    "legal": _TEXTS,
    "values": {"type": "array", "items": _VALUE, "description": "Best first; empty without values."},
    "method": _TEXT,
    "nodes": _INTEGER,
    "seconds": {"type": "number"},
    "stopped": {"type": "boolean"},
}
_REQUESTS: Final = [
    _message("hello", {"protocol": _INTEGER, "game": _TEXT}),
    _message("options", _SETTINGS),
    _message("position", {"position": _POSITION}, ("position",)),
    _message("go", {"position": _POSITION, "legal": _LEGAL, **_SETTINGS}),
    _message("stop", {}),
    _message("quit", {}),
]
_ANSWERS: Final = [
    _message("hello", _HELLO, ("protocol", "engine", "games")),
    _message("options", _SETTINGS),
    _message("position", {"game": _TEXT, "seat": _INTEGER, "phase": _TEXT, "legal": _TEXTS}, ("game", "seat", "legal")),
    _message("bestmove", _BEST_MOVE, ("move",)),
    _message("error", {"message": _TEXT, "request": {"type": ["string", "null"]}}, ("message",)),
    _message("bye", {}),
]
SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Rummylab engine protocol",
    "description": f"Version {PROTOCOL}. A line from the front end is a request, a line from the engine an answer.",
    "anyOf": [{"$ref": "#/$defs/request"}, {"$ref": "#/$defs/answer"}],
    "$defs": {"request": {"anyOf": _REQUESTS}, "answer": {"anyOf": _ANSWERS}},
}
"""JSON Schema of every line, ``docs/reference/engine-protocol.schema.json``."""


def read_line(line: str, known: tuple[str, ...] = REQUESTS) -> dict[str, Any]:
    """Return the message in *line*.

    Raises:
        ProtocolError: It is too long, not a JSON object, or of no *known* type.
    """
    if len(line) > MAX_LINE:
        raise ProtocolError(f"A line has at most {MAX_LINE:,} characters, this one has {len(line):,}.")
    message = parse_json(line, ProtocolError, "the line")
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ProtocolError('A line is a JSON object with a "type", such as {"type": "hello"}.')
    if message["type"] not in known:
        raise ProtocolError(f"No message has the type {message['type']!r}. Known: {', '.join(known)}.")
    return message


def write_line(message: Mapping[str, Any]) -> str:
    """Return *message* as one line, without its end."""
    return json.dumps(message, separators=(", ", ": "), ensure_ascii=False)
