"""The opponent-hand network as it plays: files that are checked, and the same answer by three ways."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from helpers import played_states
from rummylab._jit import kernel
from rummylab.agents.registry import agent
from rummylab.beliefs.gin import network
from rummylab.beliefs.gin.network import N_WEIGHTS, SHAPES, Network
from rummylab.beliefs.gin.planes import N_INPUTS, write_planes
from rummylab.engine.artifacts import parse_tensors, read_artifact, write_artifact
from rummylab.errors import ArtifactError
from rummylab.games.gin.rules import Rows
from rummylab.games.gin.view import gin


def some_network(seed: int = 1) -> Network:
    rng = np.random.default_rng(seed)
    scale = {"layer1.weight": 0.1, "layer2.weight": 0.06, "layer3.weight": 0.06}
    tensors = {name: (scale.get(name, 0.3) * rng.normal(size=shape)).astype("f4") for name, shape in SHAPES.items()}
    return Network(tensors, {"seed": seed})


@kernel
def ask(views: Rows, params: network.Floats, at: int, planes: network.Floats, logits: network.Floats) -> None:
    for i in range(views.shape[0]):
        write_planes(views[i].table, views[i].mine, planes[i])
        network.write_logits(views[i].table, views[i].mine, params, at, logits[i])


@kernel
def believe(views: Rows, params: network.Floats, at: int, out: network.Floats) -> None:
    for i in range(views.shape[0]):
        network.fill(views[i].table, views[i].mine, params, at, out[i])


@pytest.fixture(scope="module")
def views() -> Rows:
    """Views of the player to act, all through some hands."""
    players = [agent("gin", "simple"), agent("gin", "random")]
    return np.concatenate(
        [
            state.observe(state.actor).view
            for seed in range(3)
            for state in islice(played_states(gin("eaai"), players, seed), 60)
            if state.actor is not None
        ]
    )


def test_one_position_in_the_kernel_equals_the_batch_in_numpy(views: Rows) -> None:
    model = some_network()
    planes, logits = np.empty((len(views), N_INPUTS), "f4"), np.empty((len(views), 52), "f4")
    ask(views, np.concatenate([np.zeros(7, "f4"), model.flat]), 7, planes, logits)
    assert len(model.flat) == N_WEIGHTS
    assert planes.reshape(-1, 4, 52).any(axis=(0, 2)).all()  # cards taken, passed and thrown all occur
    np.testing.assert_allclose(logits, model.logits(planes), atol=0.01)  # the kernel rounds weights to whole numbers


def test_the_network_equals_pytorch(views: Rows) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra train")
    from rummylab.learning.networks import build, weights_of
    from rummylab.learning.trainers.gin_opponent_hand import SIZES

    built = build(torch, SIZES, 3)
    model = Network(dict(zip(SHAPES, weights_of(built), strict=True)), {})
    planes, logits = np.empty((len(views), N_INPUTS), "f4"), np.empty((len(views), 52), "f4")
    ask(views, model.flat, 0, planes, logits)
    with torch.no_grad():
        expected = torch.sigmoid(built(torch.from_numpy(planes))).numpy()
    np.testing.assert_allclose(model.probabilities(planes), expected, atol=1e-5)
    np.testing.assert_allclose(1 / (1 + np.exp(-logits)), expected, atol=0.002)


def test_what_is_certain_needs_no_network(views: Rows) -> None:
    beliefs = np.empty((len(views), 52), "f4")
    believe(views, some_network().flat, 0, beliefs)
    ids = np.array([16 * suit + rank for suit in range(4) for rank in range(13)])
    gone = (views["mine"]["hand"] | views["table"]["pile"])[:, None] >> ids & 1
    opponent = views["table"]["known"][np.arange(len(views)), 1 - views["mine"]["seat"]]
    known = opponent[:, None] >> ids & 1
    assert known.any()
    assert (beliefs[gone == 1] == 0).all()
    assert (beliefs[known == 1] == 1).all()
    rest = beliefs[(gone == 0) & (known == 0)]
    assert ((rest > 0) & (rest < 1)).all()


def test_a_network_survives_its_file(tmp_path: Path) -> None:
    model = some_network()
    model.save(tmp_path / "n.safetensors")
    again = Network.load(tmp_path / "n.safetensors")
    np.testing.assert_array_equal(again.flat, model.flat)
    assert again.manifest["seed"] == 1


def _spoil(path: Path, how: str) -> None:
    data, manifest = bytearray(path.read_bytes()), json.loads(path.with_suffix(".json").read_text())
    if how == "byte":
        data[-1] ^= 1
    elif how == "short":
        del data[-1000:]
    elif how == "shape":
        tensors = {name: np.zeros(shape, "f4") for name, shape in SHAPES.items()}
        tensors["layer2.bias"] = np.zeros(400, "f4")
        Network(tensors, {}).save(path)
        return
    elif how == "format":
        manifest["format"] = "another"
    elif how == "missing":
        path.unlink()
        return
    elif how == "manifest":
        path.with_suffix(".json").write_text("{")
        return
    path.write_bytes(data)
    path.with_suffix(".json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("byte", "the hash is"),
        ("short", "the hash is"),
        ("shape", r"'layer2.bias' has shape \(400,\), but \(500,\) is needed"),
        ("format", "this is another version 1"),
        ("missing", "no such file"),
        ("manifest", "not JSON"),
    ],
)
def test_a_file_that_is_not_the_network_is_refused(tmp_path: Path, how: str, message: str) -> None:
    path = tmp_path / "n.safetensors"
    some_network().save(path)
    _spoil(path, how)
    with pytest.raises(ArtifactError, match=message):
        Network.load(path)


def test_truncated_tensors_are_named(tmp_path: Path) -> None:
    path = tmp_path / "n.safetensors"
    some_network().save(path)
    data = path.read_bytes()
    with pytest.raises(ArtifactError, match="n is not a safetensors file, or it is truncated"):
        parse_tensors(data[:-4], "n")
    with pytest.raises(ArtifactError, match="n is not a safetensors file, or it is truncated"):
        parse_tensors(data[:50], "n")
    with pytest.raises(ArtifactError, match="n is not a safetensors file, or it is truncated"):
        parse_tensors(b"\x02" + bytes(7) + b"[]", "n")


def test_numbers_stored_in_16_bits_are_read_as_32_bit_floats(tmp_path: Path) -> None:
    path = tmp_path / "half.safetensors"
    numbers = np.array([0.5, -2.0, 1 / 3], np.float32)
    write_artifact(path, {"w": numbers}, {}, half=True)
    read, _ = read_artifact(path, {"w": (3,)})
    assert read["w"].dtype == np.float32
    assert read["w"].tolist() == numbers.astype(np.float16).astype(np.float32).tolist()
