"""Every error Rummylab raises on purpose.

RummyError
├── NotationError            a card, hand, deck, action or position that cannot be read
├── WrongTypeError           an argument of the wrong type
├── DeckError                cards that cannot come from the decks in play
├── OptionError              an option outside its range, an unknown preset
├── IllegalActionError       a move the rules forbid; the state is unchanged
├── RecordError              a game record that is damaged or does not replay
├── VectorError              a test-vector file that cannot be read
├── UnknownNameError         no such game, agent or preset; suggests the nearest
├── AgentError               an agent that misbehaves or cannot be loaded
├── ProtocolError            a line the bridge does not understand
├── StoreError               a results file that cannot be opened, read or written
├── ExperimentError          an experiment file that cannot be read or is inconsistent
├── DatasetError             training data that are damaged or were made with another configuration
├── ClusterError             a cluster that cannot be joined, fails, or runs different code
├── ArtifactError            a trained file that is damaged or of another version
├── TableError               a request that a table in the browser refuses
└── MissingExtraError        a feature whose optional packages are not installed
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable
from typing import Any, SupportsIndex


class RummyError(Exception):
    """The root: catch this to catch everything Rummylab raises on purpose."""


class NotationError(RummyError, ValueError):
    """A card, hand, deck, action or position that cannot be read."""


class WrongTypeError(RummyError, TypeError):
    """An argument of the wrong type."""


class DeckError(RummyError, ValueError):
    """Cards that cannot come from the decks in play: duplicates, missing cards, impossible orders."""


class OptionError(RummyError, ValueError):
    """An option outside its range, or a combination of options that cannot be played."""


class IllegalActionError(RummyError, ValueError):
    """A move the rules forbid. The state is unchanged."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message
        """Why the rules forbid it, without the move, the seat and the place, for a person at the table."""


class RecordError(RummyError, ValueError):
    """A game record that is damaged, truncated, or does not replay."""


class VectorError(RummyError, ValueError):
    """A file of test vectors that cannot be read."""


class AgentError(RummyError):
    """An agent that misbehaves or cannot be loaded."""


class ProtocolError(RummyError, ValueError):
    """A line of the bridge protocol that cannot be understood."""


class StoreError(RummyError, OSError):
    """A results file that cannot be opened, read or written. Nothing was overwritten."""


class ExperimentError(RummyError, ValueError):
    """An experiment file that cannot be read or is inconsistent. The message names the file and the key."""


class DatasetError(RummyError, ValueError):
    """Training data that are damaged, missing, or made with another configuration. Nothing was overwritten."""


class ClusterError(RummyError, RuntimeError):
    """A cluster that cannot be joined, fails, or runs different code."""


class ArtifactError(RummyError, ValueError):
    """A trained file (weights, tables) that is damaged or belongs to another version."""


class MissingExtraError(RummyError, ImportError):
    """A feature whose optional packages are not installed."""


class TableError(RummyError):
    """A request that a table refuses: a code for programs, a sentence for people."""

    def __init__(self, code: str, message: str, version: int | None = None) -> None:
        super().__init__(message)
        self.code, self.version = code, version

    def __reduce__(self) -> tuple[object, ...]:
        """Make the error picklable."""
        return type(self), (self.code, str(self), self.version)


class UnknownNameError(RummyError, LookupError):
    """A name that is not registered. The message suggests the nearest one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
        super().__init__(f"no {kind} named {name!r}; {hint}")
        self._made_of = kind, name, names

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, list[str]]]:
        return type(self), self._made_of  # makes the error picklable


def check_type(value: Any, kind: type[Any] | tuple[type[Any], ...], what: str, hint: str = "") -> None:
    """Raise `WrongTypeError` unless *value* is a *kind*; *what* names the argument, *hint* says what to pass.

    ``True`` and ``False`` do not count as numbers.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = hint or " or ".join(_name_of(one) for one in kinds)
        raise WrongTypeError(f"{what} must be {wanted}, not {_shown(value)}")


def whole(value: Any, what: str) -> int:
    """Return *value* as an ``int``, also where it is a NumPy integer; raise `WrongTypeError` for anything else."""
    if type(value) is int:
        return value
    check_type(value, SupportsIndex, what, "a whole number")
    return operator.index(value)


def _name_of(kind: type[Any]) -> str:
    return {"str": "text", "int": "a whole number", "NoneType": "None"}.get(kind.__name__, f"a {kind.__name__}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
