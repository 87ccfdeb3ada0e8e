"""``rummylab match``: agents play each other on duplicate deals."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from rummylab.cli import complete, options
from rummylab.cli.common import (
    count,
    duration,
    end_run,
    forecast,
    key_digits,
    per_second,
    print_json,
    run_of_games,
    say,
)
from rummylab.cli.options import MOST, finite, play_option

test_option = partial(typer.Option, rich_help_panel="Sequential test and planning")
Agents = Annotated[
    list[str],
    typer.Argument(
        metavar="AGENT",
        help="One agent for each seat: a name from `rummylab agents GAME`, file.py:Class, or program:COMMAND.",
        autocompletion=complete.agents,
        show_default=False,
    ),
]
Games = Annotated[
    int,
    play_option(
        "--games",
        metavar="N",
        max=MOST,
        help="Games to play, rounded up to whole deals: 2, 6 or 24 games at 2, 3 or 4 seats.",
    ),
]
SprtBounds = Annotated[
    str | None,
    test_option(
        "--sprt",
        metavar="LOW,HIGH",
        help="Stop as soon as a sequential test decides between two win rates, such as 0.5,0.52.",
    ),
]
Alpha = Annotated[
    float, test_option("--alpha", callback=finite, help="Error rate of the test if the lower rate is true.")
]
Beta = Annotated[
    float, test_option("--beta", callback=finite, help="Error rate of the test if the higher rate is true.")
]
Effect = Annotated[
    float | None,
    test_option(
        "--plan",
        metavar="EFFECT",
        help="Play a small pilot only and say how many games it takes to detect this difference in win rate.",
    ),
]
AllOrders = Annotated[
    bool,
    play_option(
        "--all-orders",
        help="With five or six agents, play every deal in all circular orders, not in six drawn at random.",
    ),
]


def match(
    game: options.Game,
    agents: Agents,
    games: Games = 1000,
    seed: options.Seed = 0,
    rules: options.Rules = None,
    form: options.Format = None,
    key: options.SecretKey = None,
    seconds_a_move: options.SecondsAMove = 10.0,
    sprt: SprtBounds = None,
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
    plan: Effect = None,
    all_orders: AllOrders = False,
    store: options.Store = None,
    run: options.Run = None,
    backend: options.Backend = "local",
    address: options.Address = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Play a match on duplicate deals and report win rate and points with 95% intervals.

    Exit codes: 0 for success, 2 for a bad request, 3 if an agent forfeited games, 130 after Ctrl-C.
    """
    from rummylab.arena.first_start import begin

    _check(agents, plan)
    begin(game, agents)
    from rummylab.arena.backends import backend as backend_named
    from rummylab.arena.markdown import told_apart
    from rummylab.arena.match import match as play_match
    from rummylab.arena.planning import PILOT_GAMES
    from rummylab.games.registry import game as find_game

    with run_of_games(game, agents, " vs ".join(told_apart(agents)), store, quiet=quiet) as (kept, progress):
        result = play_match(
            game,
            *agents,
            games=games if plan is None else min(games, PILOT_GAMES),
            seed=seed,
            key=key_digits(key),
            rules=find_game(game).in_format(rules, form),
            backend=backend_named(backend, workers=workers, address=address),
            sprt=_sprt(sprt, alpha, beta),
            seconds_a_move=seconds_a_move,
            progress=progress,
            forecast=forecast(quiet=quiet),
            keep_partial=True,
            store=kept,
            name=run,
            all_orders=all_orders,
        )
    if plan is not None:
        _show_plan(result, plan, as_json=as_json)
    elif as_json:
        print_json(result.to_dict())
    else:
        _show(result)
    end_run(result, store)


def _check(agents: list[str], plan: float | None) -> None:
    from rummylab.errors import OptionError

    if len(agents) < 2:
        raise OptionError(f"A match needs at least two agents, but only {agents[0]!r} is named. Name its opponent too.")
    if plan is not None and not 0 < plan < 1:
        raise OptionError(f"--plan is {plan:g}, but a difference in win rate lies between 0 and 1, such as 0.02.")


def _sprt(bounds: str | None, alpha: float, beta: float) -> Any:
    from rummylab.arena.sequential import Sprt
    from rummylab.errors import OptionError

    if bounds is None:
        return None
    try:
        low, high = (float(part) for part in bounds.split(","))
    except ValueError:
        raise OptionError(f"--sprt is {bounds!r}, but it takes two win rates, such as 0.5,0.52.") from None
    return Sprt(low, high, alpha, beta)


