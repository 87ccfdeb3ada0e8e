"""The sections of the report on Gallucci et al."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rummylab.arena.common_opponents import CommonOpponents
from rummylab.arena.markdown import share_words, signed_words, table
from rummylab.arena.statistics import Estimate, holm
from rummylab.lab.report.facts import p_of
from rummylab.studies.card_fitness import study as c
from rummylab.studies.card_fitness.figures import FIGURES, KNOCKS, SHAPLEY, SUBSETS, draw

_OWN_STEPS = (
    "readings", "readings-controls", *c.NEAREST_STEPS, "subsets", "subsets-random-ties", "parts", "knock-medium",
    "knock-instead", "knock-besides",
)  # fmt: skip


def draw_and_write(study: c.Study, out: Path) -> str:
    """Draw the figures into *out* and return the report's sections."""
    draw(study, out)
    return sections(study)


def sections(study: c.Study) -> str:
    """Return all sections, those of further steps last."""
    parts = [_short(study), _pairs(study), _readings(study), _subsets(study), _shapley(study), _ties(study)]
    return "\n".join([*parts, _parts(study), _knocks(study), *_further(study)])


def _verdicts(estimates: Sequence[Estimate], null: float = 0.0) -> list[str]:
    """Return which estimates differ from *null* at the 5% level, after Holm's correction for all of them."""
    corrected = holm([p_of(estimate, null) for estimate in estimates])
    return [
        "not significant" if p >= 0.05 else "higher" if estimate.value > null else "lower"
        for estimate, p in zip(estimates, corrected, strict=True)
    ]


def _short(study: c.Study) -> str:
    """Return the findings in a few lines."""
    first, simple, medium = (_percent(course.lead) for course in study.courses)
    worth, ties, subsets = study.worth(points=False), study.tie_break(15), study.field("subsets")
    chosen = [_percent(gap) for gap in study.nearest_gaps(*c.NEAREST_STEPS)]
    most = max(range(4), key=lambda k: worth.parts[k].value)
    best = max(range(16), key=lambda k: subsets.win_rate(c.with_characteristics(k)).value)
    lead = subsets.lead(c.with_characteristics(best), c.with_characteristics(15))
    knocks, at_once = study.field("knock-instead"), c.instead(c.THRESHOLDS[-1])
    return f"""## In short

- V4 leads V2 by {first} of the games. It wins {simple} more than V2 does against Simple and
  {medium} more against Medium. How large these gaps are depends on how two sentences are read.
- Of twelve combinations of readings, one comes nearest to the paper. On fresh seeds its lead is {chosen[0]},
  its gain against Simple {chosen[1]} and against Medium {chosen[2]}. We chose it because it fits. It shows
  that a reading with the paper's figures exists, not that its authors meant this one.
- The four characteristics together are worth {_points_of_percent(worth.total)} of the games against three
  opponents. Most of it comes from *{c.CHARACTERISTICS[most]}*: {_points_of_percent(worth.parts[most])} by its
  Shapley value. Of all subsets {c.subset_words(best)} wins most, {_points_of_percent(lead)} beyond all four.
- The CFR tie-break adds {_points_of_percent(ties)} of the games against three weaker opponents. Head to head
  against the same agent with random ties V4's win rate is {share_words(_head_to_head(study))}.
- The knock table wins {_percent(knocks.lead(c.V4, at_once))} more than knocking at once.
"""


# --- The paper's pairs --------------------------------------------------------------------------------------------

_ABOUT_PAIRS = """
Above: games won over the course of the experiment, as in the paper's figures. Below: the lead of Fitness + CFR (V4)
over Independent Heuristics (V2) with its 95% interval so far, and the paper's figure.
"""
_ABOUT_STRONG = """
The paper concludes that the change counts for more against a strong bot than against a weak one. But a lead over V2 and
a gain on V2 against a third agent are different measures: against itself V2 wins one half, so a lead of 7.8% is a gain
of 3.9 points, beside 4 against Simple and 3 against Medium. On that scale our V4 gains {} of the
games against V2, {} against Simple and {} against Medium.
"""


