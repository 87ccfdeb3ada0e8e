"""Every registered agent plays whole matches legally, at the table and in the batch kernel.

Its games against itself and the next agent are those of `tests/golden`, where they are checked in the same way.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from golden.signature import meetings
from helpers import PRESETS, assert_hands_follow_each_other, assert_tallies_are_of_legal_matches, fewer
from rummylab.agents.register import register_agent
from rummylab.agents.registry import agent, entries
from rummylab.arena.match import match
from rummylab.cards import melds
from rummylab.cards.bits import nth_card
from rummylab.cards.rng import below, root_of
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.referee import play_match
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import AgentError, IllegalActionError, UnknownNameError
from rummylab.games.gin.rules import DISCARD, DISCARD_CODE, KNOCK_CODE, MAX_LEGAL, discards, legal_codes
from rummylab.games.registry import GAMES

SEED = 31


MEETINGS = [
    pytest.param(game, preset, first, second, id=f"{game}-{preset}-{first}-{second}")
    for game, spec in GAMES.items()
    for preset in spec.presets[:1]
    for first, second in ((entry.name, entries(game)[0].name) for entry in entries(game))
    if (first, second) not in meetings(game, preset)
]
"""Every agent meets the first, unless `tests/golden` has that meeting; all pairs take minutes and tell no more."""


def batch(rules: Rules, first: CompiledAgent, second: CompiledAgent, pairs: int, seed: int = SEED) -> Any:
    """The tallies of *pairs* pairs of matches, straight from the kernel."""
    kernels = GAMES[rules.name].batch
    seats = rules.seats
    tallies = np.zeros(2 * pairs, kernels.tally_for(seats))
    acts, params = (
        [(one, two)[seat % 2] for seat in range(seats)]
        for one, two in ((first.kernel, second.kernel), (first.params, second.params))
    )
    swapped = [range(seats), range(seats)[::-1]]
    kernels.play_seatings(rules.new_rows(1), root_of(seed), 0, swapped, acts, params, tallies)
    return tallies


def short(game: str, preset: str) -> Rules:
    """The preset with a nearer end: random players need many hands to a hundred."""
    rules = GAMES[game].rules(preset)
    if hasattr(rules.options, "hands"):
        return GAMES[game].rules(preset, hands=4)
    return GAMES[game].rules(preset, target=30) if getattr(rules.options, "target", 0) else rules


@pytest.mark.parametrize(("game", "preset", "first", "second"), MEETINGS)
def test_whole_matches_are_legal_at_the_table(game: str, preset: str, first: str, second: str) -> None:
    rules = short(game, preset)
    players = [agent(game, (first, second)[seat % 2]) for seat in range(rules.seats)]
    states = list(play_match(rules, players, SEED))
    assert states[-1].match_is_over
    assert_hands_follow_each_other(states)


@pytest.mark.parametrize(("game", "preset", "first", "second"), MEETINGS)
def test_whole_matches_are_legal_in_the_batch_kernel(game: str, preset: str, first: str, second: str) -> None:
    rules = short(game, preset)
    tallies = batch(rules, agent(game, first), agent(game, second), fewer(20, first, second))
    assert_tallies_are_of_legal_matches(rules, tallies)


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_another_seed_gives_another_match(game: str, preset: str) -> None:
    """That the same seed gives the same match, in every process and for every agent, is what `tests/golden` pins."""
    rules, player = short(game, preset), agent(game, entries(game)[0].name)
    one, two = (batch(rules, player, player, 20, seed) for seed in (SEED, SEED + 1))
    assert one.tobytes() != two.tobytes()


# --- The table and the batch are one game -----------------------------------------------------------------------------


@cache
def _steady() -> CompiledAgent:
    @register_agent(game="gin")
    def steady(table, mine, params):
        """No chance: the lowest best discard, knocks at once, otherwise the last legal move that shows something."""
        if table.phase == DISCARD:
            cards, left = melds.best_discards(mine.hand, discards(table, mine))
            return (KNOCK_CODE if left <= table.limit else DISCARD_CODE) + nth_card(cards, 0)
        codes = np.empty(MAX_LEGAL, np.int16)
        n = legal_codes(table, mine, codes)
        return np.int64(codes[n - 1]) if codes[n - 1] >= KNOCK_CODE else np.int64(codes[0])

    return steady


@pytest.mark.parametrize("preset", GAMES["gin"].presets)
def test_the_batch_kernel_and_the_table_play_the_same_matches(preset: str) -> None:
    rules = GAMES["gin"].rules(preset)
    first, second = _steady(), _steady()
    tallies = batch(rules, first, second, 4)
    for i, tally in enumerate(tallies):
        states = list(play_match(rules, [first, second], SEED, pair=i // 2))
        swap = i & 1
        scores = states[-1].scores
        assert tally["scores"].tolist() == [scores[swap], scores[1 - swap]]
        assert tally["hands"] == len(states)
        assert tally["decisions"] == sum(state.n_moves for state in states)
        assert tally["turns"] == sum(int(state.rows()["table"]["turn"][0]) for state in states)
        totals = rules.totals(states[-1].rows())
        assert tally["totals"].tolist() == [totals[swap], totals[1 - swap]]
        assert tally["starter"] == states[0].starter ^ swap


def test_an_illegal_move_of_a_compiled_agent_is_an_error_that_names_it() -> None:
    @register_agent(game="gin")
    def cheat(table, mine, params):
        return np.int64(3) if table.turn > 4 else np.int64(below(mine, 1)) if table.phase == 1 else _legal(table, mine)

    with pytest.raises(AgentError, match="cheat"):
        match("gin", cheat, "simple", games=2, workers=1)
    with pytest.raises(IllegalActionError):
        list(play_match(GAMES["gin"].rules(), [cheat, agent("gin", "simple")], 1))


def _make_legal() -> Any:
    import numba

    @numba.njit
    def legal(table, mine):
        codes = np.empty(MAX_LEGAL, np.int16)
        legal_codes(table, mine, codes)
        return np.int64(codes[0])

    return legal


_legal = _make_legal()


# --- Strength of the baselines ----------------------------------------------------------------------------------------


def test_simple_against_simple_needs_about_ten_hands_a_game_and_moving_first_does_not_decide() -> None:
    result = match("gin", "simple", "simple", games=8000, seed=8, workers=1)
    assert 9.8 < result.hands / result.games < 10.4  # the Java referee: 10.1
    assert abs(result.moving_first().value - 0.5) < 0.05


def test_simple_beats_random_in_at_least_995_of_1000_games() -> None:
    result = match("gin", "simple", "random", games=4000, seed=9, workers=1)
    assert result.win_rate.value >= 0.995
    assert match("gin", "random", "simple", games=1000, seed=9, workers=1).win_rate.value <= 0.005


def test_both_games_of_a_pair_are_dealt_the_same_cards_with_the_seats_swapped() -> None:
    rules = GAMES["gin"].rules()
    tallies = batch(rules, _steady(), _steady(), 50)
    # Two equal players without chance: what one scores in the first game the other scores in the second.
    assert (tallies["scores"][0::2] == tallies["scores"][1::2, ::-1]).all()
    assert (tallies["hands"][0::2] == tallies["hands"][1::2]).all()


# --- What simple does -------------------------------------------------------------------------------------------------


def simple_decisions(seed: int, n: int):
    """Positions with what Simple saw and did."""
    players = [agent("gin", "simple"), agent("gin", "simple")]
    for k in range(n):
        state = State.deal(GAMES["gin"].rules(), seed + k)
        for i, player in enumerate(players):
            player.sit(state.rules, Seat(i), np.random.default_rng([seed, k, i]))
        while (seat := state.actor) is not None:
            seen = state.observe(seat)
            action = players[seat].act(seen)
            yield k, seen, action
            state.push(action)


def test_simple_does_what_the_official_player_does() -> None:
    from properties import reference

    done = {"took": 0, "left": 0, "threw": 0, "knocked": 0, "spread": 0, "kept to the guard": 0}
    swaps: dict[tuple[int, int], set[frozenset[int]]] = {}
    for hand_no, seen, action in simple_decisions(400, 150):
        hand = frozenset(card.index52 for card in seen.hand)
        if seen.phase in ("offer", "draw") and len(seen.legal) == 2:
            up = seen.upcard.index52
            melds_it = any(up in meld for meld in reference.all_melds(hand | {up}))
            assert (action.verb == "draw upcard") == melds_it
            done["took" if melds_it else "left"] += 1
        elif seen.phase == "discard":
            key = (hand_no, int(seen.seat))
            drawn = int(seen.view["mine"]["drawn"][0])
            made = swaps.setdefault(key, set())
            allowed = {a.card.index52 for a in seen.legal if a.verb == "discard"}
            free = {c for c in allowed if frozenset((c, 13 * (drawn // 16) + drawn % 16)) not in made}
            best, left = reference.best_discards(hand, free or allowed)
            assert action.card.index52 in best, (hand_no, seen.hand)
            assert (action.verb == "knock") == (left <= 10)
            made.add(frozenset((action.card.index52, 13 * (drawn // 16) + drawn % 16)))
            done["knocked" if action.verb == "knock" else "threw"] += 1
            done["kept to the guard"] += free != allowed
        elif seen.phase == "spread" and action.verb == "meld":
            done["spread"] += 1
            meld = frozenset(card.index52 for card in action.cards)
            laid = [m for m in seen.view["table"]["spread"][0, seen.seat] if m]
            if not laid:
                assert any(meld in melds for melds in reference.minimal_arrangements(hand))
    assert all(done.values()), done


def test_simple_lays_down_each_minimal_arrangement_now_and_then() -> None:
    from helpers import make_deck, push

    # Seven in a row: one run, three and four, or four and three.
    deck = make_deck("Ac 2c 3c 4c 5c 6c 7c Ah 3s 5d", "2h 6h Qh 4s 9s Js 9d Kh 9c Qs", "Kd", "Kc")
    seen = push(State.deal(GAMES["gin"].rules(), 0, starter=0, deck=deck), "pass; pass; draw stock; knock Kc").observe(
        Seat(0)
    )
    player, first = agent("gin", "simple"), set()
    for seed in range(60):
        player.sit(seen.rules, seen.seat, np.random.default_rng(seed))
        first.add(str(player.act(seen)))
    runs = {"meld Ac 2c 3c 4c 5c 6c 7c", "meld Ac 2c 3c", "meld Ac 2c 3c 4c", "meld 4c 5c 6c 7c", "meld 5c 6c 7c"}
    assert first <= runs
    assert len(first) > 1


# --- The registry -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"{entry.game}-{entry.name}")
def test_an_agent_has_a_file_that_opens_with_its_source(entry: Any) -> None:
    import importlib

    module = importlib.import_module(entry.home)
    assert "Source:" in (module.__doc__ or "")
    assert "Departures:" in (module.__doc__ or "")
    assert entry.summary
    assert entry.source
    assert entry.load().name == entry.name


def test_an_unknown_agent_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'simple'"):
        agent("gin", "simpel")
    with pytest.raises(UnknownNameError, match="did you mean 'gin'"):
        agent("gim", "simple")
