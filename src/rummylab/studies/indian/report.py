"""The sections of the report on Saha et al.: the paper's figures, ours, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from rummylab.arena.markdown import p_words, share_words, signed_words, table
from rummylab.arena.ordered import Ordered
from rummylab.studies.indian.figures import draw
from rummylab.studies.indian.hands import hands_table
from rummylab.studies.indian.study import (
    LEVEL,
    SkillTest,
    Study,
    complement,
    corrected,
    name_of,
    nine,
    seven,
)


def draw_and_write(study: Study, out: Path) -> str:
    """Draw the figures into *out* and return the report's sections."""
    draw(study, out)
    return sections(study)


def sections(study: Study) -> str:
    """Return all sections."""
    parts = (_examples, _distributions, _win_rates, _skill, _published, _gains, _drops, _rounds, _beyond)
    return "\n".join(section(study) for section in parts)


def _examples(study: Study) -> str:
    a, b = study.printed.example("iv_a"), study.printed.example("iv_b")
    melds = " · ".join(f"`{meld}`" for meld in a.grouping)
    aim = " · ".join(f"`{meld}`" for meld in b.target)
    return f"""## The examples of section IV

- **IV-A.** `{a.hand}`, threes wild: the paper says 27 = 10 + 10 + 7. By its own rules it is {a.min_score}:
  four clubs are not needed for the pure run, so the wild `3c` completes the kings:
  {melds}, and only `{a.loose}` is unmelded.
- **IV-B.** `{b.hand}`, sevens wild (suits chosen so that it can come from a deck; our copy of the paper shows
  spades throughout): the values add up to {b.min_score}, not 80. The paper's MinDist of 1 is right: {aim},
  or `4s` for the nine.
- **The highest MinDist.** With one deck it is {seven().min_dist}: `{seven().hand}`, sevens wild. No hand has more: the
  test suite enumerates them, suit by suit. With two decks it is {nine().min_dist}: `{nine().hand}`, twos
  wild. The paper's bound of 9 is sharp there: any four cards can be kept, one in each meld.

**Fig. 4**, drawn for the hand of section IV-A: the melds that the recursion tries, and the scores they lead to. The
second branch, which melds four clubs as the pure run, ends at the paper's 27.

![Fig. 4](fig4-minscore-transitions.svg)
"""


def _distributions(study: Study) -> str:
    samples = {
        f"{sample.cards}, {sample.n:,} hands" + (" (the paper's size)" if name == "small" else ""): sample
        for name, sample in study.samples.items()
    }
    large = study.samples["large"]
    at_cap = large.distances_at_cap()
    spread = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(at_cap) if share >= 0.0005)
    return f"""## Fig. 1-3: MinScore and MinDist of random hands

Share of random hands by MinDist, and of those whose MinScore is 80:

{hands_table(samples)}
![Fig. 1](fig1-minscore-ecdf.svg)
![Fig. 2](fig2-minscore-histogram.svg)
![Fig. 3](fig3-mindist-histogram.svg)

The point of the paper's section IV-B, in numbers: hands at the cap of 80 all look alike to MinScore, but their MinDist
is spread ({spread}).
The peak at 80 comes from the cap, which collects every higher score; without it, the most frequent score is
{int(np.argmax(large.points()))} (Fig. 2).
"""


def _square(agents: Sequence[str], cell: Callable[[str, str], str]) -> str:
    head = ("moves first \\ second", *(name_of(agent) for agent in agents))
    return table(head, [(f"**{name_of(one)}**", *(cell(one, two) for two in agents)) for one in agents])


def _win_rates(study: Study) -> str:
    half = 1.96 * 0.5 / math.sqrt(study.games)
    square = _square(study.agents, lambda i, j: f"{study.play.of(i, j).win_rate.value:.3f}")
    return f"""## Fig. 5: win rate of the first mover

The row moves first. The half-width of the 95% interval is at most {half:.3f} (exact values in `results.json`).

{square}
![Fig. 5](fig5-win-rates.svg)
"""


