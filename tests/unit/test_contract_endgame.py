"""The search at the end of the stock: its values are expectations, and with a long stock it changes nothing."""

from __future__ import annotations

from itertools import permutations, product
from math import perm
from typing import Any

import numpy as np
import pytest

from contract_tables import choice, deal
from rummylab._jit import kernel
from rummylab.agents.contract import contract_counter_search as e
from rummylab.agents.registry import agent
from rummylab.cards.card import JOKER_ID
from rummylab.engine.position import Parsed
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract.view import contract

RULES = contract(contract="S3+R7", hand_sizes="11", max_reshuffles=1)
"""A hard contract, so rounds last; with one new stock, whose order a world settles by its cards."""
GREEDY, COUNTER, SEARCH = (
    agent("contract", name) for name in ("contract-greedy", "contract-counter", "contract-counter-search")
)
ENDLESS = 1 << 40
"""More moves than are made in any number of worlds."""


@kernel
def _improved(views: e.r.Rows, code: int, worlds: int, patience: int, doubt: float) -> int:
    return e.improve(views[0].table, views[0].mine, code, np.int64(e.SHORT), worlds, patience, doubt)


@kernel
def _scores(views: e.r.Rows, codes: e.Ints, worlds: int, patience: int, out: e.Scores, errors: e.Scores) -> None:
    e.score_moves(views[0].table, views[0].mine, codes, len(codes), worlds, patience, out, errors)


def scores_of(state: State, codes: list[int], worlds: int, patience: int = ENDLESS) -> tuple[Any, Any]:
    """What the kernel says of the moves, and the errors of the differences from the first."""
    scores, errors = np.zeros((2, len(codes)))
    _scores(state.observe().view.copy(), np.array(codes), worlds, patience, scores, errors)
    return scores, errors


def improved(state: State, code: int, patience: int, doubt: float = e.DOUBT) -> int:
    """The best move instead of *code*, by worlds in which *patience* moves are made."""
    return int(_improved(state.observe().view.copy(), code, e.WORLDS, patience, doubt))


def short_stock(seed: int, phase: str) -> State:
    """A round of `contract-greedy` with one card left in the stock, in the *phase*."""
    for number in range(1000 * seed, 1000 * seed + 400):
        state = State.deal(RULES, number)
        while state.actor is not None:
            seen: Any = state.observe()
            if seen.table["stock"] == 1 and seen.phase == phase and len(discards(state)) != 1:
                return state
            state.push(GREEDY.act(seen))
    pytest.fail("no stock was short")


def discards(state: State) -> list[int]:
    return [code for code in state.legal_actions.codes if e.r.DISCARD_CODE <= code < e.r.LAY_OFF_CODE]


def twin_scores(state: State, codes: list[int]) -> list[float]:
    """What each of the moves wins on average over all places of the hidden cards."""
    row, seat = state.rows(), int(state.actor or 0)
    table, other, pos = row["table"][0], 1 - seat, int(row["pos"][0])
    theirs = row["mine"][0][other]
    known, held = int(table["known"][other]), int(theirs["hand"])
    hidden = [card for card in range(64) if (held & ~known) >> card & 1]
    hidden += [JOKER_ID] * int(theirs["jokers"] - table["known_jokers"][other])
    hidden += [int(card) for card in row["deck"][0][pos : pos + table["stock"]]]
    row["pos"] = 0
    row["deck"] = 0
    totals = [0.0] * len(codes)
    for places in permutations(range(len(hidden)), int(table["stock"])):
        row["deck"][0][: len(places)] = [hidden[k] for k in places]
        rest = [card for k, card in enumerate(hidden) if k not in places]
        row["mine"]["hand"][0][other] = known | sum(1 << card for card in rest if card != JOKER_ID)
        row["mine"]["jokers"][0][other] = table["known_jokers"][other] + rest.count(JOKER_ID)
        for k, code in enumerate(codes):
            totals[k] += payoff(State.at(Parsed(RULES, None, row.copy())), code, seat)
    return [total / perm(len(hidden), int(table["stock"])) for total in totals]


def payoff(world: State, code: int, seat: int) -> float:
    """What *seat* wins if it makes a move and both go on like `contract-greedy`."""
    world.push(RULES.decode(code))
    while world.actor is not None:
        world.push(GREEDY.act(world.observe()))
    end = world.rows()["table"][0]
    if end["winner"] < 0:
        return 0.0
    return int(end["paid"][1 - seat]) - int(end["paid"][seat]) + (e.BONUS if end["winner"] == seat else -e.BONUS)


def exact_scores(state: State, codes: list[int], times: int = 1) -> Any:
    """What the kernel says if every assignment of the unseen cards is played some *times*."""
    return scores_of(state, codes, times * n_unseen(state))[0]


