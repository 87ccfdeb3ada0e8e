"""The strategy of the utility agents and their options; :mod:`rummylab.agents.gin.utility` explains both.

A *price list* holds, for one player, what each card is worth: rows of `N_IDS` numbers, one for each card id. Row *i* is
the probability that the opponent melds none of the cards of the card's *i*-th three-card meld (0 if the meld is
impossible); ``price[OPEN + card]`` is the sum of these, and ``price[CALM + card]`` and ``price[EMERGENCY + card]`` are
what the card's rank is worth in either state. It is written once per decision and used for all hands imagined in it.

Rows, because the kernels that value a hand with each card that might be drawn run over all cards at once: eight numbers
take one instruction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.beliefs.gin.network import N_WEIGHTS
from rummylab.beliefs.gin.sampling import SHAPE, sample_hands
from rummylab.beliefs.gin.shape import N_SHAPE, shape_hands
from rummylab.beliefs.gin.uniform import HAND_SIZE, unseen
from rummylab.cards import melds
from rummylab.cards.bits import (
    ALL_CARDS,
    EACH_SUIT,
    IDS_52,
    LANE,
    always_inline,
    bit,
    index_of,
    lowest,
    noinline,
    points,
    popcount,
    ranks_of,
    stack_array,
)
from rummylab.cards.melds import Masks, in_groups, in_runs, min_deadwood
from rummylab.cards.per_card import N_IDS, keep, sum_of
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin.melds import can_lay_off
from rummylab.games.gin.rules import (
    DEFEND,
    DISCARD,
    DISCARD_CODE,
    DONE,
    DRAW,
    KNOCK_CODE,
    LAY_OFF,
    MELD_CODE,
    OFFER,
    SHOW_BIG_GIN,
    SPREAD,
    TAKE_UP_CARD,
    WALL,
    can_knock,
    can_take,
    decline,
    discards,
    unmelded,
)
from rummylab.games.gin.showdown import at_the_wall, showdown_code

UNIFORM, COUNTS, NETWORK, SHAPED = range(4)
"""Beliefs about the opponent's hand. SHAPED is the network's, with sampled hands that have the shape of real ones."""


@dataclass(frozen=True, kw_only=True)
class UtilityOptions(AgentOptions):
    """Options of the utility agents. The defaults are the paper's: printed numbers, 100 samples, the uniform belief."""

    meld_bonus: float = option(1.5, "For each possible three-card meld with the card.")
    combination_bonus: float = option(4.0, "Added if two cards of that meld are held.")
    deadwood_bonus: float = option(1.0, "Times 5 minus the points of the card.")
    knock_bonus: float = option(10.0, "For a hand that can knock.")
    gin_bonus: float = option(20.0, "For a hand that has gin.")
    opp_util_importance: float = option(0.77, "Weight of the opponent's expected gain from the discard.")
    low_card_bonus: float = option(0.2, "For an ace; half of it for a two.")
    emergency_booster: float = option(2.5, "Factor of the deadwood bonus when one card is missing to knock.")
    samples: int = option(100, "Hands of the opponent sampled at a discard.", low=0, high=1000)
    belief: int = option(
        UNIFORM, "Belief about the opponent's hand: 0 uniform, 1 counts, 2 network, 3 network, shaped.", low=0, high=3
    )
    close: float = option(0.0, "Appendix B, 1: the opponent seems close to knocking at this mean sampled deadwood.")
    careful_limit: float = option(6.0, "Appendix B, 1: then knock with at most this deadwood only.")
    free_discard: bool = option(False, "Appendix B, 2: 1 to choose the discard freely then, even if it could knock.")
    defend_well: bool = option(False, "Appendix B, 3: 1 to meld as the defender so that most can be laid off.")
    spread_well: bool = option(False, "Appendix B, 4: 1 to meld as the knocker so that least can be laid off.")
    take_margin: float = option(0.0, "Ours: how much better than the stock an upcard must be that saves no deadwood.")
    haste: float = option(0.0, "Ours: share by which the deadwood bonus grows with every turn of the hand.")
    knock_from: float = option(100.0, "Ours: knock with at most this deadwood in the first turn.")
    knock_fall: float = option(0.0, "Ours: how much that limit falls with every turn.")
    knock_value: float = option(-1000.0, "Ours: knock only if the mean score over the sampled hands is at least this.")
    opponent_kind: int = option(
        0,
        "Ours: whose hands shaped hands resemble: 0 utility agents', 1 Simple's, 2 the paper's mix.",
        low=0,
        high=2,
    )


P = UtilityOptions.indices()
WEIGHTS = len(P)
"""Where the weights of a belief begin in ``params``: those of the network, then those of the shape of hands."""

