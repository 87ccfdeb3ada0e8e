"""What Saha et al. printed, what the rules page says about it, and a quick version of their study."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rummylab.agents.registry import agent
from rummylab.arena import plots
from rummylab.arena.backends import ThisProcess
from rummylab.arena.ordered import ORDERED_DEAL, Ordered, OrderedDeals, OrderedJob, OrderedTask, play_ordered
from rummylab.arena.statistics import holm, median, p_value, quantile
from rummylab.arena.store import Store
from rummylab.cards.hand import Hand
from rummylab.cli import tables
from rummylab.errors import ExperimentError, MissingExtraError, UnknownNameError
from rummylab.games.indian.deals import random_hands
from rummylab.games.indian.evaluate import evaluate, wild_rank
from rummylab.games.indian.mindist import min_dist_many
from rummylab.games.indian.minscore import min_score_many
from rummylab.games.indian.view import indian
from rummylab.lab.experiment.file import Experiment
from rummylab.lab.experiment.report import to_dict, write_report
from rummylab.lab.experiment.run import run_experiment
from rummylab.studies.indian import report
from rummylab.studies.indian.study import SEVEN, Printed, Study
from rummylab.studies.registry import reproduction

ROOT = Path(__file__).resolve().parents[2]
PAPER = Printed(reproduction("indian"))


def tiny(games: int = 20, hands: int = 1000) -> Experiment:
    return reproduction("indian", changes=[f"games={games}", f"hands={hands}"])


# --- Hands ----------------------------------------------------------------------------------------------------------


def test_example_iv_a_is_seven_not_twenty_seven() -> None:
    value = PAPER.example("iv_a")
    assert (value.min_score, value.min_dist) == (7, 1)
    plain = evaluate(value.hand, wild_rank("2")).value
    assert plain.min_score == 27, "the paper's number is right if the three of clubs is not wild"


def test_example_iv_b_is_seventy_nine_and_one_card_away() -> None:
    value = PAPER.example("iv_b")
    assert (value.min_score, value.min_dist) == (79, 1)


def test_a_hand_of_mindist_seven_exists() -> None:
    assert evaluate(Hand.parse(SEVEN), wild_rank("7")).value.min_dist == 7


def test_random_hands_have_the_known_distribution() -> None:
    n = 100_000
    hands, distances, points = random_hands(n, seed=1, printed_jokers=2), np.empty(n, np.int64), np.empty(n, np.int64)
    min_dist_many(hands, distances)
    # A million hands of an independent solver (the known figures for 10,000 hands agree with them within their error).
    for distance, known in enumerate([0.00104, 0.03439, 0.21859, 0.43830, 0.26822, 0.03905, 0.00040]):
        error = (known * (1 - known) / n) ** 0.5
        assert np.mean(distances == distance) == pytest.approx(known, abs=4.5 * error), distance
    for strict, known in ((False, 0.4302), (True, 0.5140)):
        min_score_many(hands, strict, points)
        assert np.mean(points >= 80) == pytest.approx(known, abs=0.007)


def test_a_random_hand_does_not_depend_on_how_many_are_asked_for() -> None:
    assert (random_hands(10, seed=3)[4:] == random_hands(6, seed=3, first=4)).all()
    fourteen = random_hands(200, seed=3, decks=2, printed_jokers=4, n_cards=14)
    for once, twice, jokers, wild in fourteen.tolist():
        assert once.bit_count() + twice.bit_count() + jokers == 14
        assert twice & ~once == 0
        assert 0 <= wild < 13


def test_the_worked_example_of_the_document_says_what_the_prose_says() -> None:
    cards, wild = tables.EXAMPLES["thirteen"]
    value = evaluate(Hand.parse(cards), wild_rank(wild)).value
    assert (value.min_score, value.min_dist, value.n_outs) == (34, 2, 16)
    assert str(value.loose) == "4s Js Qs Kd"
    assert len(value.kept) == 11
    cards, wild = tables.EXAMPLES["fourteen"]
    choices = {str(choice.discard): choice.left for choice in evaluate(Hand.parse(cards), wild_rank(wild)).choices}
    assert [card for card, left in choices.items() if left.min_dist == 1] == ["4s", "Ac", "Kd"]
    assert [choices[card].n_outs for card in ("4s", "Ac", "Kd")] == [9, 8, 8]
    assert choices["4s"].min_score - choices["Kd"].min_score == 6


# --- The paper's own numbers ----------------------------------------------------------------------------------------


def test_three_entries_of_table_i_are_not_outside_its_interval() -> None:
    assert sorted(PAPER.entries_inside()) == [0.47, 0.48, 0.52]


def test_with_the_right_error_and_holm_two_steps_of_the_paper_are_not_significant() -> None:
    pairs = [(one, two) for k, one in enumerate(PAPER.skilled) for two in PAPER.skilled[k + 1 :]]
    skills = [PAPER.skill(*pair) for pair in pairs]
    corrected = holm([p_value((skill.value - 0.5) / 0.0158) for skill in skills])
    assert [pair for pair, p in zip(pairs, corrected, strict=True) if p >= 0.05] == [
        ("mindist", "mindist-score"),
        ("mindist-score", "mindist-opp"),
    ]


def test_holm_is_the_textbook_procedure() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_the_median_comes_with_an_interval_for_any_distribution() -> None:
    values = np.arange(1001.0)
    found = median(values)
    assert found.value == 500
    assert 460 < found.low < 475
    assert 525 < found.high < 540
    upper = quantile(values, 0.9)
    assert upper.value == 900
    assert 875 < upper.low < 885
    assert 915 < upper.high < 925


# --- Played again ---------------------------------------------------------------------------------------------------


def test_the_mover_always_moves_first_and_chunks_make_no_difference() -> None:
    job = OrderedJob(indian("paper"), agent("indian", "mindist"), agent("indian", "minscore"), 5)
    tallies = job(0, 300)
    assert (tallies["starter"] == 0).all()
    assert (np.concatenate([job(0, 120), job(120, 180)]) == tallies).all()
    kept = play_ordered(OrderedTask("indian", "paper", "mindist", "minscore", 5, 0, 300)).rows
    for ours, theirs in (("winner", "winner"), ("rounds", "rounds")):
        assert (kept[ours] == tallies[theirs]).all()
    assert (kept["gain"] == tallies["gains"][:, 0]).all()
    assert (tallies["outcomes"][np.arange(300), kept["outcome"]] == 1).all()


def test_a_side_with_a_threshold_drops_from_there_on() -> None:
    rules, never, always = indian("paper"), agent("indian", "mindist-opp"), agent("indian", "mindist-opp(1)")
    tallies = OrderedJob(rules, always, never, 5)(0, 200)
    dropped = tallies["outcomes"][:, 2]
    assert dropped.mean() > 0.9
    assert (tallies["gains"][dropped == 1, 0] == -20).all()
    assert not OrderedJob(rules, never, never, 5)(0, 200)["outcomes"][:, 2].any()


def test_the_small_study_writes_its_report_and_is_continued_where_it_stopped(tmp_path: Path) -> None:
    whole = run_experiment(tiny(), backend=ThisProcess())
    text = write_report(whole, tmp_path / "whole").read_text()
    for heading in (
        "Does it reproduce the paper?",
        "Fig. 1-3", "Fig. 5", "Table I", "Gains", "Table II", "Fig. 6", "Beyond the paper",
    ):  # fmt: skip
        assert f"## {heading}" in text, heading
    for picture in ("fig1-minscore-ecdf", "fig2-minscore-histogram", "fig3-mindist-histogram", "fig5-win-rates"):
        assert (tmp_path / "whole" / f"{picture}.svg").stat().st_size > 5_000
    numbers = json.loads((tmp_path / "whole" / "results.json").read_text())
    assert numbers["settings"] == {"game": "indian", "rules": "paper", "games": 20, "hands": 1000, "seed": 2026}

    def stop(done: int, total: int, words: str) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment(tiny(), store=Store(tmp_path / "runs.db"), backend=ThisProcess(), progress=stop)
    again = run_experiment(tiny(), store=Store(tmp_path / "runs.db"), backend=ThisProcess())
    assert json.dumps(to_dict(again)) == json.dumps(to_dict(whole))
    assert report.sections(Study(again)) in text


def test_results_compare_deal_by_deal() -> None:
    """Four deals worked out by hand: winner 0 is the first mover, whose gain it is."""

    def series(winners: list[int], gains: list[int]) -> OrderedDeals:
        rows = np.zeros(4, ORDERED_DEAL)
        rows["winner"], rows["gain"] = winners, gains
        return OrderedDeals(rows)

    play = Ordered(
        {
            ("a", "b"): series([0, 0, 0, 1], [10, 20, 30, -40]),
            ("b", "a"): series([0, 1, 1, 1], [50, -10, -20, -30]),
            ("a", "a"): series([0, 0, 1, 1], [10, 10, -10, -10]),
        }
    )
    assert play.skill("a", "b").value == pytest.approx(3 / 4), "a wins 3 of 4 moving first and 3 of 4 moving second"
    assert play.net_gain("a", "b").value == pytest.approx((20 / 4 + 10 / 4) / 2)
    assert play.net_gain("b", "a").value == pytest.approx(-(20 / 4 + 10 / 4) / 2)
    assert play.edge("a").value == 0
    adjusted = play.adjusted("a", "b")
    assert adjusted.value == pytest.approx(3 / 4)
    # By deal the difference is 0, 0, 1, 0: a standard error of a quarter, where independent deals would give 0.38.
    assert (adjusted.high - adjusted.low) / 2 == pytest.approx(1.96 * 0.25, rel=1e-3)


def test_bad_settings_and_names_are_refused() -> None:
    with pytest.raises(ExperimentError, match="games: Expected `int` >= 2"):
        tiny(games=1)
    with pytest.raises(ExperimentError, match="hands is 5"):
        tiny(hands=5)
    with pytest.raises(UnknownNameError, match="indian"):
        reproduction("indan")


def test_without_matplotlib_the_report_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"rummylab\[report\]"):
        plots.need_matplotlib()
