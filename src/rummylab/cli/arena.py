"""``rummylab arena``: agents on duplicate deals."""

from __future__ import annotations

from typing import Any

import typer

from rummylab.cli.common import (
    KEY_HELP,
    MOST,
    MOST_PROCESSES,
    announce_compilation,
    announce_strangers,
    exit_for,
    finite,
    print_json,
    progress_bar,
    read_key,
)


def arena(
    game: str = typer.Argument(help="The game, such as gin."),
    agents: list[str] = typer.Argument(
        None,
        help="One agent for each seat: a name of `rummylab agents`, file.py:Class, program:command.",
    ),
    agent: list[str] = typer.Option([], "--agent", help="A further agent, such as path/to/mine.py:MyAgent."),
    games: int = typer.Option(
        1000, max=MOST, help="Games to play, rounded up to whole deals (2, 6 or 24 games at 2, 3 or 4 seats)."
    ),
    seed: int = typer.Option(0, help="Same seed, same result."),
    key: str | None = typer.Option(None, help=KEY_HELP),
    rules: str | None = typer.Option(None, help="Preset of the rules; default: the game's first."),
    seats: int | None = typer.Option(None, help="Seats at the table; default: as many as agents."),
    sprt: str | None = typer.Option(
        None,
        help="Stop as soon as a sequential test decides between two win rates, such as 0.5,0.52.",
    ),
    alpha: float = typer.Option(
        0.05, callback=finite, help="Error rate of the sequential test if the lower rate is true."
    ),
    beta: float = typer.Option(
        0.05, callback=finite, help="Error rate of the sequential test if the higher rate is true."
    ),
    seconds_a_move: float = typer.Option(10.0, callback=finite, help="What an outside agent has for a decision."),
    backend: str = typer.Option("local", help="Where to play: local or ray."),
    address: str | None = typer.Option(None, help="The cluster, with --backend ray."),
    workers: int | None = typer.Option(
        None, max=MOST_PROCESSES, help="Processes; default: one per core. The result does not depend on it."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Let agents play on duplicate deals and report win rate and points with 95 % intervals.

    Exit code: 0 if all went well, 2 for a request that cannot be carried out, 3 if an agent forfeited games, 130 if
    interrupted.
    """
    from rummylab.arena.backends import backend as backend_named
    from rummylab.arena.match import match
    from rummylab.arena.words import told_apart

    names = [*(agents or []), *agent]
    _check_seats(names, seats)
    announce_compilation()
    announce_strangers(game, names)
    with progress_bar(" against ".join(told_apart(names))) as progress:
        result = match(
            game,
            *names,
            games=games,
            seed=seed,
            key=read_key(key),
            preset=rules,
            backend=backend_named(backend, workers=workers, address=address),
            sprt=_sprt(sprt, alpha, beta),
            seconds_a_move=seconds_a_move,
            progress=progress,
            keep_partial=True,
        )
    if as_json:
        print_json(result.to_dict())
    else:
        _show(result)
    exit_for(complete=result.complete, forfeits=result.forfeits().values())


def _check_seats(names: list[str], seats: int | None) -> None:
    from rummylab.errors import OptionError

    if len(names) < 2:
        raise OptionError(f"arena needs two agents or more, not {len(names)}: {', '.join(names) or 'none'}")
    if seats is not None and seats != len(names):
        raise OptionError(f"{seats} seats need {seats} agents, but {len(names)} were named: {', '.join(names)}")


def _sprt(bounds: str | None, alpha: float, beta: float) -> Any:
    from rummylab.arena.sequential import Sprt
    from rummylab.errors import OptionError

    if bounds is None:
        return None
    try:
        low, high = (float(part) for part in bounds.split(","))
    except ValueError:
        raise OptionError(f"--sprt is {bounds!r}, but two win rates are wanted, such as 0.5,0.52") from None
    return Sprt(low, high, alpha, beta)


def _show_neighbors(result: Any) -> None:
    """Show what it is worth to play after each of the others."""
    from rummylab.arena.seating import games_per_deal, orders_in_all

    played, possible = games_per_deal(result.seats) // result.seats, orders_in_all(result.seats)
    which = f"all {possible}" if played == possible else f"each deal in {played} of {possible}, drawn at random"
    typer.echo(f"  points per hand by who plays just before (circular orders: {which}; 95%):")
    for row in result.neighbors():
        low, high = row["points_per_hand_ci"]
        typer.echo(
            f"    {row['agent']} after {row['after']}: {row['points_per_hand']:+.3f} ({low:+.3f} to {high:+.3f})"
        )


def _show(result: Any) -> None:
    from rummylab.arena.words import games_needed
    from rummylab.engine.streams import seed_words

    echo = typer.echo
    echo(
        f"{' against '.join(result.labels)} · {result.game} ({result.rules})"
        f" · {result.games:,} games, {result.hands:,} hands · {seed_words(result.seed)}"
    )
    if not result.complete:
        echo("  interrupted: this is what was played until then")
    for number, name in enumerate(result.labels if result.seats > 2 else result.labels[:1]):
        win, points = result.win_rate_of(number), result.points_per_hand_of(number)
        echo(f"  {name} wins {win.value:.2%} of games (95 %: {win.low:.2%} to {win.high:.2%})")
        echo(f"    {points.value:+.3f} points per hand (95 %: {points.low:+.3f} to {points.high:+.3f})")
    if result.sprt is not None:
        test = result.sprt
        echo(
            f"  sequential test {test.low:g} against {test.high:g}: {test.verdict} after {test.pairs:,} pairs"
            f" (log-likelihood ratio {test.llr:+.2f}, bounds {test.bounds[0]:+.2f} and {test.bounds[1]:+.2f})"
        )
    turns = "" if result.turns_per_hand is None else f", {result.turns_per_hand:.1f} turns a hand"
    echo(
        f"  {result.hands / result.games:.2f} hands a game{turns}; "
        + ", ".join(f"{k} {v:.1%}" for k, v in result.outcomes().items())
    )
    if result.seats > 2:
        _show_neighbors(result)
    saved = result.variance_reduction()
    wins, points = (games_needed(saved[what]) for what in ("win_rate", "points"))
    echo(f"  duplicate deals: for the precision of independent deals the win rate takes {wins}, points take {points}")
    faults = result.first_faults(len(result.faults))
    for name, n in result.forfeits().items():
        if n:
            echo(f"  {name} forfeited {n:,} games; the first: {next(f['words'] for f in faults if f['agent'] == name)}")
    echo(
        f"  {result.hands / result.seconds:,.0f} hands/s ({result.seconds:.2f} s),"
        f" {result.decision_time()['mean_us']:.3g} us a decision"
    )
