"""The library at the keyboard: short representations, bulk evaluation, beliefs, moves from positions, our errors."""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rummylab
from helpers import AGENTS
from helpers_cli import run
from rummylab import (
    Card,
    GinOptions,
    Hand,
    IndianOptions,
    Observation,
    Record,
    State,
    agent,
    belief,
    contract,
    gin,
    gin_pass,
    indian,
    match,
    move,
    play,
)
from rummylab.cli import tables
from rummylab.engine.position import layout_of
from rummylab.engine.records import write_records
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.errors import DeckError, NotationError, OptionError, RecordError, RummyError, UnknownNameError
from rummylab.games.lookup import position_schema, rules_of
from rummylab.games.registry import GAMES, game

ROOT = Path(__file__).parents[2]
THIRTEEN = "5h 6h 7h Js Qs 2s 8d 9d Td Kc Kd 4s Ac"


# --- Rules ----------------------------------------------------------------------------------------------------------


def test_rules_are_a_preset_a_call_or_options_everywhere() -> None:
    assert rules_of("indian", "platform(decks=2)") == indian("platform", decks=2)
    assert rules_of("indian", IndianOptions.preset("platform", decks=2)) == indian("platform", decks=2)
    assert rules_of("gin") == gin()
    with pytest.raises(OptionError, match="IndianOptions"):
        rules_of("gin", IndianOptions())
    played = [
        match("gin", "simple", "random", games=4, seed=3, workers=1, rules=rules).tallies.tobytes()
        for rules in ("eaai(knock_limit=5)", GinOptions(knock_limit=5))
    ]
    assert played[0] == played[1]


def test_former_names_of_games_and_presets_still_load() -> None:
    assert rules_of("chinese", "chinese_mg1") == contract("chinese")
    assert rules_of("chinese", "contract7(rounds=3)") == contract("contract-7", rounds=3)
    assert rules_of("gin-course", "course_ten") == gin_pass("course-ten")


def test_a_record_under_former_names_replays() -> None:
    state = play(contract(), [agent("contract", "chinese-heuristic"), agent("contract", "random")], 5)
    record = Record.of(state, ["a", "b"], 5)
    text = record.to_text().replace('"game": "contract"', '"game": "chinese"').replace("draw upcard", "draw pile")
    lines = [json.loads(line) for line in text.splitlines()]
    header, events = lines[0], lines[1:-1]
    old = Record(header, tuple(rummylab.engine.records.event_from_json(event) for event in events), record.result)
    assert old.replay() == state


def test_records_append_unless_told_to_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "hands.rgr"
    record = Record.of(play(gin(), [agent("gin", "simple")] * 2, 3), ["a", "b"], 3)
    record.save(path)
    assert Record.load(path).replay() == record.replay()
    write_records(path, [record])
    with pytest.raises(RecordError, match="has 2 records: choose one with hand=1 to hand=2"):
        Record.load(path)
    assert Record.load(path, hand=2).events == record.events
    record.save(path, overwrite=True)
    assert Record.load(str(path)).events == record.events


# --- Representations ------------------------------------------------------------------------------------------------


def test_rules_results_and_records_have_short_representations() -> None:
    assert repr(gin()) == "<Gin Rummy eaai>"
    assert repr(indian("platform", decks=2)) == "<Indian Rummy platform(decks=2)>"
    result = match("gin", "simple", "random", games=10, seed=7, workers=1)
    assert repr(result).startswith("<MatchResult gin eaai: simple vs random, 10 games\n  simple: wins ")
    assert repr(result).count("\n") < 5
    record = Record.of(play(gin(), [agent("gin", "simple")] * 2, 3), ["a", "b"], 3)
    assert repr(record).startswith("<Record gin: a against b, hand 1, ")


def test_standings_have_a_short_representation() -> None:
    from rummylab.arena.tournament import Plan, tournament

    standings = tournament(Plan(game="gin", agents=("simple", "random"), games=10))
    assert repr(standings).startswith("<Standings gin eaai: 2 agents, 10 games\n  1. simple: ")


# --- Bulk evaluation ------------------------------------------------------------------------------------------------


def test_deadwood_of_many_hands_is_an_array() -> None:
    texts = ["3c 4c 5c Ks", "7h 7s 7d", "Kc Qh"]
    hands = [Hand.parse(text) for text in texts]
    masks = np.array([hand.mask for hand in hands])
    for given in (texts, hands, masks):
        assert gin().deadwood(given).tolist() == gin_pass().deadwood(given).tolist() == [10, 0, 20]
    assert gin().deadwood("Kc Qh").tolist() == [20]
    for wrong, error in (("Kc Kc", DeckError), ("PJ", DeckError), ("Xx", NotationError), (7, RummyError)):
        with pytest.raises(error):
            gin().deadwood(wrong)  # type: ignore[arg-type]
    with pytest.raises(NotationError, match="shape"):
        gin().deadwood(np.zeros((2, 2), np.int64))


