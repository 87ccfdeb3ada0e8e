"""``rummylab tune``: find good numbers for an agent."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from rummylab.cli.common import MOST, MOST_PROCESSES, announce_compilation, print_json, progress_bar


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


def tune(
    game: str = typer.Argument(help="The game, such as gin."),
    agent: str = typer.Argument(help="The agent to tune, such as utility."),
    store: Path = typer.Option(Path("tune.db"), help="The study; the same command goes on where it was stopped."),
    trials: int = typer.Option(100, max=MOST, help="Trials in all."),
    games: int = typer.Option(1000, max=MOST, help="Games of a trial against each opponent, on duplicate deals."),
    measured_games: int = typer.Option(4000, max=MOST, help="Games of the last measurement, on fresh deals."),
    sampler: str = typer.Option("tpe", help="paper (random, then grid), tpe or cmaes."),
    objective: str = typer.Option("points_per_hand", help="win_rate or points_per_hand."),
    against: str = typer.Option("simple", help="Opponents, separated by commas."),
    start: str = typer.Option("present", help="First trial: present (the agent's numbers) or printed (its paper's)."),
    only: str = typer.Option("", help="Tune these numbers only, separated by commas."),
    fix: list[str] = typer.Option([], help="Hold a number: name=value. May be given several times."),
    seed: int = typer.Option(0, help="Same seed, same result."),
    rules: str | None = typer.Option(None, help="Preset of the rules; default: the game's first."),
    out: Path | None = typer.Option(None, help="Write the best numbers to this file, as the agent reads them."),
    trials_out: Path | None = typer.Option(None, help="Write every trial, its numbers and results, to this JSON file."),
    plots: Path | None = typer.Option(None, help="Draw history, importance and slices into this directory."),
    workers: int | None = typer.Option(None, max=MOST_PROCESSES, help="Processes; default: one per core."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Search for the numbers with which an agent plays best."""
    from rummylab.learning import tune as t

    plan = t.TunePlan(
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
    t.need_optuna()
    announce_compilation()
    with progress_bar("trials") as progress:
        tuned = t.tune(plan, store, workers=workers, progress=progress)
    command = " ".join(["rummylab", *sys.argv[1:]])
    artifact = tuned.artifact(command)
    if trials_out is not None:
        t.write_artifact(t.trials_as_json(plan, t.open_study(plan, store), command), trials_out)
    if out is not None:
        t.write_artifact(artifact, out)
    if plots is not None:
        from rummylab.learning.tune_plots import draw_plots

        draw_plots(t.open_study(plan, store), plots)
    if as_json:
        print_json(artifact)
        return
    for name in plan.tuned:
        typer.echo(f"{name:22} {tuned.numbers[name]:8.3f}")
    for opponent, result in tuned.results.items():
        low, high = result["win_rate_ci"]
        typer.echo(
            f"against {opponent}: {result['win_rate']:.3f} ({low:.3f} to {high:.3f}) of {result['games']} games,"
            f" {result['points_per_hand']:+.2f} points a hand"
        )
