"""A table in the terminal for any game: you against agents.

It plays the same `Session` as the browser, and draws the same view of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from rummylab.analysis.values import HINT, Budget
from rummylab.engine.records import write_records
from rummylab.engine.show import ActionView, LogEntry, Show
from rummylab.errors import RummyError
from rummylab.ui.table.coaching import coach
from rummylab.ui.table.session import Session
from rummylab.ui.table.store import TableStore
from rummylab.ui.table.view import TableView, news_of, rules_view, show_of, table_view
from rummylab.ui.terminal.drawing import Drawing, told
from rummylab.ui.terminal.moves import possible, read_move, shown
from rummylab.ui.terminal.screen import Screen

YOU: Final = 0
"""The person's seat."""
EXAMPLES: Final = {
    "draw stock": "  s, u or take        draw from the stock, take the upcard",
    "discard CARD": "  7h                  discard the seven of hearts",
    "knock CARD": "  k 7h                discard it and knock",
    "declare CARD": "  dec 7h              discard it and declare",
    "pass CARD": "  pass 7h             pass it on",
    "lay down CARDS (a set)": "  lay down 7c 7h 7d   lay down a set or a run of the contract",
    "lay off CARD on meld N": "  lay off PJ on 1     add a printed joker (PJ) to meld 1",
}
"""How moves are typed, by the pattern of the action. The help shows those that the game has."""
HELP: Final = (
    "Cards may be typed in letters: 7h, Th or 10h.",
    "  hint    the best move, its value and why     moves   all you can do now",
    "  back    take back your last move             log     what happened",
    "  rules   the rules in force                   quit    save and leave",
)
OPENING: Final = ("deal", "turn up", "indicator")
"""Events before the first move: they are not news, since the table shows the result."""
MOST_ALTERNATIVES: Final = 3
"""Other moves that a hint lists."""


class Quit(Exception):
    """The player has left the table."""


