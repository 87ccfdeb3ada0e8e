"""Every error Rummylab raises on purpose.

RummyError
├── NotationError            a card, hand, deck or action that cannot be read
├── DeckError                cards that cannot come from the decks in play
├── OptionError              an option outside its range, an unknown preset
├── IllegalActionError       a move the rules forbid; the state is unchanged
├── RecordError              a game record that is damaged or does not replay
├── VectorError              a test-vector file that cannot be read
├── UnknownNameError         no such game, agent or preset; suggests the nearest
├── AgentError               an agent that misbehaves or cannot be loaded
├── ProtocolError            a line the bridge does not understand
├── StoreError               a results file that cannot be opened, read or written
├── ExperimentError          an experiment file that cannot be read or makes no sense
├── DatasetError             training data that are damaged or belong to another configuration
├── ClusterError             a cluster that cannot be joined, fails, or has other code than we
├── ArtifactError            a trained file that is damaged or of another version
└── MissingExtraError        a feature whose optional packages are not installed
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RummyError(Exception):
    """The root: catch this to catch everything Rummylab raises on purpose."""


class NotationError(RummyError, ValueError):
    """A card, hand, deck or action that cannot be read."""


class DeckError(RummyError, ValueError):
    """Cards that cannot come from the decks in play: duplicates, missing cards, impossible orders."""


class OptionError(RummyError, ValueError):
    """An option outside its range, or a combination that makes no game."""


class IllegalActionError(RummyError, ValueError):
    """A move the rules forbid. The state is unchanged."""


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
    """An experiment file that cannot be read or makes no sense: the message names the file and the key."""


class DatasetError(RummyError, ValueError):
    """Training data that are damaged, missing, or made with another configuration. Nothing was overwritten."""


class ClusterError(RummyError, RuntimeError):
    """A cluster that cannot be joined, fails, or whose machines have other code than this one."""


class ArtifactError(RummyError, ValueError):
    """A trained file (weights, tables) that is damaged or belongs to another version."""


class MissingExtraError(RummyError, ImportError):
    """A feature whose optional packages are not installed."""


class UnknownNameError(RummyError, LookupError):
    """A name nobody registered."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
        super().__init__(f"no {kind} named {name!r}; {hint}")
        self._made_of = kind, name, names

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, list[str]]]:
        return type(self), self._made_of  # so that it can come home from another process
