"""Data, training and judgement of the opponent-hand network."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from rummylab._jit import kernel
from rummylab.agents.registry import agent
from rummylab.beliefs.gin.planes import N_CARDS, N_INPUTS, write_planes
from rummylab.cli.main import app
from rummylab.errors import ArtifactError, DatasetError, OptionError, UnknownNameError
from rummylab.games.gin.rules import DISCARD_CODE, DRAW_STOCK, PASS, TAKE_UP_CARD, Rows, open_hands, step_one
from rummylab.games.gin.view import gin
from rummylab.learning.opponent_hand import beliefs, dataset, evaluate, hands, measures
from rummylab.learning.opponent_hand.dataset import Dataset, DatasetPlan
from rummylab.learning.opponent_hand.line_ups import parse_mix
from rummylab.learning.trainer import train

MIX = parse_mix("simple:simple=3,simple:random=1")


def small(entries: int = 3000, seed: int = 5) -> DatasetPlan:
    return DatasetPlan(entries=entries, seed=seed, line_ups=MIX, shard_entries=1000)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return dataset.generate(tmp_path_factory.mktemp("data") / "a", small(), workers=1)


@pytest.fixture
def copy(made: Dataset, tmp_path: Path) -> Path:
    for file in made.directory.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


# --- Entries ------------------------------------------------------------------------------------------------------


@kernel
def planes_of(rows: Rows, seat: int, out: hands.Floats) -> None:
    write_planes(rows[0].table, rows[0].mine[seat], out)


def go(rows: Rows, code: int) -> None:
    step_one(rows, code)


def test_entries_are_what_the_player_saw_at_the_table() -> None:
    """Replay noted hands by the referee's rules and compare every entry with the planes of the real table."""
    rules, seen = gin("eaai"), 0
    noted = hands.play_game(rules, 9, 3, 1, (agent("gin", "simple"), agent("gin", "random")), (0, 1))
    planes, held = np.empty((len(noted), N_INPUTS), "f4"), np.empty((len(noted), N_CARDS), "f4")
    noted.planes(np.arange(len(noted)), planes, held)
    for hand, start in zip(noted.hands, noted.starts, strict=True):
        rows = rules.new_rows(1)
        left = [card for card in range(61) if card % 16 < 13 and card not in hand["dealt"]]
        drawn = [t & 63 for t, _ in noted.turns[start : start + hand["turns"]] if not t & 64]
        deck = [*map(int, hand["dealt"]), *map(int, drawn), *(card for card in left if card not in drawn)]
        starter = hand["first"] if hand["offers"] != 1 else 1 - hand["first"]
        open_hands(rows, np.array([deck], np.int8), np.array([starter], np.int8))
        for _ in range(hand["offers"]):
            go(rows, PASS)
        for turn in range(hand["turns"]):
            draw, thrown = map(int, noted.turns[start + turn])
            me = int(rows["table"]["actor"][0])
            late = (turn // 2 + hand["number"] + hand["game"]) % 2
            if late:
                go(rows, TAKE_UP_CARD if draw & hands.PILE else DRAW_STOCK)
            expected = np.empty(N_INPUTS, "f4")
            planes_of(rows, me, expected)
            np.testing.assert_array_equal(planes[start + turn], expected)
            his = int(rows["mine"]["hand"][0][1 - me])
            assert [his >> (16 * (c // 13) + c % 13) & 1 for c in range(52)] == held[start + turn].tolist()
            seen += 1
            if not late:
                go(rows, TAKE_UP_CARD if draw & hands.PILE else DRAW_STOCK)
            go(rows, DISCARD_CODE + thrown)
    assert seen == len(noted) > 50
    assert planes.reshape(-1, 4, 52).any(axis=(0, 2)).all()


def test_noted_games_are_those_of_the_referee() -> None:
    """Same seed, same decks as duplicate matches: the first hand's deal is the one the batch deals."""
    first = hands.play_game(gin("eaai"), 9, 3, 0, (agent("gin", "simple"),) * 2, (0, 0))
    again = hands.play_game(gin("eaai"), 9, 3, 1, (agent("gin", "simple"),) * 2, (0, 0))
    assert first.hands["dealt"][0].tolist() == again.hands["dealt"][0].tolist()


def test_shares_of_the_mix_hold_in_every_shard(made: Dataset) -> None:
    for part in made:
        simple = float((part.opponents == 0).mean())
        assert 0.8 < simple < 0.95  # three quarters, and half of the last quarter
        assert (part.hands["agents"] <= 1).all()


# --- Files --------------------------------------------------------------------------------------------------------


def test_an_entry_takes_few_bytes(made: Dataset) -> None:
    size = sum(file.stat().st_size for file in made.directory.glob("*.npz"))
    assert size / len(made.load()) < 8


def test_a_dataset_goes_on_where_it_stopped_and_is_the_same(made: Dataset, copy: Path) -> None:
    expected = (copy / "hands-00001.npz").read_bytes()
    (copy / "hands-00001.npz").unlink()
    with pytest.raises(DatasetError, match=r"hands-00001.npz is missing"):
        Dataset(copy).load()
    done: list[tuple[int, int]] = []
    dataset.generate(copy, small(), workers=2, progress=lambda *n: done.append(n))
    assert (copy / "hands-00001.npz").read_bytes() == expected
    assert done == [(2, 3), (3, 3)]
    assert len(made.load()) >= 3000


def test_another_configuration_is_refused(copy: Path) -> None:
    before = {file.name: file.read_bytes() for file in copy.iterdir()}
    with pytest.raises(DatasetError, match="seed = 5, not 6"):
        dataset.generate(copy, small(seed=6), workers=1)
    assert {file.name: file.read_bytes() for file in copy.iterdir()} == before


def test_a_damaged_shard_is_named_or_read_as_it_was(copy: Path) -> None:
    """A zip archive has a few bytes that say nothing; wherever else a bit flips, the shard is refused."""
    shard = copy / "hands-00002.npz"
    good, data = Dataset(copy).shard(2), shard.read_bytes()
    refused = 0
    for at in [*range(0, len(data), 97), -1]:
        spoiled = bytearray(data)
        spoiled[at] ^= 4
        shard.write_bytes(spoiled)
        try:
            found = Dataset(copy).shard(2)
        except DatasetError as error:
            refused += "hands-00002.npz" in str(error)
        else:
            assert found.hands.tobytes() == good.hands.tobytes()
            assert found.turns.tobytes() == good.turns.tobytes()
    assert refused > 0.9 * len(range(0, len(data), 97))
    shard.write_bytes(data[:-40])
    with pytest.raises(DatasetError, match=r"hands-00002.npz is damaged"):
        dataset.generate(copy, small(), workers=1)


def test_shards_of_two_datasets_do_not_mix(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = dataset.generate(tmp_path_factory.mktemp("other"), small(1000, 6), workers=1)
    (copy / "hands-00000.npz").write_bytes((other.directory / "hands-00000.npz").read_bytes())
    with pytest.raises(DatasetError, match="belongs to another dataset"):
        Dataset(copy).load()


def test_what_is_no_dataset_says_so(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"there is no dataset.json"):
        Dataset(tmp_path).load()
    (tmp_path / "dataset.json").write_text("{}")
    with pytest.raises(DatasetError, match="not a plan of hands"):
        Dataset(tmp_path).load()


@pytest.mark.parametrize("text", ["simple", "simple:", "simple:random=x", "simple:random=0", "simple:random=-1"])
def test_a_mix_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(OptionError):
        DatasetPlan(entries=10, seed=0, line_ups=parse_mix(text))


# --- Judgement ----------------------------------------------------------------------------------------------------


def test_ties_share_the_last_places() -> None:
    chances, held, out = np.zeros((1, 52), "f4"), np.zeros((1, 52), "f4"), np.empty((1, measures.N_MEASURES), "f4")
    held[0, :10] = 1
    chances[0, 5:45] = 0.25  # five of the held cards are among forty that tie
    measures.measure(chances, held, out)
    np.testing.assert_allclose(out[0, :4], [0.5 * k / 40 for k in measures.TOP], rtol=1e-6)
    chances[0, :10] = 0.9
    measures.measure(chances, held, out)
    np.testing.assert_allclose(out[0, :8], 1)


def test_the_first_card_is_the_lowest_rank_in_the_first_suit() -> None:
    chances, held, out = np.zeros((1, 52), "f4"), np.zeros((1, 52), "f4"), np.empty((1, measures.N_MEASURES), "f4")
    held[0, [12, 14, 25, 29, 30, 31, 32, 33, 34, 35]] = 1  # Kc, then 2d; no ace
    chances[0, 14] = 1
    measures.measure(chances, held, out)
    assert out[0, 4:8].tolist() == [1, 1, 1, 1]
    chances[0] = 0
    chances[0, 12] = 1
    measures.measure(chances, held, out)
    assert (out[0, 4:8] < 1).all()


def test_log_loss_and_brier_are_means_over_the_cards() -> None:
    held, out = np.zeros((1, 52), "f4"), np.empty((1, measures.N_MEASURES), "f4")
    held[0, :10] = 1
    measures.measure(np.full((1, 52), 0.5, "f4"), held, out)
    np.testing.assert_allclose(out[0, [measures.LOSS, measures.BRIER]], [np.log(2), 0.25], rtol=1e-6)


def test_counting_cards_beats_the_uniform_belief(made: Dataset) -> None:
    found = evaluate.score(made.load(), {"uniform": beliefs.uniform, "counts": beliefs.counts})
    uniform, counts = (found[name].to_dict() for name in ("uniform", "counts"))
    assert counts["log_loss"] < uniform["log_loss"]
    assert counts["top_k"]["10"] > uniform["top_k"]["10"]
    entries = [stage["entries"] for stage in uniform["stages"].values()]
    assert sum(entries) == len(made.load())
    assert min(entries) > 0
    for row in uniform["reliability"][:-1]:  # uniform is calibrated, but knows little
        assert abs(row["believed"] - row["held"]) < 0.06


# --- Training -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def t():
    pytest.importorskip("torch", reason="PyTorch is in the extra train")
    from rummylab.learning.trainers import gin_opponent_hand

    return gin_opponent_hand


@pytest.fixture
def options(t, made: Dataset):
    return t.OpponentHandOptions(
        data=(made.directory,), epochs=3, batch=128, round_entries=2000, held_out=0.2, threads=1
    )


def test_training_beats_the_untrained_network_on_held_out_games(t, options, tmp_path: Path) -> None:
    trainer = t.GinOpponentHand(options)
    untrained, _ = trainer._measure()
    manifest = train(trainer, tmp_path)
    losses = [line[4] for line in trainer.curve]
    assert losses[-1] < losses[0] < untrained
    assert manifest["data"]["held_out"] > 0
    assert manifest["result"]["held_out_loss"] == pytest.approx(min(losses), abs=1e-5)


def test_games_are_held_out_whole(t, options, made: Dataset) -> None:
    train, held_out = t.split([made], options)
    assert len(train) + len(held_out) == len(made.load())
    assert not set(train.hands["game"]) & set(held_out.hands["game"])


def test_data_may_move_and_other_data_are_refused(t, options, copy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    train(t.GinOpponentHand(replace(options, epochs=0.5)), out)
    train(t.GinOpponentHand(replace(options, epochs=0.5, data=(copy,))), out)
    other = dataset.generate(tmp_path / "other", small(2000, 6), workers=1)
    with pytest.raises(ArtifactError, match="its data is"):
        train(t.GinOpponentHand(replace(options, epochs=0.5, data=(other.directory,))), out)
    with pytest.raises(OptionError, match="too few for batches of 2048"):
        t.GinOpponentHand(replace(options, batch=2048, data=(other.directory,), held_out=0.5))


def test_suits_are_permuted_in_inputs_and_targets_alike(t) -> None:
    rng = np.random.default_rng(0)
    planes = rng.random((40, N_INPUTS), "f4")
    held = planes[:, :52].copy()
    before = planes.copy()
    t.permute_suits(planes, held, rng)
    np.testing.assert_array_equal(planes[:, :52], held)
    assert (planes != before).any()
    for row, old in zip(planes.reshape(40, 4, 4, 13), before.reshape(40, 4, 4, 13), strict=True):
        for plane, old_plane in zip(row, old, strict=True):
            assert {tuple(suit) for suit in plane} == {tuple(suit) for suit in old_plane}


def test_early_stopping_ends_a_run_that_gets_no_better(t, options, tmp_path: Path) -> None:
    manifest = train(t.GinOpponentHand(replace(options, epochs=50, rate=0.3, patience=2)), tmp_path)
    assert manifest["result"]["rounds"] < 50


def test_the_manifest_names_the_data(made: Dataset) -> None:
    plan = json.loads((made.directory / "dataset.json").read_text())
    assert plan["seed"] == 5
    assert set(plan["agents"]) == {"simple", "random"}


def test_the_commands_work_together(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        result = CliRunner().invoke(app, [words[0], "gin-opponent-hand", *words[1:]], catch_exceptions=False)
        assert result.exit_code == 0
        return result.stdout

    data = str(tmp_path / "data")
    made = run("dataset", "--out", data, "--entries", "800", "--seed", "1", "--mix", "simple:simple", "--workers", "1")
    assert "bytes each" in made
    found = json.loads(run("evaluate", "--entries", "400", "--mix", "simple:simple", "--workers", "1", "--json"))
    assert found["entries"] >= 400
    assert found["network"]["top_k"]["10"] > found["uniform"]["top_k"]["10"]
    assert found["network"]["log_loss"] < found["uniform"]["log_loss"]
    with pytest.raises(UnknownNameError, match="gin-opponent-hand"):
        CliRunner().invoke(app, ["dataset", "gin-opponent", "--out", data], catch_exceptions=False)
    wrong = CliRunner().invoke(app, ["train", "gin-opponent", "--data", data, "--out", data])
    assert wrong.exit_code == 2
    assert "gin-opponent-hand" in wrong.output
