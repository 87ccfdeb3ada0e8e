"""Classic Indian Rummy: the position, what each seat sees, the legal moves, a step, the score.

Play, batches, search and training all use this one implementation. The row numbers are those of the rules
page (``docs/games/indian.md``). A position is one flat record in three parts: ``table`` is what everybody sees,
``mine[seat]`` what only that seat knows, and the rest (the stock's order, the seed of a reshuffle) what nobody knows.

Cards lie in planes, as in every game with two decks (:mod:`rummylab.engine.two_decks`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import EACH_SUIT, LANE, bit, noinline
from rummylab.cards.card import JOKER_ID
from rummylab.cards.planes import take_away
from rummylab.cards.rng import Root, below, reshuffle_seed, shuffle_first, swap_cards
from rummylab.engine.drivers import codes_by_trial, random_seat, table_kernels
from rummylab.engine.kernel_records import clearing, options_record, records_of
from rummylab.engine.two_decks import (
    FROM_STOCK,
    HIDDEN,
    MAX_CARDS,
    MINE,
    clear_mine,
    empty_pile,
    kinds,
    lay_open,
    shuffle_into,
    take_open,
    take_up,
    unplaced,
)
from rummylab.games.indian.melds import card_points
from rummylab.games.indian.mindist import declarations14
from rummylab.games.indian.minscore import PLATFORM, min_score
from rummylab.games.indian.options import CARDS_EACH as CARDS_EACH
from rummylab.games.indian.options import IndianOptions

Rows = npt.NDArray[np.void]
Codes = npt.NDArray[np.int16]

# --- The record ---------------------------------------------------------------------------------------------------

MAX_SEATS = 6

OPTIONS = options_record(
    IndianOptions,
    score_rule="i2",  # its place in `SCORE_RULES`
    aces_wild="i2",  # when a printed joker is the indicator
    limit_difference="i2",
    deals="i2",  # of the match; 0 in a pool
    out_at="i2",  # lost points at which a player of a pool is out; 0: nobody goes out
    start_chips="i4",  # of every player, in deals
    rejoin_limit="i2",  # -1: nobody may rejoin
    split_within="i2",  # first drops from being out at which a split is offered; 0: never
    no_drops="i2",
)

TABLE = np.dtype(
    [
        ("rules", OPTIONS),
        ("pile", "i8"),  # kinds in the open pile
        ("pile_twice", "i8"),
        ("known", "i8", (MAX_SEATS,)),  # kinds a seat is known to hold: taken from the pile and not discarded since
        ("known_twice", "i8", (MAX_SEATS,)),
        ("picked", "i8", (MAX_SEATS,)),  # kinds a seat has ever taken from the pile, with JOKER_BIT
        ("refused", "i8", (MAX_SEATS,)),  # kinds it could have taken but drew from the stock, with JOKER_BIT
        ("thrown", "i8", (MAX_SEATS,)),  # kinds it has discarded, with JOKER_BIT
        ("scores", "i4", (MAX_SEATS,)),  # points won in the match
        ("chips", "i4", (MAX_SEATS,)),  # won less lost in the match, and in deals the chips of the start
        ("lost", "i4", (MAX_SEATS,)),  # points lost in the match; after a rejoin the score it was made at
        ("gains", "i4", (MAX_SEATS,)),  # of this deal, signed; they sum to zero
        ("paid", "i2", (MAX_SEATS,)),  # points lost in this deal
        ("deadwood", "i2", (MAX_SEATS,)),  # MinScore at the end, at most the cap; 0 for players already eliminated
        ("draws", "i2", (MAX_SEATS,)),  # draws by the seat
        ("hand_no", "i2"),  # deals of the match that are over
        ("turn", "i2"),  # completed turns of this deal
        ("round", "i2"),  # completed rounds
        ("stock", "i2"),  # cards left
        ("reshuffles", "i2"),
        ("n_pile", "i2"),
        ("stack", "i1", (MAX_CARDS,)),  # the open pile bottom to top, then -1
        ("pile_jokers", "i1"),
        ("known_jokers", "i1", (MAX_SEATS,)),
        ("last_draw", "i1", (MAX_SEATS,)),  # card id, FROM_STOCK or -1
        ("last_discard", "i1", (MAX_SEATS,)),
        ("status", "i1", (MAX_SEATS,)),  # playing, dropped, wrong or away
        ("place", "i1", (MAX_SEATS,)),  # in the match: 0 while in it, then the rank; `LEAVING` until that is known
        ("rejoins", "i2", (MAX_SEATS,)),
        ("answers", "i1"),  # decisions after the deal: rejoin, leave, split, play on
        ("agreed", "i1"),  # players who want to split
        ("shared", "i1"),  # the pot was split
        ("n_playing", "i1"),
        ("phase", "i1"),
        ("actor", "i1"),  # -1: the deal is over
        ("starter", "i1"),
        ("wild", "i1"),  # rank, 0 = ace
        ("indicator", "i1"),
        ("up", "i1"),  # top of the open pile, -1 while there is none
        ("fresh", "i1"),  # the first open card has not been covered yet
        ("outcome", "i1"),
        ("winner", "i1"),
    ],
    align=True,
)
"""What everybody sees."""

RECORD, VIEW, ACT, ACT_POINTER = records_of(TABLE, MINE, MAX_SEATS, HIDDEN)

DRAW, DISCARD, OVER, REJOIN, SPLIT = range(5)
PHASES = ("draw", "discard", "over", "rejoin", "split")
LEAVING = -1
SHARES = 10_000
"""The whole pot, as shares of it are counted."""
PLAYING, DROPPED, WRONG, AWAY = range(4)
STATUS = ("playing", "dropped", "wrong declaration", "away")
NO_OUTCOME, DECLARED, ALL_DROPPED, WRONGLY_DECLARED, LIMIT = range(5)
OUTCOMES = ("none", "declared", "dropped", "wrong declaration", "limit")
"""How a deal ended; with several losers, ``dropped`` and ``wrong declaration`` describe the last one."""

# --- Actions as the kernels number them ---------------------------------------------------------------------------

DRAW_STOCK, DRAW_PILE, DROP, REJOIN_CODE, LEAVE_CODE, SPLIT_CODE, PLAY_ON_CODE = range(7)
DISCARD_CODE, DECLARE_CODE = 64, 128
N_CODES = DECLARE_CODE + JOKER_ID + 1
MAX_LEGAL = 32


# --- Questions about a table --------------------------------------------------------------------------------------


@helper
def is_joker(table: np.void, card: int) -> bool:
    """Return whether *card* is a printed joker or wild."""
    return card == JOKER_ID or (card & 15) == table.wild


@helper
def can_drop(table: np.void) -> bool:
    """Return whether the actor may drop now (11)."""
    return table.phase == DRAW and table.rules.no_drops == 0


@helper
def can_take(table: np.void) -> bool:
    """Return whether the top of the open pile may be taken now (9)."""
    if table.phase != DRAW or table.up < 0:
        return False
    return table.rules.pile_jokers != 0 or table.fresh != 0 or not is_joker(table, table.up)


@helper
def unseen(table: np.void, mine: np.void) -> tuple[int, int, int]:
    """Return the cards a seat has not seen, as planes and number of printed jokers: what can still come.

    They are in the stock or hidden in other hands: not in the player's own hand, not in the open pile, not taken from
    it by another seat and kept, and not the indicator.
    """
    once, twice, jokers = unplaced(table, mine, np.int64(table.rules.printed_jokers))
    if table.indicator == JOKER_ID:
        return once, twice, jokers - 1
    once, twice = take_away(once, twice, bit(table.indicator))
    return once, twice, jokers


@helper
def declarable(table: np.void, mine: np.void) -> int:
    """Return the kinds among the actor's 14 cards whose discard leaves a valid declaration (7); 0: none."""
    return declarations14(mine.hand, mine.twice, mine.jokers, np.int64(table.wild))


