"""How Gin with a passed card is shown at a table in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rummylab.cards.card import Card
from rummylab.engine.action import Action, Event
from rummylab.engine.show import ActionView, LogEntry, PassingView, card_text
from rummylab.engine.show_deadwood import DeadwoodShow
from rummylab.games.gin_pass.view import GinPassObservation


class GinPassShow(DeadwoodShow):
    """One seat's view of a table of Gin with a passed card."""

    if TYPE_CHECKING:
        seen: GinPassObservation

    @cached_property
    def suggested(self) -> Action | None:
        """The card whose loss leaves the least deadwood, thrown or passed."""
        passes = [action for action in self.legal if action.verb == "pass" and action.card is not None]
        return min(passes, key=lambda action: self._cost_of(action.cards[0])) if passes else super().suggested

    def passing(self) -> PassingView | None:
        """Return where the viewer's card goes, and what came back."""
        options: Any = self.rules.options
        if not options.pass_card:
            return None
        to, passed, received = int(self.seen.passes_to), self.seen.passed, self.seen.received
        text = f"Your card goes to {self.names[to]}."
        if passed is not None:
            text = f"You passed {card_text(passed)} to {self.names[to]}."
        if received is not None:
            text += f" You received {card_text(received)}."
        if self.you < 0:
            text = f"{self.names[self.seen.seat]} passes to {self.names[to]}."
        return PassingView(to, text, str(passed) if passed else None, str(received) if received else None)

    def tone(self, action: Action) -> str:
        """Return the tone of a move; before the first draw, passing is the only one."""
        if self._ends(action):
            return "end"
        return "main" if action.verb == "pass" else super().tone(action)

    def _ends(self, action: Action) -> bool:
        """Return whether a move ends the hand without a score: to draw from an empty stock."""
        return action.verb == "draw stock" and self.seen.stock == 0

    def annotated(self, action: Action, view: ActionView) -> ActionView:
        """Return *view*; what ends the hand is held."""
        view = super().annotated(action, view)
        return replace(view, confirm="hold", confirm_text="Hold to end the hand") if self._ends(action) else view

    def label(self, action: Action) -> tuple[str, str]:
        """Return the label of a move; a passed card has a receiver."""
        if self._ends(action):
            return "End the hand: the stock is empty", "End the hand"
        if action.verb == "pass" and action.card is not None:
            return f"Pass {card_text(action.card)} to {self.names[self.seen.passes_to]}", "Pass"
        return super().label(action)

    def prompt(self) -> str:
        """Return what the viewer is asked to do."""
        if self.seen.phase == "pass":
            return f"Choose a card to pass to {self.names[self.seen.passes_to]}."
        if any(map(self._ends, self.legal)):
            return f"{self._news}The stock is empty. Take {self.upcard_text}, or end the hand: nobody scores."
        return super().prompt()

    def known_text(self, seat: int) -> str:
        """Return what is known of a hand: taken from the pile, or passed to them."""
        text = super().known_text(seat)
        return text.replace("took, and holds", "holds") if text else ""

    def sentence(self, event: Event, top: Card | None) -> LogEntry | None:
        """Return what an event says to the viewer; only the two players concerned learn a passed card."""
        verb, seat = event.action.verb, int(event.seat)
        if verb == "draw stock" and self.seen.actor is None and event is self._last_choice:
            return self.entry(event, f"{self.who(seat)} ended the hand: the stock is empty.")
        if verb == "pass":
            what = card_text(event.secret[0]) if event.secret else "a card"
            return self.entry(event, f"{self.who(seat)} passed {what} on.", event.secret, (f"hand:{seat}", "table"))
        if verb == "receive":
            if not event.secret:
                return None
            text = f"{self.who(seat)} received {card_text(event.secret[0])}."
            return self.entry(event, text, event.secret, ("table", f"hand:{seat}"))
        return super().sentence(event, top)

    @cached_property
    def _last_choice(self) -> Event | None:
        return next((event for event in reversed(self.seen.log) if event.chosen), None)

    @classmethod
    def rule_words(cls, o: Any) -> dict[str, Sequence[str]]:
        """Return the rules in force, in words."""
        tie = "Equal deadwood undercuts the knocker." if o.tie_undercuts else "The knocker wins a tie."
        return {
            "Aim": (
                f"Arrange {o.cards} cards in sets of a rank and runs of a suit, three cards or more.",
                "Cards outside of melds are deadwood: an ace counts 1, court cards 10, others their number.",
            ),
            "A turn": (
                "Before the first draw everybody passes one card to a neighbor, all at once." * o.pass_card,
                "Draw from the stock or take the upcard, and discard one card.",
            ),
            "Ending a hand": (
                f"You may knock with at most {o.knock_limit} points of deadwood. There are no layoffs.",
                "If the stock is empty when you want to draw from it, nobody scores.",
            ),
            "Score": (
                "The lowest deadwood wins the others' deadwood less its own.",
                f"Gin adds {o.gin_bonus} points, an undercut {o.undercut_bonus}. {tie}",
            ),
            "Match": (f"A match has {o.hands} hands.",),
        }


SHOW = GinPassShow
