"""MinDist by outs: of the cards that cost no distance, live outs against the danger of feeding the opponent.

Source: ours, on the expected turns that Saha et al. (section IX) name as future work. Policy: take the open card if and
only if it lowers MinDist; of the cards whose loss leaves the least MinDist throw the one with the greatest

    a * sqrt(live outs) - b * P(discard helps the opponent) - c * P(it lets him declare),

with a, b, c by the distance after the discard. Live outs are the cards nobody has seen that bring the hand nearer.
Both probabilities are logistic models on public cards (`FEATURES`), fitted by `rummylab.learning.indian_outs` to
self-play; the numbers are in mindist_outs.json beside this file. Declares as soon as it can. Drop rule
(`mindist-outs-drop`): before the first draw, without a joker, at MinDist 5 or more moving first, 4 moving
second. Departures: none to name, it is our own. Measured in docs/agents/indian.md.

par: [drop at this MinDist or more moving first, the same moving second (0: never), then `WEIGHTS`].
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.indian.common import (
    at_step,
    distance_now,
    is_first_turn,
    next_seat,
    note_distance,
    of_same_rank,
    pile_card_brings_nearer,
)
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, popcount
from rummylab.cards.card import JOKER_ID
from rummylab.engine.artifacts import check_kind, check_numbers, read_numbers
from rummylab.errors import ArtifactError
from rummylab.games.indian.melds import Ints
from rummylab.games.indian.mindist import discard_outs, discards14, live_outs
from rummylab.games.indian.rules import (
    ACT,
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    DROP,
    can_take,
    is_joker,
    unseen,
)

# --- What the danger of a discard hangs on ------------------------------------------------------------------------

FEATURES = (
    "always 1",
    "a joker",
    "cards beside it that he is known to hold",
    "cards two places from it that he is known to hold",
    "cards of its rank that he is known to hold",
    "cards beside it that he threw",
    "cards two places from it that he threw",
    "cards of its rank that he threw",
    "cards beside it that he refused",
    "cards of its rank that he refused",
    "cards beside it not seen",
    "cards two places from it not seen",
    "cards of its rank not seen",
    "runs of three with it that he may hold",
    "groups of three with it that he may hold",
    "his draws",
    "cards he took from the pile",
    "root of his draws",
    "cards two places from it that he refused",
    "such runs with a card he is known to hold",
    "such groups with a card he is known to hold",
    "such runs, times the root of his draws",
    "such groups, times the root of his draws",
)
"""Of a card to be thrown, from public cards and the own hand; "he" is the player who can take it."""
N_FEATURES = len(FEATURES)
DISTANCES = 4
"""Terms are weighed by the distance after the discard: 1, 2, 3, and 4 or more."""

# Places in `par`.
_DROP_FIRST, _DROP_SECOND, _TERMS = 0, 1, 2
_HELPS = _TERMS + 3 * DISTANCES
_COMPLETES = _HELPS + N_FEATURES
N_WEIGHTS = 3 * DISTANCES + 2 * N_FEATURES

# Notes: the outs of the hand, once worked out; else the open card is looked at when it comes.
_OUTS = 1
_NOT_WORKED_OUT = 0

Floats = npt.NDArray[np.float32]


@helper
def write_features(table: np.void, opponent: int, live: int, card: int, out: Floats) -> None:
    """Write the `FEATURES` of throwing *card*; *live* are the cards not seen, *opponent* the one who can take it."""
    for i in range(N_FEATURES):
        out[i] = 0.0
    draws = min(int(table.draws[opponent]), 20)
    out[0] = 1.0
    out[15] = draws
    out[16] = popcount(table.picked[opponent])
    out[17] = sqrt(draws)
    if is_joker(table, card):
        out[1] = 1.0
        return
    this = bit(card)
    beside, beyond = at_step(this, 1), at_step(this, 2)
    rank = of_same_rank(this) & ~this
    known, thrown, refused = table.known[opponent], table.thrown[opponent], table.refused[opponent]
    out[2] = popcount(known & beside)
    out[3] = popcount(known & beyond)
    out[4] = popcount(known & rank)
    out[5] = popcount(thrown & beside)
    out[6] = popcount(thrown & beyond)
    out[7] = popcount(thrown & rank)
    out[8] = popcount(refused & beside)
    out[9] = popcount(refused & rank)
    out[10] = popcount(live & beside)
    out[11] = popcount(live & beyond)
    out[12] = popcount(live & rank)
    may_hold = (live | known) & ~this
    runs, groups = _n_runs(may_hold, card), _n_groups(may_hold & rank)
    out[13] = runs
    out[14] = groups
    out[18] = popcount(refused & beyond)
    out[19] = runs - _n_runs(may_hold & ~known, card)
    out[20] = groups - _n_groups(may_hold & ~known & rank)
    out[21] = runs * out[17]
    out[22] = groups * out[17]


@helper
def _n_runs(cards: int, card: int) -> int:
    """Return in how many runs of three *card* would complete two of *cards*."""
    lane = (cards >> (card & ~15)) & 0x1FFF
    lane |= (lane & 1) << 13
    lane <<= 2  # two places free below the ace
    at = (card & 15) + 2
    n = _is_pair(lane, at - 2, at - 1) + _is_pair(lane, at - 1, at + 1) + _is_pair(lane, at + 1, at + 2)
    if card & 15 == 0:  # the ace also above the king
        n += _is_pair(lane, 13, 14)
    return n


@helper
def _n_groups(cards: int) -> int:
    """Return how many pairs there are among *cards*, all of one rank."""
    n = popcount(cards)
    return n * (n - 1) // 2


@helper
def _is_pair(lane: int, one: int, two: int) -> int:
    return (lane >> one) & (lane >> two) & 1


@helper
def _chance(par: Floats, start: int, features: Floats) -> float:
    """Return the probability of the logistic model at *start* of *par*."""
    logit = 0.0
    for i in range(N_FEATURES):
        logit += par[start + i] * features[i]
    return 1.0 / (1.0 + exp(-logit))


# --- Play ---------------------------------------------------------------------------------------------------------


@helper
def _wants_to_drop(table: np.void, mine: np.void, par: Floats) -> bool:
    drop_at = par[_DROP_FIRST] if table.starter == mine.seat else par[_DROP_SECOND]
    if drop_at <= 0 or not is_first_turn(table, mine):
        return False
    jokers = mine.jokers + popcount(mine.hand & np.int64(EACH_SUIT) << np.int64(table.wild))
    return jokers == 0 and distance_now(table, mine) >= drop_at


@helper
def _draw(table: np.void, mine: np.void, par: Floats) -> int:
    if _wants_to_drop(table, mine, par):
        return np.int64(DROP)
    if not can_take(table):
        return np.int64(DRAW_STOCK)
    if mine.memory[_OUTS] != _NOT_WORKED_OUT:
        nearer = mine.memory[_OUTS] & bit(table.up) != 0
    else:
        nearer = pile_card_brings_nearer(table, mine, distance_now(table, mine))
    return np.int64(DRAW_PILE) if nearer else np.int64(DRAW_STOCK)


@helper
def _best_discard(table: np.void, mine: np.void, par: Floats, distance: int, spares: int, found: Ints) -> int:
    """Return the spare card of the greatest score; found[card] are the outs after throwing it."""
    live, live_twice, live_jokers = unseen(table, mine)
    opponent = next_seat(table, mine)
    term = _TERMS + min(distance, DISTANCES) - 1
    features = np.empty(N_FEATURES, np.float32)
    best, most = np.int64(-1), 0.0
    while spares:
        card = lowest(spares)
        spares &= spares - 1
        write_features(table, opponent, live, card, features)
        score = par[term] * sqrt(live_outs(found[card], live, live_twice, live_jokers))
        score -= par[term + DISTANCES] * _chance(par, _HELPS, features)
        score -= par[term + 2 * DISTANCES] * _chance(par, _COMPLETES, features)
        if best < 0 or score > most:
            best, most = card, score
    return best


@helper
def _discard(table: np.void, mine: np.void, par: Floats) -> int:
    wild = np.int64(table.wild)
    distance, spares = discards14(mine.hand, mine.twice, mine.jokers, wild)
    note_distance(mine, distance)
    mine.memory[_OUTS] = _NOT_WORKED_OUT
    card = lowest(spares)
    if distance == 0:
        return DECLARE_CODE + card
    if spares & (spares - 1):
        # All kinds that could come, not the live ones only: so the notes answer for any open card.
        cards = ALL_CARDS & ~(mine.hand if table.rules.decks == 1 else mine.twice)
        found = np.empty(JOKER_ID + 1, np.int64)
        discard_outs(mine.hand, mine.twice, mine.jokers, wild, distance, spares, cards, found)
        card = _best_discard(table, mine, par, distance, spares, found)
        mine.memory[_OUTS] = found[card]
    return DISCARD_CODE + card


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    if table.phase == DRAW:
        return _draw(table, mine, par)
    return _discard(table, mine, par)


# --- The fitted numbers -------------------------------------------------------------------------------------------

FORMAT, VERSION = "rummylab mindist-outs", 1
ARTIFACT = Path(__file__).with_suffix(".json")
PARTS = {"outs": DISTANCES, "feeding": DISTANCES, "finishing": DISTANCES, "helps": N_FEATURES, "completes": N_FEATURES}
"""The lists of numbers in an artifact, in the order of `par`: a, b, c, and the two logistic models."""


def check_artifact(found: Mapping[str, Any], where: str = "artifact") -> tuple[float, ...]:
    """Return the numbers of an artifact in the order of `par`; raise ArtifactError if it does not fit this agent."""
    check_kind(found, where, FORMAT, VERSION)
    if found.get("features") != list(FEATURES):
        raise ArtifactError(f"{where} was fitted to other features than those of this version")
    numbers: list[float] = []
    for name, n in PARTS.items():
        numbers += check_numbers(found.get(name), n, where, repr(name))
    return tuple(numbers)


def load_artifact(path: Path = ARTIFACT) -> tuple[float, ...]:
    """Return the numbers of the artifact *path*, checked."""
    return check_artifact(read_numbers(path), path.name)


WEIGHTS = load_artifact()
