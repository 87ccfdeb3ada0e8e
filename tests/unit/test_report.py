"""The report on a tournament: it stands alone, says what the table says, and is the same every time."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure as MplFigure
from typer.testing import CliRunner

from rummylab.arena.backends import ThisProcess
from rummylab.arena.markdown import as_code, table
from rummylab.arena.match import MatchResult
from rummylab.arena.plots import compact
from rummylab.arena.statistics import Estimate
from rummylab.arena.store import Store
from rummylab.arena.tournament import Plan, Standings, find_tournament, read_tournament, tournament
from rummylab.cli.main import app
from rummylab.errors import MissingExtraError, OptionError, StoreError
from rummylab.games.registry import game
from rummylab.lab.page import to_html, write_pages
from rummylab.lab.report import figures
from rummylab.lab.report.facts import Facts, listed, p_of, short_name
from rummylab.lab.report.tournament import write_report

PLAN = Plan(game="gin", agents=("simple", "random"), games=1000, seed=3, self_play=True)
REST = ("ratings", "win-rates", "points", "first-move", "skill", "convergence", "distributions", "outcomes")


class Stops:
    """A back end that dies after some tasks."""

    def __init__(self, after: int) -> None:
        self.after = after

    def run(self, work: Any, items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        for task in items[: self.after]:
            yield task, work(task)
        raise KeyboardInterrupt


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Standings]:
    path = tmp_path_factory.mktemp("report") / "runs.db"
    return path, tournament(PLAN, store=Store(path), name="two", backend=ThisProcess())


@pytest.fixture(scope="module")
def pages(played: tuple[Path, Standings], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pages")
    result = CliRunner().invoke(app, ["store", "report", str(played[0]), "two", "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.output)
    assert said["run"] == "two"
    assert said["complete"] is True
    assert [Path(path).stem for path in said["figures"]] == list(REST)
    return out


@pytest.fixture
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures undrawn: they take a second each report."""

    monkeypatch.setattr("rummylab.lab.report.tournament._Report.draw", lambda report, name: f"{name}.svg")


def made_up(n_agents: int, n_deals: int = 60) -> Facts:
    """A tournament of agents whose strength falls with their number; nobody plays, the results are random."""
    rng = np.random.default_rng(5)
    names = tuple(f"agent-with-a-name-{i}" for i in range(n_agents))
    plan = Plan(game="gin", agents=names, games=2 * n_deals, seed=1, self_play=True)
    results = {}
    for one, two in plan.lineups():
        tallies = np.zeros(2 * n_deals, game("gin").batch.tally_for(2))
        better = 0.5 + 0.45 * (names.index(two) - names.index(one)) / n_agents
        tallies["winner"] = rng.random(2 * n_deals) > better
        tallies["starter"] = np.arange(2 * n_deals) % 2
        tallies["hands"] = rng.integers(2, 9, 2 * n_deals)
        tallies["turns"] = 15 * tallies["hands"]
        tallies["scores"][np.arange(2 * n_deals), tallies["winner"]] = rng.integers(100, 150, 2 * n_deals)
        tallies["won_by"][:, 0, 1] = tallies["hands"] - 1
        tallies["won_by"][:, 1, 2] = 1
        tallies["outcomes"][:, 1:3] = tallies["won_by"].sum(axis=1)[:, 1:3]
        results[one, two] = MatchResult("gin", "eaai", (one, two), 1, tallies, 1.0)
    return Facts(Standings(plan, results))


def test_the_page_needs_nothing_from_elsewhere(pages: Path) -> None:
    html = (pages / "report.html").read_text()
    assert "http" not in html
    assert not re.search(r"<link|@import|url\(", html)
    assert set(re.findall(r'\ssrc="(.{5})', html)) == {"data:"}
    assert set(re.findall(r'href="([^"]{1})', html)) == {"#"}
    places = re.findall(r'\bid="([^"]+)"', html)
    assert len(places) == len(set(places))
    assert html.count("data:image/svg+xml;base64,") == len(REST)


def test_every_link_in_the_page_leads_somewhere(pages: Path) -> None:
    html = (pages / "report.html").read_text()
    places = set(re.findall(r'\bid="([^"]+)"', html))
    assert set(re.findall(r'href="#([^")]+)', html)) == places


def test_both_forms_have_the_win_rates_of_the_table(played: tuple[Path, Standings], pages: Path) -> None:
    html, markdown = (pages / "report.html").read_text(), (pages / "report.md").read_text()
    row = played[1].to_dict()["cross_table"][0]
    for text in (html, markdown):
        assert f"{100 * row['win_rate']:.2f}%" in text
        assert f"{100 * row['ci'][0]:.2f}% to {100 * row['ci'][1]:.2f}%" in text
        assert f"{row['points_per_hand']:+.3f}" in text
        assert "not finished" not in text


