"""Agents declare themselves, and the index lists what they declare."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path

import numpy as np
import pytest

from rummylab import AgentOptions, Variant, agent, match, option, register_agent
from rummylab.agents import index
from rummylab.agents.registry import INDEX, entries, entry
from rummylab.errors import OptionError, UnknownNameError
from rummylab.games.gin.rules import MAX_LEGAL, legal_codes
from rummylab.games.registry import GAMES

# --- The index --------------------------------------------------------------------------------------------------------


def test_the_index_is_what_the_files_declare() -> None:
    listed = json.loads(INDEX.read_text())
    assert index.text_of(index.build(listed)) == INDEX.read_text(), "run python -m rummylab.agents.index --write"


def test_a_new_agent_is_listed_after_the_others_of_its_game() -> None:
    listed = json.loads(INDEX.read_text())
    before = {**listed, "agents": [row for row in listed["agents"] if row["name"] != "simple"]}
    gin = [row["name"] for row in index.build(before)["agents"] if row["game"] == "gin"]
    assert gin[-1] == "simple"
    assert [name for name in gin if name != "simple"] == [e.name for e in entries("gin") if e.name != "simple"]


def test_every_game_has_agents_and_every_agent_a_game() -> None:
    assert {found.game for found in entries()} == set(GAMES)


@pytest.mark.parametrize("found", entries(), ids=lambda found: f"{found.game}-{found.name}")
def test_a_summary_stands_alone(found) -> None:
    assert not {"same", "he", "him", "his"} & set(found.summary.lower().replace(",", " ").split())
    assert found.summary[0].isupper()
    assert not found.summary.endswith(".")
    assert found.source
    assert all(info.meaning.endswith(".") for info in found.options)


def test_an_agent_of_this_package_is_compiled_when_it_first_plays() -> None:
    def act(table, mine, params):
        return table.no_such_field

    act.__module__ = "rummylab.agents.gin.broken"  # code of others is compiled, and refused, at once
    broken = register_agent(game="gin", name="broken", summary="Does not compile.")(act)
    with pytest.raises(KeyError, match="no_such_field"):
        _ = broken.kernel


LISTING = """
import sys
sys.argv = ["rummylab", "agents", {arguments}]
from rummylab.cli.main import main
try:
    main()
except SystemExit:
    pass
