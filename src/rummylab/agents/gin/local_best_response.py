"""Local best response: a probe that knows its opponent's policy and plays the best next move against it.

Source: Lisý and Bowling (2017), "Equilibrium approximation quality of current no-limit poker bots". There the probe
knows the strategy that it plays against, keeps the exact distribution of the opponent's cards by Bayes' rule, and makes
the move with the highest expected value if both players check and call after it. It needs no training, and what it wins
is a lower bound of what the opponent loses to a best response.

In Gin neither part is exact, so the bound is weaker:

- *The opponent's hand.* Possible hands come from the joint belief (:mod:`rummylab.beliefs.gin.joint`), and the policy
  itself is asked about them: the last turns of the opponent are replayed with a hand, and where the policy would have
  drawn or discarded otherwise, the hand loses weight. The card drawn from the stock in such a turn is unknown, and is
  guessed.
- *The moves.* Close moves are tried in worlds made of these hands. In a world the opponent's next turn is the policy's
  own: draw, discard or knock. What follows is worth what the networks of `champion` say, which takes the place of
  poker's check and call.

The probe plays legally and sees no hidden card. Its share of games won, over what `champion` itself wins on the same
deals, is what knowing the policy is worth: at least so much can be gained.

Not an agent for people: it is made for one opponent by :func:`response_to`, by ``benchmarks/local_best_response.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rummylab._jit import helper, kernel_of
from rummylab.agents.gin import champion_search
from rummylab.agents.gin.champion import prefers_knock
from rummylab.agents.gin.champion_search import (
    ALL_TURNS,
    BELIEF,
    CHAMPION,
    MAX_CANDIDATES,
    VALUES,
    best_blend,
    knock_points,
    next_value,
    sample_hands,
    score_stock,
    write_candidates,
)
from rummylab.agents.gin.champion_values import WORK, draw_values, look, turn_values
from rummylab.agents.gin.common import closing_code, draw_code, has_big_gin, is_draw
from rummylab.agents.gin.utility_search import begin
from rummylab.beliefs.gin import joint
from rummylab.beliefs.gin.uniform import unseen
from rummylab.cards.bits import ALL_CARDS, bit, lowest, noinline, stack_record
from rummylab.cards.melds import Masks, min_deadwood
from rummylab.cards.rng import any_card, unit
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.pointers import with_entry
from rummylab.engine.rows import Floats, Params, Rows
from rummylab.games.gin.rules import (
    ACT,
    DISCARD,
    DISCARD_CODE,
    DRAW,
    DRAW_STOCK,
    FROM_STOCK,
    KNOCK_CODE,
    PASS,
    RECORD,
    SHOW_BIG_GIN,
    TAKE_UP_CARD,
    can_knock,
    can_take,
    decline,
    open_hand,
    step,
)

MOST_TURNS = 4
"""Past turns of the opponent that are replayed at most."""


@dataclass(frozen=True, kw_only=True)
class ResponseOptions(AgentOptions):
    """Options of the probe."""

    hands: int = option(160, "Possible hands that the policy is asked about.", low=1, high=10_000)
    worlds: int = option(64, "Hands that moves are tried in, drawn from those by weight.", low=1, high=10_000)
    turns: int = option(2, "Past turns of the opponent that are replayed.", low=0, high=MOST_TURNS)
    doubt: float = option(0.1, "Factor of a hand's weight for each decision that the policy disagrees with.", low=0)
    candidates: int = option(3, "Discards that are tried at most.", low=1, high=MAX_CANDIDATES)
    margin: float = option(3.0, "Moves this many points below the best are tried.", low=0)
    share: float = option(0.6, "Share of the worlds in the value of a move.", low=0, high=1)


P = ResponseOptions.indices()
SEARCH = len(P)
"""Where the numbers of `champion-search` begin in ``params``."""
POLICY = SEARCH + BELIEF + joint.N_WEIGHTS
"""Where the numbers of the opponent begin."""


# --- 1. The hand so far -------------------------------------------------------------------------------------------

_FIRST = 31
"""The place of the first upcard in the notes; the turns are before it, four of 16 bits in each number."""
_TAKEN, _NOTED = 64, 128


@helper
def note_turn(mine: np.void, turn: int, took: bool, card: int) -> None:
    """Note that in *turn* the upcard was taken, or not, and *card* was thrown."""
    place, shift = (turn >> 2) & 15, (turn & 3) * 16
    event = np.int64(_NOTED + card + (_TAKEN if took else 0))
    mine.memory[place] = (mine.memory[place] & ~(np.int64(0xFFFF) << shift)) | (event << shift)


@helper
def noted_turn(mine: np.void, turn: int) -> int:
    """Return what was noted for *turn*: `_NOTED`, `_TAKEN` if the upcard was taken, and the card thrown."""
    return (mine.memory[(turn >> 2) & 15] >> ((turn & 3) * 16)) & 0xFFFF


@helper
def note_turns(table: np.void, mine: np.void) -> None:
    """Note the last turns of both players, before a draw of the player's own."""
    seat = mine.seat
    if mine.memory[_FIRST] == 0:
        mine.memory[_FIRST] = 1 + (table.up if table.turn == 0 else table.last_draw[1 - seat])
    for back in range(1, 3):
        who = seat if back == 2 else 1 - seat
        if table.turn >= back and table.last_discard[who] >= 0:
            note_turn(mine, table.turn - back, table.last_draw[who] != FROM_STOCK, table.last_discard[who])