def test_the_report_says_what_elo_is_relative_to_and_no_win_rate_exceeds_100_percent(pages: Path) -> None:
    text = (pages / "report.md").read_text()
    anchor = next(name for name in PLAN.agents if f"Elo relative to `{name}`, whose rating is 0 by definition." in text)
    assert f"| `{anchor}` | +0 | anchor |" in text
    assert "times fewer" not in text
    assert all(float(rate) <= 100 for rate in re.findall(r"(\d+\.\d+)%", text))
    assert "| lead over self-play (points) |" in text


def test_the_same_run_gives_the_same_bytes(played: tuple[Path, Standings], pages: Path, tmp_path: Path) -> None:
    write_report(Store(played[0]), None, tmp_path)
    for name in ("report.md", "report.html", "ratings.svg", "outcomes.svg"):
        assert (tmp_path / name).read_bytes() == (pages / name).read_bytes()


def test_the_command_in_the_report_is_the_run(played: tuple[Path, Standings], pages: Path) -> None:
    markdown = (pages / "report.md").read_text()
    assert (
        "rummylab tournament gin simple random --games 1000 --seed 3 --rules eaai --self-play"
        " --store runs.db --run two\n"
        "rummylab store report runs.db two --out report\n"
    ) in markdown
    (run,) = Store(played[0]).runs()
    assert run["code"] in markdown
    assert run["machine"] in markdown


def test_what_is_read_back_is_what_was_played(played: tuple[Path, Standings]) -> None:
    store = Store(played[0])
    assert read_tournament(find_tournament(store, "two")).to_dict() == played[1].to_dict()


@pytest.mark.usefixtures("words_only")
def test_a_run_that_was_stopped_says_so(tmp_path: Path) -> None:
    plan = Plan(game="gin", agents=("simple", "random"), games=1200, seed=3)
    store = Store(tmp_path / "runs.db")
    tournament(plan, store=store, backend=Stops(1), keep_partial=True)
    report = write_report(store, None, tmp_path / "out")
    assert not report.complete
    for page in (report.html, report.markdown):
        assert "not finished: 500 of 1,200 games" in page.read_text()


def test_a_run_is_found_by_name_number_or_key(played: tuple[Path, Standings]) -> None:
    store = Store(played[0])
    (run,) = store.runs()
    for which in (None, "two", "1", run["key"][:6]):
        assert find_tournament(store, which).about == run


