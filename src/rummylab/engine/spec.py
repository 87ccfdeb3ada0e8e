"""What a game declares about itself, once: the registry, the commands, the terminal and the documents read it here.

A game is a package with the same modules as every other: ``spec`` (this declaration), ``options``, ``melds``,
``rules`` (kernels), ``view`` (rules object and observation), ``evaluate`` (what a hand is worth) and ``batch`` (whole
games in one call). Importing a specification imports neither Numba nor the kernels: modules load when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from rummylab.engine.options import Options
from rummylab.errors import OptionError

if TYPE_CHECKING:
    import numpy as np

    from rummylab.engine.observation import Observation
    from rummylab.engine.rules import Rules

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@cache  # a table asks for the kernels at every move
def _module(package: str, part: str) -> Any:
    return import_module(f"{package}.{part}")


@cache
def _member(package: str, part: str, name: str) -> Any:
    return getattr(_module(package, part), name)


@dataclass(frozen=True, slots=True)
class Verb:
    """A kind of action: its words, how the kernels number it, and what it means."""

    words: str
    """What an action of this kind begins with, such as ``draw stock``."""
    code: str
    """Name of the constant in the game's ``rules`` with the code of the action, or with the first of its codes."""
    meaning: str
    """What it does, for the documents."""
    takes: str = ""
    """What follows the words: nothing, ``CARD``, ``CARD on meld N`` or ``CARDS`` (a meld)."""
    formula: str = ""
    """How the code follows from what the action takes, where it is not the first code plus the card."""
    former: tuple[str, ...] = ()
    """Words that earlier records use for it. They are still read."""
    kind: str = ""
    """What tells it from another verb of the same words, such as ``a set``."""

    @property
    def pattern(self) -> str:
        """The action in the documents: ``discard CARD``."""
        return f"{self.words} {self.takes}".rstrip() + (f" ({self.kind})" if self.kind else "")


@dataclass(frozen=True, slots=True)
class Workload:
    """Whole games that the benchmark of a game plays and times."""

    figure: str
    """Name of the result. It ends in ``decisions_per_s`` to count decisions; otherwise hands are counted."""
    agents: tuple[str, ...]
    """Agents at the table, one for each seat."""
    games: int
    """Games to play; at the Python table, matches."""
    what: str
    """What is counted, for the documents."""
    table: bool = False
    """Play at the Python table, not in the batch kernel."""
    rules: str = ""
    """Rules to play by, if not the first preset."""
    all_pairs: bool = False
    """Play every ordered pair of *agents*, *games* each, instead of one table with all of them."""


