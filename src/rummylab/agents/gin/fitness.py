"""Card fitness: what speaks for throwing a card, after Gallucci et al., "Estimating Card Fitness for Discard in Gin
Rummy" (AAAI 2021).

Candidates are the cards whose discard leaves least deadwood. Each of the four characteristics of the section "Ranking
the Fitness of a Card in a Game State" takes the candidates as a mask and returns those that have it. What the text
leaves open, and how it is read here:

- "If the average deadwood points decreased after an additional draw": the average, over the cards nobody has shown, of
  the deadwood after drawing one and throwing the best card again. Read literally, against the deadwood now, nearly
  every candidate has it, and it ranks nothing; so the point goes to the candidates after which that average is lowest.
  The literal reading is an option.
- "If the card is unmeldable based on cards the player has seen": each possible meld with it lacks a card that lies in
  the pile or that the opponent is known to hold.
- "If the card cannot be used by the opponent for a meld": each possible meld with it lacks a card that lies in the
  pile or that we hold.
- "If the opponent has discarded a card that would be melded with it": one of the same rank, or of the same suit at
  most two ranks away.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.fitness_options import LITERAL, LOWERS_AVERAGE, LOWEST, UNMELDABLE, USELESS_TO_OPPONENT
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, popcount, ranks_of, stay_apart
from rummylab.games.gin.melds import best_discards, melded
from rummylab.games.gin.rules import discards


@helper
def candidates(table: np.void, mine: np.void) -> tuple[int, int]:
    """Return the cards whose discard leaves the minimum deadwood points possible, and those points."""
    return best_discards(mine.hand, discards(table, mine))


@helper
def unseen(table: np.void, mine: np.void) -> int:
    """Return the cards that may come from the stock: not in the hand, not in the pile, not known to be his."""
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

    *left* is their deadwood now. A card that makes no meld is thrown again, or replaces a card whose loss leaves the
    least of the others; so those are counted by rank, and only the few others are tried.
    """
    to_try = stock & completes(hand)
    plain = stock & ~to_try
    total = left * popcount(plain)
    if plain:
        _, nine = best_discards(hand, hand)
        for value in range(1, left - nine):  # worth less than what would go for it; court cards never are
            total -= (left - nine - value) * popcount(plain & (EACH_SUIT << (value - 1)))
    while to_try:
        card = to_try & -to_try
        to_try ^= card
        _, after = best_discards(hand | card, hand | card)
        total += after
    return total


@helper
def lowers_average(table: np.void, mine: np.void, cards: int, left: int, reading: int) -> int:
    """Return the *cards* whose discard lets the average deadwood decrease after an additional draw.

    To compare loose cards with each other only those draws matter that could have been melded with one of them.
    """
    stay_apart()
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
    """Return the *cards* that cannot be melded any more, by the cards we have seen."""
    return cards & ~melded(ALL_CARDS & ~(table.pile | table.known[1 - mine.seat]))


@helper
def useless_to_opponent(table: np.void, mine: np.void, cards: int) -> int:
    """Return the *cards* that the opponent cannot use for a meld: we hold, or the pile has, what it would take."""
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
def near_his_discards(table: np.void, mine: np.void, cards: int) -> int:
    """Return the *cards* that would be melded with a card the opponent has discarded."""
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
    return near_his_discards(table, mine, cards)


@helper
def fittest(table: np.void, mine: np.void, cards: int, left: int, used: int, reading: int) -> int:
    """Return the *cards* of the highest rank: one point for each characteristic among *used*.

    All cards are counted at once: the three masks are the binary digits of their points.
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
