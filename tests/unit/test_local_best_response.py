"""The local best response: it replays the hand as it was, and imagines hands that explain what the policy did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import response_kernels as kernels
from rummylab import State, gin, match, move
from rummylab.agents.gin import champion_search
from rummylab.agents.gin.local_best_response import MOST_TURNS, ResponseOptions, response_to
from rummylab.cards.bits import to_ids
from rummylab.engine.observation import Observation
from rummylab.games.gin.rules import DISCARD_CODE, FROM_STOCK, RECORD, TABLE

PUBLIC = [name for name in TABLE.names or () if name != "swapped"]


def turns_of_seat_0(seed: int) -> Iterator[tuple[Observation, Any, list[Any]]]:
    """Yield each discard of seat 0: the observation, its view with notes, and the tables before draws, latest last.

    Both play `champion`.
    """
    state = State.deal(gin(), seed=seed)
    notes, tables = np.zeros(32, np.int64), []
    while state.actor is not None:
        seen = state.observe(state.actor)
        view = seen.view.copy()
        if seen.phase in ("offer", "draw"):
            tables.append(view[0]["table"].copy())
        if state.actor == 0:
            view[0]["mine"]["memory"] = notes
            if seen.phase in ("offer", "draw"):
                kernels.note(view)
                notes = view[0]["mine"]["memory"].copy()
            elif seen.phase == "discard":
                yield seen, view, tables
        state.push(move(seen, "champion", seed=seed))


def test_the_opponents_last_turns_are_replayed_as_they_were() -> None:
    compared = 0
    for seed in range(4):
        for seen, view, tables in turns_of_seat_0(seed):
            rows = np.zeros(MOST_TURNS + 1, RECORD)
            n = kernels.replayed(view, MOST_TURNS, rows)
            turn = int(seen.table["turn"])
            assert n == min(MOST_TURNS, (turn + 1) // 2)
            for k in range(n):
                then = next(table for table in reversed(tables) if table["turn"] == turn - 1 - 2 * k)
                differing = [name for name in PUBLIC if (then[name] != rows[k]["table"][name]).any()]
                assert differing == []
                compared += 1
    assert compared > 20


def test_worlds_hold_hands_with_which_the_policy_would_have_discarded_as_it_did() -> None:
    options = ResponseOptions(turns=1, doubt=0.0, hands=400, worlds=4)
    params = np.concatenate([options.params, champion_search.act.params, kernels.policy.params]).astype(np.float32)
    explained = []
    for seed in range(5):
        for seen, view, _ in turns_of_seat_0(seed):
            if int(seen.table["last_draw"][1]) != FROM_STOCK or int(seen.table["turn"]) < 2:
                continue
            worlds, rows = np.zeros(4, np.int64), np.zeros(2, RECORD)
            kernels.worlds_of(view.copy(), params, worlds)
            kernels.replayed(view, 1, rows)
            thrown, known = int(seen.table["last_discard"][1]), int(rows[0]["table"]["known"][1])
            for hand in worlds.tolist():
                drawn = next(card for card in to_ids(hand) if not known >> card & 1)
                code = kernels.code_after_stock(rows[:1].copy(), 1, hand | 1 << thrown, drawn, kernels.policy.params)
                explained.append(code == DISCARD_CODE + thrown)
    assert len(explained) > 30
    assert np.mean(explained) > 0.9  # if no proposed hand explains the turn, any will do


def test_it_plays_legally_and_beats_simple() -> None:
    probe = response_to(kernels.policy, ResponseOptions(hands=20, worlds=8))
    result = match("gin", probe, "simple", games=20, seed=2)
    assert set(result.forfeits().values()) == {0}
    assert result.win_rate.value > 0.5
