"""Compiled agents named by file: in processes of their own, the same games as in the batch, and nothing to gain."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rummylab import agent, match
from rummylab.arena import guests
from rummylab.arena.faults import OutsideError
from rummylab.arena.jobs import CompiledJob, job_for
from rummylab.arena.outside import player
from rummylab.arena.seating import games_per_deal
from rummylab.arena.shared_views import SharedViews, new_file
from rummylab.engine.lockstep import PENDING
from rummylab.engine.streams import parse_key
from rummylab.games.registry import GAMES, game

TESTS = Path(__file__).resolve().parents[1]
HERE = TESTS / "outside" / "guests.py"
KEY = parse_key("0123456789abcdef0123456789abcdef")
DEALS = 30


def same(a: Any, b: Any) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a.dtype.names)


# --- Processes --------------------------------------------------------------------------------------------------------


def test_a_compiled_guest_plays_the_games_of_the_batch() -> None:
    apart = match("gin", f"{HERE}:gin_random", "simple", games=60, seed=KEY, workers=1)
    beside = match("gin", "random", "simple", games=60, key=f"{KEY:032x}", workers=1)
    assert not apart.faults
    assert same(apart.tallies, beside.tallies)


@pytest.mark.slow
@pytest.mark.parametrize("game_name", ["indian", "contract", "gin_pass"])
def test_guests_of_all_games_play_the_games_of_the_batch_and_are_recorded(game_name: str) -> None:
    spec = f"{HERE}:{game_name}_random"
    rules, ours = game(game_name).rules(), agent(game_name, "random")
    # Each guest has two processes that compile: the game with the smallest kernels has two guests at the table, the
    # others one each, on either side.
    seated = {"indian": [1], "contract": [0], "gin_pass": [0, 1]}[game_name]
    players = [player(game_name, spec) if seat in seated else ours for seat in range(2)]
    played = CompiledJob(rules, players, KEY, seated)((5, DEALS), 3)
    assert same(played.rows, CompiledJob(rules, [ours, ours], KEY)((5, DEALS)).rows)
    assert not played.faults
    assert len(played.hands) == 3


def test_reading_past_the_notes_forfeits_every_game() -> None:
    # Every game costs a process that compiles. Two games in each seating show that the second one is lost as well.
    result = match("gin", f"{HERE}:peeps", "simple", games=4, seed=KEY, workers=1)
    assert result.win_rate.value == 0
    assert len(result.faults) == 4
    assert {fault.kind for fault in result.faults} == {"crash"}
    assert "read or wrote outside an array" in result.faults[0].words


@pytest.mark.slow
def test_a_guest_that_does_not_answer_in_time_forfeits_and_is_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests, "WITHDRAWN_AFTER", 2)  # every fault costs a start; five are counted below
    result = match("gin", f"{HERE}:hangs", "simple", games=30, seed=KEY, workers=1, seconds_a_move=0.5)
    assert result.win_rate.value == 0
    assert {fault.kind for fault in result.faults} == {"time-out", "withdrawn"}


# --- What the referee takes back, without processes -------------------------------------------------------------------


class Played:
    """Stands in for a guest's process: answers like `random`, and then does something to the shared memory."""

    def __init__(self, rules: Any) -> None:
        self.agent = agent(rules.name, "random")
        size = SharedViews.size(rules.view, guests.TABLES)
        self.shared = SharedViews.within(bytearray(size), rules.view, guests.TABLES)
        self.rounds, self.owner = 0, os.getpid()

    def refresh(self) -> None:
        pass

    def ask(self, n: int) -> None:
        self.n = n
        self.shared.codes[:n] = PENDING

    def wait(self) -> None:
        self.rounds += 1
        for j in range(self.n):
            self.answer(j)

    def answer(self, j: int) -> None:
        view = self.shared.views[j]
        self.shared.codes[j] = self.agent.kernel(view["table"], view["mine"], self.agent.params)


class Scribbles(Played):
    """Writes over everything it was shown."""

    def wait(self) -> None:
        super().wait()
        views = self.shared.views
        views["table"]["scores"], views["table"]["actor"], views["mine"]["hand"] = 9999, 1, 0


