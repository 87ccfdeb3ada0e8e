"""Options: frozen, checked, readable as TOML."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from rummylab import ContractOptions, GinOptions, IndianOptions
from rummylab.engine.options import Options, convert, parse_call
from rummylab.errors import OptionError, UnknownNameError
from rummylab.games.registry import game


@pytest.mark.parametrize("preset", GinOptions.PRESETS)
def test_options_read_back_from_toml(preset: str) -> None:
    options = GinOptions.preset(preset)
    assert GinOptions.from_toml(options.to_toml()) == options
    assert options.preset_name() == preset


def test_changed_options_are_custom() -> None:
    assert GinOptions.preset("eaai", knock_limit=5).preset_name() == "custom"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"knock_limit": -1}, "knock_limit is -1, but must lie between 0 and 100"),
        ({"knock_limit": "ten"}, "knock_limit must be a whole number, not 'ten'"),
        ({"tie_undercuts": 1}, "tie_undercuts must be true or false, not 1"),
        ({"layoffs": "nobody"}, "layoffs is 'nobody', but must be one of official, defender"),
        ({"knock_card": True, "oklahoma": True}, "exclude each other"),
        ({"turn_cap": 0}, "may never end"),
    ],
)
def test_wrong_values_are_refused_by_name(changes: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        GinOptions.preset("eaai", **changes)
    assert message in str(error.value)


def test_an_unknown_option_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="no option named 'knok_limit'; did you mean 'knock_limit'"):
        GinOptions.preset("eaai", knok_limit=3)
    with pytest.raises(OptionError, match="not valid TOML"):
        GinOptions.from_toml("knock_limit = ")


@pytest.mark.parametrize(
    ("options", "former", "name", "value"),
    [
        (GinOptions, "lay_offs", "layoffs", "defender"),
        (GinOptions, "lay_off_reach", "layoff_reach", 3),
        (GinOptions, "last_up_card", "last_upcard", True),
        (GinOptions, "up_card_cap", "upcard_cap", 7),
        (ContractOptions, "wild_up_card", "wild_upcard", False),
    ],
)
def test_former_names_of_options_are_read_and_new_ones_written(
    options: type[Options], former: str, name: str, value: Any
) -> None:
    default = next(iter(options.PRESETS))
    text = str(value).lower()
    toml = f'"{value}"' if isinstance(value, str) else text
    wanted = options.preset(default, **{name: value})
    assert wanted != options.preset(default)
    for found in (
        options.preset(default, **{former: value}),
        options.from_dict({former: value}),
        options.from_toml(f"{former} = {toml}"),
        options.parse(f"{default}({former}={text})"),
    ):
        assert found == wanted
    assert former not in wanted.to_toml()
    assert getattr(wanted, former) == value
    with pytest.raises(OptionError, match=f"option {name} is given twice, once under its former name"):
        options.from_dict({former: value, name: value})


def test_a_former_name_changes_a_preset_that_sets_the_option() -> None:
    assert GinOptions.preset("classic", lay_offs="official").layoffs == "official"
    assert game("gin").rules(GinOptions.preset("classic"), lay_offs="official").options.layoffs == "official"


def test_options_cannot_be_changed_in_place() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        GinOptions().knock_limit = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("eaai", "eaai", {}),
        (" eaai ", "eaai", {}),
        ("eaai()", "eaai", {}),
        ("utility(belief=0, samples=100)", "utility", {"belief": "0", "samples": "100"}),
        ("utility(belief=0 samples=100)", "utility", {"belief": "0", "samples": "100"}),
        ("utility( belief = 0 ,samples= 100, )", "utility", {"belief": "0", "samples": "100"}),
        (
            "platform(joker_indicator=aces wild decks=2)",
            "platform",
            {"joker_indicator": "aces wild", "decks": "2"},
        ),
        ("contract-7(contract='2S3 | R4, R4')", "contract-7", {"contract": "2S3 | R4, R4"}),
        ("mindist(4 0)", "mindist", {"1": "4", "2": "0"}),
        ("mindist(4, opp=1)", "mindist", {"1": "4", "opp": "1"}),
    ],
)
def test_a_call_is_a_name_with_options_between_commas_or_blanks(text: str, name: str, options: dict[str, str]) -> None:
    assert parse_call(text) == (name, options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(decks=2)", "has no name before its options"),
        ("platform(decks=2", "is not closed"),
        ("platform(decks=)", "without a readable value"),
        ("platform(decks=2, decks=1)", "decks appears twice"),
        ("platform(decks=(2))", "without a readable value"),
        ("platform(a='b'c=2)", "needs a comma or a blank"),
    ],
)
def test_a_call_that_cannot_be_read_says_where(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_call(text)


def test_rules_in_call_notation_are_typed_by_the_options() -> None:
    assert IndianOptions.parse("platform(decks=2, pile_jokers=yes)") == IndianOptions.preset(
        "platform", decks=2, pile_jokers=True
    )
    assert IndianOptions.parse("paper(joker_indicator=aces wild)").joker_indicator == "aces wild"
    with pytest.raises(OptionError, match="decks of platform takes a whole number, not 'two'"):
        IndianOptions.parse("platform(decks=two)")
    with pytest.raises(OptionError, match="pile_jokers of platform takes true or false, not '1'"):
        IndianOptions.parse("platform(pile_jokers=1)")
    with pytest.raises(UnknownNameError, match="did you mean 'decks'"):
        IndianOptions.parse("platform(deck=2)")
    with pytest.raises(OptionError, match="seats is 9, but must lie between 2 and 6"):
        IndianOptions.parse("platform(seats=9)")


def test_an_option_without_a_value_is_told_how_to_write_it() -> None:
    with pytest.raises(OptionError, match="Write it like this: pile_jokers=true"):
        IndianOptions.parse("platform(pile_jokers)")
    with pytest.raises(OptionError, match="decks of platform needs a value"):
        IndianOptions.parse("platform(decks)")


def test_positions_count_the_fields_of_the_options_in_order() -> None:
    @dataclasses.dataclass(frozen=True)
    class Level:
        level: int = 1
        speed: float = 0.5
        target: int | None = None

    assert convert(Level, {"1": "4", "speed": "2", "target": "none"}, "champion") == {
        "level": 4,
        "speed": 2.0,
        "target": None,
    }
    with pytest.raises(OptionError, match="champion takes 3 options, not 4"):
        convert(Level, {"4": "1"}, "champion")
    with pytest.raises(OptionError, match="champion got option level twice"):
        convert(Level, {"1": "4", "level": "5"}, "champion")
    with pytest.raises(OptionError, match="speed of champion takes a finite number, not 'inf'"):
        convert(Level, {"speed": "inf"}, "champion")


@pytest.mark.parametrize(
    "text",
    ["paper", "platform(decks=2)", 'paper(joker_indicator="aces wild")', "platform(seats=3)", "paper(cap=60)"],
)
def test_options_print_as_the_nearest_preset_and_read_back(text: str) -> None:
    options = IndianOptions.parse(text)
    assert str(options) == text
    assert IndianOptions.parse(str(options)) == options