class Evaluation(Protocol):
    """What a hand is worth, for people and for programs."""

    def lines(self, style: str = "unicode") -> Sequence[str]:
        """Return the evaluation as text; *style* is the format of cards: ``text``, ``unicode`` or ``color``."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values, ready for JSON."""
        ...


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    """The declaration of a game."""

    name: str
    """Name in folder, registry, command line and documents."""
    title: str
    """Name for people, such as ``Gin Rummy``."""
    package: str
    """Package of the game, ``__package__`` in its ``spec`` module."""
    options: type[Options]
    """Class of the options, with the presets."""
    verbs: tuple[Verb, ...]
    """Every kind of action."""
    rules_class: str
    """Name of the class in ``view`` that is the rules object."""
    view_class: str
    """Name of the class in ``view`` that is the observation."""
    seats: range = range(2, 3)
    """Possible numbers of seats."""
    version: int = 1
    """Version of the rules' behavior. It moves when a result could change, never for speed."""
    opponent: str = "random"
    """Agent that a person plays against unless told otherwise."""
    opponents: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Presets under which another agent takes its place."""
    jokers: bool = False
    """Whether printed jokers may be in play."""
    situation: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """What the evaluation of a hand asks beside the cards (``wild``, ``dead``), with a line of help."""
    hand_rules: str = ""
    """Rules by which hands are evaluated unless told otherwise; empty: the first preset."""
    formats: type[Options] | None = None
    """Class of the formats, in which several deals make a match, with the presets."""
    format_rules: str = ""
    """Rules that a format is played by unless told otherwise."""
    match_for_people: Callable[[int], Mapping[str, Any]] = lambda seats: {}
    """Options of a match between people by the number of seats, where the first preset's match is for measuring."""
    format_for_people: str = ""
    """Format that people at the terminal play unless they choose rules or a format."""
    help: str = ""
    """Lines to add to the help at the table."""
    sentence: str = ""
    """What the game is about, in a line for people who choose one."""
    picture: tuple[str, ...] = ()
    """Cards to draw on its tile."""
    titles: Mapping[str, tuple[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    """Names for people and a line about each preset and format."""
    workloads: tuple[Workload, ...] = ()
    """What the benchmark plays."""

    # --- Names --------------------------------------------------------------------------------------------------------

    @property
    def presets(self) -> tuple[str, ...]:
        """Names of the presets; the first is the default."""
        return tuple(self.options.PRESETS)

    @property
    def players(self) -> str:
        """How many play, in words: ``two players`` or ``two to six players``."""
        least, most = self.seats[0], self.seats[-1]
        return f"{_NUMBERS[least]} players" if least == most else f"{_NUMBERS[least]} to {_NUMBERS[most]} players"

    @property
    def summary(self) -> str:
        """Title and number of players: ``Gin Rummy, two players``."""
        return f"{self.title}, {self.players}"

    @property
    def public(self) -> tuple[str, ...]:
        """Names that :mod:`rummylab` offers for this game: the rules class, the options class and the factory."""
        return self.rules_class, self.options.__name__, self.name

    def public_name(self, name: str) -> Any:
        """Return what one of the names in :attr:`public` stands for."""
        return self.options if name == self.options.__name__ else getattr(self.module("view"), name)

    # --- Modules ------------------------------------------------------------------------------------------------------

    def module_name(self, part: str) -> str:
        """Return the full name of the module *part* of the game, such as ``rummylab.games.gin.rules``."""
        return f"{self.package}.{part}"

    def module(self, part: str) -> Any:
        """Import and return the module *part* of the game."""
        return _module(self.package, part)

    def has(self, part: str) -> bool:
        """Return whether the game has a module *part*, without importing it."""
        return find_spec(self.module_name(part)) is not None

    @property
    def kernels(self) -> Any:
        """The compiled rules: records, codes, and functions on positions."""
        return _module(self.package, "rules")

    @property
    def batch(self) -> Any:
        """The module that plays whole games in one call; importing it may compile."""
        return self.module("batch")

    @property
    def record(self) -> np.dtype[np.void]:
        """The record of a whole position, hidden cards included."""
        dtype: np.dtype[np.void] = self.kernels.RECORD
        return dtype

    @property
    def act_signature(self) -> Any:
        """The Numba signature of a compiled agent."""
        return self.kernels.ACT

    @property
    def observation(self) -> type[Observation]:
        """The class of observations."""
        found: type[Observation] = _member(self.package, "view", self.view_class)
        return found

    # --- What it does -------------------------------------------------------------------------------------------------

    def rules(self, text: str | Options | None = None, **changes: Any) -> Rules:
        """Return the rules that *text* describes, with some options changed.

        *text* is a preset, a call such as ``platform(decks=2)``, the options themselves, or nothing: the first preset.

        Raises:
            UnknownNameError: If there is no such preset or option.
            OptionError: If a value is not allowed.
        """
        factory: Callable[[Options], Rules] = getattr(self.module("view"), self.rules_class)
        return factory(self.read_options(text, **changes))

    def read_options(self, text: str | Options | None = None, **changes: Any) -> Options:
        """Return the options that *text* describes, as :meth:`rules` reads it; nothing is compiled.

        Raises:
            OptionError: An option is outside its range, or *text* has options of another game.
            UnknownNameError: There is no such preset or option.
        """
        if isinstance(text, Options):
            if not isinstance(text, self.options):
                raise OptionError(f"{self.title} takes {self.options.__name__}, not {type(text).__name__}.")
            return self.options.from_dict({**text.to_dict(), **self.options.renamed(changes)}) if changes else text
        return self.options.parse(text or self.presets[0], **changes)

    def in_format(self, text: str | None, form: str | None) -> str | None:
        """Return the rules *text* with the format *form*, such as ``pool-101``, as one text.

        Raises:
            OptionError: If the game has no formats.
            UnknownNameError: If there is no such preset or format.
        """
        if form is None:
            return text
        if self.formats is None:
            raise OptionError(f"{self.title} has no formats; leave out the format {form!r}.")
        return str(self.read_options(text or self.format_rules, format=form))

    def title_of(self, name: str) -> tuple[str, str]:
        """Return what people call a preset or a format, and a line about it."""
        return self.titles.get(name, (name.replace("-", " ").capitalize(), ""))

    def opponent_for(self, options: Options) -> str:
        """Return the agent that a person plays against by these rules, unless told otherwise."""
        return self.opponents.get(str(options).partition("(")[0], self.opponent)

    def evaluate(self, cards: str, rules: str | None = None, **situation: str | None) -> Evaluation:
        """Return what the hand *cards* is worth under *rules*.

        *situation* is what the game asks beside the cards, such as ``wild="3"``; see :attr:`situation`.

        Raises:
            OptionError: If the game has no use for a part of the situation, or needs one that is missing.
            DeckError: If no hand of the game consists of these cards.
            NotationError: If the cards cannot be read.
        """
        given = {name: text for name, text in situation.items() if text is not None}
        for name in given:
            if name not in self.situation:
                raise OptionError(f"{self.title} has no use for {name!r} when it evaluates a hand.")
        evaluate_text: Callable[..., Evaluation] = self.module("evaluate").evaluate_text
        return evaluate_text(cards, self.read_options(rules or self.hand_rules or None), **given)
