"""The sections of the report on Gallucci et al."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rummylab.arena.field import Field
from rummylab.arena.reproduce import card_fitness as c
from rummylab.arena.reproduce.card_fitness_figures import FIGURES, KNOCKS, SHAPLEY, SUBSETS
from rummylab.arena.statistics import Estimate
from rummylab.arena.words import share_words, signed_words, table

_OWN_STEPS = ("readings", "subsets", "subsets-random-ties", "parts", "knock-medium", "knock-instead", "knock-besides")


def sections(study: c.Study) -> str:
    """Return all sections, those of further steps last."""
    parts = [_short(study), _pairs(study), _readings(study), _subsets(study), _shapley(study), _ties(study)]
    return "\n".join([*parts, _parts(study), _knocks(study), *_further(study)])


def _verdict(estimate: Estimate) -> str:
    """Say what a difference comes to."""
    if estimate.low <= 0 <= estimate.high:
        return "no difference that these games can show"
    return "a gain" if estimate.low > 0 else "a loss"


def _short(study: c.Study) -> str:
    """Say in a few lines what the tables show."""
    first, simple, medium = (_percent(course.lead) for course in study.courses)
    worth, ties, subsets = study.worth(points=False), study.tie_break(15), study.field("subsets")
    most = max(range(4), key=lambda k: worth.parts[k].value)
    best = max(range(16), key=lambda k: subsets.win_rate(c.with_characteristics(k)).value)
    lead = subsets.lead(c.with_characteristics(best), c.with_characteristics(15))
    knocks, at_once = study.field("knock-instead"), c.instead(c.THRESHOLDS[-1])
    return f"""## In short

- V4 leads V2 by {first} of the games, and wins more than V2 does against Simple, {simple}, and against
  Medium, {medium}. How large the gaps are is decided by how two sentences are read.
- The four characteristics together are worth {_points_of_percent(worth.total)} of the games against three
  opponents. Most of it comes from *{c.CHARACTERISTICS[most]}*: {_points_of_percent(worth.parts[most])} by its
  Shapley value. Of all subsets {c.subset_words(best)} wins most, {_points_of_percent(lead)} beyond all four.
- The CFR tie-break wins {_points_of_percent(ties)} with all four characteristics: {_verdict(ties)}.
- The knock table wins {_percent(knocks.lead(c.V4, at_once))} more than knocking at once.
"""


# --- The paper's pairs --------------------------------------------------------------------------------------------

_ABOUT_PAIRS = """
Left: games won over the course of the experiment, as in the paper's figures. Right: how much more of the games V4 wins,
with its 95 % interval so far, and the paper's figure.
"""
_ABOUT_STRONG = """
The paper concludes that the change counts for more against a strong bot than against a weak one. But a lead over V2 is
not the same measure as a gain over V2 against somebody else: against itself V2 wins one half, so a lead of 7.8 % is a
gain of 3.9 points, beside 4 against Simple and 3 against Medium. Measured alike, our V4 gains {} of the
games against V2, {} against Simple and {} against Medium.
"""


def _pairs(study: c.Study) -> str:
    rows = []
    for name in ("v4-v2", "v4-simple", "v2-simple", "v4-medium", "v2-medium"):
        match = study.match(name)
        win, gain = share_words(match.win_rate), signed_words(match.points_per_hand)
        rows.append((f"`{match.agents[0]}`", f"`{match.agents[1]}`", f"{match.games:,}", win, gain))
    found = table(("agent", "against", "games", "win rate (95 %)", "points a hand (95 %)"), rows)
    leads = [(course.title, f"{course.paper:.1%}", _percent(course.lead)) for course in study.courses]
    compared = table(("V4 wins more than V2", "paper", "ours (95 %)"), leads)
    pictures = "\n".join(f"![{course.title}]({name})\n" for course, name in zip(study.courses, FIGURES, strict=True))
    first, *others = (course.lead for course in study.courses)
    gains = [Estimate(first.value / 2, first.low / 2, first.high / 2), *others]
    strong = _ABOUT_STRONG.format(*(_percent(gain) for gain in gains))
    return f"## Fig. 2-4: V4, V2 and the control group\n\n{found}\n{compared}{_ABOUT_PAIRS}\n{pictures}{strong}"


def _percent(estimate: Estimate) -> str:
    return f"{estimate.value:+.1%} ({estimate.low:+.1%} to {estimate.high:+.1%})"


# --- Readings -----------------------------------------------------------------------------------------------------

_ABOUT_READINGS = """
What the text leaves open decides how large the gaps are. "If the average deadwood points decreased after an additional
draw" is true of nearly every candidate if taken literally, and then ranks nothing; the registered agents give the point
to the candidates after which the average is lowest. "V2 removed a candidate card as soon as it returned true" throws
out the cards that V4 finds fittest; that is what the registered V2 does.
"""


def _readings(study: c.Study) -> str:
    field = study.field("readings")
    rows = [("the paper", *(f"{course.paper:+.1%}" for course in study.courses))]
    for reading in c.READINGS:
        won = field.win_rate(reading.v4, reading.v2)
        lead = Estimate(*(2 * value - 1 for value in (won.value, won.low, won.high)))
        more = (field.lead(reading.v4, reading.v2, control) for control in c.CONTROLS)
        rows.append((reading.words, *(_percent(estimate) for estimate in (lead, *more))))
    head = ("reading", "lead of V4 over V2", "more than V2 against Simple", "against Medium")
    return f"## Other readings of the text\n{_ABOUT_READINGS}\n{table(head, rows)}"


# --- Characteristics ----------------------------------------------------------------------------------------------

_ABOUT_SUBSETS = """
V4 with every subset of its characteristics, each against `simple`, `medium` and `fitness-independent`, {games:,} games
against each; win rates and points are means over the three. What speaks for throwing a card:

