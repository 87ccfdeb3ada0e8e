"""Keats: every card has a score; take the up-card if its score is above zero, throw or pass the highest card.

Source: James Keats, "Artificial Opponents - Gin Rummy - Code Report". A card's *deadwood value* is v; *unseen* are the
cards that might be in the deck: not in the own hand, never face up, not passed on by us; D is their number.

Policy. Draw: 20 if the up-card completes a meld, 9 if it is a six to nine, less v, less 1 late in the game, less 1000
if the discard rule would throw it at once; take it if that is above zero. Discard and pass: strip the melds; each
card left scores v, and in a pair -v/2, -v/(D/2) or +v/2 as two, one or none of the other two are unseen; in a partial
run -v/3 if a card that completes it is unseen, else +3v/4; +3v/4 if the next opponent just discarded its rank, +v if a
neighbour in rank. The highest goes. Knock as soon as possible.

What the report leaves open, and how it is read here (rules page, "The AI, restated"):

- Melds are those of the first arrangement of least deadwood (:func:`rummylab.games.gin.melds.arrangement`).
- "Late" is D < 35, from the author's notes: "deck < 35".
- "In the deck" is unseen: the AI cannot tell the stock from other hands.
- A neighbour of "a different suit" makes no run. `keats` reads "the same suit", as the whiteboard does;
  `keats-as-written` keeps the words; `keats-whiteboard` has the whiteboard's numbers.
- With two seats the next opponent's last discard may be the very up-card: a card is no sign of its own uselessness, so
  it does not count as a card of its own rank.
- Ties go to the higher value, then rank, then suit. If all is melded, the card goes that keeps deadwood lowest.

Departures: none. Measured in docs/agents/gin-course.md.

par: see :class:`~rummylab.agents.gin_course.keats_options.KeatsOptions`.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper, kernel, kernel_of
from rummylab.agents.gin_course import keats_options as o
from rummylab.beliefs.fuzzy import Floats
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, highest, lowest, points, popcount, ranks_of
from rummylab.games.gin.melds import arrangement, best_discards, min_deadwood

_ANY_RUN = 13
_NEAR = 1e-4  # scores nearer than this are equal: the least real difference is 1/492, float32 errs by 1e-6


# --- The report's utility functions -------------------------------------------------------------------------------
# A card is an id, several cards are a mask.


@helper
def strip_melds(hand: int) -> int:
    """Return the cards of *hand* outside its melds (``cloneAndStripMelds``)."""
    _, first, second, third = arrangement(hand, _ANY_RUN, np.int64(0))
    return hand & ~(first | second | third)


@helper
def is_in_meld(card: int, hand: int) -> bool:
    return strip_melds(hand) & bit(card) == 0


@helper
def same_rank(card: int) -> int:
    """Return the four cards of the rank."""
    return EACH_SUIT << (card & 15)


@helper
def neighbours(cards: int) -> int:
    """Return the cards next to *cards* in their suits."""
    return ((cards << 1) | (cards >> 1)) & ALL_CARDS & ~cards


@helper
def is_in_pair(card: int, hand: int) -> bool:
    return popcount(hand & same_rank(card)) > 1


@helper
def is_in_partial_run(card: int, hand: int) -> bool:
    return hand & neighbours(bit(card)) != 0


@helper
def might_exist_in_deck(cards: int, unseen: int) -> int:
    """Return how many of *cards* might be in the deck."""
    return popcount(cards & unseen)


@helper
def deadwood_value(card: int) -> int:
    return points(bit(card))


@helper
def pair_missing_two(card: int, hand: int) -> int:
    """Return the cards that would make a group of the pair of *card*."""
    return same_rank(card) & ~hand


@helper
def run_missing_two(card: int, hand: int) -> int:
    """Return the cards that would complete the partial run of *card*; at the ends of a suit there is only one."""
    return neighbours(bit(card) | hand & neighbours(bit(card)))


# --- Scores -------------------------------------------------------------------------------------------------------
# *last* is the last discard of the next opponent, or -1. The terms are what explanations show.


@helper
def pair_term(card: int, hand: int, unseen: int, par: Floats) -> float:
    """Return by how much a pair changes the score, as a share of the deadwood value."""
    if not is_in_pair(card, hand):
        return 0.0
    n = might_exist_in_deck(pair_missing_two(card, hand), unseen)
    if n == 0:
        return par[o.PAIR_OF_NONE]
    if n == 1:
        return -par[o.PAIR_OF_ONE] / (popcount(unseen) / 2)
    return -par[o.PAIR_OF_TWO]


@helper
def run_term(card: int, hand: int, unseen: int, par: Floats) -> float:
    """Return by how much a partial run changes the score, as a share of the deadwood value."""
    if not is_in_partial_run(card, hand):
        return 0.0
    return -par[o.RUN_OF_SOME] if might_exist_in_deck(run_missing_two(card, hand), unseen) else par[o.RUN_OF_NONE]


@helper
def same_rank_term(card: int, last: int, par: Floats) -> float:
    is_same = last >= 0 and last != card and last & 15 == card & 15
    return par[o.SAME_RANK] if is_same else 0.0


@helper
def next_rank_term(card: int, last: int, par: Floats) -> float:
    if last < 0 or abs((last & 15) - (card & 15)) != 1:
        return 0.0
    is_other_suit = last >> 4 != card >> 4
    return par[o.NEXT_RANK] if is_other_suit == (par[o.NEXT_SUIT] == o.DIFFERENT) else 0.0


@helper
def discard_terms(
    card: int, loose: int, unseen: int, last: int, par: Floats
) -> tuple[float, float, float, float, float]:
    """Return what the discard score of *card* is made of: value, pair, partial run, and the two signs of *last*."""
    value = np.float64(deadwood_value(card))
    return (
        value,
        value * pair_term(card, loose, unseen, par),
        value * run_term(card, loose, unseen, par),
        value * same_rank_term(card, last, par),
        value * next_rank_term(card, last, par),
    )


@helper
def discard_score(card: int, loose: int, unseen: int, last: int, par: Floats) -> float:
    value, pair, run, same, near = discard_terms(card, loose, unseen, last, par)
    return value + pair + run + same + near


@helper
def highest_card(cards: int) -> int:
    """Return the card of the highest value, then rank, then suit, of the non-empty *cards*."""
    return highest(cards & (EACH_SUIT << highest(ranks_of(cards))))


@helper
def card_to_throw(hand: int, unseen: int, last: int, par: Floats) -> int:
    """Return the card of *hand* to discard or to pass: of the highest score."""
    loose = strip_melds(hand)
    if loose == 0:
        cards, _ = best_discards(hand, hand)
        return highest_card(cards)
    left = loose
    best = -np.inf
    chosen = np.int64(0)
    while left:
        card = lowest(left)
        left &= left - 1
        score = discard_score(card, loose, unseen, last, par)
        if score > best + _NEAR:
            best = score
            chosen = bit(card)
        elif score > best - _NEAR:
            chosen |= bit(card)
    return highest_card(chosen)


@helper
def draw_terms(
    hand: int, up: int, unseen: int, last: int, par: Floats
) -> tuple[float, float, float, float, float]:
    """Return what the score of taking *up* is made of: meld, mid-range, value, late in the game, thrown at once."""
    with_it = hand | bit(up)
    rank = (up & 15) + 1
    return (
        par[o.MELD] if is_in_meld(up, with_it) else 0.0,
        par[o.MID_RANGE] if par[o.MID_FROM] <= rank <= par[o.MID_TO] else 0.0,
        -np.float64(deadwood_value(up)),
        -par[o.LATE] if popcount(unseen) < par[o.LATE_BELOW] else 0.0,
        -par[o.DROPPED] if card_to_throw(with_it, unseen, last, par) == up else 0.0,
    )


@helper
def takes(hand: int, up: int, unseen: int, last: int, par: Floats) -> bool:
    meld, mid_range, value, late, dropped = draw_terms(hand, up, unseen, last, par)
    return meld + mid_range + value + late + dropped > 0