# --- The standing of the match (17) ---------------------------------------------------------------------------------


@helper
def is_in(table: np.void, seat: int) -> bool:
    """Return whether *seat* is still in the match."""
    return table.place[seat] == 0


@helper
def n_in(table: np.void) -> int:
    """Return how many players are still in the match."""
    n = 0
    for seat in range(table.rules.seats):
        n += is_in(table, seat)
    return n


@helper
def next_in(table: np.void, seat: int) -> int:
    """Return the next seat after *seat* that is still in the match."""
    seats = np.int64(table.rules.seats)
    after = (np.int64(seat) + 1) % seats
    while not is_in(table, after):
        after = (after + 1) % seats
    return after


@helper
def drops_left(table: np.void, seat: int) -> int:
    """Return how many first drops *seat* can afford before it is out of the pool; 0 where nobody goes out."""
    if table.rules.out_at == 0 or table.rules.first_drop == 0:
        return np.int64(0)
    return max(np.int64(0), (np.int64(table.rules.out_at) - 1 - table.lost[seat]) // table.rules.first_drop)


@helper
def deals_left(table: np.void) -> int:
    """Return how many deals are to go, this one included; 0 in a pool and in a deal that breaks a tie."""
    return max(np.int64(0), np.int64(table.rules.deals) - table.hand_no)


@helper
def highest_lost(table: np.void) -> int:
    """Return the most points that a player has lost who is not out."""
    most = np.int64(0)
    for seat in range(table.rules.seats):
        if is_in(table, seat) and table.lost[seat] < table.rules.out_at:
            most = max(most, np.int64(table.lost[seat]))
    return most


@helper
def split_share(table: np.void, seat: int) -> int:
    """Return the share of the pot, in parts of `SHARES`, that a split gives to *seat*, which takes part in it.

    Shares are in proportion to the drops left; if nobody has one, they are equal.
    """
    drops, n = np.int64(0), np.int64(0)
    for other in range(table.rules.seats):
        if table.place[other] <= 1:
            drops += drops_left(table, other)
            n += 1
    return SHARES * drops_left(table, seat) // drops if drops else SHARES // n


@helper
def pot_share(table: np.void, seat: int) -> int:
    """Return the share of the pot, in parts of `SHARES`, that *seat* has won when the match is over."""
    if table.place[seat] != 1:
        return np.int64(0)
    return split_share(table, seat) if table.shared else np.int64(SHARES)


# --- Legal moves, from what the actor may know --------------------------------------------------------------------


@helper
def is_legal(table: np.void, mine: np.void, code: int) -> bool:
    """Return whether the actor, knowing *table* and *mine*, may do *code*.

    Any card may be discarded, and anybody may declare: an invalid declaration loses (12).
    """
    if table.phase == DRAW:
        return code == DRAW_STOCK or (code == DROP and can_drop(table)) or (code == DRAW_PILE and can_take(table))
    if table.phase == REJOIN:
        return code == REJOIN_CODE or code == LEAVE_CODE
    if table.phase == SPLIT:
        return code == SPLIT_CODE or code == PLAY_ON_CODE
    if table.phase != DISCARD or code < DISCARD_CODE or code >= N_CODES:
        return False
    return kinds(mine) >> (code & 63) & 1 != 0


legal_codes = codes_by_trial(is_legal, N_CODES)


# --- The deal -----------------------------------------------------------------------------------------------------


@helper
def n_cards(rules: np.void) -> int:
    """Return the cards in play, the indicator included."""
    return np.int64(52) * rules.decks + rules.printed_jokers


@helper
def indicator_place(rules: np.void) -> int:
    """Return the place of the indicator in dealing order if all seats are in; the first open card comes next."""
    return np.int64(CARDS_EACH) * rules.seats


@helper
def shuffle_deck(row: np.void, seed: np.uint64) -> None:
    """Shuffle a fresh deck into ``row.deck``; where the rules say so, the indicator is not a printed joker (3)."""
    rules = row.table.rules
    n, place = n_cards(rules), indicator_place(rules)
    shuffle_into(row, rules.decks, rules.printed_jokers, seed)
    while row.deck[place] == JOKER_ID and not rules.aces_wild:
        swap_cards(row, place, place + below(row, n - place))


clear_deal = clearing(
    TABLE,
    ("rules", "scores", "chips", "lost", "hand_no", "place", "rejoins", "shared", "starter"),
    ("stack", "last_draw", "last_discard", "winner"),
)
clear_match = clearing(TABLE, ("rules",))


@helper
def open_hand(row: np.void) -> None:
    """Deal ``row.deck``: 13 cards each, one at a time from seat 0 on, the indicator, the first open card (2).

    ``table.starter`` begins. The deck is shuffled, so it does not matter who gets the first card. Seats that are out of
    the match get none.
    """
    table = row.table
    rules = table.rules
    place = np.int64(CARDS_EACH) * n_in(table)
    _clear(row)
    row.rng = reshuffle_seed(row, n_cards(rules))
    seat = np.int64(-1)
    for i in range(place):
        seat = next_in(table, seat)
        take_up(row.mine[seat], row.deck[i])
    # A deck from outside may have a printed joker here: it changes places with the next card that is not one (3).
    other = place
    while row.deck[other] == JOKER_ID and not rules.aces_wild:
        other += 1
    swap_cards(row, place, other)
    indicator = row.deck[place]
    table.indicator = indicator
    table.wild = 0 if indicator == JOKER_ID else indicator & 15
    lay_open(table, row.deck[place + 1])
    row.pos = place + 2
    table.stock = n_cards(rules) - place - 2
    table.fresh = 1
    table.phase = DRAW
    table.actor = table.starter


@helper
def _clear(row: np.void) -> None:
    """Take all cards and notes of an earlier deal off the table."""
    table = row.table
    clear_deal(table)
    for seat in range(MAX_SEATS):
        clear_mine(row.mine[seat])
        row.mine[seat].seat = seat
        table.status[seat] = PLAYING if seat < table.rules.seats and is_in(table, seat) else AWAY
    table.n_playing = n_in(table)


@helper
def open_match(row: np.void, starter: int) -> None:
    """Clear the standing and seat the first starter."""
    table = row.table
    clear_match(table)
    for seat in range(table.rules.seats):
        table.chips[seat] = table.rules.start_chips
    table.starter = starter


@helper
def first_starter(table: np.void, root: Root, deal: int) -> int:
    """Return who starts the first deal: drawn at random, or seat 0 where the options say so."""
    return random_seat(root, deal, table.rules.seats) if table.rules.random_starter else np.int64(0)


@helper
def next_starter(table: np.void) -> int:
    """Return who starts the next deal: the deal moves on by one among those still in, and the seat after it begins.

    The deal goes to the last starter or, if that player is out, to the next one who is in.
    """
    seats = np.int64(table.rules.seats)
    dealer = np.int64(table.starter)
    if n_in(table) == 0:
        return (dealer + 1) % seats
    if not is_in(table, dealer):
        dealer = next_in(table, dealer)
    return next_in(table, dealer)


@helper
def match_is_over(table: np.void) -> bool:
    """Return whether no deal follows the one that is over: everybody has a place."""
    return table.rules.deals == 1 or n_in(table) == 0


# --- Moving cards -------------------------------------------------------------------------------------------------


@helper
def give_up(mine: np.void, card: int) -> None:
    """Take *card* out of a hand."""
    if card == JOKER_ID:
        mine.jokers -= 1
    else:
        mine.hand, mine.twice = take_away(mine.hand, mine.twice, bit(card))


@helper
def _forget(table: np.void, seat: int, card: int) -> None:
    """Note that *seat* discarded *card*. Nobody can tell which of two copies it was: a known one goes first."""
    table.thrown[seat] |= bit(card)
    if card == JOKER_ID:
        table.known_jokers[seat] = max(table.known_jokers[seat] - 1, 0)
    else:
        known = table.known[seat] & bit(card)
        table.known[seat], table.known_twice[seat] = take_away(table.known[seat], table.known_twice[seat], known)


@helper
def _reshuffle(row: np.void) -> None:
    """Make a new stock from the open pile below its top card (10)."""
    noinline()
    table = row.table
    n = table.n_pile - 1
    up = table.up
    for i in range(n):
        row.deck[i] = table.stack[i]
    for i in range(n, MAX_CARDS):
        row.deck[i] = -1
    shuffle_first(row, n)
    empty_pile(table)
    lay_open(table, up)
    row.pos = 0
    table.stock = n
    table.reshuffles += 1


# --- A step -------------------------------------------------------------------------------------------------------


@helper
def step(row: np.void, code: int) -> int:
    """Carry out the actor's legal move *code* and return the card drawn from the stock, or -1."""
    if code == DRAW_STOCK:
        return _draw_stock(row)
    if code == DRAW_PILE:
        _draw_pile(row)
    elif code == DROP:
        _drop(row)
    elif code < DISCARD_CODE:
        _answer(row.table, code)
    elif code < DECLARE_CODE:
        _throw(row, code - DISCARD_CODE)
        _pass_turn(row)
    else:
        _declare(row, code - DECLARE_CODE)
    return -1


@helper
def _draw_stock(row: np.void) -> int:
    table = row.table
    seat = table.actor
    if can_take(table):
        table.refused[seat] |= bit(table.up)
    if table.stock == 0:
        _reshuffle(row)
    card = np.int64(row.deck[row.pos])
    row.pos += 1
    table.stock -= 1
    _drawn(row, card, FROM_STOCK)
    return card


@helper
def _draw_pile(row: np.void) -> None:
    card = take_open(row.table, row.table.actor)
    _drawn(row, card, card)


@helper
def _drawn(row: np.void, card: int, shown: int) -> None:
    table = row.table
    seat = table.actor
    mine = row.mine[seat]
    take_up(mine, card)
    mine.drawn = card
    table.last_draw[seat] = shown
    table.draws[seat] += 1
    table.phase = DISCARD


@helper
def _throw(row: np.void, card: int) -> None:
    """Move *card* from the actor's hand to the open pile."""
    table = row.table
    seat = table.actor
    mine = row.mine[seat]
    give_up(mine, card)
    mine.drawn = -1
    _forget(table, seat, card)
    lay_open(table, card)
    table.fresh = 0
    table.last_discard[seat] = card


@helper
def _pass_turn(row: np.void) -> None:
    """End the actor's turn; after the last round the hands are compared (15)."""
    table = row.table
    seats = table.rules.seats
    before = (table.actor - table.starter + seats) % seats
    after = before
    while True:
        after += 1
        if after == seats:
            after = 0
            table.round += 1
        if table.status[(table.starter + after) % seats] == PLAYING:
            break
    table.turn += 1
    table.actor = (table.starter + after) % seats
    table.phase = DRAW
    if table.round >= table.rules.round_limit:
        _compare(row)


@helper
def _drop(row: np.void) -> None:
    """Drop (11): it costs less before the player's first draw."""
    table = row.table
    seat = table.actor
    lost = table.rules.later_drop if table.draws[seat] else table.rules.first_drop
    _leave(row, DROPPED, lost, ALL_DROPPED)


@helper
def _leave(row: np.void, status: int, lost: int, outcome: int) -> None:
    """Take the actor out of the deal, *lost* points down; the last player left wins."""
    noinline()
    table = row.table
    table.status[table.actor] = status
    table.paid[table.actor] = lost
    table.n_playing -= 1
    if table.n_playing > 1:
        _pass_turn(row)
        return
    for seat in range(table.rules.seats):
        if table.status[seat] == PLAYING:
            _close(table, seat, outcome)


@helper
def _declare(row: np.void, card: int) -> None:
    """Discard *card* and show the other thirteen, which must be a valid declaration (7), or the actor loses (12)."""
    noinline()
    table = row.table
    winner = table.actor
    _throw(row, card)
    if not _is_declaration(table, row.mine[winner]):
        _leave(row, WRONG, table.rules.wrong_declaration, WRONGLY_DECLARED)
        return
    for seat in range(table.rules.seats):
        if table.status[seat] == PLAYING and seat != winner:
            table.deadwood[seat] = _hand_score(table, row.mine[seat])
            table.paid[seat] = table.deadwood[seat]
            if table.rules.first_turn_relief and table.draws[seat] == 0:
                table.paid[seat] = min(table.paid[seat], table.rules.first_drop)
    _close(table, winner, DECLARED)


@helper
def _hand_score(table: np.void, mine: np.void) -> int:
    """Return what thirteen cards cost (13)."""
    noinline()
    score = min_score(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), np.int64(table.rules.score_rule))
    return min(score, np.int64(table.rules.cap))