def _skill(study: Study) -> str:
    play, printed = study.play, study.printed

    def cell(one: str, two: str) -> str:
        if one == two:
            return f"0.5 (edge {play.edge(one).value:+.3f})"
        return f"{printed.figure('adjusted', one, two):.2f} / {play.adjusted(one, two).value:.3f}"

    adjusted = [play.adjusted(i, j) for i in study.skilled for j in study.skilled]
    widest = max(estimate.high - estimate.value for estimate in adjusted)
    rows = [
        (
            _pair(test.pair),
            share_words(complement(test.paper)),
            p_words(test.p_paper),
            share_words(complement(test.ours)),
            p_words(test.p_ours),
            _verdict(test),
            p_words(test.p_gap),
        )
        for test in study.tests
    ]
    head = (
        "pair",
        "paper",
        "p (Holm)",
        "ours",
        "p (Holm)",
        "significant difference",
        "paper against ours, p (Holm)",
    )
    return f"""## Table I: skill without the first mover's advantage

As in the paper: p\\* = p_ij - (p_ii - 0.5), where the row moves first. Paper / ours; ours are accurate to {widest:.3f}.
On the diagonal: the first mover's edge in our self-play.

{_square(study.skilled, cell)}
**The test.** The paper compares each entry with 0.5 +- 0.03, the error of one share of 1,000 games. An
entry of Table I is a difference of two such shares, so its standard error is
{printed.entry_error:.4f}, not 0.0158, and the interval is
(0.456, 0.544). It also makes twelve comparisons without a correction. We use one test per pair of
agents, with both orders averaged, corrected by Holm's method over the six pairs.

{table(head, rows)}
![Table I](table1-skill.svg)

{_reading(study.tests)}

{_drawn(study)}
"""


def _pair(pair: tuple[str, str]) -> str:
    return f"{name_of(pair[1])} against {name_of(pair[0])}"


def _verdict(test: SkillTest) -> str:
    theirs = test.p_paper < LEVEL
    if test.is_reversed:
        return "**in the opposite direction**"
    if test.is_significant:
        return "in both" if theirs else "in ours only"
    return "**in the paper only**" if theirs else "in neither"


def _reading(tests: Sequence[SkillTest]) -> str:
    """Return which differences hold, pair by pair."""
    firm = [f"{name_of(t.pair[1])} over {name_of(t.pair[0])}" for t in tests if t.is_significant and not t.is_reversed]
    loose = [f"{name_of(t.pair[0])} and {name_of(t.pair[1])}" for t in tests if not t.is_significant]
    other_way = [f"{name_of(t.pair[0])} over {name_of(t.pair[1])}" for t in tests if t.is_reversed]
    gaps = [_pair(t.pair) for t in tests if t.p_gap < LEVEL]
    lines = [
        f"{words}: {', '.join(pairs)}."
        for words, pairs in (
            ("Significant", firm),
            ("Undecided", loose),
            ("Significant in the opposite direction to the paper", other_way),
            ("The paper's numbers differ significantly from ours in", gaps),
        )
        if pairs
    ]
    return "\n".join(lines)


def _drawn(study: Study) -> str:
    """Return what the other reading of the MinDist agent changes."""
    found = {other: study.play.skill(other, "mindist-drawn") for other in study.skilled if other != "mindist"}
    words = ", ".join(
        f"{name_of(other)} {share_words(skill)} (paper {study.printed.skill(other, 'mindist').value:.3f})"
        for other, skill in found.items()
    )
    return (
        "One reason is known. In the text, the MinDist agent always discards the most expensive card it does not"
        " need; in the published\n"
        "experiments it discarded the drawn card if that gained nothing (`mindist-drawn`). Against that weaker agent:\n"
        f"{words}.\nThis concerns the pairs with MinDist only. The next section explains the others."
    )


