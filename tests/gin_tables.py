"""Hand-made positions of Gin Rummy, and what a compiled agent does in them."""

from __future__ import annotations

from typing import Any

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.agent import CompiledAgent
from rummylab.games.gin import rules as r
from rummylab.games.gin.view import gin


def position(
    hand: str, *, up: str = "", drawn: str = "", pile: str = "", stock: int = 25, turn: int = 6, **theirs: str
) -> Any:
    """Ten cards to draw with (*up*), or eleven to discard from; *theirs*: ``known`` and ``thrown`` of the opponent."""
    row = gin().new_rows(1)[0]
    table, mine = row["table"], row["mine"][0]
    mine["hand"], mine["drawn"] = Hand.parse(f"{hand} {drawn}").mask, -1
    table["pile"] = Hand.parse(f"{pile} {theirs.get('thrown', '')} {up}").mask
    for name, cards in theirs.items():
        table[name][1] = Hand.parse(cards).mask
    table["phase"], table["up"] = (r.DRAW, Card.parse(up).id) if up else (r.DISCARD, -1)
    table["stock"], table["limit"], table["taken"], table["turn"] = stock, 10, -1, turn
    return row


def move(player: CompiledAgent, row: Any, seed: int = 1) -> str:
    """Return the move of the first seat, whose random stream begins with *seed*."""
    row = row.copy()
    row["mine"][0]["rng"] = seed
    return str(gin().decode(int(player.kernel(row["table"], row["mine"][0], player.params))))
