"""The agents there are, by game and name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np

from rummylab.agents.gin.fitness_options import FitnessOptions
from rummylab.agents.gin.utility_options import NETWORK, PATIENT, UtilityOptions
from rummylab.agents.gin_course.keats_options import (
    AS_WRITTEN,
    DIFFERENT_SUIT,
    TUNED,
    WHITEBOARD,
    KeatsOptions,
)
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import OptionError, UnknownNameError
from rummylab.games.registry import game


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered agent: one file, imported when the agent is first asked for.

    *par* are its options; fitted numbers, if its file has ``WEIGHTS``, come after them. ``CHECK_PAR`` of its file, if
    there is one, raises `OptionError` for parameters with which it cannot play.
    """

    game: str
    name: str
    home: str
    summary: str
    source: str
    par: Sequence[float] = ()
    changes: tuple[tuple[int, float], ...] = ()
    """Options set by name: place in the parameters, and value."""

    def load(self) -> CompiledAgent:
        home = import_module(self.home)
        par = np.array([*self.par, *getattr(home, "WEIGHTS", ())], np.float32)
        for place, value in self.changes:
            par[place] = value
        check = getattr(home, "CHECK_PAR", None)
        if check is not None:
            check(self.name, par)
        return CompiledAgent(self.name, home.act, par)


