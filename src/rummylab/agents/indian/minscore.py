"""MinScore: play for the lowest score of the hand.

Source: Saha et al., section VII, agent 3. Policy: take the open card if the best thirteen cards with it have a
lower MinScore than the hand, else from the stock; throw the card whose loss leaves the least MinScore; declare at
zero. Drop adherence (`minscore-drop`): drop before the first draw with a MinScore of 80 or more. Departures:
decisions look at the uncapped MinScore, since most hands without a pure run stand at the cap of 80 and could not be
told apart; ties by lot. Measured in docs/agents/indian.md.

par: [drop at this MinScore or more, 0: never].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.indian.common import is_first_turn, least_scores
from rummylab.cards.bits import bit, lowest
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import any_card
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.rules import (
    ACT,
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    DROP,
    can_take,
    kinds,
)


@helper
def _pile_card_saves(table: np.void, mine: np.void, score: int) -> bool:
    """Return whether the best thirteen cards with the open card score less than *score*."""
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
    score = min_score(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), table.rules.strict != 0)
    if drop_at > 0 and score >= drop_at and is_first_turn(table, mine):
        return np.int64(DROP)
    return np.int64(DRAW_PILE) if can_take(table) and _pile_card_saves(table, mine, score) else np.int64(DRAW_STOCK)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    if table.phase == DRAW:
        return _draw(table, mine, par[0])
    least, cards = least_scores(table, mine.hand, mine.twice, mine.jokers, kinds(mine))
    return DECLARE_CODE + lowest(cards) if least == 0 else DISCARD_CODE + any_card(mine, cards)