N_THREES = 6
"""A card is part of at most three groups and three runs of three cards."""
_ONE = np.float32(1.0)
_FIRST, _PADDED = 2, 72
"""Where card id 0 stands in an array with zeros on both sides, for the ends of runs, and its size."""
OPEN, GROUPS, CALM, EMERGENCY, PRICES = range(N_THREES * N_IDS, (N_THREES + 5) * N_IDS, N_IDS)
RUNS = (N_THREES - 1) * N_IDS
"""Where the rows of a price list begin after those of the melds, and its size."""
UTILITY, LOSS, TRIAL, PAIRED, VALUE, LEAST, FREE = range(0, 7 * N_IDS, N_IDS)
BONDS = FREE + (N_THREES + 1) * N_IDS
WORK = BONDS + HAND_SIZE * N_IDS
"""Where the rows of the working array begin, and its size (see `write_values`)."""


def _threes() -> Masks:
    """Return the three-card melds of every card id (0: none).

    First the groups, by the suit that they lack; then the runs that the card ends, continues and begins.
    """
    masks = np.zeros((N_THREES, N_IDS), np.int64)
    for card in map(int, IDS_52):
        suit, rank = divmod(card, 16)
        others = [16 * other + rank for other in range(4) if other != suit]
        pairs = [others[1:], [others[0], others[2]], others[:2], [card - 2, card - 1], [card - 1, card + 1]]
        for i, pair in enumerate([*pairs, [card + 1, card + 2]]):
            if all(mate in IDS_52 for mate in pair):
                masks[i, card] = sum(1 << int(mate) for mate in [card, *pair])
    return masks


THREES = _threes()


# --- Card utility -------------------------------------------------------------------------------------------------


@helper
def write_prices(pile: int, turn: int, belief: Floats, params: Params, price: Floats) -> None:
    """Write the price list of the player who has *belief* about the other hand."""
    noinline()
    held, clear = stack_array(_PADDED, np.float32), stack_array(_PADDED, np.float32)
    for i in range(_PADDED):
        held[i] = clear[i] = np.float32(0.0)
    for i in range(52):
        held[_FIRST + IDS_52[i]] = belief[i]
    for suit in range(4):
        _write_clear(suit, held, clear)
    left = pile
    while left:  # no meld is possible with a card of the pile
        clear[_FIRST + lowest(left)] = 0.0
        left &= left - 1
    for suit in range(4):
        _write_chances(suit, clear, price)
    weight = params[P.deadwood_bonus] * (1 + params[P.haste] * (turn >> 1))
    for card in range(N_IDS):
        low = np.float32(0.0)
        if card & 15 < 2:
            low = params[P.low_card_bonus] / (1 + (card & 15))
        worth = (5 - min((card & 15) + 1, 10)) * weight
        price[CALM + card] = worth + low
        price[EMERGENCY + card] = worth * params[P.emergency_booster] + low


@helper
def _suits_beside(suit: int) -> tuple[int, int, int]:
    """Return where the three other suits begin among the card ids."""
    return 16 * np.int64(suit == 0), 16 + 16 * np.int64(suit <= 1), 32 + 16 * np.int64(suit <= 2)


@helper
def _write_clear(suit: int, held: Floats, clear: Floats) -> None:
    """Write the chance that the other player, who holds each card with the chance *held*, does not meld it.

    They meld a card if they hold it and, for some meld, the two others. The arrays have zeros where there is no card,
    so that a meld that does not exist changes nothing.
    """
    own = held[16 * suit :]
    i, j, k = _suits_beside(suit)
    first, second, third = held[_FIRST + i :], held[_FIRST + j :], held[_FIRST + k :]
    out = clear[_FIRST + 16 * suit :]
    for rank in range(13):
        one, two, three = first[rank], second[rank], third[rank]
        down, near, up, next_up = own[rank], own[rank + 1], own[rank + 3], own[rank + 4]
        apart = (_ONE - two * three) * (_ONE - one * three) * (_ONE - one * two)
        apart *= (_ONE - down * near) * (_ONE - near * up) * (_ONE - up * next_up)
        out[rank] = _ONE - own[rank + 2] * (_ONE - apart)


@helper
def _write_chances(suit: int, clear: Floats, price: Floats) -> None:
    """Write the chance of each three-card meld of a *suit*'s cards that none of its cards is melded elsewhere."""
    own = clear[16 * suit :]
    i, j, k = _suits_beside(suit)
    first, second, third = clear[_FIRST + i :], clear[_FIRST + j :], clear[_FIRST + k :]
    out = price[16 * suit :]
    for rank in range(16):
        card = own[rank + 2]
        one, two, three = first[rank], second[rank], third[rank]
        down, near, up, next_up = own[rank], own[rank + 1], own[rank + 3], own[rank + 4]
        first_group, second_group, third_group = card * two * three, card * one * three, card * one * two
        ending, between, beginning = card * down * near, card * near * up, card * up * next_up
        out[rank] = first_group
        out[N_IDS + rank] = second_group
        out[2 * N_IDS + rank] = third_group
        out[3 * N_IDS + rank] = ending
        out[4 * N_IDS + rank] = between
        out[5 * N_IDS + rank] = beginning
        out[GROUPS + rank] = one * two * three
        out[OPEN + rank] = first_group + second_group + third_group + ending + between + beginning