def test_min_dist_and_min_score_of_many_hands_are_arrays() -> None:
    from rummylab.games.indian.mindist import min_dist
    from rummylab.games.indian.minscore import min_score

    hand = Hand.parse(THIRTEEN)
    planes = np.array([(hand.mask, hand.twice, hand.jokers)])
    for rules, strict in ((indian(), False), (indian("platform"), True)):
        for given in ([THIRTEEN], [hand], planes, THIRTEEN):
            for wild in ("2", 1, Card.parse("2h"), ["2"]):
                assert rules.min_dist(given, wild).tolist() == [min_dist(hand.mask, 0, 0, 1)]
                assert rules.min_score(given, wild).tolist() == [min(80, min_score(hand.mask, 0, 0, 1, strict))]
    with pytest.raises(NotationError, match="hand number 1 has 2 cards, expected 13"):
        indian().min_dist([THIRTEEN, "Ac 2c"], 1)
    with pytest.raises(NotationError, match="wild is 13"):
        indian().min_dist(THIRTEEN, 13)
    with pytest.raises(NotationError, match="2 wild ranks for 1 hands"):
        indian().min_dist([THIRTEEN], [1, 2])


# --- Beliefs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [gin(), indian("platform", seats=4, decks=2), contract(), gin_pass(seats=3)], ids=str)
def test_a_belief_counts_the_cards_of_every_opponent(rules: Rules) -> None:
    state = State.deal(rules, 5)
    for _ in range(8):
        state.push(state.legal_actions[0])
    for seat in range(rules.seats):
        seen = state.observe(seat)
        found = belief(seen, "counts")
        assert len(found.opponents) == rules.seats - 1
        for row, other in enumerate(found.opponents):
            held = len(state.observe(other).hand)
            assert found.probabilities[row].sum() == pytest.approx(held, abs=1e-3)
            assert not set(found.of(other)) & {card for card in seen.hand if not card.is_joker and rules.name == "gin"}
            known = layout_of(rules).known(seen.view["table"][0], other)
            assert all(found.of(other)[Card(card)] > 0.999 for card in known)
        assert repr(found).startswith(f"<Belief of seat {seat} in {rules.name}, by counts\n")


def test_gin_believes_its_network_unless_asked() -> None:
    seen = State.deal(gin(), 5).observe(0)
    assert belief(seen).name == "network"
    assert belief(seen, "uniform").probabilities.sum() == pytest.approx(10, abs=1e-3)
    with pytest.raises(UnknownNameError, match="did you mean 'counts'"):
        belief(seen, "count")
    with pytest.raises(NotationError, match="is not an opponent"):
        belief(seen).of(0)


# --- Moves ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "player"), AGENTS)
def test_every_agent_moves_from_the_text_of_a_position(name: str, player: str) -> None:
    state = State.deal(game(name).rules(), 9)
    for _ in range(3):
        state.push(state.legal_actions[0])
    seen = Observation.parse(state.observe().to_text())
    chosen = move(seen, player, seed=4)
    assert chosen in state.legal_actions
    assert move(state.observe(), player, seed=4) == chosen


@pytest.mark.parametrize("name", GAMES)
def test_the_move_command_reads_text_json_files_and_tables(name: str, tmp_path: Path) -> None:
    state = State.deal(game(name).rules(), 9)
    seen, path = state.observe(), tmp_path / "position.json"
    path.write_text(seen.to_json())
    expected = str(move(seen, "random"))
    for position in (seen.to_text(), seen.to_json(), str(path), state.to_text()):
        assert run(["move", name, "--position", position, "--agent", "random"]).stdout.strip() == expected
    done = json.loads(run(["move", name, "--position", str(path), "--agent", "random", "--json"]).stdout)
    assert done["move"] == expected
    assert done["move"] in done["legal"]
    assert done["seat"] == seen.seat


def test_a_position_of_another_game_or_of_a_waiting_seat_has_no_move() -> None:
    state = State.deal(gin(), 9)
    done = run(["move", "indian", "--position", str(state.observe()), "--agent", "random"])
    assert (done.returncode, "this is a position of gin, not of indian" in done.stderr) == (2, True)
    waiting = state.observe(1 - (state.actor or 0))
    with pytest.raises(RummyError, match="is not to act in this position"):
        move(waiting, "simple")


# --- Positions in the documents -------------------------------------------------------------------------------------


