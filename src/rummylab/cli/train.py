"""``rummylab train``: everything that is learned, one sub-command each."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from rummylab.cli import learn
from rummylab.cli.common import MOST, announce_compilation, finite, progress_bar

app = typer.Typer(help="Train networks and tables.", no_args_is_help=True)

app.command("gin-opponent-hand")(learn.train)


@app.command("gin-cfr")
def gin_cfr(
    out: Path = typer.Option(..., help="Directory of tables, checkpoint, curve and figure; a stopped run goes on."),
    hands: int = typer.Option(2_000_000, max=MOST, help="Hands to learn from in all; more than before carries on."),
    seed: int = typer.Option(1, help="Same seed, same tables."),
    variant: str = typer.Option("cfr+", help="Regrets and averages: cfr+ or cfr."),
    block: int = typer.Option(100_000, max=MOST, help="Hands between checkpoints."),
    examine: float = typer.Option(0.25, callback=finite, help="Share of draws and discards that are learned from."),
    explore: float = typer.Option(0.05, callback=finite, help="Share of random moves of the learner."),
    games: int = typer.Option(2000, max=MOST, help="Games against untrained tables after each block."),
    plot: bool = typer.Option(True, help="Draw the convergence (needs the extra report)."),
) -> None:
    """Learn the discard, draw and knock tables of Gin by Monte-Carlo CFR."""
    from rummylab.learning.gin_cfr import train as t

    settings = t.Settings(
        hands=hands, seed=seed, variant=variant, block=block, examine=examine, explore=explore, games=games
    )
    announce_compilation()
    with progress_bar("hands") as progress:
        tables = t.train(out, settings, command="rummylab " + " ".join(sys.argv[1:]), progress=progress, plot=plot)
    result = tables.manifest["result"]
    won = result["against_untrained"]
    typer.echo(
        f"{result['iterations']:,} hands, {result['sampled_hands_per_s']:,} sampled hands/s; against untrained tables "
        f"{won['points_per_hand']:+.2f} points a hand, {won['win_rate']:.1%} of the games: {out / t.MODEL}"
    )


@app.command("gin-value")
def gin_value(
    out: Path = typer.Option(..., help="The file of values to write."),
    hands: int = typer.Option(40_000, max=MOST, help="Hands of self-play."),
    seed: int = typer.Option(1, help="Same seed, same values."),
) -> None:
    """Fit what utility and deadwood are worth in points, for `utility-search`."""
    from rummylab.learning import gin_value as t

    announce_compilation()
    with progress_bar("hands") as progress:
        found = t.train(out, hands=hands, seed=seed, command="rummylab " + " ".join(sys.argv[1:]), progress=progress)
    for stage in found["manifest"]["stages"]:
        what = f"{stage['positions']:,} positions, {stage['explained']:.1%} of the score explained"
        typer.echo(f"from turn {stage['from_turn']}: {what}")