@helper
def write_losses(loose: int, blocked: int, price: Floats, state: int, params: Params, loss: Floats) -> float:
    """Return the sum of the card utilities of the unmelded cards *loose*; loss[card] is the loss from discarding it.

    *blocked* are cards with which no meld is possible anymore: the player's own melded ones. A discarded card is in the
    pile, so its partners lose the meld with it, too.
    """
    meld_bonus = params[P.meld_bonus]
    combination_bonus = params[P.combination_bonus]
    total = np.float32(0.0)
    left = loose
    while left:
        card = lowest(left)
        left &= left - 1
        others = loose ^ bit(card)
        possible = np.float32(0.0)
        paired = np.float32(0.0)
        for k in range(N_THREES):
            three = THREES[k, card]
            chance = np.float32(three & blocked == 0) * price[k * N_IDS + card]
            possible += chance
            paired += np.float32(three & others != 0) * chance
        utility = price[state + card] + meld_bonus * possible + combination_bonus * paired
        total += utility
        loss[card] = utility + (meld_bonus + combination_bonus) * paired
    return total


@helper
def sum_of_utilities(loose: int, blocked: int, price: Floats, state: int, params: Params) -> float:
    """Return the sum of the card utilities of *loose*, as `write_losses` does, without the loss of each card."""
    runs, two_runs, groups, two_groups = possible_melds(loose, blocked)
    once = _sum_over(runs, RUNS, price) + _sum_over(groups, GROUPS, price)
    twice = _sum_over(two_runs, RUNS, price) + _sum_over(two_groups, GROUPS, price)
    return with_bonuses(_sum_over(loose, state, price), once, twice, params)


@helper
def quick_sum_of_utilities(loose: int, blocked: int, price: Floats, state: int, params: Params) -> float:
    """Return the sum of `sum_of_utilities`, added in another order: equal hands may differ in the last digit."""
    always_inline()
    runs, two_runs, groups, two_groups = possible_melds(loose, blocked)
    once = sum_of(runs, RUNS, price) + sum_of(groups, GROUPS, price)
    twice = sum_of(two_runs, RUNS, price) + sum_of(two_groups, GROUPS, price)
    return with_bonuses(sum_of(loose, state, price), once, twice, params)


@helper
def _sum_over(cards: int, row: int, price: Floats) -> float:
    """Return the sum of the prices of *cards* in a *row* of the price list, card by card."""
    total = np.float32(0.0)
    while cards:
        total += price[row + lowest(cards)]
        cards &= cards - 1
    return total


@helper
def with_bonuses(total: float, once: float, twice: float, params: Params) -> float:
    """Add to *total* the bonuses for melds with one loose card and with two, each for every such card."""
    paired = twice + twice
    return total + params[P.meld_bonus] * (once + paired) + params[P.combination_bonus] * paired


@helper
def possible_melds(loose: int, blocked: int) -> tuple[int, int, int, int]:
    """Return the runs with one card of *loose* and those with two, then the groups, all without *blocked* cards.

    A mask of melds has the bit of the lowest card for a run, and that of the card it lacks for a group.
    """
    runs, two_runs = _melds_with(loose, loose >> 1, loose >> 2)
    groups, two_groups = _melds_with(_turned(loose, 16), _turned(loose, 32), _turned(loose, 48))
    no_run = blocked | blocked >> 1 | blocked >> 2
    no_group = _turned(blocked, 16) | _turned(blocked, 32) | _turned(blocked, 48)
    return runs & ~no_run, two_runs & ~no_run, groups & ~no_group, two_groups & ~no_group


@helper
def _turned(cards: int, by: int) -> int:
    """Return *cards* with every suit in the place of another, *by* bits on."""
    turned = np.uint64(cards)
    return np.int64(turned << np.uint64(by) | turned >> np.uint64(64 - by)) & ALL_CARDS


@helper
def _melds_with(one: int, two: int, three: int) -> tuple[int, int]:
    """Return which melds have one card, and which two; *one*, *two* and *three* are those that have each of it."""
    twice = (one & two) | (one & three) | (two & three)
    return (one | two | three) & ~twice & ALL_CARDS, twice & ALL_CARDS


# --- Melding ------------------------------------------------------------------------------------------------------


@helper
def loose_cards(hand: int, price: Floats, state: int, params: Params) -> int:
    """Return the unmelded cards of *hand* in the arrangement with the least deadwood, then the highest card utility."""
    always_inline()
    runs = in_runs(hand)
    groups = in_groups(hand)
    if runs & groups == 0:
        return hand & ~(runs | groups)
    loose, is_only = loose_by_deadwood(hand)
    return loose if is_only else _loose_by_utility(hand, price, state, params)


