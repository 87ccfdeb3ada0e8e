"""Utility search: look some turns ahead in sampled worlds, and let the utility function judge the positions reached.

Source: the future work of the opponent-hand paper of the EAAI-2021 Gin Rummy challenge, utility as a value function.

Policy. Sample hands of the opponent from the belief of `utility-dnn` (with ``utility_belief=3``, in the shape of real
hands) and an order of the stock with each: a *world*. Play every candidate move in the same worlds: taking the upcard
or not; the discards that `utility-dnn` likes best, and a knock if there is one. In a world both players continue for
``depth`` turns by a plain rule: take what melds, discard what leaves the least deadwood, knock from a limit that falls
from turn to turn. If the hand ends, its score counts; if not, the value of the position does: what utility and deadwood
of both hands were worth in points in self-play, by stage of the hand (utility_search.json, `rummylab train gin-value`).
Make the move with the best mean. Always show gin.

Played to the end of the hand instead, chance hides the difference between moves: a hand swings by thirty points, two
good discards differ by one. The value of the position is what makes a few hundred worlds enough.

Departures: the paper only names the idea; all of this is ours. Measured in docs/results/utility-as-value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.agents.gin import utility_policy
from rummylab.agents.gin.utility import belief_weights, tuned
from rummylab.agents.gin.utility_policy import (
    CALM,
    PRICES,
    SHAPED,
    UtilityOptions,
    loose_cards,
    price_for_opponent,
    quick_sum_of_utilities,
    sample_opponent,
    state_of,
    worth,
    write_discards,
    write_prices,
)
from rummylab.agents.register import register_agent
from rummylab.beliefs.gin import network, shape
from rummylab.beliefs.gin.uniform import unseen
from rummylab.cards import melds
from rummylab.cards.bits import always_inline, lowest, points, popcount, stack_array, stack_table
from rummylab.cards.melds import Masks, min_deadwood
from rummylab.cards.rng import any_card, below, swap_cards
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import check_kind, check_numbers, read_numbers
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin.rules import (
    DISCARD,
    DISCARD_CODE,
    DRAW,
    KNOCK_CODE,
    OFFER,
    RECORD,
    SHOW_BIG_GIN,
    SPREAD,
    TAKE_UP_CARD,
    WALL,
    bit,
    can_knock,
    can_take,
    decline,
    discards,
    step,
)
from rummylab.games.gin.showdown import at_the_wall, lay_down_all, showdown_code

Scores = npt.NDArray[np.float64]

MAX_CANDIDATES = 11
WORLDS_OF_A_HAND = 2
"""Worlds that share a sampled hand of the opponent, each with an order of the stock of its own."""
STAGE_STARTS = (0, 3, 6, 10, 15)
"""Turns at which the stages of a hand begin; each stage has its own values."""
N_STAGES, N_VALUES = len(STAGE_STARTS), 3
N_BELIEF = network.N_WEIGHTS + shape.N_KINDS * shape.N_SHAPE


FORMAT, VERSION = "rummylab gin value", 1
ARTIFACT = Path(__file__).with_suffix(".json")


@dataclass(frozen=True, kw_only=True)
class SearchOptions(AgentOptions):
    """Options of the search, and those of the utility agent that it consults."""

    worlds: int = option(200, "Sampled worlds: a hand of the opponent and an order of the stock.", low=1, high=10_000)
    candidates: int = option(4, "Discards that are tried, the best by utility.", low=1, high=MAX_CANDIDATES)
    depth: int = option(4, "Turns of both players in a world after the turn to decide on.", low=0)
    knock_from: float = option(4.8, "In a world, both players knock with at most this deadwood in the first turn.")
    knock_fall: float = option(1.25, "In a world, how much that limit falls with every turn; gin is always shown.")
    utility: UtilityOptions = option(replace(tuned("utility-dnn"), belief=SHAPED))


P = SearchOptions.indices()
UTILITY = len(P) - utility_policy.WEIGHTS
"""Where the options of `utility-dnn` begin in ``params``; the weights of its belief follow all options."""
VALUES = len(P) + N_BELIEF
"""Where the values begin in ``params``, after the belief: tempo, utility and deadwood for each stage."""


def load_values(path: Path) -> list[float]:
    """Return the values of the artifact *path*, stage by stage; raise `ArtifactError` if it does not fit."""
    found = read_numbers(path)
    check_kind(found, path.name, FORMAT, VERSION)
    return check_numbers(found.get("values"), N_STAGES * N_VALUES, path.name, "values")


def weights(options: SearchOptions) -> Floats:
    """Return the weights of the network and of the shape of hands, then the values."""
    belief = belief_weights(replace(options.utility, belief=SHAPED))
    return np.concatenate([belief, np.array(load_values(ARTIFACT), np.float32)])


# --- The value of a position --------------------------------------------------------------------------------------


@helper
def utility_of(hand: int, dead: int, limit: int, price: Floats, params: Params) -> tuple[float, int]:
    """Return the utility and the deadwood of ten cards; *dead* are cards in the pile that the prices do not reflect."""
    always_inline()
    loose = loose_cards(hand, price, CALM, params)
    deadwood = points(loose)
    total = quick_sum_of_utilities(loose, (hand & ~loose) | dead, price, state_of(loose, limit), params)
    return worth(total, popcount(loose), deadwood, limit, params), deadwood


@helper
def stage_of_turn(turn: int) -> int:
    """Return the stage of the hand that *turn* belongs to."""
    stage = 0
    while stage + 1 < N_STAGES and turn >= STAGE_STARTS[stage + 1]:
        stage += 1
    return stage


@helper
def value(row: np.void, seat: int, pile: int, prices: npt.NDArray[np.float32], params: Params) -> float:
    """Return what the position is worth to *seat*: the score if the hand is over, otherwise an estimate.

    *prices* are the lists of *seat* and of the opponent, written when *pile* was the discard pile.
    """
    table = row.table
    if table.actor < 0:
        if table.winner < 0:
            return 0.0
        return float(table.points) if table.winner == seat else -float(table.points)
    mine, theirs = row.mine[seat].hand, row.mine[1 - seat].hand
    limit, dead = np.int64(table.limit), table.pile & ~pile
    utility = params[UTILITY:]
    my_utility, my_deadwood = utility_of(mine, dead, limit, prices[0], utility)
    their_utility, their_deadwood = utility_of(theirs, dead, limit, prices[1], utility)
    at = VALUES + N_VALUES * stage_of_turn(table.turn)
    tempo = params[at] if table.actor == seat else -params[at]
    better = params[at + 1] * (my_utility - their_utility)
    return tempo + better + params[at + 2] * (their_deadwood - my_deadwood)


# --- Worlds -------------------------------------------------------------------------------------------------------


@helper
def imagine(table: np.void, mine: np.void, theirs: int, n_drawn: int, row: np.void) -> None:
    """Write to *row* a stock for an opponent who holds *theirs*; its first *n_drawn* cards are random."""
    left = unseen(table, mine) & ~theirs
    n = 0
    while left:
        row.deck[n] = lowest(left)
        left &= left - 1
        n += 1
    for i in range(min(n_drawn, n)):
        swap_cards(row, i, i + below(mine, n - i))


@helper
def begin(table: np.void, mine: np.void, theirs: int, rng: np.uint64, row: np.void) -> None:
    """Write to *row* the position if the opponent held *theirs*; both players have the random stream *rng*."""
    row.table = table
    row.pos = 0
    for seat in range(2):
        row.mine[seat].seat = seat
        row.mine[seat].rng = rng
        row.mine[seat].hand = mine.hand if seat == mine.seat else theirs
        row.mine[seat].drawn = mine.drawn if seat == mine.seat else -1


@helper
def takes(table: np.void, mine: np.void) -> bool:
    """Return whether a player in a world takes the upcard: if it melds."""
    up = bit(table.up)
    return melds.melded(mine.hand | up) & up != 0


@helper
def knocks(table: np.void, deadwood: int, params: Params) -> bool:
    """Return whether a player in a world knocks rather than keep *deadwood* after the discard."""
    limit = min(params[P.knock_from] - params[P.knock_fall] * (table.turn >> 1), float(table.limit))
    return deadwood == 0 or deadwood <= limit


@helper
def plain_move(table: np.void, mine: np.void, params: Params) -> int:
    """Return the move of either player in a world."""
    if table.phase == DRAW or table.phase == OFFER:
        return TAKE_UP_CARD if can_take(table) and takes(table, mine) else decline(table)
    if table.phase == DISCARD:
        cards, left = melds.best_discards(mine.hand, discards(table, mine))
        return (KNOCK_CODE if knocks(table, left, params) else DISCARD_CODE) + any_card(mine, cards)
    if table.phase == WALL:
        return at_the_wall(table, mine)
    return showdown_code(table, mine)


@helper
def play_turns(row: np.void, last: int, params: Params) -> None:
    """Play turns of a draw and a discard by `plain_move` until *last*; leave what is more than that to `step`.

    That is a knock, the end of the stock, or a preset with rules of its own for upcards. The table's notes of who took
    and threw what stay as they are: in a world nobody reads them.
    """
    table = row.table
    rules = table.rules
    if table.phase != DRAW or rules.upcard_cap or rules.refuse_repeats or rules.discard_taken:
        return
    n = min(last - table.turn, table.stock - rules.wall - 1)
    if rules.turn_cap > 0:
        n = min(n, rules.turn_cap - table.turn - 1)
    for _ in range(n):
        mine = row.mine[table.actor & 1]
        from_pile = bit(table.up) if takes(table, mine) else np.int64(0)
        drawn = from_pile if from_pile else bit(row.deck[row.pos & 63])
        cards, left = melds.best_discards(mine.hand | drawn, (mine.hand | drawn) & ~from_pile)
        if knocks(table, left, params):
            return
        thrown = any_card(mine, cards)
        mine.hand = (mine.hand | drawn) ^ bit(thrown)
        table.pile = (table.pile & ~from_pile) | bit(thrown)
        table.up = thrown
        row.pos += from_pile == 0
        table.stock -= from_pile == 0
        table.back_and_forth = 0
        table.actor = 1 - table.actor
        table.turn += 1


@helper
def play_on(row: np.void, last: int, params: Params) -> None:
    """Play a world to its end or to the draw of the turn *last*."""
    table = row.table
    play_turns(row, last, params)
    while table.actor >= 0 and (table.turn < last or table.phase != DRAW):
        if table.phase == SPREAD and not table.rules.defender_lays_off:
            lay_down_all(row)
        else:
            step(row, plain_move(table, row.mine[table.actor], params))
            play_turns(row, last, params)


@helper
def search(
    table: np.void, mine: np.void, codes: Masks, scores: Scores, n: int, params: Params, belief: Floats, hands: Masks
) -> int:
    """Add to *scores* the mean value of each of the *n* moves *codes* over the worlds; return the best move."""
    rows = np.empty(1, RECORD)
    row = rows[0]
    prices = stack_table(2, PRICES, np.float32)
    write_prices(table.pile, table.turn, belief, params[UTILITY:], prices[0])
    price_for_opponent(table, params[UTILITY:], prices[1])
    depth = np.int64(params[P.depth])
    last = table.turn + depth + (table.phase == DISCARD)
    worlds = np.int64(params[P.worlds])
    for i in range(worlds):
        rng, theirs = mine.rng, hands[i % len(hands)]
        imagine(table, mine, theirs, depth + 1, row)
        for k in range(n):
            begin(table, mine, theirs, rng, row)
            step(row, codes[k])
            play_on(row, last, params)
            scores[k] += value(row, mine.seat, table.pile, prices, params) / worlds
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
    params: Params,
    belief: Floats,
    hands: Masks,
    codes: Masks,
) -> int:
    """Write the discards with the highest utility, less the opponent's gain, to *codes*; return how many."""
    utility = params[UTILITY:]
    worths, gains = stack_array(64, np.float32), stack_array(64, np.float32)
    n_hands = min(len(hands), np.int64(utility[utility_policy.P.samples]))
    legal = discards(table, mine)
    free = write_discards(table, mine, legal, by_deadwood, utility, belief, hands, n_hands, worths, gains)
    if free == 0:  # all melded: keep the melds
        codes[0] = DISCARD_CODE + lowest(by_deadwood)
        return 1
    n = 0
    while free and n < params[P.candidates]:
        most, top = np.float32(-1e9), np.int64(0)
        left = free
        while left:
            card = lowest(left)
            left &= left - 1
            liked = worths[card] - utility[utility_policy.P.opp_util_importance] * gains[card]
            if liked > most:
                most, top = liked, card
        free &= ~bit(top)
        codes[n] = DISCARD_CODE + top
        n += 1
    return n


