"""The text and JSON forms of a Gin position (``docs/guides/positions.md``)."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummylab.cards.bits import to_ids
from rummylab.engine.fields import (
    CardList,
    Cards,
    CardSets,
    CardTurns,
    Layoffs,
    Melds,
    Number,
    OneCard,
    Seated,
    SeatNumber,
    Word,
)
from rummylab.engine.position import Field, Layout, upcard_fault
from rummylab.games.gin import rules as r

_PLAY: Final = (r.OFFER, r.DRAW, r.DISCARD, r.WALL)
_SHOWDOWN: Final = (r.SPREAD, r.LAY_OFF, r.DEFEND)


def _hand_size(table: np.void, seat: int) -> int:
    has_big_gin = table["outcome"] == r.BIG_GIN and table["knocker"] == seat
    return int(table["rules"]["hand_size"]) + (has_big_gin or (table["phase"] == r.DISCARD and table["actor"] == seat))


def _known(table: np.void, seat: int) -> list[int]:
    """Return the cards a seat is known to hold: upcards it kept, and melds on the table without the layoffs."""
    melds = 0
    for meld in table["spread"][seat]:
        melds |= int(meld)
    laid = {int(card) for card in table["laid"][: table["n_laid"]]}
    if seat == table["knocker"]:
        return to_ids((int(table["known"][seat]) | melds) & ~sum(1 << card for card in laid))
    return sorted({*to_ids(int(table["known"][seat]) | melds), *laid})


def _check(table: np.void) -> str | None:
    phase = int(table["phase"])
    if fault := upcard_fault(table, r.PHASES, (r.OFFER, r.DRAW, r.WALL)):
        return fault
    if (phase in _SHOWDOWN and table["knocker"] < 0) or (phase in _PLAY and table["knocker"] >= 0):
        return f"'knocker': in the phase {r.PHASES[phase]!r} {'nobody has' if phase in _PLAY else 'a seat has'} knocked"
    return None


POSITION: Final = Layout(
    table=(
        Field("phase", ("phase",), Word(r.PHASES)),
        Field("actor", ("actor",), SeatNumber()),
        Field("upcard", ("up",), OneCard()),
        Field("pile", ("pile",), Cards()),
        Field("stock", ("stock",), Number(0, 49)),
        Field("scores", ("scores",), Number(0, 2**31 - 1), by_seat=True),
        Field("known", ("known",), Cards(), by_seat=True),
        Field("took", ("took",), CardTurns(r.MAX_TURN), by_seat=True),
        Field("refused", ("refused", "passed"), CardTurns(r.MAX_TURN, mask=True), by_seat=True),
        Field("discarded", ("thrown", "threw"), CardTurns(r.MAX_TURN, mask=True), by_seat=True),
        Field("taken", ("taken",), OneCard()),
        Field("last_draw", ("last_draw",), OneCard(r.FROM_STOCK), by_seat=True),
        Field("last_discard", ("last_discard",), OneCard(), by_seat=True),
        Field("melds", ("spread", "n_melds"), Melds(r.MAX_MELDS), by_seat=True),
        Field("layoffs", ("laid", "laid_on", "n_laid"), Layoffs(10, r.MAX_MELDS)),
        Field("knocker", ("knocker",), SeatNumber()),
        Field("knock_limit", ("limit",), Number(0, 100, default=10)),
        Field("stake", ("stake",), Number(1, 2, default=1)),
        Field("starter", ("starter",), Seated()),
        Field("passes", ("offers",), Number(0, 2)),
        Field("turn", ("turn",), Number()),
        Field("upcard_draws", ("up_draws",), Number()),
        Field("returned", ("back_and_forth",), Number(0, 2)),
        Field("swapped", ("swapped",), CardSets()),
        Field("hands_played", ("hand_no",), Number(0, 2**31 - 1)),
        Field("hands_won", ("hands_won",), Number(), by_seat=True),
        Field("knocks", ("knocks",), Number(), by_seat=True),
        Field("gins", ("gins",), Number(), by_seat=True),
        Field("knocked_with", ("knocked_with",), Number(), by_seat=True),
        Field("knock_turns", ("knock_turns",), Number(), by_seat=True),
        Field("outcome", ("outcome",), Word(r.OUTCOMES, default=r.OUTCOMES[0])),
        Field("winner", ("winner",), SeatNumber()),
        Field("points", ("points",), Number()),
        Field("deadwood", ("deadwood",), Number(), by_seat=True),
    ),
    mine=(Field("hand", ("hand",), Cards()), Field("drawn", ("drawn",), OneCard())),
    hidden=(Field("dealt", ("pos",), Number(0, 52)), Field("deck", ("deck",), CardList(52))),
    places={"pile": lambda table: to_ids(int(table["pile"]))},
    hand=lambda mine: to_ids(int(mine["hand"])),
    hand_size=_hand_size,
    known=_known,
    check=_check,
)
