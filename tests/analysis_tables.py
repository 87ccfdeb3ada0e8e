"""Tables in mid-hand for the tests of worlds and values: every game, two seats and more."""

from __future__ import annotations

from functools import cache
from typing import Any

import rummylab
from rummylab import State
from rummylab.agents.move import move

CASES = {
    "gin": ("gin", "eaai", {}, "simple"),
    "gin-classic": ("gin", "classic", {}, "simple"),
    "gin_pass": ("gin_pass", "course", {}, "keats-tuned"),
    "gin_pass-4": ("gin_pass", "course", {"seats": 4}, "keats-tuned"),
    "indian": ("indian", "paper", {}, "mindist"),
    "indian-3": ("indian", "platform", {"seats": 3, "decks": 2}, "mindist"),
    "contract": ("contract", "chinese", {}, "chinese-heuristic"),
    "contract-3": ("contract", "contract-7", {"seats": 3}, "contract-greedy"),
}
"""Game, preset, changes, and the agent that plays up to the position."""


def rules_of(case: str) -> Any:
    game, preset, changes, _ = CASES[case]
    return getattr(rummylab, game)(preset, **changes)


@cache
def table(case: str, moves: int, seed: int = 3) -> State:
    """Return the table after so many moves, or before the last one of a shorter hand."""
    state = State.deal(rules_of(case), seed)
    for _ in range(moves):
        state.push(move(state.observe(), CASES[case][3], seed=seed))
        if state.actor is None:
            state.pop()
            break
    return state


@cache
def finished(case: str, seed: int = 3) -> State:
    """Return a whole hand."""
    state = State.deal(rules_of(case), seed)
    while state.actor is not None:
        state.push(move(state.observe(), CASES[case][3], seed=seed))
    return state
