"""What `chinese-counter` counts, and the value of a position by those counts.

The value of a position after the player's own discard is a small network with one hidden layer on the counts of
`FEATURES`; there is one network for each of three `SITUATIONS`. It estimates the points won or lost in the round, with
a bonus for winning. `rummylab train chinese-counter` fitted it; the weights are in counter.json beside this file,
and those of a larger bonus in counter_wins.json.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rummylab._jit import helper
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, popcount, ranks_of
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import check_kind, check_numbers, read_numbers
from rummylab.engine.rows import Floats, Params
from rummylab.errors import ArtifactError
from rummylab.games.contract.melds import TWOS, at_least
from rummylab.games.contract.rules import cost, has_laid_down, is_wild, welcome

FEATURES = (
    "ranks held three times or more",
    "pairs",
    "singles",
    "wilds",
    "the contract is in the hand",
    "one card short of it",
    "two cards short",
    "cards short beyond two",
    "unseen cards that make a pair a set",
    "unseen cards that make a single a pair",
    "unseen wilds",
    "what the hand costs",
    "cards in the hand",
    "cards that fit a meld on the table",
    "unseen cards that fit",
    "chance that the next card fits",
    "the opponent has laid down",
    "cards the opponent holds",
    "cards the opponent is known to hold",
    "ranks of which the opponent is known to hold two",
    "wilds the opponent is known to hold",
    "turns",
    "stock",
    "the discard is wild",
    "the discard fits a meld",
    "the discard is of a rank the opponent is known to hold",
    "the discard is of a rank the opponent has refused or discarded",
    "unseen cards of the rank of the discard",
    "the opponent can lay the discard off",
    "unseen cards of the ranks held three times",
    "pairs that can still become a set",
    "cards the opponent has taken from the pile",
    "chance that the next card brings the hand nearer",
    "chance that the opponent holds the rank of the discard",
)
"""Counts of a position after the player's own discard. Each is scaled to about one."""
SITUATIONS = ("nobody has laid down", "the opponent has laid down", "this seat has laid down")
N_FEATURES = len(FEATURES)
HIDDEN = 24
N_WEIGHTS = (N_FEATURES + 2) * HIDDEN + 1
"""Weights of one network: a row for each feature, hidden offsets, output weights, and an output offset."""
ROOM = N_FEATURES + HIDDEN
"""Entries of the scratch array of `worth`: the features, and a sum for each hidden unit."""
POINTS = 50.0
"""Points in one unit of value."""


@dataclass(frozen=True, kw_only=True)
class CounterOptions(AgentOptions):
    """Options of the agent."""

    random_turns: float = option(
        0.0, "Share of random turns; more than 0 only to collect training data.", low=0, high=1
    )
    bonus: float = option(40.0, "Points that the networks count for winning, in addition to what the loser pays.")


P = CounterOptions.indices()
NETWORKS = len(P)
"""Where the networks begin in `params`."""


# --- Unseen cards -------------------------------------------------------------------------------------------------


@helper
def unseen_cards(table: np.void, mine: np.void) -> int:
    """Return the cards, without jokers, that the seat has not seen: in the stock, or unknown in the other hand."""
    seen = mine.hand | table.pile | table.known[1 - mine.seat]
    for k in range(table.n_melds):
        seen |= table.melds[k]
    return np.int64(ALL_CARDS) & ~seen


@helper
def unseen_wilds(table: np.void, mine: np.void) -> int:
    """Return how many wilds the seat has not seen."""
    jokers = np.int64(table.rules.jokers) - mine.jokers - table.pile_jokers - table.known_jokers[1 - mine.seat]
    for k in range(table.n_melds):
        jokers -= table.meld_jokers[k]
    return jokers + popcount(unseen_cards(table, mine) & TWOS)


@helper
def fitting(table: np.void) -> int:
    """Return the natural cards that fit a meld on the table."""
    return welcome(table, np.int64(0)) | welcome(table, np.int64(1))


@helper
def wanting(n_three: int, n_pairs: int) -> tuple[int, int]:
    """Return how many naturals the two best sets lack, the worse first, given the ranks held three times and twice."""
    best = 0 if n_three else 1 if n_pairs else 2
    n_others = n_pairs if n_three else n_pairs - 1
    return 0 if n_three > 1 else 1 if n_others > 0 else 2, best


# --- The value of a position --------------------------------------------------------------------------------------