@helper
def discard(table: np.void, mine: np.void, params: Params, belief: Floats, hands: Masks) -> int:
    """Show gin; otherwise discard or knock, whichever scores best."""
    best, least = melds.best_discards(mine.hand, discards(table, mine))
    may_knock = least <= table.limit and can_knock(table, mine, lowest(best))
    if least == 0 and may_knock:
        return KNOCK_CODE + lowest(best)
    codes, scores = np.empty(MAX_CANDIDATES + 1, np.int64), np.zeros(MAX_CANDIDATES + 1, np.float64)
    n = write_candidates(table, mine, best, params, belief, hands, codes)
    if may_knock:
        codes[n] = KNOCK_CODE + lowest(best)
        n += 1
    return search(table, mine, codes, scores, n, params, belief, hands) if n > 1 else codes[0]


@register_agent(
    game="gin",
    name="utility-search",
    summary="Plays its candidates some turns ahead in sampled worlds, where utility judges the position",
    source="ours, on the future work of the opponent-hand paper",
    options=SearchOptions,
    weights=weights,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Search the draw or the discard; leave the rest to the solvers."""
    is_draw = table.phase == DRAW or table.phase == OFFER
    if table.phase == WALL:
        return at_the_wall(table, mine)
    if not is_draw and table.phase != DISCARD:
        return showdown_code(table, mine)
    if is_draw and not can_take(table):
        return decline(table)
    if table.phase == DISCARD and table.rules.big_gin_bonus > 0 and min_deadwood(mine.hand) == 0:
        return np.int64(SHOW_BIG_GIN)
    utility = params[UTILITY:]
    belief = stack_array(52, np.float32)
    network.fill(table, mine, utility, utility_policy.WEIGHTS, belief)
    hands = np.empty((np.int64(params[P.worlds]) + WORLDS_OF_A_HAND - 1) // WORLDS_OF_A_HAND, np.int64)
    sample_opponent(table, mine, utility, belief, hands, len(hands))
    if not is_draw:
        return discard(table, mine, params, belief, hands)
    codes, scores = np.empty(2, np.int64), np.zeros(2, np.float64)
    codes[0], codes[1] = decline(table), TAKE_UP_CARD
    return search(table, mine, codes, scores, np.int64(2), params, belief, hands)
