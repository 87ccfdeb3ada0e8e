"""Options: frozen, checked, readable as TOML."""

from __future__ import annotations

import dataclasses

import pytest

from rummylab import GinOptions
from rummylab.errors import OptionError, UnknownNameError


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
        ({"knock_limit": "ten"}, "knock_limit takes int values, not 'ten'"),
        ({"tie_undercuts": 1}, "tie_undercuts takes bool values, not 1"),
        ({"lay_offs": "nobody"}, "lay_offs is 'nobody', but must be one of official, defender"),
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


def test_options_cannot_be_changed_in_place() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        GinOptions().knock_limit = 3  # type: ignore[misc]