@helper
def replay(table: np.void, mine: np.void, n: int, rows: Rows) -> int:
    """Write the positions before the opponent's last *n* turns to *rows*, the last one first; return how many.

    What is public is right in them; hands and deck are not.
    """
    noinline()
    row = rows[n]
    row.table = table
    first = mine.memory[_FIRST] - 1
    place, left = 0, ALL_CARDS & ~bit(first)
    while left:
        row.deck[place] = lowest(left)
        left &= left - 1
        place += 2 if place == 19 else 1
    row.deck[20] = first
    row.mine[0].rng = row.mine[1].rng = mine.rng
    open_hand(row)
    for _ in range(table.offers):
        step(row, PASS)
    last = np.int64(table.turn) - (1 if table.actor == mine.seat else 0)
    for turn in range(table.turn):
        event = noted_turn(mine, turn)
        back = last - turn
        if back >= 0 and back & 1 == 0 and back >> 1 < n:
            rows[back >> 1] = row
        step(row, TAKE_UP_CARD if event & _TAKEN else DRAW_STOCK)
        step(row, DISCARD_CODE + (event & 63))
    return min(n, (last >> 1) + 1)


# --- 2. Worlds -------------------------------------------------------------------------------------------------


@helper
def begin_world(table: np.void, mine: np.void, theirs: int, row: np.void) -> None:
    """Write to *row* the position if the opponent held *theirs*, with two random cards on top of the stock.

    The opponent has no notes there: nobody knows what a policy has noted.
    """
    begin(table, mine, theirs, mine.rng, row)
    row.mine[1 - mine.seat].memory[:] = 0
    stock = unseen(table, mine) & ~theirs
    row.deck[0] = any_card(mine, stock)
    row.deck[1] = any_card(mine, stock & ~bit(row.deck[0]))


@helper
def choose_worlds(mine: np.void, hands: Masks, weights: Floats, worlds: Masks) -> None:
    """Fill *worlds* with hands, drawn by weight (systematically)."""
    total = 0.0
    for i in range(len(hands)):
        total += weights[i]
    step_size = total / len(worlds)
    goal = unit(mine) * step_size
    reached, k = float(weights[0]), 0
    for i in range(len(worlds)):
        while reached < goal and k + 1 < len(hands):
            k += 1
            reached += weights[k]
        worlds[i] = hands[k]
        goal += step_size


@helper
def mean_knock(table: np.void, hand: int, worlds: Masks) -> float:
    """Return what a knock with the ten cards *hand* wins on average if the opponent holds *worlds*."""
    kept = min_deadwood(hand)
    total = 0.0
    for i in range(len(worlds)):
        total += knock_points(hand, kept, worlds[i], table.rules)
    return total / len(worlds)


@helper
def own_discard(row: np.void, seat: int, search: Params, work: np.void, values: Floats) -> tuple[int, float]:
    """Return the champion's discard, and its value; -1 for a knock, with its value."""
    table, mine = row.table, row.mine[seat]
    sight = look(table, mine, ALL_TURNS)
    card, value, knock, knock_value = turn_values(table, mine, sight, search, VALUES, work, values)
    if knock >= 0 and (knock_value > value or min_deadwood(mine.hand & ~bit(knock)) == 0):
        return np.int64(-1), float(knock_value)
    return card, float(value)


