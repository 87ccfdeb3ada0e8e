"""Nobody is shown more in a tensor than in an observation: reshuffle what a seat cannot see, and it stays the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from test_leaks import PHASES, phase_of, positions, reshuffles

from helpers import PRESETS
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.envs.tensors import Tensors
from rummylab.games.gin.view import gin
from rummylab.games.registry import GAMES

Encode = Callable[[State, Seat], list[bytes]]


def encoder(tensors: Tensors) -> Encode:
    """What a learner in a seat is given: the tensor and the mask."""

    def encode(state: State, seat: Seat) -> list[bytes]:
        tensor, mask = tensors.encode_with_masks(state.observe(seat))
        return [tensor.tobytes(), mask.tobytes()]

    return encode


def check(rules: Rules, encode: Encode, hands: int, tries: int = 2) -> Counter[tuple[str, int]]:
    rng, compared = np.random.default_rng(4), Counter[tuple[str, int]]()
    for number, state in enumerate(positions(rules, hands, 2)):
        if number % 3 and phase_of(state) in ("draw", "discard", "play"):
            continue
        for seat in map(Seat, range(rules.seats)):
            shown = encode(state, seat)
            for twin in reshuffles(state, seat, rng, tries):
                assert encode(twin, seat) == shown, f"the tensor tells them apart in {phase_of(state)}, seat {seat}"
                compared[phase_of(state), seat] += 1
    return compared


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_reshuffling_what_a_seat_cannot_see_leaves_its_tensor_and_mask_alone(game: str, preset: str) -> None:
    rules = GAMES[game].rules(preset)
    compared = check(rules, encoder(Tensors(rules)), 1)
    assert {phase for phase, _ in compared} >= PHASES[f"{game}-{preset}"] - {"wall", "lay off", "buy"}
    assert {seat for _, seat in compared} == set(range(rules.seats))


def opponents_hand(row: Rows, seat: Seat, tensors: Tensors, tensor: np.ndarray) -> None:
    plane = np.unpackbits(row["mine"]["hand"][:, 1 - seat].view(np.uint8), bitorder="little")
    tensor[tensors.layout.places["known_1"]] = plane[:52]


def top_of_the_stock(row: Rows, seat: Seat, tensors: Tensors, tensor: np.ndarray) -> None:
    if row["pos"][0] < 52:
        tensor[tensors.layout.places["stake"]] = row["deck"][0, row["pos"][0]]


@pytest.mark.parametrize("leak", [opponents_hand, top_of_the_stock])
def test_a_leak_planted_in_the_tensor_is_caught(leak: Callable[..., None]) -> None:
    rules = gin()
    tensors = Tensors(rules)

    def leaky(state: State, seat: Seat) -> list[bytes]:
        tensor = tensors.encode(state.observe(seat))
        leak(state.rows(), seat, tensors, tensor)
        return [tensor.tobytes()]

    with pytest.raises(AssertionError, match="tells them apart"):
        check(rules, leaky, 1)


def test_the_encoder_reads_no_bytes_outside_the_view() -> None:
    for game in GAMES.values():
        tensors = Tensors(game.rules())
        layout, view = tensors.layout, game.kernels.VIEW
        for offset, stride, seat, base, unused, *_ in layout.program[1:].tolist():
            start = offset + stride * (layout.seats - 1 if stride else 0)
            part = view["mine" if base else "table"]
            assert 0 <= seat < layout.seats
            assert start + (64 - unused) // 8 <= part.itemsize
