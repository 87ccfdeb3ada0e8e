"""How Gin Rummy is shown at a table in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.deadwood import without
from rummylab.engine.show import GroupView, LayoffView, LogEntry, card_text, cards_text
from rummylab.engine.show_deadwood import DeadwoodShow
from rummylab.games.gin.view import GinObservation


class GinShow(DeadwoodShow):
    """One seat's view of a Gin table."""

    if TYPE_CHECKING:
        seen: GinObservation

    def tone(self, action: Action) -> str:
        """Return the tone of a move: the offer has one obvious answer if the upcard melds."""
        if self.seen.phase == "offer" and self.seen.upcard is not None:
            melds = self.seen.would_meld(self.seen.upcard)
            return "main" if (action.verb == "draw upcard") == melds else "plain"
        return super().tone(action)

    def prompt(self) -> str:
        """Return what the viewer is asked to do."""
        phase = self.seen.phase
        if phase == "offer":
            refused = f" {self.who(1 - int(self.seen.seat))} passed." if int(self.seen.table["offers"]) else ""
            return f"{self.upcard_text} is turned up.{refused} Take it or pass."
        if phase == "wall":
            return f"The stock is used up. Take {self.upcard_text} to knock, or pass and end the hand."
        return super().prompt()

    def sentence(self, event: Event, top: Card | None) -> LogEntry | None:
        """Return what an event says to the viewer."""
        verb, cards, seat = event.action.verb, event.action.cards, int(event.seat)
        who, hand = self.who(seat), f"hand:{seat}"
        if verb == "big gin":
            return self.entry(event, f"{who} showed big gin.")
        if verb == "meld":
            return self.entry(event, f"{who} melded {cards_text(cards)}.", cards, (hand, "table"))
        if verb in ("lays off", "lay off"):
            return self.entry(event, f"{who} laid off {cards_text(cards)}.", cards, (hand, "table"))
        return super().sentence(event, top)

    # --- The end ----------------------------------------------------------------------------------------------------

    def groups_of(self, hand: Hand, seat: int) -> tuple[GroupView, ...]:
        """Return an open hand as it was laid down: the player's melds, then the deadwood that was counted."""
        table = self.seen.table
        spread = [Hand(int(meld)) for meld in table["spread"][seat] if meld]
        if int(table["knocker"]) < 0 or not spread:
            return super().groups_of(hand, seat)
        own = [meld & hand for meld in spread if len(meld & hand) >= 3]
        laid = Hand.of([Card(int(card)) for card in table["laid"][: int(table["n_laid"])]])
        loose = without(hand, own)
        kept = loose - (laid & loose)
        return self.laid_open(own, Hand.of([card for meld in own for card in meld] + list(kept)))

    def lay_offs(self) -> tuple[LayoffView, ...]:
        """Return the cards laid off on the knocker's melds."""
        table = self.seen.table
        n, knocker = int(table["n_laid"]), int(table["knocker"])
        if not n or knocker < 0:
            return ()
        defender = 1 - knocker
        found = []
        for card_id, place in zip(table["laid"][:n], table["laid_on"][:n], strict=True):
            card = Card(int(card_id))
            text = f"{self.who(defender)} laid off {card_text(card)}"
            found.append(LayoffView(defender, str(card), int(place) if place >= 0 else None, text))
        return tuple(found)

    @classmethod
    def rule_words(cls, o: Any) -> dict[str, Sequence[str]]:
        """Return the rules in force, in words."""
        limit = f"You may knock with at most {o.knock_limit} points."
        if o.knock_card or o.oklahoma:
            limit = f"The first upcard sets the knock limit{'; an ace asks for gin' * o.oklahoma}."
        layoffs = "The defender lays off what fits the knocker's melds, then melds. The table does this for you."
        if o.layoffs == "official":
            layoffs = "The defender melds, and cards that fit the knocker's melds are laid off automatically."
        return {
            "Aim": (
                "Arrange ten cards in sets of three or four of a rank and runs of three or more of a suit.",
                "Cards outside of melds are deadwood: an ace counts 1, court cards 10, others their number.",
            ),
            "A turn": (
                "The first upcard is offered to both players in turn.",
                "Then draw from the stock or take the upcard, and discard one card."
                + " A card just taken may not be thrown back." * (not o.discard_taken),
            ),
            "Ending a hand": (limit, layoffs, f"With {o.wall} cards left in the stock the hand is canceled."),
            "Score": (
                "The knocker wins the difference of the deadwood.",
                f"Gin, no deadwood at all, adds {o.gin_bonus} points and allows no layoffs.",
                f"If the defender has {'no more' if o.tie_undercuts else 'less'} deadwood than the knocker, it is an "
                f"undercut: the defender wins the difference and {o.undercut_bonus} points.",
                f"Big gin, eleven melded cards, adds {o.big_gin_bonus} points." if o.big_gin_bonus else "",
            ),
            "Match": (
                f"The match is played to {o.target} points." if o.target else "A match is one hand.",
                f"The winner adds {o.game_bonus} points, and {o.box_bonus} for every hand won." if o.game_bonus else "",
            ),
        }


SHOW = GinShow