@helper
def _is_declaration(table: np.void, mine: np.void) -> bool:
    """Return whether thirteen cards are a valid declaration (7): nothing is left over, and there are two runs."""
    noinline()
    return min_score(mine.hand, mine.twice, mine.jokers, np.int64(table.wild), np.int64(PLATFORM)) == 0


@helper
def _compare(row: np.void) -> None:
    """End the deal at the round limit: the lowest hand wins (15)."""
    noinline()
    table = row.table
    seats = table.rules.seats
    winner = -1
    for i in range(seats):
        seat = (table.starter + i) % seats
        if table.status[seat] == PLAYING:
            table.deadwood[seat] = _hand_score(table, row.mine[seat])
            if winner < 0 or _is_lower(row, seat, winner):
                winner = seat
    for seat in range(seats):
        if table.status[seat] == PLAYING and seat != winner:
            less = table.deadwood[winner] if table.rules.limit_difference else 0
            table.paid[seat] = table.deadwood[seat] - less
    _close(table, winner, LIMIT)


@helper
def _is_lower(row: np.void, seat: int, other: int) -> bool:
    """Return whether *seat* beats *other* at the limit: lower MinScore, then fewer points in diamonds, clubs, hearts,
    spades of the whole hand (15). Of equal hands, the earlier in the order of play wins.
    """
    table = row.table
    if table.deadwood[seat] != table.deadwood[other]:
        return table.deadwood[seat] < table.deadwood[other]
    for k in range(4):
        suit = (k + 3) & 3
        ours, theirs = _suit_points(table, row.mine[seat], suit), _suit_points(table, row.mine[other], suit)
        if ours != theirs:
            return ours < theirs
    return False


