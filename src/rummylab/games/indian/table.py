"""What a player at an Indian Rummy table is shown: wild rank, melds with jokers marked, MinScore and MinDist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rummylab.cards.card import RANKS, Card
from rummylab.cards.hand import Hand
from rummylab.engine.seats import Seat
from rummylab.games.indian.evaluate import Evaluation, Meld, Value, evaluate
from rummylab.games.indian.mindist import CANNOT_DECLARE
from rummylab.games.indian.options import CARDS_EACH

if TYPE_CHECKING:
    from rummylab.games.indian.view import IndianObservation

WILD = "*"
"""Mark behind a wild card; a printed joker has a name of its own."""


def table_lines(seen: IndianObservation, style: str, names: Sequence[str]) -> list[str]:
    """Return the lines before a decision."""
    up = _name(seen.upcard, seen.wild, style) if seen.upcard else "-"
    indicator = format(seen.indicator, style)
    lines = [f"stock {seen.stock} · upcard {up} · wild {RANKS[seen.wild]} (indicator {indicator})"]
    for seat in range(seen.rules.seats):
        if seat != seen.seat and len(known := seen.known(Seat(seat))):
            cards = " ".join(_name(card, seen.wild, style) for card in known)
            lines.append(f"{names[seat]} took {cards} from the pile")
    cheapest, nearest = best_values(seen)
    lines.append(_in_melds(seen.hand, melds_of(cheapest) or melds_of(nearest), seen.wild, style))
    counts = "" if cheapest.grouping else " (no pure run: every card counts)"
    later = " after the best discard" * (len(seen.hand) > CARDS_EACH)
    return [*lines, f"MinScore {cheapest.min_score}{counts} · MinDist {distance_words(nearest)}{later}"]


def arranged(seen: IndianObservation, hand: Hand, style: str) -> str:
    """Return *hand* with its melds first; a hand of another size is only sorted."""
    melds = melds_of(value_of(seen, hand).value) if len(hand) == CARDS_EACH else ()
    return _in_melds(hand, melds, seen.wild, style)


def _name(card: Card, wild: int, style: str) -> str:
    """Return a card as it is shown: with a mark if it is wild."""
    return format(card, style) + WILD * (not card.is_joker and card.rank == wild)


def _in_melds(hand: Hand, melds: Iterable[Meld], wild: int, style: str) -> str:
    """Return the hand as text: its melds, then the other cards by suit, jokers last."""
    loose, parts = hand, []
    for meld in melds:
        loose = loose - Hand.of([card for card in meld.cards if card is not None], decks=2)
        words = []
        for place, card in zip(meld.places, meld.cards, strict=True):
            name = _name(card or place, wild, style)
            words.append(name if card == place else f"{name}={format(place, style)}")
        parts.append(" ".join(words))
    others = sorted(loose, key=lambda card: (card.is_joker or card.rank == wild, card.suit, card.rank))
    parts.append(" ".join(_name(card, wild, style) for card in others))
    return "  |  ".join(part for part in parts if part)


def value_of(seen: IndianObservation, hand: Hand, live: Hand | None = None) -> Evaluation:
    """Return what *hand* is worth at the table that is seen."""
    rules = seen.table["rules"]
    decks, jokers = int(rules["decks"]), int(rules["printed_jokers"])
    return evaluate(hand, seen.wild, decks=decks, printed_jokers=jokers, live=live, score_rule=seen.score_rule)


def best_values(seen: IndianObservation) -> tuple[Value, Value]:
    """Return what the hand is worth with the cards not seen yet; of fourteen, the cheapest and the nearest thirteen."""
    result = value_of(seen, seen.hand, seen.unseen)
    left = [choice.left for choice in result.choices] or [result.value]
    return min(left, key=lambda value: value.min_scores[seen.score_rule]), result.value


def melds_of(value: Value) -> tuple[Meld, ...]:
    """Return the melds of a hand; without a pure run, which they would need to count, those it plays for and has."""
    return value.grouping or tuple(meld for meld in value.target if not meld.missing)


def distance_words(value: Value) -> str:
    """Return MinDist, and what the cards seen elsewhere make of it."""
    if value.distance >= CANNOT_DECLARE:
        return f"{value.min_dist} (the cards not seen yet cannot complete it)"
    if value.distance != value.min_dist:
        return f"{value.min_dist} ({value.distance} with the cards not seen yet)"
    return str(value.min_dist)
