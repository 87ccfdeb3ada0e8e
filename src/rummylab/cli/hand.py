"""``rummylab hand``: what is this hand worth?"""

from __future__ import annotations

from typing import Annotated

import typer

from rummylab.cli.common import announce_compilation, print_json, say
from rummylab.cli.options import AsJson, Game, Quiet, Rules, play_option

Cards = Annotated[
    str,
    typer.Argument(
        metavar="CARDS", help="The cards, such as 'Ac 2c 3c 7d 7h 7s Kd'; PJ is a printed joker.", show_default=False
    ),
]
Wild = Annotated[
    str | None,
    play_option("--wild", metavar="RANK", help="Indian: the wild rank (3, T, K, A), or the indicator itself (3c)."),
]
Dead = Annotated[
    str | None,
    play_option("--dead", metavar="CARDS", help="Indian and contract: cards known to be gone, such as '7h 8h'."),
]
Contract = Annotated[
    str | None,
    play_option(
        "--contract",
        metavar="MELDS",
        help="Contract: what must be laid down, such as S3+R4 (a set of three and a run of four).",
    ),
]


def hand(
    game: Game,
    cards: Cards,
    rules: Rules = None,
    wild: Wild = None,
    dead: Dead = None,
    contract: Contract = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate a hand: its melds, what it costs, what to wait for and, with a card too many, what to discard."""
    from rummylab.games.registry import game as find_game

    announce_compilation(quiet=quiet)
    result = find_game(game).evaluate(cards, rules, wild=wild, dead=dead, contract=contract)
    if as_json:
        print_json(result.to_dict())
        return
    for line in result.lines("unicode"):
        say(line)
