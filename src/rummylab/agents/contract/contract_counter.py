"""Counter for every contract: make the move that three small networks expect to bring the most points of the round.

Source: ours. Policy: of the cards that the contract can spare, discard the one that leaves the most valuable position.
The networks of :mod:`rummylab.agents.contract.contract_values` value a position by the distance to the contract and its
live outs, what the hand costs, what the opponents show, and what the discard gives them. Take the upcard if it brings
the contract nearer, unless the stock is clearly worth more, or if the best discard with it is worth more than a draw
from the stock, by a margin; buy it if the hand is worth more with it than without it. Lay down at once. Lay off
naturals first, then wilds: where they make room for a card of the hand, else on a set, where they open no place for
others. Departures: none. Trained by ``rummylab train contract-counter``; measured in docs/agents/contract.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rummylab._jit import helper
from rummylab.agents.contract.contract_values import (
    BUY_VALUE,
    N_NUMBERS,
    N_SETS,
    STOCK,
    WORK,
    best_discard,
    clear,
    fitting,
    hand_value,
    network_set,
    unseen_by,
    with_upcard,
)
from rummylab.agents.contract.greedy import measure_hand
from rummylab.agents.register import register_agent
from rummylab.cards.bits import bit, lowest, noinline, stack_record
from rummylab.cards.planes import JOKER_BIT
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import read_tensors
from rummylab.engine.rows import Floats, Params
from rummylab.engine.two_decks import kinds
from rummylab.games.contract import rules as r
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.melds import TOP, cards_on

FORMAT, VERSION = "rummylab contract counter", 1
ARTIFACT = Path(__file__).with_suffix(".safetensors")
SHAPES = {"weights": (N_SETS, N_NUMBERS)}
"""The tensor of the artifact: the networks for two seats, and for three or more."""


@dataclass(frozen=True, kw_only=True)
class ContractCounterOptions(AgentOptions):
    """Options of the agent."""

    margin: float = option(7.0, "Points by which an upcard that brings the contract no nearer must beat the stock.")
    decline: float = option(
        4.0,
        "Points by which the stock must beat an upcard that brings the contract nearer; 1000: take every one.",
        low=0,
        high=1000,
    )
    buy_margin: float = option(0.0, "Buy the upcard if the hand is worth this many points more with it.")
    noise: float = option(0.0, "Spread of the random error of a value, in points.", low=0, high=1000)


P = ContractCounterOptions.indices()
ALWAYS = 1000.0
WEIGHTS = len(P)
"""Where the trained numbers begin in ``params``."""


@cache
def trained() -> Floats:
    """Return the trained numbers of the artifact."""
    return read_tensors(ARTIFACT, SHAPES, FORMAT, VERSION)["weights"].ravel()


# --- Draw and buy -------------------------------------------------------------------------------------------------


@helper
def _takes_upcard(table: np.void, mine: np.void, params: Params, work: np.void) -> bool:
    """Return whether to take the upcard rather than a card from the stock.

    Once the contract lies, that is if a meld takes it. Before, a card that completes the contract is always taken.
    """
    noinline()
    up = np.int64(table.up)
    if up < 0:
        return False
    if r.has_laid_down(table, mine.seat):
        return r.place_for(table, up) >= 0
    short, helps = measure_hand(table, mine.hand, mine.twice, mine.jokers, work.room[:])
    is_nearer = helps & (JOKER_BIT if r.is_wild(table.rules, up) else bit(up)) != 0
    allowed = mine.hand & ~table.rules.wild_kinds & ~bit(up)
    if allowed == 0 or (is_nearer and (short == 1 or params[P.decline] >= ALWAYS)):
        return is_nearer
    left, at = unseen_by(table, mine), WEIGHTS + network_set(table)
    once, twice, jokers = with_upcard(table, mine)
    taken, _ = best_discard(table, mine, once, twice, jokers, allowed, left, params, at, np.float32(0.0), work)
    drawn = hand_value(table, mine, mine.hand, mine.twice, mine.jokers, left, params, at + STOCK, work)
    return taken > drawn + (-params[P.decline] if is_nearer else params[P.margin])


@helper
def _buys_upcard(table: np.void, mine: np.void, params: Params, work: np.void) -> bool:
    """Return whether the hand is worth more with the upcard."""
    noinline()
    left, at = unseen_by(table, mine), WEIGHTS + network_set(table) + BUY_VALUE
    once, twice, jokers = with_upcard(table, mine)
    bought = hand_value(table, mine, once, twice, jokers, left, params, at, work)
    declined = hand_value(table, mine, mine.hand, mine.twice, mine.jokers, left, params, at, work)
    return bought > declined + params[P.buy_margin]


# --- Lay off ------------------------------------------------------------------------------------------------------


@helper
def _wild_off(table: np.void, mine: np.void, card: int) -> int:
    """Return where to lay off a wild: where a natural of the hand fits next to it, else on a set, else on a run."""
    noinline()
    on_set, on_run = np.int64(-1), np.int64(-1)
    for meld in range(table.n_melds):
        if table.meld_kind[meld] == r.SET:
            on_set = np.int64(meld)
        elif table.meld_kind[meld] == r.RUN:
            low, high, suit = np.int64(table.meld_low[meld]), np.int64(table.meld_high[meld]), table.meld_of[meld]
            held = mine.hand & ~table.rules.wild_kinds
            if high + 2 <= TOP and held & cards_on(np.int64(1) << (high + 2), np.int64(suit)):
                return r.LAY_OFF_CODE + 64 * meld + card
            if low >= 2 and held & cards_on(np.int64(1) << (low - 2), np.int64(suit)):
                return (r.LAY_OFF_LOW_CODE if high < TOP else r.LAY_OFF_CODE) + 64 * meld + card
            if low > 0 or high < TOP:
                on_run = np.int64(meld)
    meld = on_set if on_set >= 0 else on_run
    return r.LAY_OFF_CODE + 64 * meld + card if meld >= 0 else np.int64(-1)


@helper
def _lay_off(table: np.void, mine: np.void) -> int:
    """Return a layoff, or -1: naturals first, then wilds."""
    if table.rules.discard_only and table.n_hand[mine.seat] == 1:
        return np.int64(-1)
    if table.freed >= 0:
        return _wild_off(table, mine, np.int64(table.freed))
    cards = mine.hand & fitting(table)
    if cards:
        card = lowest(cards)
        return r.LAY_OFF_CODE + 64 * r.place_for(table, card) + card
    wilds = kinds(mine) & table.rules.wild_kinds
    return _wild_off(table, mine, lowest(wilds)) if wilds else np.int64(-1)


@helper
def _play(table: np.void, mine: np.void, params: Params, work: np.void) -> int:
    """Lay down or lay off; discard when nothing is left to do."""
    if table.phase == r.LAY_DOWN:
        return next_meld(table, mine)
    if r.has_laid_down(table, mine.seat):
        code = _lay_off(table, mine)
    else:
        short, _ = measure_hand(table, mine.hand, mine.twice, mine.jokers, work.room[:])
        code = next_meld(table, mine) if short == 0 else np.int64(-1)
    if code >= 0:
        return code
    allowed = r.discards(table, mine)
    if allowed == 0:
        return np.int64(r.PASS)
    left, at = unseen_by(table, mine), WEIGHTS + network_set(table)
    once, twice, jokers = np.int64(mine.hand), np.int64(mine.twice), np.int64(mine.jokers)
    _, card = best_discard(table, mine, once, twice, jokers, allowed, left, params, at, params[P.noise], work)
    return r.DISCARD_CODE + card


@helper
def choose(table: np.void, mine: np.void, params: Params) -> int:
    """Return the move with the highest value."""
    work = stack_record(WORK)
    clear(work)
    if table.phase == r.BUY:
        return np.int64(r.BUY_UPCARD) if _buys_upcard(table, mine, params, work) else np.int64(r.PASS)
    if table.phase != r.DRAW:
        return _play(table, mine, params, work)
    if not r.can_draw_stock(table) or _takes_upcard(table, mine, params, work):
        return np.int64(r.DRAW_PILE)
    return np.int64(r.DRAW_STOCK)


@register_agent(
    game="contract",
    name="contract-counter",
    summary="Plays for the most expected points of the round, in every contract, by networks on distance and live outs",
    source="ours, on the distance to the contract and its live outs",
    options=ContractCounterOptions,
    weights=lambda _: trained(),
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make the move with the highest value."""
    return choose(table, mine, params)
