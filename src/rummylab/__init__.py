"""Rummylab: rules, agents and laboratory for the rummy family of card games.

The names below, and those that the games declare in their specifications, are the public surface. They are imported
when first used, so that starting is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rummylab.engine import lookup

__version__ = "0.1.0"

_HOME = {
    "Action": "rummylab.engine.action",
    "Agent": "rummylab.engine.agent",
    "AgentOptions": "rummylab.engine.agent_options",
    "Belief": "rummylab.beliefs.belief",
    "Card": "rummylab.cards.card",
    "CompiledAgent": "rummylab.engine.agent",
    "Deck": "rummylab.cards.deck",
    "Event": "rummylab.engine.action",
    "Hand": "rummylab.cards.hand",
    "Observation": "rummylab.engine.observation",
    "Record": "rummylab.engine.records",
    "RummyError": "rummylab.errors",
    "Seat": "rummylab.engine.seats",
    "State": "rummylab.engine.state",
    "Variant": "rummylab.agents.register",
    "agent": "rummylab.agents.registry",
    "belief": "rummylab.beliefs.belief",
    "match": "rummylab.arena.match",
    "move": "rummylab.agents.move",
    "option": "rummylab.engine.agent_options",
    "play": "rummylab.engine.referee",
    "play_match": "rummylab.engine.referee",
    "register_agent": "rummylab.agents.register",
}

if TYPE_CHECKING:
    from rummylab.agents.move import move as move
    from rummylab.agents.register import Variant as Variant
    from rummylab.agents.register import register_agent as register_agent
    from rummylab.agents.registry import agent as agent
    from rummylab.arena.match import match as match
    from rummylab.beliefs.belief import Belief as Belief
    from rummylab.beliefs.belief import belief as belief
    from rummylab.cards.card import Card as Card
    from rummylab.cards.deck import Deck as Deck
    from rummylab.cards.hand import Hand as Hand
    from rummylab.engine.action import Action as Action
    from rummylab.engine.action import Event as Event
    from rummylab.engine.agent import Agent as Agent
    from rummylab.engine.agent import CompiledAgent as CompiledAgent
    from rummylab.engine.agent_options import AgentOptions as AgentOptions
    from rummylab.engine.agent_options import option as option
    from rummylab.engine.observation import Observation as Observation
    from rummylab.engine.records import Record as Record
    from rummylab.engine.referee import play as play
    from rummylab.engine.referee import play_match as play_match
    from rummylab.engine.seats import Seat as Seat
    from rummylab.engine.state import State as State
    from rummylab.errors import RummyError as RummyError
    from rummylab.games.contract.options import ContractOptions as ContractOptions
    from rummylab.games.contract.view import ContractRummy as ContractRummy
    from rummylab.games.contract.view import contract as contract
    from rummylab.games.gin.options import GinOptions as GinOptions
    from rummylab.games.gin.view import Gin as Gin
    from rummylab.games.gin.view import gin as gin
    from rummylab.games.gin_pass.options import GinPassOptions as GinPassOptions
    from rummylab.games.gin_pass.view import GinPass as GinPass
    from rummylab.games.gin_pass.view import gin_pass as gin_pass
    from rummylab.games.indian.options import IndianOptions as IndianOptions
    from rummylab.games.indian.view import Indian as Indian
    from rummylab.games.indian.view import indian as indian


def _rules_of(name: str, options: Any) -> Any:
    """Return the rules of a game; the registry is imported when it is first asked."""
    return import_module("rummylab.games.lookup").rules_of(name, options)


lookup.inject(_rules_of)


def _games() -> dict[str, Any]:
    """Return which game declares each of the public names of the games."""
    registered = import_module("rummylab.games.registry").GAMES
    return {name: spec for spec in registered.values() for name in spec.public}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name == "__all__":
        return sorted([*_HOME, *_games()])
    if not name.startswith("_") and name in (games := _games()):
        return games[name].public_name(name)
    raise AttributeError(f"module 'rummylab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
