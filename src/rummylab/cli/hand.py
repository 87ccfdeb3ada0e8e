"""``rummylab hand``: what is this hand worth?"""

from __future__ import annotations

from collections.abc import Mapping

import typer


def hand(
    game: str = typer.Argument(help="The game: gin, gin-course, indian or chinese."),
    cards: str = typer.Argument(help="The cards, such as 'Ac 2c 3c 7d 7h 7s Kd'; PJ is a printed joker."),
    wild: str | None = typer.Option(None, help="Indian: the wild rank (3, T, K, A), or the indicator itself (3c)."),
    decks: int | None = typer.Option(None, help="Indian: decks in play, 1 or 2. [default: 1]"),
    jokers: int | None = typer.Option(None, help="Indian: printed jokers in play. [default: 2 a deck]"),
    rules: str | None = typer.Option(None, help="Indian: score rule, paper or platform. [default: paper]"),
    dead: str | None = typer.Option(None, help="Indian and Chinese: cards known to be gone, such as '7h 8h'."),
    contract: str | None = typer.Option(None, help="Chinese: another contract, such as 2S3+R4. [default: 2S3]"),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Evaluate a hand: melds, what it costs, what to wait for and, with a card too many, what to discard."""
    from rummylab.errors import OptionError
    from rummylab.games.registry import game as find_game

    asked = {"--wild": wild, "--decks": decks, "--jokers": jokers, "--rules": rules}
    if find_game(game).name == "chinese":
        from rummylab.cli import hand_chinese

        _refuse(asked, "Indian Rummy", game)
        hand_chinese.show(cards, contract, dead or "", as_json=as_json)
        return
    _refuse({"--contract": contract}, "Chinese Rummy", game)
    if game == "indian":
        from rummylab.cli import hand_indian

        if wild is None:
            raise OptionError("Indian Rummy needs the wild rank: --wild 3")
        hand_indian.show(
            cards, wild, 1 if decks is None else decks, jokers, rules or "paper", dead or "", as_json=as_json
        )
        return
    _refuse(asked | {"--dead": dead}, "Indian Rummy", game)
    from rummylab.cli import hand_gin

    hand_gin.show(cards, to_throw_from=(8, 11) if game == "gin-course" else (11,), as_json=as_json)


def _refuse(asked: Mapping[str, object], owner: str, game: str) -> None:
    """Refuse options that belong to another game."""
    from rummylab.errors import OptionError

    for name, value in asked.items():
        if value is not None:
            raise OptionError(f"{name} is for {owner}; {game} has no use for it")