@helper
def _suit_points(table: np.void, mine: np.void, suit: int) -> int:
    """Return the points of all cards of *suit* in a hand, melded or not; wild cards count 0 (4)."""
    lane = (np.int64(LANE) << (16 * suit)) & ~(np.int64(EACH_SUIT) << np.int64(table.wild))
    return card_points(mine.hand & lane) + card_points(mine.twice & lane)


@helper
def _close(table: np.void, winner: int, outcome: int) -> None:
    """Settle the deal: the winner gets what the others lose (16)."""
    won = 0
    for seat in range(table.rules.seats):
        table.gains[seat] = -table.paid[seat]
        won += table.paid[seat]
    table.gains[winner] = won
    table.scores[winner] += won
    for seat in range(table.rules.seats):
        table.chips[seat] += table.gains[seat]
        table.lost[seat] += table.paid[seat]
    table.winner = winner
    table.outcome = outcome
    table.turn += outcome != LIMIT  # at the limit the turn is already counted
    _after_deal(table)


# --- Between deals (17) -------------------------------------------------------------------------------------------


@helper
def _after_deal(table: np.void) -> None:
    """Ask the next player with a decision, or end the deal and rank those who are out of the match."""
    noinline()
    if table.rules.out_at:
        if _asks_to_rejoin(table):
            return
        _rank_the_leaving(table)
        if table.agreed == 0 and _asks_to_split(table):
            return
    elif table.rules.deals == 1:
        _rank_by_payment(table)
    elif table.hand_no + 1 >= table.rules.deals:
        _rank_by_chips(table)
    _end_deal(table)


