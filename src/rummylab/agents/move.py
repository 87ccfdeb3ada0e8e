"""An agent's move from a position alone."""

from __future__ import annotations

from rummylab.agents.registry import agent as named_agent
from rummylab.engine.action import Action
from rummylab.engine.agent import Agent
from rummylab.engine.observation import Observation
from rummylab.engine.streams import player_stream
from rummylab.errors import AgentError, IllegalActionError, WrongTypeError, check_type, whole


def move(seen: Observation, agent: str | Agent, *, seed: int = 0) -> Action:
    """Return the move of *agent*, a name or an agent, in the position *seen*.

    The agent gets the position and nothing from before it: its notes and its random stream start fresh, the latter
    from *seed*.

    >>> from rummylab import State, gin, move
    >>> str(move(State.deal(gin(), seed=7).observe(0), "simple"))
    'pass'

    Raises:
        UnknownNameError: There is no such agent for this game.
        IllegalActionError: The seat is not to act.
        AgentError: The agent answers with an illegal move.
    """
    check_type(seen, Observation, "seen", "an observation, such as state.observe(0)")
    if not isinstance(agent, str) and not all(hasattr(agent, part) for part in ("sit", "act")):
        raise WrongTypeError(f"agent must be the name of an agent or an object with sit and act, not {agent!r}")
    if not seen.codes:
        raise IllegalActionError(f"seat {seen.seat} is not to act in this position")
    player = named_agent(seen.rules.name, agent) if isinstance(agent, str) else agent
    player.sit(seen.rules, seen.seat, player_stream(whole(seed, "a seed")))
    chosen = player.act(seen)
    if chosen not in seen.legal:
        raise AgentError(f"agent {getattr(player, 'name', agent)!r} answers with an illegal move: {chosen}")
    return chosen
