"""Worlds that a seat imagines: they agree with all it has seen, and with nothing else of the real table."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from analysis_tables import CASES, table
from rummylab import State
from rummylab.analysis.tables import sample_states
from rummylab.beliefs.evidence import FEATURES, features
from rummylab.beliefs.gin_pass.sampling import WEIGHTS
from rummylab.beliefs.worlds import hidden_from, sample_rows
from rummylab.cards.card import Card
from rummylab.engine.position import layout_of
from rummylab.errors import IllegalActionError

MOVES = (0, 1, 6, 11)


@pytest.mark.parametrize("case", CASES)
def test_a_seat_cannot_tell_a_sampled_table_from_the_real_one(case: str) -> None:
    for moves in MOVES:
        real = table(case, moves)
        for seat in range(real.rules.seats):
            seen = real.observe(seat)
            for world in sample_states(seen, 3, seed=moves):
                assert world.observe(seat).view.tobytes() == seen.view.tobytes()
                assert seat != real.actor or list(world.legal_actions) == list(real.legal_actions)


@pytest.mark.parametrize("case", CASES)
def test_a_sampled_table_is_a_position_and_holds_every_card_once(case: str) -> None:
    real = table(case, 7)
    deck = Counter(real.rules.shuffled(0))
    for world in sample_states(real.observe(), 3, seed=1):
        assert State.parse(world.to_text()).to_text() == world.to_text()
        row = world.rows()
        assert Counter(Card(int(card)) for card in row["deck"][0] if card >= 0) == deck


@pytest.mark.parametrize("case", CASES)
def test_known_cards_stay_where_they_are_and_hidden_ones_move(case: str) -> None:
    real = table(case, 11)
    seen = real.observe()
    hidden = hidden_from(seen)
    rows = sample_rows(seen, 12, np.random.default_rng(0))
    for number, seat in enumerate(hidden.opponents):
        hands = [Counter(layout_of(seen.rules).hand(row["mine"][seat])) for row in rows]
        assert all(not Counter(hidden.known[number]) - hand for hand in hands)
        assert len({tuple(sorted(hand.elements())) for hand in hands}) > 1


def test_the_card_i_passed_is_in_the_hand_that_got_it() -> None:
    real = table("gin_pass-4", 4)
    seen: Any = real.observe()
    for row in sample_rows(seen, 8, np.random.default_rng(0)):
        other = row["mine"][seen.passes_to]
        assert int(other["hand"]) >> seen.passed.id & 1
        assert int(other["received"]) == seen.passed.id


def test_a_discard_makes_its_neighbors_less_likely_in_that_hand() -> None:
    real = table("gin_pass", 12)
    seen = real.observe()
    hidden = hidden_from(seen)
    (seat,) = hidden.opponents
    thrown = int(seen.table["thrown"][seat])
    assert thrown
    column = FEATURES.index("thrown of its rank")
    near = features(seen, seat, hidden.cards)[:, column] > 0
    rows = sample_rows(seen, 2000, np.random.default_rng(0))
    held = np.array([(rows["mine"]["hand"][:, seat] >> card & 1).mean() for card in hidden.cards])
    assert WEIGHTS[column] < 0
    assert held[near].mean() < held[~near].mean()


def test_nothing_is_hidden_when_the_hand_is_over() -> None:
    state = table("gin", 0).copy()
    while state.actor is not None:
        state.push(state.legal_actions[-1])
    with pytest.raises(IllegalActionError, match="all cards lie open"):
        hidden_from(state.observe(0))
