"""``rummylab dataset``, ``train`` and ``evaluate``: data, training and judgement of what is learned."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from rummylab.cli.common import MOST, MOST_PROCESSES, announce_compilation, finite, print_json, progress_bar

TASKS = ("gin-opponent-hand",)


def _check(task: str) -> None:
    from rummylab.errors import UnknownNameError

    if task not in TASKS:
        raise UnknownNameError("task", task, TASKS)


_TASK = typer.Argument(help="What is learned: gin-opponent-hand.")
_WORKERS = typer.Option(
    None, max=MOST_PROCESSES, help="Processes; default: one per core. The result does not depend on it."
)


def dataset(
    task: str = _TASK,
    out: Path = typer.Option(..., help="Directory of the data; a run that was stopped goes on."),
    entries: int = typer.Option(1_000_000, max=MOST, help="How many entries at least; a turn is an entry."),
    seed: int = typer.Option(0, help="Same seed, same data."),
    phase: int = typer.Option(1, help="The paper's phase, 1 to 3, and so the agents that play."),
    model: Path | None = typer.Option(None, help="Phases 2 and 3: directory of the newest network; default: ours."),
    mix: str | None = typer.Option(None, help="Other agents: FIRST:SECOND=SHARE, several separated by commas."),
    workers: int | None = _WORKERS,
) -> None:
    """Play games and keep what the opponent-hand network learns from."""
    from rummylab.learning.opponent_hand.dataset import Plan, generate, parse_mix, phase_mix

    _check(task)
    announce_compilation()
    plan = Plan(entries=entries, seed=seed, line_ups=parse_mix(mix) if mix else phase_mix(phase, model))
    with progress_bar("shards") as progress:
        made = generate(out, plan, workers=workers, progress=progress)
    n = sum(len(hands) for hands in made)
    size = sum(file.stat().st_size for file in out.iterdir())
    typer.echo(f"{n:,} entries in {made.shards} shards, {size / n:.1f} bytes each: {out}")


def train(
    data: list[Path] = typer.Option(..., help="Directory of data; may be given several times."),
    out: Path = typer.Option(..., help="Directory of model, checkpoint and curve; a run that was stopped goes on."),
    epochs: float = typer.Option(4.0, callback=finite, help="How often each entry is seen."),
    batch: int = typer.Option(2048, max=MOST, help="Entries of one step."),
    rate: float = typer.Option(1e-3, callback=finite, help="Learning rate at the start; it falls along a cosine."),
    patience: int = typer.Option(
        10, max=MOST, help="Rounds without progress on held-out games after which training ends."
    ),
    round_entries: int = typer.Option(500_000, max=MOST, help="Entries of a round; after each there is a checkpoint."),
    change_suits: bool = typer.Option(True, help="Let the suits change places at random."),
    seed: int = typer.Option(1, help="Same seed, same network."),
    threads: int | None = typer.Option(None, max=MOST_PROCESSES, help="Threads of PyTorch; default: one per core."),
) -> None:
    """Train the opponent-hand network of Gin and write it as safetensors with a manifest."""
    from rummylab.learning.opponent_hand import train as t

    settings = t.Settings(
        seed=seed,
        epochs=epochs,
        batch=batch,
        rate=rate,
        patience=patience,
        round_entries=round_entries,
        change_suits=change_suits,
    )
    announce_compilation()
    with progress_bar("rounds") as progress:
        network = t.train(
            data, out, settings, command="rummylab " + " ".join(sys.argv[1:]), threads=threads, progress=progress
        )
    result = network.manifest["result"]
    typer.echo(
        f"held-out loss {result['held_out_loss']:.5f}, top 10 {result['held_out_top_10']:.2%} "
        f"after {result['entries_seen']:,} entries: {out / t.MODEL}"
    )


def evaluate(
    task: str = _TASK,
    entries: int = typer.Option(200_000, max=MOST, help="Entries of fresh games."),
    seed: int = typer.Option(0, help="Same seed, same games."),
    model: Path | None = typer.Option(None, help="Directory of the network; default: ours."),
    mix: str | None = typer.Option(None, help="Other agents: FIRST:SECOND=SHARE; default: the paper's mix."),
    workers: int | None = _WORKERS,
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Measure beliefs about the opponent's hand on fresh games of the paper's mix."""
    from rummylab.beliefs.gin import shape as hand_shape
    from rummylab.beliefs.gin.network import BUNDLED, Network, bundled
    from rummylab.learning.opponent_hand.dataset import Plan, paper_mix, parse_mix
    from rummylab.learning.opponent_hand.evaluate import evaluate as measure

    _check(task)
    announce_compilation()
    network = Network.load(model / BUNDLED) if model else bundled()
    shape = hand_shape.bundled() if not model else None
    if model and (model / hand_shape.BUNDLED).exists():
        shape = hand_shape.load(model / hand_shape.BUNDLED)
    line_ups = parse_mix(mix) if mix else paper_mix(model)
    plan = Plan(entries=entries, seed=seed, line_ups=line_ups, shard_entries=min(10_000, max(1, entries // 4)))
    with progress_bar("shards") as progress:
        found = measure(plan, network, shape=shape, workers=workers, progress=progress)
    if as_json:
        print_json(found)
        return
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
