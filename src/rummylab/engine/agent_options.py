"""Options of an agent: numbers with names, checked when they are set and read by name in a kernel.

All compiled agents of a game have one type, so their options reach them as one float32 array, ``params``.
:meth:`AgentOptions.indices` names its places, and an index by name costs a kernel nothing::

    @dataclass(frozen=True, kw_only=True)
    class CautiousOptions(AgentOptions):
        knock_at: int = option(5, "Knock with at most this deadwood.", low=0, high=10)

    P = CautiousOptions.indices()

    def act(table, mine, params):
        knocks = deadwood <= params[P.knock_at]

Trained numbers of an agent, its *weights*, follow the options in ``params``: they begin at ``len(P)``.
"""

from __future__ import annotations

import dataclasses
import math
from collections import namedtuple
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from rummylab.errors import OptionError, UnknownNameError

T = TypeVar("T")

_LARGEST = 3.4e38  # what a float32 can hold


def option(default: T, meaning: str = "", *, low: float = -math.inf, high: float = math.inf) -> T:
    """Declare an option: its default, what it means, and the least and greatest value allowed.

    The type of *default* is the type of the option: ``int``, ``float`` or ``bool``; for an agent also the options of
    another agent, for a trainer also text or a path.
    """
    metadata = {"meaning": meaning, "low": low, "high": high}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True, slots=True)
class OptionInfo:
    """What there is to know about an option."""

    name: str
    default: float
    low: float
    high: float
    meaning: str

    @property
    def range(self) -> str:
        """The values allowed, in words."""
        if isinstance(self.default, bool):
            return "0 or 1"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if math.isinf(self.low) and math.isinf(self.high):
            return kind
        if math.isinf(self.high):
            return f"{kind}, at least {self.low:g}"
        return f"{kind} from {self.low:g} to {self.high:g}"

    def checked(self, value: Any, owner: str) -> float:
        """Return *value* in the type of the option; raise `OptionError` if it is not allowed."""
        kind = type(self.default)
        is_number = isinstance(value, int | float) and abs(value) <= _LARGEST
        low, high = (0, 1) if kind is bool else (self.low, self.high)
        if not is_number or not low <= value <= high or (kind is not float and value != int(value)):
            raise OptionError(f"Option {self.name} of {owner} is {value!r}, but must be {self.range}.")
        return kind(value)


@dataclasses.dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """Base class of an agent's options.

    A subclass is a frozen, keyword-only dataclass whose fields are made by :func:`option`. A field whose default is
    another agent's options contributes all of them, each under the field's name, an underscore and its own name.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not isinstance(field.default, AgentOptions):
                value = info_of(field).checked(value, type(self).__name__)
                object.__setattr__(self, field.name, value)

    @classmethod
    def infos(cls) -> tuple[OptionInfo, ...]:
        """Return every option, in the order of ``params``."""
        return cls().described()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the name of every option, in the order of ``params``."""
        return tuple(info.name for info in cls.infos())

    @classmethod
    def flat(cls) -> type[Any]:
        """Return a dataclass with the same names and no nesting, for readers of texts; flags are also numbers there."""
        types: Any = [(info.name, float | bool if isinstance(info.default, bool) else float) for info in cls.infos()]
        return dataclasses.make_dataclass(f"Flat{cls.__name__}", types)

    @classmethod
    def indices(cls) -> Any:
        """Return the place of every option in ``params``, as a named tuple that a kernel can read."""
        kind: Any = namedtuple(f"{cls.__name__}Index", cls.names())  # type: ignore[misc]
        return kind(*range(len(cls.names())))

    def described(self) -> tuple[OptionInfo, ...]:
        """Return every option with its value here as the default."""
        found: list[OptionInfo] = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, AgentOptions):
                prefix = f"{field.name}_"
                found += (dataclasses.replace(info, name=prefix + info.name) for info in value.described())
            else:
                found.append(dataclasses.replace(info_of(field), default=value))
        return tuple(found)

    def numbers(self) -> dict[str, float]:
        """Return the value of every option by name, in the order of ``params``."""
        return {info.name: info.default for info in self.described()}

    @property
    def params(self) -> tuple[float, ...]:
        """The value of every option as a number, in the order of ``params``."""
        return tuple(map(float, self.numbers().values()))

    def changed(self, changes: Mapping[str, float]) -> Self:
        """Return these options with some values changed.

        Raises:
            UnknownNameError: If there is no such option.
            OptionError: If a value is not allowed.
        """
        known = self.names()
        for name in changes:
            if name not in known:
                raise UnknownNameError("option", name, known)
        own: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, AgentOptions):
                prefix = f"{field.name}_"
                own[field.name] = value.changed(
                    {name.removeprefix(prefix): number for name, number in changes.items() if name.startswith(prefix)}
                )
            elif field.name in changes:
                own[field.name] = changes[field.name]
        return dataclasses.replace(self, **own)


def info_of(field: dataclasses.Field[Any]) -> OptionInfo:
    """Return what there is to know about the option that *field* declares."""
    if field.default is dataclasses.MISSING:
        raise OptionError(f"Option {field.name} needs a default.")
    about = {"meaning": "", "low": -math.inf, "high": math.inf, **field.metadata}
    return OptionInfo(field.name, field.default, about["low"], about["high"], about["meaning"])
