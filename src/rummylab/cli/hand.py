"""``rummylab hand``: what is this hand worth?"""

from __future__ import annotations

from typing import Any

import typer

from rummylab.cli.common import print_json


def hand(
    game: str = typer.Argument(help="The game, such as gin."),
    cards: str = typer.Argument(help="The cards, such as 'Ac 2c 3c 7d 7h 7s Kd'."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Evaluate a hand: melds, deadwood and, with a card too many, what to discard."""
    from rummylab.errors import DeckError, UnknownNameError
    from rummylab.games.registry import game as find_game

    if find_game(game).name != "gin":
        raise UnknownNameError("game whose hands this command knows", game, ["gin"])
    from rummylab.cards.hand import Hand
    from rummylab.games.gin.melds import best_arrangements, best_throws, min_deadwood

    held = Hand.parse(cards)
    if not 1 <= len(held) <= 11:
        raise DeckError(f"a hand of Gin has up to 11 cards, not {len(held)}")
    result: dict[str, Any] = {
        "hand": str(held),
        "deadwood": int(min_deadwood(held.mask)),
        "arrangements": [[str(Hand(m)) for m in melds] for melds in best_arrangements(held.mask)],
    }
    if len(held) == 11:
        throws, left = best_throws(held.mask)
        result |= {"discard": str(Hand(throws)).split(), "deadwood_after_discard": left}
    if as_json:
        print_json(result)
        return
    typer.echo(f"{held:unicode}: deadwood {result['deadwood']}")
    for melds in result["arrangements"]:
        laid = Hand.parse(" ".join(melds))
        loose = held - laid
        shown = " | ".join(f"{Hand.parse(m):unicode}" for m in melds) or "no melds"
        typer.echo(f"  {shown}   loose: {format(loose, 'unicode') or 'nothing'}")
    if len(held) == 11:
        best = Hand.parse(" ".join(result["discard"]))
        choice = " or ".join(format(card, "unicode") for card in best)
        typer.echo(f"  throw {choice}: deadwood {result['deadwood_after_discard']}")
