"""What a deal of Indian Rummy pays, from the final hands and the rules page alone (rows 4, 11-16)."""

from __future__ import annotations

from collections.abc import Sequence

from properties import indian_reference as reference
from rummylab.cards.card import Card
from rummylab.engine.action import Event
from rummylab.games.indian.options import SCORE_RULES, IndianOptions

RankAndSuit = tuple[int, int] | None


def plain(cards: Sequence[Card]) -> list[RankAndSuit]:
    return [None if card.is_joker else (card.rank, card.suit) for card in cards]


def deadwood(cards: Sequence[Card], wild: int, options: IndianOptions) -> int:
    scores = dict(zip(SCORE_RULES, reference.all_min_scores(plain(cards), wild), strict=True))
    return min(scores[options.score_rule], options.cap)


def suit_points(cards: Sequence[Card], suit: str, wild: int) -> int:
    return sum(reference.points((card.rank, card.suit), wild) for card in cards if str(card)[1] == suit)


def settle(
    hands: Sequence[Sequence[Card]],
    wild: int,
    options: IndianOptions,
    starter: int,
    lost: dict[int, int],
    declarer: int | None,
    draws: Sequence[int],
) -> tuple[int, list[int], list[int]]:
    """Winner, points paid and deadwood by seat. *lost*: what those who left have lost; *declarer*: a valid one."""
    seats = options.seats
    left = [seat for seat in range(seats) if seat not in lost]
    paid, scores = [lost.get(seat, 0) for seat in range(seats)], [0] * seats
    if declarer is None and len(left) == 1:
        return left[0], paid, scores
    for seat in left:
        if seat != declarer:
            scores[seat] = deadwood(hands[seat], wild, options)
    winner = declarer
    if winner is None:
        winner = min(
            left,
            key=lambda s: (scores[s], *(suit_points(hands[s], suit, wild) for suit in "dchs"), (s - starter) % seats),
        )
    for seat in left:
        if seat != winner:
            paid[seat] = scores[seat]
            if declarer is None and options.limit_gain == "difference":
                paid[seat] -= scores[winner]
            if declarer is not None and options.first_turn_relief and draws[seat] == 0:
                paid[seat] = min(paid[seat], options.first_drop)
    return winner, paid, scores


def gains(winner: int, paid: Sequence[int]) -> list[int]:
    return [sum(paid) if seat == winner else -points for seat, points in enumerate(paid)]


def score(options: IndianOptions, starter: int, log: Sequence[Event]) -> tuple[float, ...]:
    """The payoffs of a finished deal, from its full log."""
    hands: list[list[Card]] = [[] for _ in range(options.seats)]
    draws = [0] * options.seats
    lost: dict[int, int] = {}
    declarer = None
    pile: list[Card] = []
    wild = -1
    for event in log:
        seat, verb, cards = int(event.seat), event.action.verb, event.action.cards
        if verb == "deal":
            hands[seat] = list(event.secret)
        elif verb == "indicator":
            wild = 0 if cards[0].is_joker else cards[0].rank
        elif verb == "turn up":
            pile.append(cards[0])
        elif verb in ("draw stock", "draw upcard"):
            hands[seat].append(event.secret[0] if event.secret else pile.pop())
            draws[seat] += 1
        elif verb in ("discard", "declare"):
            hands[seat].remove(cards[0])
            pile.append(cards[0])
            if verb == "declare":
                if reference.min_dist(plain(hands[seat]), wild) == 0:
                    declarer = seat
                else:
                    lost[seat] = options.wrong_declaration
        elif verb == "drop":
            lost[seat] = options.later_drop if draws[seat] else options.first_drop
        else:
            assert verb == "shows"
            assert sorted(cards) == sorted(hands[seat])
    winner, paid, _ = settle(hands, wild, options, starter, lost, declarer, draws)
    return tuple(map(float, gains(winner, paid)))