def _show_plan(pilot: Any, effect: float, *, as_json: bool) -> None:
    from rummylab.arena.planning import sample_size

    size = sample_size(effect, pilot)
    if as_json:
        print_json(size.to_dict())
        return
    say(f"To detect a difference of {100 * effect:g} percentage points in win rate: {size.games:,} games.")
    say(
        f"  This has power {size.power:.0%} at the 5% level, and a 95% interval of ±{100 * size.half_width:.2f} points."
    )
    say(f"  Variance of a deal's win rate: {size.variance:.4f}, {size.basis}.")


def _show(result: Any) -> None:
    _show_result(result)
    _show_hands(result)
    if result.seats > 2:
        _show_neighbors(result)
    _show_cost(result)


def _show_result(result: Any) -> None:
    from rummylab.engine.streams import seed_words

    say(
        f"{' vs '.join(result.labels)} · {result.game} ({result.rules})"
        f" · {result.games:,} games, {result.hands:,} hands · {seed_words(result.seed)}"
    )
    for number, name in enumerate(result.labels if result.seats > 2 else result.labels[:1]):
        win, points = result.win_rate_of(number), result.points_per_hand_of(number)
        what = "matches" if result.has_places else "games"
        say(f"  {name} wins {win.value:.2%} of {what} (95% interval: {win.low:.2%} to {win.high:.2%})")
        say(f"    {points.value:+.3f} points per hand (95% interval: {points.low:+.3f} to {points.high:+.3f})")
        if result.has_places:
            _show_place(result, number)
    if result.sprt is not None:
        test = result.sprt
        say(
            f"  Sequential test of {test.low:g} against {test.high:g}: {test.verdict} after {test.pairs:,} pairs"
            f" (log-likelihood ratio {test.llr:+.2f}, bounds {test.bounds[0]:+.2f} and {test.bounds[1]:+.2f})"
        )


def _show_place(result: Any, number: int) -> None:
    """Show an agent's mean place and what it wins in a match."""
    from rummylab.games.lookup import rules_of

    place, gain = result.place_of(number), result.gain_per_match_of(number)
    options: Any = rules_of(result.game, result.rules).options  # of a game with formats
    what = "chips" if options.match_format.chips else "points"
    say(f"    mean place {place.value:.3f} (95% interval: {place.low:.3f} to {place.high:.3f})")
    say(f"    {gain.value:+.2f} {what} per match (95% interval: {gain.low:+.2f} to {gain.high:+.2f})")


def _show_hands(result: Any) -> None:
    turns = "" if result.turns_per_hand is None else f", {result.turns_per_hand:.1f} turns per hand"
    outcomes = ", ".join(f"{outcome} {share:.1%}" for outcome, share in result.outcomes().items())
    say(f"  {result.hands / result.games:.2f} hands per game{turns}; {outcomes}")


def _show_neighbors(result: Any) -> None:
    """Show how each agent does after each of the others."""
    from rummylab.arena.seating import orders_in_all

    played, possible = result.sums.per_deal // result.seats, orders_in_all(result.seats)
    which = f"all {possible}" if played == possible else f"{played} of {possible} at random for each deal"
    say(f"  Points per hand by the player just before (circular orders: {which}; 95% interval):")
    for row in result.neighbors():
        low, high = row["points_per_hand_ci"]
        say(f"    {row['agent']} after {row['after']}: {row['points_per_hand']:+.3f} ({low:+.3f} to {high:+.3f})")


def _show_cost(result: Any) -> None:
    """Show what duplicate deals saved, who forfeited, and how long it took."""
    from rummylab.arena.markdown import games_needed

    saved = result.variance_reduction()
    wins, points = (games_needed(saved[what]) for what in ("win_rate", "points"))
    say(f"  Duplicate deals: for the same precision as independent deals, win rate takes {wins}, points {points}")
    faults = result.first_faults(len(result.faults))
    for name, n in result.forfeits().items():
        if n:
            first = next(fault["words"] for fault in faults if fault["agent"] == name)
            say(f"  {name} forfeited {count(n, 'game')}. The first: {first}")
    took = duration(result.decision_time()["mean_us"] * 1e-6)
    say(f"  {duration(result.seconds)}, {per_second(result.hands / result.seconds, 'hands')}, {took} a decision")
