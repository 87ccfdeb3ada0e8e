"""The study of Gallucci et al. beyond its experiment file: comparisons deal by deal, readings, Shapley values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rummylab.agents.gin.fitness import ANY, LITERAL, LOWEST, ONE_BY_ONE, REMOVED
from rummylab.arena import plots
from rummylab.arena.common_opponents import CommonOpponents
from rummylab.arena.match import MatchResult
from rummylab.arena.statistics import Estimate, Floats, mean, shapley
from rummylab.lab.experiment.run import Results
from rummylab.lab.experiment.verdicts import Measured

V4, V2 = "fitness-cfr", "fitness-independent"
RANDOM_TIES = f"{V4}(ties=1)"
"""V4 without the CFR table for ties."""
CONTROLS = ("simple", "medium")
CHARACTERISTICS = ("average", "unmeldable", "useless to the opponent", "near the opponent's discards")
"""The four in the order of their bits: see `rummylab.agents.gin.fitness`."""
LETTERS = "AUOD"
SHORT_NAMES = ("average", "unmeldable", "useless", "near discards")
TIE_BREAK = "CFR tie-break"
THRESHOLDS = range(1, 11)


def with_characteristics(subset: int) -> str:
    """Return V4 with a subset of the characteristics."""
    return f"{V4}(characteristics={subset})"


def with_random_ties(subset: int) -> str:
    """Return V4 with a subset of the characteristics and random ties."""
    return f"{V4}(characteristics={subset} ties=1)"


def subset_words(subset: int) -> str:
    """Return the letters of the characteristics in a subset."""
    return "".join(letter for k, letter in enumerate(LETTERS) if subset >> k & 1) or "none"


def subset_names(subset: int) -> str:
    """Return the characteristics in a subset, in words."""
    return ", ".join(name for k, name in enumerate(SHORT_NAMES) if subset >> k & 1) or "none of the four"


def instead(points: int) -> str:
    """Return V4 with a threshold instead of its knock table."""
    return f"{V4}(knock_at={points})"


def besides(points: int) -> str:
    """Return V4 that knocks with *points* or less, and by its table with more."""
    return f"{V4}(knock_at={points} table_above=1)"


def medium_at(points: int) -> str:
    """Return Medium with a threshold instead of "seven or nine"."""
    return f"medium(knock_at={points})"


class Course(NamedTuple):
    """The wins of V4 and V2, deal by deal, and the difference that the paper printed."""

    title: str
    wins: tuple[Floats, Floats]
    paper: float

    @property
    def lead(self) -> Estimate:
        """V4's lead over V2, with its 95% interval."""
        return mean(self.wins[0] - self.wins[1])


class Reading(NamedTuple):
    """A way to read the two ambiguous sentences: "the average deadwood points decreased" and "V2 removed"."""

    v4_average: int
    v2_average: int
    independent: int

    @property
    def v4(self) -> str:
        """Name of V4 in this reading."""
        return with_options(V4, average=self.v4_average)

    @property
    def v2(self) -> str:
        """Name of V2 in this reading."""
        return with_options(V2, average=self.v2_average, independent=self.independent)


READINGS = tuple(
    Reading(v4_average, v2_average, independent)
    for v4_average in (LOWEST, LITERAL)
    for v2_average in (LOWEST, LITERAL)
    for independent in (REMOVED, ONE_BY_ONE, ANY)
)
"""Every combination, the registered agents first."""
NEAREST = Reading(LOWEST, LITERAL, ONE_BY_ONE)
"""The combination that the steps of `NEAREST_STEPS` measure again, on seeds of their own."""
NEAREST_STEPS = ("nearest-first", "nearest-second")


def with_options(agent: str, **options: int) -> str:
    """Return *agent* with the options that differ from the registered ones, which are 0."""
    changed = " ".join(f"{name}={value}" for name, value in options.items() if value)
    return f"{agent}({changed})" if changed else agent


class Worth(NamedTuple):
    """The Shapley values of parts of an agent, and what all of them are worth together."""

    names: Sequence[str]
    parts: Sequence[Estimate]
    total: Estimate


