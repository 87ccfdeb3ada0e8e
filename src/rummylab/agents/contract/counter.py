"""Counter: count cards, infer the opponent's hand, and play for the position with the highest value.

Source: ours; the agent does what the rules text of Chinese Rummy names as the limits of its own AI: probabilities,
hidden information, the endgame. Policy: of all ways to end a turn (which card to discard, whether to lay down or to
wait) choose the one that leaves the position with the highest value; likewise choose between the pile and the stock,
averaged over all unseen cards. Once laid down, lay off whatever fits, and end the round when possible. `counting`
computes the value of a position: how far the hand is from the contract and how many live cards help, what it costs to
be caught, how soon a laid-down hand goes out, what the opponent is known to hold, has discarded and refused, and
whether the discard helps them. Departures: none; the agent is our own. It plays contracts other than two sets of three
from seven cards like `chinese-heuristic`. Measured in docs/agents/contract.md.
"""

from __future__ import annotations

import numpy as np

from rummylab._jit import helper
from rummylab.agents.contract.counting import (
    ROOM,
    WINS_ARTIFACT,
    WINS_BONUS,
    CounterOptions,
    P,
    fitting,
    load_artifact,
    situation,
    unseen_cards,
    unseen_wilds,
    worth,
    worth_of_going_out,
    write_features,
)
from rummylab.agents.contract.heuristic import CHOSEN_ORDER, choose, lay_off
from rummylab.agents.register import Variant, register_agent
from rummylab.cards.bits import ALL_CARDS, EACH_SUIT, bit, lowest, popcount, ranks_of
from rummylab.cards.card import JOKER_ID
from rummylab.cards.rng import any_card, below, unit
from rummylab.engine.rows import Floats, Params
from rummylab.games.contract import rules as r
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.melds import TWOS, at_least, dearest_rank, wilds_for_sets

_NOT_YET = -1e9


# --- The end of a turn --------------------------------------------------------------------------------------------


@helper
def _best_discard(
    table: np.void,
    seat: int,
    hand: int,
    wilds: int,
    allowed: int,
    laid_down: bool,
    fit: int,
    live: int,
    live_wilds: int,
    params: Params,
    room: Floats,
) -> tuple[float, int]:
    """Return the value of the best position after a discard from naturals *hand* and *wilds*, and the discard.

    A wild is discarded only if there is nothing else.
    """
    network = situation(table, seat, laid_down)
    ranks = ranks_of(hand & allowed)
    if ranks == 0:
        write_features(table, seat, hand, wilds - 1, fit, np.int64(JOKER_ID), live, live_wilds, room)
        return worth(params, network, room), np.int64(JOKER_ID)
    best, found = _NOT_YET, np.int64(-1)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        card = lowest(hand & allowed & (np.int64(EACH_SUIT) << rank))
        write_features(table, seat, hand & ~bit(card), wilds, fit, card, live, live_wilds, room)
        value = worth(params, network, room)
        if value > best:
            best, found = value, card
    return best, found


@helper
def _after_lay_down(hand: int, fit: int) -> tuple[int, int]:
    """Return what is left of the naturals *hand* after two sets and all layoffs, and which cards fit then.

    Natural sets go first, then the costliest, as in `next_meld`; leftover wilds are laid off too.
    """
    for _ in range(2):
        two, three, _ = at_least(hand)
        ranks = three if three else two
        if ranks:
            of_rank = np.int64(EACH_SUIT) << dearest_rank(ranks)
            hand, fit = hand & ~of_rank, fit | of_rank
    return hand & ~fit, fit


@helper
def _end_turn(
    table: np.void,
    seat: int,
    hand: int,
    wilds: int,
    allowed: int,
    laid_down: bool,
    fit: int,
    live: int,
    live_wilds: int,
    params: Params,
    room: Floats,
) -> tuple[float, int, bool]:
    """Return the value of the best end of a turn with naturals *hand* and *wilds*, its discard, whether to lay down.

    The discard is -1 if laying down or going out comes first.
    """
    if laid_down:
        left = hand & ~fit
        if popcount(left) <= 1:
            return worth_of_going_out(table, seat, live, live_wilds, params), np.int64(-1), False
        value, card = _best_discard(table, seat, left, np.int64(0), allowed, True, fit, live, live_wilds, params, room)
        return value, card, False
    now = _NOT_YET
    if wilds_for_sets(hand, np.int64(2), np.int64(3), table.rules.same_rank != 0, np.int64(0)) <= wilds:
        left, fits = _after_lay_down(hand, fit)
        if popcount(left) <= 1:
            return worth_of_going_out(table, seat, live, live_wilds, params), np.int64(-1), True
        now, _ = _best_discard(
            table, seat, left, np.int64(0), np.int64(ALL_CARDS), True, fits, live, live_wilds, params, room
        )
    later, card = _best_discard(table, seat, hand, wilds, allowed, False, fit, live, live_wilds, params, room)
    if now >= later:
        return now, np.int64(-1), True
    return later, card, False


