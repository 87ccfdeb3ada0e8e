"""Experiments as files: what is read, what is refused, what is kept, and what the verdicts say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from helpers import Stops
from helpers_cli import Done, killed_after, n_chunks, run
from rummylab.agents.registry import entry
from rummylab.arena.backends import Processes, ThisProcess
from rummylab.arena.match import match
from rummylab.arena.store import Store
from rummylab.errors import ExperimentError, OptionError, StoreError, UnknownNameError
from rummylab.lab.experiment.file import Experiment, parse_experiment, read_experiment
from rummylab.lab.experiment.report import to_dict, verdict_tables, write_report
from rummylab.lab.experiment.run import earlier_run, run_experiment
from rummylab.lab.experiment.verdicts import Expectation, Measured
from rummylab.studies.registry import reproduction, reproductions

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "first-look.toml"
HEAD = 'title = "t"\ngame = "gin"\n'
STEP = '[[match]]\nname = "m"\nagents = ["simple", "random"]\ngames = 1200\n'


def parsed(text: str, **more: Any) -> Experiment:
    return parse_experiment(text, "test", "rummylab experiment run test.toml", "test.toml", **more)


class Backwards:
    """A back end that remembers what it played, and plays the last task first."""

    def __init__(self) -> None:
        self.tasks: list[Any] = []

    def run(self, work: Any, items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        self.tasks += items
        return ThisProcess().run(work, list(reversed(items)))


# --- Reading --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = ", "test.toml: not valid TOML"),
        ('game = "gin"\n' + STEP, "test.toml: Object missing required field `title`"),
        (HEAD, "test.toml: there is no step. Known kinds: [[match]], [[tournament]], [[ordered]], [[field]]"),
        (HEAD + "[[mach]]\nname = 'm'", "test.toml: no key or kind of step named 'mach'; did you mean 'match'?"),
        (HEAD + STEP.replace("games", "gmaes"), "[[match]] 'm': no key named 'gmaes'; did you mean 'games'?"),
        (HEAD + STEP.replace("1200", '"many"'), "[[match]] 'm': games: Expected `int`, got `str`"),
        (HEAD + STEP.replace("1200", "1"), "[[match]] 'm': games: Expected `int` >= 2"),
        (HEAD + STEP.replace('"simple"', '"simpel"'), "no gin agent named 'simpel'; did you mean 'simple'?"),
        (HEAD + STEP.replace('["simple", "random"]', '"simple"'), "agents: Expected `array`, got `str`"),
        (HEAD + STEP + STEP, "test.toml: two steps have the name 'm'"),
        (HEAD + STEP.replace("[[match]]", "[match]"), "match must be a list of tables: write [[match]]"),
        (HEAD.replace("gin", "gim") + STEP, "no game named 'gim'; did you mean 'gin'?"),
        (HEAD + 'rules = "eeai"\n' + STEP, "no preset named 'eeai'; did you mean 'eaai'?"),
        (HEAD + "[defaults]\nsead = 3\n" + STEP, "[defaults]: no key named 'sead'; did you mean 'seed'?"),
        (HEAD + 'hook = "no.such"\n' + STEP, "test.toml: no key or kind of step named 'hook'"),
        (HEAD + STEP.replace("match", "ordered"), "gin does not count the points an agent gains in a deal"),
        (HEAD + STEP + "sprt = [0.6, 0.5]", "The bounds of a sequential test"),
        (HEAD + STEP.replace('"m"', '"a.b"'), "[[match]] 'a.b': name: Expected `str` matching regex"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_that_names_file_and_key(text: str, words: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        parsed(text)
    message = str(caught.value)
    assert message.startswith("test.toml")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('step = "n"\nquantity = "win_rate"\nvalue = 1', "[[expect]] 'e': no step named 'n'"),
        ('step = "m"\nquantity = "winrate"\nvalue = 1', "did you mean 'win_rate'?"),
        ('step = "m"\nquantity = "win_rate"\nagents = ["x"]\nvalue = 1', "no agent of the step 'm' named 'x'"),
        ('step = "m"\nquantity = "gin_rate"\nagents = ["simple"]\nvalue = 1', "needs 0 agents, not 1"),
        ('step = "m"\nquantity = "win_rate"', "Give exactly one of value, interval, at_least and at_most"),
        ('step = "m"\nquantity = "win_rate"\nvalue = 1\nat_least = 0', "exactly one of value"),
        ('step = "m"\nquantity = "win_rate"\ninterval = [2, 1]', "swap its ends"),
        ('step = "m"\nquantity = "win_rate"\nvalue = 1\nplaces = 99', "places must be between"),
        ('step = "m"\nquantity = "win_rate"\nat_least = 1\nnull = 0', "null goes with value or interval"),
        ('step = "m"\nvalue = 1', "quantity is missing"),
        ("value = 1", "Give either step (with quantity) or derived"),
        ('derived = "x"\nvalue = 1', "no derived number named 'x'"),
    ],
)
def test_an_expectation_that_fits_nothing_is_refused_before_anything_is_played(lines: str, words: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        parsed(f'{HEAD}{STEP}[[expect]]\nname = "e"\n{lines}\n')
    assert str(caught.value).startswith("test.toml, [[expect]] 'e': ")
    assert words in str(caught.value)


@pytest.mark.parametrize("key", ["value", "margin"])
def test_a_figure_that_is_not_a_number_is_refused_with_its_name(key: str) -> None:
    with pytest.raises(ExperimentError, match=rf"^test\.toml: expect\.{key} must be finite, not nan$"):
        parsed(f'{HEAD}{STEP}[[expect]]\nname = "e"\nstep = "m"\nquantity = "win_rate"\n{key} = nan\n')


def test_settings_come_from_the_step_the_defaults_and_the_command_line() -> None:
    text = HEAD + "[defaults]\ngames = 50\nseed = 9\n[quick]\nseed = 8\n" + STEP
    text += '[[match]]\nname = "n"\nagents = ["simple", "random"]\n'

    def sizes(**more: Any) -> list[tuple[int, int]]:
        return [(step.games, step.seed) for step in parsed(text, **more).steps]  # type: ignore[attr-defined]

    assert sizes() == [(1200, 9), (50, 9)]
    assert sizes(quick=True) == [(60, 8), (60, 8)]
    assert sizes(changes=["games=20", "n.seed=1"]) == [(20, 9), (20, 1)]
    assert parsed(text, changes=["m.games=4"]).command == "rummylab experiment run test.toml --set m.games=4"
    for change, words in (("gams=2", "did you mean 'games'"), ("o.games=2", "named 'o.games'"), ("x", "key=value")):
        with pytest.raises(ExperimentError, match=words):
            sizes(changes=[change])


def test_an_agent_takes_options_in_brackets() -> None:
    assert entry("indian", "mindist-opp(4)").load().params.tolist() == [4]
    assert entry("indian", "mindist-outs(6)").load().params[:2].tolist() == [6, 0]
    wrong = (("mindist-opp(a)", "number"), ("mindist-opp(4", "not closed"), ("mindist-opp(4 4)", "takes 1"))
    for name, words in wrong:
        with pytest.raises(OptionError, match=words):
            entry("indian", name)
    with pytest.raises(UnknownNameError, match="mindist-opp"):
        entry("indian", "mindist-op(4)")


# --- Verdicts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "ours", "verdict"),
    [
        ({"value": 0.5, "margin": 0.05}, (0.51, 0.49, 0.53), "reproduced"),
        ({"value": 0.5, "margin": 0.05}, (0.54, 0.53, 0.56), "open"),
        ({"value": 0.5, "margin": 0.05}, (0.5, 0.40, 0.60), "open"),
        ({"value": 0.5, "margin": 0.05}, (0.58, 0.56, 0.60), "higher"),
        ({"value": 0.5, "margin": 0.05}, (0.42, 0.40, 0.44), "lower"),
        ({"value": 27}, (27, 27, 27), "reproduced"),
        ({"value": 27}, (7, 7, 7), "lower"),
        ({"value": 0.43, "margin": 0.03}, (0.46, 0.46, 0.46), "reproduced"),
        ({"interval": (0.4, 0.6)}, (0.5, 0.4, 0.6), "reproduced"),
        ({"interval": (0.4, 0.6)}, (0.39, 0.38, 0.399), "lower"),
        ({"interval": (0.4, 0.6), "margin": 0.1}, (0.32, 0.30, 0.34), "reproduced"),
        ({"at_least": 0.6}, (0.7, 0.61, 0.8), "direction only"),
        ({"at_least": 0.6}, (0.6, 0.55, 0.65), "open"),
        ({"at_least": 0.6}, (0.5, 0.45, 0.55), "lower"),
        ({"at_most": 0.6}, (0.7, 0.61, 0.8), "higher"),
        ({"at_most": 0.6}, (0.5, 0.4, 0.6), "direction only"),
        # With the value of no effect: a smaller effect has the direction, a larger one or none does not reproduce it.
        ({"value": 0.62, "margin": 0.04, "null": 0.5}, (0.56, 0.55, 0.57), "direction only"),
        ({"value": 0.62, "margin": 0.04, "null": 0.5}, (0.70, 0.69, 0.71), "higher"),
        ({"value": 0.62, "margin": 0.04, "null": 0.5}, (0.51, 0.50, 0.52), "lower"),
        ({"value": 0.37, "margin": 0.04, "null": 0.5}, (0.43, 0.42, 0.44), "direction only"),
        ({"value": 0.37, "margin": 0.04, "null": 0.5}, (0.55, 0.54, 0.56), "higher"),
        ({"value": 0.37, "margin": 0.04, "null": 0.5}, (0.30, 0.29, 0.31), "lower"),
        ({"value": 1}, (float("nan"),) * 3, "open"),
        ({"value": 1}, (1.0, float("-inf"), float("inf")), "open"),
    ],
)
def test_the_verdict_follows_from_expected_and_measured(
    figure: dict[str, Any], ours: tuple[float, float, float], verdict: str
) -> None:
    assert Expectation(name="x", step="s", quantity="q", **figure).verdict(Measured(*ours)) == verdict


def test_a_verdict_says_why_a_figure_is_missed_and_what_was_chosen() -> None:
    wanted = Expectation(name="x", derived="d", value=27, places=0, if_not="error in the paper")
    assert wanted.verdict_words(Measured.exact(7)) == "**lower**: error in the paper"
    assert wanted.verdict_words(Measured.exact(27)) == "reproduced"
    assert (wanted.figure, wanted.measured_words(Measured.exact(7)), wanted.interval_words(Measured.exact(7))) == (
        "27",
        "7",
        "-",
    )
    fitted = Expectation(name="x", derived="d", interval=(2, 3), chosen="the dummy")
    assert fitted.verdict_words(Measured.exact(2.5)) == "reproduced; *chosen*: the dummy"


def test_our_own_expectations_do_not_stand_under_paper() -> None:
    lines = 'step = "m"\nquantity = "win_rate"\nat_least = 0.9\n'
    text = HEAD + '[source]\ntitle = "A paper"\n' + STEP.replace("1200", "40")
    text += f'[[expect]]\nname = "printed"\n{lines}[[expect]]\nname = "guessed"\n{lines}ours = true\n'
    report = verdict_tables(run_experiment(parsed(text), backend=ThisProcess()))
    paper, own = report.split("## Do our own expectations hold?")
    assert paper.startswith("## Does it reproduce the paper?")
    assert "| printed |" in paper
    assert "| guessed |" not in paper
    assert "| guessed |" in own
    alone = verdict_tables(run_experiment(parsed(text.replace("[source]", "[paper]")), backend=ThisProcess()))
    assert "Paper" not in alone


# --- Playing --------------------------------------------------------------------------------------------------------


def files(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir() if path.suffix in (".md", ".json")}


def test_the_example_gives_the_same_bytes_on_every_back_end_and_after_an_interruption(tmp_path: Path) -> None:
    experiment = read_experiment(EXAMPLE)
    whole = run_experiment(experiment, backend=Processes(2))
    verdicts = [wanted.verdict(ours) for wanted, ours in whole.findings]
    assert verdicts == ["direction only", "reproduced", "direction only"]
    write_report(whole, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run_experiment(experiment, store=Store(tmp_path / "runs.db"), backend=Stops(after=3))
    rest = Backwards()
    write_report(run_experiment(experiment, store=Store(tmp_path / "runs.db"), backend=rest), tmp_path / "cut")
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
    assert 0 < len(rest.tasks) == sum(len(step.tasks()) for step in experiment.steps) - 3
    again = Backwards()
    write_report(run_experiment(experiment, store=Store(tmp_path / "runs.db"), backend=again), tmp_path / "cut")
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
    assert again.tasks == []


def test_the_report_shows_expected_ours_interval_verdict_steps_and_commands(tmp_path: Path) -> None:
    results = run_experiment(read_experiment(EXAMPLE, quick=True), backend=ThisProcess())
    text = write_report(results, tmp_path).read_text()
    for words in (
        "| what | where | expected | measured | 95% interval | verdict |",
        "| simple beats random nearly always | - | at least 0.950 |",
        "### is-it-better",
        "Sequential test of 0.5 against 0.55: better after",
        "rummylab experiment run first-look.toml --quick",
        "rummylab match gin simple random --games 100 --seed 7 --rules eaai",
    ):
        assert words in text, words
    numbers = json.loads((tmp_path / "results.json").read_text())
    assert numbers == json.loads(json.dumps(to_dict(results)))
    assert set(numbers["steps"]) == {"simple-random", "mirror", "is-it-better"}
    # A hundred games cannot tell 0.95 from 1: the quick version says so.
    assert [line["verdict"] for line in numbers["expect"]] == ["open", "open", "direction only"]


def test_a_tournament_step_is_measured_by_pair_and_by_rating() -> None:
    text = HEAD + '[[tournament]]\nname = "t"\nagents = ["simple", "random"]\ngames = 200\n'
    text += '[[expect]]\nname = "e"\nstep = "t"\nquantity = "elo"\nagents = ["simple"]\nat_least = 0\n'
    text += '[[expect]]\nname = "w"\nstep = "t"\nquantity = "win_rate"\nagents = ["random", "simple"]\nat_most = 0.1\n'
    results = run_experiment(parsed(text), backend=ThisProcess())
    assert [wanted.verdict(ours) for wanted, ours in results.findings] == ["direction only", "direction only"]
    assert "| agent | Elo | 95% |" in results.steps["t"].markdown()


def test_series_with_a_fixed_first_mover_run_in_one_order_or_both() -> None:
    head = HEAD.replace("gin", "indian")
    step = '[[ordered]]\nname = "o"\nagents = ["mindist"]\nagainst = ["random"]\ngames = 30\n'
    text = head + step + "both_orders = false\n"
    text += (
        '[[expect]]\nname = "e"\nstep = "o"\nquantity = "win_rate"\nagents = ["mindist", "random"]\nat_least = 0.5\n'
    )
    text += '[[expect]]\nname = "s"\nstep = "o"\nquantity = "skill"\nagents = ["mindist", "random"]\nat_least = 0.5\n'
    results = run_experiment(parsed(text), backend=ThisProcess())
    # One order was not played: what needs both cannot be compared.
    assert [wanted.verdict(ours) for wanted, ours in results.findings] == ["direction only", "open"]
    both = run_experiment(parsed(head + step), backend=ThisProcess())
    assert list(both.steps["o"].ordered.series) == [("mindist", "random"), ("random", "mindist")]


FIELD = '[[field]]\nname = "f"\nagents = ["simple", "medium"]\nagainst = ["random", "simple"]\ngames = 600\n'


def test_a_field_compares_agents_deal_by_deal_against_the_same_opponents() -> None:
    step = run_experiment(parsed(HEAD + FIELD), backend=ThisProcess()).steps["f"]
    one, alone = step.measure("win_rate", ["medium", "simple"]), match("gin", "medium", "simple", games=600, workers=1)
    assert (one.value, one.low, one.high) == pytest.approx((alone.win_rate.value, *alone.win_rate.ci))
    points = step.measure("points_per_hand", ["medium", "simple"])
    assert (points.value, points.low) == pytest.approx((alone.points_per_hand.value, alone.points_per_hand.low))
    both = step.measure("win_rate", ["medium"]).value
    assert both == pytest.approx((one.value + step.measure("win_rate", ["medium", "random"]).value) / 2)
    lead = step.measure("lead", ["medium", "simple"])
    assert lead.value == pytest.approx(both - step.measure("win_rate", ["simple"]).value)
    assert step.measure("lead", ["medium", "medium"]).is_exact
    assert step.measure("points_lead", ["medium", "simple", "random"]).is_known
    assert not step.measure("win_rate", ["medium", "medium"]).is_known  # not among the opponents
    assert len(step.to_dict()["pairs"]) == 4
    assert step.markdown().count("`medium`") == 1


def test_a_field_names_everybody_once() -> None:
    for line, words in (('["simple", "medium"]', "agents must name"), ('["random", "simple"]', "against must name")):
        for wrong in ("[]", '["simple", "simple"]'):
            with pytest.raises(ExperimentError, match=words):
                parsed(HEAD + FIELD.replace(line, wrong))


def test_a_changed_file_is_another_run_and_a_named_run_has_one_configuration(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.db")
    small, large = parsed(HEAD + STEP, changes=["games=20"]), parsed(HEAD + STEP, changes=["games=40"])
    assert earlier_run(small, store) == ""
    run_experiment(small, store=store, name="mine", backend=ThisProcess())
    assert earlier_run(small, store) == ""
    assert "m.games was 20 and is now 40" in earlier_run(large, store)
    with pytest.raises(StoreError, match="'mine' has another configuration"):
        run_experiment(large, store=store, name="mine", backend=ThisProcess())
    results = run_experiment(large, store=store, backend=ThisProcess())
    assert len(store.runs()) == 2
    report = write_report(results, tmp_path / "large")
    assert results.run is not None
    assert results.run.artifact("README.md") == report.read_bytes()
    # Titles and expectations are no reason to play again.
    text = (
        HEAD.replace('"t"', '"other"') + STEP + '[[expect]]\nname = "e"\nstep = "m"\nquantity = "win_rate"\nvalue = 1\n'
    )
    assert earlier_run(parsed(text, changes=["games=20"]), store) == ""


def test_a_long_step_keeps_sums_and_measures_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + STEP + STEP.replace("match", "tournament").replace('"m"', '"t"')
    short = run_experiment(parsed(text), backend=ThisProcess())
    monkeypatch.setattr("rummylab.lab.experiment.steps.KEEP_GAMES", 1000)
    long = run_experiment(parsed(text), backend=ThisProcess())
    assert long.steps["m"].match.rows is None
    assert all(result.rows is None for result in long.steps["t"].standings.results.values())
    assert to_dict(long) == to_dict(short)
    for quantity in ("hands_per_game", "turns_per_hand", "gin_rate", "undercut_rate"):
        one, two = (found.steps["m"].measure(quantity) for found in (short, long))
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))


def test_progress_ends_at_the_end_even_if_a_test_decides_early() -> None:
    seen: list[tuple[int, int]] = []
    experiment = parsed(HEAD + STEP + "sprt = [0.5, 0.6]\n" + STEP.replace('"m"', '"n"'))
    run_experiment(experiment, backend=ThisProcess(), progress=lambda done, total, words: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == 2400
    assert seen == sorted(seen)


# --- The command ----------------------------------------------------------------------------------------------------


def command(*arguments: str, cwd: Path = ROOT) -> Done:
    return run(arguments, cwd=cwd)


def test_run_prints_json_and_a_bad_file_is_one_line(tmp_path: Path) -> None:
    done = command("experiment", "run", str(EXAMPLE), "--quick", "--out", str(tmp_path), "--workers", "1", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert Path(result["report"]).read_text().startswith("# A first look at Gin Rummy")
    assert (tmp_path / "runs.db").exists()
    bad = tmp_path / "bad.toml"
    bad.write_text(HEAD + "[[mach]]\n")
    for arguments in ((str(bad),), (str(tmp_path / "none.toml"),), (str(EXAMPLE), "--set", "gamse=2")):
        done = command("experiment", "run", *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1


def test_reproductions_are_listed_with_their_source() -> None:
    done = command("experiment", "list")
    text = " ".join(done.stdout.split())
    assert all(f"{name} {source}" in text for name, source in reproductions().items())
    assert "examples/first-look.toml A first look at Gin Rummy" in text
    assert "arXiv:2601.00024" in reproductions()["indian"]


@pytest.mark.parametrize("name", sorted(reproductions()))
def test_the_published_report_of_a_study_is_of_its_present_file(name: str) -> None:
    experiment = reproduction(name)
    numbers = json.loads((ROOT / "docs" / "results" / name / "results.json").read_text())
    told = [(line["name"], line["expected"]) for line in numbers["expect"]]
    assert told == [(wanted.name, wanted.figure) for wanted in experiment.expectations]
    for wanted, line in zip(experiment.expectations, numbers["expect"], strict=True):
        ends = [float("nan") if end is None else end for end in (line["value"], *line["ci"])]
        assert line["verdict"] == wanted.verdict(Measured(*ends)), wanted.name
    played = {name: step["config"].get("games") for name, step in numbers["steps"].items()}
    assert played == {step.name: getattr(step, "games", None) for step in experiment.steps}


def test_a_killed_run_goes_on_and_gives_the_identical_report(tmp_path: Path) -> None:
    arguments = [
        "experiment",
        "run",
        str(EXAMPLE),
        "--set",
        "games=20000",
        "--workers",
        "1",
        "--store",
        str(tmp_path / "runs.db"),
    ]
    killed_after(1, [*arguments, "--out", str(tmp_path / "cut")], cwd=ROOT)
    assert n_chunks(tmp_path / "runs.db") == 1
    assert not (tmp_path / "cut" / "README.md").exists()
    assert command(*arguments, "--out", str(tmp_path / "cut")).returncode == 0
    experiment = read_experiment(EXAMPLE, changes=["games=20000"])
    write_report(run_experiment(experiment, backend=ThisProcess()), tmp_path / "whole")
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
