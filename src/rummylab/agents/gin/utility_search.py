"""Utility search: look some turns ahead in sampled worlds, and let the utility function judge where it ends.

Source: the future work of the opponent-hand paper of the EAAI-2021 Gin Rummy challenge, utility as a value function.

Policy. Hands of the opponent are sampled from the belief of `utility-dnn` (with ``belief=3``: in the shape of real
hands), and with each an order of the stock: a *world*. Every candidate move is played in the same worlds: taking the
up-card or not; the throws that `utility-dnn` likes best, and a knock if there is one. In a world both sides go on for
DEPTH turns by a plain rule: take what melds, throw what leaves least deadwood, knock from a limit that falls from turn
to turn. If the hand ends, its score counts; if not, the value of the position does: what utility and deadwood of both
hands were worth in points in self-play, by stage of the hand (utility_search.json, `rummylab train gin-value`). The
move with the best mean is made. Gin is always shown.

Played to the end of the hand instead, chance drowns the difference between moves: a hand swings by thirty points, two
good throws differ by one. The value of the position is what makes a few hundred worlds enough.

Departures: the paper only names the idea; all of this is ours. Measured in docs/results/utility-as-value.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin import utility_dnn
from rummylab.agents.gin.utility_options import BELIEF, N_OPTIONS, OPP_UTIL_IMPORTANCE, SAMPLES, SHAPED
from rummylab.agents.gin.utility_policy import (
    CALM,
    LOSSES,
    PRICES,
    Floats,
    loose_cards,
    price_for_opponent,
    sample_opponent,
    state_of,
    worth,
    write_losses,
    write_prices,
    write_throws,
)
from rummylab.beliefs.gin import network
from rummylab.beliefs.gin.uniform import unseen
from rummylab.cards.bits import lowest, points, popcount
from rummylab.cards.rng import any_card, below, swap_cards
from rummylab.engine.artifacts import check_kind, check_numbers, read_numbers
from rummylab.errors import OptionError
from rummylab.games.gin import melds
from rummylab.games.gin.melds import Masks, min_deadwood
from rummylab.games.gin.rules import (
    ACT,
    DISCARD,
    DISCARD_CODE,
    DRAW,
    KNOCK_CODE,
    OFFER,
    RECORD,
    SHOW_BIG_GIN,
    TAKE_UP_CARD,
    WALL,
    bit,
    can_knock,
    can_take,
    decline,
    discards,
    step,
)
from rummylab.games.gin.showdown import at_the_wall, showdown_code

Scores = npt.NDArray[np.float64]

MAX_WORLDS, MAX_CANDIDATES = 10_000, 11
STAGE_STARTS = (0, 3, 6, 10, 15)
"""Turns at which a stage of the hand begins; each has its own values."""
N_STAGES, N_VALUES = len(STAGE_STARTS), 3


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What can be set, besides the options of `utility-dnn`."""

    worlds: float = 200
    """Sampled hands of the opponent, each with an order of the stock."""
    candidates: float = 4
    """Throws that are tried, the best by utility."""
    depth: float = 4
    """Turns of both sides that are played in a world after the turn to decide on."""
    knock_from: float = 4.8
    """In a world, both sides knock with at most this deadwood in the first turn ..."""
    knock_fall: float = 1.25
    """... and so much less in every turn that follows; with gin always."""

    def __post_init__(self) -> None:
        if not 1 <= self.worlds <= MAX_WORLDS:
            raise OptionError(f"worlds is {self.worlds}, but must lie between 1 and {MAX_WORLDS}")
        if not 1 <= self.candidates <= MAX_CANDIDATES:
            raise OptionError(f"candidates is {self.candidates}, but must lie between 1 and {MAX_CANDIDATES}")


WORLDS, CANDIDATES, DEPTH, WORLD_KNOCK_FROM, WORLD_KNOCK_FALL = range(5)
VALUES = 5
"""Where the values begin in ``par``: tempo, utility and deadwood for each stage."""
UTILITY = VALUES + N_STAGES * N_VALUES
"""Where the parameters of `utility-dnn` begin."""
OPTION_NAMES = (
    *(field.name for field in fields(SearchOptions)),
    *(f"{kind}_{stage}" for stage in range(N_STAGES) for kind in ("tempo", "utility", "deadwood")),
    *(f"utility_{name}" for name in utility_dnn.OPTION_NAMES),
)

