"""Values of moves, their reasons, and the review of a hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis_tables import CASES, finished, rules_of, table
from rummylab import Observation, Record, State, gin, indian
from rummylab.agents.gin.champion_explain import values
from rummylab.analysis.answers import Estimate
from rummylab.analysis.calibration import _errors
from rummylab.analysis.gin import CHAMPION_BEHIND_SE, CHAMPION_SE, estimates
from rummylab.analysis.puzzles import answer, puzzles
from rummylab.analysis.review import cross_fitted, review, review_match, state_before, verdict_of, what_if
from rummylab.analysis.tables import TableValues
from rummylab.analysis.trials import PROBE, payoffs_of, playouts_by
from rummylab.analysis.values import Analysis, Budget, Reason, analyze
from rummylab.cards.hand import Hand
from rummylab.engine.action import as_action
from rummylab.engine.rows import copy_of
from rummylab.errors import IllegalActionError, OptionError, RecordError
from rummylab.games.indian.mindist import min_dist

FEW = Budget(worlds=12, seconds=None)
MANY = Budget(worlds=600, seconds=None)


def of(found: Analysis, move: str, kind: str) -> Reason:
    """Return the reason of a kind for a move."""
    value = next(one for one in found.moves if str(one.action) == move)
    return next(reason for reason in value.reasons if reason.kind == kind)


def fact(found: Analysis, kind: str) -> Reason:
    return next(reason for reason in found.facts if reason.kind == kind)


# --- Values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_moves_are_ranked_with_errors_and_reasons(case: str) -> None:
    for moves in (6, 7):
        found = analyze(table(case, moves).observe(), budget=FEW)
        points = [move.points for move in found.moves]
        assert points == sorted(points, reverse=True)
        assert found.best.behind == 0
        assert all(move.behind <= 0 and move.worlds == 12 for move in found.moves)
        playing = [move for move in found.moves if move.action.verb != "drop"]
        assert all(move.reasons[-1].kind == "win_chance" for move in playing)
        assert all(move.reasons[-1].number == move.win_chance for move in playing)
        assert len({move.action for move in found.moves}) == len(found.moves) >= 2
        plain = json.loads(json.dumps(found.to_dict()))
        assert plain["moves"][0]["action"] == str(found.best.action)
        for row in found.belief.held:
            assert len(row) == len(found.belief.cards) == 53


@pytest.mark.parametrize("case", CASES)
def test_the_belief_map_has_as_many_cards_as_the_hands_and_the_stock(case: str) -> None:
    seen = table(case, 7).observe()
    found = analyze(seen, budget=FEW).belief
    assert sum(found.stock) == pytest.approx(seen.stock)
    for seat, row, known in zip(found.seats, found.held, found.known, strict=True):
        assert sum(row) == pytest.approx(len(table(case, 7).observe(seat).hand))
        assert all(row[found.cards.index(card)] >= 1 for card in known)


def test_the_same_seed_gives_the_same_analysis_and_another_seed_does_not() -> None:
    seen = table("indian", 7).observe()
    one, two = (analyze(seen, budget=FEW).to_dict() | {"seconds": 0} for _ in range(2))
    assert one == two
    other = analyze(seen, budget=replace(FEW, seed=1)).to_dict() | {"seconds": 0}
    assert other != one


def test_gin_is_worth_more_than_any_discard() -> None:
    text = (
        "gin eaai; seat 0; phase discard; actor 0; upcard 9c; pile 9c; stock 30; hand 2c 3c 4c 5h 6h 7h 8d 8h 8s Ks 8c"
    )
    seen = Observation.parse(text + "; drawn Ks; starter 0; turn 0; last_draw stock / -")
    found = analyze(seen, budget=MANY)
    assert str(found.best.action) == "knock Ks"
    assert found.best.reasons[0].text == "shows gin: nobody can undercut it"
    assert found.moves[1].behind + 3 * found.moves[1].behind_se < 0


@pytest.mark.parametrize("moves", [0, 6, 7])  # an offer, a draw, a discard
def test_moves_of_gin_have_the_champions_values_whatever_the_worlds(moves: int) -> None:
    seen = table("gin", moves).observe()
    champion = values(seen)
    for seed in (0, 1):
        found = analyze(seen, budget=replace(FEW, seed=seed))
        assert found.method == "values of champion, reasons by play-outs of simple"
        told = [(one.action, one.points, one.win_chance, one.match_chance) for one in found.moves]
        assert told == [(one.action, one.points, one.win_chance, one.match_chance) for one in champion[:12]]
        assert all(move.se == CHAMPION_SE for move in found.moves)
        assert found.best.behind_se == 0
        assert all(move.behind_se == CHAMPION_BEHIND_SE for move in found.moves[1:])


def test_playouts_value_gin_for_an_agent_by_name_other_rules_and_the_showdown() -> None:
    seen = table("gin", 7).observe()
    by_simple = analyze(seen, agent="simple", budget=FEW)
    assert by_simple.method == "play-outs of simple"
    assert by_simple.best.match_chance is None
    assert {move.points for move in by_simple.moves} != {move.points for move in analyze(seen, budget=FEW).moves}
    assert analyze(table("gin-classic", 7).observe(), budget=FEW).method == "play-outs of simple"
    short = State.deal(gin(target=50), 3).observe()
    assert analyze(short, budget=FEW).best.match_chance is not None
    state = finished("gin").copy()
    state.pop()
    assert state.observe().phase == "defend"
    assert estimates(state.observe()) is None


def test_the_chance_to_win_the_match_follows_the_score() -> None:
    chances = []
    for scores in ("0 / 80", "80 / 0"):
        text = GIN.format(hand=HAND, pile="9c", stock=30) + f"; last_draw stock / -; scores {scores}"
        chances.append(analyze(Observation.parse(text), budget=FEW).best.match_chance)
    assert chances[0] < 0.5 < chances[1]


def test_the_error_of_an_estimate_leaves_out_the_sampling_of_its_playouts() -> None:
    results = np.random.default_rng(0).normal([3.0, 5.0], 4.0, size=(400, 2))
    errors = _errors(np.array([3.0, 8.0]), results)
    assert abs(errors[0]) < 0.3
    assert errors[1] == pytest.approx(9.0, abs=2.5)


def test_who_is_not_to_act_gets_no_analysis() -> None:
    state = table("gin", 6)
    assert state.actor is not None
    with pytest.raises(IllegalActionError, match="not to act"):
        analyze(state.observe(1 - state.actor))


def test_a_budget_is_checked() -> None:
    for wrong in ({"worlds": 1}, {"seconds": 0.0}, {"moves": 1}):
        with pytest.raises(OptionError):
            Budget(**wrong)  # type: ignore[arg-type]


def test_time_that_is_over_stops_the_worlds() -> None:
    seen = table("gin_pass", 7).observe()
    assert analyze(seen, budget=Budget(worlds=100_000, seconds=0.01)).worlds < 1000


def test_poor_moves_are_dropped_after_a_first_look() -> None:
    seen = table("indian", 7).observe()
    found = analyze(seen, budget=replace(FEW, moves=3))
    assert len(found.moves) == 3
    assert len(seen.legal) > 3


@pytest.mark.parametrize("case", CASES)
def test_payoffs_of_many_rows_are_those_of_the_rules(case: str) -> None:
    rules = rules_of(case)
    rows = np.concatenate([finished(case, seed).rows() for seed in (3, 4, 5)])
    expected = [rules.payoffs(copy_of(rows[k : k + 1])) for k in range(3)]
    assert payoffs_of(rules, rows).tolist() == [list(row) for row in expected]
    assert not payoffs_of(rules, table(case, 6).rows()).any()


# --- Reasons ------------------------------------------------------------------------------------------------------

GIN = "gin eaai; seat 0; phase discard; actor 0; upcard 9c; pile {pile}; stock {stock}; hand {hand}; turn 0"
HAND = "2c 3c 4c 5h 6h 7h 8d 9d Ts Ks Qh"


def gin_position(hand: str = HAND, pile: str = "9c", stock: int = 30) -> Observation:
    return Observation.parse(GIN.format(hand=hand, pile=pile, stock=stock) + "; last_draw stock / -")


def test_deadwood_follows_the_hand() -> None:
    for hand, deadwood in ((HAND, 37), (HAND.replace("Ts", "As"), 28)):
        found = of(analyze(gin_position(hand), budget=FEW), "discard Ks", "deadwood")
        assert found.number == deadwood
        assert found.text == f"leaves {deadwood} deadwood"


def test_outs_fall_when_a_card_is_gone() -> None:
    before = of(analyze(gin_position(), budget=FEW), "discard Ks", "outs").number
    after = of(analyze(gin_position(pile="9c Td 7d", stock=28), budget=FEW), "discard Ks", "outs").number
    assert after == before - 2  # both ends of 8d 9d


def test_a_discard_that_fits_cards_the_opponent_took_is_dangerous() -> None:
    safe = gin_position(pile="9c")
    known = Observation.parse(
        GIN.format(hand=HAND, pile="9c", stock=30) + "; last_draw stock / -; known - / Kh Kd; took - / Kh@1 Kd@1"
    )
    before, after = (of(analyze(seen, budget=MANY), "discard Ks", "danger").number for seen in (safe, known))
    assert after == 1.0
    assert before < 0.3


def test_an_undercut_grows_with_the_deadwood_of_the_knock() -> None:
    chances = []
    for hand in ("2c 3c 4c 5h 6h 7h 8d 8h 8s Ah Ks", "2c 3c 4c 5h 6h 7h 8d 8h 8s Th Ks"):
        text = GIN.format(hand=hand, pile="9c", stock=30) + "; last_draw stock / -; known - / Jc Jd Jh Qc Qd Qh"
        seen = Observation.parse(text + "; took - / Jc@1 Jd@1 Jh@1 Qc@1 Qd@1 Qh@1")  # four cards are left to guess
        chances.append(of(analyze(seen, budget=MANY), "knock Ks", "undercut").number)
    assert chances[0] + 0.01 < chances[1]


def test_the_opponents_deadwood_is_a_range() -> None:
    found = fact(analyze(gin_position(), budget=MANY), "opponent_deadwood")
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < found.number < found.high <= 100
    assert found.text == f"The opponent's deadwood is probably {found.low:.0f} to {found.high:.0f}."


def test_indian_reasons_follow_the_hand() -> None:
    seen: Any = table("indian", 7).observe()
    found = analyze(seen, budget=FEW)
    for move in found.moves:
        if move.action.verb == "discard":
            assert of(found, str(move.action), "min_dist").number == seen.min_dist_after(move.action.card)
            cap = int(seen.table["rules"]["cap"])
            assert of(found, str(move.action), "min_score").number == min(cap, seen.min_score_after(move.action.card))
    distances = {of(found, str(move.action), "min_dist").number for move in found.moves}
    assert len(distances) > 1


def distance_of(seen: Any, hand: Hand) -> int:
    return int(min_dist(hand.mask, hand.twice, hand.jokers, seen.wild))


def outs_by_trying(seen: Any, hand: Hand) -> int:
    """Count the unseen cards that lower the MinDist of thirteen cards."""
    now = distance_of(seen, hand)
    return sum(distance_of(seen, hand + Hand.of([card])) < now for card in seen.unseen)


@pytest.mark.parametrize("case", ["indian", "indian-3"])
def test_draws_and_discards_in_indian_have_distance_live_outs_and_danger(case: str) -> None:
    seen: Any = next(state.observe() for state in (table(case, 6), table(case, 8)) if state.observe().upcard)
    found = analyze(seen, budget=FEW)
    with_it = seen.hand + Hand.of([seen.upcard])
    nearest = [with_it - Hand.of([card]) for card in with_it]
    least = min(distance_of(seen, left) for left in nearest)
    live = max(outs_by_trying(seen, left) for left in nearest if distance_of(seen, left) == least)
    assert of(found, "draw upcard", "min_dist").number == least
    assert of(found, "draw upcard", "outs").number == live
    assert of(found, "draw stock", "min_dist").number == distance_of(seen, seen.hand)
    assert of(found, "draw stock", "outs").number == outs_by_trying(seen, seen.hand)
    seen = table(case, 7).observe()
    found = analyze(seen, budget=FEW)
    discards = [move.action for move in found.moves if move.action.verb == "discard"]
    assert len(discards) > 2
    dangers = [of(found, str(action), "danger").number for action in discards]
    assert 0 <= min(dangers) < max(dangers) <= 1
    for action in discards:
        assert of(found, str(action), "outs").number == outs_by_trying(seen, seen.hand - Hand.of([action.card]))


def test_dropping_costs_more_after_a_draw() -> None:
    costs = [of(analyze(table("indian", moves).observe(), budget=FEW), "drop", "drop_cost").number for moves in (0, 6)]
    assert costs == [20, 40]


def test_contract_reasons_follow_the_hand() -> None:
    found = analyze(table("contract", 7).observe(), budget=FEW)
    left = {move.action: of(found, str(move.action), "points_left").number for move in found.moves}
    assert len(set(left.values())) > 1
    assert fact(found, "distance").number >= 1


def test_a_passed_card_has_a_score_and_helps_whoever_gets_it() -> None:
    found = analyze(table("gin_pass", 0).observe(), budget=Budget(worlds=200, seconds=None))
    for kind in ("card_score", "helps", "deadwood"):
        assert len({of(found, str(move.action), kind).number for move in found.moves}) > 2


def test_in_a_pool_only_lost_points_count() -> None:
    state = State.deal(indian("platform", format="pool-101"), 4)
    found = analyze(state.observe(), budget=Budget(worlds=60, seconds=None))
    assert all(move.points <= 0 for move in found.moves)
    assert of(found, "drop", "drop_cost").number == 20
    assert next(move for move in found.moves if move.action.verb == "drop").points == -20
    assert 0 < found.best.win_chance <= 1
    values, dropper = TableValues(state.rules, "minscore", worlds=3), int(state.observe().seat)
    state.push("drop")
    assert values.samples(state.rows())[0].tolist() == [-20.0 if seat == dropper else 0.0 for seat in (0, 1)]


# --- Review -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_luck_and_skill_add_up_to_the_result(case: str) -> None:
    state = finished(case)
    found = review(state, seat=1, budget=Budget(worlds=4, seconds=None, reasons=False))
    assert found.result == state.payoffs()[1]
    assert found.luck + found.own + found.opponents == pytest.approx(found.result, abs=1e-9)
    assert found.graph[0] == 0
    assert found.graph[-1] == found.result
    assert len(found.rows) == len(state.log)
    for row in found.rows:
        assert row.after - row.before == pytest.approx(row.luck + row.skill, abs=1e-9)
        assert row.decision is not None or row.skill == 0
    assert sum(row.luck for row in found.rows) == pytest.approx(found.luck, abs=1e-9)
    assert all(found.rows[k].seat == 1 for k in found.worst)
    losses = [row.decision.loss for k in found.worst if (row := found.rows[k]).decision is not None]
    assert losses == sorted(losses)
    assert sum(kind.decisions for kind in found.kinds) == len(found.decisions)


def test_a_long_hand_gets_fewer_worlds_for_each_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rummylab.analysis.review.LONG_HAND", 1)
    monkeypatch.setattr("rummylab.analysis.review.FEWEST_WORLDS", 4)
    state = finished("gin")
    found = review(state, budget=Budget(seconds=None, reasons=False))
    played = {move.worlds for row in found.decisions if row.decision for move in row.decision.moves}
    assert played == {max(4, 1000 // state.n_moves)}


def test_a_review_whose_time_is_over_plays_the_fewest_worlds_and_still_adds_up() -> None:
    found = review(finished("gin"), seconds=0.001, budget=Budget(seconds=None, reasons=False))
    assert {move.worlds for row in found.decisions if row.decision for move in row.decision.moves} == {PROBE}
    assert found.luck + found.own + found.opponents == pytest.approx(found.result)


def test_what_the_coach_would_do_is_never_called_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    state = table("gin", 0).copy()
    rng = np.random.default_rng(3)
    while state.actor is not None:
        state.push(state.legal_actions[int(rng.integers(len(state.legal_actions)))])
    few = Budget(worlds=40, seconds=None, reasons=False)
    blamed = [row for row in review(state, budget=few).decisions if row.decision and row.decision.verdict != "best"]
    assert any(row.decision.verdict in ("mistake", "blunder") for row in blamed if row.decision)
    assert all(sum(move.hinted for move in row.decision.moves) == 1 for row in blamed if row.decision)
    played = {row.decision.position: row.decision.played for row in blamed if row.decision}

    def as_played(seen: Observation) -> Any:
        found = estimates(seen)
        code = seen.rules.encode(as_action(played.get(seen.to_text(), str(seen.legal[0]))))
        return replace(found, moves=(Estimate(code, 0.0, 0.0, 0.0),)) if found is not None else None

    monkeypatch.setattr("rummylab.analysis.gin.estimates", as_played)
    again = [row.decision for row in review(state, budget=few).decisions if row.decision]
    assert {one.verdict for one in again if one.position in played} <= {"best", "fine"}


def test_the_value_after_each_row_has_a_standard_error_but_the_result_has_none() -> None:
    rows = review(finished("gin"), budget=FEW).rows
    assert rows[-1].after_se == 0
    assert any(row.after_se > 0 for row in rows)


def test_the_two_seats_of_a_hand_have_opposite_ledgers() -> None:
    budget = Budget(worlds=20, seconds=None, reasons=False)
    mine, theirs = (review(finished("gin"), seat=seat, budget=budget) for seat in (0, 1))
    assert mine.own == pytest.approx(-theirs.opponents)
    assert mine.luck == pytest.approx(-theirs.luck)


def test_a_blunder_is_found_and_becomes_a_puzzle() -> None:
    state = table("gin_pass", 0).copy()
    rng = np.random.default_rng(3)
    while state.actor is not None:  # seat 0 throws melds away, seat 1 plays at random too
        state.push(state.legal_actions[int(rng.integers(len(state.legal_actions)))])
    found = review(state, seat=0, budget=Budget(worlds=60, seconds=None))
    assert found.own < 0
    made = puzzles(found)
    assert made
    assert all(puzzle.high < 0 and puzzle.played != puzzle.best for puzzle in made)
    first = made[0]
    assert answer(first, first.best).right
    assert not answer(first, first.played).right
    with pytest.raises(IllegalActionError):
        answer(first, "done")


def test_the_better_move_in_a_what_if_gains_and_can_be_played_on() -> None:
    state = finished("gin")
    found = review(state, seat=0, budget=Budget(worlds=60, seconds=None))
    row = next(row for row in found.decisions if row.decision and row.decision.loss < 0)
    assert row.decision is not None
    other = what_if(state, row.event, row.decision.best, budget=Budget(worlds=60, seconds=None))
    assert other.gain > 0
    assert State.parse(other.position).actor is not None or other.instead.startswith("knock")
    with pytest.raises(IllegalActionError):
        what_if(state, row.event, "done")


def test_the_table_before_a_move_has_the_log_up_to_it() -> None:
    state = finished("gin")
    before = state_before(state, 6)
    assert before.log == state.log[:6]
    before.push(state.log[6].action)
    with pytest.raises(RecordError, match="not a move"):
        state_before(state, 1)


def test_a_record_is_reviewed_like_its_table() -> None:
    state = finished("gin_pass")
    record = Record.of(state, ["ann", "bob"])
    budget = Budget(worlds=4, seconds=None, reasons=False)
    found = review(record, budget=budget)
    assert found.names == ("ann", "bob")
    assert found.to_dict() | {"names": 0} == review(state, budget=budget).to_dict() | {"names": 0}
    both = review_match([record, record], budget=budget)
    assert both.result == 2 * found.result
    assert both.luck + both.own + both.opponents == pytest.approx(both.result)
    assert both.own_se == pytest.approx(2**0.5 * found.own_se)
    assert both.luck_se == pytest.approx((both.own_se**2 + both.opponents_se**2) ** 0.5)


def test_unfinished_and_redacted_hands_are_refused() -> None:
    with pytest.raises(RecordError, match="not finished"):
        review(table("gin", 6))
    with pytest.raises(RecordError):
        review(Record.of(finished("gin"), ["a", "b"]).seen_by(0))
    with pytest.raises(IllegalActionError, match="no seat 2"):
        review(finished("gin"), seat=2)


def test_equal_moves_are_not_called_a_loss() -> None:
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(300):
        results = rng.normal(size=(60, 8))  # all moves are worth the same
        losses.append(cross_fitted(results, results, 3))
    mean = np.mean([loss for loss, _ in losses])
    assert abs(mean) < 0.03  # choosing and measuring in the same worlds would give about -0.18
    mistakes = sum(verdict_of(loss, se, 1.0) == "mistake" for loss, se in losses)
    assert mistakes < 0.05 * len(losses)


def test_a_mistake_has_its_whole_interval_below_zero() -> None:
    assert [verdict_of(*one, 3.0) for one in ((0.0, 1.0), (-1.0, 0.6), (-1.0, 0.4), (-5.0, 0.9))] == [
        "best",
        "fine",
        "mistake",
        "blunder",
    ]


def test_a_table_is_worth_what_its_playouts_bring() -> None:
    state = table("gin", 6)
    values = TableValues(state.rules, "simple", worlds=50)
    found = values.samples(state.rows())
    assert found.shape == (50, 2)
    assert np.array_equal(found[:, 0], -found[:, 1])
    assert found.std() > 0
    assert np.array_equal(values.samples(state.rows()), found)
    over = finished("gin")
    assert (values.samples(over.rows()) == over.payoffs()).all()


def test_a_playout_of_a_position_is_the_hand_that_the_table_plays() -> None:
    rows = table("indian", 6).rows()
    playouts_by(rules_of("indian"), "mindist").advance(rows)
    assert rows["table"]["actor"][0] == -1