heavy = [name for name in ("numba", "numpy", "rummylab.games.registry") if name in sys.modules]
sys.stderr.write(f"{{heavy}}")
"""


@pytest.mark.parametrize("arguments", ['"gin"', '"gin", "utility"', '"--json"'])
def test_listing_agents_imports_neither_numba_nor_numpy_nor_a_game(arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTING.format(arguments=arguments)], capture_output=True, text=True, check=True
    )
    assert "utility" in done.stdout
    assert done.stderr == "[]"


# --- Options ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Inner(AgentOptions):
    """Options of an agent."""

    knock_at: int = option(5, "Knock with at most this deadwood.", low=0, high=10)
    eager: bool = option(True, "1 to knock early.")


@dataclass(frozen=True, kw_only=True)
class Outer(AgentOptions):
    """Options of an agent that consults another one."""

    weight: float = option(0.5, "Weight of the other agent.", low=0)
    other: Inner = option(Inner())  # noqa: RUF009 - it is frozen


def test_options_are_frozen_and_take_keywords_only() -> None:
    with pytest.raises(FrozenInstanceError):
        Inner().knock_at = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        Inner(3)  # type: ignore[misc]


def test_nested_options_have_the_name_of_their_field_before_their_own() -> None:
    assert Outer.names() == ("weight", "other_knock_at", "other_eager")
    changed = Outer().changed({"other_knock_at": 3, "weight": 2})
    assert changed == Outer(weight=2.0, other=Inner(knock_at=3))
    assert changed.params == (2.0, 3.0, 1.0)
    assert [getattr(Outer.indices(), name) for name in Outer.names()] == [0, 1, 2]


def test_numbers_take_the_type_of_the_default() -> None:
    options = Inner(knock_at=4.0, eager=0)  # type: ignore[arg-type]
    assert (options.knock_at, options.eager) == (4, False)
    assert isinstance(options.knock_at, int)
    assert isinstance(options.eager, bool)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"knock_at": 11}, "knock_at of Inner is 11, but must be a whole number from 0 to 10"),
        ({"knock_at": 2.5}, "knock_at of Inner is 2.5, but must be a whole number"),
        ({"knock_at": float("nan")}, "knock_at of Inner is nan"),
        ({"eager": 2}, "eager of Inner is 2, but must be 0 or 1"),
        ({"knock_at": "many"}, "knock_at of Inner is 'many'"),
    ],
)
def test_an_option_out_of_range_is_refused(wrong, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Inner(**wrong)


def test_an_unknown_option_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'knock_at'"):
        Inner().changed({"knok_at": 1})


@pytest.mark.parametrize("name", ["utility(belief=0, samples=7)", "utility(belief=0 samples=7)"])
def test_options_in_brackets_are_separated_by_commas_or_blanks(name: str) -> None:
    found = agent("gin", name)
    assert found.name == name
    assert found.params[8:10].tolist() == [7, 0]


def test_positional_options_of_old_stores_still_resolve() -> None:
    assert agent("indian", "mindist-opp(4)").params.tolist() == [4]
    assert agent("indian", "mindist(0 1)").params.tolist() == [0, 1]
    assert agent("gin", "fitness-cfr(15 1)").params[:2].tolist() == [15, 1]
    assert agent("gin", "utility-search(utility_belief=2)").params[5 + 9] == 2


def test_an_entry_describes_the_options_of_a_variant() -> None:
    found = entry("indian", "minscore-drop")
    assert found.variant_of == "minscore"
    assert [(info.name, info.default, info.range) for info in found.options] == [
        ("drop_at", 80, "a whole number, at least 0")
    ]


# --- An agent of your own ---------------------------------------------------------------------------------------------


def _declare():
    places = Inner.indices()

    @register_agent(
        game="gin",
        source="a test",
        options=Inner,
        weights=lambda options: [options.knock_at * 10.0],
        variants={"first-legal-9": Variant(summary="Nine", source="a test", options=Inner(knock_at=9))},
    )
    def first_legal(table, mine, params):
        """Make the first legal move."""
        codes = np.empty(MAX_LEGAL, np.int16)
        legal_codes(table, mine, codes)
        mine.memory[0] = np.int64(params[places.knock_at])
        return np.int64(codes[0])

    return first_legal


def test_a_declared_kernel_is_an_agent_with_variants_options_and_weights() -> None:
    found = _declare()
    assert (found.name, found.declaration.summary) == ("first-legal", "Make the first legal move.")
    assert found.params.tolist() == [5, 1, 50]
    assert found.configured("first-legal-9").params.tolist() == [9, 1, 90]
    assert found.configured(changes={"knock_at": "3"}).name == "first-legal(knock_at=3)"
    assert found.configured(changes={"knock_at": "3"}).params.tolist() == [3, 1, 30]
    with pytest.raises(UnknownNameError, match="did you mean 'first-legal-9'"):
        found.configured("first-legal-8")
    assert not match("gin", found, "random", games=2, workers=1).faults


def test_a_declared_agent_reaches_another_process_with_its_numbers() -> None:
    found = pickle.loads(pickle.dumps(agent("indian", "mindist-outs-drop")))
    assert np.array_equal(found.params, agent("indian", "mindist-outs-drop").params)


def test_a_declared_class_stays_a_class() -> None:
    @register_agent(game="gin", name="plain", summary="Plain")
    class Plain:
        def sit(self, rules, seat, rng) -> None:
            pass

        def act(self, seen):
            return seen.legal[0]

    assert Plain.declaration.name == Plain().name == "plain"  # type: ignore[attr-defined]


def test_options_of_another_kind_are_refused() -> None:
    with pytest.raises(OptionError, match="derived from AgentOptions"):
        register_agent(game="gin", options=dict)(lambda table, mine, params: 0)  # type: ignore[arg-type]


FILE = """
from dataclasses import dataclass
from rummylab import AgentOptions, Variant, option, register_agent

@dataclass(frozen=True, kw_only=True)
class Mine(AgentOptions):
    code: int = option(0, "The code to return.")

P = Mine.indices()

@register_agent(game="gin", options=Mine, variants={"other": Variant(summary="x", source="x", options=Mine(code=2))})
def mine(table, mine, params):
    return int(params[P.code])
"""


@pytest.mark.parametrize(("name", "code"), [("mine", 0), ("mine(code=1)", 1), ("other", 2), ("other(code=3)", 3)])
def test_a_file_offers_its_agents_with_variants_and_options(tmp_path: Path, name: str, code: int) -> None:
    from rummylab.arena.host import load

    path = tmp_path / "mine.py"
    path.write_text(FILE)
    assert load(f"{path}:{name}").params.tolist() == [code]
