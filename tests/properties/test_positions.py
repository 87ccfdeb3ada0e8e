"""Positions as text and JSON: exact round trips, nothing that a seat may not know, errors that name the field."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

from helpers import PRESETS, RandomChooser, played_states
from rummylab import Observation, State, contract, gin, indian
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.errors import IllegalActionError, NotationError, RecordError
from rummylab.games.registry import GAMES, game

TABLES = [*((name, preset, {}) for name, preset in PRESETS), ("indian", "platform", {"decks": 2, "seats": 4})]
TABLES += [("gin_pass", "course", {"seats": 4}), ("gin", "classic", {"refuse_repeats": True, "oklahoma": True})]
TABLES += [("gin", "openspiel", {"ranks": 5, "suits": 3, "hand_size": 4})]
every_table = pytest.mark.parametrize(("name", "preset", "changes"), TABLES)


def positions(rules: Rules, n: int, seed: int) -> Iterator[State]:
    """Yield positions of *n* hands: a few early ones, all in rare phases, and some others at random."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        players = [RandomChooser(seed + number + seat, float(number % 2)) for seat in range(rules.seats)]
        for at, state in enumerate(played_states(rules, players, seed + number)):
            rare = state.observe(0).phase not in ("draw", "discard", "play")
            if at < 3 or rare or rng.random() < 0.03:
                yield state


@every_table
def test_a_position_reads_back_to_the_same_bytes(name: str, preset: str, changes: dict[str, int]) -> None:
    rules = game(name).rules(preset, **changes)
    phases = set()
    for state in positions(rules, 3, 11):
        text = state.to_text()
        assert "\n" not in text
        for again in (State.parse(text), State.from_json(state.to_json())):
            assert again.to_bytes() == state.to_bytes()
            assert again == state
            assert hash(again) == hash(state)
            assert again.rules == rules
            assert list(again.legal_actions) == list(state.legal_actions)
            assert again.hand_no == state.hand_no
        for seat in range(rules.seats):
            seen = state.observe(seat)
            phases.add(seen.phase)
            for view in (Observation.parse(str(seen)), Observation.from_json(json.loads(seen.to_json()))):
                assert view.view.tobytes() == seen.view.tobytes()
                assert type(view) is type(seen)
                assert view == seen
                assert view.legal == seen.legal
                assert view.log == ()
    assert len(phases) > 2
    assert "over" in phases


@every_table
def test_a_seat_s_text_does_not_change_with_what_it_cannot_see(name: str, preset: str, changes: dict[str, int]) -> None:
    """Exchange cards between the stock and the unseen part of other hands; the seat's text stays the same."""
    rules = game(name).rules(preset, **changes)
    rng = np.random.default_rng(5)
    checked = 0
    for seed in range(3):
        state = State.deal(rules, seed)
        for seat in range(rules.seats):
            slots = rules.hidden_slots(state.rows(), Seat(seat))
            cards = list(state.deck)
            mixed = list(cards)
            for slot, other in zip(slots, rng.permutation(slots), strict=True):
                mixed[slot] = cards[other]
            again = State.deal(rules, seed, starter=state.starter, deck=type(state.deck)(tuple(mixed)))
            assert again.observe(seat).to_text() == state.observe(seat).to_text()
            assert again.observe(seat).to_json() == state.observe(seat).to_json()
            checked += again.to_text() != state.to_text()
    assert checked


@pytest.mark.parametrize("name", GAMES)
def test_a_seat_s_view_has_no_hidden_field(name: str) -> None:
    state = State.deal(game(name).rules(), 3)
    hidden = {"hands", "deck", "dealt", "reshuffle_seed", "rng", "memory", "seed", "key"}
    for seat in range(state.rules.seats):
        assert not hidden & set(json.loads(state.observe(seat).to_json()))
    assert {"hands", "deck", "dealt"} <= set(json.loads(state.to_json()))


