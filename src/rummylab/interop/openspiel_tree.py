"""Solve small OpenSpiel games with our CFR: ``flatten(OpenSpielGame("leduc_poker"))``.

Information sets keep OpenSpiel's names, so policies convert in both directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab.errors import MissingExtraError, OptionError
from rummylab.learning.cfr.game import CHANCE, OVER
from rummylab.learning.cfr.tree import Floats, Tree


@dataclass(frozen=True, slots=True)
class OpenSpielPosition:
    """An OpenSpiel state. Actions are OpenSpiel's action numbers as text."""

    state: Any

    @property
    def actor(self) -> int:
        if self.state.is_terminal():
            return OVER
        return CHANCE if self.state.is_chance_node() else int(self.state.current_player())

    def actions(self) -> list[str]:
        return [str(action) for action in self.state.legal_actions()]

    def chances(self) -> list[tuple[str, float]]:
        return [(str(action), p) for action, p in self.state.chance_outcomes()]

    def after(self, action: str) -> OpenSpielPosition:
        return OpenSpielPosition(self.state.child(int(action)))

    def information_set(self) -> str:
        return str(self.state.information_state_string())

    def payoff(self) -> float:
        return float(self.state.returns()[0])


class OpenSpielGame:
    """An OpenSpiel game, by OpenSpiel's name for it, perhaps with *parameters*.

    Raises:
        MissingExtraError: OpenSpiel is not installed.
        OptionError: The game is not a two-player zero-sum game.
    """

    def __init__(self, name: str, parameters: Mapping[str, Any] | None = None) -> None:
        try:
            import pyspiel
        except ImportError:
            raise MissingExtraError("OpenSpiel games need: pip install 'rummylab[test]'") from None
        self.name = name
        self.game = pyspiel.load_game(name, dict(parameters or {}))
        kind = self.game.get_type()
        if self.game.num_players() != 2 or kind.utility != pyspiel.GameType.Utility.ZERO_SUM:
            raise OptionError(f"OpenSpiel's {name} is not a two-player zero-sum game")

    def root(self) -> OpenSpielPosition:
        return OpenSpielPosition(self.game.new_initial_state())


def to_openspiel(tree: Tree, policy: Floats) -> dict[str, list[tuple[int, float]]]:
    """Return *policy* in the form that OpenSpiel's functions accept."""
    return {
        str(key): [(int(action), p) for action, p in actions.items()] for key, actions in tree.table(policy).items()
    }


def from_openspiel(tree: Tree, table: Mapping[str, Any]) -> Floats:
    """Return an OpenSpiel policy table as one of our policies."""
    policy = tree.uniform()
    for i, key in enumerate(tree.keys):
        shares = {int(action): float(p) for action, p in table[str(key)]}
        policy[tree.slots_of(key)] = np.array([shares[int(action)] for action in tree.actions[i]])
    return policy
