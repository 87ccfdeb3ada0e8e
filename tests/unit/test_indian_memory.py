"""What `mindist-outs` remembers is about one hand: a move that somebody else made for it does not mislead it."""

from __future__ import annotations

import numpy as np
import pytest

from rummylab import indian, move
from rummylab.agents.registry import agent
from rummylab.engine.seats import Seat
from rummylab.engine.state import State


@pytest.mark.parametrize("preset", ["paper", "platform(decks=2, printed_jokers=2)"])
def test_mindist_outs_moves_as_from_the_position_alone_after_others_moved_for_it(preset: str) -> None:
    rng = np.random.default_rng(5)
    replaced = 0
    for deal in range(8):
        state = State.deal(indian(preset), 900 + deal)
        players = [agent("indian", "mindist-outs") for _ in range(2)]
        for i, player in enumerate(players):
            player.sit(state.rules, Seat(i), np.random.default_rng([deal, i]))
        for _ in range(80):
            seat = state.actor
            if seat is None:
                break
            seen = state.observe(seat)
            chosen = players[seat].act(seen)
            assert chosen == move(seen, "mindist-outs"), (deal, str(seen))
            others = [action for action in seen.legal if action.verb in ("discard", "draw stock", "draw upcard")]
            if others and rng.random() < 0.3:  # as a handicap does
                chosen = others[rng.integers(len(others))]
                replaced += 1
            state.push(chosen)
    assert replaced > 50
