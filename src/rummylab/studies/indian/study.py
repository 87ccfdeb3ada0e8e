"""The study of Saha et al. beyond its experiment file: tests, corrections, and the paper's claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from rummylab.arena import plots
from rummylab.arena.markdown import share_words, signed_words
from rummylab.arena.ordered import Ordered
from rummylab.arena.statistics import Z95, Estimate, holm, p_value
from rummylab.cards.hand import Hand
from rummylab.games.indian.evaluate import Value, evaluate, wild_rank
from rummylab.games.indian.rules import OUTCOMES
from rummylab.lab.experiment.file import Experiment
from rummylab.lab.experiment.run import Results
from rummylab.lab.experiment.steps import OrderedStepResult
from rummylab.lab.experiment.verdicts import Measured
from rummylab.studies.indian.hands import HandSample, HandsStep
from rummylab.studies.indian.published import PublishedResult, PublishedStep

STEPS = {HandsStep.KIND: HandsStep, PublishedStep.KIND: PublishedStep}
LEVEL = 0.05
"""A difference is significant if its corrected p-value is below this."""
SEVEN = "2s 8s Qs Ah 5h 9h Th 4d 9d Kd 3c 8c Tc"
"""A hand of MinDist 7 with sevens wild (rules page): no hand of one deck has more."""
NINE = "4c 4c Ad 6s Ad 8c 5h Qc Th Js Js 9d 9d"
"""A hand of two decks of MinDist 9 with twos wild."""
_NAMES = {
    "random": "Random",
    "defeat-seeking": "Defeat-seeking",
    "minscore": "MinScore",
    "mindist": "MinDist",
    "mindist-score": "MinDist+Score",
    "mindist-opp": "MinDist+Opp",
    "mindist-drawn": "MinDist (drawn)",
    "mindist-outs": "MinDist+Outs",
}


def name_of(agent: str) -> str:
    """Return the paper's name of an agent."""
    return _NAMES.get(agent, agent)


def z_score(estimate: Estimate, null: float) -> float:
    """Return how many standard errors an estimate lies above *null*."""
    return (estimate.value - null) / standard_error(estimate)


def standard_error(estimate: Estimate) -> float:
    """Return the standard error of a 95% interval."""
    return max((estimate.high - estimate.low) / (2 * Z95), 1e-12)


def complement(estimate: Estimate) -> Estimate:
    """Return one minus a share: that of the other player."""
    return Estimate(1 - estimate.value, 1 - estimate.high, 1 - estimate.low)


def corrected(estimates: Sequence[Estimate], null: float) -> list[float]:
    """Return p-values for the hypothesis that each estimate is *null*, corrected by Holm's method."""
    return holm([p_value(z_score(estimate, null)) for estimate in estimates])


class Printed:
    """The figures that the paper printed."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.more: Mapping[str, Any] = experiment.paper
        self.skilled: list[str] = self.more["skilled"]
        self.games: int = self.more["games_a_pair"]

    def figure(self, quantity: str, *agents: str) -> float:
        """Return a number of Table I (``adjusted``) or Table II."""
        found = [e for e in self.experiment.expectations if (e.quantity, e.agents) == (quantity, agents)]
        return float(found[0].value or 0)

    def adjusted(self) -> dict[tuple[str, str], float]:
        """Return the entries of Table I, off the diagonal."""
        pairs = [(one, two) for one in self.skilled for two in self.skilled if one != two]
        return {pair: self.figure("adjusted", *pair) for pair in pairs}

    @property
    def entry_error(self) -> float:
        """The standard error of an entry of Table I: a difference of two shares of 1,000 games each."""
        return math.sqrt(2 * 0.25 / self.games)

    def skill(self, one: str, two: str) -> Estimate:
        """Return the two entries for a pair as one order-averaged share, with its interval.

        It is (p12 - p11 + p22 - p21 + 1) / 2: four shares of 1,000 games.
        """
        value = (self.figure("adjusted", one, two) + 1 - self.figure("adjusted", two, one)) / 2
        half = Z95 * math.sqrt(4 * 0.25 / self.games) / 2
        return Estimate(value, value - half, value + half)

    def entries_inside(self) -> list[float]:
        """Return the entries of Table I within the interval that the paper says they all lie outside of."""
        low, high = self.more["table_1"]["interval"]
        return [value for value in self.adjusted().values() if low <= value <= high]

    def example(self, name: str) -> Value:
        """Return the value of a hand from the paper."""
        example = self.more["examples"][name]
        return evaluate(Hand.parse(example["hand"]), wild_rank(example["wild"])).value


class SkillTest(NamedTuple):
    """The test of equal skill for a pair, on our numbers and on the paper's; p-values by Holm's method."""

    pair: tuple[str, str]
    ours: Estimate
    paper: Estimate
    p_ours: float
    p_paper: float
    p_gap: float
    """For the difference between the paper's share and ours."""

    @property
    def is_significant(self) -> bool:
        """Whether our games show a difference."""
        return self.p_ours < LEVEL

    @property
    def is_reversed(self) -> bool:
        """Whether the difference is significant in the opposite direction to the paper's."""
        return self.is_significant and self.ours.value > 0.5


