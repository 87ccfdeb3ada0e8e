"""MinDist by outs: among the cards that cost no distance, weigh live outs against the danger of helping the opponent.

Source: ours, on the expected turns that Saha et al. (section IX) name as future work. Policy: take the upcard if and
only if it lowers MinDist; among the cards whose loss leaves the lowest MinDist, discard the one with the greatest

    a * sqrt(live outs) - b * P(the discard helps the opponent) - c * P(it lets them declare),

where a, b and c depend on the distance after the discard. Live outs are the unseen cards that lower MinDist. Both
probabilities are logistic models on public cards (`FEATURES`), fitted to self-play by `rummylab train indian-outs`;
the weights are in mindist_outs.json beside this file. The agent declares as soon as it can. Drop rule
(`mindist-outs-drop`): before the first draw, without a joker, drop at MinDist 5 or more moving first, at 4 or more
moving second. In a match (`mindist-outs-match`) it follows the standing: no drop that would put it out of a pool or
leave it behind after the last deal; and one MinDist earlier while it can afford two drops or more, and more than
anybody else. Departures: none; the agent is our own. Measured in docs/agents/indian.md and in
docs/results/indian-formats.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from rummylab._jit import helper
from rummylab.agents.indian.common import (
    DISTANCE,
    at_step,
    between_deals,
    distance_now,
    is_first_turn,
    next_seat,
    of_same_rank,
    upcard_lowers_distance,
)
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, popcount, stack_array
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import take_away
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import check_kind, check_numbers, read_numbers
from rummylab.engine.rows import Floats, Params
from rummylab.errors import ArtifactError
from rummylab.games.indian.melds import Ints
from rummylab.games.indian.mindist import live_outs, min_dist, min_dist_after_draw, spares_and_outs
from rummylab.games.indian.rules import (
    DECLARE_CODE,
    DISCARD_CODE,
    DRAW,
    DRAW_PILE,
    DRAW_STOCK,
    DROP,
    OVER,
    can_take,
    deals_left,
    drops_left,
    is_in,
    is_joker,
    unseen,
)

# --- Features of a discard ----------------------------------------------------------------------------------------

FEATURES = (
    "always 1",
    "a joker",
    "cards beside it that the opponent is known to hold",
    "cards two places from it that the opponent is known to hold",
    "cards of its rank that the opponent is known to hold",
    "cards beside it that the opponent discarded",
    "cards two places from it that the opponent discarded",
    "cards of its rank that the opponent discarded",
    "cards beside it that the opponent refused",
    "cards of its rank that the opponent refused",
    "unseen cards beside it",
    "unseen cards two places from it",
    "unseen cards of its rank",
    "runs of three with it that the opponent may hold",
    "groups of three with it that the opponent may hold",
    "the opponent's draws",
    "cards the opponent took from the pile",
    "square root of the opponent's draws",
    "cards two places from it that the opponent refused",
    "such runs with a card the opponent is known to hold",
    "such groups with a card the opponent is known to hold",
    "such runs, times the square root of the opponent's draws",
    "such groups, times the square root of the opponent's draws",
)
"""Features of a discard, from public cards and the player's own hand; the opponent is the player who can take it."""
N_FEATURES = len(FEATURES)
DISTANCES = 4
"""Terms are weighted by the distance after the discard: 1, 2, 3, and 4 or more."""


@dataclass(frozen=True, kw_only=True)
class OutsOptions(AgentOptions):
    """Options of the agent."""

    drop_first: int = option(0, "Moving first, drop without a joker at this MinDist or more; 0 never drops.", low=0)
    drop_second: int = option(0, "Moving second, drop without a joker at this MinDist or more; 0 never drops.", low=0)
    standing: bool = option(False, "1 to let drops follow the standing of the match.")


P = OutsOptions.indices()
# Where the weights are in `params`: a, b and c by distance, then the two logistic models.
_TERMS = len(P)
_HELPS = _TERMS + 3 * DISTANCES
_COMPLETES = _HELPS + N_FEATURES
N_WEIGHTS = 3 * DISTANCES + 2 * N_FEATURES

# Memory: the outs of the hand, once computed; otherwise the upcard is examined when it comes.
_OUTS = 1
_NOT_COMPUTED = 0
# The thirteen cards that the rest of the memory is about. Somebody else may have moved for the agent: a handicap does.
_HAND, _TWICE, _JOKERS = 2, 3, 4


