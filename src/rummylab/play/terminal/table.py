"""A table in the terminal for any game: you against agents. It knows a game by its actions and events, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rummylab.cards.card import Card
from rummylab.engine.action import Action, Event
from rummylab.engine.agent import Agent
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record, append_records
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import NotationError, RummyError

YOU = Seat(0)
MOST_LISTED = 12
"""Moves of one kind that are listed; of more only the kind is named."""
HELP = """  Type a move in words, or enough of them: s for draw stock, 7h to discard the seven of hearts,
  m 7c 7h 2s for a meld, lay off 7d on meld 2.
  hint       what an agent would do       moves      all you can do now
  undo       take back your last move     log        what happened so far
  quit       leave the table              help       this list"""


class Quit(Exception):
    """The player has left the table."""


class NoSuchMove(NotationError):
    """What was typed is none of the moves."""


class TerminalTable:
    """A match between the person at the keyboard (seat 0) and agents (the other seats).

    A game may have its own table: a subclass that says more about the position and understands shorter words.
    """

    title = "Rummy"
    help = HELP

    def __init__(
        self,
        rules: Rules,
        opponents: Sequence[Agent],
        seed: int,
        *,
        coach: Agent | None = None,
        plain: bool = False,
        record: Path | None = None,
        read: Callable[[str], str] = input,
        write: Callable[[str], None] | None = None,
    ) -> None:
        self.rules, self.seed, self.coach = rules, seed, coach
        self.players: dict[int, Agent] = dict(enumerate(opponents, start=1))
        self.names = ["you", *_told_apart([agent.name for agent in opponents])]
        self.style = "text" if plain else "color"
        self.record_path = record
        self.read = read
        self.write = write or _print
        self.records: list[Record] = []
        self._kept: State | None = None
        self.streams = [player_stream(seed, 0, number) for number in range(rules.seats)]

    # --- The match ----------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play hands until the match is over or the player leaves."""
        self.write(f"{self.title} against {' and '.join(self.names[1:])}{self.match_words()}. Type 'help'.")
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
        self._show_winner(state)

    def match_words(self) -> str:
        """Return what the match is played to."""
        options = self.rules.options.to_dict()
        if options.get("target"):
            return f", first to {options['target']}"
        return f", {options['hands']} hands" if "hands" in options else ""

    def _show_winner(self, state: State) -> None:
        best = max(state.scores)
        winners = [self.names[seat] for seat, score in enumerate(state.scores) if score == best]
        if len(winners) > 1:
            self.write("Nobody wins the match.")
        else:
            self.write("You win the match!" if winners == ["you"] else f"{winners[0]} wins the match.")

    def _keep(self, state: State) -> None:
        if state.actor is None and state is not self._kept:
            self._kept = state
            self.records.append(Record.of(state, self.names, self.seed))
            if self.record_path is not None:
                append_records(self.record_path, self.records[-1:])

    def _play_hand(self, state: State) -> None:
        standing = ", ".join(f"{name} {score}" for name, score in zip(self.names, state.scores, strict=True))
        self.write(f"\n--- Hand {state.hand_no + 1} · {standing} ---")
        for number, agent in self.players.items():
            agent.sit(self.rules, Seat(number), self.streams[number])
        while (seat := state.actor) is not None:
            if seat == YOU:
                self._your_move(state)
            else:
                self._push(state, self.players[seat].act(state.observe(seat)))
        self._show_end(state)

    # --- Your move ----------------------------------------------------------------------------------------------------

    def _your_move(self, state: State) -> None:
        seen = state.observe(YOU)
        if len(seen.legal) == 1:
            self._push(state, seen.legal[0])
            return
        self._show(seen)
        while True:
            word = self.read("> ").strip().lower()
            try:
                if self._command(word, state, seen):
                    return
            except RummyError as error:
                self.write(f"  {error}")

    def _command(self, word: str, state: State, seen: Observation) -> bool:
        """Carry out one line; return whether the position changed."""
        if word in ("quit", "q", "exit"):
            raise Quit
        if word in ("help", "h", "?"):
            self.write(self.help)
        elif word == "hint":
            self.write("  " + self.hint(seen))
        elif word == "moves":
            self.write("  " + ", ".join(format(action, self.style) for action in seen.legal))
        elif word == "log":
            for event in seen.log:
                self.write(f"  {event}")
        elif word == "undo":
            return self._undo(state)
        elif word:
            self._push(state, self.read_action(word, seen))
            return True
        return False

    def _undo(self, state: State) -> bool:
        if not any(event.chosen and event.seat == YOU for event in state.log):
            self.write("  nothing to take back")
            return False
        while state.pop().seat != YOU:
            pass
        return True

    def _push(self, state: State, action: Action) -> None:
        n = len(state.log)
        state.push(action)
        for event in state.log[n:]:
            if event.action.verb != "shows":
                self._say(event.seen_by(YOU))

    def _say(self, event: Event) -> None:
        """Tell what happened: of the own moves only what the player does not know yet."""
        if event.seat == YOU:
            if event.secret and not event.action.cards:  # a passed card is no news to who passes it
                verb = event.action.verb.split()[0]
                self.write(f"You {verb} {format(event.secret[0], self.style)}.")
        elif event.action.cards or (event.chosen and event.action.verb != "done"):
            who = self.names[event.seat] if event.seat >= 0 else "table"
            self.write(f"{who}: {format(event.action, self.style)}")

    # --- What a game may say better -----------------------------------------------------------------------------------

    def read_action(self, word: str, seen: Observation) -> Action:
        """Understand what the player typed. A move in full that is not legal is left to the rules to refuse."""
        try:
            return read_action(word, seen.legal)
        except NoSuchMove:
            if (typed := self._in_full(word)) is None:
                raise
            return typed

    def _in_full(self, word: str) -> Action | None:
        """Return the move that *word* spells out, with cards or known to the rules."""
        try:
            action = Action.parse(word)
            if not action.cards:
                self.rules.encode(action)
        except NotationError:
            return None
        return action

    def hint(self, seen: Observation) -> str:
        """Return what the coach would do, who sees what the player sees and no more."""
        if self.coach is None:
            return "there is nobody to ask"
        self.coach.sit(self.rules, YOU, player_stream(self.seed, 0, YOU))
        return f"{self.coach.name} would {format(self.coach.act(seen), self.style)}"

    def _show(self, seen: Observation) -> None:
        up = getattr(seen, "up_card", None)
        self.write(f"\nstock {getattr(seen, 'stock', '-')} · pile {format(up, self.style) if up else '-'}")
        for meld in getattr(seen, "melds", ()):
            self.write(f"  meld {format(meld, self.style)}   ({self.names[meld.owner]})")
        cards = sorted(seen.hand, key=lambda card: (card.is_joker, card.rank, card.suit))
        self.write(f"you hold {' '.join(format(card, self.style) for card in cards)}")
        if any(action.verb == "pass" and action.cards for action in seen.legal):
            self.write(f"your card goes to {self.names[getattr(seen, 'passes_to', YOU)]}")
        self.write(prompt(seen.legal, self.style))

    def _show_hands(self, state: State) -> None:
        for event in state.log:
            if event.action.verb == "shows":
                held = " ".join(format(card, self.style) for card in event.action.cards)
                self.write(f"{self.names[event.seat]}: {held or 'no cards left'}")

    def _show_end(self, state: State) -> None:
        self._show_hands(state)
        result: dict[str, Any] = state.result
        if result["winner"] is None:
            self.write(f"{result['outcome'].capitalize()}: nobody scores.")
            return
        won = int(state.payoffs()[result["winner"]])
        who = "You win" if result["winner"] == YOU else f"{self.names[result['winner']]} wins"
        self.write(f"{result['outcome'].capitalize()}! {who} {won} points.")


