"""What Saha et al. printed, and what the rules page says about it; and their study, played again in small."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rummylab.arena import plots
from rummylab.arena.ordered import play_ordered
from rummylab.arena.reproduce import indian_analysis
from rummylab.arena.reproduce.indian import Side, Study, paper
from rummylab.arena.reproduce.registry import QUICK, Scale, reproduction
from rummylab.arena.reproduce.store import Store
from rummylab.arena.statistics import Estimate, holm, median, p_value
from rummylab.cards.hand import Hand
from rummylab.cli import tables
from rummylab.errors import MissingExtraError, OptionError, UnknownNameError
from rummylab.games.indian.deals import random_hands
from rummylab.games.indian.game import indian
from rummylab.games.indian.hand import evaluate, wild_rank
from rummylab.games.indian.mindist import min_dist_many
from rummylab.games.indian.minscore import min_score_many

TINY = Scale(games=20, hands=1000, workers=1)


# --- Hands ----------------------------------------------------------------------------------------------------------


def test_example_iv_a_is_seven_not_twenty_seven() -> None:
    example = paper()["examples"]["iv_a"]
    value = evaluate(Hand.parse(example["hand"]), wild_rank(example["wild"])).value
    assert (value.min_score, value.min_dist) == (7, 1)
    assert example["minscore"] == 27
    plain = evaluate(Hand.parse(example["hand"]), wild_rank("2")).value
    assert plain.min_score == 27, "the paper's number is right if the three of clubs is not wild"


def test_example_iv_b_is_seventy_nine_and_one_card_away() -> None:
    example = paper()["examples"]["iv_b"]
    value = evaluate(Hand.parse(example["hand"]), wild_rank(example["wild"])).value
    assert (value.min_score, value.min_dist) == (79, example["mindist"])


def test_a_hand_of_mindist_seven_exists() -> None:
    assert evaluate(Hand.parse(indian_analysis.SEVEN), wild_rank("7")).value.min_dist == 7


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
    inside = indian_analysis.entries_inside(*paper()["table_1"]["interval"])
    assert sorted(value for *_, value in inside) == [0.47, 0.48, 0.52]


def test_with_the_right_error_and_holm_two_steps_of_the_paper_are_not_significant() -> None:
    agents = paper()["table_1"]["agents"]
    pairs = [(one, two) for k, one in enumerate(agents) for two in agents[k + 1 :]]
    skills = [indian_analysis.paper_skill(*pair) for pair in pairs]
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


# --- Played again ---------------------------------------------------------------------------------------------------


def test_the_mover_always_moves_first_and_line_ups_see_the_same_cards() -> None:
    rules = indian("paper")
    one, two = Side("mindist").load(), Side("minscore").load()
    tallies = play_ordered(rules, one, two, games=600, seed=5, workers=1)
    assert (tallies["starter"] == 0).all()
    again = play_ordered(rules, one, two, games=600, seed=5, workers=2)
    assert (tallies == again).all()
    with pytest.raises(OptionError, match="at least one"):
        play_ordered(rules, one, two, games=0, seed=5)


def test_a_side_with_a_threshold_drops_from_there_on() -> None:
    rules = indian("paper")
    never, always = Side("mindist-opp").load(), Side("mindist-opp", 1).load()
    tallies = play_ordered(rules, always, never, games=200, seed=5, workers=1)
    dropped = tallies["outcomes"][:, 2]
    assert dropped.mean() > 0.9
    assert (tallies["gains"][dropped == 1, 0] == -20).all()
    assert not play_ordered(rules, never, never, games=200, seed=5, workers=1)["outcomes"][:, 2].any()


def test_the_quick_reproduction_writes_a_whole_report(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    report = reproduction("indian").run(tmp_path, TINY, lambda done, total: steps.append((done, total)))
    text = report.read_text()
    for heading in ("Fig. 1-3", "Fig. 5", "Table I", "Gains", "Table II", "Fig. 6", "Beyond the paper"):
        assert f"## {heading}" in text, heading
    for picture in ("fig1-minscore-ecdf", "fig2-minscore-histogram", "fig3-mindist-histogram", "fig5-win-rates"):
        assert (tmp_path / f"{picture}.png").stat().st_size > 10_000
    assert steps[-1][0] == steps[-1][1]
    numbers = json.loads((tmp_path / "results.json").read_text())
    assert {"scale", "rules", "hands", "pairs"} <= set(numbers)
    assert numbers["scale"] == {"games": 20, "hands": 1000, "seed": 2026}
    # Once more: everything is taken from disk, and the report is the same to the letter.
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "raw").iterdir()}
    assert reproduction("indian").run(tmp_path, TINY).read_text() == text
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "raw").iterdir()} == before


def test_a_study_is_continued_where_it_stopped(tmp_path: Path) -> None:
    scale = Scale(games=10, hands=100, workers=1)
    whole = indian_analysis.numbers(Study(tmp_path / "whole", scale).run())

    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Study(tmp_path / "cut", scale, stop).run()
    left = len(list((tmp_path / "cut" / "raw").glob("*.npz")))
    assert 0 < left < len(list((tmp_path / "whole" / "raw").glob("*.npz")))
    assert indian_analysis.numbers(Study(tmp_path / "cut", scale).run()) == whole


def test_raw_results_are_used_only_for_the_same_configuration(tmp_path: Path) -> None:
    store, made = Store(tmp_path), []

    def make() -> dict[str, np.ndarray]:
        made.append(1)
        return {"x": np.arange(3)}

    store.get("a", {"games": 1}, make)
    assert (store.get("a", {"games": 1}, make)["x"] == np.arange(3)).all()
    assert len(made) == 1
    store.get("a", {"games": 2}, make)
    assert len(made) == 2
    (tmp_path / "a.npz").write_bytes(b"cut off")
    assert (store.get("a", {"games": 2}, make)["x"] == np.arange(3)).all()
    assert len(made) == 3


def test_results_compare_deal_by_deal(tmp_path: Path) -> None:
    results = Study(tmp_path, Scale(games=50, hands=100, workers=1)).run()
    one, two = results.skill("minscore", "mindist"), results.skill("mindist", "minscore")
    assert one.value == pytest.approx(1 - two.value)
    assert results.net_gain("minscore", "mindist").value == pytest.approx(
        -results.net_gain("mindist", "minscore").value
    )
    assert results.adjusted("mindist", "mindist") == Estimate(0.5, 0.5, 0.5)


def test_bad_scales_and_names_are_refused() -> None:
    with pytest.raises(OptionError, match="games is 1"):
        Scale(games=1)
    with pytest.raises(OptionError, match="workers is 0"):
        Scale(workers=0)
    with pytest.raises(UnknownNameError, match="indian"):
        reproduction("indan")
    assert QUICK.games < Scale().games


def test_without_matplotlib_the_report_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"rummylab\[report\]"):
        plots.need_matplotlib()
