"""MinScore: play for the lowest score of the hand.

Source: Saha et al., section VII, agent 3. Policy: take the upcard if the best thirteen cards with it have a lower
MinScore than the hand, else draw from the stock; discard the card whose loss leaves the lowest MinScore; declare at
zero. Drop adherence (`minscore-drop`): drop before the first draw at a MinScore of 80 or more. Departures: decisions
use the uncapped MinScore, since most hands without a pure run are at the cap of 80 and could not be told apart; ties
are broken at random. Measured in docs/agents/indian.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import between_deals, draw_code, is_first_turn, least_scores
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import bit, lowest
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import any_card
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.engine.two_decks import kinds
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.rules import DECLARE_CODE, DISCARD_CODE, DRAW, DROP, OVER, can_take, declarable


@dataclass(frozen=True, kw_only=True)
class MinScoreOptions(AgentOptions):
    """Options of the MinScore agent."""

    drop_at: int = option(0, "Drop before the first draw at this MinScore or more; 0 never drops.", low=0)


P = MinScoreOptions.indices()


@helper
def _upcard_saves(table: np.void, mine: np.void, score: int) -> bool:
    """Return whether the best thirteen cards with the upcard score less than *score*."""
    once, twice, jokers = mine.hand, mine.twice, mine.jokers
    if table.up == JOKER_ID:
        jokers += 1
    else:
        twice |= once & bit(table.up)
        once |= bit(table.up)
    least, _ = least_scores(table, once, twice, jokers, kinds(mine))
    return least < score


@helper
def _draw(table: np.void, mine: np.void, drop_at: float) -> int:
    score = min_score(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), np.int64(table.rules.score_rule))
    if drop_at > 0 and score >= drop_at and is_first_turn(table, mine):
        return np.int64(DROP)
    return draw_code(can_take(table) and _upcard_saves(table, mine, score))


@register_agent(
    game="indian",
    name="minscore",
    summary="Plays for the lowest score of its hand",
    source="Saha et al., section VII",
    options=MinScoreOptions,
    variants={
        "minscore-drop": Variant(
            summary="Plays for the lowest score of its hand; drops before the first draw at MinScore 80 or more",
            source="Saha et al., section VII",
            options=MinScoreOptions(drop_at=80),
        )
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw and discard for the lowest MinScore; declare at zero."""
    if table.phase > OVER:
        return between_deals(table, mine)
    if table.phase == DRAW:
        return _draw(table, mine, params[P.drop_at])
    least, cards = least_scores(table, mine.hand, mine.twice, mine.jokers, kinds(mine))
    # By the rule `pure_run_opens`, a hand without a second run can cost nothing and still not be a declaration.
    good = declarable(table, mine) if least == 0 else np.int64(0)
    return DECLARE_CODE + lowest(good) if good else DISCARD_CODE + any_card(mine, cards)
