"""An agent of your own, twice: as a plain class, and as a compiled function at native speed.

It plays like ``simple``, but knocks only with five points or fewer. On the command line it is
``examples/cautious.py:Cautious`` or ``examples/cautious.py:cautious_compiled(knock_at=3)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab import Action, AgentOptions, Observation, Seat, match, option, register_agent
from rummylab.cards.bits import bit, lowest
from rummylab.cards.melds import best_discards, melded
from rummylab.engine.rules import Rules
from rummylab.games.gin import rules as r
from rummylab.games.gin.showdown import showdown_code
from rummylab.games.gin.view import GinObservation


class Cautious:
    """The plain class: it gets observations and answers with actions."""

    name = "cautious"

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self.rng = rng

    def act(self, seen: Observation) -> Action:
        assert isinstance(seen, GinObservation)
        if seen.phase in ("spread", "lay off", "defend"):
            return seen.showdown()
        if seen.phase in ("offer", "draw"):
            take = Action("draw upcard")
            if take in seen.legal and seen.upcard and seen.would_meld(seen.upcard):
                return take
            return next(action for action in seen.legal if action != take)
        left = {action: seen.deadwood_after(action.cards[0]) for action in seen.legal}
        wanted = [action for action in seen.legal if action.verb == "discard" or left[action] <= 5]
        return min(wanted, key=lambda action: (left[action], action.verb == "discard"))


@dataclass(frozen=True, kw_only=True)
class CautiousOptions(AgentOptions):
    """Options, which the kernel reads by name."""

    knock_at: int = option(5, "Knock with at most this deadwood.", low=0, high=10)


P = CautiousOptions.indices()


@register_agent(
    game="gin",
    name="cautious-compiled",
    summary="Takes what melds, discards for the least deadwood, knocks with five points or fewer",
    source="an example",
    options=CautiousOptions,
)
def cautious_compiled(table: Any, mine: Any, params: Any) -> int:
    """Play like `Cautious`, compiled: read the table and the player's own record, and return an action code."""
    if table.phase == r.DRAW or table.phase == r.OFFER:
        up = bit(table.up)
        return r.TAKE_UP_CARD if r.can_take(table) and melded(mine.hand | up) & up else r.decline(table)
    if table.phase == r.DISCARD:
        cards, left = best_discards(mine.hand, r.discards(table, mine))
        knocks = left <= min(params[P.knock_at], table.limit)
        return (r.KNOCK_CODE if knocks else r.DISCARD_CODE) + lowest(cards)
    return showdown_code(table, mine)


if __name__ == "__main__":
    for player, games in ((Cautious(), 40), (cautious_compiled, 20_000)):
        result = match("gin", player, "simple", games=games, seed=7)
        print(f"{player.name}: wins {result.win_rate}, {result.hands / result.seconds:,.0f} hands/s")
