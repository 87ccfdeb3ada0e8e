"""``rummylab tune``: find good numbers for an agent."""

from __future__ import annotations

from typing import Annotated, Any

from rummylab.cli.common import announce_compilation, interruptible, print_json, progress_bar, say
from rummylab.cli.options import MOST, Agent, AsJson, Game, Quiet, Rules, Seed, Workers, play_option
from rummylab.cli.train import Plot, RunDirectory, command_line, resume_words


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _numbers(pairs: list[str]) -> tuple[tuple[str, float], ...]:
    from rummylab.errors import OptionError

    found = []
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            found.append((name.strip(), float(value)))
        except ValueError:
            raise OptionError(f"--fix {pair!r} is not of the form name=number") from None
    return tuple(found)


def _option(what: str, **more: Any) -> Any:
    return play_option(help=what, **more)


def tune(
    game: Game,
    agent: Agent,
    out: RunDirectory,
    trials: Annotated[int, _option("Trials in all.", max=MOST)] = 100,
    games: Annotated[int, _option("Games of a trial against each opponent, on duplicate deals.", max=MOST)] = 1000,
    measured_games: Annotated[int, _option("Games of the last measurement, on fresh deals.", max=MOST)] = 4000,
    sampler: Annotated[str, _option("paper (random, then grid), tpe or cmaes.")] = "tpe",
    objective: Annotated[str, _option("win_rate or points_per_hand.")] = "points_per_hand",
    against: Annotated[str, _option("Opponents, separated by commas.")] = "simple",
    start: Annotated[str, _option("First trial: present (the agent's numbers) or printed (its paper's).")] = "present",
    only: Annotated[str, _option("Tune these numbers only, separated by commas.")] = "",
    fix: Annotated[list[str], _option("Hold a number: name=value. May be given several times.")] = [],  # noqa: B006
    seed: Seed = 0,
    rules: Rules = None,
    plot: Plot = False,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Search for the numbers with which an agent plays best."""
    from rummylab.learning.trainer import train
    from rummylab.learning.tune import TuneOptions, Tuner

    options = TuneOptions(
        game=game,
        agent=agent,
        opponents=_names(against),
        sampler=sampler,
        objective=objective,
        trials=trials,
        games=games,
        measured_games=measured_games,
        seed=seed,
        preset=rules,
        start=start,
        only=_names(only),
        fixed=_numbers(fix),
    )
    tuner = Tuner(options, workers=workers)
    announce_compilation(quiet=quiet)
    with interruptible(resume_words(out)), progress_bar("trials", quiet=quiet) as progress:
        manifest = train(tuner, out, command=command_line(), progress=progress)
    if plot:
        from rummylab.studies.training_figures import draw_tuning

        draw_tuning(tuner.study, tuner.trials, objective, out / "plots")
    if as_json:
        print_json({"options": tuner.numbers, "manifest": manifest})
        return
    for name in options.tuned:
        say(f"{name:22} {tuner.numbers[name]:8.3f}")
    for opponent, result in manifest["result"]["measured"].items():
        interval = " to ".join("?" if end is None else f"{end:.1%}" for end in result["win_rate_ci"])
        say(
            f"against {opponent}: {result['win_rate']:.1%} of {result['games']} games ({interval}), "
            f"{result['points_per_hand']:+.2f} points a hand"
        )
    say(f"Written: {out / tuner.ARTIFACT}")