def test_the_examples_of_the_guide_read_and_print_as_they_stand() -> None:
    guide = (ROOT / "docs/guides/positions.md").read_text()
    texts = [text.strip() for text in re.findall(r"```position\n(.*?)```", guide, re.DOTALL)]
    assert {text.split()[0] for text in texts} == set(GAMES)
    for text in texts:
        read: Callable[[str], Any] = Observation.parse if "; seat" in text else State.parse
        assert read(text).to_text() == text
    (value,) = re.findall(r"```json\n(.*?)```", guide, re.DOTALL)
    assert Observation.from_json(value).to_json() == value.strip()
    (program,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    exec(compile(program, "positions.md", "exec"), {})


def test_the_published_schema_is_generated_and_accepts_positions() -> None:
    import jsonschema

    path = ROOT / tables.POSITION_SCHEMA
    assert path.read_text() == tables.position_schema(), "run: make docs"
    checker = jsonschema.Draft202012Validator(position_schema())
    for name in GAMES:
        state = State.deal(game(name).rules(), 3)
        for _ in range(12):
            for value in (state.to_json(), state.observe().to_json()):
                checker.validate(json.loads(value))
            state.push(state.legal_actions[0])
        assert not checker.is_valid(json.loads(state.to_json()) | {"phase": "lunch"})
        assert not checker.is_valid(json.loads(state.to_json()) | {"memory": []})


# --- Our errors -----------------------------------------------------------------------------------------------------

WRONG: tuple[Any, ...] = (None, 7, "nonsense", 1.5, [], {}, Ellipsis, True, b"x")
PUBLIC = [name for name in rummylab.__all__ if name not in ("Agent", "RummyError", "Seat", "register_agent", "option")]


@pytest.mark.parametrize("name", PUBLIC)
def test_wrong_types_get_our_errors(name: str) -> None:
    """Call a public name, and the class methods of a public class, with wrong values in every required place."""
    found = getattr(rummylab, name)
    calls = {name: found}
    if isinstance(found, type):
        calls |= {
            part: value
            for part, value in inspect.getmembers(found, inspect.ismethod)
            if part[0] != "_" and part != "meld_codes"
        }
    for called in calls.values():
        required = [p for p in inspect.signature(called).parameters.values() if p.default is p.empty]
        n = max(1, sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in required))
        for value in WRONG:
            _refuses_or_takes(called, [value] * n)


def _refuses_or_takes(called: Callable[..., Any], values: list[Any]) -> None:
    try:
        called(*values)
    except RummyError:
        pass
    except TypeError as error:
        if "argument" not in str(error):  # Python's own, for a call that does not fit the signature, is all right
            raise


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_methods_refuse_wrong_types(value: Any) -> None:
    state, hand = State.deal(gin(), 1), Hand.parse("Ac 2c")
    calls: list[Callable[[], Any]] = [
        lambda: state.push(value),
        lambda: state.observe(value),
        lambda: state.legal_actions[value],
        lambda: hand & value,
        lambda: hand | value,
        lambda: hand - value,
        lambda: hand + value,
        lambda: match("gin", value, value),
        lambda: match("gin", "simple", "simple", rules=value, games=2, workers=1),
        lambda: move(state.observe(), value),
        lambda: belief(state.observe(), value),
        lambda: Record.of(state, value),
        lambda: play(value, [], 1),
        lambda: play(gin(), value, 1),
        lambda: agent(value, value),
        lambda: gin().deadwood(value),
        lambda: indian().min_dist(THIRTEEN, value),
    ]
    for call in calls:
        try:
            call()
        except (RummyError, IndexError):
            pass
        except Exception as error:
            raise AssertionError(f"{inspect.getsource(call).strip()} with {value!r}") from error


# --- Types and docstrings -------------------------------------------------------------------------------------------


def test_the_programs_of_the_readme_are_clean_under_mypy(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    program = "\n\n".join(blocks)
    assert "cast(" not in program
    path = tmp_path / "readme.py"
    path.write_text(program)
    # With the options of the style check, so that what it has read is not read again.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(path)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_public_name_has_a_docstring_and_so_have_its_methods() -> None:
    lacking = []
    for name in rummylab.__all__:
        found = getattr(rummylab, name)
        if not inspect.getdoc(found) and not isinstance(found, Seat.__class__):
            lacking.append(name)
        if isinstance(found, type):
            inherited = set(dir(rummylab.engine.rules.Rules)) if hasattr(found, "new_rows") else set()
            lacking += [
                f"{name}.{part}"
                for part, value in vars(found).items()
                if part not in inherited and _lacks_docstring(part, value)
            ]
    assert not lacking


def _lacks_docstring(name: str, value: Any) -> bool:
    if name.startswith("_") or isinstance(value, type):
        return False
    value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    return inspect.isfunction(value) and not inspect.getdoc(value)


def test_the_examples_in_docstrings_of_public_modules_run() -> None:
    homes = {getattr(rummylab, name).__module__ for name in rummylab.__all__} | {"rummylab.cards.bulk"}
    homes |= {"rummylab.engine.observation", "rummylab.engine.options", "rummylab.games.lookup"}
    results = [doctest.testmod(import_module(home)) for home in homes if home.startswith("rummylab.")]
    assert sum(result.attempted for result in results) > 20
    assert not sum(result.failed for result in results)


def test_every_method_of_the_protocols_that_others_implement_has_a_docstring() -> None:
    for path, names in (
        ("engine/rules.py", {"Rules"}),
        ("engine/agent.py", {"Agent"}),
        ("engine/spec.py", {"GameSpec"}),
    ):
        home = ROOT / "src/rummylab" / path
        for node in ast.parse(home.read_text()).body if home.exists() else ():
            if isinstance(node, ast.ClassDef) and node.name in names:
                methods = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name[0] != "_"]
                assert methods
                assert not [part.name for part in methods if ast.get_docstring(part) is None]
