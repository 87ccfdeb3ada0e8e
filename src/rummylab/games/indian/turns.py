"""Expected turns: MinDist refined by how many live cards bring the hand nearer.

The paper names it as future work (sections IV-B and IX): two hands of equal MinDist differ in how long they wait.

**Model.** A player alone draws from a shuffled stock of the n live cards (those not seen elsewhere), never takes
from the open pile, and after each draw discards greedily: least MinDist, then most live outs, then the lowest
card id. `greedy_draws` plays it.

**Definition.** With o live outs among n live cards the first one comes after (n + 1) / (o + 1) draws on average.
From distance d - 1 on the wait is taken from `LATER_TURNS`: the mean number of draws that the model needs
after having just arrived there. So for d >= 1

    expected_turns(d, o, n) = (n + 1) / (o + 1) + LATER_TURNS[d - 1]

and 0 for a hand that can be declared. Measured over the same deals, the mean wait agrees within half a draw for
hands with ten outs or more; with few outs it is an upper estimate (distance 1, at most four outs: 11 against 6),
because the player finds better waits while waiting.
"""

from __future__ import annotations

from rummylab._jit import kernel
from rummylab.cards.bits import lowest
from rummylab.cards.card import JOKER_ID
from rummylab.games.indian.melds import Ints, take_away
from rummylab.games.indian.mindist import discard_outs, discards14, live_outs, min_dist

# Mean draws of the model after arriving at distance 0, 1, 2, ...; 20,000 deals of one deck and one printed
# joker (hand 13, indicator out, 39 live cards), seed 2024. From distance 5 on: extrapolated.
LATER_TURNS = (0.0, 4.3, 7.2, 9.4, 11.1, 12.6, 14.0, 15.4)


@kernel
def expected_turns(distance: int, n_outs: int, n_live: int) -> float:
    """Return the expected number of stock draws until the hand can be declared (see the module)."""
    if distance == 0:
        return 0.0
    return (n_live + 1) / (n_outs + 1) + LATER_TURNS[min(distance, 8) - 1]


@kernel
def greedy_discard(
    once: int, twice: int, jokers: int, wild: int, live_once: int, live_twice: int, live_jokers: int, scratch: Ints
) -> tuple[int, int, int]:
    """Return the model's discard from 14 cards, and the distance and live outs after it.

    *scratch* has `JOKER_ID` + 1 entries. At distance 0 there are no outs to count.
    """
    distance, spares = discards14(once, twice, jokers, wild)
    discard_outs(once, twice, jokers, wild, distance, spares, live_once, scratch)
    best, most = -1, -1
    while spares:
        card = lowest(spares)
        spares &= spares - 1
        n_outs = live_outs(scratch[card], live_once, live_twice, live_jokers)
        if n_outs > most:
            best, most = card, n_outs
    return best, distance, most


@kernel
def greedy_draws(once: int, twice: int, jokers: int, wild: int, stock: Ints, arrivals: Ints, scratch: Ints) -> int:
    """Play the model from 13 cards on *stock* (card ids in draw order); return the draws until it can declare.

    arrivals[d] becomes the draws made when the hand first was at distance d or nearer (-1: never);
    the answer is -1 if the stock ends first.
    """
    for d in range(len(arrivals)):
        arrivals[d] = -1
    live_once, live_twice, live_jokers = 0, 0, 0
    for i in range(len(stock)):
        if stock[i] == JOKER_ID:
            live_jokers += 1
        else:
            live_twice |= live_once & 1 << stock[i]
            live_once |= 1 << stock[i]
    distance = min_dist(once, twice, jokers, wild)
    for d in range(distance, len(arrivals)):
        arrivals[d] = 0
    n_draws = 0
    while distance > 0:
        if n_draws == len(stock):
            return -1
        # 1. Draw.
        card = stock[n_draws]
        n_draws += 1
        if card == JOKER_ID:
            jokers += 1
            live_jokers -= 1
        else:
            twice |= once & 1 << card
            once |= 1 << card
            live_once, live_twice = take_away(live_once, live_twice, 1 << card)
        # 2. Discard.
        card, nearer, _ = greedy_discard(once, twice, jokers, wild, live_once, live_twice, live_jokers, scratch)
        if card == JOKER_ID:
            jokers -= 1
        else:
            once, twice = take_away(once, twice, 1 << card)
        for d in range(nearer, distance):
            arrivals[d] = n_draws
        distance = nearer
    return n_draws
