"""``rummylab hand chinese``: can it be laid down, what is it waiting for and, with a card too many, what to discard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cli.common import announce_compilation, print_json

if TYPE_CHECKING:
    from rummylab.games.contract.hand import Value


def show(cards: str, contract: str | None, dead: str, *, as_json: bool) -> None:
    """Evaluate a hand of contract rummy and print it."""
    from rummylab.games.contract.hand import evaluate
    from rummylab.games.contract.options import Contract, ContractOptions

    held = Hand.parse(cards)
    asked = ContractOptions().contracts[0]
    if contract is not None:  # with another contract the hand says itself how many cards are dealt
        asked = Contract.parse(contract, len(held))
    announce_compilation()
    result = evaluate(held, asked, dead=[Card.parse(word) for word in dead.replace(",", " ").split()])
    if as_json:
        print_json(result.to_dict())
        return
    typer.echo(f"{held:unicode}   contract {asked}")
    for line in _lines(result.value):
        typer.echo(line)
    if result.choices:
        typer.echo("  discard  short  outs  cost")
        for card, left in result.choices:
            typer.echo(f"  {format(card, 'unicode'):7}  {left.short:5}  {len(left.outs):4}  {left.cost:4}")


def _lines(value: Value) -> list[str]:
    if value.lay_down:
        loose = value.hand
        for meld in value.lay_down:
            loose = loose - meld
        melds = " | ".join(format(meld, "unicode") for meld in value.lay_down)
        return [f"  lay down {melds}   left over: {format(loose, 'unicode') or 'nothing'}"]
    least = "at least " * value.at_least
    lines = [f"  {least}{value.short} card{'s' * (value.short != 1)} short; costs {value.cost} points if caught"]
    if value.outs:
        lines.append(f"  waits for {len(value.outs)} cards: {' '.join(format(card, 'unicode') for card in value.outs)}")
    return lines