- **A**, average: the average deadwood after another draw is lowest without it;
- **U**, unmeldable: by the cards seen it cannot be melded any more;
- **O**, useless to the opponent: the opponent cannot meld it;
- **D**, near the opponent's discards: the opponent has thrown a card that it would be melded with.

All play the same deals, so their differences (the chart) are known better than their win rates (the table).
"""
_ABOUT_SHAPLEY = """
The Shapley value of a part is what it adds to agents without it, averaged over all orders in which the parts could be
put in; the values add up to what all parts add together. No orders are sampled: every subset was played. A Shapley
value is linear in the values of the subsets, and all of them play the same deals; so it is worked out deal by deal, and
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
        ("The four, ties by the CFR table:", study.worth),
        ("The four and the CFR tie-break, beginning with an agent that has none of the five:", study.worth_with_ties),
    ):
        wins, points = worth(False), worth(True)
        rows = [
            (name, _points_of_percent(win), signed_words(gain, 3))
            for name, win, gain in zip(wins.names, wins.parts, points.parts, strict=True)
        ]
        rows.append(("**all together**", _points_of_percent(wins.total), signed_words(points.total, 3)))
        parts.append(f"{title}\n\n{table(('part', 'games won (95 %)', 'points a hand (95 %)'), rows)}")
    return "\n".join([*parts, f"![Shapley values]({SHAPLEY})\n"])


def _points_of_percent(estimate: Estimate) -> str:
    return f"{estimate.value:+.2%} ({estimate.low:+.2%} to {estimate.high:+.2%})"


_ABOUT_TIES = """
The same agents, ties broken by the CFR table or at random, against the same three opponents. The table was learned by
an agent with all four characteristics. Of sixteen such intervals one misses the truth now and then.
"""


def _ties(study: c.Study) -> str:
    gains = {c.subset_words(k): study.tie_break(k) for k in range(16)}
    rows = [(words, _points_of_percent(gain), _verdict(gain)) for words, gain in gains.items()]
    head = ("characteristics", "games won more by the table (95 %)", "that is")
    return f"## CFR tie-break against random tie-break\n{_ABOUT_TIES}\n{table(head, rows)}"


_PARTS = {
    "fitness-cfr(characteristics=0)": "the characteristics",
    "fitness-cfr(ties=1)": "the CFR tie-break",
    "fitness-cfr(characteristics=0 ties=1)": "both: any card of least deadwood",
    "fitness-cfr(knock_at=10)": "the knock table: knocks at once",
    "fitness-cfr(draw_melds=1)": "the draw table: takes what melds",
    "fitness-cfr(pure=0)": "doing what is likelier: draws lots as the tables say",
}


def _parts(study: c.Study) -> str:
    field = study.field("parts")
    rows = []
    for agent in field.agents:
        won, gain = field.win_rate(agent), field.points_per_hand(agent)
        beaten = Estimate(1 - won.value, 1 - won.high, 1 - won.low)
        points = Estimate(-gain.value, -gain.high, -gain.low)
        over_half = Estimate(*(value - 0.5 for value in (beaten.value, beaten.low, beaten.high)))
        rows.append(
            (_PARTS.get(agent, ""), f"`{agent}`", share_words(beaten), signed_words(points), _verdict(over_half))
        )
    head = ("V4 against itself without", "agent", "win rate of V4 (95 %)", "points a hand (95 %)", "the part is")
    return f"## What each part is worth\n\n{field.games:,} games each.\n\n{table(head, rows)}"


# --- Knocks -------------------------------------------------------------------------------------------------------

_ABOUT_KNOCKS = """
Medium knocks with "a total of seven or nine deadwood in its hand or has gin", read literally; or with so many points or
less. The paper added to V4 "another heuristic [...] that would cause it to knock immediately when a certain point
threshold was reached": with the table above the threshold, or with no knock above it. Each against the opponents named,
{games:,} games against each. The best of ten thresholds looks a little better than it is: these games chose it.
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


def _thresholds(title: str, field: Field, plain: str, words: str, agent: Callable[[int], str]) -> str:
    rows = [_line(field, plain, words)]
    rows += [(*_line(field, agent(points), f"{points} or less"),) for points in c.THRESHOLDS]
    best = max(c.THRESHOLDS, key=lambda points: field.win_rate(agent(points)).value)
    lead = field.lead(agent(best), plain)
    head = (
        "knocks with",
        *(f"against `{name}`" for name in field.against),
        "mean win rate (95 %)",
        "points a hand (95 %)",
    )
    return (
        f"### {title}\n\n{table(head, rows)}\n"
        f"The best threshold is {best}: {_percent(lead)} of the games compared with {words}, {_verdict(lead)}.\n"
    )


def _line(field: Field, agent: str, words: str) -> Sequence[str]:
    each = (f"{field.win_rate(agent, other).value:.3f}" for other in field.against)
    return words, *each, share_words(field.win_rate(agent)), signed_words(field.points_per_hand(agent))


# --- Steps that are added later -----------------------------------------------------------------------------------


def _further(study: c.Study) -> list[str]:
    """Return a section for every step of the file that has no place above: its name is the title."""
    known = {*_OWN_STEPS, "v4-v2", *(f"{v}-{control}" for v in ("v4", "v2") for control in c.CONTROLS)}
    steps = study.results.steps
    return [
        f"## {name.replace('-', ' ').capitalize()}\n\n{result.markdown()}"
        for name, result in steps.items()
        if name not in known
    ]
