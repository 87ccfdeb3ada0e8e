"""``rummylab tournament``: every agent plays every other."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rummylab.cli import complete, options
from rummylab.cli.common import count, end_run, forecast, key_number, print_json, print_table, run_of_games, say, width
from rummylab.cli.options import MOST, play_option, result_option

Agents = Annotated[
    list[str],
    typer.Argument(
        metavar="AGENT",
        help="The agents, named as for `rummylab match`; `all` stands for every registered agent of the game.",
        autocompletion=complete.agents,
        show_default=False,
    ),
]
Games = Annotated[int, play_option("--games", metavar="N", max=MOST, help="Games of each pair, on duplicate deals.")]
AgainstField = Annotated[bool, play_option("--against-field", help="Play the first agent's matches only.")]
SelfPlay = Annotated[bool, play_option("--self-play", help="Also play every agent against itself.")]
KeepHands = Annotated[
    int,
    result_option("--keep-hands", metavar="N", max=MOST, help="Also keep the records of each pair's first N games."),
]
Anchor = Annotated[
    str | None,
    typer.Option(
        "--anchor", help="Agent whose Elo is 0; default: the first that nobody sweeps.", autocompletion=complete.agents
    ),
]


def tournament(
    game: options.Game,
    agents: Agents,
    games: Games = 1000,
    seed: options.Seed = 0,
    rules: options.Rules = None,
    form: options.Format = None,
    key: options.SecretKey = None,
    seconds_a_move: options.SecondsAMove = 10.0,
    against_field: AgainstField = False,
    self_play: SelfPlay = False,
    anchor: Anchor = None,
    store: options.Store = None,
    run: options.Run = None,
    keep_hands: KeepHands = 0,
    backend: options.Backend = "local",
    address: options.Address = None,
    workers: options.Workers = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Play a round robin and print the cross table and the ratings with 95% intervals.

    Exit codes: 0 for success, 2 for a bad request, 3 if an agent forfeited games, 130 after Ctrl-C.
    """
    from rummylab.arena.first_start import begin

    begin(game, _expanded(game, agents))
    from rummylab.arena import tournament as t
    from rummylab.arena.backends import backend as backend_named
    from rummylab.games.registry import game as find_game

    plan = t.Plan(
        game=game,
        agents=_expanded(game, agents),
        games=games,
        seed=seed,
        key=key_number(key),
        preset=find_game(game).in_format(rules, form),
        against_field=against_field,
        self_play=self_play,
        seconds_a_move=seconds_a_move,
        anchor=anchor,
    )
    with run_of_games(game, plan.agents, "games", store, quiet=quiet) as (kept, progress):
        standings = t.tournament(
            plan,
            store=kept,
            name=run,
            backend=backend_named(backend, workers=workers, address=address),
            progress=progress,
            forecast=forecast(quiet=quiet),
            keep_partial=True,
            keep_hands=keep_hands,
        )
    if as_json:
        print_json(standings.to_dict())
    else:
        _show(standings)
    end_run(standings, store)


def _expanded(game: str, agents: list[str]) -> tuple[str, ...]:
    """Return *agents* with every registered agent in place of ``all``."""
    from rummylab.agents.registry import entries

    everyone = [found.name for found in entries(game)] if "all" in agents else []
    return tuple(name for word in agents for name in (everyone if word == "all" else [word]))


def _show(standings: Any) -> None:
    from rummylab.arena.ratings import rating_notes
    from rummylab.engine.streams import seed_words

    print_table(_cross_table(standings))
    found = standings.ratings()
    print_table(_ratings_table(found))
    for sentence in rating_notes(found):
        say(sentence)
    for cycle in standings.cycles():
        say("Cycle: " + " beats ".join([*cycle, cycle[0]]))
    for name, n in standings.forfeits().items():
        if n:
            say(f"{name} forfeited {count(n, 'game')} by crashes, time-outs or illegal moves")
    say(f"Deals from {seed_words(standings.plan.root)}")


def _cross_table(standings: Any) -> Any:
    """Return win rates with their intervals; if that is too wide, win rates alone, with numbers for names."""
    from rich import box
    from rich.table import Table

    names = standings.plan.agents
    cells = {(row["first"], row["second"]): row for row in standings.cross_table()}
    title = f"Win rate of row against column, {standings.plan.game}, {standings.plan.games:,} games a pair"
    wide = max(map(len, names)) + sum(3 + max(15, len(name)) for name in names) + 4 <= width()
    heads = names if wide else [str(number) for number in range(1, len(names) + 1)]
    table = Table("", *heads, title=title, box=box.ROUNDED if wide else box.SIMPLE_HEAD, padding=(0, 1 if wide else 0))
    for number, first in enumerate(names, 1):
        shown = (_cell(cells.get((first, second)), with_interval=wide) for second in names)
        table.add_row(first if wide else f"{number} {first}", *shown)
    return table


def _cell(row: dict[str, Any] | None, *, with_interval: bool) -> str:
    if row is None:
        return "-"
    if not with_interval:
        return f"{row['win_rate']:.3f}".removeprefix("0")
    return f"{row['win_rate']:.3f} ± {(row['ci'][1] - row['ci'][0]) / 2:.3f}"


def _ratings_table(ratings: Any) -> Any:
    from rich.table import Table

    table = Table("agent", "Elo", "95% interval")
    for rating in ratings:
        table.add_row(rating.name, str(rating), rating.interval)
    return table
