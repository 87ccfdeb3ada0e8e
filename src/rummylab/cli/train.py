"""``rummylab train``: one command for each trainer, made from its options."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from rummylab.cli.common import announce_compilation, interruptible, print_json, progress_bar, say
from rummylab.cli.options import MOST, AsJson, Quiet, finite, out_path, output_option
from rummylab.learning.registry import TRAINERS, trainer

RunDirectory = Annotated[
    Path, out_path("Directory of the run: artifact, checkpoint and learning curve. The same command resumes it.")
]
Plot = Annotated[bool, output_option("--plot", help="Draw the learning curve, curve.svg (needs the extra report).")]


_SHARED = """

The same command resumes a run that was stopped. The artifact has a manifest: command, options, seed, code version, size
of the data and measured result.
"""


def command_line() -> str:
    """Return the command as the user typed it, for the manifest."""
    return " ".join(["rummylab", *sys.argv[1:]])


def result_words(result: Mapping[str, Any]) -> str:
    """Return the plain figures of a measured *result*; what it tables by kind is for the manifest."""
    return ", ".join(f"{name} {value}" for name, value in result.items() if not isinstance(value, Mapping))


def resume_words(out: Path) -> str:
    """Return what to tell a user who interrupts a training run in *out*."""
    return f"The complete rounds are in {out}. Run the same command again to resume."


def train_command(name: str) -> Callable[..., None]:
    """Return the command of the trainer *name*: its options, and those that all trainers share."""
    options = TRAINERS[name].options

    def run(*, out: Path, plot: bool, quiet: bool, as_json: bool, **chosen: Any) -> None:
        _train(name, options(**_values(options, chosen)), out, plot=plot, quiet=quiet, as_json=as_json)

    shared = (("out", RunDirectory, inspect.Parameter.empty), ("plot", Plot, False), ("quiet", Quiet, False))
    parameters = [*_parameters(options), *(_parameter(*each) for each in shared), _parameter("as_json", AsJson, False)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = TRAINERS[name].summary + _SHARED
    return run


def _parameters(options: Any) -> list[inspect.Parameter]:
    """Return the fields of an options dataclass as parameters of a command."""
    hints = get_type_hints(options)
    found = []
    for field in fields(options):
        hint: Any = hints[field.name]
        default: Any = field.default
        limits: dict[str, Any] = {}
        if hint is int and field.name != "seed":
            limits["max"] = MOST
        elif hint is float:
            limits["callback"] = finite
        if get_origin(hint) is tuple:
            hint, default = types.GenericAlias(list, (get_args(hint)[0],)), list(default)
        flag = f"--{field.name.replace('_', '-')}"
        flags = [f"{flag}/--no-{flag[2:]}"] if hint is bool else [flag]
        option = typer.Option(*flags, help=field.metadata["meaning"], rich_help_panel="Training", **limits)
        found.append(_parameter(field.name, Annotated[hint, option], default))
    return found


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _values(options: Any, chosen: Mapping[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(options)
    return {name: tuple(value) if get_origin(hints[name]) is tuple else value for name, value in chosen.items()}


def _train(name: str, options: Any, out: Path, *, plot: bool, quiet: bool, as_json: bool) -> None:
    from rummylab.learning.trainer import CURVE, train

    if plot:
        from rummylab.arena.plots import need_matplotlib

        need_matplotlib()
    announce_compilation(quiet=quiet)
    with interruptible(resume_words(out)), progress_bar("rounds", quiet=quiet) as progress:
        run = trainer(name)(options)
        manifest = train(run, out, command=command_line(), progress=progress)
    if plot:
        from rummylab.studies.training_figures import draw_curve

        draw_curve(out / CURVE, out / "curve.svg")
    if as_json:
        print_json(manifest)
        return
    last = ", ".join(f"{column} {value:.6g}" for column, value in zip(run.COLUMNS, run.curve[-1][1:], strict=True))
    say(f"{run.round} rounds; {last}")
    if result := result_words(manifest["result"]):
        say(f"Measured at the end: {result}")
    say(f"Written: {out / run.ARTIFACT}")