FORMAT, VERSION = "rummylab gin value", 1
ARTIFACT = Path(__file__).with_suffix(".json")


def load_values(path: Path) -> list[float]:
    """Return the values of the artifact *path*, stage by stage; raise ArtifactError if it does not fit this agent."""
    found = read_numbers(path)
    check_kind(found, path.name, FORMAT, VERSION)
    return check_numbers(found.get("values"), N_STAGES * N_VALUES, path.name, "values")


def _weights() -> Floats:
    utility = utility_dnn.WEIGHTS.copy()
    utility[BELIEF] = SHAPED
    return np.concatenate([np.array([*astuple(SearchOptions()), *load_values(ARTIFACT)], np.float32), utility])


WEIGHTS = _weights()


def check_par(name: str, par: Floats) -> None:
    """Raise `OptionError` if the agent *name* cannot play with *par*."""
    utility_dnn.CHECK_PAR(name, par[UTILITY:])


CHECK_PAR = check_par


# --- The value of a position --------------------------------------------------------------------------------------


@helper
def utility_of(hand: int, dead: int, limit: int, price: Floats, par: Floats, loss: Floats) -> float:
    """Return the utility of ten cards; *dead* are cards of the pile that the prices do not know."""
    loose = loose_cards(hand, price, CALM, par, loss)
    total = write_losses(loose, (hand & ~loose) | dead, price, state_of(loose, limit), par, loss)
    return worth(total, popcount(loose), points(loose), limit, par)


@helper
def stage_of(turn: int) -> int:
    stage = 0
    while stage + 1 < N_STAGES and turn >= STAGE_STARTS[stage + 1]:
        stage += 1
    return stage


@helper
def value(row: np.void, seat: int, pile: int, prices: npt.NDArray[np.float32], par: Floats, loss: Floats) -> float:
    """Return what the position is worth to *seat*: its score at the end of a hand, an estimate before.

    *prices* are the lists of *seat* and of the other side, written when *pile* was the discard pile.
    """
    table = row.table
    if table.actor < 0:
        if table.winner < 0:
            return 0.0
        return float(table.points) if table.winner == seat else -float(table.points)
    mine, his = row.mine[seat].hand, row.mine[1 - seat].hand
    limit, dead = np.int64(table.limit), table.pile & ~pile
    utility = par[UTILITY:]
    better = utility_of(mine, dead, limit, prices[0], utility, loss)
    better -= utility_of(his, dead, limit, prices[1], utility, loss)
    at = VALUES + N_VALUES * stage_of(table.turn)
    tempo = par[at] if table.actor == seat else -par[at]
    return tempo + par[at + 1] * better + par[at + 2] * (min_deadwood(his) - min_deadwood(mine))


# --- Worlds -------------------------------------------------------------------------------------------------------


@helper
def imagine(table: np.void, mine: np.void, theirs: int, row: np.void) -> None:
    """Write to *row* the position if the opponent held *theirs*, with the stock in a random order."""
    row.table = table
    for seat in range(2):
        row.mine[seat] = mine
        row.mine[seat].seat = seat
    other = row.mine[1 - mine.seat]
    other.hand = theirs
    other.drawn = -1
    row.pos = 0
    left = unseen(table, mine) & ~theirs
    n = 0
    while left:
        row.deck[n] = lowest(left)
        left &= left - 1
        n += 1
    for i in range(n - 1, 0, -1):
        swap_cards(row, i, below(mine, i + 1))


@helper
def plain_move(table: np.void, mine: np.void, par: Floats) -> int:
    """Return what either side does in a world."""
    if table.phase == DRAW or table.phase == OFFER:
        if not can_take(table):
            return decline(table)
        up = bit(table.up)
        return TAKE_UP_CARD if melds.melded(mine.hand | up) & up != 0 else decline(table)
    if table.phase == DISCARD:
        cards, left = melds.best_discards(mine.hand, discards(table, mine))
        limit = min(par[WORLD_KNOCK_FROM] - par[WORLD_KNOCK_FALL] * (table.turn >> 1), float(table.limit))
        return (KNOCK_CODE if left == 0 or left <= limit else DISCARD_CODE) + any_card(mine, cards)
    if table.phase == WALL:
        return at_the_wall(table, mine)
    return showdown_code(table, mine)


