"""Recompute every value of a file of exact MinScore and MinDist values.

The format is described in ``docs/reference/indian-vectors.md``: one JSON object a line, a hand of 13 cards with its
values, or of 14 with the values after each discard and the best of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.card import JOKER_ID, RANKS, Card
from rummylab.cards.hand import Hand
from rummylab.engine.reading import MALFORMED, is_whole
from rummylab.engine.vectors import Report, read_lines
from rummylab.errors import RummyError, VectorError
from rummylab.games.indian.evaluate import wild_rank
from rummylab.games.indian.mindist import discards14, min_dist
from rummylab.games.indian.minscore import PAPER, PLATFORM, capped, min_score, scores14
from rummylab.games.indian.target import TARGET_SIZE, min_dist_live

VALUES = (
    "minscore",
    "minscore_uncapped",
    "minscore_strict",
    "minscore_strict_uncapped",
    "mindist",
    "mindist_deck",
    "mindist_deck_ex",
)
"""The values of thirteen cards. With 14 cards ``best_`` + one of these is the least after a discard."""
BEST = "best_"
DISCARDS = ("best_mindist_discards", "best_minscore_discards")


def compare_file(path: Path) -> Report:
    """Recompute every value in *path*.

    Raises:
        VectorError: The file cannot be read, or a line is not a hand with values.
    """
    report = Report("values")
    for number, record in read_lines(path):
        try:
            found = recompute(record)
            recorded = _recorded(record)
        except (RummyError, *MALFORMED) as error:
            raise VectorError(f"{path}, line {number}: not a hand with values ({error})") from None
        report.count += len(recorded)
        for name, theirs in recorded.items():
            if found.get(name) != theirs:
                hand = " ".join(record["hand"])
                report.add(
                    f"line {number}, {hand} with wild {record['wild']}: {name} is {found.get(name)}, recorded {theirs}"
                )
    return report


def _recorded(record: dict[str, Any]) -> dict[str, Any]:
    """Return every value of a record by name; lists of discards in a fixed order."""
    known = (*VALUES, *(BEST + name for name in VALUES))
    values = {name: record[name] for name in known if name in record}
    values |= {name: sorted(record[name]) for name in DISCARDS if name in record}
    for k, after in enumerate(record.get("per_discard", ())):
        if after["discard"] != record["hand"][k]:
            raise ValueError(f"discard {k + 1} is {after['discard']}, but card {k + 1} is {record['hand'][k]}")
        card = f"discard {k + 1} ({after['discard']})"
        values |= {f"{card}: {name}": value for name, value in after.items() if name != "discard"}
    if not values:
        raise KeyError("no values")
    return values


def recompute(record: dict[str, Any]) -> dict[str, Any]:
    """Return every value that can be told of a record's hand, by the names of `_recorded`."""
    shoe = _Shoe(record)
    cards = [Card.parse(word) for word in record["hand"]]
    if len(cards) == 13:
        return shoe.values(cards)
    if len(cards) != 14:
        raise ValueError(f"{len(cards)} cards, expected 13 or 14")
    found: dict[str, Any] = {}
    after = [shoe.values(cards[:k] + cards[k + 1 :]) for k in range(14)]
    for k, values in enumerate(after):
        card = f"discard {k + 1} ({record['hand'][k]})"
        found |= {f"{card}: {name}": value for name, value in values.items()}
    found |= {BEST + name: min(values[name] for values in after) for name in VALUES}
    return found | shoe.best_discards(cards, record["hand"])


class _Shoe:
    """The cards in play and the wild rank of a record."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.decks: int = record["ndeck"]
        self.printed: int = record["printed_jokers"]
        if not is_whole(self.decks, 1, 2) or not is_whole(self.printed, 0, 8):
            raise ValueError("expected 1 or 2 decks and 0 to 8 printed jokers")
        self.indicator = Card.parse(record["indicator"])
        self.wild = wild_rank(record["indicator"])
        if RANKS[self.wild] != record["wild"]:
            raise ValueError(f"the indicator is {self.indicator}, but the wild rank {record['wild']}")
        self._scratch = np.zeros(TARGET_SIZE, np.int64)

    def planes(self, cards: list[Card]) -> tuple[int, int, int]:
        hand = Hand.of(cards, decks=self.decks)
        if hand.jokers > self.printed:
            raise ValueError(f"{hand.jokers} printed jokers in the hand, {self.printed} in play")
        return hand.mask, hand.twice, hand.jokers

    def values(self, cards: list[Card]) -> dict[str, int]:
        planes = self.planes(cards)
        paper, platform = (int(min_score(*planes, self.wild, rule)) for rule in (PAPER, PLATFORM))
        return {
            "minscore": int(capped(paper)),
            "minscore_uncapped": paper,
            "minscore_strict": int(capped(platform)),
            "minscore_strict_uncapped": platform,
            "mindist": int(min_dist(*planes, self.wild)),
            "mindist_deck": self._live_distance(planes, indicator_is_gone=False),
            "mindist_deck_ex": self._live_distance(planes, indicator_is_gone=True),
        }

    def _live_distance(self, planes: tuple[int, int, int], *, indicator_is_gone: bool) -> int:
        """Return the MinDist if the target must exist among the cards in play."""
        once, twice, jokers = planes
        live, live_twice, live_jokers = ALL_CARDS & ~once, 0, self.printed - jokers
        if self.decks == 2:
            live, live_twice = ALL_CARDS & ~twice, ALL_CARDS & ~once
        if indicator_is_gone:
            if self.indicator.is_joker:
                live_jokers -= 1
            else:
                bit = 1 << self.indicator.id
                live, live_twice = (live, live_twice ^ bit) if live_twice & bit else (live & ~bit, live_twice)
        return int(min_dist_live(once, twice, jokers, self.wild, live, live_twice, live_jokers, self._scratch))

    def best_discards(self, cards: list[Card], words: list[str]) -> dict[str, Any]:
        """Return the discards of least MinDist and of least MinScore, each as often as the card is held."""
        planes = self.planes(cards)
        distance, near = discards14(*planes, self.wild)
        score, low = scores14(*planes, self.wild, PAPER, np.zeros(JOKER_ID + 1, np.int64))
        pairs = [(card.id, word) for card, word in zip(cards, words, strict=True)]
        return {
            "best_mindist": int(distance),
            "best_minscore_uncapped": int(score),
            "best_mindist_discards": sorted(word for card, word in pairs if int(near) >> card & 1),
            "best_minscore_discards": sorted(word for card, word in pairs if int(low) >> card & 1),
        }