class LookAhead(NamedTuple):
    """Helpers that know the policy of one opponent."""

    sample_worlds: Any
    """``sample_worlds(table, mine, worlds, params)`` fills *worlds* with hands that explain what the opponent did."""
    score_discards: Any
    """``score_discards(table, mine, cards, n, worlds, params, work, scores)`` says what *n* discards are worth."""
    gain_of_draw: Any
    """``gain_of_draw(table, mine, code, worlds, params, work)`` says how much more a draw is worth than the networks
    say of the discards to which it leads."""


def look_ahead(opponent: CompiledAgent) -> LookAhead:
    """Return the helpers that ask the kernel of *opponent*."""
    ask = opponent.kernel

    @helper
    def weight_of(theirs: int, mine: np.void, past: Rows, n: int, spare: Rows, params: Params) -> float:
        """Return how well the hand *theirs* explains the opponent's last *n* turns, which *past* holds."""
        weight, hand, other = 1.0, theirs, 1 - mine.seat
        for k in range(n):
            spare[0] = past[k]
            row = spare[0]
            table, own = row.table, row.mine[other]
            event = noted_turn(mine, table.turn)
            took, thrown = event & _TAKEN != 0, event & 63
            eleven = hand | bit(thrown)
            drawn = np.int64(table.up) if took else any_card(mine, eleven & ~table.known[other])
            hand = eleven & ~bit(drawn)
            own.hand = hand
            if (ask(table, own, params[POLICY:]) == TAKE_UP_CARD) != took:
                weight *= params[P.doubt]
            row.deck[row.pos] = drawn
            step(row, TAKE_UP_CARD if took else decline(table))
            if ask(table, own, params[POLICY:]) != DISCARD_CODE + thrown:
                weight *= params[P.doubt]
        return weight

    @helper
    def sample_worlds(table: np.void, mine: np.void, worlds: Masks, params: Params) -> None:
        """Fill *worlds* with hands of the opponent that explain what they did."""
        noinline()
        hands = np.empty(np.int64(params[P.hands]), np.int64)
        weights = np.ones(len(hands), np.float32)
        sample_hands(table, mine, params[SEARCH:], hands)
        past, spare = np.empty(MOST_TURNS + 1, RECORD), np.empty(1, RECORD)
        n = replay(table, mine, np.int64(params[P.turns]), past)
        for i in range(len(hands)):
            if i > 0 and hands[i] == hands[i - 1] and n < 2:
                weights[i] = weights[i - 1]
            else:
                weights[i] = weight_of(hands[i], mine, past, n, spare, params)
        choose_worlds(mine, hands, weights, worlds)

    @helper
    def value_of_reply(row: np.void, seat: int, params: Params, work: np.void, values: Floats) -> float:
        """Return what the position is worth to *seat* if the opponent, to draw, plays the policy."""
        noinline()
        table, own = row.table, row.mine[1 - seat]
        if table.actor < 0 or table.phase != DRAW:
            return 0.0  # the last card of the stock: nobody wins
        step(row, ask(table, own, params[POLICY:]))
        code = ask(table, own, params[POLICY:])
        if code >= KNOCK_CODE or code == SHOW_BIG_GIN:
            kept = own.hand & ~bit(code - KNOCK_CODE) if code >= KNOCK_CODE else own.hand
            return -float(knock_points(kept, min_deadwood(kept), row.mine[seat].hand, table.rules))
        step(row, code)
        return next_value(row, seat, params[SEARCH:], work, values)

    @helper
    def score_discards(
        table: np.void,
        mine: np.void,
        cards: Masks,
        n: int,
        worlds: Masks,
        params: Params,
        work: np.void,
        scores: Floats,
    ) -> None:
        """Write to *scores* what the *n* discards *cards* are worth on average in *worlds*."""
        noinline()
        rows, values = np.empty(2, RECORD), np.empty(64, np.float32)
        seat = np.int64(mine.seat)
        scores[:n] = 0.0
        for i in range(len(worlds)):
            begin_world(table, mine, worlds[i], rows[0])
            for k in range(n):
                rows[1] = rows[0]
                step(rows[1], DISCARD_CODE + cards[k])
                scores[k] += value_of_reply(rows[1], seat, params, work, values)
        scores[:n] /= len(worlds)

    @helper
    def gain_of_draw(table: np.void, mine: np.void, code: int, worlds: Masks, params: Params, work: np.void) -> float:
        """Return how much more a draw is worth than the networks say of the discards to which it leads."""
        noinline()
        rows, values = np.empty(1, RECORD), np.empty(64, np.float32)
        row, seat = rows[0], np.int64(mine.seat)
        total = 0.0
        for i in range(len(worlds)):
            begin_world(table, mine, worlds[i], row)
            step(row, code)
            card, value = own_discard(row, seat, params[SEARCH:], work, values)
            if card >= 0:
                step(row, DISCARD_CODE + card)
                total += value_of_reply(row, seat, params, work, values) - value
        return total / len(worlds)

    return LookAhead(sample_worlds, score_discards, gain_of_draw)


