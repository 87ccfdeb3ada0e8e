"""`contract-greedy`: every sentence of its policy, at hand-made tables."""

from __future__ import annotations

import numpy as np
import pytest

from contract_tables import table_with
from helpers import push
from rummylab.agents.registry import agent
from rummylab.cards.rng import root_of
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract.batch import OUTCOMES, play_seatings, tally_for
from rummylab.games.contract.view import contract
from rummylab.games.registry import GAMES

NEAR = "7c 7h 7s 5d 6d 8d Kc Qh"
"""One card short of a set of three and a run of four: the seven of diamonds, or a wild."""
FAR = "3c 3h 4s 9s Td Jc As 6h"
SET_AND_RUN = contract("chinese", contract="S3+R4", hand_sizes="8")


def answer(state: State) -> str:
    """What the agent does at the table."""
    player = agent("contract", "contract-greedy")
    seat = Seat(state.actor or 0)
    player.sit(state.rules, seat, np.random.default_rng(1))
    return str(player.act(state.observe(seat)))


@pytest.mark.parametrize(("up", "move"), [("7d", "draw upcard"), ("2c", "draw upcard"), ("Kd", "draw stock")])
def test_it_takes_what_lowers_the_distance(up: str, move: str) -> None:
    assert answer(table_with(SET_AND_RUN, NEAR, FAR, up=up)) == move


def test_it_discards_the_costliest_card_that_does_not_raise_the_distance() -> None:
    state = table_with(SET_AND_RUN, "7c 7h 7s 5d 6d 8d Kc 9h", FAR, up="Ad", stock="3s")
    push(state, "draw stock")
    assert answer(state) == "discard Kc", "nothing of the set or the run, and not the cheap 3s or 9h"


def test_it_lays_down_at_once_and_lays_off_what_fits() -> None:
    state = table_with(SET_AND_RUN, "7c 7h 7s 5d 6d 8d 9d Qh", FAR, up="Ad", stock="7d")
    push(state, "draw stock")
    moves = []
    for _ in range(4):
        moves.append(answer(state))
        push(state, moves[-1])
    assert [move.split()[0:2] for move in moves[:3]] == [["lay", "down"], ["lay", "down"], ["lay", "off"]]
    assert moves[3] == "discard Qh"


def test_it_keeps_wilds() -> None:
    state = table_with(SET_AND_RUN, "7c 7h 7s 2d 2h 2s 2c 5d", FAR, up="Ad", stock="Kh")
    push(state, "draw stock")
    assert answer(state) == "discard Kh", "not even a wild that the contract has no room for"


@pytest.mark.parametrize(("up", "move"), [("7d", "buy"), ("Kd", "pass")])
def test_it_buys_what_lowers_the_distance(up: str, move: str) -> None:
    rules = contract("chinese-7", seats=3, contract="S3+R4", hand_sizes="8", rounds=1)
    state = table_with(rules, FAR, NEAR, "3s 4h 4d 9c Th Js Ac 6c", up=up)
    push(state, "draw stock")
    assert answer(state) == move


@pytest.mark.parametrize(("preset", "seats"), [("chinese-7", 2), ("contract-7", 2), ("liverpool-7", 4)])
def test_few_rounds_of_it_are_void(preset: str, seats: int) -> None:
    rules, player = contract(preset, seats=seats), agent("contract", "contract-greedy")
    tallies = np.zeros(40, tally_for(seats))
    acts, params = [player.kernel] * seats, [player.params] * seats  # type: ignore[attr-defined]
    play_seatings(rules.new_rows(1), root_of(5), 0, [tuple(range(seats))], acts, params, tallies)
    assert not tallies["illegal"].any()
    assert tallies["outcomes"][:, OUTCOMES.index("void")].sum() < 0.05 * tallies["hands"].sum()


def test_it_is_the_opponent_where_the_chinese_agents_do_not_know_the_contract() -> None:
    spec = GAMES["contract"]
    assert spec.opponent_for(contract("chinese").options) == "chinese-counter"
    assert spec.opponent_for(contract("contract-7", seats=3).options) == "contract-greedy"