def _told_apart(names: list[str]) -> list[str]:
    return [f"{name} {i}" if names.count(name) > 1 else name for i, name in enumerate(names, start=1)]


def _print(text: str) -> None:
    from rich.console import Console

    Console().out(text, highlight=False)


def prompt(legal: Sequence[Action], style: str = "text") -> str:
    """Return what the player may do now: moves with one card by their kind, the others one by one."""
    by_verb: dict[str, list[Action]] = {}
    for action in legal:
        by_verb.setdefault(action.verb, []).append(action)
    words = []
    for verb, actions in by_verb.items():
        if len(actions) > MOST_LISTED or all(action.card and not action.on for action in actions):
            words.append(f"{verb} CARD" if actions[0].card else f"{verb} CARDS")
        else:
            words += [format(action, style) for action in actions]
    return "; ".join(words) + "?"


def read_action(text: str, legal: Sequence[Action]) -> Action:
    """Return the move of *legal* that *text* means: its words, or enough of them, or a card to throw or pass.

    Every move is understood in the words, letters or symbols in which it is shown.
    """
    tokens = [_card_word(token) for token in text.lower().split()]
    spelled = [action for action in legal if tokens == _words(action)]
    same = [action for action in legal if _is_same(tokens, action)]
    alone = [action for action in legal if action.verb in ("discard", "pass") and tokens == _words(action)[1:]]
    for found in (spelled, same, alone, [action for action in legal if _begins(tokens, _words(action))]):
        if len(found) == 1:
            return found[0]
        if found:
            raise NotationError(f"{text!r} could be {', '.join(map(str, found[:4]))}")
    raise NoSuchMove(f"{text!r} is nothing you can do now; type 'help'")


def _words(action: Action) -> list[str]:
    return str(action).lower().split()


def _is_same(tokens: list[str], action: Action) -> bool:
    """Return whether *tokens* say *action* in full, its cards in any order."""
    try:
        typed = Action.parse(" ".join(tokens))
    except NotationError:
        return False
    return (typed.verb, sorted(typed.cards), typed.on) == (action.verb, sorted(action.cards), action.on)


def _begins(tokens: list[str], words: list[str]) -> bool:
    """Return whether the tokens begin some of the words, in order."""
    left = iter(words)
    return all(any(word.startswith(token) for word in left) for token in tokens)


def _card_word(token: str) -> str:
    """Return a card as actions spell it (``10h`` and ``t♥`` are ``th``), anything else as it is."""
    try:
        return str(Card.parse(token)).lower()
    except NotationError:
        return token