ENTRIES = (
    Entry(
        "gin",
        "random",
        "rummylab.agents.gin.random",
        "random legal moves",
        "the yardstick of every study",
    ),
    Entry(
        "gin",
        "simple",
        "rummylab.agents.gin.simple",
        "draws what melds, throws what weighs most, knocks at once",
        "EAAI-2021 Gin Rummy challenge, SimpleGinRummyPlayer",
    ),
    Entry(
        "gin",
        "utility",
        "rummylab.agents.gin.utility",
        "keeps the hand of the highest utility, throws what the opponent gains least from; our numbers",
        "the opponent-hand paper, re-tuned",
    ),
    Entry(
        "gin",
        "utility-dnn",
        "rummylab.agents.gin.utility_dnn",
        "the same, with the network's estimate of the opponent's hand",
        "the opponent-hand paper, its final agent, re-tuned",
    ),
    Entry(
        "gin",
        "utility-patient",
        "rummylab.agents.gin.utility",
        "the same, plays for gin and guards its discards",
        "the opponent-hand paper, re-tuned",
        PATIENT.par,
    ),
    Entry(
        "gin",
        "utility-printed",
        "rummylab.agents.gin.utility",
        "the same with the paper's printed numbers and 100 sampled hands",
        "the opponent-hand paper",
        UtilityOptions().par,
    ),
    Entry(
        "gin",
        "utility-printed-dnn",
        "rummylab.agents.gin.utility_dnn",
        "the same with the network: the paper's final agent to the letter",
        "the opponent-hand paper",
        changes=tuple(enumerate(UtilityOptions(belief=NETWORK).par)),
    ),
    Entry(
        "gin",
        "utility-search",
        "rummylab.agents.gin.utility_search",
        "plays its candidates in sampled worlds some turns ahead, where utility judges the position",
        "ours, on the future work of the opponent-hand paper",
    ),
    Entry(
        "gin",
        "medium",
        "rummylab.agents.gin.medium",
        "throws what it cannot meld and what helps least, knocks with seven, nine or gin",
        "Gallucci et al., the intermediate control bot",
        (0, 1),
    ),
    Entry(
        "gin",
        "fitness-cfr",
        "rummylab.agents.gin.fitness_cfr",
        "of the cheapest discards the fittest by four characteristics, ties, draws and knocks by CFR tables",
        "Gallucci et al., agent V4",
        FitnessOptions().par,
    ),
    Entry(
        "gin",
        "fitness-independent",
        "rummylab.agents.gin.fitness_independent",
        "the same draws and knocks; strikes out candidates that have any of the characteristics, ties at random",
        "Gallucci et al., agent V2",
        FitnessOptions().par,
    ),
    Entry(
        "gin",
        "utility-at-once",
        "rummylab.agents.gin.utility_at_once",
        "utility agent on the paper's own terms: knocks at once, with a network trained on the games of such agents",
        "the opponent-hand paper, re-tuned",
    ),
    Entry(
        "indian",
        "random",
        "rummylab.agents.indian.random",
        "random draws and discards, declares when it can",
        "Saha et al., section VII",
    ),
    Entry(
        "indian",
        "random-drop",
        "rummylab.agents.indian.random",
        "the same, and folding is a third choice of every draw",
        "Saha et al., section VII",
        (1,),
    ),
    Entry(
        "indian",
        "defeat-seeking",
        "rummylab.agents.indian.defeat_seeking",
        "breaks its own melds and keeps what counts most",
        "Saha et al., section VII",
    ),
    Entry(
        "indian",
        "minscore",
        "rummylab.agents.indian.minscore",
        "plays for the lowest score of the hand",
        "Saha et al., section VII",
        (0,),
    ),
    Entry(
        "indian",
        "minscore-drop",
        "rummylab.agents.indian.minscore",
        "the same, drops at MinScore 80 or more",
        "Saha et al., section VII",
        (80,),
    ),
    Entry(
        "indian",
        "mindist",
        "rummylab.agents.indian.mindist",
        "moves toward the nearest declaration, throws the dearest spare card",
        "Saha et al., section VII",
        (0, 0),
    ),
    Entry(
        "indian",
        "mindist-drop",
        "rummylab.agents.indian.mindist",
        "the same, drops at MinDist above 4",
        "Saha et al., section VII and VIII",
        (5, 0),
    ),
    Entry(
        "indian",
        "mindist-drawn",
        "rummylab.agents.indian.mindist",
        "the same, but a drawn card that gains nothing goes at once",
        "the paper's published experiments",
        (0, 1),
    ),
    Entry(
        "indian",
        "mindist-score",
        "rummylab.agents.indian.mindist_score",
        "of the spare cards throws the one that leaves the least MinScore",
        "Saha et al., section VII",
        (0,),
    ),
    Entry(
        "indian",
        "mindist-score-drop",
        "rummylab.agents.indian.mindist_score",
        "the same, drops at MinDist above 4",
        "Saha et al., section VII and VIII",
        (5,),
    ),
    Entry(
        "indian",
        "mindist-opp",
        "rummylab.agents.indian.mindist_opp",
        "of the spare cards throws what the opponent has no use for",
        "Saha et al., section VII",
        (0,),
    ),
    Entry(
        "indian",
        "mindist-opp-drop",
        "rummylab.agents.indian.mindist_opp",
        "the same, drops at MinDist above 4",
        "Saha et al., section VII and VIII",
        (5,),
    ),
    Entry(
        "indian",
        "mindist-outs",
        "rummylab.agents.indian.mindist_outs",
        "of the spare cards weighs live outs against what the opponent could do with the discard",
        "ours, on the expected turns of Saha et al., section IX",
        (0, 0),
    ),
    Entry(
        "indian",
        "mindist-outs-drop",
        "rummylab.agents.indian.mindist_outs",
        "the same, drops without a joker at MinDist 5 moving first, at 4 moving second",
        "ours",
        (5, 4),
    ),
    Entry(
        "chinese",
        "random",
        "rummylab.agents.contract.random",
        "random legal moves",
        "the yardstick of every study",
    ),
    Entry(
        "chinese",
        "chinese-heuristic",
        "rummylab.agents.contract.heuristic",
        "takes what pairs up, helps or blocks; lays down at once; throws dear singletons",
        "Chinese Rummy mini-game 1, AI heuristics",
        (14235, 0),
    ),
    Entry(
        "chinese",
        "chinese-counter",
        "rummylab.agents.contract.counter",
        "counts cards, reads the opponent, plays for the position worth most",
        "ours, on the limits the text names of its AI",
        (0,),
    ),
    Entry(
        "gin-course",
        "random",
        "rummylab.agents.gin_course.random",
        "random legal moves",
        "the yardstick of every study",
    ),
    Entry(
        "gin-course",
        "keats",
        "rummylab.agents.gin_course.keats",
        "scores every card: takes the upcard above zero, throws or passes the highest, knocks at once",
        "Keats, code report, with a neighbor in the same suit",
        KeatsOptions().par,
    ),
    Entry(
        "gin-course",
        "keats-as-written",
        "rummylab.agents.gin_course.keats",
        "Keats' AI to the letter: a neighbor in a different suit; an upcard just taken is no sign against itself",
        "Keats, code report",
        AS_WRITTEN.par,
    ),
    Entry(
        "gin-course",
        "keats-different-suit",
        "rummylab.agents.gin_course.keats",
        "Keats' AI with a neighbor in a different suit; an upcard just taken is a sign against itself",
        "Keats, code report, the reading behind two figures of the rules page",
        DIFFERENT_SUIT.par,
    ),
    Entry(
        "gin-course",
        "keats-whiteboard",
        "rummylab.agents.gin_course.keats",
        "Keats' AI with the numbers of the author's whiteboard",
        "Keats, code report, the pictures",
        WHITEBOARD.par,
    ),
    Entry(
        "gin-course",
        "keats-tuned",
        "rummylab.agents.gin_course.keats",
        "Keats' AI with numbers of ours; knocks with any card that allows it",
        "Keats, code report, re-tuned",
        TUNED.par,
    ),
    Entry(
        "gin-course",
        "melder",
        "rummylab.agents.gin_course.melder",
        "takes what melds, throws the highest unmelded card, knocks at once",
        "the baseline of the rules page",
    ),
    Entry(
        "gin-course",
        "dummy",
        "rummylab.agents.gin_course.dummy",
        "draws from the stock only, throws the highest unmelded card, knocks at once",
        "ours, chosen to stand for the course's test Dummy",
        (0, 0, 10),
    ),
)