def _published(study: Study) -> str:
    """Return the results of the published program's own agents, with its defect and without."""
    names = {
        "defect": "program as published",
        "throws the cheapest": "repaired: discards the cheapest",
        "throws the oldest": "repaired: discards the oldest",
    }
    played = {names[pick_up]: found.ordered for pick_up, found in study.published.items()}
    rows = []
    for one, two in ((one, two) for one in study.skilled for two in study.skilled if one != two):
        ours = (f"{ordered.adjusted(one, two).value:.3f}" for ordered in (study.play, *played.values()))
        rows.append(
            (f"{name_of(one)} against {name_of(two)}", f"{study.printed.figure('adjusted', one, two):.2f}", *ours)
        )
    gaps = [_difference(study, ordered) for ordered in (study.play, *played.values())]
    rows.append(("root mean square difference from the paper", "", *(f"{gap:.3f}" for gap in gaps)))
    head = ("without the first mover's edge", "paper", "agents as in the text", *played)
    widest = max(
        ordered.adjusted(*pair).high - ordered.adjusted(*pair).value
        for ordered in played.values()
        for pair, _ in _table_1(study)
    )
    return f"""## What the published program plays

The program published with the paper is not what its text describes. *MinScore* caps the score before it compares, so
at 80 it discards most of what it draws. *MinDist* discards the drawn card if that gained nothing. *MinDist+Score*
follows MinScore even where that costs distance. *MinDist+Opp* treats a card as safe if it is near the opponent's
discards or not near the cards the opponent took. After a gain, the last two discard the cheapest spare card, not the
most expensive. They also have a defect: after taking the upcard, the card that leaves the hand is the cheapest spare
card, but the card put on the pile is the oldest one. One card is then in the game twice, and another is gone.

We wrote these agents and the defect from the program's source (`rummylab.studies.indian.published`, for this
study only). "Repaired" discards the card that leaves the hand. Our entries are accurate to {widest:.3f}.

{table(head, rows)}
{_cause(study)}
"""


def _table_1(study: Study) -> list[tuple[tuple[str, str], float]]:
    return list(study.printed.adjusted().items())


def _difference(study: Study, ordered: Ordered) -> float:
    """Return the root mean square difference from the entries of Table I."""
    gaps = [ordered.adjusted(*pair).value - printed for pair, printed in _table_1(study)]
    return float(np.sqrt(np.mean(np.square(gaps))))


def _cause(study: Study) -> str:
    """Return how much of the paper's figures the program's rules explain, and how much its defect."""
    opp = study.dropping
    others = [agent for agent in study.skilled if agent != opp]

    def told(ordered: Ordered) -> str:
        return " / ".join(f"{ordered.adjusted(opp, other).value:.3f}" for other in others)

    printed = " / ".join(f"{study.printed.figure('adjusted', opp, other):.2f}" for other in others)
    published = study.published["defect"].ordered
    repaired = [found.ordered for pick_up, found in study.published.items() if pick_up != "defect"]
    shift = max(abs(published.adjusted(opp, o).value - r.adjusted(opp, o).value) for o in others for r in repaired)
    gap = max(abs(published.adjusted(opp, o).value - study.play.adjusted(opp, o).value) for o in others)
    with_defect, by_text = _difference(study, published), _difference(study, study.play)
    without = min(_difference(study, found) for found in repaired)
    text = f"""MinDist+Opp against the three others: paper {printed}, the program {told(published)},
the agents of the text {told(study.play)}. Repairing the defect moves the program's three by at most {shift:.3f},
going back to the rules of the text by up to {gap:.3f}."""
    if with_defect < without < by_text:
        text += f"""
The published program reproduces the paper's table; the agents of the text do not. Over the twelve entries the root
mean square difference from the paper falls from {by_text:.3f} (text) to {without:.3f} (the program's other rules) and
{with_defect:.3f} (its defect too). One entry of the paper has a standard error of {study.printed.entry_error:.3f}."""
    return text


def _gains(study: Study) -> str:
    agents = study.agents

    def cell(one: str, two: str) -> str:
        series = study.play.of(one, two)
        return f"{series.mean_gain.value:+.1f} / {series.median_gain.value:+.0f}"

    widest = max(
        study.play.of(i, j).mean_gain.high - study.play.of(i, j).mean_gain.value for i in agents for j in agents
    )
    return f"""## Gains of the first mover

Points a deal, mean / median; the mean is accurate to {widest:.1f}. The paper prefers the median, "due to extreme values
(+-20 or +-40)"; but gains run from -80 to 80, nearly every deal is worth many points to one side, and the
median of such a
two-sided distribution jumps from one side to the other when the win rate crosses a half. The mean is what a
player wins in the long run.

{_square(agents, cell)}
{_net(study)}"""


def _net(study: Study) -> str:
    """Return the points a deal between skilled agents, both orders averaged."""
    pairs = list(combinations(study.skilled, 2))
    gains = [study.play.net_gain(two, one) for one, two in pairs]
    rows = [
        (_pair((one, two)), share_words(study.play.skill(two, one)), signed_words(gain), p_words(p))
        for (one, two), gain, p in zip(pairs, gains, corrected(gains, 0), strict=True)
    ]
    lost = [
        _pair((one, two))
        for (one, two), gain in zip(pairs, gains, strict=True)
        if study.play.skill(two, one).low > 0.5 and gain.high < 0
    ]
    text = "\nBoth orders averaged. The agent that wins more deals does not always win more points.\n\n"
    text += table(("pair", "win rate", "points a deal", "p (Holm)"), rows)
    if lost:
        text += f"\nMore deals, but fewer points: {'; '.join(lost)}. The paper ranks by win rates.\n"
    return text


