"""``rummylab dataset`` and ``rummylab evaluate``: data for training, and measurements of what was learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rummylab.cli import complete, options
from rummylab.cli.common import announce_compilation, interruptible, print_json, progress_bar, say
from rummylab.cli.options import MOST, out_path, play_option

DATASETS = ("gin-opponent-hand",)
MEASURED = ("gin-opponent-hand", "gin-joint-belief", "indian-draws")


def _check(name: str, known: tuple[str, ...]) -> None:
    from rummylab.errors import UnknownNameError

    if name not in known:
        raise UnknownNameError("task", name, known)


Entries = Annotated[int, play_option("--entries", min=1, max=MOST, help="Number of entries; a turn is an entry.")]
Mix = Annotated[
    str | None,
    play_option("--mix", help="Other agents than the paper's: FIRST:SECOND=SHARE, several separated by commas."),
]
Model = Annotated[Path | None, play_option("--model", help="Directory of a network; default: the package's own.")]


def _tensor_dataset(
    game: str, agent: str | None, rules: str | None, entries: int, seed: int, out: Path, *, quiet: bool, as_json: bool
) -> None:
    from rummylab.envs.datasets import FILE, record

    announce_compilation(quiet=quiet)
    out.mkdir(parents=True, exist_ok=True)
    data = record(game, agent, entries=entries, seed=seed, rules=rules)
    data.save(out / FILE)
    size = (out / FILE).stat().st_size
    if as_json:
        print_json({"entries": len(data), "bytes": size, "out": str(out / FILE), "agent": data.about["agent"]})
        return
    say(f"{len(data):,} decisions of {data.about['agent']} in {out / FILE} ({size / 1e6:.1f} MB).")


def _datasets(incomplete: str) -> list[str]:
    """Offer the data sets and the games."""
    return [*complete.words(*DATASETS)(incomplete), *complete.games(incomplete)]


def dataset(
    task: Annotated[
        str, typer.Argument(help="gin-opponent-hand; or, with --tensors, a game.", autocompletion=_datasets)
    ],
    out: Annotated[Path, out_path("Directory of the data. The same command resumes a run that was stopped.")],
    entries: Entries = 1_000_000,
    seed: options.Seed = 0,
    tensors: Annotated[
        bool, typer.Option("--tensors", help="Keep observations, masks, actions and returns of a game as arrays.")
    ] = False,
    agent: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="With --tensors: who plays every seat.", autocompletion=complete.agents),
    ] = None,
    rules: options.Rules = None,
    phase: Annotated[int, typer.Option(help="Phase of the paper, 1 to 3: which agents play.")] = 1,
    model: Model = None,
    mix: Mix = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Play games and keep what a network learns from.

    With --tensors the data are one file, tensors.npz: docs/guides/environments.md describes it.
    """
    if tensors:
        _tensor_dataset(task, agent, rules, entries, seed, out, quiet=quiet, as_json=as_json)
        return
    from rummylab.errors import OptionError
    from rummylab.games.registry import GAMES
    from rummylab.learning.opponent_hand.dataset import DatasetPlan, generate
    from rummylab.learning.opponent_hand.line_ups import parse_mix, phase_mix

    if task in GAMES:
        raise OptionError(f"The data of a game are its tensors: rummylab dataset {task} --tensors")
    _check(task, DATASETS)
    announce_compilation(quiet=quiet)
    plan = DatasetPlan(entries=entries, seed=seed, line_ups=parse_mix(mix) if mix else phase_mix(phase, model))
    kept = f"The complete shards are in {out}. Run the same command again to resume."
    with interruptible(kept), progress_bar("shards", quiet=quiet) as progress:
        made = generate(out, plan, workers=workers, progress=progress)
    n = sum(len(hands) for hands in made)
    size = sum(file.stat().st_size for file in out.iterdir())
    if as_json:
        print_json({"entries": n, "shards": made.shards, "bytes": size, "out": str(out)})
        return
    say(f"{n:,} entries in {made.shards} shards, {size / n:.1f} bytes each: {out}")


