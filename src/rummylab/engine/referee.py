"""The referee: deals, asks the agents for moves, checks and applies them, until the hand is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rummylab.engine.agent import Agent
from rummylab.engine.rows import MAX_HANDS
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State, check_rules
from rummylab.engine.streams import player_stream
from rummylab.errors import OptionError, WrongTypeError, check_type, whole


def play(rules: Rules, agents: Sequence[Agent], seed: int) -> State:
    """Play one hand and return the finished table.

    >>> from rummylab import agent, gin, play
    >>> play(gin(), [agent("gin", "simple"), agent("gin", "random")], seed=7).actor is None
    True

    Raises:
        OptionError: The number of agents is not the number of seats.
        IllegalActionError: An agent makes an illegal move.
    """
    return next(play_match(rules, agents, seed))


def play_match(rules: Rules, agents: Sequence[Agent], seed: int, *, pair: int = 0) -> Iterator[State]:
    """Play a match hand by hand, yielding each finished table.

    The decks are those of match number *pair* under *seed*. They do not depend on the agents.

    Raises:
        OptionError: The number of agents is not the number of seats.
        IllegalActionError: An agent makes an illegal move.
    """
    check_rules(rules)
    check_type(agents, Sequence, "agents", "a sequence of agents, one for each seat")
    if len(agents) != rules.seats:
        raise OptionError(f"{rules.name} has {rules.seats} seats, but there are {len(agents)} agents")
    for player in agents:
        check_agent(player)
    whole(seed, "a seed")
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
    """Play a hand to its end."""
    while (seat := state.actor) is not None:
        state.push(agents[seat].act(state.observe(seat)))


def check_agent(agent: object) -> None:
    """Raise `WrongTypeError` unless *agent* is an agent."""
    if not all(hasattr(agent, part) for part in ("sit", "act")):
        wanted = "an object with sit and act, such as agent('gin', 'simple')"
        raise WrongTypeError(f"an agent must be {wanted}, not {agent!r}")
