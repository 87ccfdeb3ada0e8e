"""The text and JSON forms of an Indian Rummy position (``docs/guides/positions.md``)."""

from __future__ import annotations

from typing import Final

import numpy as np

from rummylab.cards.card import JOKER_ID
from rummylab.engine.fields import Flag, Number, OneCard, Rank, Seated, SeatNumber, Word
from rummylab.engine.position import Field, Layout
from rummylab.engine.two_deck_fields import HIDDEN, KNOWN, LAST, MINE, PILE, hand_ids, known_ids, pile_ids
from rummylab.games.indian import rules as r

_ANY: Final = Number(-(2**31), 2**31 - 1)


def _check(table: np.void) -> str | None:
    indicator, playing = int(table["indicator"]), table["status"] == r.PLAYING
    if indicator < 0:
        return "'indicator': a card is needed"
    if table["wild"] != (0 if indicator == JOKER_ID else indicator & 15):
        return "'wild': it is not the rank of the indicator"
    if table["n_playing"] != playing.sum() or (_goes_on(table) and not playing[table["actor"]]):
        return "'playing': the seats in play do not agree with 'status' and 'actor'"
    rules, is_in = table["rules"], table["place"][: table["rules"]["seats"]] == 0
    if rules["out_at"] and (table["lost"][: rules["seats"]][is_in] >= rules["out_at"]).any() and _goes_on(table):
        return f"'lost': a player who is in has lost fewer than {int(rules['out_at'])} points"
    if _goes_on(table) and (is_in != (table["status"][: rules["seats"]] != r.AWAY)).any():
        return "'place': the seats that have one do not agree with 'status'"
    if table["n_pile"] == 0 and table["phase"] == r.DRAW:
        return "'pile': a card is needed in the phase 'draw'"
    return None


def _goes_on(table: np.void) -> bool:
    """Return whether cards are being played, so that nobody waits for a decision between deals."""
    return bool(table["phase"] in (r.DRAW, r.DISCARD))


def _hand_size(table: np.void, seat: int) -> int:
    """Return how many cards *seat* holds: none if it is out of the match."""
    has_drawn = table["phase"] == r.DISCARD and table["actor"] == seat
    return 0 if table["status"][seat] == r.AWAY else r.CARDS_EACH + int(has_drawn)


POSITION: Final = Layout(
    table=(
        Field("phase", ("phase",), Word(r.PHASES)),
        Field("actor", ("actor",), SeatNumber()),
        Field("wild", ("wild",), Rank()),
        Field("indicator", ("indicator",), OneCard()),
        *PILE,
        Field("scores", ("scores",), _ANY, by_seat=True),
        Field("lost", ("lost",), _ANY, by_seat=True),
        Field("chips", ("chips",), _ANY, by_seat=True),
        Field("place", ("place",), Number(r.LEAVING, r.MAX_SEATS), by_seat=True),
        Field("rejoins", ("rejoins",), Number(), by_seat=True),
        Field("hands_played", ("hand_no",), Number()),
        Field("answers", ("answers",), Number(0, 2 * r.MAX_SEATS)),
        Field("agreed", ("agreed",), Number(0, r.MAX_SEATS)),
        Field("shared", ("shared",), Flag()),
        Field("status", ("status",), Word(r.STATUS, default=r.STATUS[0]), by_seat=True),
        Field("playing", ("n_playing",), Number(0, r.MAX_SEATS, default=2)),
        *KNOWN,
        *LAST,
        Field("draws", ("draws",), Number(), by_seat=True),
        Field("fresh", ("fresh",), Flag()),
        Field("starter", ("starter",), Seated()),
        Field("turn", ("turn",), Number()),
        Field("round", ("round",), Number()),
        Field("reshuffles", ("reshuffles",), Number()),
        Field("outcome", ("outcome",), Word(r.OUTCOMES, default=r.OUTCOMES[0])),
        Field("winner", ("winner",), SeatNumber()),
        Field("gains", ("gains",), _ANY, by_seat=True),
        Field("paid", ("paid",), Number(), by_seat=True),
        Field("deadwood", ("deadwood",), Number(), by_seat=True),
    ),
    mine=MINE,
    hidden=HIDDEN,
    places={"indicator": lambda table: [int(table["indicator"])], "pile": pile_ids},
    hand=hand_ids,
    hand_size=_hand_size,
    known=known_ids,
    check=_check,
)
