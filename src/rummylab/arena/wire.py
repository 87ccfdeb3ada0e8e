"""The protocol between the referee and an outside agent's process, for both sides.

We send JSON, one object per line; the other side answers in plain text. See ``docs/guides/arena.md``.
"""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from typing import Any, Final

import numpy as np

from rummylab.engine.action import Event
from rummylab.engine.observation import Observation
from rummylab.engine.records import event_from_json, event_to_json
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.games.registry import game

PROTOCOL: Final = 1
READY, READY_FOR_VIEWS, SEATED = "ready", "ready view", "ok"
FAULTS: Final = {"error: ": "crash", "illegal: ": "illegal move"}
"""Prefixes of answers that give the game up, with the kind of fault."""


def greeting(rules: Rules) -> str:
    """Return the first line to a new process."""
    return json.dumps({"rummylab": PROTOCOL, "game": rules.name, "rules": rules.options.to_dict()})


def seating(rules: Rules, seat: Seat, seed: int) -> str:
    """Return the line that starts a hand."""
    return json.dumps({"sit": int(seat), "seats": rules.seats, "seed": seed})


def question(seen: Observation, since: int, *, with_view: bool) -> str:
    """Return the line that asks for a move; *since* events of the hand were sent before."""
    message: dict[str, Any] = {
        "act": int(seen.seat),
        "hand": str(seen.hand),
        "events": [event_to_json(event) for event in seen.log[since:]],
        "legal": [str(action) for action in seen.legal],
    }
    if with_view:
        message |= {"codes": list(map(int, seen.codes)), "view": base64.b64encode(seen.view_bytes()).decode()}
    return json.dumps(message)


class Listener:
    """The agent's side: makes rules, random numbers and observations from the lines."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.rules = game(message["game"]).rules(None, **message["rules"])
        self._log: list[Event] = []

    def sit(self, message: dict[str, Any]) -> tuple[Rules, Seat, np.random.Generator]:
        """Return the arguments of ``Agent.sit`` when a hand begins."""
        self._log = []
        return self.rules, Seat(message["sit"]), np.random.default_rng(message["seed"])

    def observation(self, message: dict[str, Any]) -> Observation:
        """Return the observation that the referee made of the position, as :func:`question` told it."""
        self._log += [_event(tuple(event.items())) for event in message["events"]]
        view = base64.b64decode(message["view"])
        return self.rules.observation(Seat(message["act"]), view, tuple(self._log), tuple(message["codes"]))


@lru_cache(4096)
def _event(items: tuple[tuple[str, Any], ...]) -> Event:
    return event_from_json(dict(items))
