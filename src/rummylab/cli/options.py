"""Options and arguments of the commands.

What several commands have is defined here once, as an annotated type: ``seed: Seed = 0``. So it has one name, one
meaning and one help text everywhere.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from rummylab.cli import complete

MOST = 10**9
"""The largest number of games, hands, trials or entries that a command accepts."""
MOST_PROCESSES = 1024


def finite(value: float) -> float:
    """Return *value*, or raise `typer.BadParameter` for infinity and NaN."""
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


# --- Options by their heading in a command's help ---------------------------------------------------------------------

play_option = partial(typer.Option, rich_help_panel="What is played")
result_option = partial(typer.Option, rich_help_panel="Results")
place_option = partial(typer.Option, rich_help_panel="Where it runs")
output_option = partial(typer.Option, rich_help_panel="Output")


def out_path(what: str) -> Any:
    """Return the option ``--out``; *what* says what is written there."""
    return output_option("--out", help=what)


def agent_option(what: str) -> Any:
    """Return the option ``--agent``; *what* says what the agent does."""
    return play_option("--agent", help=what, autocompletion=complete.agents)


# --- Shared by several commands ---------------------------------------------------------------------------------------

Game = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="The game, such as gin; `rummylab games` lists them.", autocompletion=complete.games
    ),
]
Agent = Annotated[
    str,
    typer.Argument(
        metavar="AGENT", help="The agent; `rummylab agents GAME` lists them.", autocompletion=complete.agents
    ),
]
Seed = Annotated[int, play_option("--seed", help="Random seed; the same seed gives the same result.")]
Rules = Annotated[
    str | None,
    play_option(
        "--rules",
        metavar="PRESET",
        help="Preset of the rules, with options in brackets: platform(decks=2). Default: the game's first preset.",
        autocompletion=complete.presets,
    ),
]
Format = Annotated[
    str | None,
    play_option(
        "--format",
        metavar="FORMAT",
        help="How deals make a match, with options in brackets: pool-101(rejoin=true). `rummylab games` lists them.",
        autocompletion=complete.formats,
    ),
]
SecretKey = Annotated[
    str | None,
    play_option(
        "--key",
        help=(
            "Repeat the deals of a match with outside agents, which come from a secret key: its 32 digits, or @FILE "
            "to keep them off the command line."
        ),
    ),
]
SecondsAMove = Annotated[
    float, play_option("--seconds-a-move", callback=finite, help="Time that an outside agent has for a decision.")
]
Store = Annotated[
    Path | None,
    result_option(
        "--store",
        metavar="FILE",
        help="Keep the results in this file; the same command then resumes a run that was stopped.",
    ),
]
Run = Annotated[
    str | None,
    result_option("--run", metavar="NAME", help="Name of the run in the store, which keeps its configuration."),
]
StoreFile = Annotated[
    Path, typer.Argument(metavar="STORE", help="A results file, as --store writes it.", show_default=False)
]
RunArgument = Annotated[
    str | None,
    typer.Argument(metavar="[RUN]", help="Name, number or start of the key of a run.", autocompletion=complete.runs),
]
RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="A record file (.rgr).", show_default=False)]
Backend = Annotated[str, place_option("--backend", help="local or ray.", autocompletion=complete.words("local", "ray"))]
Address = Annotated[str | None, place_option("--address", help="Address of the cluster, with --backend ray.")]
Workers = Annotated[
    int | None,
    place_option(
        "--workers",
        metavar="N",
        min=1,
        max=MOST_PROCESSES,
        help="Number of processes; default: one per core. The result does not depend on it.",
    ),
]
Quiet = Annotated[bool, output_option("--quiet", "-q", help="Print results only: no progress, no notes.")]
AsJson = Annotated[bool, output_option("--json", help="Print one JSON value.")]
