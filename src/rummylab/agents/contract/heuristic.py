"""The AI of the rules text of Chinese Rummy, mini-game 1, rule by rule.

Source: "Chinese Rummy - Mini-Game 1 Rules", section "AI Opponent (Development Heuristics)"; each function quotes the
sentences it follows. Policy: take discards that pair up, help or block; lay down and lay off as soon as possible;
throw dear singletons. Departures: where the text leaves a choice (which of equal singletons, where to lay off, which
pair gets the wild) the first in order, the first meld and the dearer pair are taken. The text does not say which rule
of discarding wins where two clash: ``order`` lists its sentences by number, most important first. The default was
chosen with the figures known of the AI's play against itself in view: a singleton goes before a pair even if the
opponent could lay it off. Rounds with runs, which the text does not know, count neighbours in a suit like cards of a
rank. Measured in docs/results/chinese/README.md.

par: ``order``, such as 12345 for the order of the text; ``ties``, 1 to choose at random among cards that no rule tells
apart instead of the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, ranks_of
from rummylab.cards.rng import any_card
from rummylab.errors import OptionError
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.melds import TENS, TOP, TWOS, at_least
from rummylab.games.contract.rules import (
    ACT,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    LAY_OFF_CODE,
    can_draw_stock,
    discards,
    has_laid_down,
    is_wild,
    kinds,
    place_for,
    welcome,
)

OPTION_NAMES = ("order", "ties")
PROTECT, AVOID, KEEP, SINGLETONS, DEAR = 1, 2, 3, 4, 5
"""The rules of discarding, numbered as in the text; that of wilds stands above them ("never")."""
CHOSEN_ORDER = 14235
_PLACES = ((1 << (TOP + 1)) - 1) * EACH_SUIT


def check_options(par: Sequence[float]) -> None:
    """Raise `OptionError` unless the options make sense."""
    order, ties = par
    if sorted(f"{order:.0f}") != list("12345") or order != int(order):
        raise OptionError(f"order is {order:g}, but must name each of the rules 1 to 5 once, such as {CHOSEN_ORDER}")
    if ties not in (0, 1):
        raise OptionError(f"ties is {ties:g}, but must be 0 (first) or 1 (random)")


CHECK_OPTIONS = check_options


@helper
def near_in_suit(cards: int) -> int:
    """Return the cards one or two places from one of *cards* in its suit."""
    places = cards | (cards & EACH_SUIT) << TOP
    near = (places << 1 | places << 2 | places >> 1 | places >> 2) & _PLACES
    return (near | (near & EACH_SUIT << TOP) >> TOP) & ALL_CARDS


@helper
def partners(table: np.void, naturals: int) -> int:
    """Return the cards that go together with one of *naturals*: of its rank or, where runs are asked for, near it."""
    same = np.int64(EACH_SUIT) * ranks_of(naturals)
    return same | near_in_suit(naturals) if table.runs_left[table.actor] else same


# --- Draw behaviour -----------------------------------------------------------------------------------------------


@helper
def _wants(table: np.void, mine: np.void) -> bool:
    """Return whether to take the discard.

    "If discard is wild, take it. If discard matches a rank already in AI's hand, take it. If discard matches a rank in
    AI's melds, take it. If discard matches a rank in opponent's melds, take it (deny). Once AI has laid down, it only
    takes discard if the top card can be laid off immediately."
    """
    up = np.int64(table.up)
    if up < 0:
        return False
    if has_laid_down(table, mine.seat):
        return place_for(table, up) >= 0
    if is_wild(up) or partners(table, mine.hand & ~TWOS) & bit(up):
        return True
    return place_for(table, up) >= 0


# --- Lay down, lay off --------------------------------------------------------------------------------------------


@helper
def lay_off(table: np.void, mine: np.void) -> int:
    """Return a lay-off, or -1: "AI then lays off any eligible cards if possible (after laying down)." """
    if table.rules.discard_only and table.n_hand[mine.seat] == 1:
        return np.int64(-1)
    cards = kinds(mine)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        meld = place_for(table, card)
        if meld >= 0:
            return LAY_OFF_CODE + 64 * meld + card
    return np.int64(-1)


# --- Discard behaviour --------------------------------------------------------------------------------------------


@helper
def _if_any(some: int, others: int) -> int:
    return some if some else others


@helper
def _preferred(rule: int, table: np.void, mine: np.void, naturals: int) -> int:
    """Return the cards that *rule* would throw."""
    if rule == PROTECT:  # "Protect any card that completes a pair into a 3-of-a-kind (even if high-point)."
        _, three, _ = at_least(naturals)
        return ~(EACH_SUIT * three)
    if rule == AVOID:  # "Avoid discarding ranks that could be laid off onto opponent's melds."
        return ~welcome(table, 1 - mine.seat)
    if rule == KEEP:  # "Keep cards that can be laid onto AI's own melds."
        return ~welcome(table, np.int64(mine.seat))
    if rule == SINGLETONS:  # "Prefer discarding singletons."
        two, _, _ = at_least(naturals)
        single = naturals & ~(EACH_SUIT * two)
        return single & ~near_in_suit(naturals) if table.runs_left[mine.seat] else single
    return np.int64(TENS)  # "Among singletons, discard higher-point cards first (10-A before 3-9)."


@helper
def _discard(table: np.void, mine: np.void, order: int, is_random: bool) -> int:
    """Return the card to throw: each rule in turn narrows the choice, unless it would leave none."""
    legal = discards(table, mine)
    naturals = mine.hand & ~TWOS
    # "Never discard wilds unless it has no other choice (all wilds)."
    cards = _if_any(legal & naturals, legal)
    place = 10_000
    while place:
        cards = _if_any(cards & _preferred(order // place % 10, table, mine, naturals), cards)
        place //= 10
    return any_card(mine, cards) if is_random else lowest(cards)


@helper
def choose(table: np.void, mine: np.void, order: int, is_random: bool) -> int:
    """Return the AI's move; *order* and *is_random* are about its discard."""
    if table.phase == DRAW:
        return DRAW_PILE if _wants(table, mine) or not can_draw_stock(table) else DRAW_STOCK
    # "After drawing, AI tries to lay down two 3-of-a-kinds (50% natural rule enforced)."
    if not has_laid_down(table, mine.seat):
        meld = next_meld(table, mine)
        if meld >= 0:
            return meld
    else:
        code = lay_off(table, mine)
        if code >= 0:
            return code
    return DISCARD_CODE + _discard(table, mine, order, is_random)


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: npt.NDArray[np.float32]) -> int:
    return choose(table, mine, np.int64(par[0]), par[1] != 0)
