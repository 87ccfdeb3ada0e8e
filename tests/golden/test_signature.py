"""Rules and agents do what they did: a rule or an agent never changes by accident.

The games that are pinned are also checked: every agent plays every preset legally, at the table and in the batch.
"""

from __future__ import annotations

import json

import pytest
import signature

from helpers import assert_hands_follow_each_other, assert_tallies_are_of_legal_matches
from rummylab.agents.registry import entries
from rummylab.games.registry import GAMES

ADVICE = (
    "behavior changed. If on purpose: move Rules.version, say why in the changelog,"
    " and run `python tests/golden/signature.py --write`"
)
PINNED = json.loads(signature.PINNED.read_text())


def test_every_agent_is_pinned_under_every_preset() -> None:
    presets = [(name, preset) for name, game in GAMES.items() for preset in game.presets]
    meetings = {"/".join((*place, *pair)) for place in presets for pair in signature.meetings(*place)}
    assert set(PINNED) == meetings, "run tests/golden/signature.py --write"
    assert {(name, preset, entry.name) for name, preset in presets for entry in entries(name)} == {
        (name, preset, first) for name, preset, first, second in (key.split("/") for key in meetings) if first == second
    }


@pytest.mark.parametrize("name", PINNED)
def test_play_at_the_table_has_the_pinned_signature(name: str) -> None:
    matches = list(signature.table_matches(*name.split("/")))
    for hands in matches:
        assert_hands_follow_each_other(hands)
        assert hands[-1].match_is_over or len(hands) == signature.HANDS_OF_A_MATCH
    assert signature.table_signature(matches) == PINNED[name]["table"], ADVICE


@pytest.mark.parametrize("name", PINNED)
def test_play_in_the_batch_kernel_has_the_pinned_signature(name: str) -> None:
    game, preset, first, second = name.split("/")
    tallies = signature.batch_tallies(game, preset, first, second)
    assert_tallies_are_of_legal_matches(GAMES[game].rules(preset), tallies)
    assert signature.batch_signature(tallies) == PINNED[name]["batch"], ADVICE


@pytest.mark.parametrize("name", PINNED)
def test_the_version_of_the_rules_is_the_pinned_one(name: str) -> None:
    game, preset, *_ = name.split("/")
    assert GAMES[game].rules(preset).version == PINNED[name]["version"], ADVICE


def test_the_readable_hand_is_played_as_it_is_written() -> None:
    assert signature.readable_hand() == signature.READABLE.read_text(), ADVICE


def test_the_signature_notices_a_change_of_rules() -> None:
    rules = GAMES["gin"].rules("eaai")
    other = GAMES["gin"].rules("eaai", knock_limit=5)
    states = [
        list(signature.play_match(r, [signature.agent("gin", "simple"), signature.agent("gin", "simple")], 1))
        for r in (rules, other)
    ]
    texts = ["".join(map(signature.text_of, match)) for match in states]
    assert texts[0] != texts[1]
