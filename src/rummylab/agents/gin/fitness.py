"""Card fitness: what speaks for discarding a card, after Gallucci et al., "Estimating Card Fitness for Discard in Gin
Rummy" (AAAI 2021).

Candidates are the cards whose discard leaves the least deadwood. Each of the four characteristics of the section
"Ranking the Fitness of a Card in a Game State" takes the candidates as a mask and returns those that have it. What the
text leaves open, and how it is read here:

- "If the average deadwood points decreased after an additional draw": the average, over the unseen cards, of the
  deadwood after drawing one and discarding the best card again. Read literally, against the deadwood now, nearly every
  candidate has it, and it ranks nothing; so the point goes to the candidates after which that average is lowest. The
  literal reading is an option.
- "If the card is unmeldable based on cards the player has seen": every possible meld with it lacks a card that is in
  the pile or that the opponent is known to hold.
- "If the card cannot be used by the opponent for a meld": every possible meld with it lacks a card that is in the pile
  or in the player's own hand.
- "If the opponent has discarded a card that would be melded with it": one of the same rank, or of the same suit at
  most two ranks away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, noinline, popcount, ranks_of
from rummylab.cards.melds import best_discards, melded
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.games.gin.rules import discards

LOWERS_AVERAGE, UNMELDABLE, USELESS_TO_OPPONENT, NEAR_DISCARDS = 1, 2, 4, 8
"""The four characteristics, as bits."""
ALL_FOUR = LOWERS_AVERAGE | UNMELDABLE | USELESS_TO_OPPONENT | NEAR_DISCARDS
LOWEST, LITERAL = range(2)
"""Readings of the first characteristic."""
BY_TABLE, AT_RANDOM = range(2)
"""How ties are broken."""
REMOVED, ONE_BY_ONE, ANY = range(3)
"""Readings of `fitness-independent`."""


@dataclass(frozen=True, kw_only=True)
class FitnessOptions(AgentOptions):
    """Options of both card-fitness agents."""

    characteristics: int = option(
        ALL_FOUR,
        "Sum of the characteristics that count: 1 lowers the average, 2 unmeldable, 4 useless to the opponent,"
        " 8 near the opponent's discards.",
        low=0,
        high=ALL_FOUR,
    )
    ties: int = option(BY_TABLE, "How fitness-cfr breaks ties: 0 by the CFR table, 1 at random.", low=0, high=1)
    average: int = option(LOWEST, "Reading of the first characteristic: 0 lowest average, 1 literal.", low=0, high=1)
    independent: int = option(
        REMOVED,
        "Reading of fitness-independent: 0 removes cards with any characteristic, 1 goes one by one, 2 keeps cards with"
        " any.",
        low=0,
        high=2,
    )
    knock_at: int = option(0, "Knock with at most this deadwood; 0 knocks by the CFR table.", low=0, high=100)
    draw_melds: bool = option(False, "1 to take the upcard if and only if it melds, instead of by the CFR table.")
    pure: bool = option(True, "1 to play the likelier action of a table, 0 to draw at random as in training.")
    table_above: bool = option(False, "With knock_at, above that deadwood: 1 decides by the CFR table, 0 plays on.")
    blend: bool = option(False, "1 to mix the table entries of two stages between their middles, 0 to use one stage.")


P = FitnessOptions.indices()
TABLES = len(P)
"""Where the CFR tables begin in ``params``."""


@helper
def candidates(table: np.void, mine: np.void) -> tuple[int, int]:
    """Return the cards whose discard leaves the least deadwood, and that deadwood."""
    return best_discards(mine.hand, discards(table, mine))


@helper
def unseen(table: np.void, mine: np.void) -> int:
    """Return the cards that may come from the stock: not in hand, not in the pile, not known to be the opponent's."""
    return ALL_CARDS & ~(mine.hand | table.pile | table.known[1 - mine.seat])


@helper
def completes(hand: int) -> int:
    """Return the cards that would make a meld with two of *hand*."""
    up_one, up_two, down_one, down_two = hand << 1, hand << 2, hand >> 1, hand >> 2
    clubs, hearts, spades, diamonds = hand, hand >> 16, hand >> 32, hand >> 48
    pairs = (clubs & hearts) | (spades & diamonds) | ((clubs | hearts) & (spades | diamonds))
    runs = (up_one & up_two) | (up_one & down_one) | (down_one & down_two)
    return (runs | (pairs & np.int64(0x1FFF)) * EACH_SUIT) & ALL_CARDS & ~hand


