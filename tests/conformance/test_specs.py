"""Every game keeps what its specification promises, the one in ``examples`` included."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from helpers import SPECS, RandomChooser, has_words, played_states, registered
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cards.rng import root_of
from rummylab.engine.action import Action
from rummylab.engine.referee import play_match
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec
from rummylab.engine.state import State
from rummylab.errors import NotationError, OptionError
from rummylab.games.registry import GAMES

VOCABULARY = {
    "draw stock", "draw upcard", "discard", "knock", "declare", "lay down", "lay off", "pass", "drop",
}  # fmt: skip
ONE_GAME_ALONE = {
    "gin": {"big gin", "done", "meld"},
    "indian": {"rejoin", "leave", "split", "play on"},
    "contract": {"buy", "lay off low", "replace"},
}
MODULES = ("spec", "options", "rules", "view", "evaluate", "batch")
SEED = 5

every_game = pytest.mark.parametrize("spec", SPECS.values(), ids=list(SPECS))


def states(spec: GameSpec) -> list[State]:
    rules = spec.rules()
    return [state.copy() for state in played_states(rules, [RandomChooser(seat) for seat in range(rules.seats)], SEED)]


@every_game
def test_every_game_has_the_same_modules(spec: GameSpec) -> None:
    assert [part for part in MODULES if not spec.has(part)] == []


def test_declarations_import_neither_numba_nor_kernels() -> None:
    code = (
        "import sys; sys.path.insert(0, 'examples'); import basic_rummy.spec, rummylab.games.registry;"
        "print([name for name in sys.modules if name == 'numba' or name.endswith(('.rules', '.view', '.melds'))"
        " and name.startswith(('rummylab.games', 'basic_rummy'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@every_game
def test_actions_use_one_vocabulary(spec: GameSpec) -> None:
    assert {verb.words for verb in spec.verbs} <= VOCABULARY | ONE_GAME_ALONE.get(spec.name, set())


@every_game
def test_every_action_has_one_code_and_reads_as_it_prints(spec: GameSpec) -> None:
    rules = spec.rules()
    decoded = {}
    for code in range(rules.n_codes):
        try:
            decoded[code] = rules.decode(code)
        except NotationError:
            continue
    assert len(set(decoded.values())) == len(decoded)
    assert {action.verb for action in decoded.values()} == {verb.words for verb in spec.verbs}
    for code, action in list(decoded.items())[::7]:
        assert rules.encode(Action.parse(str(action))) == code


@every_game
def test_words_of_earlier_records_are_read(spec: GameSpec) -> None:
    rules = spec.rules()
    for verb in spec.verbs:
        for old in verb.former:
            first = int(getattr(spec.kernels, verb.code))
            action = next(rules.decode(c) for c in range(first, rules.n_codes) if has_words(rules, c))
            assert rules.encode(Action(old, action.cards, action.on)) == rules.encode(action)


@every_game
def test_every_observation_has_the_same_parts(spec: GameSpec) -> None:
    rules = spec.rules()
    for state in states(spec):
        for seat in range(rules.seats):
            seen = state.observe(Seat(seat))
            assert seen.phase in spec.kernels.PHASES
            assert seen.actor == state.actor
            assert isinstance(seen.hand, Hand)
            assert seen.upcard is None or isinstance(seen.upcard, Card)
            assert isinstance(seen.pile, tuple)
            assert seen.upcard is None or seen.upcard in seen.pile
            assert all(isinstance(card, Card) for card in seen.pile)
            assert isinstance(seen.stock, int)
            assert isinstance(seen.known(Seat(1 - seat)), Hand)
            assert seen.scores == state.scores
            assert bool(seen.legal) == (seen.actor == seat)
            assert all(isinstance(action, Action) for action in seen.legal)


@every_game
def test_the_batch_driver_and_the_referee_play_the_same_matches(spec: GameSpec) -> None:
    rules, players = spec.rules(), (registered(spec.name) * 2)[:2]
    tallies = np.zeros(4, spec.batch.tally_for(2))
    kernels, params = [one.kernel for one in players], [one.params for one in players]
    spec.batch.play_pairs(rules.new_rows(1), root_of(SEED), 0, kernels, params, tallies)
    for deal in range(2):
        *_, last = play_match(rules, players, SEED, pair=deal)
        assert list(last.scores) == tallies[2 * deal]["scores"].tolist()
        assert last.hand_no + 1 == tallies[2 * deal]["hands"]


@every_game
def test_a_player_at_the_terminal_is_shown_the_table(spec: GameSpec) -> None:
    names = ["you", "one", "two", "three", "four", "five"]
    for state in states(spec)[:8]:
        seen = state.observe(Seat(0))
        text = "\n".join(seen.table_lines("text", names))
        assert f"stock {seen.stock}" in text
        assert all(str(card) in text for card in seen.hand)


@every_game
def test_an_evaluation_refuses_what_the_game_does_not_ask(spec: GameSpec) -> None:
    with pytest.raises(OptionError, match="has no use for 'moon'"):
        spec.evaluate("7c", moon="full")


def test_rules_come_from_a_preset_a_call_or_options() -> None:
    indian = GAMES["indian"]
    assert indian.rules("platform(decks=2)") == indian.rules("platform", decks=2)
    assert indian.rules(indian.rules("platform").options) == indian.rules("platform")
    with pytest.raises(OptionError, match="Gin Rummy takes GinOptions, not IndianOptions"):
        GAMES["gin"].rules(indian.rules().options)


def test_an_example_is_not_in_the_registry() -> None:
    assert "basic_rummy" not in GAMES