class Study:
    """The results of all steps, and what the paper printed."""

    def __init__(self, results: Results) -> None:
        experiment = results.experiment
        self.printed = Printed(experiment)
        self.samples: dict[str, HandSample] = {
            name: found for name, found in results.steps.items() if isinstance(found, HandSample)
        }
        self.published: dict[str, PublishedResult] = {
            found.pick_up: found for found in results.of_kind(PublishedResult)
        }
        """The published program's own agents, by how they discard after taking the upcard."""
        self.play = Ordered.merged(found.ordered for found in results.of_kind(OrderedStepResult))
        self.agents, self.extra = experiment.step("pairs").players(), self._agents(experiment, "beyond")
        self.droppers = self._agents(experiment, "drops")
        self.our_dropper, self.without_drops = self._agents(experiment, "our drops")[0], self.extra[-1]
        self.skilled = self.printed.skilled
        self.dropping = str(self.printed.more["table_2"]["agent"])

    @property
    def games(self) -> int:
        """Deals per ordered pair."""
        return next(iter(self.play.series.values())).n

    @staticmethod
    def threshold(dropper: str) -> int:
        """Return the MinDist from which an agent such as ``mindist-opp(4)`` drops."""
        return int(dropper.rstrip(")").rpartition("(")[2])

    @staticmethod
    def _agents(experiment: Experiment, step: str) -> tuple[str, ...]:
        found: tuple[str, ...] = getattr(experiment.step(step), "agents")  # noqa: B009 - only these steps have them
        return found

    @cached_property
    def tests(self) -> list[SkillTest]:
        """The tests of all pairs of skilled agents."""
        pairs = list(combinations(self.skilled, 2))
        ours, theirs = [self.play.skill(*pair) for pair in pairs], [self.printed.skill(*pair) for pair in pairs]
        # Entries of Table I are rounded to two places, which adds a little error.
        gaps = [
            (them.value - us.value) / math.hypot(standard_error(them), standard_error(us), 0.01 / math.sqrt(24))
            for us, them in zip(ours, theirs, strict=True)
        ]
        p_values = corrected(ours, 0.5), corrected(theirs, 0.5), holm([p_value(gap) for gap in gaps])
        return [SkillTest(*row) for row in zip(pairs, ours, theirs, *p_values, strict=True)]

    def dropped(self, dropper: str, opponent: str) -> float:
        """Return the share of deals dropped, both orders averaged."""
        number = OUTCOMES.index("dropped")
        return (self.play.of(dropper, opponent).ended(number) + self.play.of(opponent, dropper).ended(number)) / 2


# --- The claims ---------------------------------------------------------------------------------------------------


def _peak_at_80(study: Study) -> Measured:
    large = study.samples["large"]
    share = large.measure("minscore_80")
    words = f"{large.at_cap():.1%} of hands ({large.at_cap('platform'):.1%} by the platform rule)"
    return Measured(share.value, share.low, share.high, words)


