"""The strategy of the utility agent, for any belief: see :mod:`rummylab.agents.gin.utility` for what it does and why.

A *price list* holds, for one side of the table, what each card is worth: ``price[card, i]`` is the probability that
none of the cards of its *i*-th three-card meld is melded by the other side (0 if the meld is impossible), and
``price[card, CALM]`` and ``price[card, EMERGENCY]`` what the card's rank is worth in either state. It is written once
per decision; all hands imagined in that decision are read off it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.agents.gin.utility_options import (
    BELIEF,
    CAREFUL_LIMIT,
    CLOSE,
    COMBINATION_BONUS,
    DEADWOOD_BONUS,
    DEFEND_WELL,
    EMERGENCY_BOOSTER,
    FREE_DISCARD,
    GIN_BONUS,
    HASTE,
    KNOCK_BONUS,
    KNOCK_FALL,
    KNOCK_FROM,
    KNOCK_VALUE,
    LOW_CARD_BONUS,
    MELD_BONUS,
    N_OPTIONS,
    OPP_UTIL_IMPORTANCE,
    OPPONENT_KIND,
    SAMPLES,
    SHAPED,
    SPREAD_WELL,
    TAKE_MARGIN,
)
from rummylab.beliefs.gin.network import N_WEIGHTS
from rummylab.beliefs.gin.sampling import SHAPE, sample_hands
from rummylab.beliefs.gin.shape import N_SHAPE, shape_hands
from rummylab.beliefs.gin.uniform import HAND_SIZE, unseen
from rummylab.cards.bits import EACH_SUIT, IDS_52, bit, index_of, lowest, points, popcount, ranks_of, stay_apart
from rummylab.games.gin import melds
from rummylab.games.gin.melds import MELDS, Masks, in_groups, in_runs, min_deadwood
from rummylab.games.gin.rules import (
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
    rest,
)
from rummylab.games.gin.showdown import at_the_wall, showdown_code

Floats = npt.NDArray[np.float32]

N_THREES = 6
"""A card is part of at most three groups and three runs of three cards."""
CALM, EMERGENCY = N_THREES, N_THREES + 1
PRICES = (64, N_THREES + 2)
"""The shape of a price list."""
LOSSES = 128
"""Room for the losses of a hand and, behind them, of a hand tried out."""


def _threes() -> tuple[Masks, npt.NDArray[np.int8]]:
    """Return the three-card melds of every card id (0: none), and the two other cards of each."""
    masks, mates = np.zeros((64, N_THREES), np.int64), np.zeros((64, N_THREES, 2), np.int8)
    for card in map(int, IDS_52):
        found = [int(m) for m in MELDS if int(m) >> card & 1 and int(m).bit_count() == 3]
        for i, meld in enumerate(found):
            masks[card, i] = meld
            mates[card, i] = [other for other in map(int, IDS_52) if meld >> other & 1 and other != card]
    return masks, mates


THREES, MATES = _threes()


# --- Card utility -------------------------------------------------------------------------------------------------


@helper
def write_prices(pile: int, turn: int, belief: Floats, par: Floats, price: Floats) -> None:
    """Write the price list of the side that has *belief* about the other side's hand."""
    stay_apart()
    for i in range(52):
        card = np.int64(IDS_52[i])
        # The chance that the other side melds the card: it holds it and, for some meld, the two others.
        apart = np.float32(1.0)
        if belief[i] > 0:
            for k in range(N_THREES):
                if THREES[card, k] != 0:
                    apart *= 1 - belief[index_of(MATES[card, k, 0])] * belief[index_of(MATES[card, k, 1])]
        price[card, CALM] = 1 - belief[i] * (1 - apart)
    for i in range(52):
        card = np.int64(IDS_52[i])
        for k in range(N_THREES):
            three = THREES[card, k]
            free = np.float32(0.0)
            if three != 0 and three & pile == 0:
                free = price[card, CALM] * price[MATES[card, k, 0], CALM] * price[MATES[card, k, 1], CALM]
            price[card, k] = free
    weight = par[DEADWOOD_BONUS] * (1 + par[HASTE] * (turn >> 1))
    for i in range(52):
        card = np.int64(IDS_52[i])
        low = np.float32(0.0)
        if card & 15 < 2:
            low = par[LOW_CARD_BONUS] / (1 + (card & 15))
        worth = (5 - min((card & 15) + 1, 10)) * weight
        price[card, CALM] = worth + low
        price[card, EMERGENCY] = worth * par[EMERGENCY_BOOSTER] + low