@helper
def write_features(
    table: np.void, seat: int, hand: int, wilds: int, fit: int, discard: int, live: int, live_wilds: int, out: Floats
) -> None:
    """Write the `FEATURES` of *seat* holding the naturals *hand* and *wilds* after discarding *discard*.

    *fit* are the naturals that fit a meld on the table; *live* and *live_wilds* are unseen.
    """
    opponent = 1 - seat
    # 1. The player's own hand.
    two, three, _ = at_least(hand)
    pairs, singles = two & ~three, ranks_of(hand) & ~two
    worse, better = wanting(popcount(three), popcount(pairs))
    useful = (1 if worse else 0) + (1 if better else 0)  # wilds: one in each set that is not complete
    short = worse + better - min(wilds, useful)
    n_unseen = max(popcount(live) + live_wilds, 1)
    out[0] = popcount(three)
    out[1] = popcount(pairs)
    out[2] = popcount(singles)
    out[3] = wilds
    out[4] = short == 0
    out[5] = short == 1
    out[6] = short == 2
    out[7] = max(short - 2, 0)
    out[8] = popcount(live & EACH_SUIT * pairs) / 4.0
    out[9] = popcount(live & EACH_SUIT * singles) / 8.0
    out[10] = live_wilds / 4.0
    out[11] = (cost(table.rules, hand, np.int64(0), np.int64(0)) + table.rules.wild_points * wilds) / 50.0
    out[12] = (popcount(hand) + wilds) / 7.0
    out[13] = popcount(hand & fit)
    n_fit = popcount(live & fit)
    out[14] = n_fit / 4.0
    out[15] = 4.0 * (n_fit + live_wilds) / n_unseen
    out[29] = popcount(live & EACH_SUIT * three) / 2.0
    out[30] = popcount(pairs & ranks_of(live))
    nearer = live_wilds + popcount(live & EACH_SUIT * pairs) if wilds < useful else 0
    if worse == 2:
        nearer += popcount(live & EACH_SUIT * singles)
    out[32] = 4.0 * nearer / n_unseen
    # 2. The opponent.
    known = table.known[opponent] & ~TWOS
    known_twice, _, _ = at_least(known)
    out[16] = has_laid_down(table, opponent)
    out[17] = table.n_hand[opponent] / 7.0
    out[18] = popcount(known) / 2.0
    out[19] = popcount(known_twice)
    out[20] = popcount(table.known[opponent] & TWOS) + table.known_jokers[opponent]
    out[21] = table.turn / 20.0
    out[22] = table.stock / 30.0
    out[31] = popcount(table.picked[opponent]) / 3.0
    # 3. The discard, which the opponent may take.
    wild = is_wild(table.rules, discard)
    same_rank = np.int64(0) if wild else np.int64(EACH_SUIT) << (discard & 15)
    fits = same_rank & fit != 0
    out[23] = wild
    out[24] = fits
    out[25] = same_rank & known != 0
    out[26] = same_rank & (table.refused[opponent] | table.thrown[opponent]) != 0
    out[27] = popcount(live & same_rank) / 3.0
    out[28] = (fits or wild) and has_laid_down(table, opponent)
    unknown = table.n_hand[opponent] - popcount(table.known[opponent]) - table.known_jokers[opponent]
    out[33] = 1.0 if same_rank & known else min(popcount(live & same_rank) * unknown / n_unseen, 1.0)


@helper
def situation(table: np.void, seat: int, laid_down: bool) -> int:
    """Return the network for *seat*, depending on whether it has *laid_down*."""
    if laid_down:
        return np.int64(2)
    return np.int64(1) if has_laid_down(table, 1 - seat) else np.int64(0)


@helper
def worth(params: Params, network: int, room: Floats) -> float:
    """Return the value of the position whose features are at the beginning of *room*."""
    start = NETWORKS + network * N_WEIGHTS
    for h in range(HIDDEN):
        room[N_FEATURES + h] = params[start + N_FEATURES * HIDDEN + h]
    for k in range(N_FEATURES):
        if room[k] != 0:
            at = start + k * HIDDEN
            for h in range(HIDDEN):
                room[N_FEATURES + h] += room[k] * params[at + h]
    at = start + (N_FEATURES + 1) * HIDDEN
    value = np.float64(params[at + HIDDEN])
    for h in range(HIDDEN):
        if room[N_FEATURES + h] > 0:
            value += room[N_FEATURES + h] * params[at + h]
    return value


@helper
def worth_of_going_out(table: np.void, seat: int, live: int, live_wilds: int, params: Params) -> float:
    """Return the value of going out now: the expected cost of the other hand."""
    opponent = 1 - seat
    known, jokers = table.known[opponent], np.int64(table.known_jokers[opponent])
    n_unseen = max(popcount(live) + live_wilds, 1)
    mean = (cost(table.rules, live, np.int64(0), np.int64(0)) + table.rules.wild_points * live_wilds) / n_unseen
    unknown = table.n_hand[opponent] - popcount(known) - jokers
    return (cost(table.rules, known, np.int64(0), jokers) + unknown * mean + params[P.bonus]) / POINTS


# --- The fitted weights -------------------------------------------------------------------------------------------

ARTIFACT, WINS_ARTIFACT = (Path(__file__).with_name(name) for name in ("counter.json", "counter_wins.json"))
WINS_BONUS = 150.0
"""The bonus of the second artifact."""
FORMAT, VERSION = "rummylab chinese-counter", 1


def check_artifact(found: Mapping[str, Any], where: str = "artifact") -> tuple[float, ...]:
    """Return the weights of an artifact in the order of `params`; raise `ArtifactError` if it does not fit."""
    check_kind(found, where, FORMAT, VERSION)
    if found.get("features") != list(FEATURES):
        raise ArtifactError(f"{where} was fitted to the features of another version")
    networks = found.get("networks")
    if not isinstance(networks, dict):
        raise ArtifactError(f"{where}: 'networks' must be an object")
    numbers: list[float] = []
    for name in SITUATIONS:
        numbers += check_numbers(networks.get(name), N_WEIGHTS, where, f"the network {name!r}")
    return tuple(numbers)


def load_artifact(path: Path = ARTIFACT) -> tuple[float, ...]:
    """Return the weights of the artifact at *path*."""
    return check_artifact(read_numbers(path), path.name)