VIEW = str(State.deal(gin(), 7).observe(0))
WHOLE = State.deal(gin(), 7).to_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "starts with the name of a game"),
        ("jin eaai; seat 0", "no game named 'jin'"),
        ("gin easy; seat 0", "field 'rules': no preset named 'easy'"),
        (VIEW.replace("stock 31", "stock 30"), "field 'stock': 30 cards, but 31 are left"),
        (VIEW.replace("stock 31", "stock x"), "field 'stock': 'x' is not a whole number"),
        (VIEW.replace("stock 31", "stick 31"), "no field 'stick'"),
        (VIEW.replace("phase offer", "phase often"), "field 'phase': 'often' is not one of: offer"),
        (VIEW.replace("phase offer", "phase spread"), "field 'knocker'"),
        (VIEW.replace("phase offer", "phase over"), "field 'actor': in the phase 'over' nobody is to act"),
        (VIEW.replace("seat 0", "seat 2"), "field 'seat': 2 is not a seat from 0 to 1"),
        (VIEW.replace("actor 0", "actor 3"), "field 'actor': seat 3 is not at a table of 2"),
        (VIEW + "; stock 31", "field stock occurs twice"),
        (VIEW + "; known Ac / 7h / -", "field 'known': 3 values, but there are 2 seats"),
        (VIEW + "; known - / Xx", "field 'known': not a card: 'Xx'"),
        (VIEW.replace("hand ", "hand - "), "field 'hand': not a card: '-'"),
        (WHOLE, "this is the whole table"),
    ],
)
def test_a_malformed_view_is_refused_with_the_name_of_the_field(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        Observation.parse(text)


def test_cards_in_two_places_and_hands_of_the_wrong_size_are_refused() -> None:
    seen = State.deal(gin(), 7).observe(0)
    first = next(iter(seen.hand))
    up = next(part for part in VIEW.split("; ") if part.startswith("upcard")).split()[1]
    with pytest.raises(NotationError, match=f"'hand': {up} is in more places"):
        Observation.parse(VIEW.replace(f"hand {first}", f"hand {up}"))
    with pytest.raises(NotationError, match="'hand': seat 0 has 9 cards, expected 10"):
        Observation.parse(VIEW.replace(f"hand {first}", "hand"))
    with pytest.raises(NotationError, match="'deck': the 31 cards after the first 20"):
        State.parse(WHOLE.replace("dealt 21", "dealt 20"))


def test_a_whole_table_is_not_a_view_and_a_state_from_text_has_no_record() -> None:
    with pytest.raises(NotationError, match="what seat 0 sees"):
        State.parse(VIEW)
    with pytest.raises(RecordError, match="read from a position"):
        _ = State.parse(WHOLE).deck


def test_play_goes_on_from_a_position() -> None:
    for rules in (gin("classic"), indian("platform", seats=3), contract("contract-7")):
        state = State.deal(rules, 4)
        for _ in range(10):
            state.push(state.legal_actions[0])
        again = State.parse(state.to_text())
        while state.actor is not None:
            move = state.legal_actions[-1]
            assert str(again.push(move)) == str(state.push(move))
        assert again == state
        assert again.result == state.result


def test_a_state_takes_text_indexes_its_moves_and_compares() -> None:
    state, other = State.deal(gin(), 7), State.deal(gin(), 7)
    assert state == other
    assert len({state, other, State.deal(gin("classic"), 7)}) == 2
    event = state.push("pass")
    assert state != other
    assert "draw upcard" in state.legal_actions
    assert "discard 7h" not in state.legal_actions
    assert 7 not in state.legal_actions
    assert state.legal_actions[0] == next(iter(state.legal_actions))
    assert state.legal_actions[-1] == list(state.legal_actions)[-1]
    assert state.legal_actions[:1] == list(state.legal_actions)[:1]
    with pytest.raises(IndexError, match="there are 2 legal actions"):
        state.legal_actions[2]
    assert state.pop() == event
    assert state == other
    assert state.observe() == state.observe(state.actor)
    with pytest.raises(IllegalActionError, match="there is no seat 2"):
        state.observe(2)
    with pytest.raises(NotationError, match="start with a verb"):
        state.push("7h")


def test_representations_are_short() -> None:
    for state in (State.deal(gin(), 7), State.deal(indian("platform", seats=6), 7), State.deal(contract(), 7)):
        assert len(repr(state)) < 150
        assert len(repr(state.observe())) < 200
        assert len(repr(state.legal_actions)) < 400
    assert repr(State.deal(gin(), 7)).startswith("<State gin eaai: hand 1, seat ")
