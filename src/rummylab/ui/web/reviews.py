"""Coach and reviews of a server: one thread does the work, results are kept in the store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any, Final

import msgspec

from rummylab.engine.observation import Observation
from rummylab.engine.records import Record, parse_records
from rummylab.errors import RummyError, TableError
from rummylab.ui.table.config import Chair
from rummylab.ui.table.store import Game, TableStore
from rummylab.ui.table.view import position_view, rules_title, show_of

log = logging.getLogger(__name__)
MOST_WAITING: Final = 20
"""Reviews that may wait for their turn."""
REVIEW_SECONDS: Final = 8.0
"""Time for one hand: a long one, or a slow machine, gets fewer worlds for each decision."""


class Reviews:
    """Coach and reviews."""

    def __init__(self, store: TableStore, *, worlds: int | None = None) -> None:
        self.store, self.worlds = store, worlds
        self.thread = ThreadPoolExecutor(1, "review")
        self.running: dict[tuple[str, int], float | RummyError] = {}
        self.is_closing = False

    def close(self) -> None:
        """Stop the thread; a review that is under way ends after the decision it is at, and nothing of it is kept."""
        self.is_closing = True
        self.thread.shutdown(wait=True, cancel_futures=True)

    @staticmethod
    def _coaching() -> Any:
        """Import the coach when it is first asked: it loads what the other pages do without."""
        return import_module("rummylab.ui.table.coaching")

    async def coach(
        self, seen: Observation, chairs: tuple[Chair, ...], version: int, agent: str | None, worlds: int | None = None
    ) -> dict[str, Any]:
        """Return the coach's answer for what one seat sees."""
        coaching = self._coaching()
        show = show_of(seen, chairs, you=True, hand_no=0)
        worlds = worlds or self.worlds
        budget = coaching.Budget(worlds=worlds, seconds=None if worlds else 1.0)
        loop = asyncio.get_running_loop()
        found: dict[str, Any] = await loop.run_in_executor(
            self.thread, coaching.coach, seen, show, version, agent, budget
        )
        return found

    # --- Reviews ----------------------------------------------------------------------------------------------------

    def review(self, player: int, game: Game, record: Record, seat: int) -> tuple[dict[str, Any] | None, float]:
        """Return a review, or None and how far it is; the first call starts it.

        Raises:
            RummyError: The hand cannot be reviewed.
        """
        stored = self.store.review(game.record, seat)
        if stored is not None:
            return stored, 1.0
        key = game.record, seat
        state = self.running.get(key)
        if isinstance(state, RummyError):
            del self.running[key]
            raise state
        if state is None:
            self._coaching()
            if len(self.running) >= MOST_WAITING:
                raise TableError("not_available", "Too many reviews are waiting. Try again in a minute.")
            self.running[key] = 0.0
            self.thread.submit(self._work, player, game, record, seat)
        return None, float(self.running.get(key, 0.0))  # type: ignore[arg-type]

    def match(self, player: int, games: Sequence[Game], outcome: str) -> tuple[dict[str, Any] | None, int, float]:
        """Return the review of a match, or None, the hand that is reviewed now (from 0) and the share that is done.

        Stored reviews are used; of the others one at a time is under way, so a long match holds nobody up, and the work
        ends when nobody asks any more.

        Raises:
            RummyError: A hand cannot be reviewed.
        """
        for number, game in enumerate(games):
            seat = game.seat or 0
            if self.store.is_reviewed(game.record, seat):
                continue
            full = self.store.game(player, game.record) or game
            body, share = self.review(player, full, parse_records(full.text, "the record")[0], seat)
            if body is None:
                return None, number, (number + share) / len(games)
        hands = [(game, self.store.review(game.record, game.seat or 0)) for game in games]
        found: dict[str, Any] = import_module("rummylab.ui.table.matches").match_review(hands, outcome)
        return found, len(games), 1.0

    def _work(self, player: int, game: Game, record: Record, seat: int) -> None:
        key = game.record, seat
        coaching = self._coaching()

        def progress(done: int, total: int) -> None:
            if self.is_closing:
                raise TableError("not_available", "The server is closing.")
            self.running[key] = done / max(1, total)

        try:
            budget = coaching.Budget(worlds=self.worlds, seconds=None)
            seconds = None if self.worlds else REVIEW_SECONDS
            body, found = coaching.review_dict(record, seat, budget, progress, seconds, you=seat == game.seat)
            plain = msgspec.json.decode(msgspec.json.encode(body))
            self.store.add_review(game.record, seat, plain)
            if seat == game.seat:
                self.store.add_puzzles(player, game.record, game.game, self._puzzles(found))
            self.running.pop(key, None)
        except RummyError as error:
            self.running[key] = error
        except Exception:
            log.exception("the review of a hand failed")
            self.running[key] = TableError("not_available", "This hand cannot be reviewed.")

    def _puzzles(self, found: Any) -> list[dict[str, Any]]:
        puzzles = import_module("rummylab.analysis.puzzles").puzzles
        coaching = self._coaching()
        made = []
        for puzzle in puzzles(found):
            seen = Observation.parse(puzzle.position)
            moves = coaching.plain_moves(puzzle.moves, show_of(seen, self._chairs(seen), you=True, hand_no=0))
            made.append(
                {
                    "position": puzzle.position,
                    "kind": puzzle.kind,
                    "loss": puzzle.loss,
                    "seat": puzzle.seat,
                    "moves": moves,
                }
            )
        plain: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(made))
        return plain

    def verdict(self, moves: Sequence[Mapping[str, Any]], action: str) -> dict[str, Any]:
        """Return how a choice compares with the best."""
        found: dict[str, Any] = self._coaching().verdict_on(moves, action)
        return found

    def thinking(self, game: Game, seats: int) -> list[dict[str, Any]]:
        """Return what stored reviews say about each decision of a hand: the thinking of its players."""
        found = []
        for seat in range(seats):
            stored = self.store.review(game.record, seat)
            for decision in (stored or {}).get("all", []):
                moves = (stored or {}).get("answers", {}).get(str(decision["decision"]), [])
                found.append({"step": decision["step"], "seat": seat, "text": decision["text"], "moves": moves})
        return sorted(found, key=lambda one: int(str(one["step"])))

    @staticmethod
    def _chairs(seen: Observation) -> tuple[Chair, ...]:
        names = ["You" if seat == seen.seat else f"Player {seat + 1}" for seat in range(seen.rules.seats)]
        return tuple(Chair("person" if seat == seen.seat else "agent", name, name) for seat, name in enumerate(names))

    @classmethod
    def puzzle_view(cls, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the position of a puzzle."""
        seen = Observation.parse(body["position"])
        title = rules_title(seen.rules.spec, seen.rules)
        view = position_view(seen, cls._chairs(seen), title=title, you=int(seen.seat))
        return {"title": f"{seen.rules.spec.title}: {body['kind']}", "view": view, "question": "What would you do?"}
