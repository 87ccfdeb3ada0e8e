"""A good laydown, meld by meld: what agents, hints and hand evaluations share."""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import always_inline, highest, lowest, noinline, popcount, ranks_of, suits_of
from rummylab.cards.planes import n_in
from rummylab.engine.two_decks import kinds
from rummylab.games.contract.melds import (
    AT_ONCE,
    N_PATTERNS,
    N_RUNS,
    N_WILD_SETS,
    dearest_rank,
    pattern_cards,
    run_naturals,
    some_wilds,
)
from rummylab.games.contract.rules import (
    LAY_OFF_CODE,
    LAY_OFF_LOW_CODE,
    RUN_CODE,
    SET_CODE,
    can_grow,
    can_lay_down,
    can_meld,
    n_wilds,
    runs_of,
    sets_of,
)


@helper
def next_meld(table: np.void, mine: np.void) -> int:
    """Return the code of the actor's next move of a laydown, or -1 if the contract cannot be laid down.

    Runs come before sets; of these the one with the fewest wilds, then the one that costs most in the hand. A meld that
    is short of cards grows first, by naturals where possible.
    """
    always_inline()
    if table.short:
        return _next_card(table, mine)
    if not can_lay_down(table, mine):
        return np.int64(-1)
    if table.runs_left[mine.seat] > 0:
        return _next_run(table, mine)
    return _next_set(table, mine)


@helper
def _next_card(table: np.void, mine: np.void) -> int:
    """Return the next card of the meld that is being laid down."""
    noinline()
    meld, wild_kinds = np.int64(table.n_melds) - 1, table.rules.wild_kinds
    naturals = kinds(mine) & ~wild_kinds
    for some in (naturals, kinds(mine) & wild_kinds):
        for below in range(2):
            cards = some
            while cards:
                card = lowest(cards)
                cards &= cards - 1
                if can_grow(table, mine, card, below == 1):
                    return (LAY_OFF_LOW_CODE if below else LAY_OFF_CODE) + 64 * meld + card
    return np.int64(-1)


@helper
def _some_wilds(table: np.void, mine: np.void, n: int) -> int:
    """Return the number of a choice of *n* wilds from a hand that has them."""
    wild_kinds = table.rules.wild_kinds
    return some_wilds(mine.hand & wild_kinds, mine.twice & wild_kinds, np.int64(mine.jokers), n)


@helper
def _next_run(table: np.void, mine: np.void) -> int:
    noinline()
    rules = table.rules
    asked = runs_of(table, mine.seat) & 15
    naturals = mine.hand & ~rules.wild_kinds
    held = n_wilds(rules, mine.hand, mine.twice, mine.jokers)
    for smaller in range(2):  # three cards at once where four cannot be: a wild may lie below them
        size = min(asked, AT_ONCE) - smaller
        for missing in range(min(size - 1, held + 1)):
            wilds = _some_wilds(table, mine, missing)
            for number in range(N_RUNS):
                cards = run_naturals(number)
                if cards & ~naturals == 0 and popcount(cards) == size - missing:
                    code = RUN_CODE + number * N_WILD_SETS + wilds
                    if can_meld(table, mine, code):
                        return code
    return np.int64(-1)


@helper
def _next_set(table: np.void, mine: np.void) -> int:
    noinline()
    rules = table.rules
    size = min(sets_of(table, mine.seat) & 15, AT_ONCE)
    naturals, double = mine.hand & ~rules.wild_kinds, mine.twice & ~rules.wild_kinds
    for missing in range(min(size - 1, n_wilds(rules, mine.hand, mine.twice, mine.jokers) + 1)):
        wilds = _some_wilds(table, mine, missing)
        ranks = ranks_of(naturals)
        while ranks:
            rank = dearest_rank(ranks)
            ranks &= ~(1 << rank)
            pattern = _pattern(suits_of(naturals, rank), suits_of(double, rank), size - missing)
            if pattern >= 0:
                code = SET_CODE + (N_PATTERNS * rank + pattern) * N_WILD_SETS + wilds
                if can_meld(table, mine, code):
                    return code
    return np.int64(-1)


@helper
def _pattern(suits: int, twice: int, n: int) -> int:
    """Return a pattern of *n* naturals among those held in *suits*, some of them *twice*, or -1.

    Different suits go first.
    """
    if popcount(suits) >= n:
        while popcount(suits) > n:
            suits &= ~(1 << highest(suits))
        return suits
    if popcount(suits) + popcount(twice) < n:
        return np.int64(-1)
    for pattern in range(N_PATTERNS):
        cards, double = pattern_cards(pattern, np.int64(0))
        if n_in(cards, double) == n:
            once, again = suits_of(cards, np.int64(0)), suits_of(double, np.int64(0))
            if once & ~suits == 0 and again & ~twice == 0:
                return np.int64(pattern)
    return np.int64(-1)