@helper
def loose_by_deadwood(hand: int) -> tuple[int, bool]:
    """Return the unmelded cards in an arrangement with the least deadwood, and whether all such leave the same cards.

    Only cards that are part of runs and of groups need a choice: try every part of them to keep for the runs.
    """
    noinline()
    groups = in_groups(hand)
    both = in_runs(hand) & groups
    best, least, is_only = np.int64(0), np.int64(1000), True
    kept = both
    while True:
        left = hand & ~in_groups(groups & ~kept)
        loose = left & ~in_runs(left)
        deadwood = points(loose)
        if deadwood < least:
            best, least, is_only = loose, deadwood, True
        elif deadwood == least and loose != best:
            is_only = False
        if kept == 0:
            return best, is_only
        kept = (kept - 1) & both


@helper
def _contested_groups(groups: int, contested: int) -> tuple[int, int, int]:
    """Return the cards of *groups* of each of the (at most three) *contested* ranks; 0 for none."""
    second = contested & (contested - 1)
    third = second & (second - 1)
    return (
        groups & ((contested & -contested) * EACH_SUIT),
        groups & ((second & -second) * EACH_SUIT),
        groups & (third * EACH_SUIT),
    )


@helper
def _loose_by_utility(hand: int, price: Floats, state: int, params: Params) -> int:
    """Return the unmelded cards with the highest average utility, where several arrangements have least deadwood."""
    noinline()
    least = min_deadwood(hand)
    groups = in_groups(hand)
    contested = ranks_of(in_runs(hand) & groups)
    others = hand & ~(groups & ~(contested * EACH_SUIT))
    first, second, third = _contested_groups(groups, contested)
    best = np.int64(-1)
    most = np.float32(0.0)
    for i in range(melds.n_choices(first)):
        for j in range(melds.n_choices(second) if second else 1):
            for k in range(melds.n_choices(third) if third else 1):
                left = others & ~(melds.choice(first, i) | melds.choice(second, j) | melds.choice(third, k))
                loose = left & ~in_runs(left)
                if points(loose) != least or loose == best:
                    continue
                mean = sum_of_utilities(loose, hand & ~loose, price, state, params) / max(popcount(loose), 1)
                if best < 0 or mean > most:
                    most = mean
                    best = loose
    return best


@helper
def state_of(loose: int, limit: int) -> int:
    """Return whether a player whose ten cards leave *loose* is one card away from knocking: EMERGENCY or CALM."""
    if loose == 0:
        return EMERGENCY
    return EMERGENCY if points(loose) - points(dearest(loose)) <= limit else CALM


@helper
def dearest(cards: int) -> int:
    """Return the first of the cards that count most points, as a mask; *cards* is not empty."""
    top = melds.dearest(cards)
    return top & -top


# --- Hand utility -------------------------------------------------------------------------------------------------


@helper
def worth(total: float, n_loose: int, deadwood: int, limit: int, params: Params) -> float:
    """Return the hand utility of ten cards, *n_loose* of them unmelded with the card utilities *total*."""
    value = np.float32(HAND_SIZE - n_loose)
    if n_loose > 0:
        value += total / np.float32(n_loose)
    if deadwood <= limit:
        value += params[P.gin_bonus] if deadwood == 0 else params[P.knock_bonus]
    return value


@helper
def write_values(
    hand: int,
    loose: int,
    cards: int,
    forbidden: int,
    dead: int,
    limit: int,
    price: Floats,
    state: int,
    params: Params,
    work: Floats,
) -> None:
    """Write to work[VALUE + card] the utility of the ten cards *hand* with each of *cards*, after a reasonable discard.

    *loose* are the unmelded cards of *hand*. *forbidden* may not be discarded when just drawn; *dead* are cards in the
    pile that the price list does not reflect.
    """
    is_contested = in_runs(hand) & in_groups(hand) != 0
    by_trial = cards
    if not is_contested or loose_by_deadwood(hand)[1]:
        total = _write_bonds(loose, (hand & ~loose) | dead, price, state, params, work)
        by_trial = cards & completing(hand)
        _write_plain_values(loose, cards & ~by_trial, forbidden, total, limit, params, work)
        if not is_contested:
            by_trial = _write_melding_values(hand, loose, by_trial, limit, params, work)
    while by_trial:
        card = by_trial & -by_trial
        by_trial ^= card
        work[VALUE + lowest(card)] = _value_of_eleven(
            hand | card, forbidden & card, dead, limit, price, state, params, work[TRIAL:]
        )


@helper
def completing(hand: int) -> int:
    """Return the cards that would be part of a meld with cards of *hand*."""
    below, above = hand << 1, hand >> 1
    runs = (below & above) | (below & (hand << 2)) | (above & (hand >> 2))
    clubs, hearts, spades, diamonds = hand, hand >> 16, hand >> 32, hand >> 48
    pairs = (clubs & hearts) | (spades & diamonds) | ((clubs | hearts) & (spades | diamonds))
    return (runs | ((pairs & LANE) * EACH_SUIT)) & ALL_CARDS


