"""Options of games and agents: checks, presets, TOML, and the call notation ``platform(decks=2)``.

One parser reads the call notation wherever it appears: rules (``platform(decks=2)``) and agents
(``utility(belief=0, samples=100)``).
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, get_args, get_type_hints

from rummylab.engine.reading import parse_toml
from rummylab.errors import OptionError, UnknownNameError, check_type

_SEPARATOR: Final = re.compile(r"[,\s]+")
_NAMED: Final = re.compile(r"(?P<name>[^\W\d]\w*)\s*=\s*")
_QUOTED: Final = re.compile(r"""(["'])(?P<value>.*?)\1""")
_WORDS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parse_call(text: str) -> tuple[str, dict[str, str]]:
    """Return the name and the options of *text*, such as ``utility(belief=0, samples=100)``.

    Options are separated by commas or blanks. A value runs up to the next separator that starts another option, so
    it may contain blanks; quotes allow any text. A value without a name is stored under its position, from 1.
    :func:`convert` turns the texts into typed values.

    >>> parse_call("platform(decks=2 joker_indicator=aces wild)")
    ('platform', {'decks': '2', 'joker_indicator': 'aces wild'})
    >>> parse_call("mindist(4)")
    ('mindist', {'1': '4'})

    Raises:
        OptionError: If the brackets do not match, the name is missing or an option is given twice.
    """
    check_type(text, str, "a name with options", "text such as 'platform(decks=2)'")
    name, bracket, rest = text.strip().partition("(")
    name, rest = name.strip(), rest.rstrip()
    if not name:
        raise OptionError(f"{text!r} has no name before its options. Write it like this: platform(decks=2)")
    if not bracket:
        return name, {}
    if not rest.endswith(")"):
        raise OptionError(f"The bracket in {text!r} is not closed. Write it like this: {name}(option=value)")
    options: dict[str, str] = {}
    for option, value in _split(rest[:-1].strip(" ,"), text):
        if option in options:
            raise OptionError(f"Option {option} appears twice in {text!r}.")
        options[option] = value
    return name, options


def _split(inside: str, text: str) -> list[tuple[str, str]]:
    """Return names and values of the options *inside* the brackets of *text*."""
    found: list[tuple[str, str]] = []
    at, n_unnamed = 0, 0
    while at < len(inside):
        named = _NAMED.match(inside, at)
        at = named.end() if named else at
        quoted = _QUOTED.match(inside, at)
        value, at = (quoted["value"], quoted.end()) if quoted else _plain_value(inside, at, bool(named))
        if not quoted and (not value or "(" in value or ")" in value):
            raise OptionError(f"{text!r} has an option without a readable value. Write it like this: (option=value)")
        n_unnamed += not named
        found.append((named["name"] if named else str(n_unnamed), value))
        separator = _SEPARATOR.match(inside, at)
        if at < len(inside) and separator is None:
            raise OptionError(f"{text!r} needs a comma or a blank after {inside[:at]!r}.")
        at = separator.end() if separator else at
    return found


def _plain_value(inside: str, start: int, named: bool) -> tuple[str, int]:
    """Return the value that starts at *start*, and where it ends; only a *named* one may contain blanks."""
    end = start
    while end < len(inside):
        separator = _SEPARATOR.match(inside, end)
        if separator is None:
            end += 1
        elif not named or "," in separator[0] or _NAMED.match(inside, separator.end()):
            break
        else:
            end = separator.end()
    return inside[start:end], end


def convert(kind: type[Any], options: Mapping[str, str], owner: str) -> dict[str, Any]:
    """Return the texts of :func:`parse_call` as values of the types that the dataclass *kind* declares.

    Fields may be ``int``, ``float``, ``bool`` or ``str``, also with ``| None``. A position counts the fields in order.
    *owner* names the game or agent in errors.

    Raises:
        UnknownNameError: If *kind* has no such field.
        OptionError: If a text does not read as a value of the field's type.
    """
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    former, hints = getattr(kind, "FORMER", {}), _hints_of(kind)  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, text in options.items():
        name = names[int(key) - 1] if key.isdecimal() and int(key) <= len(names) else former.get(key, key)
        if name.isdecimal():
            raise OptionError(f"{owner} takes {len(names)} options, not {name}.")
        if name not in names:
            raise UnknownNameError(f"option of {owner}", name, names)
        if name in values:
            raise OptionError(f"{owner} got option {name} twice.")
        if key.isdecimal() and text in names:
            example = "true" if bool in (get_args(hints[text]) or (hints[text],)) else "..."
            raise OptionError(f"Option {text} of {owner} needs a value. Write it like this: {text}={example}")
        values[name] = _value_of(name, text, hints[name], owner)
    return values


@cache
def _hints_of(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _value_of(name: str, text: str, hint: Any, owner: str) -> Any:
    """Return *text* as a value of type *hint*."""
    parts = get_args(hint) or (hint,)
    if type(None) in parts and text.lower() == "none":
        return None
    if bool in parts and text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        if int in parts:
            return int(text)
        if float in parts:
            number = float(text)
            if math.isfinite(number):
                return number
    except ValueError:
        pass
    if str in parts:
        return text
    wanted = next((words for one, words in _WANTED.items() if one in parts), "another value")
    raise OptionError(f"Option {name} of {owner} takes {wanted}, not {text!r}.")


_WANTED: Final[Mapping[type, str]] = {int: "a whole number", float: "a finite number", bool: "true or false"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """Base class of a game's options, which are frozen and checked on creation.

    A subclass lists its fields, whole numbers by `option` with their range, its presets in ``PRESETS`` and the allowed
    words of each text in ``CHOICES``.
    """

    KIND: ClassVar[str] = "preset"
    """What a name in ``PRESETS`` is called in errors."""
    LEADING: ClassVar[tuple[str, ...]] = ("seats",)
    """Options that bring other defaults with them."""
    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    FORMER: ClassVar[Mapping[str, str]] = {}
    """Names that options had before, with their names now: old records, positions, stores and TOML files load."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            self._check(field, field.name, getattr(self, field.name))

    def _check(self, field: dataclasses.Field[Any], name: str, value: Any) -> None:
        if type(value) is not type(field.default):
            raise OptionError(f"option {name} must be {_WANTED.get(type(field.default), 'text')}, not {value!r}")
        if name in self.CHOICES and value not in self.CHOICES[name]:
            raise OptionError(f"option {name} is {value!r}, but must be one of {', '.join(self.CHOICES[name])}")
        if field.metadata and not field.metadata["low"] <= value <= field.metadata["high"]:
            between = f"{field.metadata['low']} and {field.metadata['high']}"
            raise OptionError(f"option {name} is {value}, but must lie between {between}")

    if not TYPE_CHECKING:  # a misspelled option is still an error for mypy

        def __getattr__(self, name: str) -> Any:
            """Return the option that was called *name* before."""
            if name in type(self).FORMER:
                return getattr(self, type(self).FORMER[name])
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}", name=name, obj=self)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Return the preset *name*, with some options changed.

        Raises:
            UnknownNameError: There is no such preset or option.
            OptionError: A value is outside its range.
        """
        check_type(name, str, f"a {cls.KIND}")
        if name not in cls.PRESETS:
            raise UnknownNameError(cls.KIND, name, cls.PRESETS)
        return cls.from_dict({**cls.PRESETS[name], **cls.renamed(changes)})

    @classmethod
    def parse(cls, text: str, **changes: Any) -> Self:
        """Return the options that *text* describes: a preset, perhaps with changes, such as ``platform(decks=2)``.

        Raises:
            UnknownNameError: If there is no such preset or option.
            OptionError: If a value is not allowed.
        """
        name, options = parse_call(text)
        return cls.preset(name, **{**convert(cls, options, name), **cls.renamed(changes)})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return options with the given *values* and defaults for the rest.

        Raises:
            UnknownNameError: If an option does not exist.
            OptionError: If a value is not allowed.
        """
        values = cls.renamed(values)
        known = {field.name for field in dataclasses.fields(cls)}
        for name in values:
            if name not in known:
                raise UnknownNameError("option", name, known)
        return cls(**values)

    @classmethod
    def renamed(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return *values* under the names that the options have now.

        Raises:
            OptionError: If an option is given under its name and a former one.
        """
        check_type(values, Mapping, "options", "a mapping of names and values")
        found: dict[str, Any] = {}
        for former, value in values.items():
            name = cls.FORMER.get(former, former)
            if name in found:
                raise OptionError(f"option {name} is given twice, once under its former name")
            found[name] = value
        return found

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Read options from TOML: ``knock_limit = 10``."""
        return cls.from_dict(parse_toml(text, OptionError, "options"))

    @property
    def cards_in_play(self) -> tuple[int, int]:
        """Number of decks of 52 cards, and of printed jokers."""
        return 1, 0

    def to_dict(self) -> dict[str, Any]:
        """Return every option by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # all values are plain

    def to_toml(self) -> str:
        """Return the options as TOML; :meth:`from_toml` reads them back."""
        return "".join(f"{name} = {_toml(value)}\n" for name, value in self.to_dict().items())

    def __str__(self) -> str:
        """Return the nearest preset with the changes to it, as :meth:`parse` reads it."""
        return _call_of(self)

    def changes_to(self, name: str) -> dict[str, Any]:
        """Return what turns the preset *name* into these options; `LEADING` options bring other defaults with them."""
        mine, base = self.to_dict(), self.preset(name).to_dict()
        changes = {option: mine[option] for option in self.LEADING if mine.get(option) != base.get(option)}
        base = self.preset(name, **changes).to_dict()
        return changes | {option: value for option, value in mine.items() if value != base[option]}

    def preset_name(self) -> str:
        """Return the preset these options equal, or ``custom``."""
        return next((name for name in self.PRESETS if self.preset(name) == self), "custom")


@lru_cache(maxsize=256)
def _call_of(options: Options) -> str:
    """Return *options* as a call. Making every preset takes a while, and a table asks at every move."""
    calls = [(name, options.changes_to(name)) for name in options.PRESETS]
    name, changes = min(calls, key=lambda call: len(call[1]))
    inside = ", ".join(f"{option}={_call_value(value)}" for option, value in changes.items())
    return f"{name}({inside})" if inside else name


def _call_value(value: Any) -> str:
    """Return *value* as it is written in a call: as in TOML, but most texts need no quotes."""
    return value if isinstance(value, str) and not re.search(r"[,\s()=]", value) else _toml(value)


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