def n_unseen(state: State) -> int:
    """How many cards the actor has not seen: as many assignments as there are if the stock has one card."""
    table = state.rows()["table"][0]
    other = 1 - int(state.actor or 0)
    known = int(table["known"][other]).bit_count() + int(table["known_jokers"][other])
    return int(table["stock"]) + int(table["n_hand"][other]) - known


def test_a_move_is_worth_what_it_wins_in_all_worlds_on_average() -> None:
    differ = 0
    for seed, phase, size in (1, "draw", 2), (2, "draw", 2), (3, "draw", 2), (1, "play", 4), (3, "play", 4):
        state = short_stock(seed, phase)
        codes = state.legal_actions.codes[:size]
        scores = exact_scores(state, codes)
        assert scores == pytest.approx(twin_scores(state, codes))
        differ += scores.min() < scores.max()
    assert differ > 2, "the choice mattered"


def test_the_move_that_wins_most_is_made() -> None:
    differ = 0
    for seed in range(6):
        state = short_stock(seed, "play")
        code, codes = RULES.encode(COUNTER.act(state.observe())), discards(state)
        if code in codes:
            made = improved(state, code, ENDLESS, doubt=0.0)
            scores = exact_scores(state, codes, e.WORLDS // n_unseen(state))
            wilds = int(state.rows()["table"][0]["rules"]["wild_kinds"])
            naturals = [k for k, code in enumerate(codes) if not wilds >> code - e.r.DISCARD_CODE & 1]
            assert scores[codes.index(made)] == scores[naturals].max()
            differ += scores.min() < scores.max()
    assert differ > 1


def test_a_move_of_the_counter_gives_way_only_to_one_that_clearly_wins_more() -> None:
    stays = goes = 0
    for seed, doubt in product((3, 4, 5), (1.0, 30.0)):
        state = short_stock(seed, "play")
        code = RULES.encode(COUNTER.act(state.observe()))
        if code in discards(state):
            best, made = (improved(state, code, ENDLESS, doubt) for doubt in (0.0, doubt))
            worlds = e.WORLDS // n_unseen(state) * n_unseen(state)
            (before, after), (_, error) = scores_of(state, [code, best if made == code else made], worlds)
            assert (after - before > doubt * error) == (made != code)
            goes += made != code
            stays += made == code != best
    assert stays, "a gain was in doubt"
    assert goes, "a gain was clear"


def test_worlds_are_drawn_at_random_if_there_are_too_many() -> None:
    differ = 0
    for seed in range(4):
        state = short_stock(seed, "play")
        codes = state.legal_actions.codes[:2]
        exact, sampled, total = exact_scores(state, codes, 100), np.zeros(2), np.zeros(2)
        view = state.observe().view.copy()
        for _ in range(400):
            _scores(view, np.array(codes), n_unseen(state) - 1, ENDLESS, sampled, np.zeros(2))
            total += sampled
            differ += (sampled != exact).any()
        assert total / 400 == pytest.approx(exact, abs=3)
    assert differ > 100


def test_after_a_number_of_moves_no_further_world_is_played() -> None:
    differ = 0
    for seed in range(4):
        state = short_stock(seed, "play")
        codes = state.legal_actions.codes[:3]
        in_one_world, all_worlds = scores_of(state, codes, n_unseen(state), 1)[0], exact_scores(state, codes)
        assert (in_one_world == in_one_world.round()).all(), "points of one world, not a mean"
        differ += (all_worlds != in_one_world).any()
    assert differ > 1


def test_the_agent_looks_for_a_better_move_than_that_of_the_counter() -> None:
    differ = 0
    for seed in range(8):
        state = short_stock(seed, ("draw", "play")[seed % 2])
        code, made = (RULES.encode(player.act(state.observe())) for player in (COUNTER, SEARCH))
        assert made == improved(state, code, e.PATIENCE)
        differ += made != code
    assert differ > 0


def test_with_more_than_two_players_it_plays_like_the_counter() -> None:
    rules = contract("chinese-7", seats=3)
    state, n_short = State.deal(rules, 4), 0
    while state.actor is not None:
        seen: Any = state.observe()
        n_short += seen.table["stock"] <= e.SHORT
        assert SEARCH.act(seen) == COUNTER.act(seen)
        draw = [action for action in seen.legal if str(action) == "draw stock"]
        state.push(draw[0] if draw else seen.legal[0])  # nobody lays down, so that the stock gets short
    assert n_short > 10


def test_with_a_long_stock_it_plays_like_the_counter() -> None:
    state = deal()
    while state.actor is not None and state.observe(Seat(0)).table["stock"] > 20:
        made = SEARCH.act(state.observe())
        assert str(made) == choice(state, "contract-counter")
        state.push(made)
    assert state.n_moves > 10