def test_errors_are_clear(played: tuple[Path, Standings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(played[0])
    with pytest.raises(StoreError, match=r"no run 'three'. Its runs: 1 two"):
        write_report(store, "three", tmp_path)
    with pytest.raises(StoreError, match="has no tournament"):
        write_report(Store(tmp_path / "empty.db"), None, tmp_path)
    begun = Store(tmp_path / "begun.db")
    begun.open_run("tournament", PLAN.to_dict(), "code", "new")
    with pytest.raises(StoreError, match="the run new has no games yet"):
        write_report(begun, "new", tmp_path)
    missing = CliRunner().invoke(app, ["store", "report", str(tmp_path / "none.db")])
    assert isinstance(missing.exception, StoreError)
    assert "no such results file" in str(missing.exception)
    assert not (tmp_path / "none.db").exists()
    begun.open_run("study", {"game": "gin"}, "code", "other")
    with pytest.raises(OptionError, match="'other' is a study, not a tournament"):
        write_report(begun, "other", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="cannot be created for the report"):
        write_report(store, "two", tmp_path / "file")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"rummylab\[report\]"):
        write_report(store, "two", tmp_path)


@pytest.mark.usefixtures("words_only")
def test_a_report_does_not_need_the_agents_any_more(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("class Mine:\n    name = 'mine'\n    def sit(self, *_): 1 / 0\n    def act(self, seen): ...\n")
    plan = Plan(game="gin", agents=("random", f"{mine}:Mine"), games=4, seed=1)
    store = Store(tmp_path / "runs.db")
    tournament(plan, store=store, backend=ThisProcess())
    mine.unlink()
    text = write_report(store, None, tmp_path / "out").markdown.read_text()
    assert "## Which games were forfeited?" in text
    assert "| `Mine` | 4 | 4 | crash 4 |" in text


def test_differences_that_chance_can_make_are_not_called_significant() -> None:
    facts = made_up(12, 40)
    uncorrected = [c for c in facts.comparisons if not c.win.low <= 0.5 <= c.win.high]
    sure = [c for c in facts.comparisons if c.is_significant]
    assert 0 < len(sure) < len(uncorrected)
    assert all(c in uncorrected for c in sure)


def test_a_p_value_agrees_with_its_interval() -> None:
    assert p_of(Estimate(0.6, 0.5, 0.7), 0.5) == pytest.approx(0.05)
    assert p_of(Estimate(0.4, 0.3, 0.45), 0.5) < 0.05 < p_of(Estimate(0.4, 0.3, 0.55), 0.5)
    assert p_of(Estimate(0.5, 0.4, 0.6), 0.5) == 1.0


@pytest.mark.parametrize("n", [2, 7, pytest.param(20, marks=pytest.mark.slow)])
def test_no_labels_of_the_cross_table_overlap(n: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    save = MplFigure.savefig
    monkeypatch.setattr(MplFigure, "savefig", lambda drawn, *a, **k: kept.append(drawn) or save(drawn, *a, **k))
    figures.win_rates(tmp_path / "win-rates.png", made_up(n, 20))
    (drawn,) = kept
    boxes = [text.get_window_extent() for text in drawn.axes[0].texts]
    lines = 2 if n < 4 else 1 if n < 20 else 0
    assert len(boxes) == n * (n - 1) * lines, "intervals and numbers are shown where there is room for readable ones"
    corners = np.array([(box.x0, box.y0, box.x1, box.y1) for box in boxes]).reshape(-1, 4)
    apart = (corners[:, None, 0] >= corners[None, :, 2]) | (corners[:, None, 1] >= corners[None, :, 3])
    assert np.all(apart | apart.T | np.eye(len(boxes), dtype=bool))
    rows = [label.get_window_extent() for label in drawn.axes[0].get_yticklabels()]
    assert all(upper.y0 >= lower.y1 for upper, lower in pairwise(rows))
    assert min(row.x0 for row in rows) >= 0


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](http://example.org/x.png)",
        "![x](../secret.png)",
        "[x](javascript:alert(1))",
        "<details><summary><script>alert(1)</script></summary>",
        "`</code><script>alert(1)</script>`",
        "</style><script>alert(1)</script>",
    ],
)
@pytest.mark.parametrize("form", ["# {}", "## {}", "{}", "| a |\n|---|\n| {} |", "- {}", "```\n{}\n```"])
def test_text_cannot_break_out_of_the_page(attack: str, form: str, tmp_path: Path) -> None:
    page = to_html("# title\n\n" + form.format(attack), tmp_path)
    assert page.count("<script") == 1  # ours
    assert "<img" not in page
    assert 'href="javascript' not in page
    assert page.count("</style>") == 1


def test_an_agents_name_is_shown_as_it_is(tmp_path: Path) -> None:
    name = "program:`x` <b> & **c** | d"
    page = to_html("# t\n\n" + table(("who",), [(as_code(name),)]), tmp_path)
    assert "<code>program:'x' &lt;b&gt; &amp; **c** | d</code>" in page


def test_pages_are_built_from_markdown_and_its_figures(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "dot.png").write_bytes(b"not really")
    (tmp_path / "a" / "README.md").write_text("# A study\n\n## What is it?\n\n![A dot](dot.png)\n")
    (page,) = write_pages(tmp_path)
    text = page.read_text()
    assert page == tmp_path / "a" / "report.html"
    assert "<title>A study</title>" in text
    assert '<img alt="A dot" src="data:image/png;base64,' in text


def test_names_of_outside_agents_are_cut_to_fit() -> None:
    assert short_name("some/where/mine.py:MyAgent") == "MyAgent"
    assert short_name("package.module:Agent") == "Agent"
    assert short_name("program:python bots/quick.py") == "quick.py"
    assert len(short_name("x" * 100)) == 24
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"], most=2) == "a, b and 1 more"


def test_a_figure_loses_lines_and_digits_but_no_scale() -> None:
    drawn = (
        '<?xml version="1.0"?>\n<svg width="9pt">\n <metadata>\n  <x/>\n </metadata>\n <g id="axes_1">\n'
        '  <path d="M 1.23456 -7.5 \nL 0.001 2\n" transform="scale(0.015625)"/>\n </g>\n</svg>\n'
    )
    assert compact(drawn) == (
        '<svg width="9pt">\n<g id="axes_1"><path d="M 1.23 -7.5 L 0.00 2 " transform="scale(0.015625)"/></g></svg>\n'
    )
