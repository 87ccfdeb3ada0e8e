"""What the champion thinks of every legal move, with the numbers behind it: for a coach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rummylab._jit import kernel
from rummylab.agents.gin import champion as c
from rummylab.agents.gin.champion_values import (
    WORK,
    danger_of,
    knock_value,
    look,
    melding_cards,
    stock_value,
    take_value,
    their_deadwood,
    write_chances,
    write_discard_values,
)
from rummylab.cards.bits import IDS_52, bit, lowest, popcount, stack_array, stack_record
from rummylab.cards.melds import best_discards, min_deadwood
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Floats
from rummylab.errors import IllegalActionError, WrongTypeError
from rummylab.games.gin.rules import (
    DISCARD,
    DISCARD_CODE,
    DRAW,
    KNOCK_CODE,
    LAY_OFF_CODE,
    OFFER,
    PASS,
    PHASES,
    SHOW_BIG_GIN,
    TAKE_UP_CARD,
    WALL,
    Rows,
    can_take,
    cards_to_play,
    discards,
)
from rummylab.games.gin.view import GinObservation

_DRAWING, _PLAYING = (PHASES[OFFER], PHASES[DRAW]), (PHASES[DISCARD], PHASES[WALL])
_TAKE, _STOCK, _THEIR_DEADWOOD, N_NUMBERS = range(4)
_KNOCK, _DANGER = 64, 128


@dataclass(frozen=True, slots=True)
class ActionValue:
    """What the champion thinks of one legal action."""

    action: Action
    points: float
    """Expected points of the hand, the opponent's counted as losses."""
    spread: float
    """Standard deviation of the hand's result: how much luck is left."""
    win_chance: float
    """Chance to win the hand."""
    match_chance: float
    """Chance to win the match from the present scores, against an equal opponent; of the hand if it is the match."""
    deadwood: int
    """After the action; before a draw from the stock, of the ten cards."""
    outs: int
    """Unseen cards that would be part of a meld."""
    outs_to_knock: int
    outs_to_gin: int
    danger: float | None
    """Chance that the opponent can meld the discard; None for other actions."""
    undercut: float | None
    """Chance that a knock loses; None for other actions."""
    opponent_deadwood: float
    """Estimate of the opponent's deadwood."""


@kernel
def _weigh(views: Rows, params: Floats, numbers: Floats, by_card: Floats, chances: Floats) -> None:
    """Write the values of draws and other numbers to *numbers*, those of discards, knocks and danger to *by_card*."""
    table, mine = views[0].table, views[0].mine
    at = np.int64(c.WEIGHTS)
    work, values = stack_record(WORK), stack_array(64, np.float32)
    sight = look(table, mine, np.int64(99))
    write_chances(sight, mine.hand, params, at, work)
    for i in range(52):
        chances[i] = work.chance[4 + IDS_52[i]]
    numbers[_THEIR_DEADWOOD] = their_deadwood(sight, work.chance)
    if table.phase == DRAW or table.phase == OFFER:
        numbers[_STOCK] = stock_value(table, sight, mine.hand, params, at, work)
        if can_take(table):
            numbers[_TAKE] = take_value(table, sight, mine.hand, params, at, work, values)
        return
    eleven, cards = cards_to_play(table, mine), discards(table, mine)
    up = bit(table.up) if table.phase == WALL else np.int64(0)
    pile, shown = sight.pile & ~up, sight.shown | up
    write_discard_values(sight, eleven, shown, pile, cards, params, at, work, values)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        by_card[card] = values[card]
        by_card[_DANGER + card], _ = danger_of(card, work.chance)
        if min_deadwood(eleven & ~bit(card)) <= table.limit:
            longest = np.int64(table.rules.max_run)
            by_card[_KNOCK + card] = knock_value(sight, eleven, shown, pile, card, longest, params, at, work)


@kernel
def _match_chance(views: Rows, points: float, is_knock: bool, params: Floats) -> float:
    """Return the chance that the player wins the match where a move is worth *points*."""
    return c.match_chance(views[0].table, np.int64(views[0].mine.seat), points, is_knock, params)


@kernel
def _outs(hand: int, unseen: int, limit: int) -> tuple[int, int, int]:
    """Return how many of *unseen* would be in a meld with *hand*, allow a knock, and give gin."""
    melding = melding_cards(hand)
    knock = gin = 0
    left = unseen
    while left:
        eleven = hand | (left & -left)
        left &= left - 1
        _, least = best_discards(eleven, eleven)
        knock += least <= limit
        gin += least == 0
    return popcount(melding & unseen), knock, gin


@kernel
def _after_taking(hand: int, up: int, may_return: bool) -> tuple[int, int]:
    """Return the ten cards after taking *up* and the cheapest discard, and their deadwood."""
    eleven = hand | bit(up)
    best, least = best_discards(eleven, eleven if may_return else hand)
    return eleven & ~(best & -best), least


