"""Matches of Indian Rummy from the outside: records, positions, commands, experiments, the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from helpers import RandomChooser
from helpers_cli import run
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.rng import root_of
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record, validate_records, write_records
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import ExperimentError, RecordError
from rummylab.games.indian.batch import play_seatings, tally_for
from rummylab.games.indian.show import IndianShow
from rummylab.games.indian.view import Indian, indian
from rummylab.lab.experiment.file import read_experiment
from terminal_tables import Table, table

FORM = "pool-61(rejoin=true, split=true, split_within=2)"
NAMES = ["a", "b", "c"]


def said(*words: str) -> str:
    """What a command prints."""
    done = run(words)
    assert done.returncode == 0, done
    return done.stdout


def refused(*words: str) -> str:
    """What a command says when it refuses, on one line."""
    return " ".join(run(words).refused().split())


def rules_of_three(form: str = FORM) -> Indian:
    return indian("platform", format=form, seats=3, round_limit=3)


def match_of(rules: Indian, seed: int) -> list[State]:
    return list(play_match(rules, [RandomChooser(seed + k, eager=0.9) for k in range(rules.seats)], seed))


def verbs_of(states: list[State]) -> set[str]:
    return {event.action.verb for state in states for event in state.log if event.chosen}


# --- Records ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[State]]:
    """Three matches with rejoins and splits in one file."""
    path, states = tmp_path_factory.mktemp("records") / "matches.rgr", []
    for seed in range(3):
        found = match_of(rules_of_three(), seed)
        write_records(path, [Record.of(state, NAMES, seed) for state in found])
        states += found
    return path, states


def test_records_replay_whole_matches_rejoins_and_splits_included(recorded: tuple[Path, list[State]]) -> None:
    path, states = recorded
    assert {"rejoin", "leave", "split", "play on"} <= verbs_of(states)
    assert validate_records(path) == states


def test_a_record_that_begins_with_another_standing_than_the_deal_before_left_is_refused(
    recorded: tuple[Path, list[State]], tmp_path: Path
) -> None:
    _, states = recorded
    one, two = (Record.of(state, NAMES, 0) for state in states[:2])
    two.header["standing"]["lost"] = [1, 0, 0]
    write_records(tmp_path / "changed.rgr", [one, two])
    with pytest.raises(RecordError, match=r"found standing .*, expected .* after hand 1"):
        validate_records(tmp_path / "changed.rgr")


def test_a_standing_that_cannot_be_is_refused(recorded: tuple[Path, list[State]], tmp_path: Path) -> None:
    _, states = recorded
    for number, change in enumerate([{"lost": [0, 0]}, {"place": [1, 2, 0]}, {"rejoins": [10**6, 0, 0]}]):
        record = Record.of(states[1], NAMES, 0)
        record.header["standing"].update(change)
        path = tmp_path / f"{number}.rgr"
        write_records(path, [record])
        with pytest.raises(RecordError, match="the header does not describe a table"):
            validate_records(path)


def test_redacted_records_keep_the_standing(recorded: tuple[Path, list[State]]) -> None:
    record = Record.of(recorded[1][1], NAMES, 0).seen_by(1)
    assert record.header["standing"] == recorded[1][1].standing_before


# --- Positions --------------------------------------------------------------------------------------------------------


def test_positions_of_a_match_are_written_and_read(recorded: tuple[Path, list[State]]) -> None:
    phases = set()
    for state in recorded[1]:
        again = state.copy()
        for _ in range(4):
            phases.add(again.observe(Seat(0)).phase)
            assert State.parse(again.to_text()) == again
            assert State.from_json(again.to_json()) == again
            for seat in map(Seat, range(3)):
                seen = again.observe(seat)
                assert Observation.parse(str(seen)) == seen
            if again.n_moves:
                again.pop()
    assert phases == {"draw", "discard", "over", "rejoin", "split"}


# --- Commands ---------------------------------------------------------------------------------------------------------


def test_a_match_reports_matches_won_places_and_chips() -> None:
    result = json.loads(
        said("match", "indian", "mindist", "random", "--format", "deals-2", "--games", "40", "--json", "--workers", "1")
    )
    assert result["rules"] == "platform(format=deals-2)"
    assert result["hands_per_game"] >= 2
    one, two = result["by_agent"]
    assert one["place"] + two["place"] == pytest.approx(3)
    assert one["gain_per_match"] == pytest.approx(-two["gain_per_match"])
    assert one["place_ci"][0] <= one["place"] <= one["place_ci"][1]
    text = said("match", "indian", "mindist", "random", "--format", "deals-2", "--games", "40", "--workers", "1")
    assert "of matches (95% interval" in text
    assert "mean place" in text
    assert "chips per match" in text


def test_points_of_a_deal_of_three_count_what_losers_pay() -> None:
    names = ("mindist-outs-drop", "minscore", "random")
    result = match("indian", *names, rules="platform(seats=3)", games=60, seed=3, workers=1)
    paid = result.tallies["gains"].mean(axis=0)
    assert [result.points_per_hand_of(k).value for k in range(3)] == pytest.approx(paid)
    assert paid[2] < -20  # a random player who wins nothing still pays


def test_a_tournament_is_played_in_a_format() -> None:
    words = ["mindist", "random", "--format", "pool-61(rejoin=true)", "--games", "4", "--json", "--workers", "1"]
    result = json.loads(said("tournament", "indian", *words))
    assert result["config"]["rules"] == 'platform(format="pool-61(rejoin=true)")'


def test_as_many_agents_play_as_the_rules_have_seats() -> None:
    two = ("random", "contract-greedy")
    few = refused("match", "indian", "mindist", "random", "--rules", "platform(seats=3)", "--format", "pool-61")
    assert "The rules platform(seats=3, format=pool-61) have 3 seats, but 2 agents play" in few
    assert "liverpool-7 is for 3 to 5 players, not 2" in refused("match", "contract", *two, "--rules", "liverpool-7")
    assert "liverpool-7 is for 3 to 5 players, not 2" in refused(
        "tournament", "contract", *two, "--rules", "liverpool-7"
    )


def test_a_format_that_is_not_there_is_named() -> None:
    assert "did you mean 'pool-101'" in refused("match", "indian", "mindist", "random", "--format", "pool-100")
    assert "Gin Rummy has no formats" in refused("match", "gin", "simple", "random", "--format", "pool-101")


def test_an_agent_answers_in_a_position_of_a_match() -> None:
    state = State.deal(indian("platform", format="pool-101"), 5)
    text = str(state.observe())
    assert said("move", "indian", "--position", text, "--agent", "mindist-outs-match").strip()
    standing = text.replace("platform(format=pool-101)", "platform(decks=2, printed_jokers=2)") + "; lost 90 / 0"
    found = said("move", "indian", "--position", standing, "--agent", "mindist", "--format", "pool-101", "--json")
    assert json.loads(found)["move"]
    assert "has lost fewer than 61" in refused(
        "move", "indian", "--position", standing, "--agent", "mindist", "--format", "pool-61"
    )


def test_an_experiment_is_played_in_a_format(tmp_path: Path) -> None:
    path = tmp_path / "pool.toml"
    step = '[[match]]\nname = "m"\nagents = ["mindist", "random"]\ngames = 4\n'
    other = step.replace('"m"', '"n"') + 'format = "deals-2"\nrules = "paper"\n'
    path.write_text(f'title = "t"\ngame = "indian"\nformat = "pool-101"\n{step}{other}')
    steps = read_experiment(path).steps
    assert [found.rules for found in steps] == ["platform(format=pool-101)", "paper(format=deals-2)"]
    path.write_text(f'title = "t"\ngame = "indian"\nformat = "pool-11"\n{step}')
    with pytest.raises(ExperimentError, match="no format named 'pool-11'"):
        read_experiment(path)


def test_the_report_of_an_experiment_has_matches_won_places_and_chips(tmp_path: Path) -> None:
    path = tmp_path / "deals.toml"
    match_of_five = (
        '[[match]]\nname = "m"\nagents = ["minscore", "random", "random", "random", "random"]\ngames = 120\n'
    )
    expected = '[[expect]]\nname = "e"\nstep = "m"\nquantity = "place"\nagents = ["minscore"]\nat_most = 5\n'
    more = 'rules = "platform(round_limit=3)"\nformat = "deals-2"\nall_orders = true\n'
    path.write_text(f'title = "t"\ngame = "indian"\n{match_of_five}{more}{expected}')
    said("experiment", "run", str(path), "--out", str(tmp_path / "report"), "-q")
    text = (tmp_path / "report" / "README.md").read_text()
    assert (
        "| agent | matches won (95%) | points per hand (95%) | mean place (95%) | points or chips per match (95%) |"
        in text
    )
    assert "--all-orders" in text
    assert "120 games, 240 hands" in text


def test_the_games_command_lists_formats() -> None:
    assert "pool-201" in said("games")
    assert "pool-201" in said("games", "indian", "--json")


# --- Shares -----------------------------------------------------------------------------------------------------------


def test_a_split_match_counts_by_shares_of_the_pot() -> None:
    rules = 'platform(format="pool-61(split=true, split_within=4)", round_limit=3)'
    result = match("indian", "random-drop", "random-drop", "random-drop", games=60, seed=2, rules=rules, workers=1)
    assert (result.tallies["winner"] < 0).any()
    won = sum(result.wins(number) for number in range(3))
    assert np.allclose(won, 1)


# --- Drops by the standing --------------------------------------------------------------------------------------------


def drops_at(lost: list[int], form: str = "pool-101") -> int:
    """In how many of 60 deals the standing-aware agent opens with a drop."""
    rules, player, n = indian("platform", format=form), agent("indian", "mindist-outs-match"), 0
    for seed in range(60):
        row = rules.new_rows(1)
        rules.set_standing(row, rules.standing(row) | {"lost": lost})
        state = State(rules, row, rules.shuffled(seed), 0)
        player.sit(rules, Seat(0), np.random.default_rng(0))
        n += str(player.act(state.observe(Seat(0)))) == "drop"
    return n


def test_the_standing_decides_about_drops() -> None:
    assert drops_at([81, 0]) == 0
    assert 0 < drops_at([0, 0]) < drops_at([0, 80])


def test_in_a_single_deal_it_plays_like_the_agent_that_ignores_the_standing() -> None:
    rules, games = indian(), []
    for name in ("mindist-outs-match", "mindist-outs-drop"):
        player, tallies = agent("indian", name), np.zeros(40, tally_for(2))
        play_seatings(rules.new_rows(1), root_of(3), 0, [(0, 1)], [player.kernel] * 2, [player.params] * 2, tallies)
        games.append(tallies)
    assert (games[0] == games[1]).all()


# --- The terminal -----------------------------------------------------------------------------------------------------


def test_the_score_after_a_rejoin_is_no_false_sum(recorded: tuple[Path, list[State]]) -> None:
    rejoined = [state for state in recorded[1] if "rejoin" in verbs_of([state])]
    others = [state for state in recorded[1] if not {"rejoin", "leave", "split", "play on"} & verbs_of([state])]
    assert rejoined
    for state in rejoined:
        assert not any(" + " in line for line in IndianShow(state.observe(Seat(0)), NAMES).score_lines())
    for state in others:
        for line in IndianShow(state.observe(Seat(0)), NAMES).score_lines():
            before, paid, now = re.findall(r"\d+", line)[:3]
            assert int(before) + int(paid) == int(now)


def test_a_person_at_the_table_sees_the_standing() -> None:
    def read(made: Table) -> str:
        actions = {action.verb for action in made._view().actions}
        return "y" if made.said[-1].endswith("(y/n) ") else "drop" if "drop" in actions else "leave" * bool(actions)

    wanted = {"rules": "platform(round_limit=3)", "format": "pool-61(rejoin=true)", "seats": 3}
    made = table("indian", read, agent="mindist-outs", seed=4, **wanted)
    made.play()
    assert "Indian Rummy | online rules, changed | pool 61" in made.text
    assert "You 0 of 61, Asha 0 of 61, Ben 0 of 61" in made.text
    assert "You 15 of 61" in made.text
    assert "Drops left 3" in made.text, "of four first drops one is spent"
    assert "Asha 0 lost | 4 drops left" in made.text
    assert "wins the match." in made.text