@helper
def _write_bonds(loose: int, blocked: int, price: Floats, state: int, params: Params, work: Floats) -> float:
    """Write utilities and losses of all cards beside the unmelded cards *loose*; return the sum of their utilities.

    A *bond* of two cards is the chance of the melds that they have in common; the rows from BONDS on have the bonds of
    each loose card with every other card. PAIRED, UTILITY and LOSS are as in `write_losses`, for the loose cards and
     for each card that would be loose beside them.
    """
    noinline()
    free = price
    if blocked:
        _write_free(blocked, price, work)
        free = work[FREE:]
    possible = free[OPEN : OPEN + N_IDS]
    for card in range(N_IDS):
        work[PAIRED + card] = 0.0
    bonds, left = work[BONDS - _FIRST :], loose
    while left:
        _write_bonds_of(lowest(left), free, bonds)
        left &= left - 1
        bonds = bonds[N_IDS:]
    bonds = work[BONDS:]
    for _ in range(popcount(loose)):
        for card in range(N_IDS):
            work[PAIRED + card] += bonds[card]
        bonds = bonds[N_IDS:]
    meld_bonus, combination_bonus = params[P.meld_bonus], params[P.combination_bonus]
    prices = price[state : state + N_IDS]
    for card in range(N_IDS):
        paired = work[PAIRED + card]
        utility = prices[card] + meld_bonus * possible[card] + combination_bonus * paired
        work[UTILITY + card] = utility
        work[LOSS + card] = utility + (meld_bonus + combination_bonus) * paired
    return _sum_over(loose, UTILITY, work)


@helper
def _write_bonds_of(card: int, free: Floats, bonds: Floats) -> None:
    """Write the bonds of *card*: two groups with each card of its rank, two runs with each neighbor, one with the next.

    Where there is no neighbor the chance is 0, and it goes to an id that no card has.
    """
    always_inline()
    for other in range(N_IDS):
        bonds[_FIRST + other] = 0.0
    first, second, third = free[card], free[N_IDS + card], free[2 * N_IDS + card]
    ending, between, beginning = free[3 * N_IDS + card], free[4 * N_IDS + card], free[5 * N_IDS + card]
    i, j, k = _suits_beside(card >> 4)
    rank = _FIRST + (card & 15)
    bonds[rank + i], bonds[rank + j], bonds[rank + k] = second + third, first + third, first + second
    bonds[card], bonds[card + 1] = ending, ending + between
    bonds[card + 3], bonds[card + 4] = between + beginning, beginning


@helper
def _write_free(blocked: int, price: Floats, work: Floats) -> None:
    """Write the chances of the melds without *blocked* cards, and their sum for each card."""
    runs = ~(blocked | blocked >> 1 | blocked >> 2)
    groups = ~(_turned(blocked, 16) | _turned(blocked, 32) | _turned(blocked, 48))
    clubs, hearts, spades, diamonds = groups & LANE, groups >> 16 & LANE, groups >> 32 & LANE, groups >> 48 & LANE
    keep(hearts | clubs << 16 | clubs << 32 | clubs << 48, 0, price, FREE, work)
    keep(spades | spades << 16 | hearts << 32 | hearts << 48, N_IDS, price, FREE + N_IDS, work)
    keep(diamonds | diamonds << 16 | diamonds << 32 | spades << 48, 2 * N_IDS, price, FREE + 2 * N_IDS, work)
    keep(runs << 2, 3 * N_IDS, price, FREE + 3 * N_IDS, work)
    keep(runs << 1, 4 * N_IDS, price, FREE + 4 * N_IDS, work)
    keep(runs, 5 * N_IDS, price, FREE + 5 * N_IDS, work)
    free = work[FREE:]
    for card in range(N_IDS):
        by_group = free[card] + free[N_IDS + card] + free[2 * N_IDS + card]
        free[OPEN + card] = by_group + free[3 * N_IDS + card] + free[4 * N_IDS + card] + free[5 * N_IDS + card]


@helper
def _write_plain_values(
    loose: int, cards: int, forbidden: int, total: float, limit: int, params: Params, work: Floats
) -> None:
    """Write the values with each of *cards*, none of which melds: they are loose, and only their partners change."""
    noinline()
    n = popcount(loose)
    if n == 0:
        for card in range(N_IDS):
            work[VALUE + card] = worth(np.float32(0.0), np.int64(0), np.int64(0), limit, params)
        return
    # The card and each partner get the combination bonus for what they have in common.
    combination_bonus = params[P.combination_bonus]
    factor = params[P.meld_bonus] + combination_bonus + combination_bonus
    for card in range(N_IDS):
        work[LEAST + card] = np.float32(1e9) if forbidden >> card & 1 else work[LOSS + card]
    bonds, left = work[BONDS:], loose
    while left:
        loss = work[LOSS + lowest(left)]
        left &= left - 1
        for card in range(N_IDS):
            work[LEAST + card] = min(work[LEAST + card], loss + factor * bonds[card])
        bonds = bonds[N_IDS:]
    share, melded = np.float32(1.0) / np.float32(n), np.float32(HAND_SIZE - n)
    for card in range(N_IDS):
        gained = work[UTILITY + card] + combination_bonus * work[PAIRED + card]
        work[VALUE + card] = melded + (total + gained - work[LEAST + card]) * share
    if points(loose) - points(dearest(loose)) < limit:
        _add_knocks(loose, cards, forbidden, total, limit, params, work)