@helper
def write_losses(loose: int, blocked: int, price: Floats, state: int, par: Floats, loss: Floats) -> float:
    """Return the sum of the card utilities of the unmelded cards *loose*; loss[card] is what throwing it takes away.

    *blocked* are cards with which no meld is possible any more: the own melded ones. A thrown card lies in the pile,
    so its partners lose the meld with it, too.
    """
    meld_bonus = par[MELD_BONUS]
    combination_bonus = par[COMBINATION_BONUS]
    total = np.float32(0.0)
    left = loose
    while left:
        card = lowest(left)
        left &= left - 1
        others = loose ^ bit(card)
        possible = np.float32(0.0)
        paired = np.float32(0.0)
        for k in range(N_THREES):
            three = THREES[card, k]
            chance = price[card, k] if three & blocked == 0 else np.float32(0.0)
            possible += chance
            paired += chance if three & others != 0 else np.float32(0.0)
        utility = price[card, state] + meld_bonus * possible + combination_bonus * paired
        total += utility
        loss[card] = utility + (meld_bonus + combination_bonus) * paired
    return total


# --- Melding ------------------------------------------------------------------------------------------------------


@helper
def loose_cards(hand: int, price: Floats, state: int, par: Floats, loss: Floats) -> int:
    """Return the unmelded cards of *hand* in the melding of least deadwood and, among those, of the highest average
    card utility."""
    runs = in_runs(hand)
    groups = in_groups(hand)
    if runs & groups == 0:
        return hand & ~(runs | groups)
    return _loose_by_choice(hand, price, state, par, loss)


@helper
def _loose_by_choice(hand: int, price: Floats, state: int, par: Floats, loss: Floats) -> int:
    """The same where groups and runs compete for a card: try every way to use the ranks concerned as groups."""
    stay_apart()
    least = min_deadwood(hand)
    runs = in_runs(hand)
    groups = in_groups(hand)
    contested = ranks_of(runs & groups)
    rest_of_hand = hand & ~(groups & ~(contested * EACH_SUIT))
    second_ranks = contested & (contested - 1)
    first = groups & ((contested & -contested) * EACH_SUIT)
    second = groups & ((second_ranks & -second_ranks) * EACH_SUIT)
    third = groups & ((second_ranks & (second_ranks - 1)) * EACH_SUIT)
    best = np.int64(-1)
    most = np.float32(0.0)
    for i in range(melds.n_choices(first)):
        for j in range(melds.n_choices(second) if second else 1):
            for k in range(melds.n_choices(third) if third else 1):
                left = rest_of_hand & ~(melds.choice(first, i) | melds.choice(second, j) | melds.choice(third, k))
                loose = left & ~in_runs(left)
                if points(loose) != least or loose == best:
                    continue
                mean = write_losses(loose, hand & ~loose, price, state, par, loss) / max(popcount(loose), 1)
                if best < 0 or mean > most:
                    most = mean
                    best = loose
    return best


@helper
def state_of(loose: int, limit: int) -> int:
    """Return whether a side whose ten cards leave *loose* is one card away from knocking: EMERGENCY or CALM."""
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
def worth(total: float, n_loose: int, deadwood: int, limit: int, par: Floats) -> float:
    """Return the hand utility of ten cards, *n_loose* of them unmelded with the card utilities *total*."""
    value = np.float32(HAND_SIZE - n_loose)
    if n_loose > 0:
        value += total / np.float32(n_loose)
    if deadwood <= limit:
        value += par[GIN_BONUS] if deadwood == 0 else par[KNOCK_BONUS]
    return value