@helper
def completes_with(hand: int, cards: int) -> int:
    """Return the cards that would make a meld with two of *hand*, at least one of them among *cards*."""
    runs = ((cards << 1) & ((hand << 2) | (hand >> 1))) | ((cards >> 1) & ((hand << 1) | (hand >> 2)))
    runs |= ((cards << 2) & (hand << 1)) | ((cards >> 2) & (hand >> 1))
    groups = completes(hand) & (ranks_of(cards) * EACH_SUIT)
    return (runs | groups) & ALL_CARDS & ~hand


@helper
def deadwood_after_draw(hand: int, left: int, stock: int) -> int:
    """Return the deadwood of the ten cards *hand* after one more draw and the best discard, summed over *stock*.

    *left* is their deadwood now. A card that makes no meld is discarded again, or replaces a card whose loss leaves
    the least deadwood; so such cards are counted by rank, and only the few others are tried.
    """
    to_try = stock & completes(hand)
    plain = stock & ~to_try
    total = left * popcount(plain)
    if plain:
        _, nine = best_discards(hand, hand)
        for value in range(1, left - nine):  # worth less than the card it replaces; court cards never are
            total -= (left - nine - value) * popcount(plain & (EACH_SUIT << (value - 1)))
    while to_try:
        card = to_try & -to_try
        to_try ^= card
        _, after = best_discards(hand | card, hand | card)
        total += after
    return total


@helper
def lowers_average(table: np.void, mine: np.void, cards: int, left: int, reading: int) -> int:
    """Return the *cards* whose discard lowers the average deadwood after an additional draw.

    To compare unmelded cards with each other, only draws that could meld with one of them matter.
    """
    noinline()
    stock = unseen(table, mine)
    if reading == LOWEST and cards & melded(mine.hand) == 0:
        stock &= completes_with(mine.hand, cards)
        if stock == 0:
            return cards
    bound = left * popcount(stock) - 1 if reading == LITERAL else np.int64(1) << 40
    chosen = np.int64(0)
    while cards:
        card = cards & -cards
        cards ^= card
        total = deadwood_after_draw(mine.hand & ~card, left, stock)
        if reading == LOWEST and total < bound:
            bound = total
            chosen = np.int64(0)
        if total <= bound:
            chosen |= card
    return chosen


@helper
def unmeldable(table: np.void, mine: np.void, cards: int) -> int:
    """Return the *cards* that can no longer be melded, judging by the cards seen."""
    return cards & ~melded(ALL_CARDS & ~(table.pile | table.known[1 - mine.seat]))


@helper
def useless_to_opponent(table: np.void, mine: np.void, cards: int) -> int:
    """Return the *cards* that the opponent cannot meld: the cards this would take are in hand or in the pile."""
    theirs = ALL_CARDS & ~(table.pile | mine.hand)
    chosen = np.int64(0)
    while cards:
        card = cards & -cards
        cards ^= card
        if melded(theirs | card) & card == 0:
            chosen |= card
    return chosen


@helper
def partners(cards: int) -> int:
    """Return the cards that share a possible meld with one of *cards*."""
    beside = (cards << 1) | (cards << 2) | (cards >> 1) | (cards >> 2)
    return (beside | ranks_of(cards) * EACH_SUIT) & ALL_CARDS


@helper
def near_their_discards(table: np.void, mine: np.void, cards: int) -> int:
    """Return the *cards* that would meld with a card the opponent has discarded."""
    return cards & partners(table.thrown[1 - mine.seat])


@helper
def having(table: np.void, mine: np.void, cards: int, left: int, which: int, reading: int) -> int:
    """Return the *cards* that have the characteristic *which*."""
    if which == LOWERS_AVERAGE:
        return lowers_average(table, mine, cards, left, reading)
    if which == UNMELDABLE:
        return unmeldable(table, mine, cards)
    if which == USELESS_TO_OPPONENT:
        return useless_to_opponent(table, mine, cards)
    return near_their_discards(table, mine, cards)


@helper
def fittest(table: np.void, mine: np.void, cards: int, left: int, used: int, reading: int) -> int:
    """Return the fittest *cards*: those with the most of the characteristics *used*.

    All cards are counted at once: the three masks are the binary digits of their counts.
    """
    ones = twos = fours = np.int64(0)
    for k in range(4):
        if used >> k & 1:
            more = having(table, mine, cards, left, 1 << k, reading)
            carry = ones & more
            ones ^= more
            more = twos & carry
            twos ^= carry
            fours |= more
    for plane in (fours, twos, ones):
        if cards & plane:
            cards &= plane
    return cards