@helper
def _add_knocks(loose: int, cards: int, forbidden: int, total: float, limit: int, params: Params, work: Floats) -> None:
    """Correct the values with those of *cards* that make the hand knockable: then a dearest card goes."""
    noinline()
    combination_bonus = params[P.combination_bonus]
    factor = params[P.meld_bonus] + combination_bonus + combination_bonus
    while cards:
        card = cards & -cards
        cards ^= card
        top = melds.dearest((loose | card) & ~(forbidden & card))
        left = points(loose | card) - points(top & -top)
        if left > limit:
            continue
        drawn = lowest(card)
        least = work[LOSS + drawn] if top & card else np.float32(1e9)
        top &= ~card
        while top:
            least = min(least, work[LOSS + lowest(top)] + factor * work[bonds_of(lowest(top), loose) + drawn])
            top &= top - 1
        gained = work[UTILITY + drawn] + combination_bonus * work[PAIRED + drawn]
        work[VALUE + drawn] = worth(total + gained - least, popcount(loose), left, limit, params)


@helper
def bonds_of(card: int, loose: int) -> int:
    """Return where the bonds of *card*, one of *loose*, begin in the working array."""
    return BONDS + N_IDS * popcount(loose & (bit(card) - 1))


@helper
def _write_melding_values(hand: int, loose: int, cards: int, limit: int, params: Params, work: Floats) -> int:
    """Write the values with each of *cards*, which meld; return those with which groups and runs compete."""
    noinline()
    contested = np.int64(0)
    while cards:
        card = cards & -cards
        cards ^= card
        runs, groups = in_runs(hand | card), in_groups(hand | card)
        if runs & groups:
            contested |= card
        else:
            left = loose & ~(runs | groups)
            work[VALUE + lowest(card)] = _value_of_melding(loose, left, lowest(card), limit, params, work)
    return contested


@helper
def _value_of_melding(loose: int, left: int, drawn: int, limit: int, params: Params, work: Floats) -> float:
    """Return the value of a hand in which *drawn* makes a meld, so that only *left* of *loose* stay unmelded.

    No meld with a melded card is possible anymore. None has two of them: it would be part of their meld.
    """
    if left == 0:
        return worth(np.float32(0.0), np.int64(0), np.int64(0), limit, params)
    meld_bonus, combination_bonus = params[P.meld_bonus], params[P.combination_bonus]
    free, deadwood = _reasonable_discards(left, np.int64(0), limit)
    total, least = np.float32(0.0), np.float32(1e9)
    rest = left
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        removed = np.float32(0.0)
        melded = loose & ~left
        while melded:
            removed += work[bonds_of(lowest(melded), loose) + card]
            melded &= melded - 1
        utility = work[UTILITY + card] - combination_bonus * removed
        utility -= meld_bonus * (removed + work[bonds_of(card, loose) + drawn])
        total += utility
        loss = utility + (meld_bonus + combination_bonus) * (work[PAIRED + card] - removed)
        least = min(least, loss if free >> card & 1 else np.float32(1e9))
    return worth(total - least, popcount(left) - 1, deadwood, limit, params)


@helper
def _reasonable_discards(loose: int, forbidden: int, limit: int) -> tuple[int, int]:
    """Return which of the unmelded cards *loose* of eleven to discard, and the deadwood without a dearest of them."""
    free = loose & ~forbidden
    if free == 0:
        free = loose
    top = melds.dearest(free)
    left = points(loose) - points(top & -top)
    return top if left <= limit else free, left


@helper
def _value_of_eleven(
    cards: int, forbidden: int, dead: int, limit: int, price: Floats, state: int, params: Params, loss: Floats
) -> float:
    """Return the utility of eleven cards whose melds are not those of the ten."""
    noinline()
    loose = loose_cards(cards, price, state, params)
    if loose == 0:
        return worth(np.float32(0.0), np.int64(0), np.int64(0), limit, params)
    total = write_losses(loose, (cards & ~loose) | dead, price, state, params, loss)
    free, deadwood = _reasonable_discards(loose, forbidden, limit)
    least = np.float32(1e9)
    while free:
        least = min(least, loss[lowest(free)])
        free &= free - 1
    return worth(total - least, popcount(loose) - 1, deadwood, limit, params)


# --- Drawing ------------------------------------------------------------------------------------------------------


@helper
def saves_deadwood(table: np.void, mine: np.void) -> bool:
    """Return whether the hand with the upcard has less deadwood than without: the upcard makes a meld."""
    return min_deadwood(mine.hand | bit(table.up)) < min_deadwood(mine.hand)


