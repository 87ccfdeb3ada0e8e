"""Random hands for tests: uniform, rich in jokers, and near a declaration."""

from __future__ import annotations

import random

Card = tuple[int, int]
Hand = list[Card | None]


def shoe(decks: int, printed: int) -> Hand:
    deck: Hand = [(rank, suit) for suit in range(4) for rank in range(13)]
    return deck * decks + [None] * printed


def deal(rng: random.Random, size: int, decks: int, printed: int) -> tuple[Hand, int]:
    """Return a hand and the wild rank, the indicator out of play."""
    cards = shoe(decks, printed)
    rng.shuffle(cards)
    indicator = next(card for card in cards if card is not None)
    cards.remove(indicator)
    return cards[:size], indicator[0]


def rich(rng: random.Random, size: int, decks: int, printed: int) -> tuple[Hand, int]:
    """Return a hand with many jokers."""
    wild = rng.randrange(13)
    cards = shoe(decks, printed)
    rng.shuffle(cards)
    jokers = [card for card in cards if card is None or card[0] == wild]
    others = [card for card in cards if card is not None and card[0] != wild]
    n_jokers = rng.randrange(min(len(jokers), 11) + 1)
    return jokers[:n_jokers] + others[: size - n_jokers], wild


def near(rng: random.Random, size: int, decks: int, printed: int) -> tuple[Hand, int]:
    """Return a hand of melds laid out at random, with a few cards exchanged."""
    wild = rng.randrange(13)
    cards = shoe(decks, printed)
    hand: Hand = []
    while len(hand) < size:
        if rng.random() < 0.6:
            suit, low, n = rng.randrange(4), rng.randrange(12), rng.randrange(3, 6)
            meld: Hand = [((low + i) % 13, suit) for i in range(min(n, 14 - low))]
        else:
            rank = rng.randrange(13)
            meld = [(rank, suit) for suit in rng.sample(range(4), rng.randrange(3, 5))]
        for card in meld:
            if card in cards:
                cards.remove(card)
                hand.append(card)
    rng.shuffle(hand)
    del hand[size - rng.randrange(0, 4) :]
    rng.shuffle(cards)
    jokers = [card for card in cards if card is None or card[0] == wild]
    others = [card for card in cards if card is not None and card[0] != wild]
    while len(hand) < size:
        pool = jokers if jokers and rng.random() < 0.5 else others
        hand.append(pool.pop())
    return hand, wild


MAKERS = (deal, rich, near)


def planes(hand: Hand) -> tuple[int, int, int]:
    once = twice = jokers = 0
    for card in hand:
        if card is None:
            jokers += 1
        else:
            bit = 1 << (card[1] * 16 + card[0])
            twice |= once & bit
            once |= bit
    return once, twice, jokers
