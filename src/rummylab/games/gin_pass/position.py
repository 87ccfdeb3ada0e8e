"""The text and JSON forms of a position in Gin with a passed card (``docs/guides/positions.md``)."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummylab.cards.bits import to_ids
from rummylab.engine.fields import CardList, Cards, Number, OneCard, Seated, SeatNumber, Word
from rummylab.engine.position import Field, Layout, upcard_fault
from rummylab.games.gin_pass import rules as r


def _hand_size(table: np.void, seat: int) -> int:
    return int(table["rules"]["cards"]) + (table["phase"] == r.DISCARD and table["actor"] == seat)


def _check(table: np.void) -> str | None:
    if fault := upcard_fault(table, r.PHASES, (r.PASS, r.DRAW)):
        return fault
    if table["phase"] == r.PASS and table["passes"] >= table["rules"]["seats"]:
        return "'passes': every seat has passed a card"
    return None


POSITION: Final = Layout(
    table=(
        Field("phase", ("phase",), Word(r.PHASES)),
        Field("actor", ("actor",), SeatNumber()),
        Field("upcard", ("up",), OneCard()),
        Field("pile", ("pile",), Cards()),
        Field("stock", ("stock",), Number(0, 51)),
        Field("scores", ("scores",), Number(-(2**31), 2**31 - 1), by_seat=True),
        Field("known", ("known",), Cards(), by_seat=True),
        Field("picked", ("picked",), Cards(), by_seat=True),
        Field("refused", ("refused",), Cards(), by_seat=True),
        Field("discarded", ("thrown",), Cards(), by_seat=True),
        Field("face_up", ("seen_up",), Cards()),
        Field("last_draw", ("last_draw",), OneCard(r.FROM_STOCK), by_seat=True),
        Field("last_discard", ("last_discard",), OneCard(), by_seat=True),
        Field("starter", ("starter",), Seated()),
        Field("passes", ("passes",), Number(0, r.MAX_SEATS)),
        Field("turn", ("turn",), Number()),
        Field("hands_played", ("hand_no",), Number(0, 2**31 - 1)),
        Field("knocker", ("knocker",), SeatNumber()),
        Field("outcome", ("outcome",), Word(r.OUTCOMES, default=r.OUTCOMES[0])),
        Field("winner", ("winner",), SeatNumber()),
        Field("points", ("points",), Number(-(2**15))),
        Field("deadwood", ("deadwood",), Number(), by_seat=True),
    ),
    mine=(
        Field("hand", ("hand",), Cards()),
        Field("drawn", ("drawn",), OneCard()),
        Field("passed", ("passed",), OneCard()),
        Field("received", ("received",), OneCard()),
    ),
    hidden=(Field("dealt", ("pos",), Number(0, 52)), Field("deck", ("deck",), CardList(52))),
    places={"pile": lambda table: to_ids(int(table["pile"]))},
    hand=lambda mine: to_ids(int(mine["hand"])),
    hand_size=_hand_size,
    known=lambda table, seat: to_ids(int(table["known"][seat])),
    check=_check,
)
