"""A Gin table in the terminal: you against an agent."""

from __future__ import annotations

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.state import State
from rummylab.games.gin.game import GinObservation
from rummylab.games.gin.melds import best_arrangements, best_throws, min_deadwood
from rummylab.play.terminal.table import YOU, TerminalTable
from rummylab.play.terminal.table import read_action as read_any

HELP = """  s          draw from the stock          u or y     take the up-card
  p or n     pass on the first up-card    7h         discard the seven of hearts
  k 7h       discard it and knock         hint       what the arithmetic says
  undo       take back your last move     log        what happened so far
  quit       leave the table              help       this list
At the showdown the best melds and lay-offs are made for you."""


class GinTable(TerminalTable):
    """A match of Gin Rummy; at the showdown the best melds and lay-offs are made for the player."""

    title = "Gin Rummy"
    help = HELP

    def _your_move(self, state: State) -> None:
        seen = state.observe(YOU)
        assert isinstance(seen, GinObservation)
        if seen.phase not in ("spread", "lay off", "defend"):
            super()._your_move(state)
            return
        event = state.push(seen.showdown())
        if event.action.verb != "done":
            self.write(f"You {format(event.action, self.style)}.")

    def read_action(self, word: str, seen: Observation) -> Action:
        assert isinstance(seen, GinObservation)
        return read_action(word, seen)

    def hint(self, seen: Observation) -> str:
        assert isinstance(seen, GinObservation)
        return hint(seen, self.style)

    def _show(self, seen: Observation) -> None:
        assert isinstance(seen, GinObservation)
        up = format(seen.up_card, self.style) if seen.up_card else "-"
        known = f" · they hold {format(seen.known, self.style)}" if len(seen.known) else ""
        self.write(f"\nstock {seen.stock} · up-card {up}{known}")
        self.write(f"{arranged(seen.hand, self.style)}   deadwood {min_deadwood(seen.hand.mask)}")
        self.write(prompt(seen))

    def _show_end(self, state: State) -> None:
        result = state.result
        if result["winner"] is None:
            self.write(f"The hand is {result['outcome']}: nobody scores.")
            return
        for event in state.log:
            if event.action.verb == "shows":
                who = "You" if event.seat == YOU else self.names[event.seat]
                self.write(f"{who}: {arranged(Hand.of(event.action.cards), self.style)}")
        who = "You win" if result["winner"] == YOU else f"{self.names[result['winner']]} wins"
        self.write(f"{result['outcome'].capitalize()}! {who} {result['points']} points.")


def prompt(seen: GinObservation) -> str:
    """Return what the player may do now, in a line."""
    if seen.phase == "offer":
        return "Take the up-card? (y/n)"
    if seen.phase == "draw":
        return "Draw from the stock (s) or take the up-card (u)?"
    if seen.phase == "wall":
        return "Last chance: pass (p), or knock with the up-card (k CARD)?"
    knocks = [action for action in seen.legal if action.verb == "knock"]
    return "Discard which card?" + (" You may knock (k CARD)." if knocks else "")


def read_action(word: str, seen: GinObservation) -> Action:
    """Understand what the player typed."""
    parts = word.split()
    if parts[0] in ("k", "knock") and len(parts) == 2:
        return Action("knock", (Card.parse(parts[1]),))
    if seen.phase == "discard" and len(parts) == 1 and parts[0] != "gin":
        return Action("discard", (Card.parse(parts[0]),))
    shortcuts = {"s": "draw stock", "u": "draw upcard", "y": "draw upcard", "p": "pass", "n": "pass", "gin": "big gin"}
    return read_any(shortcuts.get(word, word), seen.legal)


def arranged(hand: Hand, style: str) -> str:
    """Return the hand as text, melds first, then the loose cards by rank."""
    melds = best_arrangements(hand.mask)[0]
    loose = hand
    for meld in melds:
        loose = loose - Hand(meld)
    shown = [format(Hand(meld), style) for meld in melds]
    shown.append(" ".join(format(card, style) for card in sorted(loose, key=lambda card: (card.rank, card.suit))))
    return "  |  ".join(part for part in shown if part)


def hint(seen: GinObservation, style: str) -> str:
    """Return what deadwood arithmetic says about the decision."""
    if seen.phase in ("draw", "offer") and seen.up_card is not None:
        now = min_deadwood(seen.hand.mask)
        _, after = best_throws(seen.hand.mask | 1 << seen.up_card.id)
        card = format(seen.up_card, style)
        return f"with {card} your best deadwood is {after}, without it {now}"
    if seen.phase == "discard":
        throws, left = best_throws(seen.hand.mask)
        return f"least deadwood ({left}) after throwing {format(Hand(throws), style)}"
    return "no hint for this moment"
