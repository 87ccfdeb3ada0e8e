"""``rummylab hand gin`` and ``gin-course``: melds, deadwood and, with a card too many, what to discard."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import typer

from rummylab.cli.common import print_json


def show(cards: str, *, to_throw_from: Collection[int], as_json: bool) -> None:
    """Evaluate a hand of Gin Rummy and print it; hands of *to_throw_from* cards have one to throw."""
    from rummylab.cards.hand import Hand
    from rummylab.errors import DeckError
    from rummylab.games.gin.melds import best_arrangements, best_throws, min_deadwood

    held = Hand.parse(cards)
    if held.jokers:
        raise DeckError("Gin is played without jokers, but the hand has PJ")
    if not 1 <= len(held) <= 11:
        raise DeckError(f"a hand of Gin has up to 11 cards, not {len(held)}")
    result: dict[str, Any] = {
        "hand": str(held),
        "deadwood": int(min_deadwood(held.mask)),
        "arrangements": [[str(Hand(m)) for m in melds] for melds in best_arrangements(held.mask)],
    }
    if len(held) in to_throw_from:
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
    if len(held) in to_throw_from:
        best = Hand.parse(" ".join(result["discard"]))
        choice = " or ".join(format(card, "unicode") for card in best)
        typer.echo(f"  throw {choice}: deadwood {result['deadwood_after_discard']}")