@helper
def write_features(table: np.void, opponent: int, live: int, card: int, out: Floats) -> None:
    """Write the `FEATURES` of discarding *card*; *live* are the unseen cards, *opponent* is who can take it."""
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
    lane <<= 2  # two empty places below the ace
    at = (card & 15) + 2
    n = _is_pair(lane, at - 2, at - 1) + _is_pair(lane, at - 1, at + 1) + _is_pair(lane, at + 1, at + 2)
    if card & 15 == 0:  # the ace is also above the king
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
def _chance(params: Params, start: int, features: Floats) -> float:
    """Return the probability of the logistic model at *start* of *params*."""
    logit = 0.0
    for i in range(N_FEATURES):
        logit += params[start + i] * features[i]
    return 1.0 / (1.0 + exp(-logit))


# --- Play ---------------------------------------------------------------------------------------------------------


@helper
def drop_loses_the_match(table: np.void, mine: np.void) -> bool:
    """Return whether a first drop now would put the seat out of the match, or leave it behind after the last deal."""
    if table.rules.out_at:
        return drops_left(table, mine.seat) == 0
    if table.rules.deals == 1 or deals_left(table) > 1:
        return False
    left = np.int64(table.chips[mine.seat]) - table.rules.first_drop
    won = np.int64(table.rules.first_drop) if table.n_playing == 2 else np.int64(0)  # the last one left gets the drop
    for seat in range(table.rules.seats):
        if seat != mine.seat and is_in(table, seat) and table.chips[seat] + won > left:
            return True
    return False


@helper
def _leads_in_drops(table: np.void, mine: np.void) -> bool:
    """Return whether the seat can afford two drops of a pool or more, and more than anybody else."""
    ours = drops_left(table, mine.seat)
    for seat in range(table.rules.seats):
        if seat != mine.seat and is_in(table, seat) and drops_left(table, seat) >= ours:
            return False
    return ours >= 2


@helper
def _should_drop(table: np.void, mine: np.void, params: Params) -> bool:
    drop_at = params[P.drop_first] if table.starter == mine.seat else params[P.drop_second]
    if drop_at <= 0 or not is_first_turn(table, mine):
        return False
    if params[P.standing] > 0:
        if drop_loses_the_match(table, mine):
            return False
        drop_at -= _leads_in_drops(table, mine)
    jokers = mine.jokers + popcount(mine.hand & np.int64(EACH_SUIT) << np.int64(table.wild))
    return jokers == 0 and distance_now(table, mine) >= drop_at


@helper
def _remember_hand(mine: np.void, once: int, twice: int, jokers: int) -> None:
    """Write down which cards the distance and the outs in memory are about."""
    mine.memory[_HAND], mine.memory[_TWICE], mine.memory[_JOKERS] = once, twice, jokers


@helper
def _is_about(mine: np.void, once: int, twice: int, jokers: int) -> bool:
    """Return whether the memory is about these thirteen cards."""
    return once == mine.memory[_HAND] and twice == mine.memory[_TWICE] and jokers == mine.memory[_JOKERS]


@helper
def _without(mine: np.void, card: int) -> tuple[int, int, int]:
    """Return the hand without one copy of *card*: planes and number of printed jokers."""
    if card == JOKER_ID:
        return mine.hand, mine.twice, mine.jokers - 1
    once, twice = take_away(mine.hand, mine.twice, bit(card))
    return once, twice, mine.jokers


@helper
def _distance_after_draw(table: np.void, mine: np.void) -> int:
    """Return the least MinDist after a discard, by what is known of the cards before the draw."""
    wild = np.int64(table.wild)
    once, twice, jokers = _without(mine, np.int64(mine.drawn))
    if not _is_about(mine, once, twice, jokers):
        return min_dist(mine.hand, mine.twice, mine.jokers, wild)
    before = mine.memory[DISTANCE] - 1
    if mine.memory[_OUTS] != _NOT_COMPUTED:
        return before - ((mine.memory[_OUTS] >> np.int64(mine.drawn)) & 1)
    return min_dist_after_draw(mine.hand, mine.twice, mine.jokers, wild, before)


