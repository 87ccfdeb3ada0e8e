"""Gin with a passed card in plain Python, from the rules page alone: who wins a knock, and what a log is worth."""

from __future__ import annotations

from collections.abc import Sequence

from properties import reference
from rummylab.engine.action import Event
from rummylab.games.gin_pass.options import GinPassOptions


def winner_of(options: GinPassOptions, knocker: int, deadwood: Sequence[int]) -> int:
    """Who wins a knock (6)."""
    clockwise = [(knocker + k) % options.seats for k in range(1, options.seats)]
    if deadwood[knocker] == 0 and options.gin_always_wins:
        return knocker
    others = min(deadwood[seat] for seat in clockwise)
    undercut = others <= deadwood[knocker] if options.tie_undercuts else others < deadwood[knocker]
    return next(seat for seat in clockwise if deadwood[seat] == others) if undercut else knocker


def points_of(options: GinPassOptions, knocker: int, deadwood: Sequence[int]) -> int:
    """What the winner of a knock gets (6)."""
    winner = winner_of(options, knocker, deadwood)
    others = sum(points for seat, points in enumerate(deadwood) if seat != winner)
    bonus = 0
    if winner != knocker:
        bonus = options.undercut_bonus
    elif deadwood[knocker] == 0:
        bonus = options.gin_bonus
    return others - deadwood[winner] + bonus


def score(options: GinPassOptions, log: Sequence[Event]) -> tuple[float, ...]:
    """The payoffs of a finished hand from its events: own points less the mean of the others'."""
    hands: list[set[int]] = [set() for _ in range(options.seats)]
    up, knocker = -1, None
    for event in log:
        verb, cards = event.action.verb, {card.index52 for card in event.action.cards}
        if verb in ("deal", "draw stock", "receive"):
            hands[event.seat] |= {card.index52 for card in event.secret}
        elif verb == "turn up":
            (up,) = cards
        elif verb == "draw upcard":
            hands[event.seat].add(up)
        elif verb in ("discard", "knock", "pass"):
            assert cards <= hands[event.seat]
            hands[event.seat] -= cards
            if verb != "pass":
                (up,) = cards
            if verb == "knock":
                knocker = int(event.seat)
    if knocker is None:
        return (0.0,) * options.seats
    deadwood = [reference.min_deadwood(frozenset(hand)) for hand in hands]
    assert deadwood[knocker] <= options.knock_limit
    winner, won = winner_of(options, knocker, deadwood), float(points_of(options, knocker, deadwood))
    return tuple(won if seat == winner else -won / (options.seats - 1) for seat in range(options.seats))
