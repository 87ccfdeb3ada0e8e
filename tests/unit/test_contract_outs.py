"""`contract-counter`: what it keeps, what it does not give away, where its wilds go, and that it beats the baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from contract_tables import Replacer, deal, table_with
from helpers import push
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract.view import contract

OTHER = "3c 5s 6h 8s Td Qc Kh Jc Js Ac"


def run_table(hand: str, other: str = OTHER, stock: str = "4s", up: str = "9s", **changes: Any) -> State:
    return table_with(contract(contract="S3+R4", hand_sizes="10", **changes), hand, other, up=up, stock=stock)


def choice(state: State, name: str = "contract-counter") -> str:
    player = agent("contract", name)
    assert state.actor is not None
    player.sit(state.rules, Seat(state.actor), np.random.default_rng(1))
    return str(player.act(state.observe(state.actor)))


def test_a_round_that_can_be_ended_is_ended() -> None:
    state = push(deal("7c 7h 7s 9c 9h 9s 9d"), "draw stock")
    while state.actor == 0:
        push(state, choice(state))
    assert state.result["winner"] == 0


def test_only_cards_that_the_contract_can_spare_are_discarded() -> None:
    state = push(run_table("7c 7h 7s 4d 5d 6d Kd Qh Jh 9h"), "draw stock")
    assert choice(state) in {f"discard {card}" for card in ("Kd", "Qh", "Jh", "9h", "4s")}


def test_what_goes_with_a_card_the_next_player_took_is_kept_back() -> None:
    state = deal("3c 5d 6h 8c Td 9s Kh", "Qd Ks 9c 9h 4s Jd Jc", "Ad", "Kd 6s")
    push(state, "draw stock; discard Kd; draw upcard; discard 4s; draw stock")
    assert choice(state, "contract-counter(held=0,safe=0)") == "discard Kh", "of the costliest the one that they like"
    assert choice(state, "contract-counter(held=50,safe=0)") != "discard Kh"


def test_a_wild_is_laid_off_where_it_makes_room_for_a_card_of_the_hand() -> None:
    state = push(run_table("7c 7h 7s 4d 5d 6d 3d 2h 8d Kc", stock="Ks"), "draw stock")
    push(state, "lay down 3d 4d 5d 6d; lay down 7c 7h 7s")
    assert choice(state) == "lay off 2h on meld 1", "the eight follows the wild"


def test_a_wild_that_opens_nothing_goes_on_a_set() -> None:
    state = push(run_table("7c 7h 7s 4d 5d 6d 3d 2h Jh Kc", stock="Ks"), "draw stock")
    push(state, "lay down 3d 4d 5d 6d; lay down 7c 7h 7s")
    assert choice(state) == "lay off 2h on meld 2"


def test_a_replaced_wild_is_laid_off_at_once() -> None:
    rules = contract("contract-7", wild_replacement=True, contract="S3+R4", hand_sizes="10")
    for seed in range(30):
        state, player = State.deal(rules, seed), Replacer()
        while state.actor is not None:
            seen = state.observe(state.actor)
            if seen.freed is not None:  # type: ignore[attr-defined]
                assert choice(state).startswith("lay off")
                return
            state.push(player.act(seen))
    pytest.fail("no wild was replaced")


def test_it_beats_the_baseline() -> None:
    for preset in ("chinese-7", "contract-7"):
        played = match("contract", "contract-counter", "contract-greedy", games=300, seed=42, rules=preset, workers=1)
        assert played.win_rate.low > 0.5
        assert not played.tallies["illegal"].any()