# --- 3. Decisions -------------------------------------------------------------------------------------------------


def response_to(opponent: CompiledAgent, options: ResponseOptions | None = None) -> CompiledAgent:
    """Return the probe for games against *opponent*, whose kernel it asks."""
    sample_worlds, score_discards, gain_of_draw = look_ahead(opponent)

    @helper
    def respond_draw(table: np.void, mine: np.void, params: Params) -> int:
        """Take the upcard or decline it, whichever is worth more."""
        note_turns(table, mine)
        if not can_take(table):
            return decline(table)
        work, search = stack_record(WORK), params[SEARCH:]
        take, stock = draw_values(table, mine, look(table, mine, ALL_TURNS), search, VALUES, work)
        if table.phase == DRAW and table.stock > table.rules.wall + 1 and abs(take - stock) < params[P.margin]:
            worlds = np.empty(np.int64(params[P.worlds]), np.int64)
            sample_worlds(table, mine, worlds, params)
            share = params[P.share]
            stock += share * (score_stock(table, mine, worlds, search, work) - stock)
            take += share * gain_of_draw(table, mine, np.int64(TAKE_UP_CARD), worlds, params, work)
            stock += share * gain_of_draw(table, mine, np.int64(DRAW_STOCK), worlds, params, work)
        return draw_code(table, take > stock)

    @helper
    def respond_discard(table: np.void, mine: np.void, params: Params) -> int:
        """Knock or discard, whichever is worth most; show gin at once."""
        if has_big_gin(table, mine):
            return np.int64(SHOW_BIG_GIN)
        work, search = stack_record(WORK), params[SEARCH:]
        values = np.empty(64, np.float32)
        sight = look(table, mine, ALL_TURNS)
        card, value, knock, knock_value = turn_values(table, mine, sight, search, VALUES, work, values)
        may_knock = knock >= 0 and can_knock(table, mine, knock)
        if may_knock and min_deadwood(mine.hand & ~bit(knock)) == 0:
            return KNOCK_CODE + knock
        best, margin = float(value), params[P.margin]
        is_last = table.stock <= table.rules.wall  # then every discard ends the hand
        if not is_last and (not may_knock or knock_value < value + margin):
            cards, scores = np.empty(MAX_CANDIDATES, np.int64), np.empty(MAX_CANDIDATES, np.float32)
            limits = search[:CHAMPION].copy()
            limits[champion_search.P.margin], limits[champion_search.P.candidates] = margin, params[P.candidates]
            n = write_candidates(table, mine, values, card, limits, cards)
            if n > 1 or (may_knock and abs(knock_value - value) < margin):
                worlds = np.empty(np.int64(params[P.worlds]), np.int64)
                sample_worlds(table, mine, worlds, params)
                score_discards(table, mine, cards, n, worlds, params, work, scores)
                card, best = best_blend(cards, n, values, scores, params[P.share])
                if may_knock:
                    exact = mean_knock(table, mine.hand & ~bit(knock), worlds)
                    knock_value += params[P.share] * (exact - knock_value)
        if may_knock and prefers_knock(table, mine, float(knock_value), best, search[CHAMPION:]):
            return KNOCK_CODE + knock
        return DISCARD_CODE + card

    @helper
    def act(table: np.void, mine: np.void, params: Params) -> int:
        """Make the move that is best against the policy, one turn ahead."""
        if is_draw(table):
            return respond_draw(table, mine, params)
        if table.phase == DISCARD:
            return respond_discard(table, mine, params)
        return closing_code(table, mine)

    chosen = options or ResponseOptions()
    params = np.concatenate([chosen.params, champion_search.act.params, opponent.params]).astype(np.float32)
    compiled = kernel_of(ACT, __file__)(with_entry(act, ACT))
    return CompiledAgent(f"local-best-response({opponent.name})", compiled, params)