def _pairs(study: c.Study) -> str:
    rows = []
    for name in ("v4-v2", "v4-simple", "v2-simple", "v4-medium", "v2-medium"):
        match = study.match(name)
        win, gain = share_words(match.win_rate), signed_words(match.points_per_hand)
        rows.append((f"`{match.agents[0]}`", f"`{match.agents[1]}`", f"{match.games:,}", win, gain))
    found = table(("agent", "against", "games", "win rate (95%)", "points a hand (95%)"), rows)
    leads = [(course.title, f"{course.paper:.1%}", _percent(course.lead)) for course in study.courses]
    compared = table(("V4's lead over V2", "paper", "ours (95%)"), leads)
    pictures = "\n".join(f"![{course.title}]({name})\n" for course, name in zip(study.courses, FIGURES, strict=True))
    first, *others = (course.lead for course in study.courses)
    gains = [Estimate(first.value / 2, first.low / 2, first.high / 2), *others]
    strong = _ABOUT_STRONG.format(*(_percent(gain) for gain in gains))
    return f"## Fig. 2-4: V4, V2 and the control group\n\n{found}\n{compared}{_ABOUT_PAIRS}\n{pictures}{strong}"


def _percent(estimate: Estimate) -> str:
    return f"{estimate.value:+.1%} ({estimate.low:+.1%} to {estimate.high:+.1%})"


# --- Readings -----------------------------------------------------------------------------------------------------

_ABOUT_READINGS = """
Two sentences decide how large the gaps are, and each can be read in several ways:

- "If the average deadwood points decreased after an additional draw." *Literal*: the average is below the deadwood now.
  That is true of nearly every candidate, so it ranks little. *Lowest*: the point goes to the candidates after which the
  average is lowest. V4 and V2 need not be read alike.
- "V2 removed a candidate card as soon as it returned true on any one of the ranking considerations." *Removed*: V2 does
  that, although these are the cards that V4 finds fittest to discard. *One by one*: each consideration in turn keeps
  the cards that have it. *Any*: V2 keeps the cards that have at least one of them.

All twelve combinations, {games:,} games a pair, seed {seed}. The distance is the root mean square of the three
differences from the paper, in percentage points.
"""
_ABOUT_NEAREST = """
The nearest of the twelve on this seed: V4 {v4}, V2 {v2} and {independent}. {same}It is the best of twelve, so the
choice flatters its distance above. Here it is measured on two seeds that had no part in the choice, {games:,} games a
pair and seed:
"""
_AVERAGES = ("lowest", "literal")
_INDEPENDENT = ("removed", "one by one", "any")


def _readings(study: c.Study) -> str:
    paper = tuple(f"{course.paper:+.1%}" for course in study.courses)
    rows: list[Sequence[str]] = [("", "**the paper**", "", *paper, "")]
    rows += [_reading(study, reading) for reading in c.READINGS]
    gaps = ("V4's lead over V2 (95%)", "V4 less V2 against Simple (95%)", "against Medium (95%)")
    head = ("V4: average", "V2: average", "V2: true on any one", *gaps, "distance")
    about = _ABOUT_READINGS.format(
        games=study.field("readings").games, seed=study.results.experiment.step("readings").seed
    )
    return f"## All readings of the text\n{about}\n{table(head, rows)}{_nearest(study, gaps, paper)}"


def _reading(study: c.Study, reading: c.Reading) -> tuple[str, ...]:
    words = (_AVERAGES[reading.v4_average], _AVERAGES[reading.v2_average], _INDEPENDENT[reading.independent])
    gaps = map(_percent, study.gaps(reading))
    mark = " (registered)" if reading == c.READINGS[0] else " (nearest)" if reading == study.nearest() else ""
    return (words[0] + mark, *words[1:], *gaps, f"{100 * study.distance(reading):.1f}")


def _nearest(study: c.Study, gaps: Sequence[str], paper: Sequence[str]) -> str:
    found = study.nearest()
    about = _ABOUT_NEAREST.format(
        v4=_AVERAGES[found.v4_average],
        v2=_AVERAGES[found.v2_average],
        independent=_INDEPENDENT[found.independent],
        same="" if found == c.NEAREST else f"The combination measured again is another one: `{c.NEAREST.v2}`. ",
        games=study.field(c.NEAREST_STEPS[0]).games,
    )
    rows = [("the paper", *paper)]
    for name in c.NEAREST_STEPS:
        rows.append((f"seed {study.results.experiment.step(name).seed}", *map(_percent, study.nearest_gaps(name))))
    rows.append(("both", *map(_percent, study.nearest_gaps(*c.NEAREST_STEPS))))
    return f"{about}\n{table(('`fitness-cfr`, `' + c.NEAREST.v2 + '`', *gaps), rows)}"