@helper
def _draw(table: np.void, mine: np.void, params: Params) -> int:
    if not _is_about(mine, mine.hand, mine.twice, mine.jokers):
        mine.memory[DISTANCE], mine.memory[_OUTS] = 0, _NOT_COMPUTED
    if _should_drop(table, mine, params):
        return np.int64(DROP)
    if not can_take(table):
        return np.int64(DRAW_STOCK)
    if mine.memory[_OUTS] != _NOT_COMPUTED:
        is_nearer = mine.memory[_OUTS] & bit(table.up) != 0
    else:
        if mine.memory[DISTANCE] == 0:
            _remember_hand(mine, mine.hand, mine.twice, mine.jokers)
        is_nearer = upcard_lowers_distance(table, mine, distance_now(table, mine))
    return np.int64(DRAW_PILE) if is_nearer else np.int64(DRAW_STOCK)


_N_IDS = JOKER_ID + 1


@helper
def _best_discard(table: np.void, mine: np.void, params: Params, distance: int, spares: int, found: Ints) -> int:
    """Return the spare card with the greatest score; found[card] are the outs after discarding it."""
    live, live_twice, live_jokers = unseen(table, mine)
    opponent = next_seat(table, mine)
    term = _TERMS + min(distance, DISTANCES) - 1
    features = stack_array(N_FEATURES, np.float32)
    best, most = np.int64(-1), 0.0
    while spares:
        card = lowest(spares)
        spares &= spares - 1
        write_features(table, opponent, live, card, features)
        score = params[term] * sqrt(live_outs(found[card], live, live_twice, live_jokers))
        score -= params[term + DISTANCES] * _chance(params, _HELPS, features)
        score -= params[term + 2 * DISTANCES] * _chance(params, _COMPLETES, features)
        if best < 0 or score > most:
            best, most = card, score
    return best


@helper
def _discard(table: np.void, mine: np.void, params: Params) -> int:
    distance = _distance_after_draw(table, mine)
    # All cards that could come, not only the live ones: so memory answers for any upcard.
    cards = ALL_CARDS & ~(mine.hand if table.rules.decks == 1 else mine.twice)
    found = stack_array(_N_IDS, np.int64)
    spares = spares_and_outs(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), distance, cards, found)
    card = lowest(spares)
    if distance > 0 and spares & (spares - 1):
        card = _best_discard(table, mine, params, distance, spares, found)
    mine.memory[DISTANCE], mine.memory[_OUTS] = 1 + distance, found[card]
    once, twice, jokers = _without(mine, card)
    _remember_hand(mine, once, twice, jokers)
    return card + (DISCARD_CODE if distance > 0 else DECLARE_CODE)


# --- The fitted weights -------------------------------------------------------------------------------------------

FORMAT, VERSION = "rummylab mindist-outs", 1
ARTIFACT = Path(__file__).with_suffix(".json")
PARTS = {"outs": DISTANCES, "feeding": DISTANCES, "finishing": DISTANCES, "helps": N_FEATURES, "completes": N_FEATURES}
"""The lists of numbers in an artifact, in the order of `params`: a, b, c, and the two logistic models."""


def check_artifact(found: Mapping[str, Any], where: str = "artifact") -> tuple[float, ...]:
    """Return the weights of an artifact in the order of `params`; raise `ArtifactError` if it does not fit."""
    check_kind(found, where, FORMAT, VERSION)
    if found.get("features") != list(FEATURES):
        raise ArtifactError(f"{where} was fitted to the features of another version")
    numbers: list[float] = []
    for name, n in PARTS.items():
        numbers += check_numbers(found.get(name), n, where, repr(name))
    return tuple(numbers)


def load_artifact(path: Path = ARTIFACT) -> tuple[float, ...]:
    """Return the weights of the artifact *path*, checked."""
    return check_artifact(read_numbers(path), path.name)


@register_agent(
    game="indian",
    name="mindist-outs",
    summary="Plays for the lowest MinDist; weighs live outs against the chance that the discard helps the opponent",
    source="ours, on the expected turns of Saha et al., section IX",
    options=OutsOptions,
    weights=lambda _: load_artifact(),
    variants={
        "mindist-outs-drop": Variant(
            summary="Weighs live outs against danger; drops without a joker at MinDist 5 moving first, 4 moving second",
            source="ours",
            options=OutsOptions(drop_first=5, drop_second=4),
        ),
        "mindist-outs-match": Variant(
            summary="Weighs live outs against danger; its drops follow the standing of the match",
            source="ours",
            options=OutsOptions(drop_first=5, drop_second=4, standing=True),
        ),
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw for the lowest MinDist; declare, or discard the best spare card."""
    if table.phase > OVER:
        return between_deals(table, mine)
    if table.phase == DRAW:
        return _draw(table, mine, params)
    return _discard(table, mine, params)