@helper
def draw(table: np.void, mine: np.void, params: Params, belief: Floats) -> int:
    """Take the upcard if that lowers the deadwood, or if the hand is then worth more than with a stock card."""
    if not can_take(table):
        return decline(table)
    up = bit(table.up)
    hand = mine.hand
    if saves_deadwood(table, mine):
        return TAKE_UP_CARD
    price, work = stack_array(PRICES, np.float32), stack_array(WORK, np.float32)
    limit = np.int64(table.limit)
    write_prices(table.pile & ~up, table.turn, belief, params, price)
    loose = loose_cards(hand, price, CALM, params)
    state = state_of(loose, limit)
    forbidden = np.int64(0) if table.rules.discard_taken else up
    write_values(hand, loose, up, forbidden, 0, limit, price, state, params, work)
    taken = work[VALUE + lowest(up)]
    left = unseen(table, mine)
    write_values(hand, loose, left, 0, up, limit, price, state, params, work)
    sum_values = np.float32(0.0)
    sum_weights = np.float32(0.0)
    while left:
        card = lowest(left)
        left &= left - 1
        weight = 1 - belief[index_of(card)]
        sum_weights += weight
        sum_values += weight * work[VALUE + card]
    return TAKE_UP_CARD if taken > sum_values / sum_weights + params[P.take_margin] else decline(table)


# --- Discarding and knocking --------------------------------------------------------------------------------------


@helper
def discard(table: np.void, mine: np.void, params: Params, belief: Floats, hands: Masks, n_hands: int) -> int:
    """Knock if possible, else discard the card with the greatest value; *hands* are sampled hands of the opponent."""
    hand = mine.hand
    legal = discards(table, mine)
    limit = np.int64(table.limit)
    if table.rules.big_gin_bonus > 0 and min_deadwood(hand) == 0:
        return np.int64(SHOW_BIG_GIN)
    best, least = melds.best_discards(hand, legal)
    is_close = False
    if least <= limit:
        is_close = seems_close(params, hands, n_hands)
        bound = params[P.careful_limit] if is_close else params[P.knock_from] - params[P.knock_fall] * (table.turn >> 1)
        pays = least == 0 or (
            least <= bound and knock_pays(table, hand ^ bit(lowest(best)), least, params, hands, n_hands)
        )
        if can_knock(table, mine, lowest(best)) and pays:
            return KNOCK_CODE + lowest(best)
        if not params[P.free_discard]:
            return DISCARD_CODE + lowest(best)
    return DISCARD_CODE + best_discard(table, mine, legal, best, params, belief, hands, n_hands)


@helper
def knock_pays(table: np.void, hand: int, deadwood: int, params: Params, hands: Masks, n_hands: int) -> bool:
    """Return whether a knock with the ten cards of *hand* scores enough on average over the sampled hands (ours)."""
    if params[P.knock_value] <= -1000 or n_hands == 0:
        return True
    _, a, b, c = melds.arrangement(hand, table.rules.max_run, np.int64(0))
    total = 0
    for i in range(n_hands):
        theirs = hands[i]
        left = min_deadwood(theirs)
        laid = can_lay_off(a, b, c, theirs & ~melds.melded(theirs))
        left = max(left - points(laid), 0)
        if left > deadwood:
            total += left - deadwood
        else:
            total -= deadwood - left + table.rules.undercut_bonus
    return total >= params[P.knock_value] * n_hands


@helper
def seems_close(params: Params, hands: Masks, n_hands: int) -> bool:
    """Return whether the opponent may be close to knocking: their sampled hands have little deadwood on average."""
    total = 0
    for i in range(n_hands):
        total += min_deadwood(hands[i])
    return n_hands > 0 and total <= params[P.close] * n_hands


@helper
def best_discard(
    table: np.void,
    mine: np.void,
    legal: int,
    by_deadwood: int,
    params: Params,
    belief: Floats,
    hands: Masks,
    n_hands: int,
) -> int:
    """Return the unmelded card with the best discard: hand utility less the opponent's weighted gain."""
    noinline()
    utility = stack_array(64, np.float32)
    gain = stack_array(64, np.float32)
    free = write_discards(table, mine, legal, by_deadwood, params, belief, hands, n_hands, utility, gain)
    if free == 0:  # all melded: keep the melds
        return lowest(by_deadwood)
    most = np.float32(-1e9)
    best = np.int64(-1)
    while free:
        card = lowest(free)
        free &= free - 1
        value = utility[card] - params[P.opp_util_importance] * gain[card]
        if value > most:
            most = value
            best = card
    return best


@helper
def write_discards(
    table: np.void,
    mine: np.void,
    legal: int,
    by_deadwood: int,
    params: Params,
    belief: Floats,
    hands: Masks,
    n_hands: int,
    utility: Floats,
    gain: Floats,
) -> int:
    """Return the unmelded cards that may be discarded.

    Write to utility[card] the hand utility without each of them, and to gain[card] the opponent's expected gain.
    """
    hand = mine.hand
    limit = np.int64(table.limit)
    price, loss = stack_array(PRICES, np.float32), stack_array(N_IDS, np.float32)
    write_prices(table.pile, table.turn, belief, params, price)
    least = hand & ~(by_deadwood & -by_deadwood)
    state = state_of(loose_cards(least, price, CALM, params), limit)
    loose = loose_cards(hand, price, state, params)
    free = loose & legal
    write_gains(table, mine, free, params, hands, n_hands, gain)
    total = write_losses(loose, hand & ~loose, price, state, params, loss)
    n_left = popcount(loose) - 1
    left = free
    while left:
        card = lowest(left)
        left &= left - 1
        utility[card] = worth(total - loss[card], n_left, points(loose ^ bit(card)), limit, params)
    return free


