"""The referee: deal, ask, check, apply, until nobody is to act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rummylab.engine.agent import Agent
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream


def play(rules: Rules, agents: Sequence[Agent], seed: int) -> State:
    """Play one hand and return the finished table."""
    return next(play_match(rules, agents, seed))


MAX_HANDS = 10_000
"""A match of players who never score would not end; it is broken off here and counts for nobody."""


def play_match(rules: Rules, agents: Sequence[Agent], seed: int, *, pair: int = 0) -> Iterator[State]:
    """Play a match hand by hand, yielding each finished table.

    The decks are those of match number *pair* under *seed*, whoever plays and however many numbers they draw.
    """
    rngs = [player_stream(seed, pair, number) for number in range(len(agents))]
    state = State(rules, rules.new_rows(1), rules.shuffled(seed, pair), rules.first_starter(seed, pair))
    while True:
        for i, agent in enumerate(agents):
            agent.sit(rules, Seat(i), rngs[i])
        finish(state, agents)
        yield state
        if state.match_is_over or state.hand_no + 1 == MAX_HANDS:
            return
        state = state.next_hand(rules.shuffled(seed, pair, state.hand_no + 1))


def finish(state: State, agents: Sequence[Agent]) -> None:
    """Play an open hand to its end."""
    while (seat := state.actor) is not None:
        state.push(agents[seat].act(state.observe(seat)))
