"""Counter for every contract: keep the hand with the most live outs for what it costs.

Source: ours. Policy: of the cards that the contract can spare, discard the one that leaves the best hand. A hand is
worth what its distance to the contract says, more the likelier the next card brings it nearer, less the more it costs
to be caught with. A discard counts against it if it goes with what the next player took or, with two players, may hold,
or if they can lay it off, and for it if it goes with what they left or threw. Take the upcard, or buy it, if it brings
the contract nearer; take any other if the hand it makes is better by a margin. Lay down at once. Lay off naturals
first, then wilds: where they make room for a card of the hand, else on a set, where they open no place for others.
Departures: none. The weights are options, chosen by hand on development deals against `contract-greedy`. Measured in
docs/agents/contract.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rummylab._jit import helper
from rummylab.agents.contract.greedy import discards_at_distance, live_outs, measure_hand, wants_upcard
from rummylab.agents.contract.heuristic import near_in_suit
from rummylab.agents.register import register_agent
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, noinline, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT, minus, n_in, plus
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Params
from rummylab.engine.two_decks import kinds
from rummylab.games.contract.distance import ROOM, Ints
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.melds import TOP, cards_on
from rummylab.games.contract.rules import (
    BUY,
    BUY_UPCARD,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    LAY_DOWN,
    LAY_OFF_CODE,
    LAY_OFF_LOW_CODE,
    PASS,
    RUN,
    SET,
    can_draw_stock,
    cost,
    discards,
    has_laid_down,
    is_wild,
    naturals_for,
    next_seat,
    place_for,
    unseen,
)

NEAR = (100.0, 70.0, 45.0, 25.0, 10.0, 0.0)
"""Points that a hand is worth by its distance to the contract."""
_NOT_YET = -1e9


@dataclass(frozen=True, kw_only=True)
class ContractCounterOptions(AgentOptions):
    """Weights of the agent, in points."""

    outs: float = option(60.0, "Points for the certainty that the next card brings the contract nearer.", low=0)
    cost: float = option(
        0.2, "Share of what the hand costs that counts while nobody has laid down, with two players.", low=0
    )
    cost_many: float = option(
        0.35, "Share of what the hand costs that counts while nobody has laid down, with three or more.", low=0
    )
    cost_late: float = option(
        0.35, "Share of what the hand costs that counts once another player has laid down.", low=0
    )
    held: float = option(10.0, "Points against a discard that goes with a card the next player took.", low=0)
    fits: float = option(10.0, "Points against a discard that the next player can lay off.", low=0)
    safe: float = option(2.0, "Points for a discard that goes with a card the next player left or threw.", low=0)
    danger: float = option(
        6.0, "Points against a discard for each card the opponent may hold that goes with it, with two players.", low=0
    )
    margin: float = option(12.0, "Points by which an upcard that brings the contract no nearer must improve the hand.")


P = ContractCounterOptions.indices()


class Unseen(NamedTuple):
    """The cards that a seat has not seen, as planes and jokers, and their number."""

    once: int
    twice: int
    jokers: int
    n: int


@helper
def _unseen(table: np.void, mine: np.void) -> Unseen:
    once, twice, jokers = unseen(table, mine)
    return Unseen(once, twice, jokers, max(n_in(once, twice) + jokers, np.int64(1)))


@helper
def _somebody_is_down(table: np.void) -> bool:
    """Return whether a player has laid down; where hands are weighed on their way to the contract, another one."""
    found = False
    for seat in range(table.rules.seats):
        found |= has_laid_down(table, seat)
    return found


@helper
def _hand_value(table: np.void, once: int, twice: int, jokers: int, left: Unseen, params: Params, room: Ints) -> float:
    """Return what a hand is worth on its way to the contract."""
    short, helps = measure_hand(table, once, twice, jokers, room)
    chance = live_outs(table, helps, left.once, left.twice, left.jokers) / left.n
    near = NEAR[int(min(short, len(NEAR) - 1))]
    share = params[P.cost] if table.rules.seats == 2 else params[P.cost_many]
    if _somebody_is_down(table):
        share = params[P.cost_late]
    return near + params[P.outs] * chance - share * cost(table.rules, once, twice, jokers)


@helper
def _gift(table: np.void, seat: int, card: int, left: Unseen, params: Params) -> float:
    """Return what the discard of a natural *card* may give to the next player."""
    after = next_seat(table, seat)
    if has_laid_down(table, after):
        return params[P.fits] if place_for(table, card) >= 0 else 0.0
    total, goes_with = 0.0, np.int64(0)
    if table.sets_left[after]:
        goes_with |= np.int64(EACH_SUIT) << (card & 15)
    if table.runs_left[after]:
        goes_with |= near_in_suit(bit(card))
    goes_with &= ~table.rules.wild_kinds
    if goes_with & table.known[after]:
        total += params[P.held]
    if goes_with & (table.refused[after] | table.thrown[after]):
        total -= params[P.safe]
    if table.rules.seats == 2:
        partners = popcount(left.once & goes_with) + popcount(left.twice & goes_with)
        total += params[P.danger] * partners * table.n_hand[after] / left.n
    return total


@helper
def _best_discard(
    table: np.void,
    seat: int,
    once: int,
    twice: int,
    jokers: int,
    naturals: int,
    left: Unseen,
    params: Params,
    room: Ints,
) -> tuple[float, int]:
    """Return the value of the best hand after discarding one of *naturals*, and the card; -1 if there are none."""
    noinline()
    down = has_laid_down(table, seat)
    if not down:
        short, _ = measure_hand(table, once, twice, jokers, room)
        naturals = discards_at_distance(table, once, twice, jokers, naturals, short, room)
    best, found = _NOT_YET, np.int64(-1)
    while naturals:
        card = lowest(naturals)
        naturals &= naturals - 1
        kept, kept_twice = minus(once, twice, bit(card), np.int64(0))
        value = -float(cost(table.rules, kept, kept_twice, jokers))
        if not down:
            value = _hand_value(table, kept, kept_twice, jokers, left, params, room)
        value -= _gift(table, seat, card, left, params)
        if value > best:
            best, found = value, card
    return best, found


@helper
def _improves(table: np.void, mine: np.void, params: Params, room: Ints) -> bool:
    """Return whether an upcard that brings the contract no nearer still makes a better hand, by the margin."""
    noinline()
    up = np.int64(table.up)
    if up < 0 or has_laid_down(table, mine.seat) or is_wild(table.rules, up):
        return False
    left = _unseen(table, mine)
    now = _hand_value(table, mine.hand, mine.twice, mine.jokers, left, params, room)
    once, twice = plus(mine.hand, mine.twice, bit(up), np.int64(0))
    others = mine.hand & ~table.rules.wild_kinds & ~bit(up)
    value, _ = _best_discard(table, np.int64(mine.seat), once, twice, mine.jokers, others, left, params, room)
    return value > now + params[P.margin]


# --- Lay off ------------------------------------------------------------------------------------------------------


@helper
def _wild_off(table: np.void, mine: np.void, card: int) -> int:
    """Return where to lay off a wild: where a natural of the hand fits next to it, else on a set, else on a run."""
    noinline()
    on_set, on_run = np.int64(-1), np.int64(-1)
    for meld in range(table.n_melds):
        if table.meld_kind[meld] == SET:
            on_set = np.int64(meld)
        elif table.meld_kind[meld] == RUN:
            low, high, suit = np.int64(table.meld_low[meld]), np.int64(table.meld_high[meld]), table.meld_of[meld]
            held = mine.hand & ~table.rules.wild_kinds
            if high + 2 <= TOP and held & cards_on(np.int64(1) << (high + 2), np.int64(suit)):
                return LAY_OFF_CODE + 64 * meld + card
            if low >= 2 and held & cards_on(np.int64(1) << (low - 2), np.int64(suit)):
                return (LAY_OFF_LOW_CODE if high < TOP else LAY_OFF_CODE) + 64 * meld + card
            if low > 0 or high < TOP:
                on_run = np.int64(meld)
    meld = on_set if on_set >= 0 else on_run
    return LAY_OFF_CODE + 64 * meld + card if meld >= 0 else np.int64(-1)


@helper
def _lay_off(table: np.void, mine: np.void) -> int:
    """Return a layoff, or -1: naturals first, then wilds."""
    if table.rules.discard_only and table.n_hand[mine.seat] == 1:
        return np.int64(-1)
    if table.freed >= 0:
        return _wild_off(table, mine, np.int64(table.freed))
    fit = np.int64(0)
    for meld in range(table.n_melds):
        fit |= naturals_for(table, meld)
    cards = mine.hand & fit & ~table.rules.wild_kinds
    if cards:
        card = lowest(cards)
        return LAY_OFF_CODE + 64 * place_for(table, card) + card
    wilds = kinds(mine) & table.rules.wild_kinds
    return _wild_off(table, mine, lowest(wilds)) if wilds else np.int64(-1)


@helper
def _play(table: np.void, mine: np.void, params: Params, room: Ints) -> int:
    """Lay down or lay off; discard when nothing is left to do."""
    if table.phase == LAY_DOWN:
        return next_meld(table, mine)
    if has_laid_down(table, mine.seat):
        code = _lay_off(table, mine)
    else:
        short, _ = measure_hand(table, mine.hand, mine.twice, mine.jokers, room)
        code = next_meld(table, mine) if short == 0 else np.int64(-1)
    if code >= 0:
        return code
    allowed = discards(table, mine)
    if allowed == 0:
        return np.int64(PASS)
    naturals = allowed & ~table.rules.wild_kinds & ALL_CARDS
    if naturals == 0:
        return DISCARD_CODE + (lowest(allowed & ~JOKER_BIT) if allowed & ~JOKER_BIT else np.int64(JOKER_ID))
    seat, left = np.int64(mine.seat), _unseen(table, mine)
    _, card = _best_discard(table, seat, mine.hand, mine.twice, mine.jokers, naturals, left, params, room)
    return DISCARD_CODE + card


@register_agent(
    game="contract",
    name="contract-counter",
    summary="Keeps the hand with the most live outs for what it costs, in every contract; watches the next player",
    source="ours, on the distance to the contract and its live outs",
    options=ContractCounterOptions,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make the move that leaves the best hand."""
    room = np.empty(ROOM, np.int64)
    if table.phase == BUY:
        return np.int64(BUY_UPCARD) if wants_upcard(table, mine, room) else np.int64(PASS)
    if table.phase != DRAW:
        return _play(table, mine, params, room)
    if not can_draw_stock(table) or wants_upcard(table, mine, room) or _improves(table, mine, params, room):
        return np.int64(DRAW_PILE)
    return np.int64(DRAW_STOCK)
