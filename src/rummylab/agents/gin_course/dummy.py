"""Dummy: a deliberately poor player that never looks at the discard pile.

Source: ours, for the course's "test Dummy", of which only one thing is known: Keats' AI had "2-3 times the total end
score" against it. Policy: always draw from the stock; throw, and pass, the highest unmelded card; knock at once. It was
chosen for that figure; the options make other players that the course's Dummy could have been, `melder` among them.
Departures: none. Measured in docs/results/keats/README.md.

par: ``takes_melds``, 1 to take an upcard that melds; ``throws``, which card goes: 0 the highest unmelded one, 1 a
random unmelded one, 2 any card; ``knock_at``, the most deadwood to knock with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin_course.keats import cheapest_card, highest_card, is_in_meld, strip_melds
from rummylab.beliefs.fuzzy import Floats
from rummylab.cards.bits import bit
from rummylab.cards.rng import any_card
from rummylab.errors import OptionError
from rummylab.games.gin.melds import min_deadwood
from rummylab.games.gin_course.rules import (
    ACT,
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    KNOCK_CODE,
    PASS,
    PASS_CODE,
    TAKE_UP_CARD,
    can_knock,
)

OPTION_NAMES = ("takes_melds", "throws", "knock_at")
HIGHEST, UNMELDED, ANY = range(3)


def check_options(par: Sequence[float]) -> None:
    """Raise `OptionError` unless the options make sense."""
    takes_melds, throws, knock_at = par
    if takes_melds not in (0, 1) or throws not in (HIGHEST, UNMELDED, ANY) or knock_at < 0:
        raise OptionError("dummy: takes_melds is 0 or 1, throws 0, 1 or 2, knock_at not negative")


CHECK_OPTIONS = check_options


@helper
def _thrown(mine: np.void, throws: int) -> int:
    loose = strip_melds(mine.hand)
    if throws == ANY:
        return any_card(mine, mine.hand)
    if loose == 0:
        return cheapest_card(mine.hand)
    return any_card(mine, loose) if throws == UNMELDED else highest_card(loose)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    if table.phase == DRAW:
        is_wanted = par[0] != 0 and is_in_meld(np.int64(table.up), mine.hand | bit(table.up))
        return np.int64(TAKE_UP_CARD if is_wanted else DRAW_STOCK)
    card = _thrown(mine, np.int64(par[1]))
    if table.phase == PASS:
        return PASS_CODE + card
    is_low = min_deadwood(mine.hand & ~bit(card)) <= par[2]
    return (KNOCK_CODE if is_low and can_knock(table, mine, card) else DISCARD_CODE) + card