@helper
def value_with(
    hand: int,
    loose: int,
    total: float,
    card: int,
    forbidden: int,
    dead: int,
    limit: int,
    price: Floats,
    state: int,
    par: Floats,
    loss: Floats,
) -> float:
    """Return the utility of *hand* and a drawn *card* (a mask): that of the ten left after a reasonable discard.

    *loose*, *total* and *loss* are of the ten cards (:func:`write_losses`). *forbidden* may not be thrown (the up-card
    just taken); *dead* is a card of the pile that the prices do not know.
    """
    cards = hand | card
    runs = in_runs(cards)
    groups = in_groups(cards)
    if runs & groups or (runs | groups) != hand ^ loose:
        return _value_of_eleven(cards, forbidden, dead, limit, price, state, par, loss)
    # The card melds nothing, so only it and its partners change.
    stay_apart()
    blocked = runs | groups | dead
    pair_bonus = par[MELD_BONUS] + par[COMBINATION_BONUS]
    place = lowest(card)
    possible = np.float32(0.0)
    paired = np.float32(0.0)
    for k in range(N_THREES):
        three = THREES[place, k]
        if three & blocked == 0:
            possible += price[place, k]
            partner = three & loose
            if partner:
                paired += price[place, k]
                loss[lowest(partner)] += price[place, k] * (pair_bonus + par[COMBINATION_BONUS])
    utility = price[place, state] + par[MELD_BONUS] * possible + par[COMBINATION_BONUS] * paired
    loss[place] = utility + pair_bonus * paired
    value = _after_discard(loose | card, forbidden, total + utility + par[COMBINATION_BONUS] * paired, limit, par, loss)
    for k in range(N_THREES):
        three = THREES[place, k]
        if three & blocked == 0 and three & loose:
            loss[lowest(three & loose)] -= price[place, k] * (pair_bonus + par[COMBINATION_BONUS])
    return value


@helper
def _after_discard(loose: int, forbidden: int, total: float, limit: int, par: Floats, loss: Floats) -> float:
    """Return the hand utility after the reasonable discard of one of the unmelded cards *loose* of eleven."""
    free = loose & ~forbidden
    if free == 0:
        free = loose
    top = melds.dearest(free)
    left = points(loose)
    if left - points(top & -top) <= limit:
        free = top
    least = np.float32(1e9)
    thrown = np.int64(0)
    while free:
        card = lowest(free)
        free &= free - 1
        if loss[card] < least:
            least = loss[card]
            thrown = card
    return worth(total - least, popcount(loose) - 1, left - points(bit(thrown)), limit, par)


@helper
def _value_of_eleven(
    cards: int, forbidden: int, dead: int, limit: int, price: Floats, state: int, par: Floats, loss: Floats
) -> float:
    """The same for eleven cards whose melding is not that of the ten."""
    stay_apart()
    trial = loss[64:]
    loose = loose_cards(cards, price, state, par, trial)
    if loose == 0:
        return worth(np.float32(0.0), np.int64(0), np.int64(0), limit, par)
    total = write_losses(loose, (cards & ~loose) | dead, price, state, par, trial)
    return _after_discard(loose, forbidden, total, limit, par, trial)


# --- Drawing ------------------------------------------------------------------------------------------------------


@helper
def draw(table: np.void, mine: np.void, par: Floats, belief: Floats) -> int:
    """Take the up-card if that lowers the deadwood, or if the hand is then worth more than with a card of the stock."""
    if not can_take(table):
        return decline(table)
    up = bit(table.up)
    hand = mine.hand
    if min_deadwood(hand | up) < min_deadwood(hand):
        return TAKE_UP_CARD
    price = np.empty(PRICES, np.float32)
    loss = np.empty(LOSSES, np.float32)
    limit = np.int64(table.limit)
    write_prices(table.pile & ~up, table.turn, belief, par, price)
    loose = loose_cards(hand, price, CALM, par, loss)
    state = state_of(loose, limit)
    total = write_losses(loose, hand & ~loose, price, state, par, loss)
    forbidden = np.int64(0) if table.rules.discard_taken else up
    taken = value_with(hand, loose, total, up, forbidden, 0, limit, price, state, par, loss)
    total = write_losses(loose, (hand & ~loose) | up, price, state, par, loss)
    sum_values = np.float32(0.0)
    sum_weights = np.float32(0.0)
    left = unseen(table, mine)
    while left:
        card = lowest(left)
        left &= left - 1
        weight = 1 - belief[index_of(card)]
        sum_weights += weight
        sum_values += weight * value_with(hand, loose, total, bit(card), 0, up, limit, price, state, par, loss)
    return TAKE_UP_CARD if taken > sum_values / sum_weights + par[TAKE_MARGIN] else decline(table)


# --- Discarding and knocking --------------------------------------------------------------------------------------


