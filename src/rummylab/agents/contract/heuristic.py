"""The AI of the rules text of Chinese Rummy, mini-game 1, rule by rule.

Source: "Chinese Rummy - Mini-Game 1 Rules", section "AI Opponent (Development Heuristics)"; each function quotes the
sentences it follows. Policy: take discards that pair up, help or block; lay down and lay off as soon as possible;
discard costly singletons. Departures: where the text leaves a choice (which of equal singletons, where to lay off,
which pair gets the wild) the agent takes the first in order, the first meld and the costlier pair. The text does not
say which discard rule wins where two conflict: ``order`` lists its sentences by number, most important first. The
default was chosen with the known figures of the AI's self-play in view: a singleton goes before a pair even if the
opponent could lay it off. In rounds with runs, which the text does not have, neighbors in suit count like cards of the
same rank. Measured in docs/results/chinese/README.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.agents.register import register_agent
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, always_inline, bit, lowest, noinline, ranks_of
from rummylab.cards.rng import any_card
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.engine.two_decks import kinds
from rummylab.errors import OptionError
from rummylab.games.contract import rules as r
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.melds import TENS, TOP, at_least

PROTECT, AVOID, KEEP, SINGLETONS, DEAR = 1, 2, 3, 4, 5
"""The discard rules, numbered as in the text; the rule about wilds comes before all of them ("never")."""
CHOSEN_ORDER = 14235
_PLACES = ((1 << (TOP + 1)) - 1) * EACH_SUIT


@dataclass(frozen=True, kw_only=True)
class HeuristicOptions(AgentOptions):
    """Options of the AI: what its text leaves open."""

    order: int = option(CHOSEN_ORDER, "Discard rules by number, most important first; 12345 is the order of the text.")
    ties: bool = option(False, "1 to choose at random among cards that no rule tells apart, 0 to take the first.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if sorted(str(self.order)) != list("12345"):
            raise OptionError(f"Option order is {self.order}, but must name each rule from 1 to 5 once, as in 12345.")


P = HeuristicOptions.indices()


@helper
def near_in_suit(cards: int) -> int:
    """Return the cards one or two places from one of *cards* in its suit."""
    places = cards | (cards & EACH_SUIT) << TOP
    near = (places << 1 | places << 2 | places >> 1 | places >> 2) & _PLACES
    return (near | (near & EACH_SUIT << TOP) >> TOP) & ALL_CARDS


@helper
def partners(table: np.void, naturals: int) -> int:
    """Return the cards that go with one of *naturals*: of its rank or, where the contract has runs, near it."""
    same = np.int64(EACH_SUIT) * ranks_of(naturals)
    return same | near_in_suit(naturals) if table.runs_left[table.actor] else same


# --- Draw behavior ------------------------------------------------------------------------------------------------


@helper
def _wants(table: np.void, mine: np.void) -> bool:
    """Return whether to take the discard.

    "If discard is wild, take it. If discard matches a rank already in AI's hand, take it. If discard matches a rank in
    AI's melds, take it. If discard matches a rank in opponent's melds, take it (deny). Once AI has laid down, it only
    takes discard if the top card can be laid off immediately."
    """
    always_inline()
    up = np.int64(table.up)
    if up < 0:
        return False
    if r.has_laid_down(table, mine.seat):
        return r.place_for(table, up) >= 0
    if r.is_wild(table.rules, up) or partners(table, mine.hand & ~table.rules.wild_kinds) & bit(up):
        return True
    return r.place_for(table, up) >= 0


# --- Lay down, lay off --------------------------------------------------------------------------------------------


@helper
def lay_off(table: np.void, mine: np.void) -> int:
    """Return a layoff, or -1: "AI then lays off any eligible cards if possible (after laying down)." """
    if table.rules.discard_only and table.n_hand[mine.seat] == 1:
        return np.int64(-1)
    cards = kinds(mine) if table.freed < 0 else bit(table.freed)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        meld = r.place_for(table, card)
        if meld >= 0:
            return r.LAY_OFF_CODE + 64 * meld + card
    return np.int64(-1)


# --- Discard behavior ---------------------------------------------------------------------------------------------


@helper
def _if_any(some: int, others: int) -> int:
    return some if some else others


@helper
def _welcome_to_others(table: np.void, seat: int) -> int:
    """Return the natural cards that the melds of the other players take."""
    cards = np.int64(0)
    for k in range(table.n_melds):
        if table.owner[k] != seat:
            cards |= r.naturals_for(table, k)
    return cards & ~table.rules.wild_kinds


@helper
def _preferred(rule: int, table: np.void, mine: np.void, naturals: int) -> int:
    """Return the cards that *rule* would discard."""
    always_inline()
    if rule == PROTECT:  # "Protect any card that completes a pair into a 3-of-a-kind (even if high-point)."
        _, three, _ = at_least(naturals)
        return ~(EACH_SUIT * three)
    if rule == AVOID:  # "Avoid discarding ranks that could be laid off onto opponent's melds."
        return ~_welcome_to_others(table, mine.seat)
    if rule == KEEP:  # "Keep cards that can be laid onto AI's own melds."
        return ~r.welcome(table, np.int64(mine.seat))
    if rule == SINGLETONS:  # "Prefer discarding singletons."
        two, _, _ = at_least(naturals)
        single = naturals & ~(EACH_SUIT * two)
        return single & ~near_in_suit(naturals) if table.runs_left[mine.seat] else single
    return np.int64(TENS)  # "Among singletons, discard higher-point cards first (10-A before 3-9)."


@helper
def _most_important_lowest(order: int) -> int:
    """Return the five digits of *order*, four bits each, the first lowest: dividing for each of them takes longer."""
    first_two = order // 10_000 | order // 1_000 % 10 << 4
    return first_two | order // 100 % 10 << 8 | order // 10 % 10 << 12 | order % 10 << 16


@helper
def _discard(table: np.void, mine: np.void, order: int, is_random: bool) -> int:
    """Return the card to discard: each rule in turn narrows the choice, unless it would leave none."""
    always_inline()
    legal = r.discards(table, mine)
    naturals = mine.hand & ~table.rules.wild_kinds
    # "Never discard wilds unless it has no other choice (all wilds)."
    cards = _if_any(legal & naturals, legal)
    rules = _most_important_lowest(order)
    while rules:
        cards = _if_any(cards & _preferred(rules & 15, table, mine, naturals), cards)
        rules >>= 4
    return any_card(mine, cards) if is_random else lowest(cards)


@helper
def choose(table: np.void, mine: np.void, order: int, is_random: bool) -> int:
    """Return the AI's move; *order* and *is_random* concern its discard."""
    always_inline()
    if table.phase == r.DRAW:
        return r.DRAW_PILE if _wants(table, mine) or not r.can_draw_stock(table) else r.DRAW_STOCK
    if table.phase == r.BUY:
        return _buy(table, mine)
    return _play(table, mine, order, is_random)


@helper
def _buy(table: np.void, mine: np.void) -> int:
    """Return whether to buy the upcard, which the text does not know: the AI buys what it would take."""
    noinline()
    return r.BUY_UPCARD if _wants(table, mine) else r.PASS


@helper
def _play(table: np.void, mine: np.void, order: int, is_random: bool) -> int:
    noinline()
    # "After drawing, AI tries to lay down two 3-of-a-kinds (50% natural rule enforced)."
    if table.short or not r.has_laid_down(table, mine.seat):
        meld = next_meld(table, mine)
        if meld >= 0:
            return meld
    else:
        code = lay_off(table, mine)
        if code >= 0:
            return code
    if r.keeps_last(table, mine.seat):
        return np.int64(r.PASS)
    return r.DISCARD_CODE + _discard(table, mine, order, is_random)


@register_agent(
    game="contract",
    name="chinese-heuristic",
    summary="Takes discards that pair up, help or block; lays down at once; discards costly singletons",
    source="Chinese Rummy mini-game 1, AI heuristics",
    options=HeuristicOptions,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Follow the rules of the text."""
    return choose(table, mine, np.int64(params[P.order]), params[P.ties] != 0)
