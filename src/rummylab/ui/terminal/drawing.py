"""A table as lines of text, from the view that a front end gets: nothing here knows a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rummylab.cards.card import Card
from rummylab.engine.show import CardView, GroupView, LogEntry, MeldView, card_text
from rummylab.ui.table.view import SeatView, TableView
from rummylab.ui.terminal.moves import listed
from rummylab.ui.terminal.screen import Ink

GAP = "   "
"""Between groups of cards."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Draws tables in one style and width."""

    ink: Ink
    width: int = 80
    height: int = 1000

    # --- The table --------------------------------------------------------------------------------------------------

    def table(self, view: TableView, news: Sequence[LogEntry] = ()) -> list[str]:
        """Return the table while the hand is played: what lies there, the player's cards, and what they may do.

        If it is too high for the screen, blank lines go first, then what happened before the last player's turn.
        """
        lines = self._table(view, news)
        if len(lines) > self.height:
            lines = [line for line in lines if line]
        if len(lines) > self.height:
            last = [entry for entry in news if entry.seat == news[-1].seat]
            lines = [line for line in self._table(view, last) if line]
        return lines

    def _table(self, view: TableView, news: Sequence[LogEntry]) -> list[str]:
        status = view.status.text.removeprefix(news[-1].text).strip() if news else view.status.text
        return [
            *self._head(view),
            *self._opponents(view),
            *self._middle(view),
            *self._melds(view.melds),
            "",
            *self.groups(view.hand.groups),
            *self._facts(view),
            "",
            *self._wrapped(told(news, status)),
            *map(self.ink.bold, self._wrapped(status)),
            *map(self.ink.dim, self._wrapped(f"Type: {listed(view.actions, len(view.hand.cards))}, hint, help", "  ")),
        ]

    def end(self, view: TableView, line: str, news: Sequence[LogEntry] = ()) -> list[str]:
        """Return the end of a hand: all hands laid open, the score explained in one *line*.

        If it is too high for the screen, the labels of the groups are left out.
        """
        lines = self._end(view, line, news, labels=True)
        return lines if len(lines) <= self.height else self._end(view, line, news, labels=False)

    def _end(self, view: TableView, line: str, news: Sequence[LogEntry], *, labels: bool) -> list[str]:
        lines = [*self._head(view), *self._wrapped(told(news)), ""]
        found = view.showdown
        if found is not None:
            for hand in found.hands:
                lines += [self.ink.colored(self._words(f"{hand.name}: {hand.note}" if hand.note else hand.name))]
                lines += [f"  {row}" for row in self.groups(hand.groups, labels=labels)]
            lines += ["", *map(self.ink.bold, self._wrapped(line))]
            lines += self._wrapped(f"Score: {'; '.join(found.score_lines)}.") if found.score_lines else []
        if view.match_over is not None:
            lines += map(self.ink.bold, self._wrapped(view.match_over.text))
        return lines

    def _head(self, view: TableView) -> list[str]:
        rule = self.ink.dim(self._words("─") * self.width)
        return [*map(self.ink.bold, self._wrapped(view.heading)), *self._wrapped(view.score.line), rule]

    def _opponents(self, view: TableView) -> list[str]:
        others = [seat for seat in view.seats if seat.seat != view.eyes]
        column = max(len(seat.short) for seat in others) + 3
        lines: list[str] = []
        for seat in others:
            lines += self._wrapped(f"{seat.short:{column}}{self._about(seat)}", " " * column)
        return lines

    @staticmethod
    def _about(seat: SeatView) -> str:
        return " · ".join(part for part in (seat.note, seat.known_text) if part)

    def _middle(self, view: TableView) -> list[str]:
        upcard = f"upcard {self.card(view.pile.top)}" if view.pile.top is not None else "no upcard"
        parts = [f"Stock {view.stock.count}", upcard, f"{view.pile.count} in the pile"]
        if view.wild is not None:
            parts.append(f"{view.wild.text} (indicator {view.wild.card.text})")
        lines = self._wrapped(" · ".join(parts))
        if view.contract is not None:
            found = view.contract
            words = [f"Contract: {found.text}", found.missing, found.wilds]
            lines += self._wrapped(" · ".join(word for word in words if word))
        if view.passing is not None:
            lines += self._wrapped(view.passing.text)
        return lines

    def _melds(self, melds: Sequence[MeldView]) -> list[str]:
        cells = []
        for meld in melds:
            fits = f" ({meld.fits_text})" if meld.fits_text else ""
            cells.append(self._words(f"{meld.number}  {meld.label}: {self.cards(meld.cards)}{fits}"))
        lines = [GAP.join(row) for row in _rows(cells, self.width)]
        return ["", *map(self.ink.colored, lines)] if lines else []

    def _facts(self, view: TableView) -> list[str]:
        shown = [group.label for group in view.hand.groups]
        shown += [f"contract {view.contract.missing}"] if view.contract is not None else []
        facts = [f"{fact.term}{'' if fact.value[0].isdigit() else ':'} {fact.value}" for fact in view.facts]
        return self._wrapped(" · ".join(fact for fact in facts if not any(_repeats(fact, label) for label in shown)))

    # --- Cards ------------------------------------------------------------------------------------------------------

    @staticmethod
    def card(card: CardView) -> str:
        """Return a card; a wild one is marked, with the card that it stands for."""
        mark = "*" if card.wild and not card.joker else ""
        return f"{card.text}{mark}{f'={card_text(Card.parse(card.stands_for))}' if card.stands_for else ''}"

    def cards(self, cards: Iterable[CardView]) -> str:
        """Return cards with blanks between them."""
        return " ".join(map(self.card, cards))

    def groups(self, groups: Sequence[GroupView], *, labels: bool = True) -> list[str]:
        """Return groups of cards side by side, each with its label below."""
        cells = []
        for group in groups:
            cards, label = self._words(self.cards(group.cards)), self._words(group.label) if labels else ""
            size = max(len(cards), len(label))
            cells.append((f"{cards:{size}}", f"{label:{size}}"))
        lines = []
        for row in _rows([cards for cards, _ in cells], self.width):
            lines.append(self.ink.colored(GAP.join(row).rstrip()))
            if labels:
                lines.append(self.ink.dim(GAP.join(label for _, label in cells[: len(row)]).rstrip()))
            cells = cells[len(row) :]
        return lines

    # --- Words ------------------------------------------------------------------------------------------------------

    def _words(self, text: str) -> str:
        return self.ink.words(text)

    def _wrapped(self, text: str, indent: str = "") -> list[str]:
        return self.ink.wrapped(text, self.width, indent)