@helper
def write_gains(
    table: np.void, mine: np.void, candidates: int, params: Params, hands: Masks, n_hands: int, gain: Floats
) -> None:
    """Write to gain[card] the opponent's expected gain from taking each of *candidates* instead of a stock card."""
    left = candidates
    while left:
        gain[lowest(left)] = 0.0
        left &= left - 1
    if n_hands == 0 or params[P.opp_util_importance] == 0:
        return
    limit = np.int64(table.limit)
    price, work = stack_array(PRICES, np.float32), stack_array(WORK, np.float32)
    price_for_opponent(table, params, price)
    for i in range(n_hands):
        hand = hands[i]
        stock = unseen(table, mine) & ~hand
        loose = loose_cards(hand, price, CALM, params)
        state = state_of(loose, limit)
        write_values(hand, loose, stock | candidates, candidates, 0, limit, price, state, params, work)
        from_stock = sum_of(stock, VALUE, work) / np.float32(max(popcount(stock), 1))
        left = candidates
        while left:
            card = lowest(left)
            left &= left - 1
            better = work[VALUE + card] - from_stock
            if better > 0:
                gain[card] += better / n_hands


@helper
def price_for_opponent(table: np.void, params: Params, price: Floats) -> None:
    """Write the opponent's price list: they know the pile, and any other card may be in the player's hand."""
    belief = stack_array(52, np.float32)
    chance = HAND_SIZE / np.float32(52 - HAND_SIZE - popcount(table.pile))
    for i in range(52):
        belief[i] = chance if bit(IDS_52[i]) & table.pile == 0 else 0.0
    write_prices(table.pile, table.turn, belief, params, price)


# --- The end of a hand --------------------------------------------------------------------------------------------


@helper
def show(table: np.void, mine: np.void, params: Params, belief: Floats) -> int:
    """Lay off what can be laid off; meld as in Appendix B, or else in the arrangement with the highest utility."""
    noinline()
    wisely = params[P.spread_well] if table.phase == SPREAD else params[P.defend_well]
    if wisely or table.phase == LAY_OFF:
        return showdown_code(table, mine)
    price = stack_array(PRICES, np.float32)
    cards = unmelded(table, mine)
    longest = table.rules.max_run
    write_prices(table.pile, table.turn, belief, params, price)
    melded = cards & ~loose_cards(cards, price, CALM, params)
    n, meld, b, c = melds.arrangement(cards, longest, np.int64(0))
    for i in range(1, n):
        if meld | b | c == melded:
            break
        _, meld, b, c = melds.arrangement(cards, longest, i)
    return MELD_CODE + melds.meld_number(meld) if meld else np.int64(DONE)


# --- The whole agent ----------------------------------------------------------------------------------------------


@helper
def sample_opponent(table: np.void, mine: np.void, params: Params, belief: Floats, hands: Masks, n_hands: int) -> None:
    """Write *n_hands* hands of the opponent, sampled by *belief*, to *hands*."""
    is_shaped = params[P.belief] == SHAPED  # then a walk makes all hands of the first
    sample_hands(mine, unseen(table, mine), belief, np.empty(SHAPE, np.float64), hands, 1 if is_shaped else n_hands)
    if is_shaped:
        weights = WEIGHTS + N_WEIGHTS + N_SHAPE * np.int64(params[P.opponent_kind])
        shape_hands(table, mine, hands[0], belief, params, weights, hands, n_hands)


@helper
def needs_belief(table: np.void, mine: np.void, params: Params) -> bool:
    """Return whether the decision depends on the opponent's hand: a network is asked only then."""
    if table.phase == DRAW or table.phase == OFFER:
        return can_take(table) and not saves_deadwood(table, mine)
    if table.phase == SPREAD:
        return params[P.spread_well] == 0
    if table.phase == DEFEND:
        return params[P.defend_well] == 0
    return table.phase == DISCARD


@helper
def decide(table: np.void, mine: np.void, params: Params, belief: Floats) -> int:
    """Return the move of an agent with *belief* about the opponent's hand, which counts if it `needs_belief`."""
    if table.phase == DRAW or table.phase == OFFER:
        return draw(table, mine, params, belief)
    if table.phase == DISCARD:
        n = np.int64(params[P.samples])
        hands = np.empty(n, np.int64)
        sample_opponent(table, mine, params, belief, hands, n)
        return discard(table, mine, params, belief, hands, n)
    if table.phase == WALL:
        return at_the_wall(table, mine)
    return show(table, mine, params, belief)
