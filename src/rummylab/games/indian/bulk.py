"""MinDist and MinScore of many hands at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from rummylab.cards.bulk import Hands, Ints, planes
from rummylab.cards.card import RANKS, Card
from rummylab.errors import NotationError, check_type
from rummylab.games.indian.mindist import min_dist_many
from rummylab.games.indian.minscore import min_score_many
from rummylab.games.indian.options import CARDS_EACH, SCORE_RULES

Wild = int | str | Card
"""A wild rank: 0 to 12, a letter such as ``"7"`` or ``"K"``, or a card of that rank."""


def min_dists(hands: Hands, wild: Wild | Sequence[Wild]) -> Ints:
    """Return the MinDist of each of *hands*, which have 13 cards: hands, text, or an integer array.

    *wild* is a rank (0 to 12, a letter, or a card), or one for each hand.

    Raises:
        NotationError: A hand does not have 13 cards, or *wild* is not a rank.
    """
    rows = _rows(hands, wild)
    out = np.empty(len(rows), np.int64)
    min_dist_many(rows, out)
    return out


def min_scores(hands: Hands, wild: Wild | Sequence[Wild], *, rule: str, cap: int | None) -> Ints:
    """Return the MinScore of hands of 13 cards by the score rule *rule*, at most *cap* points."""
    rows = _rows(hands, wild)
    out = np.empty(len(rows), np.int64)
    min_score_many(rows, SCORE_RULES.index(rule), out)
    return out if cap is None else np.minimum(out, cap)


def _rows(hands: Hands, wild: Wild | Sequence[Wild]) -> Ints:
    """Return the lines that the kernels read: mask, twice, jokers, wild."""
    rows = planes(hands, decks=2, size=CARDS_EACH)
    check_type(wild, (int, np.integer, str, Card, Sequence, np.ndarray), "wild", "a rank, or one for each hand")
    ranks: Any = rank_of(wild) if isinstance(wild, int | str | Card | np.integer) else [rank_of(one) for one in wild]
    if not isinstance(ranks, int) and len(ranks) != len(rows):
        raise NotationError(f"{len(ranks)} wild ranks for {len(rows)} hands")
    return np.concatenate([rows, np.broadcast_to(ranks, len(rows))[:, None].astype(np.int64)], axis=1)


def rank_of(wild: Any) -> int:
    """Return the wild rank that *wild* names, 0 (ace) to 12; a printed joker makes aces wild.

    Raises:
        NotationError: *wild* names no rank.
    """
    if isinstance(wild, Card):
        return 0 if wild.is_joker else wild.rank
    if isinstance(wild, int | np.integer) and not isinstance(wild, bool) and 0 <= wild < 13:
        return int(wild)
    if isinstance(wild, str):
        word = {"10": "T"}.get(wild.strip(), wild.strip().upper())
        if len(word) == 1 and word in RANKS:
            return RANKS.index(word)
        with suppress(NotationError):
            return rank_of(Card.parse(wild))
    raise NotationError(f"wild is {wild!r}, but must be a rank: 0 to 12, a letter of {RANKS}, or a card such as 7h")
