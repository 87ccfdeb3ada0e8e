"""A Gin table in the terminal: you against an agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.agent import Agent
from rummylab.engine.records import Record, write_records
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import NotationError, RummyError
from rummylab.games.gin.game import GinObservation
from rummylab.games.gin.melds import best_arrangements, best_throws, min_deadwood

YOU, THEY = Seat(0), Seat(1)
HELP = """  s          draw from the stock          u or y     take the up-card
  p or n     pass on the first up-card    7h         discard the seven of hearts
  k 7h       discard it and knock         hint       what the arithmetic says
  undo       take back your last move     log        what happened so far
  quit       leave the table              help       this list
At the showdown the best melds and lay-offs are made for you."""


class Quit(Exception):
    """The player has left the table."""


class TerminalTable:
    """A match between the person at the keyboard (seat 0) and an agent (seat 1)."""

    def __init__(
        self,
        rules: Rules,
        opponent: Agent,
        seed: int,
        *,
        plain: bool = False,
        record: Path | None = None,
        read: Callable[[str], str] = input,
        write: Callable[[str], None] | None = None,
    ) -> None:
        self.rules, self.opponent, self.seed = rules, opponent, seed
        self.style = "text" if plain else "color"
        self.record_path = record
        self.read = read
        self.write = write or _print
        self.records: list[Record] = []
        self.rng = np.random.default_rng(seed)

    def play(self) -> None:
        """Play hands until the match is over or the player leaves."""
        self.write(
            f"Gin Rummy against {self.opponent.name}, first to {self.rules.options.to_dict()['target']}. Type 'help'."
        )
        state = State.deal(self.rules, self.seed)
        try:
            while True:
                self._play_hand(state)
                self._keep(state)
                if state.match_is_over:
                    break
                state = state.next_hand(self.rules.shuffled(self.seed, 0, state.hand_no + 1))
        except (Quit, EOFError, KeyboardInterrupt):
            self._keep(state)
            self.write("\nYou leave the table.")
            return
        you, they = state.scores
        self.write("You win the match!" if you > they else f"{self.opponent.name} wins the match.")

    def _keep(self, state: State) -> None:
        if state.actor is None:
            self.records.append(Record.of(state, ["you", self.opponent.name], self.seed))
        if self.record_path is not None and self.records:
            write_records(self.record_path, self.records)

    def _play_hand(self, state: State) -> None:
        you, they = state.scores
        self.write(f"\n--- Hand {state.hand_no + 1} · you {you}, {self.opponent.name} {they} ---")
        self.opponent.sit(self.rules, THEY, self.rng)
        while (seat := state.actor) is not None:
            if seat == THEY:
                self._say(state.push(self.opponent.act(state.observe(THEY))))
            else:
                self._your_move(state)
        self._show_end(state)

    def _your_move(self, state: State) -> None:
        seen = state.observe(YOU)
        assert isinstance(seen, GinObservation)
        if seen.phase in ("spread", "lay off", "defend"):
            event = state.push(seen.showdown())
            if event.action.verb != "done":
                self.write(f"You {format(event.action, self.style)}.")
            return
        if len(seen.legal) == 1:  # the forced draw after both have passed
            self._drawn(state.push(seen.legal[0]))
            return
        self._show(seen)
        while True:
            word = self.read("> ").strip().lower()
            try:
                if self._command(word, state, seen):
                    return
            except RummyError as error:
                self.write(f"  {error}")

    def _command(self, word: str, state: State, seen: GinObservation) -> bool:
        """Carry out one line; return whether the position changed."""
        if word in ("quit", "q", "exit"):
            raise Quit
        if word in ("help", "h", "?"):
            self.write(HELP)
        elif word == "hint":
            self.write("  " + hint(seen, self.style))
        elif word == "log":
            for event in seen.log:
                self.write(f"  {event}")
        elif word == "undo":
            return self._undo(state)
        elif word:
            self._drawn(state.push(read_action(word, seen)))
            return True
        return False

    def _undo(self, state: State) -> bool:
        if not any(event.chosen and event.seat == YOU for event in state.log):
            self.write("  nothing to take back")
            return False
        while state.pop().seat != YOU:
            pass
        return True

    def _drawn(self, event: Event) -> None:
        if event.secret:
            self.write(f"You draw {format(event.secret[0], self.style)}.")

    def _say(self, event: Event) -> None:
        if event.action.verb != "done":
            self.write(f"{self.opponent.name}: {format(event.action, self.style)}")

    def _show(self, seen: GinObservation) -> None:
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
                who = "You" if event.seat == YOU else self.opponent.name
                self.write(f"{who}: {arranged(Hand.of(event.action.cards), self.style)}")
        who = "You win" if result["winner"] == YOU else f"{self.opponent.name} wins"
        self.write(f"{result['outcome'].capitalize()}! {who} {result['points']} points.")


def _print(text: str) -> None:
    from rich.console import Console

    Console().out(text, highlight=False)


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
    action = next((action for action in seen.legal if str(action) == shortcuts.get(word, word)), None)
    if action is None:
        raise NotationError(f"{word!r} is nothing you can do now; type 'help'")
    return action


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
