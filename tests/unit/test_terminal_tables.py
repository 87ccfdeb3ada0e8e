"""The terminal tables of the games: what they show, and that every move is understood in the words it is shown in."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import islice

import pytest

from indian_tables import deal as deal_indian
from rummylab.agents.registry import agent as named_agent
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract.options import Contract
from rummylab.games.contract.view import contract, contract_words
from rummylab.games.registry import GAMES
from rummylab.ui.terminal.table import TerminalTable

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def table_at(state: State) -> tuple[TerminalTable, list[str]]:
    """A table with nobody else at it, and what it writes."""
    said: list[str] = []
    table = TerminalTable(state.rules, [], 1, plain=True, write=said.append)
    table.names = ["you", *(f"agent {i}" for i in range(1, state.rules.seats))]
    return table, said


def shown(state: State) -> str:
    table, said = table_at(state)
    table._show(state.observe(Seat(0)))
    return "\n".join(said)


def random_positions(game: str, hands: int) -> Iterator[State]:
    rng = random.Random(game)
    for seed in range(hands):
        state = State.deal(GAMES[game].rules(None), seed)
        for _ in range(120):
            if state.actor is None:
                break
            yield state
            moves = [move for move in state.legal_actions if move.verb not in ("drop", "declare")]
            # Melds and layoffs are rare in random play: take them where they come.
            melds = [move for move in moves if move.verb in ("lay down", "lay off")]
            state.push(rng.choice(melds or moves))


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_move_is_understood_as_it_is_shown(game: str) -> None:
    verbs, rng = set(), random.Random(1)
    for state in islice(random_positions(game, 4), 0, None, 5):
        assert state.actor is not None
        seen = state.observe(state.actor)
        table, _ = table_at(state)
        for action in rng.sample(seen.legal, min(len(seen.legal), 12)):
            for style in ("text", "color"):
                words = ANSI.sub("", format(action, style)).lower()
                assert table.read_action(words, seen) == action
            verbs.add(action.verb)
    assert {"discard"} < verbs
    assert game != "contract" or "lay down" in verbs


def test_a_joker_is_laid_off_as_it_was_hinted() -> None:
    for state in random_positions("contract", 40):
        assert state.actor is not None
        seen = state.observe(state.actor)
        jokers = [a for a in seen.legal if a.verb == "lay off" and a.card is not None and a.card.is_joker]
        if jokers:
            table, _ = table_at(state)
            assert format(jokers[0], "color") == f"lay off ★ on meld {jokers[0].on}"
            assert table.read_action(f"lay off ★ on meld {jokers[0].on}", seen) == jokers[0]
            return
    pytest.fail("no joker could be laid off")


def test_the_indian_table_shows_wild_rank_melds_jokers_and_both_numbers() -> None:
    mine = "5h 6h 7h Js Qs 2s 8d 9d Td Kc Kd 4s Ac"
    state = deal_indian([mine, "Ad 3d 6d 7d 5c Qd 3h 4h 9h Jh 3s 6s 8s"], indicator="2d", up="Jd")
    text = shown(state)
    assert "upcard Jd · wild 2 (indicator 2d)" in text
    assert "5h 6h 7h  |  2s*=Qc Kc Ac  |  8d 9d Td  |  4s Js Qs Kd" in text
    assert "MinScore 34 · MinDist 2\n" in text
    state.push(next(action for action in state.legal_actions if str(action) == "draw stock"))
    assert "after the best discard" in shown(state)


def test_without_a_pure_run_the_indian_table_groups_what_the_hand_plays_for() -> None:
    mine = "5c Tc Jc Kc 9h Jh Kh 5s 9s 5d 6d 8d Ah"
    state = deal_indian([mine, "2c 3c 4c 6c 2h 3h 4h 6h 2s 3s 4s 6s Qd"], indicator="As", up="7s")
    text = shown(state)
    assert "5c 5s 5d" in text
    assert "9h Ah*=Th Jh" in text
    assert "MinScore 80 (no pure run: every card counts) · MinDist 2" in text


def test_the_indian_table_marks_a_printed_joker_and_cards_seen_at_the_pile() -> None:
    mine = "5h 6h 7h Js Qs PJ 8d 9d Td Kc Kd 4s Ac"
    state = deal_indian([mine, "Ad 3d 6d 7d 5c Qd 3h 4h 9h Jh 3s 6s 8s"], indicator="2d", up="2h", starter=1)
    for words in ("draw upcard", "discard Ad"):
        state.push(next(action for action in state.legal_actions if str(action) == words))
    text = shown(state)
    assert "PJ=" in text
    assert "agent 1 took 2h* from the pile" in text


def test_the_chinese_table_shows_the_contract_and_who_has_laid_it_down() -> None:
    state = State.deal(contract(), 3)
    while state.actor != 0:
        state.push(next(iter(state.legal_actions)))
    assert "contract: two sets of three" in shown(state)


@pytest.mark.parametrize(
    ("contract", "words"),
    [("2S3", "two sets of three"), ("S3+R4", "a set of three and a run of four"), ("2R4", "two runs of four")],
)
def test_a_contract_in_words(contract: str, words: str) -> None:
    assert contract_words(Contract.parse(contract, 10)) == words


@pytest.mark.parametrize(
    ("game", "agent", "changes"),
    [
        ("indian", "mindist-outs", {}),
        ("indian", "mindist-score", {"seats": 3}),
        ("contract", "chinese-heuristic", {"rounds": 1}),
        ("gin_pass", "keats", {"hands": 4}),
    ],
)
def test_a_match_can_be_played_by_typing_what_was_hinted(game: str, agent: str, changes: dict[str, int]) -> None:
    rules = GAMES[game].rules(None, **changes)
    said: list[str] = []

    def read(_: str) -> str:
        last = ANSI.sub("", said[-1])
        return last.partition(" would ")[2] if " would " in last else "hint"

    players = [named_agent(game, agent) for _ in range(rules.seats - 1)]
    table = TerminalTable(rules, players, 5, coach=named_agent(game, agent), read=read, write=said.append)
    table.play()
    text = ANSI.sub("", "\n".join(said))
    assert "is nothing you can do now" not in text
    assert " wins " in text or "You win" in text or "nobody scores" in text
    if game == "indian":
        assert "wild" in text
        assert re.search(r"Declared! .* \d+ points", text)