@helper
def _end_deal(table: np.void) -> None:
    table.hand_no += 1
    table.phase = OVER
    table.actor = -1


@helper
def _asks_to_rejoin(table: np.void) -> bool:
    """Ask the first player, in the order of play, who has gone out and may rejoin; return false if there is none."""
    seats = table.rules.seats
    for i in range(seats):
        seat = (table.starter + i) % seats
        if is_in(table, seat) and table.lost[seat] >= table.rules.out_at:
            if highest_lost(table) <= table.rules.rejoin_limit:
                table.phase = REJOIN
                table.actor = seat
                return True
            table.place[seat] = LEAVING
    return False


@helper
def _rank_the_leaving(table: np.void) -> None:
    """Rank players who went out in the same deal: behind all still in, the fewer lost points the better."""
    left = n_in(table)
    for seat in range(table.rules.seats):
        if table.place[seat] == LEAVING:
            fewer = 0
            for other in range(table.rules.seats):
                # The other one may have its rank by now: it left in this deal if that is behind those still in.
                left_now = table.place[other] == LEAVING or table.place[other] > left
                fewer += left_now and table.status[other] != AWAY and table.lost[other] < table.lost[seat]
            table.place[seat] = left + 1 + fewer
    if left == 1:
        for seat in range(table.rules.seats):
            if is_in(table, seat):
                table.place[seat] = 1