def _drops(study: Study) -> str:
    name, dropper = study.dropping, str(study.printed.more["table_2"]["drops"])
    lines = ("drops, moving first, against no drop", "no drop, moving first, against drops")
    rows = [_table_2(study, label, pair) for label, pair in zip(lines, ((dropper, name), (name, dropper)), strict=True)]
    sweep = []
    for opponent in (name, "minscore"):
        if opponent != name:
            sweep.append((name_of(opponent), "never", "0.0%", *_both(study, name, opponent)))
        for one in study.droppers:
            dropped = f"{study.dropped(one, opponent):.1%}"
            sweep.append((name_of(opponent), f"{study.threshold(one)}", dropped, *_both(study, one, opponent)))
    return f"""## Table II: does it pay to drop?

{name_of(name)} with drops (first turn, MinDist > 4, 20 points) against itself without. Win rate, mean and
median gain of the first mover:

{table(("lineup", "paper", "ours", "ours, 95%"), rows)}
The win rate is the wrong measure of a drop, which gives up a deal to save points. Both orders averaged, for every
threshold, and against a weaker opponent:

{table(("opponent", "drops from MinDist", "deals dropped", "win rate", "points a deal"), sweep)}
![Table II](table2-drop-sweep.svg)

Section VII of the paper speaks of a threshold "say 3", section VIII of "> 4".
{_our_drops(study)}"""


def _table_2(study: Study, label: str, pair: tuple[str, str]) -> tuple[str, ...]:
    series = study.play.of(*pair)
    win, gain, middle = (study.printed.figure(what, *pair) for what in ("win_rate", "mean_gain", "median_gain"))
    return (
        label,
        f"{win:.2f}, {gain:.2f}, {middle:.0f}",
        f"{series.win_rate.value:.3f}, {series.mean_gain.value:.2f}, {series.median_gain.value:.0f}",
        f"{share_words(series.win_rate)}; {signed_words(series.mean_gain)}",
    )


def _our_drops(study: Study) -> str:
    """Return the value of our own rule for drops."""
    dropper, same = study.our_dropper, study.without_drops
    rows = [
        (
            name_of(opponent),
            f"{study.dropped(dropper, opponent):.1%}",
            *_both(study, dropper, opponent),
            "" if opponent == same else signed_words(study.play.gain_beyond(dropper, same, opponent)),
        )
        for opponent in (same, study.dropping)
    ]
    head = (f"`{dropper}` against", "deals dropped", "win rate", "points a deal", "beyond never dropping")
    return f"\nOur own rule for drops also considers jokers and who moves first:\n\n{table(head, rows)}"


def _both(study: Study, one: str, two: str) -> tuple[str, str]:
    return share_words(study.play.skill(one, two)), signed_words(study.play.net_gain(one, two))


def _rounds(study: Study) -> str:
    square = _square(study.agents, lambda i, j: f"{study.play.of(i, j).rounds.mean():.1f}")
    return f"""## Fig. 6: mean number of rounds

{square}
![Fig. 6](fig6-rounds.svg)
"""


def _beyond(study: Study) -> str:
    text = "## Beyond the paper\n\nBoth orders averaged; p-values by Holm's method over the rows of a table.\n"
    for agent in study.extra:
        skills = [study.play.skill(agent, other) for other in study.agents]
        rows = [
            (
                name_of(other),
                f"{study.play.of(agent, other).win_rate.value:.3f}",
                f"{1 - study.play.of(other, agent).win_rate.value:.3f}",
                share_words(skill),
                p_words(p),
                signed_words(study.play.net_gain(agent, other)),
            )
            for other, skill, p in zip(study.agents, skills, corrected(skills, 0.5), strict=True)
        ]
        head = (f"`{agent}` against", "moving first", "moving second", "win rate", "p (Holm)", "points a deal")
        text += f"\n{table(head, rows)}"
        text += f"\nFirst mover's edge in self-play: {share_words(study.play.edge(agent))}.\n"
    return text