def _rows(cells: Sequence[str], width: int) -> list[list[str]]:
    """Return *cells* in rows that are not wider than *width*."""
    rows: list[list[str]] = []
    used = 0
    for cell in cells:
        if rows and used + len(GAP) + len(cell) <= width:
            rows[-1].append(cell)
            used += len(GAP) + len(cell)
        else:
            rows.append([cell])
            used = len(cell)
    return rows


def _repeats(fact: str, label: str) -> bool:
    """Return whether the label of a group says what a fact says."""
    return f"{label} ".lower().startswith(f"{fact} ".replace(":", "").lower())


def told(news: Sequence[LogEntry], said: str = "") -> str:
    """Return what happened, a sentence for each player's turn; what *said* says too is left out."""
    turns: list[tuple[int, list[str]]] = []
    for entry in news:
        if entry.text in said:
            continue
        if turns and turns[-1][0] == entry.seat >= 0:
            turns[-1][1].append(entry.text)
        else:
            turns.append((entry.seat, [entry.text]))
    return " ".join(_one_sentence(texts) for _, texts in turns)


def _one_sentence(texts: Sequence[str]) -> str:
    """Return sentences with one subject as one: ``Asha drew from the stock and discarded 7♥.``"""
    words = [text.rstrip(".").split() for text in texts]
    same = 0
    while all(len(one) > same + 1 for one in words) and len({one[same] for one in words}) == 1:
        same += 1
    subject = " ".join(words[0][:same])
    if len(texts) == 1 or not subject:
        return " ".join(texts)
    parts = [" ".join(one[same:]) for one in words]
    return f"{subject} {', '.join(parts[:-1])} and {parts[-1]}."