class TerminalTable:
    """A match between the person at the keyboard and the agents at a session's other seats."""

    def __init__(
        self,
        session: Session,
        screen: Screen,
        *,
        store: TableStore | None = None,
        record: Path | None = None,
        resume: str = "",
        budget: Budget = HINT,
    ) -> None:
        self.session, self.screen, self.store, self.record_path = session, screen, store, record
        self.resume, self.budget = resume, budget
        # The number of the last log entry that is not news.
        self._seen = max((entry.n for entry in self._view().log if entry.seat == YOU), default=-1)
        # Lines to show below the next drawing of the table.
        self._note: list[str] = []
        self._has_played = bool(session.commands or session.start.number)

    # --- The match --------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play hands until the match is over or the player leaves."""
        session = self.session
        try:
            while True:
                self._play_hand()
                self._keep_record()
                if session.match_is_over:
                    break
                self._between_hands()
                session.next_hand(session.version)
                if self.store is not None:
                    self.store.save(session, new_hand=True)
        except (Quit, EOFError, KeyboardInterrupt):
            self._leave()
            return
        self._draw(self._view())
        if self.store is not None:
            self.store.delete_table(session.id)

    def _play_hand(self) -> None:
        session = self.session
        session.finish_for_people()
        while not session.is_over:
            if session.agent_is_due:
                session.play_agents("person")
            else:
                self._your_move()

    def _leave(self) -> None:
        """Say how to come back. A table where the player has not moved yet is not kept."""
        self.screen.say("")
        if self.store is None:
            self.screen.say("You leave the table.")
        elif not self._has_played:
            self.store.delete_table(self.session.id)
            self.screen.say("You leave the table before your first move: nothing is kept.")
        else:
            self.store.save(self.session)
            self.screen.say(f"The table is saved. To go on: {self.resume}")

    def _keep_record(self) -> None:
        """Write the record of the finished hand, once."""
        if self.record_path is None or self.session.record_id is not None:
            return
        write_records(self.record_path, [self.session.record()])
        self.session.record_id = str(self.record_path)
        if self.store is not None:
            self.store.save(self.session)

    # --- Drawing ----------------------------------------------------------------------------------------------------

    def _view(self) -> TableView:
        return table_view(self.session, YOU)

    def _draw(self, view: TableView) -> None:
        """Draw the table, with the note that the last command left."""
        drawing, news = self._drawing, self._news(view)
        if self.session.is_over:
            lines = drawing.end(view, self._show().end_line(), news)
        else:
            lines = drawing.table(view, news)
        self.screen.draw(lines, self._note)
        self._note = []

    @property
    def _drawing(self) -> Drawing:
        return Drawing(self.screen.ink, self.screen.width, self.screen.height)

    def _show(self) -> Show:
        session = self.session
        return show_of(session.observe(YOU), session.config.chairs, you=True, hand_no=session.start.number)

    def _news(self, view: TableView) -> list[LogEntry]:
        """Return what the others did since the player's last move, and what the table did for the player."""
        new = [entry for entry in news_of(view.log, self._seen) if entry.verb not in OPENING]
        return [entry for entry in new if entry.seat != YOU or self.session.is_over]

    def _say(self, *texts: str) -> None:
        """Show *texts* below the next drawing of the table."""
        for text in texts:
            self._note += self.screen.ink.wrapped(text.strip(), self.screen.width, "  ")

    # --- Commands ---------------------------------------------------------------------------------------------------

    def _your_move(self) -> None:
        """Ask until the position has changed."""
        version, view = self.session.version, self._view()
        while self.session.version == version:
            self._draw(view)
            self._carry_out(self.screen.ask("> "), view)

    def _between_hands(self) -> None:
        """Wait until the player wants the next hand."""
        view = self._view()
        label = view.next.label.lower() if view.next is not None else "next hand"
        while True:
            self._draw(view)
            line = self.screen.ask(f"Press Enter for the {label}. ").lower()
            if line in ("", "n", "next"):
                self._seen = view.log[-1].n if view.log else -1
                return
            if not self._command(line, view):
                self._say("The hand is over. Press Enter, or type log, rules or quit.")

    def _carry_out(self, line: str, view: TableView) -> None:
        """Carry out a line that was typed; an error is shown below the table."""
        try:
            if not self._command(line.lower(), view):
                self._move(line, view)
        except RummyError as error:
            self._say(str(error))

    def _command(self, line: str, view: TableView) -> bool:
        """Carry out *line* if it is a command; return whether it is one."""
        commands: dict[str, Callable[[TableView], None]] = {
            "help": self._help, "h": self._help, "?": self._help,
            "hint": self._hint, "moves": self._moves, "log": self._log, "rules": self._rules,
            "back": self._take_back, "undo": self._take_back, "take back": self._take_back,
            "save": self._save,
        }  # fmt: skip
        if line in ("quit", "q", "exit"):
            raise Quit
        if line not in commands:
            return False
        commands[line](view)
        return True

    def _move(self, line: str, view: TableView) -> None:
        if not line and len(view.actions) != 1:
            return
        move = read_move(line, view.actions, self.session.rules.spec) if line else view.actions[0].id
        chosen = next((action for action in view.actions if action.id == move), None)
        if chosen is not None and not self._confirms(chosen):
            return
        self.session.act(YOU, move, self.session.version)
        self._has_played = True
        self._seen = view.log[-1].n if view.log else -1

    def _confirms(self, action: ActionView) -> bool:
        """Ask before a move that costs points without need."""
        if action.confirm != "ask":
            return True
        question = self.screen.ink.words(action.confirm_text or "Are you sure?")
        return self.screen.ask(f"{question} (y/n) ").lower() in ("y", "yes")

    def _help(self, view: TableView) -> None:
        patterns = [verb.pattern for verb in self.session.rules.spec.verbs]
        examples = [line for pattern, line in EXAMPLES.items() if pattern in patterns]
        lines = ("Type a move as it is shown, or enough of it:", *examples, *HELP)
        self._note += [self.screen.ink.words(line) for line in lines]
        self._say(*(f"{fact.term}: {fact.help.removeprefix(f'{fact.term}: ')}" for fact in view.facts))
        self._say(*self.session.rules.spec.help.split("\n"))

    def _moves(self, view: TableView) -> None:
        words = [shown(one.id) + (f" ({one.note})" if one.note else "") for one in possible(view.actions)]
        self._say(", ".join(words) or "The hand is over.")

    def _log(self, view: TableView) -> None:
        entries: list[LogEntry] = []
        for entry in view.log:  # a line for each turn
            if entries and entry.seat != entries[-1].seat:
                self._say(told(entries))
                entries = []
            entries.append(entry)
        self._say(told(entries), f"Fingerprint of the deal: {view.fairness.commitment}")

    def _rules(self, view: TableView) -> None:
        found = rules_view(self.session.rules, view.game.rules_title)
        self._say(*(f"{section.title}: {' '.join(section.paragraphs)}" for section in found.sections))

    def _take_back(self, view: TableView) -> None:
        self.session.take_back(YOU, self.session.version)
        if self.store is not None:
            self.store.save(self.session)
        self._seen = view.log[-1].n if view.log else -1
        self._say("Your last move is taken back.")

    def _save(self, view: TableView) -> None:
        if self.store is None:
            self._say("This table is not kept: no file was named with --tables.")
        else:
            self.store.save(self.session)
            self._say(f"Saved, like every move before. To go on later: {self.resume}")

    # --- Hints ------------------------------------------------------------------------------------------------------

    def _hint(self, view: TableView) -> None:
        """Say the best move by the analysis, its value and why, and the next best."""
        if self.session.is_over:
            self._say("The hand is over.")
            return
        if self.screen.redraws:
            self.screen.say("Thinking ... (the first hint of a game compiles for a while)")
        found = coach(self.session.observe(YOU), self._show(), self.session.version, None, self.budget)
        best, *others = found["moves"]
        self._say(f"Hint: {shown(best['action'])}. Expected points of the hand: {best['text']}.")
        reasons = "; ".join(reason["text"] for reason in best["reasons"])
        if reasons:
            self._say(f"It {reasons}." if reasons.split()[0].endswith("s") else f"{reasons[0].upper()}{reasons[1:]}.")
        if others:
            self._say(f"Next: {_values(others[:MOST_ALTERNATIVES])}.")
        self._say(found["method"])


def _values(moves: Sequence[dict[str, object]]) -> str:
    return "; ".join(f"{shown(str(move['action']))} {move['text']}" for move in moves)
