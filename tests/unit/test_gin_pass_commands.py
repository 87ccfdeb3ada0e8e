"""Gin with a passed card on the command line and at the terminal table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_contract_commands import run

from rummylab.arena import speed
from rummylab.engine.records import read_records
from rummylab.errors import RummyError
from terminal_tables import sensible, table


def test_a_hand_is_told_its_deadwood_and_with_a_card_too_many_what_to_throw() -> None:
    value = json.loads(run("hand", "gin_pass", "3c 4c 5c 6c 9h Th Jh Ks", "--json"))
    assert (value["deadwood"], value["discard"], value["deadwood_after_discard"]) == (10, ["Ks"], 0)
    assert "discard" in json.loads(run("hand", "gin_pass", "3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks", "--json"))
    assert "discard" not in json.loads(run("hand", "gin", "3c 4c 5c 6c 9h Th Jh Ks", "--json"))
    with pytest.raises(RummyError, match="Gin with a passed card has no use for 'wild'"):
        run("hand", "gin_pass", "3c", "--wild", "3")


def match(*arguments: str) -> dict:
    return dict(json.loads(run("match", "gin_pass", *arguments, "--seed", "1", "--workers", "1", "--json")))


def test_a_match_has_forty_hands() -> None:
    value = match("random", "melder", "--games", "20")
    assert (value["games"], value["hands"], value["rules"]) == (20, 800, "course")
    low, high = value["points_per_hand_ci"]
    assert low < value["points_per_hand"] < high < 0


def test_a_match_can_seat_three_and_four() -> None:
    three = match("random", "melder", "dummy", "--games", "30")
    assert [row["agent"] for row in three["by_agent"]] == ["random", "melder", "dummy"]
    assert three["hands"] == 30 * 42
    assert sum(row["points_per_hand"] for row in three["by_agent"]) == pytest.approx(0)
    four = match("melder", "melder", "melder", "melder", "--games", "40", "--rules", "course-ten")
    seven = match("melder", "melder", "melder", "melder", "--games", "40")
    assert four["outcomes"]["washout"] > 0.5 > seven["outcomes"]["washout"], "why four seats get seven cards"


def test_a_match_says_what_the_neighbor_is_worth_and_what_duplicate_deals_save() -> None:
    text = run("match", "gin_pass", "keats", "melder", "dummy", "--games", "12", "--seed", "1", "--workers", "1")
    assert "Points per hand by the player just before (circular orders: all 2; 95% interval):" in " ".join(text.split())
    assert "    melder after dummy: " in text
    assert "times fewer games" not in text
    assert "Duplicate deals: for the same precision as independent deals, win rate takes " in " ".join(text.split())


def test_a_match_keeps_two_agents_of_one_name_apart() -> None:
    text = run("match", "gin_pass", "melder", "melder", "--games", "12", "--seed", "1", "--workers", "1")
    assert "melder (1) vs melder (2) · gin_pass" in text
    assert "  melder (1) wins " in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random",) * 5, "option seats is 5, but must lie between 2 and 4"),
        (("random", "kaets"), "did you mean 'keats'"),
        (("random", "random", "--rules", "curse"), "did you mean 'course'"),
    ],
)
def test_line_ups_that_cannot_be_are_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(RummyError, match=message):
        run("match", "gin_pass", *arguments)


def test_bench_prints_the_promised_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "_batch", lambda game, agents, games: (games, 1, 1.0))
    figures = speed.speed("gin_pass")
    assert set(figures) == {
        "hands_per_s", "decisions_per_s", "three_seats_hands_per_s", "four_seats_hands_per_s", "keats_hands_per_s",
        "facade_decisions_per_s",
    }  # fmt: skip
    assert all(value > 0 for value in figures.values())


def test_a_tournament_is_played_kept_and_reported(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    run(
        *("tournament", "gin_pass", "random", "melder", "dummy", "--games", "20", "--seed", "2"),
        *("--store", store, "--run", "first", "--keep-hands", "2"),
    )
    run("store", "report", store, "first", "--out", str(tmp_path / "report"))
    text = (tmp_path / "report" / "report.md").read_text()
    assert "melder" in text
    assert "gin_pass" in text


# --- The terminal -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4])
def test_the_terminal_tells_what_the_player_may_know_and_no_more(seats: int, tmp_path: Path) -> None:
    path = tmp_path / "mine.rgr"
    made = table("gin_pass", sensible, rules=f"course(seats={seats}, hands={2 * seats})", record=path)
    made.play()
    others = [chair.short for chair in made.session.config.chairs[1:]]
    assert f"Your card goes to {others[-1]}." in made.text
    for name in others:
        assert f"{name} passed a card on" in made.text
        assert f"{name} received" not in made.text
    records = read_records(path)
    assert len(records) == 2 * seats
    for record in records:
        mine = [event for event in record.events if event.action.verb == "receive" and event.seat == 0]
        assert f"received {mine[0].secret[0]}." in made.text


def test_a_record_of_a_match_can_be_checked_and_redacted(tmp_path: Path) -> None:
    path, redacted = tmp_path / "match.rgr", tmp_path / "seen.rgr"
    table("gin_pass", sensible, rules="course(hands=4)", record=path).play()
    assert "4 hands replay correctly" in run("record", "check", str(path))
    run("record", "redact", str(path), "--seat", "1", "--out", str(redacted))
    shown = run("record", "show", str(redacted))
    assert "seat 0: pass\n" in shown
    assert "seat 0: receive\n" in shown
    with pytest.raises(RummyError, match="cannot be replayed"):
        run("record", "check", str(redacted))


def test_only_some_games_have_more_than_two_seats() -> None:
    with pytest.raises(RummyError, match="Contract rummy is for two to six players, not 7"):
        run("play", "contract", "--terminal", "--seats", "7")
    words = ["--agent", "chinese-heuristic", "--seats", "2", "--seed", "4"]
    assert "| to 100 |" in run("play", "contract", "--terminal", *words, stdin="quit\n")


def test_a_record_that_could_not_be_kept_is_told_before_the_first_card(tmp_path: Path) -> None:
    with pytest.raises(RummyError, match=r"there is no directory .*nowhere"):
        run("play", "gin_pass", "--terminal", "--record", str(tmp_path / "nowhere" / "match.rgr"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("keats(late=nan)", "late of keats takes a finite number, not 'nan'"),
        ("keats(late=1e60)", "late of KeatsOptions is 1e\\+60, but must be a number"),
        ("keats(late=2", "The bracket in .* is not closed"),
        ("keats(inf)", "meld of keats takes a finite number, not 'inf'"),
    ],
)
def test_options_of_an_agent_are_numbers(name: str, message: str) -> None:
    with pytest.raises(RummyError, match=message):
        run("match", "gin_pass", name, "melder", "--games", "2")