class Study:
    """The steps of the experiment by purpose."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.paper: Mapping[str, Any] = results.experiment.paper

    def match(self, name: str) -> MatchResult:
        """Return the result of the match step *name*."""
        found: MatchResult = self.results.steps[name].match
        return found

    def field(self, name: str) -> CommonOpponents:
        """Return the result of the step *name*, in which agents met opponents in common."""
        found: CommonOpponents = self.results.steps[name].field
        return found

    # --- The paper's pairs --------------------------------------------------------------------------------------------

    @cached_property
    def courses(self) -> tuple[Course, ...]:
        """Figures 2, 3 and 4."""
        won = self.match("v4-v2").of_deals()[0]
        first = Course("Fig. 2: against each other", (won, 1 - won), self.paper["lead_over_v2"])
        return (first, *(self._course(k, control) for k, control in enumerate(CONTROLS, 3)))

    def _course(self, number: int, control: str) -> Course:
        wins = (self.match(f"v4-{control}").of_deals()[0], self.match(f"v2-{control}").of_deals()[0])
        return Course(f"Fig. {number}: against {control.capitalize()}", wins, self.paper[f"more_against_{control}"])

    # --- Readings -----------------------------------------------------------------------------------------------------

    def gaps(self, reading: Reading) -> tuple[Estimate, ...]:
        """Return V4's lead over V2, and its lead in games won against each control, in a *reading* of the text."""
        controls = self.field("readings-controls")
        first = mean(2 * self.field("readings").wins(reading.v4, reading.v2) - 1)
        return first, *(controls.lead(reading.v4, reading.v2, control) for control in CONTROLS)

    def distance(self, reading: Reading) -> float:
        """Return the root mean square difference between the paper's three figures and those of a *reading*."""
        away = [gap.value - course.paper for gap, course in zip(self.gaps(reading), self.courses, strict=True)]
        return float(np.sqrt(np.mean(np.square(away))))

    def nearest(self) -> Reading:
        """Return the reading nearest to the paper on the seed of the table of all readings."""
        return min(READINGS, key=self.distance)

    def nearest_gaps(self, *steps: str) -> tuple[Estimate, ...]:
        """Return the gaps of `NEAREST` over the deals of *steps*, on seeds that had no part in choosing it."""
        fields = [self.field(step) for step in steps]
        first = mean(np.concatenate([2 * field.wins(NEAREST.v4, NEAREST.v2) - 1 for field in fields]))
        return first, *(mean(np.concatenate([_more(field, control) for field in fields])) for control in CONTROLS)

    # --- Against strong and weak --------------------------------------------------------------------------------------

    def more_against_the_strong(self) -> Estimate:
        """Return V4's gain on V2 against V2, where V2 wins one half, less its gain on V2 against Simple."""
        against_v2, against_simple, _ = (course.wins for course in self.courses)
        return mean((against_v2[0] - 0.5) - (against_simple[0] - against_simple[1]))

    # --- Characteristics ----------------------------------------------------------------------------------------------

    def values(self, points: bool) -> Floats:
        """Return the result of each subset, deal by deal: share of games won, or *points* a hand.

        The first four bits of the place are the characteristics, the fifth is the CFR tie-break.
        """
        at_random, by_table = self.field("subsets-random-ties"), self.field("subsets")
        rows = [_of(at_random, with_random_ties(k), points) for k in range(16)]
        return np.array(rows + [_of(by_table, with_characteristics(k), points) for k in range(16)])

    def beyond_nothing(self, subset: int, by_table: bool) -> Estimate:
        """Return a subset's lead in games won over no characteristics and random ties."""
        values = self.values(points=False)
        return mean(values[16 * by_table + subset] - values[0])

    def worth(self, points: bool) -> Worth:
        """Return what the four characteristics are worth to an agent that breaks ties by the CFR table."""
        return _worth(CHARACTERISTICS, self.values(points)[16:])

    def worth_with_ties(self, points: bool) -> Worth:
        """Return what the four are worth together with the tie-break, to an agent that has none of the five."""
        return _worth((*CHARACTERISTICS, TIE_BREAK), self.values(points))

    def tie_break(self, subset: int) -> Estimate:
        """Return what the CFR tie-break adds to a subset of the characteristics."""
        wins = self.field("subsets").wins(with_characteristics(subset))
        return mean(wins - self.field("subsets-random-ties").wins(with_random_ties(subset)))

    # --- Knocks -------------------------------------------------------------------------------------------------------

    def best_threshold(self, step: str, agent: Callable[[int], str]) -> tuple[int, Estimate]:
        """Return the threshold with the most wins, and its lead over the agent without one."""
        field = self.field(step)
        best = max(THRESHOLDS, key=lambda points: field.win_rate(agent(points)).value)
        return best, field.lead(agent(best), V4)


def _more(field: CommonOpponents, control: str) -> Floats:
    return field.wins(NEAREST.v4, control) - field.wins(NEAREST.v2, control)


def _of(field: CommonOpponents, agent: str, points: bool) -> Floats:
    return field.points(agent) if points else field.wins(agent)


def _worth(names: Sequence[str], values: Floats) -> Worth:
    return Worth(names, [mean(part) for part in shapley(values)], mean(values[-1] - values[0]))


# --- What the experiment reads ------------------------------------------------------------------------------------


def _comparisons_won(study: Study) -> Measured:
    leads = [course.lead for course in study.courses]
    return Measured.exact(sum(lead.low > 0 for lead in leads))


def _best(step: str, agent: Callable[[int], str]) -> Callable[[Study], Measured]:
    def found(study: Study) -> Measured:
        points, lead = study.best_threshold(step, agent)
        return Measured.of(lead, f"{lead.value:+.3f}, with {points}")

    return found


def _high_over_low(step: str, agent: Callable[[int], str]) -> Callable[[Study], Measured]:
    return lambda study: Measured.of(study.field(step).lead(agent(THRESHOLDS[-1]), agent(THRESHOLDS[0])))


_CLAIMS: dict[str, Callable[[Study], Measured]] = {
    "more_against_simple": lambda study: Measured.of(study.courses[1].lead),
    "more_against_medium": lambda study: Measured.of(study.courses[2].lead),
    "nearest_lead": lambda study: Measured.of(study.nearest_gaps(*NEAREST_STEPS)[0]),
    "nearest_against_simple": lambda study: Measured.of(study.nearest_gaps(*NEAREST_STEPS)[1]),
    "nearest_against_medium": lambda study: Measured.of(study.nearest_gaps(*NEAREST_STEPS)[2]),
    "comparisons_won": _comparisons_won,
    "more_against_the_strong": lambda study: Measured.of(study.more_against_the_strong()),
    "best_threshold_besides": _best("knock-besides", besides),
    "best_threshold_instead": _best("knock-instead", instead),
    "high_over_low_besides": _high_over_low("knock-besides", besides),
    "high_over_low_instead": _high_over_low("knock-instead", instead),
}
DERIVED = {name: (lambda results, claim=claim: claim(Study(results))) for name, claim in _CLAIMS.items()}


ready = plots.need_matplotlib
"""Figures that cannot be drawn are an error before anything is played."""


def report(results: Results, out: Path) -> str:
    """Draw the figures below *out* and return the report's sections."""
    from rummylab.studies.card_fitness.report import draw_and_write

    return draw_and_write(Study(results), out)