@helper
def discard(table: np.void, mine: np.void, par: Floats, belief: Floats, hands: Masks, n_hands: int) -> int:
    """Knock if possible, else throw the card of the greatest value; *hands* are sampled hands of the opponent."""
    hand = mine.hand
    legal = discards(table, mine)
    limit = np.int64(table.limit)
    if table.rules.big_gin_bonus > 0 and min_deadwood(hand) == 0:
        return np.int64(SHOW_BIG_GIN)
    best, least = melds.best_discards(hand, legal)
    is_close = False
    if least <= limit:
        is_close = seems_close(par, hands, n_hands)
        bound = par[CAREFUL_LIMIT] if is_close else par[KNOCK_FROM] - par[KNOCK_FALL] * (table.turn >> 1)
        pays = least == 0 or (
            least <= bound and knock_pays(table, hand ^ bit(lowest(best)), least, par, hands, n_hands)
        )
        if can_knock(table, mine, lowest(best)) and pays:
            return KNOCK_CODE + lowest(best)
        if not par[FREE_DISCARD]:
            return DISCARD_CODE + lowest(best)
    return DISCARD_CODE + best_throw(table, mine, legal, best, par, belief, hands, n_hands)


@helper
def knock_pays(table: np.void, hand: int, deadwood: int, par: Floats, hands: Masks, n_hands: int) -> bool:
    """Return whether a knock with the ten cards of *hand* scores enough on average over the sampled hands (ours)."""
    if par[KNOCK_VALUE] <= -1000 or n_hands == 0:
        return True
    _, a, b, c = melds.arrangement(hand, table.rules.max_run, np.int64(0))
    total = 0
    for i in range(n_hands):
        theirs = hands[i]
        left = min_deadwood(theirs)
        laid = melds.can_lay_off(a, b, c, theirs & ~melds.melded(theirs))
        left = max(left - points(laid), 0)
        if left > deadwood:
            total += left - deadwood
        else:
            total -= deadwood - left + table.rules.undercut_bonus
    return total >= par[KNOCK_VALUE] * n_hands


@helper
def seems_close(par: Floats, hands: Masks, n_hands: int) -> bool:
    """Return whether the opponent may be close to knocking: the mean deadwood of its sampled hands is small."""
    total = 0
    for i in range(n_hands):
        total += min_deadwood(hands[i])
    return n_hands > 0 and total <= par[CLOSE] * n_hands


@helper
def best_throw(
    table: np.void, mine: np.void, legal: int, by_deadwood: int, par: Floats, belief: Floats, hands: Masks, n_hands: int
) -> int:
    """Return the unmelded card whose discard is best: for the hand, less what the opponent gains from it."""
    stay_apart()
    utility = np.empty(64, np.float32)
    gain = np.empty(64, np.float32)
    free = write_throws(table, mine, legal, by_deadwood, par, belief, hands, n_hands, utility, gain)
    if free == 0:  # all melded: keep it so
        return lowest(by_deadwood)
    most = np.float32(-1e9)
    best = np.int64(-1)
    while free:
        card = lowest(free)
        free &= free - 1
        value = utility[card] - par[OPP_UTIL_IMPORTANCE] * gain[card]
        if value > most:
            most = value
            best = card
    return best


@helper
def write_throws(
    table: np.void,
    mine: np.void,
    legal: int,
    by_deadwood: int,
    par: Floats,
    belief: Floats,
    hands: Masks,
    n_hands: int,
    utility: Floats,
    gain: Floats,
) -> int:
    """Return the unmelded cards that may be thrown; write to utility[card] what the hand is worth without each of them,
    and to gain[card] what the opponent is expected to gain from it."""
    hand = mine.hand
    limit = np.int64(table.limit)
    price = np.empty(PRICES, np.float32)
    loss = np.empty(LOSSES, np.float32)
    write_prices(table.pile, table.turn, belief, par, price)
    least = hand & ~(by_deadwood & -by_deadwood)
    state = state_of(loose_cards(least, price, CALM, par, loss), limit)
    loose = loose_cards(hand, price, state, par, loss)
    free = loose & legal
    write_gains(table, mine, free, par, hands, n_hands, gain)
    total = write_losses(loose, hand & ~loose, price, state, par, loss)
    n_left = popcount(loose) - 1
    left = free
    while left:
        card = lowest(left)
        left &= left - 1
        utility[card] = worth(total - loss[card], n_left, points(loose ^ bit(card)), limit, par)
    return free


