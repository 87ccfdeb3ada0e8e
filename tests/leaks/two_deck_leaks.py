"""What the leak tests of games with two decks share: positions after a reshuffle, and planted leaks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from test_leaks import assert_looks_the_same

from helpers import RandomChooser, registered
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from two_deck_tables import hand_of


def after_a_reshuffle(rules: Rules, seed: int, eager: float) -> Iterator[State]:
    """Positions of a deal from the first reshuffle on."""
    state = State.deal(rules, seed)
    players = [RandomChooser(seed + i, eager) for i in range(rules.seats)]
    while (seat := state.actor) is not None:
        if state.rows()["table"]["reshuffles"][0]:
            yield state
        state.push(players[seat].act(state.observe(seat)))


def exchange(state: State, viewer: Seat, rng: np.random.Generator) -> Rows:
    """A position that differs from *state* only in the order of what *viewer* cannot see: stock and unknown cards."""
    row = state.rows()
    table, mine = row["table"][0], row["mine"][0]
    start, n = int(row["pos"][0]), int(table["stock"])
    stock = [Card(int(card)) for card in row["deck"][0, start : start + n]]
    others = [seat for seat in range(state.rules.seats) if seat != viewer]
    known = {
        seat: Hand(*(int(table[name][seat]) for name in ("known", "known_twice", "known_jokers"))) for seat in others
    }
    unknown = {seat: list(hand_of(state, seat) - known[seat]) for seat in others}
    cards = stock + [card for seat in others for card in unknown[seat]]
    cards = [cards[i] for i in rng.permutation(len(cards))]
    row["deck"][0, start : start + n] = [card.id for card in cards[:n]]
    row["rng"] = rng.integers(2**63)
    cards = cards[n:]
    for seat in others:
        hand = Hand.of([*known[seat], *cards[: len(unknown[seat])]], decks=2)
        cards = cards[len(unknown[seat]) :]
        mine[seat]["hand"], mine[seat]["twice"], mine[seat]["jokers"] = hand.mask, hand.twice, hand.jokers
    return row


def check_after_reshuffles(rules: Rules, *, eager: float = 0.0, most: int = 10**9) -> None:
    """Nobody sees what the exchange of hidden cards changes, at *most* positions or so after a reshuffle."""
    rng, players, n = np.random.default_rng(5), registered(rules.name), 0
    for state in (state for seed in range(2) for state in after_a_reshuffle(rules, seed, eager)):
        if n > most:
            break
        for viewer in map(Seat, range(rules.seats)):
            seen = state.observe(viewer)
            row = exchange(state, viewer, rng)
            codes = tuple(rules.legal(row)) if viewer == state.actor else ()
            twin = rules.observation(viewer, rules.observe(row, viewer), seen.log, codes)
            assert_looks_the_same(seen, twin, players)
            n += 1
    assert n > 100


def next_stock_card_in_the_notes(row: Rows, seat: Seat, view: Rows) -> None:
    view["mine"]["memory"][0, 0] = row["deck"][0, row["pos"][0]]


def opponents_hand_as_known_cards(row: Rows, seat: Seat, view: Rows) -> None:
    view["table"]["known"][0, 1 - seat] = row["mine"]["hand"][0, 1 - seat]
