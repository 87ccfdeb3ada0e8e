"""A deliberate cheat reads everything it is handed: its random stream leads neither to the deck nor to the seed."""

from __future__ import annotations

import dataclasses
import json
import secrets

import numpy as np
import pytest
from typer.testing import CliRunner

from rummylab._jit import kernel
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.arena.plan import MatchPlan
from rummylab.arena.store import Store
from rummylab.arena.tournament import Plan, tournament
from rummylab.cards.deck import Deck
from rummylab.cards.rng import AGENT, DECK, is_key, keyed_hash, mix, root_of, shuffle
from rummylab.cli.main import app
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record
from rummylab.engine.referee import play_match
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import key_text, new_key, parse_key, player_stream
from rummylab.errors import OptionError
from rummylab.games.registry import GAMES, game
from rummylab.lab.experiment.file import parse_experiment
from rummylab.lab.experiment.run import with_keys

M64 = 2**64 - 1
STRANGER = "program:cat"


def unxorshift(value: int, bits: int) -> int:
    """Undo ``z ^ (z >> bits)``."""
    found = value
    for _ in range(64 // bits + 1):
        found = value ^ (found >> bits)
    return found


def unscramble(z: int) -> int:
    """Undo the splitmix64 finalizer, as a cheat would."""
    z = unxorshift(z, 31) * pow(0x94D049BB133111EB, -1, 2**64) & M64
    z = unxorshift(z, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) & M64
    return unxorshift(z, 30)


def unmixed(stream: int, deal: int, purpose: int) -> int:
    """Return the seed that the plain mix would have made *stream* from."""
    golden = 0x9E3779B97F4A7C15
    z = unscramble(stream) - purpose * golden - 3
    z = unscramble(z & M64) - 2
    z = unscramble(z & M64) - deal * golden - 1
    return (unscramble(z & M64) - golden) & M64


class Snoop:
    """Keeps every generator it is handed and what it holds at the start."""

    name = "snoop"

    def __init__(self) -> None:
        self.streams: list[np.random.Generator] = []
        self.hands: list[str] = []

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self.streams.append(rng)
        self.is_new = True

    def act(self, seen: Observation) -> Action:
        if self.is_new:
            self.hands.append(str(seen.hand))
            self.is_new = False
        return seen.legal[0]


def whole_numbers(value: object) -> set[int]:
    """Every whole number in the state of a generator."""
    if isinstance(value, dict):
        return {n for part in value.values() for n in whole_numbers(part)}
    if isinstance(value, list | tuple | np.ndarray):
        return {n for part in value for n in whole_numbers(part)}
    return {int(value)} if isinstance(value, int | np.integer) else set()


def test_the_plain_mix_can_be_undone_so_this_attack_is_real() -> None:
    assert unmixed(int(mix(np.uint64(12345), 17, 0, AGENT)), 17, AGENT) == 12345


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("deal", [0, 3])
def test_no_number_in_a_players_generator_deals_the_deck(name: str, deal: int) -> None:
    seed, rules, snoop = 987_654_321, game(name).rules(), Snoop()
    table = next(play_match(rules, [snoop, agent(name, "random")], seed, pair=deal))
    source = snoop.streams[0].bit_generator
    found = whole_numbers(source.state) | whole_numbers(source.seed_seq.entropy) | whole_numbers(source.seed_seq.pool)
    found |= whole_numbers(source.seed_seq.spawn_key) | {int(snoop.streams[0].state)}  # type: ignore[attr-defined]
    guesses = {g & M64 for n in found for g in (n, n >> 64, unmixed(n & M64, deal, AGENT), unscramble(n & M64))}
    assert seed not in guesses
    assert table.deck not in [rules.shuffled(guess, deal) for guess in guesses]


@pytest.mark.parametrize("name", GAMES)
def test_a_compiled_agents_stream_does_not_unmix_to_the_seed(name: str) -> None:
    seed = 424_242
    for deal in range(20):
        assert unmixed(player_stream(seed, deal, 1).start, deal, AGENT + 1) != seed


def test_the_keyed_hash_is_siphash_2_4() -> None:
    """The vector for 24 bytes among those that the authors of SipHash publish."""
    key, message = bytes(range(16)), bytes(range(24))
    root = np.uint64(int.from_bytes(key[:8], "little")), np.uint64(int.from_bytes(key[8:], "little"))
    words = [np.int64(int.from_bytes(message[i : i + 8], "little")) for i in (0, 8, 16)]
    assert int(keyed_hash(root, *words)).to_bytes(8, "little").hex() == "94af49f6c650adb8"


@pytest.mark.parametrize("name", GAMES)
def test_table_and_batch_hand_out_the_same_numbers(name: str) -> None:
    """So a random player makes the same moves in both, hand after hand."""
    players = [agent(name, "random"), agent(name, "random")]
    result = match(name, "random", "random", games=2, seed=5, workers=1)
    tables = list(play_match(game(name).rules(), players, 5))
    assert len(tables) == result.tallies["hands"][0]
    assert sum(table.n_moves for table in tables) == result.tallies["decisions"][0]
    assert tables[-1].scores == tuple(result.tallies["scores"][0])


# --- Guessing the seed ------------------------------------------------------------------------------------------------


@kernel
def guessed_seed(ordered: np.ndarray, hand: np.ndarray, below: int) -> int:
    """Return the seed under *below* whose first deal gives seat 0 the cards *hand* in this order, or -1."""
    cards = ordered.copy()
    for seed in range(below):
        cards[:] = ordered
        shuffle(cards, mix(seed, 0, 0, DECK))
        n = 0
        while n < hand.shape[0] and cards[2 * n] == hand[n]:
            n += 1
        if n == hand.shape[0]:
            return seed
    return -1


def guess(deck: Deck, below: int) -> int:
    ordered = np.array([card.id for card in Deck.ordered()], np.int8)
    own = np.array([card.id for card in deck][:20:2], np.int8)
    return int(guessed_seed(ordered, own, below))


def root_of_match(agents: tuple[str, ...], seed: int) -> int:
    """Return the seed or key from which the deals of a match come."""
    return MatchPlan(game="gin", agents=agents, seed=seed).with_key().root


def test_a_small_seed_is_found_by_dealing_a_million_and_a_key_is_not() -> None:
    rules = game("gin").rules()
    assert guess(rules.shuffled(765_432), 1_000_000) == 765_432
    assert guess(rules.shuffled(root_of_match(("simple", STRANGER), 765_432)), 1_000_000) == -1


def test_deals_come_from_a_secret_key_only_where_a_stranger_sits() -> None:
    assert root_of_match(("simple", "random"), 7) == 7
    first, second = (root_of_match(("simple", STRANGER), 7) for _ in range(2))
    assert is_key(first)
    assert first != second


def test_a_key_is_random_bits_of_the_operating_system(monkeypatch) -> None:
    asked = iter([7, 2**127 + 1])  # the first is too small for a key
    monkeypatch.setattr(secrets, "randbits", lambda bits: next(asked) if bits == 128 else 0)
    assert new_key() == 2**127 + 1


def test_both_halves_of_a_key_deal_other_cards() -> None:
    rules, key = game("gin").rules(), new_key()
    decks = {str(rules.shuffled(key ^ change)) for change in (0, 1, 1 << 70)}
    assert len(decks) == 3


def test_a_key_repeats_the_match() -> None:
    key = key_text(new_key())
    one, two = (match("gin", "random", "random", games=4, key=key, workers=1) for _ in range(2))
    assert one.tallies.tobytes() == two.tallies.tobytes()
    assert one.to_dict()["key"] == key
    assert one.to_dict()["seed"] is None


def test_a_plan_keeps_its_key_on_disk_and_one_without_strangers_has_none() -> None:
    plan = Plan(game="gin", agents=("simple", "random"), games=4, seed=3, preset="eaai")
    assert plan.with_key() == plan
    keyed = dataclasses.replace(plan, key=new_key())
    assert Plan.from_dict(json.loads(json.dumps(keyed.to_dict()))) == keyed


def test_an_interrupted_tournament_with_a_stranger_deals_the_same_cards_again(tmp_path, monkeypatch) -> None:
    from rummylab.arena import plan as module

    monkeypatch.setattr(module, "is_outside", lambda game_name, name: name == "random")
    monkeypatch.setattr(module, "fingerprint", lambda name: "unchanged")
    plan = Plan(game="gin", agents=("simple", "random"), games=4, seed=3)
    with Store(tmp_path / "runs.db") as store:
        first = tournament(plan, store=store)
        again = tournament(plan, store=store)
        other = tournament(dataclasses.replace(plan, seed=4), store=store)
    assert is_key(first.plan.root)
    assert first.plan == again.plan
    assert other.plan.root != first.plan.root


EXPERIMENT = """
title = "A stranger"
game = "gin"
[[match]]
name = "one"
agents = ["simple", "random"]
games = 4
seed = 1
"""


def test_an_experiment_that_seats_a_stranger_gets_a_key_and_keeps_it(tmp_path, monkeypatch) -> None:
    from rummylab.lab.experiment import run as module

    experiment = parse_experiment(EXPERIMENT, "stranger", "rummylab run", "here")
    assert with_keys(experiment) is experiment
    monkeypatch.setattr(module, "is_outside", lambda game_name, name: name == "random")
    with Store(tmp_path / "runs.db") as store:
        keyed = with_keys(experiment, store)
        assert is_key(keyed.steps[0].seed)
        store.open_run(module.KIND, keyed.to_dict(), "code")
        assert with_keys(experiment, store).steps == keyed.steps


def test_a_record_keeps_the_key_and_a_redacted_one_does_not() -> None:
    key = new_key()
    record = Record.of(State.deal(game("gin").rules(), key), ["a", "b"], key)
    assert record.header["key"] == key_text(key)
    assert not {"key", "seed", "deck"} & record.seen_by(0).header.keys()


def test_the_command_prints_the_key_and_takes_it_from_a_file(tmp_path) -> None:
    key = key_text(new_key())
    (tmp_path / "key").write_text(key + "\n")
    words = ["match", "gin", "random", "random", "--games", "2", "--workers", "1"]
    run = CliRunner().invoke(app, [*words, "--key", f"@{tmp_path / 'key'}"])
    assert run.exit_code == 0, run.output
    assert f"key {key}" in " ".join(run.output.split())


@pytest.mark.parametrize("text", ["", "7", "g" * 32, "0" * 32, "0" * 16 + "f" * 16, "f" * 33])
def test_what_is_not_a_key_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(OptionError, match="is not a key"):
        parse_key(text)


def test_a_seed_of_more_than_128_bits_is_refused() -> None:
    with pytest.raises(OptionError, match="at most 128 bits"):
        root_of(2**128)
