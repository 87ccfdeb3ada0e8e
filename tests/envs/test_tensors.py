"""Tensors say what the view says, no more and no less; masks say what the rules say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from helpers import HOUSE_RULES, RandomChooser, played_states
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.tensors import MOST, Layout
from rummylab.envs.tensors import Tensors
from rummylab.errors import IllegalActionError, OptionError
from rummylab.games.registry import GAMES
from tensor_twin import describe

TABLES = [(name, preset, {}) for name, game in GAMES.items() for preset in game.presets] + HOUSE_RULES


def rules_of(game: str, preset: str, changes: dict[str, object]) -> Rules:
    return GAMES[game].rules(preset, **changes)


def positions(rules: Rules, seed: int, every: int = 4) -> Iterator[State]:
    """Some positions of a random hand, those outside draws and discards in full."""
    players = [RandomChooser(seed + seat) for seat in range(rules.seats)]
    for number, state in enumerate(played_states(rules, players, seed)):
        if number % every == 0 or state.observe(Seat(0)).phase not in ("draw", "discard", "play"):
            yield state


@pytest.mark.parametrize(("game", "preset", "changes"), TABLES)
def test_the_encoder_writes_what_its_readable_twin_writes_and_masks_are_the_legal_moves(
    game: str, preset: str, changes: dict[str, object]
) -> None:
    tensors = Tensors(rules_of(game, preset, changes))
    for state in positions(tensors.rules, 3):
        for seat in map(Seat, range(tensors.rules.seats)):
            seen = state.observe(seat)
            tensor, mask = tensors.encode_with_masks(seen)
            assert tensor.tolist() == describe(tensors.layout, seen.view).tolist(), f"{seen.phase}, seat {seat}"
            numbers = {int(tensors.lookup[code]) for code in seen.codes} - {-1}
            coded = {number for number in np.flatnonzero(mask).tolist() if tensors.numbering.codes[number] >= 0}
            if coded or mask.any():
                assert coded == numbers, f"{seen.phase}: {[tensors.name_of(k) for k in coded ^ numbers]}"
            for number in np.flatnonzero(mask).tolist():
                assert tensors.rules.encode(tensors.action(number, seen)) in seen.codes


def test_a_learner_who_has_laid_down_can_lay_off_and_one_who_can_lay_down_may() -> None:
    tensors, met = Tensors(GAMES["contract"].rules("contract-7")), set()
    for seed in range(6):
        for state in positions(tensors.rules, seed, every=1):
            if state.actor is not None:
                seen = state.observe(state.actor)
                verbs = {action.verb for action in seen.legal} & {"lay down", "lay off"}
                if seen.phase == "play":
                    numbers = np.flatnonzero(tensors.mask(seen)).tolist()
                    assert {tensors.action(k, seen).verb for k in numbers} & {"lay down", "lay off"} == verbs
                    met |= verbs
    assert met == {"lay down", "lay off"}


@pytest.mark.parametrize("game", ["gin", "contract"])
def test_the_full_numbering_masks_exactly_the_legal_codes(game: str) -> None:
    tensors = Tensors(GAMES[game].rules("classic" if game == "gin" else None), actions="full")
    for state in positions(tensors.rules, 5):
        if state.actor is not None:
            seen = state.observe(state.actor)
            assert tensors.numbering.codes[tensors.mask(seen)].tolist() == list(seen.codes)


@pytest.mark.parametrize("game", list(GAMES))
def test_a_tensor_decodes_to_the_view_except_for_the_fields_that_are_named_as_lost(game: str) -> None:
    tensors = Tensors(GAMES[game].rules())
    lost = set(tensors.layout.lost)
    for state in positions(tensors.rules, 9):
        for seat in map(Seat, range(tensors.rules.seats)):
            seen = state.observe(seat)
            back = tensors.decode(tensors.encode(seen), seat)
            assert back.hand == seen.hand
            for part in ("table", "mine"):
                for name in seen.view[part].dtype.names or ():
                    if f"{part}.{name}" not in lost:
                        here, there = seen.view[part][name], back.view[part][name]
                        shape = there.shape[1:2] and name != "rules"
                        seats = slice(tensors.rules.seats) if shape and there.shape[1] <= 6 else slice(None)
                        if shape:
                            here, there = here[:, seats], there[:, seats]
                        assert there.tobytes() == here.tobytes(), f"{part}.{name} in {seen.phase}"


@pytest.mark.parametrize("game", list(GAMES))
def test_what_is_declared_fits_together(game: str) -> None:
    spec = GAMES[game]
    for seats in spec.seats:
        layout = Layout(spec.module("tensors").TENSORS, spec.kernels.VIEW, seats)
        names = [part.name for part in layout.parts]
        assert len(set(names)) == len(names)
        assert layout.places[names[-1]].stop == layout.size == len(layout.scales)
    tensors = Tensors(spec.rules())
    words = [tensors.name_of(number) for number in range(tensors.n_actions)]
    assert len(set(words)) == tensors.n_actions
    for number, code in enumerate(tensors.numbering.codes.tolist()):
        if code >= 0:
            assert str(tensors.rules.decode(code)) == words[number]
            assert tensors.number(tensors.rules.decode(code)) == number


def test_large_numbers_are_written_as_255_and_floats_are_scaled() -> None:
    tensors = Tensors(GAMES["gin"].rules())
    seen = State.deal(tensors.rules, 1).observe(Seat(0))
    seen.view["table"]["scores"] = [[1000, 50]]
    tensor = tensors.encode(seen)
    assert tensor[tensors.layout.places["score_0"]].tolist() == [MOST]
    floats = tensors.floats(tensor)
    assert floats[tensors.layout.places["score_1"]].tolist() == [0.5]
    assert (floats[: tensors.layout.cards_size] == tensor[: tensors.layout.cards_size]).all()


def test_planes_are_suit_by_rank_and_share_the_memory_of_the_tensor() -> None:
    tensors = Tensors(GAMES["gin"].rules())
    seen = State.deal(tensors.rules, 1).observe(Seat(0))
    tensor = tensors.encode(seen)
    planes = tensors.planes(tensor)
    assert planes.shape == (tensors.n_planes, 4, 13)
    assert {(int(s), int(r)) for s, r in np.argwhere(planes[0])} == {(card.suit, card.rank) for card in seen.hand}
    assert np.shares_memory(planes, tensor)
    assert len(tensors.scalars(tensor)) == tensors.n_scalars == tensors.size - 52 * tensors.n_planes


def test_an_action_that_is_not_legal_has_no_move_and_a_numbering_must_exist() -> None:
    tensors = Tensors(GAMES["gin"].rules())
    seen = State.deal(tensors.rules, 1).observe(State.deal(tensors.rules, 1).actor or Seat(0))
    with pytest.raises(IllegalActionError, match="knock"):
        tensors.action(tensors.n_actions - 1, seen)
    with pytest.raises(OptionError, match="compact or full"):
        Tensors(tensors.rules, actions="dense")