class _Numbers:
    """The numbers of one position, read from the kernels once."""

    def __init__(self, seen: Observation) -> None:
        params = c.act.params
        self.seen = seen
        self.numbers, self.by_card = np.zeros(N_NUMBERS, np.float32), np.zeros(192, np.float32)
        self.chances = np.zeros(52, np.float32)
        _weigh(seen.view.copy(), params, self.numbers, self.by_card, self.chances)
        self.tensors = c.load_tensors(c.ARTIFACT)

    def value(self, code: int) -> ActionValue:
        """Return what the move *code* is worth."""
        seen, table, hand = self.seen, self.seen.table, self.seen.hand.mask
        danger = undercut = None
        is_knock = KNOCK_CODE <= code < LAY_OFF_CODE or code == SHOW_BIG_GIN
        if code == TAKE_UP_CARD:
            points = self.numbers[_TAKE]
            hand, deadwood = _after_taking(hand, int(table["up"]), bool(table["rules"]["discard_taken"]))
        elif DISCARD_CODE <= code < LAY_OFF_CODE:
            card = code & 63
            points = self.by_card[card + (_KNOCK if is_knock else 0)]
            danger = None if is_knock else float(self.by_card[_DANGER + card])
            if seen.phase == PHASES[WALL]:
                hand |= 1 << int(table["up"])
            hand &= ~(1 << card)
            deadwood = min_deadwood(hand)
        elif code == SHOW_BIG_GIN:
            points, deadwood = float(table["rules"]["big_gin_bonus"]) + self.numbers[_THEIR_DEADWOOD], 0
        else:
            points = 0.0 if seen.phase == PHASES[WALL] and code == PASS else self.numbers[_STOCK]
            deadwood = min_deadwood(hand)
        results = self.results(float(points), is_knock)
        worth = np.arange(-c.MOST_POINTS, c.MOST_POINTS + 1)
        if is_knock:
            undercut = 0.0 if deadwood == 0 else float(results[worth < 0].sum())
        unseen = _unseen(seen)
        outs = _outs(hand & ((1 << 61) - 1), unseen, int(table["limit"])) if hand.bit_count() == 10 else (0, 0, 0)
        win = float(results[worth > 0].sum())
        return ActionValue(
            seen.rules.decode(code),
            round(float(points), 3),
            round(max(float(results @ worth**2) - float(results @ worth) ** 2, 0.0) ** 0.5, 2),
            round(win, 4),
            round(self.match_chance(float(points), is_knock, win), 4),
            int(deadwood),
            int(outs[0]),
            int(outs[1]),
            int(outs[2]),
            None if danger is None else round(danger, 4),
            None if undercut is None else round(undercut, 4),
            round(float(self.numbers[_THEIR_DEADWOOD]), 2),
        )

    def results(self, points: float, is_knock: bool) -> Floats:
        """Return the distribution of the hand's result where an action is worth *points*."""
        step = c.GRID[1] - c.GRID[0]
        place = min(max((points - c.GRID[0]) / step, 0.0), len(c.GRID) - 1.001)
        lower = int(place)
        table = self.tensors["results"][int(is_knock)]
        found = (1 - (place - lower)) * table[lower] + (place - lower) * table[lower + 1]
        return np.asarray(found / max(found.sum(), 1e-6), np.float32)

    def match_chance(self, points: float, is_knock: bool, win: float) -> float:
        """Return the chance to win the match; of the hand, *win*, if it is the match."""
        if int(self.seen.table["rules"]["target"]) == 0:
            return win
        return float(_match_chance(self.seen.view.copy(), points, is_knock, c.act.params))


def _unseen(seen: Observation) -> int:
    """Return the cards outside the player's own hand, the pile and what the opponent is known to hold."""
    table = seen.table
    known = seen.hand.mask | int(table["pile"]) | int(table["known"][1 - seen.seat])
    return sum(1 << int(card) for card in IDS_52 if not known >> int(card) & 1)


def values(seen: Observation) -> tuple[ActionValue, ...]:
    """Return what the champion thinks of every legal action in the position *seen*, the best first.

    It depends on the observation alone, and the same observation gives the same numbers. While melds and layoffs are
    chosen there is nothing to value, and the result is empty.

    >>> from rummylab import State, gin
    >>> from rummylab.agents.gin.champion_explain import values
    >>> sorted(str(one.action) for one in values(State.deal(gin(), seed=7).observe(0)))
    ['draw upcard', 'pass']

    Raises:
        WrongTypeError: The observation is of another game.
        IllegalActionError: The seat is not to act.
    """
    if not isinstance(seen, GinObservation):
        raise WrongTypeError(f"The champion plays gin, not {seen.rules.name}.")
    if not seen.codes:
        raise IllegalActionError(f"seat {seen.seat} is not to act in this position")
    if seen.phase not in (*_DRAWING, *_PLAYING):
        return ()
    numbers = _Numbers(seen)
    found = [numbers.value(code) for code in seen.codes]
    return tuple(sorted(found, key=lambda one: -one.points))


def chances(seen: Observation) -> tuple[float, ...]:
    """Return the chance that the opponent holds each of the 52 cards (13 * suit + rank), by the champion's model."""
    return tuple(float(chance) for chance in _Numbers(seen).chances)
