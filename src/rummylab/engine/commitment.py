"""Deals that can be checked: a hash is published before play, what it was made from afterwards.

The commitment to a hand is the SHA-256 of a text with the game, its options, the number of the hand, the key of the
deck and a random salt. Whoever has the record can compute it again (``rummylab verify FILE``), so nobody can have
changed the deck after the first card was played.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Any, Final

from rummylab.cards.deck import Deck
from rummylab.engine.records import Record
from rummylab.engine.rules import Rules
from rummylab.engine.streams import key_text, parse_key
from rummylab.errors import RecordError

SALT_BYTES: Final = 16


def new_salt() -> str:
    """Return a random salt, as records keep it."""
    return secrets.token_hex(SALT_BYTES)


def commitment(game: str, options: dict[str, Any], hand: int, seed: int, salt: str) -> str:
    """Return the commitment to the deal of hand number *hand* under *seed*.

    >>> commitment("gin", {"target": 100}, 0, 7, "00" * 16)[:12]
    'c0d0f7c9a9e1'
    """
    lines = ["rummylab deal 1", game, json.dumps(options, sort_keys=True), str(hand), key_text(seed), salt]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Verified:
    """A hand whose commitment was checked."""

    hand: int
    commitment: str
    names: tuple[str, ...]


def verify(record: Record, rules: Rules) -> Verified:
    """Check that a record's deck was committed to, and return what was checked. *rules* are those of its header.

    Raises:
        RecordError: The record has no commitment, or its key, salt or deck do not match it.
    """
    head = record.header
    missing = [name for name in ("commitment", "salt", "deck") if name not in head]
    if missing:
        raise RecordError(f"hand {head['hand'] + 1} cannot be verified: its record has no {' and no '.join(missing)}")
    seed = parse_key(head["key"]) if head.get("key") else head.get("seed")
    if not isinstance(seed, int):
        raise RecordError(f"hand {head['hand'] + 1} cannot be verified: its record has neither a key nor a seed")
    found = commitment(head["game"], head["options"], head["hand"], seed, head["salt"])
    if found != head["commitment"]:
        raise RecordError(
            f"hand {head['hand'] + 1}: the key and the salt do not give the commitment that was published"
        )
    if Deck.parse(head["deck"]) != rules.shuffled(seed, 0, head["hand"]):
        raise RecordError(f"hand {head['hand'] + 1}: the key deals another deck than the record has")
    return Verified(int(head["hand"]), str(head["commitment"]), tuple(head["seats"]))
