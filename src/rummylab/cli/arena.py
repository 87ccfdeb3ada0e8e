"""``rummylab arena``: two agents on duplicate deals."""

from __future__ import annotations

import typer

from rummylab.cli.common import announce_compilation, print_json, progress_bar


def arena(
    game: str = typer.Argument(help="The game, such as gin."),
    agents: list[str] = typer.Argument(help="Two agents; `rummylab agents` lists them."),
    games: int = typer.Option(1000, help="Games to play, in pairs: same cards, seats swapped."),
    seed: int = typer.Option(0, help="Same seed, same result."),
    rules: str | None = typer.Option(None, help="Preset of the rules; default: the game's first."),
    workers: int | None = typer.Option(
        None, help="Processes; default: one per core. The result does not depend on it."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Let two agents play on duplicate deals and report win rate and points with 95 % intervals."""
    from rummylab.arena.match import match
    from rummylab.errors import OptionError

    if len(agents) != 2:
        raise OptionError(f"arena needs two agents, not {len(agents)}: {', '.join(agents)}")
    announce_compilation()
    with progress_bar(f"{agents[0]} against {agents[1]}", wanted=not as_json) as progress:
        result = match(
            game, agents[0], agents[1], games=games, seed=seed, preset=rules, workers=workers, progress=progress
        )
    if as_json:
        print_json(result.to_dict())
        return
    win, points = result.win_rate, result.points_per_hand
    name, other = result.agents
    typer.echo(
        f"{name} against {other} · {game} ({result.rules})"
        f" · {result.games:,} games, {result.hands:,} hands · seed {seed}"
    )
    typer.echo(f"  {name} wins {win.value:.2%} of games (95 %: {win.low:.2%} to {win.high:.2%})")
    typer.echo(f"  {points.value:+.3f} points per hand (95 %: {points.low:+.3f} to {points.high:+.3f})")
    typer.echo(
        f"  {result.hands / result.games:.2f} hands a game; "
        + ", ".join(f"{k} {v:.1%}" for k, v in result.outcomes().items())
    )
    typer.echo(f"  {result.hands / result.seconds:,.0f} hands/s ({result.seconds:.2f} s)")