def _highest_mindist(study: Study) -> Measured:
    small, large = study.samples["small"], study.samples["large"]
    words = f"{small.highest} in {small.n:,} hands, {large.highest} in {large.n:,}"
    return Measured.exact(small.highest, words)


def _opp_is_best(study: Study) -> Measured:
    best, others = study.dropping, [agent for agent in study.agents if agent != study.dropping]
    rates = {(i, j): study.play.of(i, j).win_rate.value for i in study.agents for j in study.agents}
    row = sum(rates[best, j] >= rates[i, j] for i in others for j in study.agents)
    column = sum(rates[j, best] <= rates[j, i] for i in others for j in study.agents)
    of = len(others) * len(study.agents)
    return Measured.exact(row + column, f"larger in {row} of {of} comparisons, smaller in {column} of {of}")


def _opp_over_60(study: Study) -> Measured:
    def over(agents: Sequence[str]) -> int:
        return sum(study.play.of(study.dropping, other).win_rate.value > 0.6 for other in agents)

    skilled = over(study.skilled)
    words = f"as first mover in {over(study.agents)} of {len(study.agents)}; against the skilled four in {skilled}"
    return Measured.exact(skilled, words)


def _entries_inside(study: Study) -> Measured:
    inside = study.printed.entries_inside()
    words = f"{len(inside)} of its own 12 are not: " + ", ".join(f"{value:.2f}" for value in inside)
    return Measured.exact(len(inside), words)


def _significant_pairs(study: Study) -> Measured:
    significant = sum(test.is_significant for test in study.tests)
    as_printed = sum(test.is_significant and not test.is_reversed for test in study.tests)
    words = f"{significant} of {len(study.tests)} pairs differ after Holm's correction, {as_printed} of them as printed"
    return Measured.exact(as_printed, words)


def _drop_skill(study: Study) -> Measured:
    pair = str(study.printed.more["table_2"]["drops"]), study.dropping
    skill = study.play.skill(*pair)
    gain = study.play.net_gain(*pair)
    return Measured.of(skill, f"it wins {share_words(skill)}, and earns {signed_words(gain)} points a deal")


def _likely_mindist(study: Study) -> Measured:
    large = study.samples["large"]
    return large.share(float(large.distances[2:5].sum()))


def seven() -> Value:
    """Return the value of the hand `SEVEN`."""
    return evaluate(Hand.parse(SEVEN), wild_rank("7")).value


def nine() -> Value:
    """Return the value of the hand `NINE`."""
    return evaluate(Hand.parse(NINE, decks=2), wild_rank("2"), decks=2).value


def _possible_mindist(study: Study) -> Measured:
    most = nine().min_dist
    words = (
        f"with two decks {most} occurs (`{NINE}`, twos wild), so the bound is sharp;"
        f" with one deck {seven().min_dist} is the most (`{SEVEN}`, sevens wild)"
    )
    return Measured.exact(most, words)


_CLAIMS: Mapping[str, Callable[[Study], Measured]] = {
    "iv_a_minscore": lambda study: Measured.exact(study.printed.example("iv_a").min_score),
    "iv_b_minscore": lambda study: Measured.exact(study.printed.example("iv_b").min_score),
    "iv_b_mindist": lambda study: Measured.exact(study.printed.example("iv_b").min_dist),
    "peak_at_80": _peak_at_80,
    "likely_mindist": _likely_mindist,
    "highest_mindist": _highest_mindist,
    "possible_mindist": _possible_mindist,
    "opp_is_best": _opp_is_best,
    "opp_over_60": _opp_over_60,
    "entries_inside": _entries_inside,
    "significant_pairs": _significant_pairs,
    "drop_skill": _drop_skill,
}


# --- What the experiment reads ------------------------------------------------------------------------------------

DERIVED = {name: (lambda results, claim=claim: claim(Study(results))) for name, claim in _CLAIMS.items()}


ready = plots.need_matplotlib
"""Called before anything is played: without Matplotlib, no figure could be drawn afterward."""


def report(results: Results, out: Path) -> str:
    """Draw the figures below *out* and return the report's sections."""
    from rummylab.studies.indian.report import draw_and_write

    return draw_and_write(Study(results), out)
