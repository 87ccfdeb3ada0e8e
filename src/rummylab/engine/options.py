"""What every game's options dataclass shares: checks, presets, and a text form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from rummylab.engine.reading import parse_toml
from rummylab.errors import OptionError, UnknownNameError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """Base of the frozen options of a game.

    A subclass lists its fields with defaults, names its presets in ``PRESETS`` and the allowed range of each whole
    number in ``RANGES``. Text fields list their words in ``CHOICES``.
    """

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    RANGES: ClassVar[Mapping[str, tuple[int, int]]] = {}
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check(field.name, getattr(self, field.name), field.default)

    def _check(self, name: str, value: Any, default: Any) -> None:
        if type(value) is not type(default):
            raise OptionError(f"option {name} takes {type(default).__name__} values, not {value!r}")
        if name in self.CHOICES and value not in self.CHOICES[name]:
            raise OptionError(f"option {name} is {value!r}, but must be one of {', '.join(self.CHOICES[name])}")
        if name in self.RANGES:
            low, high = self.RANGES[name]
            if not low <= value <= high:
                raise OptionError(f"option {name} is {value}, but must lie between {low} and {high}")

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Return the preset *name*, with some options changed."""
        if name not in cls.PRESETS:
            raise UnknownNameError("preset", name, cls.PRESETS)
        return cls.from_dict({**cls.PRESETS[name], **changes})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        known = {field.name for field in dataclasses.fields(cls)}
        for name in values:
            if name not in known:
                raise UnknownNameError("option", name, known)
        return cls(**values)

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read options from TOML: ``knock_limit = 10``."""
        return cls.from_dict(parse_toml(text, OptionError, "options"))

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def to_toml(self) -> str:
        """Return the options as TOML; :meth:`from_toml` reads them back."""
        return "".join(f"{name} = {_toml(value)}\n" for name, value in self.to_dict().items())

    def preset_name(self) -> str:
        """Return the preset these options equal, or ``custom``."""
        return next((name for name in self.PRESETS if self.preset(name) == self), "custom")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