class Mumbles(Played):
    """Answers with the code that stands for no answer."""

    def answer(self, j: int) -> None:
        self.shared.codes[j] = PENDING


class DiesOnce(Played):
    """Its process ends in the middle of the third round."""

    def wait(self) -> None:
        if self.rounds == 2:
            self.rounds += 1
            for j in range(self.n // 2):
                self.answer(j)
            raise OutsideError("crash", "ended with code 1")
        super().wait()


class NeverStarts(Played):
    def ask(self, n: int) -> None:
        super().ask(n)
        raise OutsideError("crash", "ended with code 1")


def _job(kind: type[Played]) -> Any:
    rules = game("gin").rules()
    guest = guests.CompiledGuest("guest", "gin", None, 1.0)  # type: ignore[arg-type]
    for turn in range(2):
        guest.in_seating(turn)._own = kind(rules)  # type: ignore[assignment]
    return CompiledJob(rules, [guest, agent("gin", "simple")], 7, [0])


def _reference() -> Any:
    return CompiledJob(game("gin").rules(), [agent("gin", "random"), agent("gin", "simple")], 7)((0, DEALS)).rows


@pytest.mark.parametrize(("name", "seats"), [("gin_pass", 3), ("gin_pass", 4), ("indian", 3), ("indian", 6)])
def test_guests_at_a_larger_table_play_the_games_of_the_batch(name: str, seats: int) -> None:
    """Two guests who write over everything they were shown; at six seats every deal has seatings of its own."""
    rules = game(name).rules(seats=seats, **({"hands": 2 * seats} if name == "gin_pass" else {}))
    others = [agent(name, "random") for _ in range(seats - 2)]
    strangers = [guests.CompiledGuest("guest", name, None, 1.0) for _ in range(2)]  # type: ignore[arg-type]
    for stranger in strangers:
        for place in range(games_per_deal(seats)):
            stranger.in_seating(place)._own = Scribbles(rules)  # type: ignore[assignment]
    played = job_for(rules, [strangers[0], *others, strangers[1]], 7, [0, seats - 1])((4, 3))
    expected = CompiledJob(rules, [agent(name, "random") for _ in range(seats)], 7)((4, 3))
    assert not played.faults
    assert same(played.rows, expected.rows)


def test_what_a_guest_writes_into_the_shared_memory_changes_nothing() -> None:
    played = _job(Scribbles)((0, DEALS))
    assert not played.faults
    assert same(played.rows, _reference())


def test_a_guest_cannot_have_itself_asked_for_ever() -> None:
    played = _job(Mumbles)((0, DEALS))
    assert len(played.faults) == 2 * DEALS
    assert {fault.kind for fault in played.faults} == {"illegal move"}


def test_a_crash_costs_the_game_it_happened_in_and_no_other() -> None:
    played = _job(DiesOnce)((0, DEALS))
    assert [fault.kind for fault in played.faults] == ["crash", "crash"]  # one in each seating
    lost = played.rows["illegal"] == 1
    assert lost.sum() == 2
    assert (played.rows["winner"][lost] == 1).all()
    assert same(played.rows[~lost], _reference()[~lost])


def test_a_guest_that_never_answers_is_withdrawn() -> None:
    played = _job(NeverStarts)((0, DEALS))
    kinds = [fault.kind for fault in played.faults]
    assert len(kinds) == 2 * DEALS
    assert kinds.count("crash") == 2 * guests.WITHDRAWN_AFTER
    assert kinds.count("withdrawn") == len(kinds) - kinds.count("crash")


def test_a_guest_cannot_make_the_shared_memory_smaller() -> None:
    descriptor = new_file(4096)
    with pytest.raises(PermissionError):
        os.ftruncate(descriptor, 0)
    os.close(descriptor)


@pytest.mark.parametrize("game_name", GAMES)
def test_the_shared_memory_holds_views_and_codes_and_nothing_else(game_name: str) -> None:
    view = game(game_name).rules().view
    assert view.names == ("table", "mine")
    assert "deck" not in (*view["table"].names, *view["mine"].names)
    assert SharedViews.size(view, 10) == 10 * view.itemsize + 10 * 8
