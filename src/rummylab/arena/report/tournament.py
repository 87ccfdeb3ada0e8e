"""The report on a tournament: what it showed, how sure that is, and how to play it again."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.outside import is_outside
from rummylab.arena.plots import Picture, need_matplotlib
from rummylab.arena.report import figures
from rummylab.arena.report.document import (
    Block,
    Code,
    Figure,
    Heading,
    Items,
    Number,
    Table,
    Text,
    Tiles,
    to_html,
    to_markdown,
)
from rummylab.arena.report.facts import Comparison, Facts, listed, percent, signed, within
from rummylab.arena.report.reading import find_tournament, read
from rummylab.arena.statistics import Estimate
from rummylab.arena.store import Store
from rummylab.arena.words import as_code, games_needed
from rummylab.cards.rng import is_key
from rummylab.engine.streams import seed_option, seed_words
from rummylab.errors import OptionError
from rummylab.games.registry import game

_MOST_CYCLES = 12
Row = list[str | Number]


@dataclass(frozen=True, slots=True)
class Report:
    """What was written."""

    run: str
    complete: bool
    summary: str
    html: Path
    markdown: Path
    figures: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "complete": self.complete,
            "summary": self.summary,
            "html": str(self.html),
            "markdown": str(self.markdown),
            "figures": [str(path) for path in self.figures],
        }


def write_report(store: Store, which: str | None, out: Path, anchor: str | None = None) -> Report:
    """Write ``report.html``, ``report.md`` and its figures into *out*; the same run gives the same bytes.

    *which* is a run's name, id or beginning of its key; without it, the latest tournament. *anchor* is the agent whose
    Elo is 0; without it, the first that nobody sweeps.
    """
    need_matplotlib()
    run = find_tournament(store, which)
    record, facts = run.about, Facts(read(run, anchor))
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{out} cannot be made a directory for the report: {error.strerror}") from None
    writer = _Writer(facts, record, store.path.name, out)
    title, blocks = writer.title(), writer.blocks()
    html, markdown = out / "report.html", out / "report.md"
    html.write_text(to_html(title, blocks), encoding="utf-8")
    markdown.write_text(to_markdown(title, blocks), encoding="utf-8")
    pictures = tuple(block.picture.path for block in blocks if isinstance(block, Figure))
    return Report(record["name"] or record["key"], facts.standings.complete, writer.summary(), html, markdown, pictures)


class _Writer:
    """Puts the facts into words, tables and figures, section by section."""

    def __init__(self, facts: Facts, record: dict[str, Any], store_name: str, out: Path) -> None:
        self.facts, self.record, self.store_name, self.out = facts, record, store_name, out
        self.plan, self.standings = facts.plan, facts.standings

    def title(self) -> str:
        return f"{game(self.plan.game).title.partition(',')[0]}: {len(self.facts.order)} agents in a tournament"

    def blocks(self) -> list[Block]:
        sections = (
            self.head,
            self.ratings,
            self.cross_table,
            self.points,
            self.first_move,
            self.cycles,
            self.convergence,
            self.distributions,
            self.outcomes,
            self.duplicate_deals,
            self.forfeits,
            self.time,
            self.how_to_read,
            self.again,
        )
        return [block for section in sections for block in section()]

    def figure(self, name: str, draw: Callable[[Picture, Facts], None], shows: str, caption: str) -> Figure:
        picture = Picture(self.out / f"{name}.png")
        draw(picture, self.facts)
        return Figure(picture, shows, caption)

    def name(self, agent: str) -> str:
        return as_code(self.facts.labels[agent])

    def pair(self, c: Comparison) -> str:
        return f"{self.name(c.first)} – {self.name(c.second)}"

    # --- In short ---

    def head(self) -> list[Block]:
        played = self.standings.games
        results = self.standings.results.values()
        blocks: list[Block] = []
        if not self.standings.complete:
            share = percent(played / self.plan.games_in_all)
            words = f"This run is not finished: {played:,} of {self.plan.games_in_all:,} games are played ({share})."
            blocks.append(Text(f"{words} The command below goes on with it.", "warning"))
        blocks.append(Text(self.summary(), "lead"))
        tiles = [
            (f"{len(self.facts.order)}", "agents"),
            (f"{len(self.facts.comparisons)}", "pairings"),
            (f"{self.plan.games:,}", "games a pairing"),
            (f"{played:,}", "games in all"),
            (f"{sum(result.hands for result in results):,}", "hands"),
            ("secret key" if is_key(self.plan.root) else f"{self.plan.seed}", "seed"),
        ]
        return [*blocks, Tiles(tiles), *self._full_names()]

    def _full_names(self) -> list[Block]:
        cut = [(label, name) for name, label in self.facts.labels.items() if label != name]
        return [Items([f"{as_code(label)} is {as_code(name)}" for label, name in cut])] if cut else []

    def summary(self) -> str:
        """Return in words who leads, and which differences are sure and which are not."""
        sentences = [
            self._leader(),
            self._by_points(),
            self._sure(),
            self._cycles_in_short(),
            self._first_move_in_short(),
        ]
        return " ".join(sentence for sentence in sentences if sentence)

    def _leader(self) -> str:
        best = self.facts.ratings[0]
        own = [c for c in self.facts.comparisons if best.name in (c.first, c.second)]
        beaten = [c for c in own if c.is_sure and c.winner == best.name]
        words = (
            f"{self.name(best.name)} leads: it wins {within(self.facts.against_field(best.name))} of its games"
            f" (Elo {best} relative to {self.name(self.facts.anchor)})"
        )
        if len(beaten) == len(own):
            them = "its opponent" if len(own) == 1 else f"each of its {len(own)} opponents"
            return f"{words} and beats {them} (significant at 5%, Holm)."
        lost = [self._other(c, best.name) for c in own if c.is_sure and c.winner != best.name]
        level = [self._other(c, best.name) for c in own if not c.is_sure]
        words += f" and beats {len(beaten)} of its {len(own)} opponents (significant at 5%, Holm)"
        if level:
            words += f"; {listed(level)} {'is' if len(level) == 1 else 'are'} undecided"
        if lost:
            words += f"; it loses to {listed(lost)}"
        return words + "."

    def _by_points(self) -> str:
        found = {name: self.facts.against_field(name, "points") for name in self.facts.order}
        richest = max(found, key=lambda name: found[name].value)
        also = "it leads too" if richest == self.facts.order[0] else f"{self.name(richest)} leads"
        words = f"In points {also}, with {within(found[richest], signed)} a game against the field"
        split = [c for c in self.facts.comparisons if c.is_torn]
        if split:
            words += (
                f"; in {_count(len(split), 'pairing')} one wins significantly more games and the other"
                " significantly more points,"
                f" such as {listed([self.pair(c) for c in split[:3]])}"
            )
        return words + "."

    def _other(self, c: Comparison, name: str) -> str:
        return self.name(c.second if c.first == name else c.first)

    def _sure(self) -> str:
        found = self.facts.comparisons
        if len(found) == 1:
            return "" if found[0].is_sure else "The difference is not sure."
        open_pairs = [c for c in found if not c.is_sure]
        words = f"Of {len(found)} pairings, {len(found) - len(open_pairs)} have a sure winner after Holm's correction"
        if not open_pairs:
            return f"{words}: all of them."
        closest = sorted(open_pairs, key=lambda c: abs(c.win.value - 0.5))
        few = [self.pair(c) for c in closest[:3]]
        others = ": " if len(few) == len(open_pairs) else ", such as "
        return f"{words}; {len(open_pairs)} {'has' if len(open_pairs) == 1 else 'have'} none{others}{listed(few)}."

    def _cycles_in_short(self) -> str:
        if len(self.facts.order) < 3:
            return ""
        n = len(self.facts.cycles)
        return "No three agents beat each other in a circle." if not n else f"{_count(n, 'triple')} go in a circle."

    def _first_move_in_short(self) -> str:
        edges = [100 * self.facts.against_field(name, "edge").value for name in self.facts.order]
        low, high = min(edges), max(edges)
        if f"{low:+.1f}" == f"{high:+.1f}":
            return f"Moving first adds {low:+.1f} points of win rate."
        return f"Moving first adds {low:+.1f} to {high:+.1f} points of win rate, depending on the agent."

    # --- Who is stronger ---

    def ratings(self) -> list[Block]:
        rows: list[Row] = []
        for place, r in enumerate(self.facts.ratings, 1):
            wins, points = self.facts.against_field(r.name), self.facts.against_field(r.name, "points")
            rows.append(
                [
                    Number(f"{place}", place),
                    self.name(r.name),
                    Number(str(r), r.elo if r.is_rated else r.bound) if r.is_comparable else str(r),
                    r.interval,
                    Number(percent(wins.value, 2), wins.value),
                    f"{percent(wins.low)} to {percent(wins.high)}",
                    Number(f"{points.value:+.2f}", points.value),
                    f"{points.low:+.2f} to {points.high:+.2f}",
                ]
            )
        columns = ("", "agent", "Elo", "95%", "games won", "95%", "points a game", "95%")
        return [
            Heading("Ratings"),
            self.figure(
                "ratings",
                figures.ratings,
                f"Elo ratings with intervals of {len(rows)} agents",
                "Bradley-Terry strengths on the Elo scale, from all pairings. 100 points are odds of 64 to 36. An arrow"
                " marks a bound.",
            ),
            Text(self.facts.rating_notes),
            Table(columns, rows),
        ]

    def cross_table(self) -> list[Block]:
        return [
            Heading("Who beats whom"),
            self.figure(
                "win-rates",
                figures.win_rates,
                "Heat map of the win rate of every agent against every other",
                "Bold: one of the two wins significantly more (5% level, Holm's correction over all pairings)."
                " Below each number the half-width of its 95 % interval. Orange above 50 %, purple below; the colour"
                " grows with the square root of the distance.",
            ),
            self._all_pairings(),
        ]

    def _all_pairings(self) -> Table:
        rows: list[Row] = []
        for c in self.facts.comparisons:
            rows.append(
                [
                    self.name(c.first),
                    self.name(c.second),
                    Number(f"{c.result.games:,}", c.result.games),
                    Number(_bold(percent(c.win.value, 2), c.is_sure), c.win.value),
                    f"{percent(c.win.low, 2)} to {percent(c.win.high, 2)}",
                    Number(_p(c.p_win), c.p_win),
                    Number(_bold(f"{c.points.value:+.3f}", c.points_are_sure), c.points.value),
                    f"{c.points.low:+.3f} to {c.points.high:+.3f}",
                    Number(_p(c.p_points), c.p_points),
                ]
            )
        columns = ("agent", "against", "games", "win rate", "95 %", "p (Holm)", "points/hand", "95 %", "p (Holm)")
        return Table(columns, rows, "" if len(rows) <= 6 else f"All {len(rows)} pairings in numbers")

    def points(self) -> list[Block]:
        return [
            Heading("Points per hand"),
            self.figure(
                "points",
                figures.points_per_hand,
                "Heat map of the points per hand that every agent wins from every other",
                "Points scored minus the opponent's, per hand. Bold and colours as above.",
            ),
        ]

    # --- What else ---

    def first_move(self) -> list[Block]:
        blocks: list[Block] = [
            Heading("The first move"),
            Text(
                "Every deal is played from both seats, so the tables above hold nothing of the first mover's advantage."
                " What it is worth, agent by agent:"
            ),
            self.figure(
                "first-move",
                figures.first_move,
                "What moving first adds to each agent's win rate, with intervals",
                "Half the difference between the win rates moving first and moving second (against itself: the first"
                " mover's win rate above 50 %).",
            ),
        ]
        if all((name, name) in self.standings.results for name in self.facts.order):
            blocks.append(
                self.figure(
                    "skill",
                    figures.skill,
                    "Heat map of how far the first mover's win rate exceeds its own in self-play",
                    "The skill matrix of Saha et al., section VIII, as a difference: win rate of the row when it moves"
                    " first, minus its win rate when it moves first against itself, in percentage points. (The paper"
                    " adds 50 and calls the sum a win rate, which can then exceed 100.) Bold: significantly different"
                    " from 0 at 5%, after Holm's correction over all cells.",
                )
            )
        blocks.append(self._by_order())
        return blocks

    def _by_order(self) -> Table:
        rows: list[Row] = []
        for row in self.standings.skill():
            first, second, margin = row["moving_first"], row["moving_second"], row["adjusted_margin"]
            rows.append(
                [
                    self.name(row["first"]),
                    self.name(row["second"]),
                    _estimate(first),
                    _estimate(second),
                    _estimate(row["skill"]),
                    _margin(margin) if margin else "-",
                ]
            )
        columns = ("agent", "against", "moving first", "moving second", "both", "lead over self-play (points)")
        return Table(columns, rows, "Win rates by who moved first")

    def cycles(self) -> list[Block]:
        found = self.facts.cycles
        if len(self.facts.order) < 3:
            return []
        blocks: list[Block] = [Heading("Circles")]
        if not found:
            return [*blocks, Text("No three agents beat each other in a circle: one scale of strength can hold all.")]
        kept = sum(sure for _, sure in found)
        blocks.append(
            Text(
                f"{_count(len(found), 'triple')} where each beats the next with an interval above 50 %, which no rating"
                f" can show; {kept or 'none'} of them {'stays' if kept == 1 else 'stay'} sure after Holm's correction."
            )
        )
        words = []
        for cycle, sure in sorted(found, key=lambda item: not item[1])[:_MOST_CYCLES]:
            steps = [
                f"{self.name(a)} beats {self.name(b)} ({percent(self._win(a, b))})"
                for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True)
            ]
            words.append(", ".join(steps) + (": sure" if sure else ": not sure after the correction"))
        if len(found) > _MOST_CYCLES:
            words.append(f"and {len(found) - _MOST_CYCLES} more")
        return [*blocks, Items(words)]

    def _win(self, one: str, two: str) -> float:
        c = self.facts.by_pair[one, two]
        return c.win.value if c.first == one else 1 - c.win.value

    def convergence(self) -> list[Block]:
        shown, n = len(figures.closest(self.facts)), len(self.facts.comparisons)
        which = "" if shown == n else f" The {shown} closest of {n} pairings are shown."
        return [
            Heading("Convergence"),
            self.figure(
                "convergence",
                figures.convergence,
                "Running estimates of the win rate with their intervals over the games played",
                f"The win rate as it stood after so many games, with its 95 % interval.{which} Blue: sure winner; red:"
                " not sure. An interval looked at again and again misses the truth more often than 5 %: judge by its"
                " end.",
            ),
        ]

    def distributions(self) -> list[Block]:
        if not figures.panels(self.facts):  # nobody has finished a game: all were forfeited
            return []
        return [
            Heading("Lengths and points"),
            self.figure(
                "distributions",
                figures.distributions,
                "Histograms of the length of games and of the points won, by agent",
                "Each agent's games against all others; every row has its own height. The line is the median. The"
                " outermost bins hold the outermost games too.",
            ),
        ]

    def outcomes(self) -> list[Block]:
        names = game(self.plan.game).batch.OUTCOMES
        results = [(c.first, c.second, c.result) for c in self.facts.comparisons]
        results += [(a, b, result) for (a, b), result in self.standings.results.items() if a == b]
        shares = [result.outcomes() for *_, result in results]
        seen = [name for name in names if any(name in found for found in shares)]
        turns = [result.turns_per_hand for *_, result in results]
        rows = [
            [
                self.name(one),
                self.name(two),
                *(Number(percent(found.get(name, 0.0)), found.get(name, 0.0)) for name in seen),
                Number(f"{result.hands / result.games:.2f}", result.hands / result.games),
                "-" if length is None else Number(f"{length:.1f}", length),
            ]
            for (one, two, result), found, length in zip(results, shares, turns, strict=True)
        ]
        bars = (
            "Each bar is a pairing, seen from the first named"
            if figures.outcomes_by_pairing(self.facts)
            else ("Each bar is an agent against all others")
        )
        return [
            Heading("How hands end"),
            self.figure(
                "outcomes",
                figures.outcomes,
                "Stacked bars of how hands were won and lost",
                f"{bars}. In full colour what it won, in pale what it lost.",
            ),
            Table(
                ("agent", "against", *seen, "hands a game", "turns a hand"),
                rows,
                "" if len(rows) <= 6 else f"Outcomes of all {len(rows)} pairings",
            ),
        ]

    def duplicate_deals(self) -> list[Block]:
        found = [(c, c.result.variance_reduction()) for c in self.facts.comparisons]
        wins, points = ([saved[what] for _, saved in found] for what in ("win_rate", "points"))
        best, most = max(found, key=lambda item: item[1]["win_rate"])
        where = " in the median pairing" if len(found) > 1 else ""
        words = (
            f"For the precision of independent deals, playing each deal from both seats takes"
            f" {games_needed(float(np.median(wins)))}{where} for the win rate and"
            f" {games_needed(float(np.median(points)))} for points."
        )
        if len(found) > 1:
            words += f" The best case is {self.pair(best)}: {games_needed(most['win_rate'])} for the win rate."
        rows: list[Row] = [
            [self.name(c.first), self.name(c.second), _needed(saved["win_rate"]), _needed(saved["points"])]
            for c, saved in found
        ]
        return [
            Heading("What duplicate deals save"),
            Text(words),
            *([] if len(rows) == 1 else [Table(("agent", "against", "win rate", "points"), rows, "By pairing")]),
        ]

    def forfeits(self) -> list[Block]:
        outside = [name for name in self.plan.agents if is_outside(self.plan.game, name)]
        if not outside:
            return []
        rows: list[Row] = []
        for name in outside:
            faults = [f for result in self.standings.results.values() for f in result.faults if f.agent == name]
            games = sum(result.games for pair, result in self.standings.results.items() if name in pair)
            kinds = ", ".join(f"{kind} {n:,}" for kind, n in sorted(Counter(f.kind for f in faults).items()))
            first = _one_line(faults[0].words) if faults else "-"
            rows.append(
                [
                    self.name(name),
                    Number(f"{games:,}", games),
                    Number(f"{len(faults):,}", len(faults)),
                    kinds or "none",
                    first,
                ]
            )
        return [
            Heading("Forfeits of outside agents"),
            Text("A crash, a time-out or an illegal move costs an outside agent the game, which counts in the tables."),
            Table(("agent", "games", "forfeited", "how", "the first"), rows),
        ]

    def time(self) -> list[Block]:
        results = list(self.standings.results.items())
        busy = sum(result.busy for _, result in results)
        if busy == 0:
            return []
        hands, decisions = (sum(getattr(result, what) for _, result in results) for what in ("hands", "decisions"))
        rows: list[Row] = []
        for name in self.facts.order:
            alone = self.standings.results.get((name, name))
            own = [result for pair, result in self.standings.matches() if name in pair]
            field = sum(r.busy for r in own) / max(1, sum(r.decisions for r in own))
            rows.append(
                [
                    self.name(name),
                    "-" if alone is None else _microseconds(alone.busy / max(1, alone.decisions)),
                    _microseconds(field),
                ]
            )
        return [
            Heading("Time"),
            Text(
                f"{busy:,.1f} seconds of one core for {decisions:,} decisions: {_round(hands / busy)} hands and"
                f" {_round(decisions / busy)} decisions a second and core, shuffling and scoring included."
            ),
            Table(("agent", "µs a decision against itself", "µs a decision in its other games"), rows),
        ]

    # --- How it was done ---

    def how_to_read(self) -> list[Block]:
        n = len(self.facts.comparisons)
        return [
            Heading("How to read this"),
            Text(
                "Two agents play every deal twice with the seats swapped. The deal, not the game, is the independent"
                " draw, so all intervals (95 %) are clustered by deal. A difference is called sure when its p-value"
                f" stays below 5 % after Holm's correction for all {_count(n, 'comparison')} of this tournament: then"
                " the chance that any of the differences called sure is a mere accident is at most 5 %. What is not"
                " sure may still be there; it takes more games. A game that nobody won counts half for each. Ratings"
                " put all on one scale, relative to one agent; their intervals are clustered by deal too, and cover as"
                " often as they say (docs/concepts/ratings.md)."
            ),
        ]

    def again(self) -> list[Block]:
        record = self.record
        config = record["config"]
        rows: list[Row] = [
            ["game", f"{config['game']}, rules `{config['rules']}`"],
            ["agents", ", ".join(map(as_code, config["agents"]))],
            ["games a pairing", f"{config['games']:,}"],
            ["deals from", seed_words(self.plan.root)],
            ["pairings", self._pairings()],
            ["code", f"`{record['code']}`"],
            ["machine", record["machine"]],
            ["begun", _date(record["created"])],
            ["finished", _date(record["finished"]) if record["finished"] else "not yet"],
            ["run", f"{as_code(record['name']) if record['name'] else '(no name)'}, key `{record['key']}`"],
        ]
        if any(is_outside(self.plan.game, name) for name in self.plan.agents):
            rows.append(["seconds a move", f"{config.get('seconds_a_move', 10.0):g} for outside agents"])
            outside = config.get("outside", {})
            rows += [[f"fingerprint of {as_code(name)}", f"`{hash_}`"] for name, hash_ in outside.items()]
        return [
            Heading("Play it again"),
            Text("Same command, same code, same table: on any machine, with any number of cores."),
            Code("\n".join(self._commands())),
            Table(("", "this run"), rows),
        ]

    def _pairings(self) -> str:
        who = "the first agent against the others" if self.plan.against_field else "everybody against everybody"
        return f"{who}, and each against itself" if self.plan.self_play else who

    def _commands(self) -> list[str]:
        plan, record = self.plan, self.record
        ours = [name for name in plan.agents if not is_outside(plan.game, name)]
        if plan.agents[: len(ours)] != tuple(ours):  # --agents come before --agent: keep the order of the run
            ours = []
        others = [word for name in plan.agents[len(ours) :] for word in ("--agent", name)]
        words = ["rummylab", "tournament", plan.game]
        words += [*(["--agents", ",".join(ours)] if ours else []), *others]
        words += ["--games", str(plan.games), *seed_option(plan.root), "--rules", plan.rules]
        words += ["--against-field"] * plan.against_field + ["--self-play"] * plan.self_play
        if plan.seconds_a_move != 10.0:
            words += ["--seconds-a-move", f"{plan.seconds_a_move:g}"]
        words += ["--store", self.store_name]
        named = [record["name"]] if record["name"] else []  # without a name: the latest, which was just played
        words += [word for name in named for word in ("--run", name)]
        report = ["rummylab", "report", *named, "--store", self.store_name, "--out", "report"]
        return [shlex.join(words), shlex.join(report)]


def _bold(text: str, sure: bool) -> str:
    return f"**{text}**" if sure else text


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _needed(factor: float) -> Number:
    return Number(games_needed(factor), factor)


def _estimate(plain: dict[str, Any]) -> Number:
    found = Estimate(plain["value"], *plain["ci"])
    return Number(f"{percent(found.value)} ± {100 * (found.high - found.low) / 2:.1f}", found.value)


def _margin(plain: dict[str, Any]) -> Number:
    low, high = plain["ci"]
    return Number(f"{100 * plain['value']:+.1f} ± {100 * (high - low) / 2:.1f}", plain["value"])


def _microseconds(seconds: float) -> Number:
    value = 1e6 * seconds
    return Number(f"{value:.3g}" if value < 100 else _round(value), value)


def _round(value: float) -> str:
    """Return *value* with three digits, in full."""
    return f"{float(f'{value:.3g}'):,.0f}"


def _date(stamp: str) -> str:
    return stamp[:16].replace("T", " ") + " UTC"


def _one_line(words: str) -> str:
    return " ".join(words.split())[:160]