@helper
def _asks_to_split(table: np.void) -> bool:
    """Ask the first player still in whether to split; return false if no split is offered now."""
    rules = table.rules
    n = n_in(table)
    if rules.split_within == 0 or rules.seats < 3 or n < 2 or n > 3:
        return False
    for seat in range(rules.seats):
        if is_in(table, seat) and table.lost[seat] + rules.split_within * rules.first_drop < rules.out_at:
            return False
    table.phase = SPLIT
    table.actor = table.starter if is_in(table, table.starter) else next_in(table, table.starter)
    return True


@helper
def _rank_by_payment(table: np.void) -> None:
    """Rank the players of a single deal: the winner, then the fewer points paid the better."""
    for seat in range(table.rules.seats):
        ahead = np.int64(seat != table.winner)
        for other in range(table.rules.seats):
            ahead += seat != table.winner and other != table.winner and table.paid[other] < table.paid[seat]
        table.place[seat] = 1 + ahead


@helper
def _rank_by_chips(table: np.void) -> None:
    """Rank by chips; if several have the most, they stay in and play one more deal."""
    seats = table.rules.seats
    tied = np.int64(0)
    ahead = np.empty(MAX_SEATS, np.int64)
    for seat in range(seats):
        ahead[seat] = -1
        if is_in(table, seat):
            ahead[seat] = 0
            for other in range(seats):
                ahead[seat] += is_in(table, other) and table.chips[other] > table.chips[seat]
            tied += ahead[seat] == 0
    for seat in range(seats):
        if ahead[seat] > 0 or (ahead[seat] == 0 and tied == 1):
            table.place[seat] = 1 + ahead[seat]


@helper
def _answer(table: np.void, code: int) -> None:
    """Carry out a decision between deals."""
    noinline()
    seat = table.actor
    table.answers += 1
    if code == REJOIN_CODE:
        table.lost[seat] = highest_lost(table) + 1
        table.rejoins[seat] += 1
        _after_deal(table)
    elif code == LEAVE_CODE:
        table.place[seat] = LEAVING
        _after_deal(table)
    elif code == PLAY_ON_CODE:
        _end_deal(table)
    else:
        table.agreed += 1
        table.actor = next_in(table, seat)
        if table.agreed == n_in(table):
            for other in range(table.rules.seats):
                if is_in(table, other):
                    table.place[other] = 1
            table.shared = 1
            _end_deal(table)


# --- Kernels that Python calls ------------------------------------------------------------------------------------


open_hands, step_one, legal_in = table_kernels(open_hand, is_legal, legal_codes, step)