@helper
def search(
    table: np.void, mine: np.void, codes: Masks, scores: Scores, n: int, par: Floats, belief: Floats, hands: Masks
) -> int:
    """Add to *scores* what each of the *n* moves *codes* is worth on average over the worlds; return the best move."""
    rows = np.empty(2, RECORD)
    loss = np.empty(LOSSES, np.float32)
    prices = np.empty((2, *PRICES), np.float32)
    write_prices(table.pile, table.turn, belief, par[UTILITY:], prices[0])
    price_for_opponent(table, par[UTILITY:], prices[1])
    last = table.turn + np.int64(par[DEPTH]) + (table.phase == DISCARD)
    for i in range(len(hands)):
        imagine(table, mine, hands[i], rows[0])
        for k in range(n):
            rows[1] = rows[0]
            row = rows[1]
            step(row, codes[k])
            while row.table.actor >= 0 and (row.table.turn < last or row.table.phase != DRAW):
                step(row, plain_move(row.table, row.mine[row.table.actor], par))
            scores[k] += value(row, mine.seat, table.pile, prices, par, loss) / len(hands)
    best = 0
    for k in range(1, n):
        if scores[k] > scores[best]:
            best = k
    return codes[best]


# --- Candidates ---------------------------------------------------------------------------------------------------


@helper
def write_candidates(
    table: np.void,
    mine: np.void,
    by_deadwood: int,
    par: Floats,
    belief: Floats,
    hands: Masks,
    codes: Masks,
) -> int:
    """Write the throws of the highest utility, less what the opponent gains, to *codes*; return how many."""
    utility = par[UTILITY:]
    worths, gains = np.empty(64, np.float32), np.empty(64, np.float32)
    n_hands = min(len(hands), np.int64(utility[SAMPLES]))
    legal = discards(table, mine)
    free = write_throws(table, mine, legal, by_deadwood, utility, belief, hands, n_hands, worths, gains)
    if free == 0:  # all melded: keep it so
        codes[0] = DISCARD_CODE + lowest(by_deadwood)
        return 1
    n = 0
    while free and n < par[CANDIDATES]:
        most, top = np.float32(-1e9), np.int64(0)
        left = free
        while left:
            card = lowest(left)
            left &= left - 1
            liked = worths[card] - utility[OPP_UTIL_IMPORTANCE] * gains[card]
            if liked > most:
                most, top = liked, card
        free &= ~bit(top)
        codes[n] = DISCARD_CODE + top
        n += 1
    return n


@helper
def discard(table: np.void, mine: np.void, par: Floats, belief: Floats, hands: Masks) -> int:
    """Show gin; else throw or knock, whatever turns out best."""
    best, least = melds.best_discards(mine.hand, discards(table, mine))
    may_knock = least <= table.limit and can_knock(table, mine, lowest(best))
    if least == 0 and may_knock:
        return KNOCK_CODE + lowest(best)
    codes, scores = np.empty(MAX_CANDIDATES + 1, np.int64), np.zeros(MAX_CANDIDATES + 1, np.float64)
    n = write_candidates(table, mine, best, par, belief, hands, codes)
    if may_knock:
        codes[n] = KNOCK_CODE + lowest(best)
        n += 1
    return search(table, mine, codes, scores, n, par, belief, hands) if n > 1 else codes[0]


@kernel_of(ACT)
def act(table: np.void, mine: np.void, par: Floats) -> int:
    is_draw = table.phase == DRAW or table.phase == OFFER
    if table.phase == WALL:
        return at_the_wall(table, mine)
    if not is_draw and table.phase != DISCARD:
        return showdown_code(table, mine)
    if is_draw and not can_take(table):
        return decline(table)
    if table.phase == DISCARD and table.rules.big_gin_bonus > 0 and min_deadwood(mine.hand) == 0:
        return np.int64(SHOW_BIG_GIN)
    utility = par[UTILITY:]
    belief = np.empty(52, np.float32)
    network.fill(table, mine, utility, N_OPTIONS, belief)
    hands = np.empty(np.int64(par[WORLDS]), np.int64)
    sample_opponent(table, mine, utility, belief, hands, len(hands))
    if not is_draw:
        return discard(table, mine, par, belief, hands)
    codes, scores = np.empty(2, np.int64), np.zeros(2, np.float64)
    codes[0], codes[1] = decline(table), TAKE_UP_CARD
    return search(table, mine, codes, scores, np.int64(2), par, belief, hands)
