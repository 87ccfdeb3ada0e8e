"""The text and JSON forms of a contract rummy position (``docs/guides/positions.md``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from rummylab.engine.fields import NONE, Kind, Number, OneCard, Raw, Seated, SeatNumber, Word, cards_of, list_of, shown
from rummylab.engine.position import Field, Layout
from rummylab.engine.two_deck_fields import (
    HELD,
    HIDDEN,
    KNOWN,
    LAST,
    MINE,
    PILE,
    hand_ids,
    held_ids,
    known_ids,
    pile_ids,
)
from rummylab.engine.two_decks import MAX_CARDS
from rummylab.errors import NotationError
from rummylab.games.contract import rules as r
from rummylab.games.contract.melds import TOP

_KIND_WORDS: Final = ("", "set", "run")
_MELD: Final = re.compile(r"(?P<seat>\S+) (?P<kind>\S+) (?P<cards>[^:]*?)(: (?P<low>\d+)-(?P<high>\d+))?")


@dataclass(frozen=True)
class TableMelds(Kind):
    """The melds on the table in the order they were laid down.

    A run also says which places it covers, wild cards included: 0 is the ace, 13 the ace above the king.
    """

    default: tuple[Any, ...] = ()

    def load(self, raw: Raw) -> list[dict[str, Any]]:
        cards, twice, jokers, kinds, _, low, high, owner, n = raw
        melds = []
        for k in range(int(n)):
            meld = {
                "seat": int(owner[k]),
                "kind": _KIND_WORDS[kinds[k]],
                "cards": HELD.load((cards[k], twice[k], jokers[k])),
            }
            melds.append(meld | ({"low": int(low[k]), "high": int(high[k])} if kinds[k] == r.RUN else {}))
        return melds

    def store(self, value: Any) -> Raw:
        melds = list_of(value, "melds")
        if len(melds) > r.ON_TABLE:
            raise NotationError(f"{len(melds)} melds, but at most {r.ON_TABLE} are possible")
        rows = [self._numbers(meld) for meld in melds]
        columns = zip(*(rows + [(0,) * 8] * (r.ON_TABLE - len(rows))), strict=True)
        return (*(np.array(column, np.int64) for column in columns), len(rows))

    def _numbers(self, meld: Any) -> tuple[int, ...]:
        if not isinstance(meld, dict) or not {"seat", "kind", "cards"} <= set(meld) <= {*_NAMES}:
            raise NotationError(f"{shown(meld)} is not a meld with {', '.join(_NAMES)}")
        (owner,) = Seated().store(meld["seat"])
        (kind,) = Word(_KIND_WORDS[1:]).store(meld["kind"])
        held = HELD.store(meld["cards"])
        cards = [card for card in cards_of(meld["cards"]) if not card.is_joker]
        naturals = [card for card in cards if card.rank != 1] or cards  # twos may be natural: the rules say so
        if len(cards) < 2 or len({card.suit if kind else card.rank for card in naturals}) > 1:
            raise NotationError(f"{' '.join(meld['cards'])} is not a {meld['kind']} of seat {owner}")
        if kind == 0:
            return *held, r.SET, naturals[0].rank, 0, 0, owner
        (low,), (high,) = (Number(0, TOP).store(meld.get(end)) for end in ("low", "high"))
        if high - low + 1 != len(meld["cards"]):
            raise NotationError(f"a run from {low} to {high} does not have {len(meld['cards'])} cards")
        return *held, r.RUN, naturals[0].suit, low, high, owner

    def show(self, value: Any) -> str:
        return " + ".join(map(self._words, value)) or NONE

    def _words(self, meld: dict[str, Any]) -> str:
        places = f": {meld['low']}-{meld['high']}" if "low" in meld else ""
        return f"{meld['seat']} {meld['kind']} {' '.join(meld['cards'])}{places}"

    def read(self, text: str) -> Any:
        return [] if text == NONE else [self._meld(part.strip()) for part in text.split("+")]

    def _meld(self, text: str) -> dict[str, Any]:
        found = _MELD.fullmatch(text)
        if found is None:
            raise NotationError(f"{shown(text)} is not a meld such as '0 set 5c 5h 5d' or '1 run 3h 4h PJ: 2-4'")
        meld: dict[str, Any] = {"seat": Number().read(found["seat"]), "kind": found["kind"]}
        meld["cards"] = found["cards"].split()
        return meld | {end: Number().read(found[end]) for end in ("low", "high") if found[end]}

    def schema(self) -> dict[str, Any]:
        place = Number(0, TOP).schema()
        properties = {
            "seat": Seated().schema(),
            "kind": Word(_KIND_WORDS[1:]).schema(),
            "cards": HELD.schema(),
            "low": place,
            "high": place,
        }
        meld = {"type": "object", "properties": properties, "required": ["seat", "kind", "cards"]}
        return {"type": "array", "items": meld | {"additionalProperties": False}, "maxItems": r.ON_TABLE}


_NAMES: Final = ("seat", "kind", "cards", "low", "high")


def _melded(table: np.void) -> list[int]:
    melds = zip(table["melds"], table["melds_twice"], table["meld_jokers"], strict=True)
    return [card for meld in melds for card in held_ids(*meld)]


def _check(table: np.void) -> str | None:
    rules, phase = table["rules"], int(table["phase"])
    number = (int(table["hand_no"]) - (phase == r.OVER)) % int(rules["n_contracts"])
    owners = table["owner"][: table["n_melds"]]
    seats = int(rules["seats"])
    if (owners >= seats).any():
        return f"'melds': there are {seats} seats"
    for seat in range(seats):
        left = int(table["sets_left"][seat]), int(table["runs_left"][seat])
        asked = int(rules["sets"][number]), int(rules["runs"][number])
        if left[0] > asked[0] or left[1] > asked[1] or sum(asked) - sum(left) != int((owners == seat).sum()):
            return f"'sets_left': with 'runs_left' it does not agree with the melds of seat {seat}"
    if table["n_pile"] == 0 and phase == r.DRAW and rules["final_discard"]:
        return "'pile': a card is needed in the phase 'draw'"
    return _check_phase(table, rules, phase)


def _check_phase(table: np.void, rules: np.void, phase: int) -> str | None:
    if (table["drawer"] >= 0) != (phase == r.BUY) or (phase == r.BUY and table["drawer"] == table["actor"]):
        return "'drawer': in the phase 'buy', and only there, another seat than the actor has drawn"
    if phase == r.BUY and (table["stock"] < 1 or table["n_pile"] < 1):
        return "'phase': to buy takes an upcard and a card in the stock"
    if table["short"] and (phase != r.LAY_DOWN or not table["n_melds"]):
        return "'short': only a meld in the phase 'lay down' lacks cards"
    if table["freed"] >= 0 and not _can_be_freed(table, rules, phase):
        return "'freed': it is a wild that the actor is known to hold, in the phase 'play' and with wild_replacement"
    if int(table["scores"][: rules["seats"]].sum()) % (int(rules["seats"]) - 1):
        return "'scores': they do not add up: each is what all others were caught with"
    return None


def _can_be_freed(table: np.void, rules: np.void, phase: int) -> bool:
    card, seat = int(table["freed"]), int(table["actor"])
    if phase != r.PLAY or not rules["wild_replacement"] or not int(rules["wild_kinds"]) >> card & 1:
        return False
    return card in known_ids(table, seat)


POSITION: Final = Layout(
    table=(
        Field("phase", ("phase",), Word(r.PHASES)),
        Field("actor", ("actor",), SeatNumber()),
        *PILE,
        Field("scores", ("scores",), Number(0, 2**31 - 1), by_seat=True),
        Field("cards_held", ("n_hand",), Number(0, MAX_CARDS), by_seat=True),
        *KNOWN,
        Field(
            "melds",
            (
                "melds",
                "melds_twice",
                "meld_jokers",
                "meld_kind",
                "meld_of",
                "meld_low",
                "meld_high",
                "owner",
                "n_melds",
            ),
            TableMelds(),
        ),
        Field("sets_left", ("sets_left",), Number(0, r.MAX_MELDS), by_seat=True),
        Field("runs_left", ("runs_left",), Number(0, r.MAX_MELDS), by_seat=True),
        Field("short", ("short",), Number(0, 13)),
        Field("drawer", ("drawer",), SeatNumber()),
        Field("thrower", ("thrower",), SeatNumber()),
        Field("buys", ("buys",), Number(0, 20), by_seat=True),
        *LAST,
        Field("turned_up", ("turned_up",), OneCard()),
        Field("starter", ("starter",), Seated()),
        Field("turn", ("turn",), Number()),
        Field("reshuffles", ("reshuffles",), Number(0, 127)),
        Field("hands_played", ("hand_no",), Number(0, 2**31 - 1)),
        Field("outcome", ("outcome",), Word(r.OUTCOMES, default=r.OUTCOMES[0])),
        Field("winner", ("winner",), SeatNumber()),
        Field("freed", ("freed",), OneCard()),
        Field("points", ("points",), Number()),
        Field("paid", ("paid",), Number(), by_seat=True),
    ),
    mine=MINE,
    hidden=HIDDEN,
    places={"pile": pile_ids, "melds": _melded},
    hand=hand_ids,
    hand_size=lambda table, seat: int(table["n_hand"][seat]),
    known=known_ids,
    check=_check,
)
