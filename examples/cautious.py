"""An agent of your own, twice: as a plain class, and as a compiled function at native speed.

It plays by arithmetic like ``simple``, but knocks only with five points or fewer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rummylab import Action, Observation, Seat, compiled_agent, match
from rummylab.cards.bits import bit, lowest
from rummylab.engine.rules import Rules
from rummylab.games.gin import rules as r
from rummylab.games.gin.game import GinObservation
from rummylab.games.gin.melds import best_discards, melded
from rummylab.games.gin.showdown import showdown_code


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
            if take in seen.legal and seen.up_card and seen.would_meld(seen.up_card):
                return take
            return next(action for action in seen.legal if action != take)
        left = {action: seen.deadwood_after(action.cards[0]) for action in seen.legal}
        wanted = [action for action in seen.legal if action.verb == "discard" or left[action] <= 5]
        return min(wanted, key=lambda action: (left[action], action.verb == "discard"))


@compiled_agent("gin", par=[5.0])
def cautious_compiled(table: Any, mine: Any, par: Any) -> int:
    """The same player, compiled: it reads the table and its own record and returns an action code."""
    if table.phase == r.DRAW or table.phase == r.OFFER:
        up = bit(table.up)
        return r.TAKE_UP_CARD if r.can_take(table) and melded(mine.hand | up) & up else r.decline(table)
    if table.phase == r.DISCARD:
        cards, left = best_discards(mine.hand, r.discards(table, mine))
        knocks = left <= min(par[0], table.limit)
        return (r.KNOCK_CODE if knocks else r.DISCARD_CODE) + lowest(cards)
    return showdown_code(table, mine)


if __name__ == "__main__":
    for player, games in ((Cautious(), 40), (cautious_compiled, 20_000)):
        result = match("gin", player, "simple", games=games, seed=7)
        print(f"{player.name}: wins {result.win_rate}, {result.hands / result.seconds:,.0f} hands/s")