# --- Characteristics ----------------------------------------------------------------------------------------------

_ABOUT_SUBSETS = """
V4 with every subset of its characteristics, each against `simple`, `medium` and `fitness-independent`, {games:,} games
against each; win rates and points are means over the three. A card gets a point for each characteristic:

- **A**, average: the average deadwood after another draw is lowest without it;
- **U**, unmeldable: given the cards seen, it can no longer be melded;
- **O**, useless to the opponent: the opponent cannot meld it;
- **D**, near the opponent's discards: the opponent has discarded a card that it could be melded with.

All play the same deals, so their differences (the chart) are known better than their win rates (the table).
"""
_ABOUT_SHAPLEY = """
The Shapley value of a part is what it adds to agents without it, averaged over all orders in which the parts could be
added; the values sum to what all parts add together. No orders are sampled: every subset was played. A Shapley
value is linear in the values of the subsets, and all of them play the same deals; so it is computed deal by deal, and
its interval is that of a mean over deals.
"""


def _subsets(study: c.Study) -> str:
    by_table, at_random = study.field("subsets"), study.field("subsets-random-ties")
    rows = [
        (
            str(k),
            c.subset_words(k),
            share_words(by_table.win_rate(c.with_characteristics(k)), 4),
            signed_words(by_table.points_per_hand(c.with_characteristics(k)), 3),
            share_words(at_random.win_rate(c.with_random_ties(k)), 4),
            signed_words(at_random.points_per_hand(c.with_random_ties(k)), 3),
        )
        for k in range(16)
    ]
    wins, points = "win rate, ties", "points a hand"
    head = ("bits", "characteristics", f"{wins} by table", points, f"{wins} at random", points)
    about = _ABOUT_SUBSETS.format(games=by_table.games)
    return f"## The sixteen subsets\n{about}\n{table(head, rows)}\n![Win rates of all subsets]({SUBSETS})\n"


def _shapley(study: c.Study) -> str:
    parts = [f"## Shapley values\n{_ABOUT_SHAPLEY}"]
    for title, worth in (
        ("The four characteristics, ties broken by the CFR table:", study.worth),
        ("The four and the CFR tie-break, starting from an agent that has none of the five:", study.worth_with_ties),
    ):
        wins, points = worth(False), worth(True)
        rows = [
            (name, _points_of_percent(win), signed_words(gain, 3))
            for name, win, gain in zip(wins.names, wins.parts, points.parts, strict=True)
        ]
        rows.append(("**all together**", _points_of_percent(wins.total), signed_words(points.total, 3)))
        parts.append(f"{title}\n\n{table(('part', 'games won (95%)', 'points a hand (95%)'), rows)}")
    return "\n".join([*parts, f"![Shapley values]({SHAPLEY})\n"])


def _points_of_percent(estimate: Estimate) -> str:
    return f"{estimate.value:+.2%} ({estimate.low:+.2%} to {estimate.high:+.2%})"


_ABOUT_TIES = """
The same agents, ties broken by the CFR table or at random, against the same three opponents. The table was learned by
an agent with all four characteristics. The last column tests at the 5% level, with Holm's correction for the sixteen
comparisons. Winning more against these three opponents does not mean winning more against every opponent: head to head
V4's win rate against V4 with random ties is {}.
"""


def _ties(study: c.Study) -> str:
    about = _ABOUT_TIES.format(share_words(_head_to_head(study)))
    gains = {c.subset_words(k): study.tie_break(k) for k in range(16)}
    verdicts = _verdicts(list(gains.values()))
    rows = [
        (words, _points_of_percent(gain), said) for (words, gain), said in zip(gains.items(), verdicts, strict=True)
    ]
    head = ("characteristics", "table less random ties: games won (95%)", "with the table (5%, Holm)")
    return f"## CFR tie-break against random tie-break\n{about}\n{table(head, rows)}"


