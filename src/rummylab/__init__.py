"""Rummylab: rules, agents and laboratory for the rummy family of card games.

The names below are the public surface. They are imported when first used, so that starting is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Action": "rummylab.engine.action",
    "Agent": "rummylab.engine.agent",
    "Card": "rummylab.cards.card",
    "CompiledAgent": "rummylab.engine.agent",
    "ContractOptions": "rummylab.games.contract.options",
    "ContractRummy": "rummylab.games.contract.game",
    "Deck": "rummylab.cards.deck",
    "Event": "rummylab.engine.action",
    "Gin": "rummylab.games.gin.game",
    "GinCourse": "rummylab.games.gin_course.game",
    "GinCourseOptions": "rummylab.games.gin_course.options",
    "GinOptions": "rummylab.games.gin.options",
    "Hand": "rummylab.cards.hand",
    "Indian": "rummylab.games.indian.game",
    "IndianOptions": "rummylab.games.indian.options",
    "Observation": "rummylab.engine.observation",
    "Record": "rummylab.engine.records",
    "RummyError": "rummylab.errors",
    "Seat": "rummylab.engine.seats",
    "State": "rummylab.engine.state",
    "agent": "rummylab.agents.registry",
    "chinese": "rummylab.games.contract.game",
    "compiled_agent": "rummylab.agents.compiled",
    "gin": "rummylab.games.gin.game",
    "gin_course": "rummylab.games.gin_course.game",
    "indian": "rummylab.games.indian.game",
    "match": "rummylab.arena.match",
    "play": "rummylab.engine.referee",
    "play_match": "rummylab.engine.referee",
}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from rummylab.agents.compiled import compiled_agent as compiled_agent
    from rummylab.agents.registry import agent as agent
    from rummylab.arena.match import match as match
    from rummylab.cards.card import Card as Card
    from rummylab.cards.deck import Deck as Deck
    from rummylab.cards.hand import Hand as Hand
    from rummylab.engine.action import Action as Action
    from rummylab.engine.action import Event as Event
    from rummylab.engine.agent import Agent as Agent
    from rummylab.engine.agent import CompiledAgent as CompiledAgent
    from rummylab.engine.observation import Observation as Observation
    from rummylab.engine.records import Record as Record
    from rummylab.engine.referee import play as play
    from rummylab.engine.referee import play_match as play_match
    from rummylab.engine.seats import Seat as Seat
    from rummylab.engine.state import State as State
    from rummylab.errors import RummyError as RummyError
    from rummylab.games.contract.game import ContractRummy as ContractRummy
    from rummylab.games.contract.game import chinese as chinese
    from rummylab.games.contract.options import ContractOptions as ContractOptions
    from rummylab.games.gin.game import Gin as Gin
    from rummylab.games.gin.game import gin as gin
    from rummylab.games.gin.options import GinOptions as GinOptions
    from rummylab.games.gin_course.game import GinCourse as GinCourse
    from rummylab.games.gin_course.game import gin_course as gin_course
    from rummylab.games.gin_course.options import GinCourseOptions as GinCourseOptions
    from rummylab.games.indian.game import Indian as Indian
    from rummylab.games.indian.game import indian as indian
    from rummylab.games.indian.options import IndianOptions as IndianOptions


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'rummylab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