# --- Moves --------------------------------------------------------------------------------------------------------


@helper
def _draw(table: np.void, mine: np.void, params: Params, room: Floats) -> int:
    """Take the upcard if the rest of the turn is then worth more than with an average card from the stock."""
    if table.up < 0:
        return np.int64(r.DRAW_STOCK)
    seat, up, every = np.int64(mine.seat), np.int64(table.up), np.int64(ALL_CARDS)
    down, fit = r.has_laid_down(table, seat), fitting(table)
    live, n_wild = unseen_cards(table, mine) & ~TWOS, unseen_wilds(table, mine)
    n_unseen = popcount(live) + n_wild
    hand, wilds = mine.hand & ~TWOS, r.n_wilds(table.rules, mine.hand, mine.twice, mine.jokers)
    if r.is_wild(table.rules, up):
        taken, _, _ = _end_turn(table, seat, hand, wilds + 1, every, down, fit, live, n_wild, params, room)
    else:
        taken, _, _ = _end_turn(table, seat, hand | bit(up), wilds, every, down, fit, live, n_wild, params, room)
    total = 0.0
    if n_wild > 0:
        value, _, _ = _end_turn(table, seat, hand, wilds + 1, every, down, fit, live, n_wild - 1, params, room)
        total += n_wild * value
    ranks = ranks_of(live)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        cards = live & (np.int64(EACH_SUIT) << rank)
        card = bit(lowest(cards))
        value, _, _ = _end_turn(table, seat, hand | card, wilds, every, down, fit, live & ~card, n_wild, params, room)
        total += popcount(cards) * value
    return np.int64(r.DRAW_PILE) if n_unseen == 0 or taken > total / n_unseen else np.int64(r.DRAW_STOCK)


@helper
def _play(table: np.void, mine: np.void, params: Params, room: Floats) -> int:
    """Lay off what fits; then lay down or discard, whichever is worth more."""
    seat = np.int64(mine.seat)
    down, fit = r.has_laid_down(table, seat), fitting(table)
    if down:
        code = lay_off(table, mine)
        if code >= 0:
            return code
    allowed = r.discards(table, mine)
    live, n_wild = unseen_cards(table, mine) & ~TWOS, unseen_wilds(table, mine)
    hand, wilds = mine.hand & ~TWOS, r.n_wilds(table.rules, mine.hand, mine.twice, mine.jokers)
    if not down:
        _, card, lays_down = _end_turn(table, seat, hand, wilds, allowed, down, fit, live, n_wild, params, room)
        if lays_down:
            return next_meld(table, mine)
    else:
        _, card = _best_discard(table, seat, hand, wilds, allowed, down, fit, live, n_wild, params, room)
    return r.DISCARD_CODE + (lowest(allowed) if r.is_wild(table.rules, card) else card)


@helper
def _random_move(table: np.void, mine: np.void) -> int:
    """Return a random move, for training data. Wilds are not discarded, and melds stay in the hand."""
    if table.phase == r.DRAW:
        return np.int64(r.DRAW_PILE) if table.up >= 0 and below(mine, np.int64(2)) else np.int64(r.DRAW_STOCK)
    cards = r.discards(table, mine)
    naturals = cards & ~TWOS & ALL_CARDS
    return r.DISCARD_CODE + any_card(mine, naturals if naturals else cards)


@helper
def _knows(table: np.void) -> bool:
    """Return whether the values were fitted to this contract."""
    number = r.round_of(table)
    rules = table.rules
    is_two_sets = rules.set_sizes[number] == 0x33 and rules.runs[number] == 0
    return is_two_sets and rules.hand_size[number] == 7 and rules.seats == 2 and rules.decks == 1


@register_agent(
    game="contract",
    name="chinese-counter",
    summary="Counts cards, infers the opponent's hand and plays for the position with the highest value",
    source="ours, on the limits the text names of its AI",
    options=CounterOptions,
    weights=lambda _: load_artifact(),
    variants={
        "chinese-counter-wins": Variant(
            summary="Counts cards and plays for the most rounds won instead of the most points",
            source="ours, on the limits the text names of its AI",
            options=CounterOptions(bonus=WINS_BONUS),
            weights=lambda _: load_artifact(WINS_ARTIFACT),
        ),
    },
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Choose the draw and the end of the turn with the highest value."""
    if table.phase == r.LAY_DOWN or not _knows(table) or not r.can_draw_stock(table):
        return choose(table, mine, np.int64(CHOSEN_ORDER), False)
    if params[P.random_turns] > 0 and unit(mine) < params[P.random_turns] and not r.has_laid_down(table, mine.seat):
        return _random_move(table, mine)
    room = np.empty(ROOM, np.float32)
    return _draw(table, mine, params, room) if table.phase == r.DRAW else _play(table, mine, params, room)
