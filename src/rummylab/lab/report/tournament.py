"""The report on a tournament. The prose is in ``templates/tournament.md.j2``; here are its numbers and sentences."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.markdown import as_code, games_needed, p_words, table
from rummylab.arena.plots import need_matplotlib
from rummylab.arena.statistics import Estimate
from rummylab.arena.store import Store
from rummylab.arena.tournament import find_tournament, read_tournament
from rummylab.cards.rng import is_key
from rummylab.engine.streams import seed_option, seed_words
from rummylab.errors import OptionError
from rummylab.games.registry import game
from rummylab.lab.page import templates, to_html
from rummylab.lab.report import figures
from rummylab.lab.report.facts import Comparison, Facts, listed, percent, signed, within

_MOST_CYCLES = 12
_FEW_ROWS = 6
"""A table with more rows is folded: the reader opens it."""
FIGURES = {
    "ratings": figures.ratings,
    "win-rates": figures.win_rates,
    "points": figures.points_per_hand,
    "first-move": figures.first_move,
    "skill": figures.skill,
    "convergence": figures.convergence,
    "distributions": figures.distributions,
    "outcomes": figures.outcomes,
}


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """The files of a report, and its summary."""

    run: str
    complete: bool
    summary: str
    html: Path
    markdown: Path
    figures: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "run": self.run,
            "complete": self.complete,
            "summary": self.summary,
            "html": str(self.html),
            "markdown": str(self.markdown),
            "figures": [str(path) for path in self.figures],
        }


def write_report(store: Store, which: str | None, out: Path, anchor: str | None = None) -> WrittenReport:
    """Write ``report.md``, its figures and ``report.html`` into *out*. The same run gives the same bytes.

    *which* is a run's name, number or beginning of its key; by default the latest tournament. *anchor* is the agent
    whose Elo is 0; by default the first that nobody sweeps.

    Raises:
        StoreError: If there is no such tournament, or nothing was played of it.
        OptionError: If *out* cannot be created.
        MissingExtraError: If Matplotlib is not installed.
    """
    need_matplotlib()
    run = find_tournament(store, which)
    about, facts = run.about, Facts(read_tournament(run, anchor))
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"The directory {out} cannot be created for the report: {error.strerror}.") from None
    report = _Report(facts, about, store.path.name, out)
    html, markdown = out / "report.html", out / "report.md"
    text = report.markdown()
    markdown.write_text(text, encoding="utf-8")
    html.write_text(to_html(text, out), encoding="utf-8")
    complete, name = facts.standings.complete, about["name"] or about["key"]
    return WrittenReport(name, complete, report.summary(), html, markdown, tuple(report.drawn))


@dataclass(frozen=True)
class _Report:
    """What the template asks for, as Markdown: sentences, tables and figures. It calls most methods by name."""

    facts: Facts
    about: Mapping[str, Any]
    store_name: str
    out: Path
    drawn: list[Path] = field(default_factory=list)

    def markdown(self) -> str:
        standings, plan = self.facts.standings, self.facts.plan
        return (
            templates()
            .get_template("tournament.md.j2")
            .render(
                report=self,
                facts=self.facts,
                complete=standings.complete,
                has_self_play=all((name, name) in standings.results for name in self.facts.order),
                has_distributions=bool(figures.panels(self.facts)),  # empty if every game was forfeited
                strangers=plan.strangers,
                busy=sum(result.busy for result in standings.results.values()),
            )
        ) + "\n"

    def draw(self, name: str) -> str:
        """Draw a figure and return its file name."""
        self.drawn.append(self.out / f"{name}.svg")
        FIGURES[name](self.drawn[-1], self.facts)
        return self.drawn[-1].name

    def _name(self, agent: str) -> str:
        return as_code(self.facts.labels[agent])

    def _pair(self, c: Comparison) -> str:
        return f"{self._name(c.first)} – {self._name(c.second)}"

    # --- Summary ---

    def title(self) -> str:
        return f"{game(self.facts.plan.game).title}: {len(self.facts.order)} agents in a tournament"

    def progress(self) -> str:
        played, total = self.facts.standings.games, self.facts.plan.games_in_all
        return f"{played:,} of {total:,} games are played ({percent(played / total)})"

    def key_figures(self) -> str:
        plan, standings = self.facts.plan, self.facts.standings
        values = [
            (f"{len(self.facts.order)}", "agents"),
            (f"{len(self.facts.comparisons)}", "pairing" if len(self.facts.comparisons) == 1 else "pairings"),
            (f"{plan.games:,}", "games per pairing"),
            (f"{standings.games:,}", "games in all"),
            (f"{sum(result.hands for result in standings.results.values()):,}", "hands"),
            ("secret key" if is_key(plan.root) else f"{plan.seed}", "seed"),
        ]
        return " · ".join(f"**{value}** {words}" for value, words in values)

    def full_names(self) -> str:
        """Return what the short labels of the figures stand for."""
        cut = [(label, name) for name, label in self.facts.labels.items() if label != name]
        return "".join(f"- {as_code(label)} is {as_code(name)}\n" for label, name in cut)

    def summary(self) -> str:
        """Return who leads, and which differences are significant."""
        sentences = [
            self._leader(),
            self._by_points(),
            self._significant(),
            self._cycles_in_short(),
            self._first_move_in_short(),
        ]
        return " ".join(sentence for sentence in sentences if sentence)

    def _leader(self) -> str:
        best = self.facts.ratings[0]
        own = [c for c in self.facts.comparisons if best.name in (c.first, c.second)]
        beaten = [c for c in own if c.is_significant and c.winner == best.name]
        words = (
            f"{self._name(best.name)} leads: it wins {within(self.facts.against_field(best.name))} of its games"
            f" (Elo {best} relative to {self._name(self.facts.anchor)})"
        )
        if len(beaten) == len(own):
            them = "its opponent" if len(own) == 1 else f"each of its {len(own)} opponents"
            return f"{words} and beats {them} (significant at 5%, Holm)."
        lost = [self._other(c, best.name) for c in own if c.is_significant and c.winner != best.name]
        undecided = [self._other(c, best.name) for c in own if not c.is_significant]
        words += f" and beats {len(beaten)} of its {len(own)} opponents (significant at 5%, Holm)"
        if undecided:
            words += f"; {listed(undecided)} {'is' if len(undecided) == 1 else 'are'} undecided"
        if lost:
            words += f"; it loses to {listed(lost)}"
        return words + "."

    def _other(self, c: Comparison, name: str) -> str:
        return self._name(c.second if c.first == name else c.first)

    def _by_points(self) -> str:
        found = {name: self.facts.against_field(name, "points") for name in self.facts.order}
        most_points = max(found, key=lambda name: found[name].value)
        who = "it leads too" if most_points == self.facts.order[0] else f"{self._name(most_points)} leads"
        words = f"In points {who}, with {within(found[most_points], signed)} per game against the field"
        split = [c for c in self.facts.comparisons if c.is_split]
        if split:
            words += (
                f"; in {_count(len(split), 'pairing')} one agent wins significantly more games and the other"
                f" significantly more points, such as {listed([self._pair(c) for c in split[:3]])}"
            )
        return words + "."

    def _significant(self) -> str:
        found = self.facts.comparisons
        if len(found) == 1:
            return "" if found[0].is_significant else "The difference is not significant."
        undecided = [c for c in found if not c.is_significant]
        words = f"Of {len(found)} pairings, {len(found) - len(undecided)} are decided (significant at 5%, Holm)"
        if not undecided:
            return f"{words}: all of them."
        few = [self._pair(c) for c in sorted(undecided, key=lambda c: abs(c.win.value - 0.5))[:3]]
        start = ": " if len(few) == len(undecided) else ", such as "
        return f"{words}; {len(undecided)} {'is' if len(undecided) == 1 else 'are'} undecided{start}{listed(few)}."

    def _cycles_in_short(self) -> str:
        if len(self.facts.order) < 3:
            return ""
        n = len(self.facts.cycles)
        return (
            f"There {'is' if n == 1 else 'are'} {_count(n, 'cycle')} of three agents." if n else "There are no cycles."
        )

    def _first_move_in_short(self) -> str:
        edges = [100 * self.facts.against_field(name, "edge").value for name in self.facts.order]
        low, high = min(edges), max(edges)
        if f"{low:+.1f}" == f"{high:+.1f}":
            return f"Moving first adds {low:+.1f} percentage points to the win rate."
        return f"Moving first adds {low:+.1f} to {high:+.1f} percentage points to the win rate, depending on the agent."

    # --- Strength ---

    def ratings(self) -> str:
        rows = []
        for place, r in enumerate(self.facts.ratings, 1):
            wins, points = self.facts.against_field(r.name), self.facts.against_field(r.name, "points")
            rows.append(
                (
                    f"{place}",
                    self._name(r.name),
                    str(r),
                    r.interval,
                    percent(wins.value, 2),
                    f"{percent(wins.low)} to {percent(wins.high)}",
                    f"{points.value:+.2f}",
                    f"{points.low:+.2f} to {points.high:+.2f}",
                )
            )
        head = ("", "agent", "Elo", "95%", "games won", "95%", "points per game", "95%")
        return table(head, rows, numbers=(0, 2, 4, 6))

    def pairings(self) -> str:
        rows = [
            (
                self._name(c.first),
                self._name(c.second),
                f"{c.result.games:,}",
                _bold(percent(c.win.value, 2), c.is_significant),
                f"{percent(c.win.low, 2)} to {percent(c.win.high, 2)}",
                p_words(c.p_win),
                _bold(f"{c.points.value:+.3f}", c.points_are_significant),
                f"{c.points.low:+.3f} to {c.points.high:+.3f}",
                p_words(c.p_points),
            )
            for c in self.facts.comparisons
        ]
        head = ("agent", "against", "games", "win rate", "95%", "p (Holm)", "points per hand", "95%", "p (Holm)")
        return _folded(f"All {len(rows)} pairings in numbers", table(head, rows, numbers=(2, 3, 5, 6, 8)), len(rows))

    def by_order(self) -> str:
        rows = [
            (
                self._name(row["first"]),
                self._name(row["second"]),
                *(_share(row[what]) for what in ("moving_first", "moving_second", "skill")),
                _margin(row["adjusted_margin"]),
            )
            for row in self.facts.standings.skill()
        ]
        head = ("agent", "against", "moving first", "moving second", "both", "lead over self-play (points)")
        return _folded("Win rates by who moved first", table(head, rows, numbers=(2, 3, 4, 5)))

    def cycles(self) -> str:
        """Return the list of cycles, those that stay significant first."""
        found = self.facts.cycles
        if not found:
            return "No: no three agents beat each other in a cycle, so one scale of strength can hold all.\n"
        kept = sum(is_significant for _, is_significant in found)
        lines = [
            f"Yes: {_count(len(found), 'triple')} in which each agent beats the next with an interval above 50%,"
            f" which no rating can show. After Holm's correction {kept or 'none'} of them"
            f" {'stays' if kept == 1 else 'stay'} significant.\n"
        ]
        for cycle, is_significant in sorted(found, key=lambda item: not item[1])[:_MOST_CYCLES]:
            steps = [
                f"{self._name(a)} beats {self._name(b)} ({percent(self._win(a, b))})"
                for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True)
            ]
            lines.append(
                f"- {', '.join(steps)}: {'significant' if is_significant else 'undecided after the correction'}"
            )
        if len(found) > _MOST_CYCLES:
            lines.append(f"- and {len(found) - _MOST_CYCLES} more")
        return "\n".join(lines) + "\n"

    def _win(self, one: str, two: str) -> float:
        c = self.facts.by_pair[one, two]
        return c.win.value if c.first == one else 1 - c.win.value

    # --- More about the games ---

    def curves(self) -> str:
        """Return which pairings the figure of convergence shows, unless it shows all."""
        shown, n = len(figures.closest(self.facts)), len(self.facts.comparisons)
        return "" if shown == n else f" The {shown} closest of {n} pairings are shown."

    def bars(self) -> str:
        """Return what a bar in the figure of outcomes stands for."""
        if figures.outcomes_by_pairing(self.facts):
            return "Each bar is a pairing, seen from the agent named first"
        return "Each bar is an agent against all others"

    def outcomes(self) -> str:
        names = game(self.facts.plan.game).batch.OUTCOMES
        results = [(c.first, c.second, c.result) for c in self.facts.comparisons]
        results += [(pair[0], pair[1], r) for pair, r in self.facts.standings.results.items() if pair[0] == pair[1]]
        shares = [result.outcomes() for *_, result in results]
        seen = [name for name in names if any(name in found for found in shares)]
        rows = [
            (
                self._name(one),
                self._name(two),
                *(percent(found.get(name, 0.0)) for name in seen),
                f"{result.hands / result.games:.2f}",
                "-" if result.turns_per_hand is None else f"{result.turns_per_hand:.1f}",
            )
            for (one, two, result), found in zip(results, shares, strict=True)
        ]
        head = ("agent", "against", *seen, "hands per game", "turns per hand")
        text = table(head, rows, numbers=range(2, len(head)))
        return _folded(f"Outcomes of all {len(rows)} pairings", text, len(rows))

    def duplicate_deals(self) -> str:
        found = [(c, c.result.variance_reduction()) for c in self.facts.comparisons]
        wins, points = ([saved[what] for _, saved in found] for what in ("win_rate", "points"))
        where = " in the median pairing" if len(found) > 1 else ""
        words = (
            "For the precision of independent deals, playing each deal from both seats takes"
            f" {games_needed(float(np.median(wins)))}{where} for the win rate and"
            f" {games_needed(float(np.median(points)))} for points."
        )
        if len(found) == 1:
            return words + "\n"
        best, most = max(found, key=lambda item: item[1]["win_rate"])
        words += f" The best case is {self._pair(best)}: {games_needed(most['win_rate'])} for the win rate."
        rows = [
            (self._name(c.first), self._name(c.second), games_needed(saved["win_rate"]), games_needed(saved["points"]))
            for c, saved in found
        ]
        return f"{words}\n\n{_folded('By pairing', table(('agent', 'against', 'win rate', 'points'), rows))}"

    def forfeits(self) -> str:
        rows = []
        results = self.facts.standings.results
        for name in self.facts.plan.strangers:
            faults = [fault for result in results.values() for fault in result.faults if fault.agent == name]
            games = sum(result.games for pair, result in results.items() if name in pair)
            kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(Counter(f.kind for f in faults).items()))
            first = as_code(" ".join(faults[0].words.split())[:160]) if faults else "-"
            rows.append((self._name(name), f"{games:,}", f"{len(faults):,}", kinds or "none", first))
        return table(("agent", "games", "forfeited", "how", "the first"), rows, numbers=(1, 2))

    def speed(self) -> str:
        results = self.facts.standings.results.values()
        busy = sum(result.busy for result in results)
        hands, decisions = sum(result.hands for result in results), sum(result.decisions for result in results)
        return (
            f"{busy:,.1f} seconds of one core for {decisions:,} decisions: {_rounded(hands / busy)} hands and"
            f" {_rounded(decisions / busy)} decisions per second and core, including shuffling and scoring."
        )

    def times(self) -> str:
        rows = []
        for name in self.facts.order:
            alone = self.facts.standings.results.get((name, name))
            own = [result for pair, result in self.facts.standings.matches() if name in pair]
            others = sum(r.busy for r in own) / max(1, sum(r.decisions for r in own))
            itself = "-" if alone is None else _microseconds(alone.busy / max(1, alone.decisions))
            rows.append((self._name(name), itself, _microseconds(others)))
        return table(
            ("agent", "µs per decision against itself", "µs per decision in other games"), rows, numbers=(1, 2)
        )

    # --- Settings ---

    def commands(self) -> str:
        plan, name = self.facts.plan, self.about["name"]
        words = ["rummylab", "tournament", plan.game, *plan.agents, "--games", str(plan.games)]
        words += [*seed_option(plan.root), "--rules", plan.rules]
        words += ["--against-field"] * plan.against_field + ["--self-play"] * plan.self_play
        if plan.seconds_a_move != 10.0:
            words += ["--seconds-a-move", f"{plan.seconds_a_move:g}"]
        words += ["--store", self.store_name, *(["--run", name] if name else [])]
        report = ["rummylab", "store", "report", self.store_name, *([name] if name else []), "--out", "report"]
        return f"{shlex.join(words)}\n{shlex.join(report)}"

    def settings(self) -> str:
        about, config, plan = self.about, self.about["config"], self.facts.plan
        who = "the first agent against the others" if plan.against_field else "every agent against every other"
        rows = [
            ("game", f"{plan.game}, rules {as_code(plan.rules)}"),
            ("agents", ", ".join(map(as_code, plan.agents))),
            ("games per pairing", f"{plan.games:,}"),
            ("deals from", seed_words(plan.root)),
            ("pairings", f"{who}, and each against itself" if plan.self_play else who),
            ("code", as_code(about["code"])),
            ("machine", about["machine"]),
            ("started", _date(about["created"])),
            ("finished", _date(about["finished"]) if about["finished"] else "not yet"),
            ("run", f"{as_code(about['name']) if about['name'] else '(no name)'}, key {as_code(about['key'])}"),
        ]
        if plan.strangers:
            rows.append(("seconds per move", f"{plan.seconds_a_move:g} for outside agents"))
            outside = config.get("outside", {})
            rows += [(f"fingerprint of {as_code(name)}", as_code(print_)) for name, print_ in outside.items()]
        return table(("", "this run"), rows)


def _folded(title: str, text: str, rows: int = _FEW_ROWS + 1) -> str:
    """Return a table that is closed until a reader opens it, unless it has few rows."""
    return text if rows <= _FEW_ROWS else f"<details><summary>{title}</summary>\n\n{text}\n</details>\n"


def _bold(text: str, is_bold: bool) -> str:
    return f"**{text}**" if is_bold else text


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _share(plain: Mapping[str, Any]) -> str:
    found = Estimate(plain["value"], *plain["ci"])
    return f"{percent(found.value)} ± {100 * (found.high - found.low) / 2:.1f}"


def _margin(plain: Mapping[str, Any] | None) -> str:
    if plain is None:
        return "-"
    low, high = plain["ci"]
    return f"{100 * plain['value']:+.1f} ± {100 * (high - low) / 2:.1f}"


def _microseconds(seconds: float) -> str:
    value = 1e6 * seconds
    return f"{value:.3g}" if value < 100 else _rounded(value)


def _rounded(value: float) -> str:
    """Return *value* with three significant digits, written out."""
    return f"{float(f'{value:.3g}'):,.0f}"


def _date(stamp: str) -> str:
    return stamp[:16].replace("T", " ") + " UTC"
