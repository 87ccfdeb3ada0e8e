"""What several test modules share: masks, hand-made decks, games to try everything on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from basic_rummy.agents import AGENTS as BASIC_AGENTS
from basic_rummy.spec import SPEC as BASIC
from rummylab.agents.registry import agent, entries
from rummylab.cards.bits import to_ids
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import IllegalActionError, NotationError
from rummylab.games.registry import GAMES

PRESETS = [(name, preset) for name, game in GAMES.items() for preset in game.presets]
"""Every preset of every game."""
SPECS = {**GAMES, BASIC.name: BASIC}
"""Every game there is, and the one in ``examples`` that is in no registry."""
EVERY_PRESET = [(name, preset) for name, game in SPECS.items() for preset in game.presets]
"""Every preset of those."""
HOUSE_RULES: list[tuple[str, str, dict[str, Any]]] = [
    ("gin", "eaai", {"oklahoma": True, "big_gin_bonus": 31}),
    ("gin", "eaai", {"knock_limit": 40, "layoffs": "defender"}),
    ("gin", "eaai", {"knock_limit": 60, "tie_undercuts": False, "undercut_bonus": 10}),
    ("gin", "classic", {"knock_card": True, "refuse_repeats": True}),
    ("gin", "classic", {"layoffs": "official", "oklahoma": True, "knock_limit": 30}),
    ("gin", "openspiel", {"knock_limit": 50, "wall": 12}),
    ("indian", "paper", {"seats": 4, "round_limit": 20}),
    ("indian", "platform", {"seats": 3, "decks": 1, "round_limit": 40, "cap": 60}),
    ("indian", "paper", {"decks": 2, "printed_jokers": 4, "round_limit": 12, "limit_gain": "difference"}),
    ("indian", "platform", {"seats": 6, "round_limit": 9, "printed_jokers": 3, "first_drop": 25}),
    ("contract", "chinese", {"set_sizes": "minimum", "same_rank": False, "discard_drawn": False}),
    ("contract", "chinese-literal", {"contract": "S3+R3", "wild_upcard": False, "max_reshuffles": 3}),
    ("contract", "contract-7", {"contract": "2R4", "hand_sizes": "10", "jokers": 1, "turn_cap": 60}),
    ("contract", "chinese-7", {"seats": 4, "contract": "S5+S4 | S3+R7", "hand_sizes": "11", "rounds": 2}),
    ("gin_pass", "course", {"seats": 3, "knock_limit": 40}),
    ("gin_pass", "course", {"seats": 4, "knock_limit": 20, "gin_always_wins": False}),
    ("gin_pass", "course-ten", {"seats": 4, "tie_undercuts": False, "knock_limit": 30, "undercut_bonus": 10}),
    ("gin_pass", "course-seven", {"pass_card": False, "turn_cap": 30}),
]
"""Presets with changes that reach what no preset does."""
AGENTS = [(entry.game, entry.name) for entry in entries()]
_THINKERS = ("utility", "champion-search")


def fewer(n: int, *agents: str) -> int:
    """How many games to play where *n* are played with quick agents: agents that sample hands take a thousand times
    longer."""
    return max(2, n // 20) if any(name.startswith(_THINKERS) for name in agents) else n


def assert_hands_follow_each_other(states: Sequence[State]) -> None:
    """The hands of a match are finished and in order, each begins with the last scores, and none follows the end."""
    assert all(state.actor is None for state in states)
    assert [state.hand_no for state in states] == list(range(len(states)))
    for before, after in pairwise(states):
        assert not before.match_is_over
        assert after.scores_before == before.scores


def assert_tallies_are_of_legal_matches(rules: Rules, tallies: np.ndarray) -> None:
    """No move was illegal, every hand has an outcome, and matches to a target end there."""
    assert not tallies["illegal"].any()
    assert (tallies["hands"] > 0).all()
    assert (tallies["outcomes"].sum(axis=1) == tallies["hands"]).all()
    if target := getattr(rules.options, "target", 0):
        assert (tallies["scores"].max(axis=1) >= target).all()
        assert (tallies["winner"] == tallies["scores"].argmax(axis=1)).all()


def mask_of(numbers: Iterable[int]) -> int:
    """The mask of cards numbered 13 * suit + rank."""
    return sum(1 << (16 * (n // 13) + n % 13) for n in numbers)


def masks_of(hands: np.ndarray) -> np.ndarray:
    """One mask for each row of card numbers."""
    return np.bitwise_or.reduce(np.int64(1) << (16 * (hands // 13) + hands % 13).astype(np.int64), axis=1)


def numbers_of(mask: int) -> frozenset[int]:
    """The cards of a mask, numbered 13 * suit + rank."""
    return frozenset(13 * (i // 16) + i % 16 for i in to_ids(int(mask)))


def numbers(text: str) -> frozenset[int]:
    """``"Ac 2c"`` as card numbers."""
    return frozenset(card.index52 for card in Hand.parse(text))


def words(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.split()]


def make_deck(seat0: str, seat1: str, up: str, stock: str = "") -> Deck:
    """The deck that deals *seat0* and *seat1*, turns *up*, and stocks *stock*, then the rest in order."""
    first, second, on = words(seat0), words(seat1), words(stock)
    assert len(first) == len(second) == 10, f"ten cards each, not {len(first)} and {len(second)}"
    dealt = [card for pair in zip(first, second, strict=True) for card in pair]
    fixed = [*dealt, Card.parse(up), *on]
    assert len(set(fixed)) == len(fixed), "a card is named twice"
    return Deck((*fixed, *(card for card in Deck.ordered() if card not in fixed)))


def act(text: str) -> Action:
    return Action.parse(text)


def push(state: State, *moves: str) -> State:
    """Push moves given as text; several may be joined by ``;``."""
    for move in moves:
        for word in move.split(";"):
            if word.strip():
                state.push(Action.parse(word))
    return state


def refused(state: State, move: str, because: str) -> None:
    """The move is not legal, says why, and leaves the table as it was."""
    before = state.to_bytes(), list(state.log)
    with pytest.raises(IllegalActionError, match=because):
        push(state, move)
    assert (state.to_bytes(), state.log) == before


def legal(state: State) -> set[str]:
    return {str(action) for action in state.legal_actions}


def verbs(state: State) -> set[str]:
    return {action.verb for action in state.legal_actions}


def has_words(rules: Rules, code: int) -> bool:
    """Return whether *code* is an action."""
    try:
        rules.decode(code)
    except NotationError:
        return False
    return True


def table(state: State) -> np.void:
    return state.rows()["table"][0]


def hand_of(state: State, seat: int) -> Hand:
    return Hand(int(state.rows()["mine"]["hand"][0][seat]))


class RandomChooser:
    """A plain Python player: any legal move; with *eager* it likes to end hands (verbs other than draw and discard)."""

    name = "chooser"

    def __init__(self, seed: int, eager: float = 0.5) -> None:
        self.rng = np.random.default_rng(seed)
        self.eager = eager

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        pass

    def act(self, seen: Observation) -> Action:
        return self.choose(seen.legal)

    def choose(self, legal: Sequence[Action]) -> Action:
        if any(a.verb in ("drop", "declare") for a in legal) and self.rng.random() > self.eager / 10:
            legal = [a for a in legal if a.verb not in ("drop", "declare")]  # else a hand is over at once
        showy = [a for a in legal if a.verb not in ("draw stock", "draw upcard", "discard", "pass", "done")]
        pool = showy if showy and self.rng.random() < self.eager else list(legal)
        return pool[int(self.rng.integers(len(pool)))]


class FirstChooser:
    """A plain Python player that makes the first legal move: draws from the stock and throws the lowest card."""

    name = "first"

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        pass

    def act(self, seen: Observation) -> Action:
        return seen.legal[0]


def registered(game: str) -> list[CompiledAgent]:
    return [agent(game, entry.name) for entry in entries(game)] if game in GAMES else list(BASIC_AGENTS)


def quick_players(game: str) -> list[CompiledAgent]:
    """The registered agents that do not sample hands: those take up to sixty times longer for a move, and every phase
    and outcome that tests count is reached without them."""
    return [player for player in registered(game) if not player.name.startswith(_THINKERS)]


def line_ups(game: str, seed: int, seats: int = 2) -> list[list]:
    """Pairings of players, seat by seat in turn, that between them reach every phase."""
    players = {player.name: player for player in quick_players(game)}
    names = list(players)
    # Some of each kind, the first (random) with itself among them; tests/conformance/test_agents.py seats them all.
    meetings = [(names[0], names[0]), (names[0], names[1]), (names[len(names) // 2], names[-1])]
    pairs = [[copy(players[meeting[seat % 2]]) for seat in range(seats)] for meeting in meetings]
    return [*pairs, [RandomChooser(seed + seat) for seat in range(seats)]]


def played_states(rules: Rules, players: Sequence, seed: int) -> Iterator[State]:
    """One hand, position by position, the finished one last. The same object each time: copy it to keep it."""
    state = State.deal(rules, seed)
    for i, player in enumerate(players):
        player.sit(rules, Seat(i), np.random.default_rng([seed, i]))
    while (seat := state.actor) is not None:
        yield state
        state.push(players[seat].act(state.observe(seat)))
    yield state


def assert_notes_are_whole(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """Every decision of a trainer's notes has its lines, the chosen one among them; return their numbers and places."""
    from rummylab.learning.notes import D_CHOSEN, D_SIZE, S_NEXT

    sizes, chosen = found.decisions[:, D_SIZE], found.decisions[:, D_CHOSEN]
    ends = np.cumsum(sizes)
    assert (sizes >= 1).all()
    assert ((ends - sizes <= chosen) & (chosen < ends)).all()
    assert len(found.lines) == ends[-1]
    for name in found.FOLLOWED:
        following = getattr(found, name)[:, S_NEXT]
        assert ((following >= -1) & (following < len(found.decisions))).all()
    return sizes, chosen


def write_lines(path: Path, values: Iterable[Any]) -> Path:
    """Write *values* as packed lines of JSON."""
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps(value) + "\n" for value in values)
    return path


class Stops:
    """A back end that is interrupted after some tasks."""

    def __init__(self, after: int) -> None:
        self.after = after

    def run(self, work: Any, items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        for i, task in enumerate(items):
            if i == self.after:
                raise KeyboardInterrupt
            yield task, work(task)