@helper
def write_gains(
    table: np.void, mine: np.void, throws: int, par: Floats, hands: Masks, n_hands: int, gain: Floats
) -> None:
    """Write to gain[card] what the opponent is expected to gain by taking each of *throws* instead of a stock card."""
    left = throws
    while left:
        gain[lowest(left)] = 0.0
        left &= left - 1
    if n_hands == 0 or par[OPP_UTIL_IMPORTANCE] == 0:
        return
    limit = np.int64(table.limit)
    price = np.empty(PRICES, np.float32)
    loss = np.empty(LOSSES, np.float32)
    price_for_opponent(table, par, price)
    stock = unseen(table, mine)
    for i in range(n_hands):
        hand = hands[i]
        loose = loose_cards(hand, price, CALM, par, loss)
        state = state_of(loose, limit)
        total = write_losses(loose, hand & ~loose, price, state, par, loss)
        from_stock = np.float32(0.0)
        left = stock & ~hand
        while left:
            from_stock += value_with(hand, loose, total, left & -left, 0, 0, limit, price, state, par, loss)
            left &= left - 1
        from_stock /= max(popcount(stock & ~hand), 1)
        left = throws
        while left:
            card = left & -left
            left ^= card
            better = value_with(hand, loose, total, card, card, 0, limit, price, state, par, loss) - from_stock
            if better > 0:
                gain[lowest(card)] += better / n_hands


@helper
def price_for_opponent(table: np.void, par: Floats, price: Floats) -> None:
    """Write the opponent's price list: it knows the pile, and any other card may be ours."""
    belief = np.empty(52, np.float32)
    chance = HAND_SIZE / np.float32(52 - HAND_SIZE - popcount(table.pile))
    for i in range(52):
        belief[i] = chance if bit(IDS_52[i]) & table.pile == 0 else 0.0
    write_prices(table.pile, table.turn, belief, par, price)


# --- The end of a hand --------------------------------------------------------------------------------------------


@helper
def show(table: np.void, mine: np.void, par: Floats, belief: Floats) -> int:
    """Lay off what can be laid off; meld as Appendix B has it, or else the melding of the highest utility."""
    stay_apart()
    wisely = par[SPREAD_WELL] if table.phase == SPREAD else par[DEFEND_WELL]
    if wisely or table.phase == LAY_OFF:
        return showdown_code(table, mine)
    price = np.empty(PRICES, np.float32)
    loss = np.empty(LOSSES, np.float32)
    cards = rest(table, mine)
    longest = table.rules.max_run
    write_prices(table.pile, table.turn, belief, par, price)
    melded = cards & ~loose_cards(cards, price, CALM, par, loss)
    n, meld, b, c = melds.arrangement(cards, longest, np.int64(0))
    for i in range(1, n):
        if meld | b | c == melded:
            break
        _, meld, b, c = melds.arrangement(cards, longest, i)
    return MELD_CODE + melds.meld_number(meld) if meld else np.int64(DONE)


# --- The whole agent ----------------------------------------------------------------------------------------------


@helper
def sample_opponent(table: np.void, mine: np.void, par: Floats, belief: Floats, hands: Masks, n_hands: int) -> None:
    """Write *n_hands* hands of the opponent, sampled by *belief*, to *hands*: what a discard is judged by."""
    sample_hands(mine, unseen(table, mine), belief, np.empty(SHAPE, np.float64), hands, n_hands)
    if par[BELIEF] == SHAPED:
        weights = N_OPTIONS + N_WEIGHTS + N_SHAPE * np.int64(par[OPPONENT_KIND])
        shape_hands(table, mine, hands[0], belief, par, weights, hands, n_hands)


@helper
def decide(table: np.void, mine: np.void, par: Floats, belief: Floats) -> int:
    """Return the move of the agent with *belief* about the opponent's hand."""
    if table.phase == DRAW or table.phase == OFFER:
        return draw(table, mine, par, belief)
    if table.phase == DISCARD:
        n = np.int64(par[SAMPLES])
        hands = np.empty(n, np.int64)
        sample_opponent(table, mine, par, belief, hands, n)
        return discard(table, mine, par, belief, hands, n)
    if table.phase == WALL:
        return at_the_wall(table, mine)
    return show(table, mine, par, belief)
