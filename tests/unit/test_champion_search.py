"""Champion search: it plays like the champion where no move is close, and counts the opponent's reply exactly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import champion_kernels
import champion_search_kernels as kernels
from rummylab import State, agent, gin, move
from rummylab.agents.gin import champion_search as search
from rummylab.cards.bits import to_ids
from rummylab.cards.melds import min_deadwood
from rummylab.engine.observation import Observation


def positions(seed: int, preset: str = "eaai") -> Iterator[State]:
    """Every position of a hand in which Simple plays both seats."""
    state = State.deal(gin(preset), seed=seed)
    while state.actor is not None:
        yield state
        state.push(move(state.observe(state.actor), "simple", seed=seed))


def a_turn(seed: int = 3, turn: int = 6) -> Observation:
    """What the player sees who is to discard at *turn*."""
    for state in positions(seed):
        assert state.actor is not None
        seen = state.observe(state.actor)
        if seen.phase == "discard" and int(seen.table["turn"]) >= turn:
            return seen
    raise AssertionError("the hand was too short")


def mask(*cards: int) -> int:
    return sum(1 << card for card in cards)


@pytest.mark.parametrize("preset", ["eaai", "classic", "openspiel"])
def test_where_nothing_is_close_it_makes_the_moves_of_the_champion(preset: str) -> None:
    for state in positions(5, preset):
        assert state.actor is not None
        seen = state.observe(state.actor)
        assert move(seen, "champion-search(margin=0)") == move(seen, "champion")


def test_it_looks_ahead_only_where_moves_are_close_and_sometimes_changes_its_mind() -> None:
    changed = 0
    for seed in range(6):
        for state in positions(seed):
            assert state.actor is not None
            seen = state.observe(state.actor)
            chosen = move(seen, "champion-search(worlds=32, proposed=128)", seed=1)
            assert chosen in seen.legal
            changed += chosen != move(seen, "champion")
    assert changed > 0


def test_points_of_a_knock_are_those_of_the_referee() -> None:
    differences = []
    for seed in range(60):
        for state in positions(seed):
            knocks = [action for action in state.legal_actions if action.verb == "knock"]
            if not knocks:
                continue
            assert knocks[0].card is not None
            card, row = knocks[0].card.id, state._row.copy()
            found = kernels.points_of_knock(row.copy(), card)
            differences.append(abs(found - champion_kernels.result_of_knock(row, card)))
            break
    assert len(differences) > 20
    assert np.mean(np.array(differences) == 0) >= 0.9  # which melds to lay down is not thought about


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_an_opponent_who_gets_gin_by_the_discard_takes_it_and_scores(depth: int) -> None:
    seen = a_turn()
    params = agent("gin", f"champion-search(depth={depth})").params
    hand = int(seen.mine["hand"])
    free = ((1 << 64) - 1) & ~(hand | int(seen.table["pile"]))
    for card in to_ids(hand):
        # A hand of three groups and a run of three that lacks this very card, as far as these cards are unseen.
        mates = [16 * suit + (card & 15) for suit in range(4) if 16 * suit + (card & 15) != card]
        held = [mate for mate in mates if free >> mate & 1]
        others = [rank for rank in range(13) if rank != card & 15]
        groups = [[16 * suit + rank for suit in range(4) if free >> (16 * suit + rank) & 1] for rank in others]
        fours = [group for group in groups if len(group) == 4]
        if len(held) >= 2 and len(fours) >= 2:
            theirs = mask(*held[:2], *fours[0], *fours[1])
            break
    else:
        pytest.fail("no such hand is possible here")
    found = kernels.score_of_discard(seen.view.copy(), card, np.array([theirs]), params)
    # They discard one card of a group of four: gin. Where nobody plays their turn, networks value it from their side.
    gin_for_them = -(25 + min_deadwood(hand & ~(1 << card)))
    assert (found == gin_for_them) == (depth > 0)
    assert found < 0


def test_every_belief_samples_possible_hands_and_the_joint_one_knows_most_of_melds() -> None:
    seen = a_turn(seed=4, turn=10)
    known, other = int(seen.table["known"][1 - seen.seat]), int(seen.table["pile"]) | int(seen.mine["hand"])
    deadwood = []
    for belief in (search.JOINT, search.MARGINALS, search.COUNTS):
        hands = np.zeros(200, np.int64)
        kernels.sampled_hands(seen.view.copy(), agent("gin", f"champion-search(belief={belief})").params, hands)
        assert {int(hand).bit_count() for hand in hands} == {10}
        assert all(int(hand) & known == known and int(hand) & other == 0 for hand in hands)
        deadwood.append(np.mean([min_deadwood(int(hand)) for hand in hands]))
    assert deadwood[0] < deadwood[1] - 5 < deadwood[2]


def test_the_chance_of_a_knock_follows_what_the_opponent_has_done() -> None:
    seen = a_turn()
    view = seen.view.copy()
    other = 1 - seen.seat
    fresh, waiting = mask(0, 2, 4, 6, 8, 16, 18, 20, 22, 24), mask(0, 1, 2, 16, 17, 18, 32, 33, 34, 48)
    assert kernels.chance_of_knock(view, fresh, 11) == 0
    assert kernels.chance_of_knock(view, waiting, 0) == 1
    assert kernels.chance_of_knock(view, waiting, 3) == search.WAITED
    usual = kernels.chance_of_knock(view, fresh, 3)
    assert usual > search.WAITED
    view["table"]["knocks"][0, other] = 3
    assert kernels.chance_of_knock(view, fresh, 3) > usual
    view["table"]["gins"][0, other] = 3
    assert kernels.chance_of_knock(view, fresh, 3) < usual