def entries(game_name: str | None = None) -> list[Entry]:
    """Return the agents of one game, or of all."""
    if game_name is not None:
        game(game_name)
    return [found for found in ENTRIES if game_name in (None, found.game)]


def entry(game_name: str, name: str) -> Entry:
    """Return the entry of the agent *name* of *game_name*; an unknown name suggests the nearest.

    A name may end with options in brackets, separated by blanks: ``mindist-opp(4)`` drops from MinDist 4 on. Where the
    agent's file names its options (``OPTION_NAMES``) they are set by name: ``utility(belief=0 samples=100)``.
    """
    plain, bracket, options = name.partition("(")
    known = {found.name: found for found in entries(game_name)}
    if plain not in known:
        raise UnknownNameError(f"{game_name} agent", plain, known)
    return known[plain] if not bracket else _checked(_with_options(known[plain], name, options))


def _checked(found: Entry) -> Entry:
    """Let the agent's file look at the options, if it has ``CHECK_OPTIONS``."""
    check = getattr(import_module(found.home), "CHECK_OPTIONS", None)
    if check is not None:
        changes = dict(found.changes)
        check([changes.get(place, value) for place, value in enumerate(found.par)])
    return found


def _number(text: str) -> float:
    """Return the number in *text*; what is none, or none that a parameter can hold, is a ``ValueError``."""
    value = float(text)
    if not abs(value) <= float(np.finfo(np.float32).max):  # not a number, or without end
        raise ValueError(text)
    return value


def _with_options(found: Entry, name: str, options: str) -> Entry:
    if "=" in options:
        return _with_named_options(found, name, options)
    try:
        par = [_number(word) for word in options.removesuffix(")").split()]
    except ValueError:
        par = []
    if not par or not options.endswith(")"):
        raise OptionError(f"agent {name!r}: options are numbers in brackets, such as {found.name}(4)")
    if len(par) > len(found.par):
        raise OptionError(f"agent {name!r}: {found.name} takes {len(found.par)} options, not {len(par)}")
    return replace(found, name=name, par=(*par, *found.par[len(par) :]))


def _with_named_options(found: Entry, name: str, options: str) -> Entry:
    known: Sequence[str] = getattr(import_module(found.home), "OPTION_NAMES", ())
    changes = []
    if not options.endswith(")"):
        raise OptionError(f"agent {name!r}: the bracket is not closed")
    for word in options.removesuffix(")").split():
        option, _, text = word.partition("=")
        if option not in known:
            raise UnknownNameError(f"option of {found.name}", option, known)
        try:
            changes.append((known.index(option), _number(text)))
        except ValueError:
            raise OptionError(f"agent {name!r}: {option} is a number, not {text!r}") from None
    return replace(found, name=name, changes=(*found.changes, *changes))


def agent(game_name: str, name: str) -> CompiledAgent:
    """Return a fresh agent *name* of *game_name*."""
    return entry(game_name, name).load()