def evaluate(
    task: Annotated[
        str,
        typer.Argument(
            help="gin-opponent-hand, gin-joint-belief or indian-draws.", autocompletion=complete.words(*MEASURED)
        ),
    ],
    entries: Entries = 200_000,
    hands: Annotated[int, play_option(min=100, max=MOST, help="indian-draws: hands at each distance.")] = 10_000,
    positions: Annotated[
        int, play_option(min=20, max=MOST, help="gin-joint-belief: positions of each opponent at each turn.")
    ] = 500,
    seed: options.Seed = 0,
    model: Model = None,
    mix: Mix = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure what was learned on fresh games.

    gin-opponent-hand measures beliefs about the opponent's hand; gin-joint-belief compares the hands that beliefs
    sample with those of every agent, as a report in Markdown; indian-draws measures the formula for the draws until
    declaration.
    """
    _check(task, MEASURED)
    announce_compilation(quiet=quiet)
    if task == "gin-joint-belief":
        with progress_bar("opponents", quiet=quiet) as progress:
            _evaluate_joint_belief(positions, seed, model, progress, as_json=as_json)
        return
    if task == "indian-draws":
        _evaluate_draws(hands, seed, as_json=as_json)
        return
    with progress_bar("shards", quiet=quiet) as progress:
        found = _evaluate_opponent_hand(entries, seed, model, mix, workers, progress)
    if as_json:
        print_json(found)
        return
    _show_beliefs(found)


def _evaluate_draws(hands: int, seed: int, *, as_json: bool) -> None:
    from dataclasses import asdict

    from rummylab.learning.indian_waits import hands_of_self_play, lines, lines_by_outs, tables

    found = hands_of_self_play(hands, seed)
    if as_json:
        parts = {"by_distance": lines(found), "by_outs": lines_by_outs(found)}
        print_json({name: [asdict(line) for line in part] for name, part in parts.items()})
        return
    typer.echo(tables(found))


def _evaluate_joint_belief(positions: int, seed: int, model: Path | None, progress: Any, *, as_json: bool) -> None:
    from rummylab.beliefs.gin.joint import BUNDLED, Joint
    from rummylab.learning.joint_report import markdown, measure

    found = measure(positions, seed, Joint.load(model / BUNDLED) if model else None, progress=progress)
    if as_json:
        print_json(found)
        return
    command = f"rummylab evaluate gin-joint-belief --positions {positions} --seed {seed}"
    typer.echo(markdown(found, command), nl=False)


def _evaluate_opponent_hand(
    entries: int, seed: int, model: Path | None, mix: str | None, workers: int | None, progress: Any
) -> dict[str, Any]:
    from rummylab.beliefs.gin import shape as hand_shape
    from rummylab.beliefs.gin.network import BUNDLED, Network, bundled
    from rummylab.learning.opponent_hand.dataset import DatasetPlan
    from rummylab.learning.opponent_hand.evaluate import evaluate as measure
    from rummylab.learning.opponent_hand.line_ups import paper_mix, parse_mix

    network = Network.load(model / BUNDLED) if model else bundled()
    shape = hand_shape.bundled() if not model else None
    if model and (model / hand_shape.BUNDLED).exists():
        shape = hand_shape.load(model / hand_shape.BUNDLED)
    line_ups = parse_mix(mix) if mix else paper_mix(model)
    plan = DatasetPlan(entries=entries, seed=seed, line_ups=line_ups, shard_entries=min(10_000, max(1, entries // 4)))
    return measure(plan, network, shape=shape, workers=workers, progress=progress)


def _show_beliefs(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from rummylab.learning.opponent_hand.measures import TOP

    table = Table("belief", *(f"top {k}" for k in TOP), "log loss", "Brier", title=f"{found['entries']:,} entries")
    for name in ("network", "counts", "uniform"):
        shares = (f"{found[name]['top_k'][str(k)]:.2%}" for k in TOP)
        table.add_row(name, *shares, f"{found[name]['log_loss']:.4f}", f"{found[name]['brier']:.4f}")
    Console().print(table)
    kinds = list(found["deadwood"])
    gap = Table("opponent's turns", *kinds, title="mean deadwood of sampled hands")
    for turn in found["deadwood"]["truth"]:
        gap.add_row(str(turn), *(f"{found['deadwood'][kind][turn]:.1f}" for kind in kinds))
    Console().print(gap)
