"""Greedy: move toward the contract by the distance, and spend no thought on the opponents.

Source: ours, the baseline for contracts with runs. Policy: take the upcard, or buy it, if it lowers the distance to the
contract; lay down at once; lay off whatever fits; discard the costliest card that does not raise the distance, and of
equal ones the card that leaves the most unseen cards that help. Departures: a wild is discarded only if there is
nothing else, because it can be laid off as soon as the contract lies. Measured in docs/results/contract/README.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.contract.heuristic import lay_off
from rummylab.agents.register import register_agent
from rummylab.cards.bits import bit, lowest, popcount, stack_array
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import JOKER_BIT, minus
from rummylab.engine.rows import Params
from rummylab.games.contract import rules as r
from rummylab.games.contract.distance import ROOM, Ints, is_within, measure, terms_of
from rummylab.games.contract.laydown import next_meld


@helper
def measure_hand(table: np.void, hand: int, twice: int, jokers: int, room: Ints) -> tuple[int, int]:
    """Return the distance of a hand to this round's contract, and the cards that help."""
    number, rules = r.round_of(table), table.rules
    sets, runs = np.int64(rules.set_sizes[number]), np.int64(rules.run_sizes[number])
    return measure(hand, twice, jokers, sets, runs, terms_of(rules), room)


@helper
def wants_upcard(table: np.void, mine: np.void, room: Ints) -> bool:
    """Return whether the upcard lowers the distance, or fits a meld once the contract lies."""
    up = np.int64(table.up)
    if up < 0:
        return False
    if r.has_laid_down(table, mine.seat):
        return r.place_for(table, up) >= 0
    _, helps = measure_hand(table, mine.hand, mine.twice, mine.jokers, room)
    return helps & (JOKER_BIT if r.is_wild(table.rules, up) else bit(up)) != 0


@helper
def live_outs(table: np.void, helps: int, once: int, twice: int, jokers: int) -> int:
    """Return how many of the unseen cards, planes and *jokers*, are among those that help."""
    n = popcount(once & helps & ~JOKER_BIT) + popcount(twice & helps & ~JOKER_BIT)
    if helps & JOKER_BIT:
        wild = table.rules.wild_kinds & ~JOKER_BIT
        n += jokers + popcount(once & wild) + popcount(twice & wild)
    return n


@helper
def discards_at_distance(table: np.void, hand: int, twice: int, jokers: int, cards: int, short: int, room: Ints) -> int:
    """Return those of *cards* whose loss leaves the distance of a hand at *short*; all of them if there are none."""
    number, rules = r.round_of(table), table.rules
    sets, runs, terms = np.int64(rules.set_sizes[number]), np.int64(rules.run_sizes[number]), terms_of(rules)
    free, left = np.int64(0), cards
    while left:
        card = left & -left
        left &= left - 1
        kept, kept_twice = minus(hand, twice, card, np.int64(0))
        if is_within(kept, kept_twice, jokers, sets, runs, terms, short, room):
            free |= card
    return free if free else cards


@helper
def _dearest(table: np.void, cards: int) -> int:
    """Return those of *cards* that cost most."""
    most, found = np.int64(-1), np.int64(0)
    while cards:
        card = cards & -cards
        cards &= cards - 1
        points = np.int64(r.cost(table.rules, card, np.int64(0), np.int64(0)))
        if points > most:
            most, found = points, np.int64(0)
        if points == most:
            found |= card
    return found


@helper
def _discard(table: np.void, mine: np.void, short: int, room: Ints) -> int:
    """Return the card to discard at distance *short*, -1 once the contract lies."""
    allowed = r.discards(table, mine)
    naturals = allowed & ~table.rules.wild_kinds
    if naturals == 0:
        return lowest(allowed & ~JOKER_BIT) if allowed & ~JOKER_BIT else np.int64(JOKER_ID)
    if short < 0:
        return lowest(_dearest(table, naturals))
    cards = _dearest(table, discards_at_distance(table, mine.hand, mine.twice, mine.jokers, naturals, short, room))
    most, found = np.int64(-1), lowest(cards)
    if cards & (cards - 1) == 0:
        return found
    unseen_once, unseen_twice, unseen_jokers = r.unseen(table, mine)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        once, twice = minus(mine.hand, mine.twice, bit(card), np.int64(0))
        _, helps = measure_hand(table, once, twice, mine.jokers, room)
        n = live_outs(table, helps, unseen_once, unseen_twice, unseen_jokers)
        if n > most:
            most, found = n, card
    return found


@helper
def _play(table: np.void, mine: np.void, room: Ints) -> int:
    """Lay down or lay off; discard when nothing is left to do."""
    short = np.int64(-1)
    if table.phase == r.LAY_DOWN:
        return next_meld(table, mine)
    if r.has_laid_down(table, mine.seat):
        code = lay_off(table, mine)
    else:
        short, _ = measure_hand(table, mine.hand, mine.twice, mine.jokers, room)
        code = next_meld(table, mine) if short == 0 else np.int64(-1)
    if code >= 0:
        return code
    return r.DISCARD_CODE + _discard(table, mine, short, room) if r.discards(table, mine) else np.int64(r.PASS)


@helper
def choose(table: np.void, mine: np.void, room: Ints) -> int:
    """Return the move that lowers the distance to the contract."""
    if table.phase == r.DRAW:
        return r.DRAW_PILE if not r.can_draw_stock(table) or wants_upcard(table, mine, room) else r.DRAW_STOCK
    if table.phase == r.BUY:
        return r.BUY_UPCARD if wants_upcard(table, mine, room) else r.PASS
    return _play(table, mine, room)


@register_agent(
    game="contract",
    name="contract-greedy",
    summary="Takes and buys what brings the contract nearer; lays down at once; discards the costliest useless card",
    source="ours, the baseline for contracts with runs",
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Make the move that lowers the distance to the contract."""
    return choose(table, mine, stack_array(ROOM, np.int64))
