"""An Indian Rummy table in the terminal: wild rank, melds, jokers marked, MinScore and MinDist."""

from __future__ import annotations

from collections.abc import Iterable

from rummylab.cards.card import RANKS, Card
from rummylab.cards.hand import Hand
from rummylab.engine.observation import Observation
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.indian.game import IndianObservation
from rummylab.games.indian.hand import Evaluation, Meld, Value, evaluate
from rummylab.games.indian.mindist import CANNOT_DECLARE
from rummylab.games.indian.options import CARDS_EACH
from rummylab.play.terminal.table import HELP, YOU, TerminalTable, prompt

WILD = "*"
"""Stands behind a wild card; a printed joker has a name of its own."""
INDIAN_HELP = f"""{HELP}
  Wild cards are marked {WILD}. K♣{WILD}=7♥ is a joker in the place of the seven of hearts.
  MinScore: what your hand costs if another player declares now. MinDist: cards to exchange before you can declare."""


class IndianTable(TerminalTable):
    """A match of Indian Rummy."""

    title = "Indian Rummy"
    help = INDIAN_HELP

    def _show(self, seen: Observation) -> None:
        assert isinstance(seen, IndianObservation)
        up = self.name_of(seen.up_card, seen.wild) if seen.up_card else "-"
        indicator = format(seen.indicator, self.style)
        self.write(f"\nstock {seen.stock} · pile {up} · wild {RANKS[seen.wild]} (indicator {indicator})")
        for seat in range(self.rules.seats):
            if seat != YOU and len(known := seen.known(Seat(seat))):
                cards = " ".join(self.name_of(card, seen.wild) for card in known)
                self.write(f"{self.names[seat]} took {cards} from the pile")
        cheapest, nearest = best_values(seen)
        self.write(self.arranged(seen.hand, melds_of(cheapest) or melds_of(nearest), seen.wild))
        counts = "" if cheapest.grouping else " (no pure run: every card counts)"
        later = " after the best discard" * (len(seen.hand) > CARDS_EACH)
        self.write(f"MinScore {cheapest.min_score}{counts} · MinDist {distance_words(nearest)}{later}")
        self.write(prompt(seen.legal, self.style))

    def _show_hands(self, state: State) -> None:
        seen = state.observe(YOU)
        assert isinstance(seen, IndianObservation)
        for event in state.log:
            if event.action.verb == "shows":
                hand = Hand.of(event.action.cards, decks=2)
                value = value_of(seen, hand).value
                self.write(f"{self.names[event.seat]}: {self.arranged(hand, melds_of(value), seen.wild)}")

    def name_of(self, card: Card, wild: int) -> str:
        """Return a card as it is shown: with a mark if it is wild."""
        mark = WILD if not card.is_joker and card.rank == wild else ""
        return format(card, self.style) + mark

    def arranged(self, hand: Hand, melds: Iterable[Meld], wild: int) -> str:
        """Return the hand as text: its melds, then the loose cards by suit, jokers last."""
        loose, parts = hand, []
        for meld in melds:
            held = [card for card in meld.cards if card is not None]
            loose = loose - Hand.of(held, decks=2)
            words = []
            for place, card in zip(meld.places, meld.cards, strict=True):
                name = self.name_of(card or place, wild)
                words.append(name if card == place else f"{name}={format(place, self.style)}")
            parts.append(" ".join(words))
        rest = sorted(loose, key=lambda card: (card.is_joker or card.rank == wild, card.suit, card.rank))
        parts.append(" ".join(self.name_of(card, wild) for card in rest))
        return "  |  ".join(part for part in parts if part)


def value_of(seen: IndianObservation, hand: Hand, live: Hand | None = None) -> Evaluation:
    """Return what *hand* is worth at the table that is seen."""
    rules = seen.table["rules"]
    decks, jokers, strict = int(rules["decks"]), int(rules["printed_jokers"]), bool(rules["strict"])
    return evaluate(hand, seen.wild, decks=decks, printed_jokers=jokers, live=live, strict=strict)


def best_values(seen: IndianObservation) -> tuple[Value, Value]:
    """Return what the hand is worth with the cards not seen yet; of fourteen, the cheapest and the nearest thirteen."""
    result = value_of(seen, seen.hand, seen.unseen)
    left = [choice.left for choice in result.choices] or [result.value]
    rule = "platform" if seen.table["rules"]["strict"] else "paper"
    return min(left, key=lambda value: value.min_scores[rule]), result.value


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