_PARTS = {
    "fitness-cfr(characteristics=0)": "the characteristics",
    "fitness-cfr(ties=1)": "the CFR tie-break",
    "fitness-cfr(characteristics=0 ties=1)": "both: discards any card of least deadwood",
    "fitness-cfr(knock_at=10)": "the knock table: knocks as soon as it can",
    "fitness-cfr(draw_melds=1)": "the draw table: takes what melds",
    "fitness-cfr(pure=0)": "the likelier action: mixes as the tables say",
    "fitness-cfr(blend=1)": "hard borders between the stages: blends the tables of neighboring stages",
}
_ABOUT_PARTS = """
{games:,} games each. The last column tests at the 5% level, with Holm's correction for all rows. The paper suggests a
function, as in Sandholm (2015), for "cases that fall between known abstraction points". The last row tries it: between
the middles of two stages the agent mixes the entries of both by Sandholm's pseudo-harmonic mapping.
"""


def _parts(study: c.Study) -> str:
    field = study.field("parts")
    won = [_of_v4(field.win_rate(agent)) for agent in field.agents]
    rows = []
    for agent, wins, said in zip(field.agents, won, _verdicts(won, 0.5), strict=True):
        gain = field.points_per_hand(agent)
        points = Estimate(-gain.value, -gain.high, -gain.low)
        rows.append((_PARTS.get(agent, ""), f"`{agent}`", share_words(wins), signed_words(points), said))
    head = ("V4 against itself without", "agent", "win rate of V4 (95%)", "points a hand (95%)", "V4 (5%, Holm)")
    return f"## What each part is worth\n{_ABOUT_PARTS.format(games=field.games)}\n{table(head, rows)}"


def _head_to_head(study: c.Study) -> Estimate:
    return _of_v4(study.field("parts").win_rate(c.RANDOM_TIES))


def _of_v4(win_rate: Estimate) -> Estimate:
    """Return V4's win rate against an agent that has *win_rate* against V4."""
    return Estimate(1 - win_rate.value, 1 - win_rate.high, 1 - win_rate.low)


# --- Knocks -------------------------------------------------------------------------------------------------------

_ABOUT_KNOCKS = """
Medium knocks with "a total of seven or nine deadwood in its hand or has gin", read literally, or at a threshold.
The paper added to V4 "another heuristic [...] that would cause it to knock immediately when a certain point threshold
was reached". Above the threshold it knocks by the table, or not at all. Each plays {games:,} games against each of the
opponents named. The best of ten thresholds looks a little better than it is, since these games chose it.
"""


def _knocks(study: c.Study) -> str:
    medium, instead, besides = (study.field(name) for name in ("knock-medium", "knock-instead", "knock-besides"))
    about = _ABOUT_KNOCKS.format(games=medium.games)
    parts = [
        f"## Knock thresholds\n{about}",
        f"![Win rates by threshold]({KNOCKS})\n",
        _thresholds("Medium", medium, "medium", '"seven or nine"', c.medium_at),
        _thresholds("V4, a threshold instead of the knock table", instead, c.V4, "the knock table", c.instead),
        _thresholds("V4, a threshold and above it the knock table", besides, c.V4, "the knock table", c.besides),
    ]
    return "\n".join(parts)


def _thresholds(title: str, field: CommonOpponents, plain: str, words: str, agent: Callable[[int], str]) -> str:
    rows = [_line(field, plain, words)]
    rows += [(*_line(field, agent(points), f"{points} or less"),) for points in c.THRESHOLDS]
    best = max(c.THRESHOLDS, key=lambda points: field.win_rate(agent(points)).value)
    lead = field.lead(agent(best), plain)
    head = (
        "knocks with",
        *(f"against `{name}`" for name in field.against),
        "mean win rate (95%)",
        "points a hand (95%)",
    )
    return (
        f"### {title}\n\n{table(head, rows)}\n"
        f"The best threshold is {best}: {_percent(lead)} of the games compared with {words}.\n"
    )


def _line(field: CommonOpponents, agent: str, words: str) -> Sequence[str]:
    each = (f"{field.win_rate(agent, other).value:.3f}" for other in field.against)
    return words, *each, share_words(field.win_rate(agent)), signed_words(field.points_per_hand(agent))


# --- Steps that are added later -----------------------------------------------------------------------------------


def _further(study: c.Study) -> list[str]:
    """Return a section for every step of the file that has no section above; its name is the title."""
    known = {*_OWN_STEPS, "v4-v2", *(f"{v}-{control}" for v in ("v4", "v2") for control in c.CONTROLS)}
    steps = study.results.steps
    return [
        f"## {name.replace('-', ' ').capitalize()}\n\n{result.markdown()}"
        for name, result in steps.items()
        if name not in known
    ]
