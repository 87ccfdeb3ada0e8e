"""The last section of the rules page of Indian Rummy: the formats of online tables, paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from helpers import legal, push, table, verbs
from indian_tables import JUNK, deal
from properties.indian_match import MatchLedger
from rummylab.agents.registry import agent
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import IllegalActionError, OptionError, UnknownNameError
from rummylab.games.indian.formats import Format
from rummylab.games.indian.options import IndianOptions
from rummylab.games.indian.rules import SHARES
from rummylab.games.indian.view import IndianObservation, indian
from two_deck_tables import hand_of


def dealt(form: str, lost: Sequence[int], *, starter: int = 0, **more: Any) -> State:
    """A deal of a match in which every seat has lost so many points; *chips* and *place* may be given too."""
    rules = indian("platform", format=form, seats=len(lost))
    row = rules.new_rows(1)
    standing = (
        rules.standing(row) | {"lost": list(lost)} | {key: more[key] for key in ("chips", "place") if key in more}
    )
    rules.set_standing(row, standing)
    row["table"]["hand_no"] = more.get("played", 0)
    return State(rules, row, rules.shuffled(3), starter, hand_no=more.get("played", 0))


def after(state: State, moves: str) -> State:
    """The next deal of the match after *moves*."""
    push(state, moves)
    return state.next_hand(state.rules.shuffled(3, 0, state.hand_no + 1))


def lost(state: State) -> list[int]:
    return state.standing["lost"]


def places(state: State) -> list[int]:
    return state.standing["place"]


# --- The table of formats ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "deals", "out_at", "drops", "full", "limit"),
    [
        ("points", 1, 0, (20, 40), 80, 0),
        ("pool-61", 0, 61, (15, 30), 60, 44),
        ("pool-101", 0, 101, (20, 40), 80, 79),
        ("pool-201", 0, 201, (25, 50), 80, 174),
        ("deals-2", 2, 0, (20, 40), 80, 0),
        ("deals-3", 3, 0, (20, 40), 80, 0),
        ("deals-6", 6, 0, (20, 40), 80, 0),
    ],
)
def test_the_settings_of_every_format(
    form: str, deals: int, out_at: int, drops: tuple[int, int], full: int, limit: int
) -> None:
    found = Format.parse(form)
    assert (found.deals, found.out_at, found.rejoin_limit) == (deals, out_at, limit)
    options = indian("platform", format=form).options
    assert (options.first_drop, options.later_drop) == drops
    assert (options.cap, options.wrong_declaration) == (full, full)
    assert (options.decks, options.printed_jokers) == (2, 2)
    assert IndianOptions.parse(str(options)) == options


def test_two_packs_of_53_for_all_and_one_for_two_on_request() -> None:
    for seats in range(2, 7):
        assert len(indian("platform", format="pool-101", seats=seats).shuffled(1)) == 106
        one_pack = indian("platform", format="pool-101(one_pack_for_two=true)", seats=seats)
        assert len(one_pack.shuffled(1)) == (53 if seats == 2 else 106)


def test_a_first_drop_at_101_leaves_four() -> None:
    state = dealt("pool-101", [0, 0])
    seen = state.observe(Seat(0))
    assert isinstance(seen, IndianObservation)
    assert seen.drops_left == (5, 5)
    seen = after(state, "drop").observe(Seat(0))
    assert isinstance(seen, IndianObservation)
    assert (seen.lost, seen.drops_left) == ((20, 0), (4, 5))


@pytest.mark.parametrize(("form", "first", "later"), [("pool-61", 15, 30), ("pool-101", 20, 40), ("pool-201", 25, 50)])
def test_what_drops_cost_in_a_pool(form: str, first: int, later: int) -> None:
    state = push(dealt(form, [0, 0]), "drop")
    assert lost(state) == [first, 0]
    state = dealt(form, [0, 0])
    for _ in range(2):
        push(state, "draw stock")
        push(state, f"discard {state.log[-1].secret[0]}")
    assert lost(push(state, "drop")) == [later, 0]


def test_deals_two_players_may_be_kept_from_dropping() -> None:
    assert "drop" in verbs(dealt("deals-2", [0, 0]))
    state = dealt("deals-2(drop_at_two=false)", [0, 0])
    assert "drop" not in verbs(state)
    with pytest.raises(IllegalActionError, match="two players may not drop"):
        push(state, "drop")
    assert "drop" in verbs(dealt("deals-2(drop_at_two=false)", [0, 0, 0]))


def test_settings_that_make_no_format_are_refused_in_a_sentence() -> None:
    with pytest.raises(OptionError, match="either a number of deals or"):
        Format(deals=0)
    with pytest.raises(OptionError, match="either a number of deals or"):
        Format.parse("pool-101(deals=2)")
    with pytest.raises(OptionError, match="Only a pool has rejoin"):
        Format.parse("deals-2(rejoin=true)")
    with pytest.raises(OptionError, match="out again at 60: lower rejoin_limit"):
        Format.parse("pool-101(rejoin=true, out_at=60)")
    with pytest.raises(OptionError, match="put a player out"):
        indian("platform", format="pool-61", first_drop=61)
    with pytest.raises(OptionError, match="5 seats need 68 cards or more, but 53 are in play"):
        indian("platform(decks=1, printed_jokers=1)", format="pool-101", seats=5)
    with pytest.raises(UnknownNameError, match="no format named 'pool 101'; did you mean 'pool-101'"):
        indian("platform", format="pool 101")


def test_any_combination_of_options_can_be_asked_for() -> None:
    options = indian("platform(decks=2, printed_jokers=4)", format="deals-3", cap=60).options
    assert (options.decks, options.printed_jokers, options.cap, options.format) == (2, 4, 60, "deals-3")
    assert IndianOptions.parse(str(options)) == options
    options = indian("paper(decks=2, printed_jokers=0)", format="pool-101(split=true, rejoin=true)", seats=6).options
    assert options.n_cards == 104
    assert str(options) == ('paper(seats=6, format="pool-101(rejoin=true, split=true)", printed_jokers=0)')
    assert IndianOptions.parse(str(options)) == options


# --- Points -----------------------------------------------------------------------------------------------------------


def test_points_is_one_deal_and_the_winner_scores_the_losers_points() -> None:
    rules = indian("platform", format="points", seats=3)
    state = push(State.deal(rules, 3, starter=0), "drop; drop")
    assert state.match_is_over
    assert state.payoffs() == (-20, -20, 40)
    assert state.match_winners == (2,)
    assert state.rows()["table"]["place"][0, :3].tolist() == [2, 2, 1]


# --- Pools ------------------------------------------------------------------------------------------------------------


def test_pool_who_reaches_the_limit_is_out_and_gets_no_more_cards() -> None:
    state = after(dealt("pool-101", [81, 0, 0]), "drop; drop")
    assert lost(state) == [101, 20, 0]
    assert places(state) == [3, 0, 0]
    assert [len(hand_of(state, seat)) for seat in range(3)] == [0, 13, 13]
    assert [int(event.seat) for event in state.log if event.action.verb == "deal"] == [1, 2]
    assert table(state)["stock"] == 106 - 26 - 2
    assert not state.match_is_over


def test_pool_one_point_less_is_still_in() -> None:
    assert places(push(dealt("pool-101", [80, 0, 0]), "drop; drop")) == [0, 0, 0]


def test_pool_the_last_one_left_wins() -> None:
    state = push(dealt("pool-101", [99, 81]), "draw stock")
    push(state, f"discard {state.log[-1].secret[0]}")
    push(state, "drop")
    assert state.match_is_over
    assert (places(state), state.match_winners) == ([1, 2], (0,))
    with pytest.raises(IllegalActionError, match="the hand is over"):
        push(state, "drop")


def test_pool_of_two_who_go_out_at_once_the_one_with_fewer_points_is_ahead() -> None:
    assert places(push(dealt("pool-101", [85, 95, 0]), "drop; drop")) == [2, 3, 1]
    assert places(push(dealt("pool-101", [95, 85, 0, 10], starter=0), "drop; drop; drop")) == [4, 3, 0, 0]
    assert places(push(dealt("pool-101", [90, 90, 0]), "drop; drop")) == [2, 2, 1]


# --- Rejoin -----------------------------------------------------------------------------------------------------------


def test_rejoin_who_is_out_comes_back_at_the_highest_score_plus_one() -> None:
    state = push(dealt("pool-101(rejoin=true)", [85, 0, 59]), "drop; drop")
    assert (state.actor, legal(state)) == (0, {"rejoin", "leave"})
    state = after(state, "rejoin")
    assert lost(state) == [60, 20, 59]
    assert state.standing["rejoins"] == [1, 0, 0]
    assert len(hand_of(state, 0)) == 13


@pytest.mark.parametrize(("form", "most"), [("pool-61", 44), ("pool-101", 79), ("pool-201", 174)])
def test_rejoin_only_if_nobody_is_above_the_limit(form: str, most: int) -> None:
    out = Format.parse(form).out_at - 1
    assert push(dealt(f"{form}(rejoin=true)", [out, 0, most]), "drop; drop").actor == 0
    assert push(dealt(f"{form}(rejoin=true)", [out, 0, most + 1]), "drop; drop").actor is None
    assert push(dealt(form, [out, 0, 0]), "drop; drop").actor is None


def test_rejoin_who_leaves_is_ranked_and_the_match_goes_on() -> None:
    state = push(dealt("pool-101(rejoin=true)", [85, 0, 0]), "drop; drop; leave")
    assert places(state) == [3, 0, 0]
    assert state.actor is None
    assert not state.match_is_over


def test_rejoin_several_decide_in_the_order_of_play_and_the_limit_counts_who_came_back() -> None:
    state = push(dealt("pool-101(rejoin=true)", [90, 90, 79], starter=1), "drop; draw stock")
    push(state, f"discard {state.log[-1].secret[0]}")
    push(state, "drop")
    assert state.actor == 1
    push(state, "rejoin")
    assert state.actor is None
    assert (lost(state), places(state)) == ([110, 80, 79], [3, 0, 0])


def test_rejoin_hands_are_shown_before_the_decision_and_once() -> None:
    state = push(dealt("pool-101(rejoin=true)", [85, 0, 0]), "drop; drop")
    assert [event.action.verb for event in state.log[-4:]] == ["drop", "shows", "shows", "shows"]
    push(state, "rejoin")
    assert [event.action.verb for event in state.log[-2:]] == ["shows", "rejoin"]
    state.pop()
    assert (state.actor, state.log[-1].action.verb) == (0, "shows")


# --- Split ------------------------------------------------------------------------------------------------------------


def test_split_is_offered_when_each_is_within_one_first_drop_of_being_out() -> None:
    assert push(dealt("pool-101(split=true)", [61, 61, 81]), "drop; drop").actor == 0
    assert push(dealt("pool-101(split=true)", [60, 61, 81]), "drop; drop").actor is None
    assert push(dealt("pool-101(split=true)", [61, 61, 80]), "drop; drop").actor is None


def test_split_not_without_the_option_nor_at_a_table_of_two_nor_with_four_left() -> None:
    assert push(dealt("pool-101", [61, 61, 81]), "drop; drop").actor is None
    assert push(dealt("pool-101(split=true)", [61, 81]), "drop").actor is None
    assert push(dealt("pool-101(split=true)", [61, 61, 61, 81]), "drop; drop; drop").actor is None


def test_split_of_the_last_two_all_must_agree() -> None:
    state = push(dealt("pool-101(split=true)", [61, 0, 99], place=[0, 3, 0]), "drop")
    assert (state.actor, legal(state)) == (0, {"split", "play on"})
    refused = push(state.copy(), "split; play on")
    assert (refused.match_is_over, places(refused)) == (False, [0, 3, 0])
    agreed = push(state, "split; split")
    assert agreed.match_is_over
    assert (places(agreed), agreed.match_winners) == ([1, 3, 1], (0, 2))
    assert shares(agreed) == [Fraction(1, 2), 0, Fraction(1, 2)]


def test_split_in_proportion_to_the_drops_left() -> None:
    state = push(dealt("pool-101(split=true, split_within=4)", [20, 21, 60]), "drop; drop; split; split; split")
    seen = state.observe(Seat(0))
    assert isinstance(seen, IndianObservation)
    assert seen.drops_left == (3, 2, 2)
    assert shares(state) == [Fraction(3, 7), Fraction(2, 7), Fraction(2, 7)]


def shares(state: State) -> list[Fraction]:
    """Shares of the pot, which the kernel rounds down to parts of `SHARES`."""
    found = [state.rules.match_numbers(state.rows(), Seat(seat))["shares"] for seat in range(state.rules.seats)]
    return [Fraction(round(Fraction(share, SHARES) * 42), 42) for share in found]


# --- Deals ------------------------------------------------------------------------------------------------------------


def test_deals_start_with_80_chips_a_deal_and_the_most_chips_win() -> None:
    state = dealt("deals-3", [0, 0])
    assert state.standing["chips"] == [240, 240]
    state = after(state, "drop")
    assert state.standing["chips"] == [220, 260]
    state = push(after(state, "drop"), "drop")
    assert state.match_is_over
    assert state.standing["chips"] == [220, 260]
    assert (places(state), state.match_winners) == ([2, 1], (1,))


def test_deals_to_go_are_seen() -> None:
    state = dealt("deals-2", [0, 0])
    assert state.observe(Seat(0)).deals_left == 2  # type: ignore[attr-defined]
    assert after(state, "drop").observe(Seat(0)).deals_left == 1  # type: ignore[attr-defined]


def test_deals_a_tie_plays_one_more_deal_among_those_tied() -> None:
    state = dealt("deals-2", [0, 0, 0], chips=[140, 200, 140], played=1, starter=1)
    state = push(state, "drop; drop")
    assert state.standing["chips"] == [180, 180, 120]
    assert (places(state), state.match_is_over) == ([0, 0, 3], False)
    more = state.next_hand(state.rules.shuffled(3, 0, 2))
    assert [len(hand_of(more, seat)) for seat in range(3)] == [13, 13, 0]
    assert more.observe(Seat(0)).deals_left == 0  # type: ignore[attr-defined]
    push(more, "drop")
    assert more.match_is_over
    assert sorted(places(more)) == [1, 2, 3]


# --- A wrong declaration, drops, the dealer ---------------------------------------------------------------------------


def test_a_wrong_declaration_among_three_pays_the_full_count_and_the_others_play_on() -> None:
    hands = ["2c 3c 4c 6h 7h 8h 9s Ts Js Qs Kc Kh 2s", JUNK, "Ac 4d 7c 9c Jc 3c 8c Qc 2d 5s 7s 9d Kd"]
    state = deal(hands, up="Jd", preset="platform", format="pool-61")
    push(state, "draw upcard; declare Jd")
    assert (state.actor, table(state)["status"][:3].tolist()) == (1, [2, 0, 0])
    assert table(state)["paid"][0] == 60
    push(state, "drop")
    assert state.payoffs() == (-60, -15, 75)
    assert state.standing["lost"] == [60, 15, 0]


def test_with_two_a_wrong_declaration_ends_the_deal() -> None:
    state = deal([JUNK, "2c 3c 4c 6h 7h 8h 9s Ts Js Qs Kc Kh Ks"], up="Jd", preset="platform", format="pool-101")
    push(state, "draw upcard; declare Jd")
    assert (state.actor, state.result["outcome"], lost(state)) == (None, "wrong declaration", [80, 0])


def test_the_cards_of_who_has_dropped_are_out_of_play() -> None:
    state = dealt("pool-101", [0, 0, 0])
    gone = hand_of(state, 0)
    push(state, "drop")
    row = state.rows()[0]
    stock = [int(card) for card in row["deck"][row["pos"] : row["pos"] + table(state)["stock"]]]
    assert len(stock) == 106 - 39 - 2
    assert hand_of(state, 0) == gone
    assert state.actor == 1


def test_the_dealer_moves_on_by_one_among_those_still_in() -> None:
    # Seat 0 starts, so seat 3 dealt. Seat 1, next to start, goes out: seat 0 deals, and seat 2 starts.
    state = after(dealt("pool-101", [0, 81, 0, 0], starter=0), "drop; drop; drop")
    assert (places(state), state.starter) == ([0, 4, 0, 0], 2)
    # Seat 0 starts and goes out: the deal passes to seat 1, and seat 2 starts.
    assert after(dealt("pool-101", [81, 0, 0, 0], starter=0), "drop; drop; drop").starter == 2
    assert after(dealt("pool-101", [0, 0, 0, 0], starter=3), "drop; drop; drop").starter == 0


# --- The standing is public -------------------------------------------------------------------------------------------


def test_every_seat_sees_the_standing() -> None:
    state = dealt("pool-101", [40, 0, 85])
    for seat in range(3):
        seen = state.observe(Seat(seat))
        assert isinstance(seen, IndianObservation)
        assert (seen.lost, seen.drops_left, str(seen.format)) == ((40, 0, 85), (3, 5, 0), "pool-101")
    text = str(state.observe(Seat(1)))
    assert "lost 40 / 0 / 85" in text
    assert "format=pool-101" in text


# --- Whole matches ----------------------------------------------------------------------------------------------------

FORMATS = [*Format.PRESETS, "pool-101(rejoin=true, split=true)", "pool-61(rejoin=true, split=true, split_within=3)"]


def followed(states: Iterator[State], form: str, seats: int) -> MatchLedger:
    """Enter every deal of a match in a ledger of its own and compare the standings."""
    ledger: MatchLedger | None = None
    for state in states:
        if ledger is None:
            ledger = MatchLedger(Format.parse(form), seats, int(state.starter))
        elif not ledger.is_over:
            assert ledger.next_starter() == state.starter
        now = table(state)
        ledger.settle(int(now["winner"]), now["paid"][:seats].tolist())
        for event in state.log:
            if event.action.verb in ("rejoin", "leave", "split", "play on"):
                assert ledger.asked is not None
                assert ledger.asked[1] == event.seat
                ledger.answer(event.action.verb)
        assert ledger.asked is None
        for name in ("lost", "chips", "place", "rejoins"):
            assert now[name][:seats].tolist() == getattr(ledger, name), name
        assert state.match_is_over == ledger.is_over
        found = [state.rules.match_numbers(state.rows(), Seat(seat))["shares"] for seat in range(seats)]
        if ledger.is_over:
            assert np.allclose([share / SHARES for share in found], list(map(float, ledger.shares())), atol=1e-3)
    assert ledger is not None
    assert ledger.is_over
    return ledger


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_played_to_its_end_as_the_rules_page_says(form: str, seats: int) -> None:
    rules = indian("platform", format=form, seats=seats, round_limit=4)
    for seed in range(2):
        players = [agent("indian", name) for name in ("random-drop", "mindist", "random", "random-drop")]
        ledger = followed(play_match(rules, [players[k % 4] for k in range(seats)], seed), form, seats)
        assert sum(ledger.chips) == seats * rules.options.match_format.chips
        assert 1 in ledger.place
