"""A table in the terminal for any game: you against agents.

It knows a game by its specification, its observations, and its actions and events in words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.agent import Agent
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record, write_records
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import IllegalActionError, NotationError, RummyError

YOU = Seat(0)
MOST_LISTED = 12
"""Moves of one kind that are listed; of more only the kind is named."""
HELP = """  Type a move, or enough of it: s to draw from the stock, u to take the upcard,
  7h to discard the seven of hearts, k 7h to knock with it, lay down 7c 7h 2s, lay off 7d on meld 2.
  hint       what an agent would do       moves      all you can do now
  undo       take back your last move     log        what happened so far
  quit       leave the table              help       this list"""


class Quit(Exception):
    """The player has left the table."""


class NoSuchMove(NotationError):
    """What was typed is none of the moves."""


class TerminalTable:
    """A match between the person at the keyboard (seat 0) and agents (the other seats)."""

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
        self.rules, self.spec, self.seed, self.coach = rules, rules.spec, seed, coach
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
        self.write(f"{self.spec.title} against {' and '.join(self.names[1:])}{self.match_words()}. Type 'help'.")
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
        if self.rules.standing(self.rules.new_rows(1)):
            return f", {options['format']}"
        if options.get("target"):
            return f", first to {options['target']}"
        return f", {options['hands']} hands" if "hands" in options else ""

    def _show_winner(self, state: State) -> None:
        winners = [self.names[seat] for seat in state.match_winners]
        if state.standing:
            self.write(f"The match is over: {self.rules.score_line(state.rows(), self.names)}.")
        if len(winners) > 1:
            self.write(f"{_and(winners)} share the match." if state.standing else "Nobody wins the match.")
        else:
            self.write("You win the match!" if winners == ["you"] else f"{winners[0]} wins the match.")

    def _keep(self, state: State) -> None:
        if state.actor is None and state is not self._kept:
            self._kept = state
            self.records.append(Record.of(state, self.names, self.seed))
            if self.record_path is not None:
                write_records(self.record_path, self.records[-1:])

    def _play_hand(self, state: State) -> None:
        self.write(f"\n--- Hand {state.hand_no + 1} · {self.rules.score_line(state.rows(), self.names)} ---")
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
        automatic = seen.automatic()
        if automatic is not None:
            event = state.push(automatic)
            if event.action.verb != "done":
                self.write(f"You {format(event.action, self.style)}.")
            return
        if len(seen.legal) == 1:
            self._push(state, seen.legal[0])
            return
        self._show(seen)
        while True:
            word = self.read("> ").strip().lower()
            try:
                if self._command(word, state, seen):
                    return
            except IllegalActionError as error:
                self.write(f"  You can't do that: {error.reason}.")
            except RummyError as error:
                self.write(f"  {error}")

    def _command(self, word: str, state: State, seen: Observation) -> bool:
        """Carry out one line; return whether the position changed."""
        if word in ("quit", "q", "exit"):
            raise Quit
        if word in ("help", "h", "?"):
            self.write(f"{HELP}\n{self.spec.help}".rstrip())
        elif word == "hint":
            if seen.advice(self.style):
                self.write("  " + seen.advice(self.style))
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
        """Tell what happened: of the player's own moves only what they do not know yet."""
        if event.seat == YOU:
            if event.secret and not event.action.cards:  # a passed card is no news to who passes it
                verb = event.action.verb.split()[0]
                price = "and draw " * (verb == "buy")  # the upcard that they buy is no news, its price is
                self.write(f"You {verb} {price}{format(event.secret[0], self.style)}.")
        elif event.action.cards or (event.chosen and event.action.verb != "done"):
            who = self.names[event.seat] if event.seat >= 0 else "table"
            self.write(f"{who}: {format(event.action, self.style)}")

    # --- What is typed and shown --------------------------------------------------------------------------------------

    def read_action(self, word: str, seen: Observation) -> Action:
        """Return the move that the player typed. A move in full that is not legal is left to the rules to refuse."""
        try:
            return read_action(word, seen.legal)
        except NoSuchMove:
            if (typed := self._in_full(word)) is None:
                raise
            return typed

    def _in_full(self, text: str) -> Action | None:
        """Return the move of the game that *text* spells out, its verb perhaps shortened, legal or not."""
        tokens = [_card_word(token) for token in text.split()]
        n_verb = next((i for i, token in enumerate(tokens) if _is_card(token)), len(tokens))
        if not n_verb:
            return None
        for verb in self.spec.verbs:
            for words in (verb.words, *verb.former):
                if _begins(tokens[:n_verb], words.split()) and bool(verb.takes) == (n_verb < len(tokens)):
                    return Action.parse(" ".join([verb.words, *tokens[n_verb:]]))
        return None

    def hint(self, seen: Observation) -> str:
        """Return what the coach would do, who sees what the player sees and no more."""
        if self.coach is None:
            return "there is nobody to ask"
        self.coach.sit(self.rules, YOU, player_stream(self.seed, 0, YOU))
        return f"{self.coach.name} would {format(self.coach.act(seen), self.style)}"

    def _show(self, seen: Observation) -> None:
        self.write("\n" + "\n".join(seen.table_lines(self.style, self.names)))
        self.write(prompt(seen.legal, self.style))

    def _show_end(self, state: State) -> None:
        seen = state.observe(YOU)
        for event in state.log:
            if event.action.verb == "shows":
                held = seen.arranged(Hand.of(event.action.cards, decks=2), self.style)
                self.write(f"{self.names[event.seat]}: {held or 'no cards left'}")
        result: dict[str, Any] = state.result
        if result["winner"] is None:
            self.write(f"{result['outcome'].capitalize()}: nobody scores.")
            return
        won = int(state.payoffs()[result["winner"]])
        who = "You win" if result["winner"] == YOU else f"{self.names[result['winner']]} wins"
        self.write(f"{result['outcome'].capitalize()}! {who} {won} points.")


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
    if set(by_verb) == {"draw upcard", "pass"}:
        return "Take the upcard? (y/n)"
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
    yes_no = {"y": "draw upcard", "n": "pass"} if {action.verb for action in legal} == {"draw upcard", "pass"} else {}
    tokens = [_card_word(token) for token in yes_no.get(text, text).lower().split()]
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


def _is_card(token: str) -> bool:
    """Return whether *token* names a card."""
    try:
        Card.parse(token)
    except NotationError:
        return False
    return True


def _card_word(token: str) -> str:
    """Return a card as actions spell it (``10h`` and ``t♥`` are ``th``), anything else as it is."""
    try:
        return str(Card.parse(token)).lower()
    except NotationError:
        return token
