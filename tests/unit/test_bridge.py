"""The line-protocol bridge, under a scripted referee and under recorded hands of the official one."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bridge_referee import conduct, referee, spell, spell_melds
from rummylab.agents.registry import agent as named_agent
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.engine.action import Action
from rummylab.engine.agent import Agent
from rummylab.engine.observation import Observation
from rummylab.engine.referee import play_match
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import AgentError, ProtocolError, RummyError
from rummylab.games.gin.vectors import Replay, read_lines
from rummylab.games.gin.view import GinObservation, gin
from rummylab.interop.bridge import FORMS, RULES, Bridge, run
from waiting import PATIENCE

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "gin"


# --- Players ------------------------------------------------------------------------------------------------------


class Spy:
    """An agent that notes all it is shown and all it does."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.inner: Agent = named_agent("gin", name)
        self.seen: list[tuple[GinObservation, Action]] = []
        self.n_sat = 0

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self.n_sat += 1
        self.inner.sit(rules, seat, rng)

    def act(self, seen: Observation) -> Action:
        assert isinstance(seen, GinObservation)
        action = self.inner.act(seen)
        self.seen.append((seen, action))
        return action


class Scripted:
    """An agent that decides by a function of what it sees."""

    name = "scripted"

    def __init__(self, decide: Callable[[Observation], Action]) -> None:
        self.decide = decide

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        pass

    def act(self, seen: Observation) -> Action:
        return self.decide(seen)


def never_knocks(seen: Observation) -> Action:
    """Always the stock; the first card that may go."""
    return next((a for a in seen.legal if a.verb in ("draw stock", "pass", "discard")), seen.legal[0])


def swaps_for_ever(seen: Observation) -> Action:
    """Always the upcard; the first card that may go, so that a hand never ends."""
    return next(a for a in seen.legal if a.verb in ("draw upcard", "discard"))


def bridge(agent: Agent, seed: int = 0) -> Bridge:
    return Bridge(agent, np.random.default_rng(seed))


def answers_to(agent: Agent, lines: Sequence[str]) -> list[str]:
    answers: list[str] = []
    run(agent, lines, answers.append)
    return answers


def play_bridges(first: str, second: str, seed: int, games: int = 1) -> list[State]:
    players = [bridge(named_agent("gin", name), seed + i).hear for i, name in enumerate((first, second))]
    return conduct(referee(RULES, seed, games=games), players)


# --- Whole matches ------------------------------------------------------------------------------------------------


def test_bridges_play_whole_matches_to_a_hundred_with_defences_gins_and_lay_offs() -> None:
    states = [state for seed in range(6) for state in play_bridges("simple", "simple", seed)]
    outcomes = Counter(state.result["outcome"] for state in states)
    assert sum(state.match_is_over for state in states) == 6
    assert {"knock", "gin", "undercut"} <= set(outcomes)
    assert any(state.rows()["table"][0]["n_laid"] for state in states)


def test_cancelled_hands_are_survived() -> None:
    players = [bridge(named_agent("gin", "random"), seed).hear for seed in (0, 1)]
    states = conduct(referee(RULES, 3, max_hands=40), players)
    assert Counter(state.result["outcome"] for state in states)["cancelled"] > 10


def test_one_bridge_plays_several_games_in_a_session() -> None:
    states = play_bridges("simple", "simple", 11, games=3)
    assert sum(state.match_is_over for state in states) == 3


def test_a_hand_that_no_turn_cap_ends_goes_on() -> None:
    players = [bridge(Scripted(swaps_for_ever)).hear for _ in range(2)]
    talk = referee(RULES, 1)
    heard = 0
    answer = None
    while heard < 2000:  # about 300 turns; the rules at our own table end the hand after 200
        seat, line = talk.send(answer)
        answer = players[seat](line)
        heard += 1
    assert not line.startswith(("hand", "scores"))


def test_the_foreign_table_plays_by_eaai_rules_without_the_turn_cap() -> None:
    assert RULES.options == dataclasses.replace(gin("eaai").options, turn_cap=10_000)


# --- The same view as at our own table ----------------------------------------------------------------------------


def own_table(names: tuple[str, str], seed: int) -> tuple[list[Spy], list[State]]:
    spies = [Spy(name) for name in names]
    return spies, list(play_match(RULES, spies, seed))


def through_bridges(names: tuple[str, str], seed: int) -> tuple[list[Spy], list[State]]:
    """Play the match of ``play_match(seed)`` through bridges: same decks, same random streams."""
    spies = [Spy(name) for name in names]
    bridges = [Bridge(spy, player_stream(seed, 0, number)) for number, spy in enumerate(spies)]
    return spies, conduct(referee(RULES, seed), [b.hear for b in bridges])


@pytest.mark.parametrize("names", [("simple", "simple"), ("random", "simple"), ("simple", "random")])
@pytest.mark.parametrize("seed", range(5))
def test_the_agent_sees_and_answers_byte_for_byte_what_it_would_at_our_own_table(
    names: tuple[str, str], seed: int
) -> None:
    here, states = own_table(names, seed)
    there, bridged = through_bridges(names, seed)
    assert [s.to_bytes() for s in bridged] == [s.to_bytes() for s in states]
    for own, foreign in zip(here, there, strict=True):
        assert own.n_sat == foreign.n_sat
        assert len(own.seen) == len(foreign.seen)
        for (seen, action), (shadow, answer) in zip(own.seen, foreign.seen, strict=True):
            assert shadow.view.tobytes() == seen.view.tobytes()
            assert shadow.codes == seen.codes
            assert shadow.log == seen.log
            assert (shadow.seat, shadow.rules) == (seen.seat, seen.rules)
            assert answer == action


def test_the_comparison_meets_every_phase_and_a_forced_draw() -> None:
    spies, _ = through_bridges(("random", "simple"), 0)
    more, _ = through_bridges(("simple", "simple"), 0)
    seen = [seen for spy in (*spies, *more) for seen, _ in spy.seen]
    assert {s.phase for s in seen} == {"offer", "draw", "discard", "spread", "defend"}
    assert any(s.phase == "offer" and s.table["offers"] == 2 for s in seen)
    assert any(s.known for s in seen)
    assert any(s.table["hand_no"] and max(s.table["hands_won"]) for s in seen)


# --- Short conversations ------------------------------------------------------------------------------------------

MINE = "AC,2C,3C,7H,7S,7D,KH,QD,9S,5H"
START = ["newgame", f"start 0 0 {MINE}"]
AFTER_DRAW = [*START, "draw? KD", "drew 1 KD", "discarded 1 4C", "draw? 4C", "drew 0 4C"]
GIN_IS_NEAR = ["newgame", "start 0 0 AC,2C,3C,7H,7S,7D,KH,KS,KC,5H", "draw? KD"]


def test_a_knock_is_discard_first_and_then_the_melds() -> None:
    answers = answers_to(
        named_agent("gin", "simple"),
        [*GIN_IS_NEAR, "drew 0 KD", "discard?", "discarded 0 5H", "melds?"],
    )
    assert answers[:2] == ["y", "5H"]
    assert sorted(answers[2].split("/")) == ["7H,7S,7D", "AC,2C,3C", "KC,KH,KS,KD"]


def test_not_knocking_is_answered_with_pass_also_after_the_last_discard() -> None:
    answers: list[str] = []
    player = bridge(Scripted(never_knocks))

    def first(line: str) -> str | None:
        answer = player.hear(line)
        if line == "melds?":
            answers.append(str(answer))
        return answer

    states = conduct(referee(RULES, 4, max_hands=1), [first, bridge(Scripted(never_knocks)).hear])
    assert states[0].result["outcome"] == "cancelled"
    assert set(answers) == {"pass"}


def test_a_defender_answers_with_melds_even_if_there_are_none() -> None:
    knock = ["drew 1 KD", "discarded 1 4C", "melds 1 TD,JD,KD", "melds?"]
    with pytest.raises(ProtocolError):  # no meld
        answers_to(named_agent("gin", "simple"), [*START, "draw? KD", *knock])
    knock[2:3] = ["melds 1 TC,JC,QC/KD,KS,KC/4H,4S,4D"]
    answers = answers_to(named_agent("gin", "simple"), [*START, "draw? KD", *knock])
    assert sorted(answers[-1].split("/")) == ["7H,7S,7D", "AC,2C,3C"]
    low = ["newgame", "start 0 0 AC,2D,3C,7H,8S,7D,JH,QD,9S,5H", "draw? KD", *knock]
    assert answers_to(named_agent("gin", "simple"), low)[-1] == "-"


def test_a_knocker_known_to_hold_an_up_card_keeps_it_in_the_shadow() -> None:
    player = Spy("simple")
    lines = [*START, "draw? AD", "drew 1 AD", "discarded 1 4C", "melds 1 TC,JC,QC/KD,KS,KC/4H,4S,4D", "melds?"]
    answers_to(player, lines)
    last = player.seen[-1][0]
    assert str(last.known(Seat(1))) == "Ad"
    assert last.table["outcome"] == 0  # not gin: it keeps the ace


def test_the_running_scores_come_from_the_referee() -> None:
    player = Spy("simple")
    lines = [*START, "draw? KD", "scores 0 42", f"start 0 1 {MINE}", "draw? KD"]
    answers_to(player, lines)
    first, second = (seen for seen, _ in player.seen)
    assert (first.scores, second.scores) == ((0, 0), (0, 42))
    assert list(second.table["hands_won"]) == [0, 1]
    assert second.table["hand_no"] == 1


@pytest.mark.parametrize(
    "break_off",
    [
        ["newgame"],
        ["hand 0 AC,2C", "hand 1 4H,5H", "scores 0 0", "newgame"],
        ["scores 0 0", "newgame"],
        ["hand 1 4H,5H", "newgame"],
    ],
)
@pytest.mark.parametrize("length", range(1, len(AFTER_DRAW) + 1))
def test_a_forfeit_may_break_the_hand_off_anywhere(break_off: list[str], length: int) -> None:
    again = [*AFTER_DRAW[:length], *break_off, *START[1:], "draw? KD"]
    assert answers_to(named_agent("gin", "simple"), again)[-1] == "n"


@pytest.mark.parametrize("length", range(len(AFTER_DRAW) + 1))
def test_quit_or_the_end_of_the_input_ends_the_session_anywhere(length: int) -> None:
    player = bridge(named_agent("gin", "simple"))
    for line in AFTER_DRAW[:length]:
        player.hear(line)
    player.hear("quit")
    assert player.is_over
    nonsense_is_not_read = [*AFTER_DRAW[:length], "quit", "nonsense"]
    expected = answers_to(named_agent("gin", "simple"), AFTER_DRAW[:length])
    assert answers_to(named_agent("gin", "simple"), nonsense_is_not_read) == expected


def test_line_ends_of_every_kind_are_understood() -> None:
    lines = [line + "\r\n" for line in AFTER_DRAW]
    assert answers_to(named_agent("gin", "simple"), lines) == answers_to(named_agent("gin", "simple"), AFTER_DRAW)


def test_the_same_seed_gives_the_same_answers() -> None:
    def answers(seed: int) -> list[str]:
        lines = [
            line for card in Deck.ordered() for line in (*START, f"draw? {spell([card])}") if spell([card]) not in MINE
        ]
        said: list[str] = []
        run(named_agent("gin", "random"), lines, said.append, seed=seed)
        return said

    assert answers(5) == answers(5) != answers(6)


# --- Errors -------------------------------------------------------------------------------------------------------

BAD_LINES = {
    "unknown word": (["newgame", "shuffle"], 2, "newgame, start, draw?"),
    "empty line": (["newgame", ""], 2, "a line that starts with"),
    "too few words": (["newgame", "start 0 0"], 2, "start ME FIRST c,c,.."),
    "too many words": (["newgame now"], 1, "expected newgame"),
    "nine cards": (["newgame", "start 0 0 AC,2C,3C,7H,7S,7D,KH,QD,9S"], 2, "10 cards, not 9"),
    "a card twice": (["newgame", "start 0 0 AC,AC,3C,7H,7S,7D,KH,QD,9S,5H"], 2, "different cards"),
    "unknown card": ([*START, "draw? 1X"], 3, "a card (a rank of A23456789TJQK and a suit of CHSD, such as 7H)"),
    "a joker": ([*START, "draw? PJ"], 3, "a card"),
    "lower-case card": ([*START, "draw? kd"], 3, "a card"),
    "unknown seat": (["newgame", f"start 2 0 {MINE}"], 2, "seat 0 or 1, not '2'"),
    "unknown starter": (["newgame", f"start 0 x {MINE}"], 2, "seat 0 or 1, not 'x'"),
    "a hand before the game": (START[1:], 1, "expected newgame or quit"),
    "scores before the game": (["scores 0 0"], 1, "expected newgame or quit"),
    "a hand within a hand": ([*START, START[1]], 3, "expected draw?"),
    "discard? before the draw": ([*START, "discard?"], 3, "expected draw?"),
    "melds? before the draw": ([*START, "melds?"], 3, "expected draw?"),
    "draw? asked twice": ([*AFTER_DRAW[:-1], AFTER_DRAW[-2]], 7, "expected drew 0"),
    "discard? asked twice": ([*AFTER_DRAW, "discard?", "discard?"], 9, "expected discarded 0"),
    "my draw before draw?": ([*START, "drew 0 4D"], 3, "expected draw?"),
    "my draw face down": ([*AFTER_DRAW[:-1], "drew 0 ?"], 7, "a card"),
    "another card than the one taken": ([*AFTER_DRAW[:-1], "drew 0 5C"], 7, "the upcard, 4C"),
    "another upcard": ([*AFTER_DRAW[:-2], "draw? 5C"], 6, "the upcard, 4C"),
    "an upcard that was dealt to me": ([*START, "draw? AC"], 3, "an upcard from the stock"),
    "the opponent takes another upcard": ([*START, "draw? KD", "drew 1 4C"], 4, "the upcard, KD"),
    "a forbidden draw from the stock": ([*START, "draw? KD", "drew 1 ?"], 4, "a legal move"),
    "a card drawn twice": ([*START, "draw? KD", "drew 0 AC"], 4, "from the stock, not AC"),
    "the opponent throws my card": ([*START, "draw? KD", "drew 1 KD", "discarded 1 AC"], 5, "seat 1 can hold"),
    "the opponent throws the upcard back": ([*START, "draw? KD", "drew 1 KD", "discarded 1 KD"], 5, "just taken"),
    "another discard than answered": ([*AFTER_DRAW, "discard?", "discarded 0 AC"], 9, "the card that was answered"),
    "the other seat discards": ([*AFTER_DRAW, "discarded 1 5C"], 8, "expected discard?"),
    "melds out of the blue": ([*START, "melds 1 4H,4S,4D"], 3, "expected draw?"),
    "a knock with my cards": ([*AFTER_DRAW[:-2], "melds 1 7H,7S,7D"], 6, "a card that seat 1 can hold, not 7H"),
    "a knock that leaves too much": (
        [*AFTER_DRAW[:-2], "melds 1 8H,8S,8D"],
        6,
        "at most 10 points left",
    ),
    "a knock with eleven cards": (
        [*AFTER_DRAW[:-2], "melds 1 8C,8H,8S,8D/TC,TH,TS,TD/JC,JH,JS"],
        6,
        "the 10 cards of seat 1",
    ),
    "no meld": ([*AFTER_DRAW[:-2], "melds 1 4H,5C,6D"], 6, "legal melds"),
    "melds that share a card": ([*AFTER_DRAW[:-2], "melds 1 4H,4S,4D/4D,5D,6D"], 6, "different cards"),
    "a layoff without a knock": ([*AFTER_DRAW, "layoff 0 4C AC,2C,3C"], 8, "expected discard?"),
    "scores that are no numbers": ([*START, "scores a b"], 3, "a whole number, not 'a'"),
    "negative scores": ([*START, "scores -1 0"], 3, "a whole number, not '-1'"),
    "a final hand with a bad card": ([*START, "hand 1 AC,XX"], 3, "a card"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_line_that_does_not_fit_is_refused_with_its_number_and_what_was_expected(case: str) -> None:
    lines, number, expected = BAD_LINES[case]
    with pytest.raises(ProtocolError) as caught:
        answers_to(named_agent("gin", "simple"), lines)
    message = str(caught.value)
    assert message.startswith(f"line {number}: {lines[number - 1]!r}: expected ")
    assert expected in message
    assert "\n" not in message


def test_other_melds_than_answered_are_refused() -> None:
    lines = [*GIN_IS_NEAR, "drew 0 KD", "discard?", "discarded 0 5H", "melds?", "melds 0 AC,2C,3C"]
    with pytest.raises(ProtocolError, match="line 8: 'melds 0 AC,2C,3C': expected the melds that were answered"):
        answers_to(named_agent("gin", "simple"), lines)


def test_a_long_line_is_shortened_in_the_message() -> None:
    with pytest.raises(ProtocolError, match=r"^line 1: 'x{80}\.\.\.': expected"):
        answers_to(named_agent("gin", "simple"), ["x" * 10_000])


def test_input_that_is_no_text_is_refused() -> None:
    def lines() -> Iterator[str]:
        yield "newgame"
        yield b"\xff".decode()

    with pytest.raises(ProtocolError, match="line 2: expected text"):
        run(named_agent("gin", "simple"), lines(), lambda answer: None)


def test_any_cut_or_swap_of_lines_is_understood_or_refused_but_never_crashes() -> None:
    """Lines of a real match, damaged at random: a :class:`RummyError` or a normal end, nothing else."""
    said: list[str] = []
    player = bridge(named_agent("gin", "simple"))

    def first(line: str) -> str | None:
        said.append(line)
        return player.hear(line)

    conduct(referee(RULES, 2), [first, bridge(named_agent("gin", "simple"), 1).hear])
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        lines = said[: int(rng.integers(3, 150))]
        i, j = rng.integers(0, len(lines), 2)
        damage = rng.integers(4)
        if damage == 0:
            lines[i], lines[j] = lines[j], lines[i]
        elif damage == 1:
            del lines[i]
        elif damage == 2:
            lines.insert(int(i), lines[j])
        else:
            words = [*lines[i].split(), *lines[j].split()]
            lines[i] = " ".join(words[int(k)] for k in rng.integers(0, len(words), len(lines[i].split())))
        try:
            answers_to(named_agent("gin", "simple"), lines)
        except RummyError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("wrong", ["draw stock", "discard Ac", "win"])
def test_an_agent_that_answers_illegally_is_named(wrong: str) -> None:
    with pytest.raises(AgentError, match=f"scripted played {wrong} at line 3, which is illegal in the phase offer"):
        answers_to(Scripted(lambda seen: Action.parse(wrong)), [*START, "draw? KD"])


GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "bridge.md"


def test_every_line_of_the_protocol_has_its_place_in_the_guide() -> None:
    guide = GUIDE.read_text()
    for form in FORMS.values():
        assert f"`{form}`" in guide, form


def test_the_session_in_the_guide_goes_as_printed() -> None:
    session = GUIDE.read_text().split("```")[1].split("\n")[1:-1]
    said = [line for line in session if not line.startswith("> ")]
    expected = [line.removeprefix("> ") for line in session if line.startswith("> ")]
    assert answers_to(named_agent("gin", "simple"), said) == expected


# --- Hands recorded from the official referee ---------------------------------------------------------------------


def recorded(cards: Sequence[int]) -> list[Card]:
    return sorted(map(Card.from_index52, cards))


def conversation(hand: dict[str, Any], me: int) -> Iterator[tuple[str, str | None]]:
    """Yield the lines seat *me* heard in a recorded hand, and its answers."""
    events = [*hand["events"], ["end"]]
    yield f"start {me} {hand['start']} {spell(map(Card.from_index52, hand['deck'][me:20:2]))}", None
    for (kind, *values), (following, *after) in itertools.pairwise(events):
        mine = values[0] == me
        if kind == "offer" and mine:
            yield f"draw? {spell(recorded([values[1]]))}", "y" if values[2] else "n"
        elif kind == "draw":
            shown = spell(recorded([values[1]])) if mine or values[2] == "up" else "?"
            yield f"drew {values[0]} {shown}", None
        elif kind == "discard":
            card = spell(recorded([values[1]]))
            if mine:
                yield "discard?", card
            yield f"discarded {values[0]} {card}", None
            if mine:
                yield "melds?", spell_melds(map(recorded, after[1])) if following == "knock" else "pass"
        elif kind in ("knock", "melds"):
            melds = spell_melds(map(recorded, values[1]))
            if mine and kind == "melds":
                yield "melds?", melds
            yield f"melds {values[0]} {melds}", None
        elif kind == "layoff":
            yield f"layoff {values[0]} {spell(recorded([values[1]]))} {spell(recorded(values[2]))}", None
    if hand["result"]["type"] != "forfeit":  # the official referee ends a forfeited game without a word
        for player in (0, 1):
            yield f"hand {player} {spell(recorded(hand['final_hands'][player]))}", None
        yield f"scores {hand['scores'][0]} {hand['scores'][1]}", None


class Recorded:
    """An agent that plays a seat as it was played in a recorded game."""

    name = "recorded"

    def __init__(self) -> None:
        self.moves: Iterator[Action] = iter(())

    def expect(self, hand: dict[str, Any], seat: int) -> None:
        replay = Replay(gin("eaai"), hand)
        replay.run()
        self.moves = iter([event.action for event in replay.state.log if event.chosen and event.seat == seat])

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        pass

    def act(self, seen: Observation) -> Action:
        return next(self.moves)


def sample(seat: int) -> Iterator[dict[str, Any]]:
    """Every hundredth game, and every game that the opponent of *seat* forfeited: our agents make no illegal move."""
    for file in ("transcripts", "transcripts_extra"):
        for _, hand in read_lines(VECTORS / f"{file}.jsonl.gz"):
            is_forfeit = hand["result"]["type"] == "forfeit"
            if (is_forfeit or hand["game"] % 100 == 0) and not (is_forfeit and hand["result"]["winner"] != seat):
                yield hand


def replay(seat: int, hands: Iterator[dict[str, Any]]) -> Counter[str]:
    """Play *hands* through one bridge as they were played; return how they ended."""
    agent = Recorded()
    player = bridge(agent)
    results: Counter[str] = Counter()
    game = None
    for hand in hands:
        if hand["game"] != game:
            game = hand["game"]
            player.hear("newgame")
        agent.expect(hand, seat)
        for line, expected in conversation(hand, seat):
            assert player.hear(line) == expected, f"game {game}, hand {hand['hand']}, {line!r}"
        results[hand["result"].get("reason") or hand["result"]["type"]] += 1
    return results


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the recorded hands are not on this machine")
def test_hands_recorded_from_the_official_referee_are_played_through_the_bridge() -> None:
    results = replay(0, sample(0)) + replay(1, sample(1))
    forfeits = {"illegal_discard", "illegal_knock", "illegal_defender_melds"}
    assert {"knock", "gin", "undercut", "cancelled", *forfeits} <= set(results)


def test_illegal_melds_of_a_defender_are_told_before_the_game_is_forfeited() -> None:
    knock = [*GIN_IS_NEAR, "drew 0 KD", "discard?", "discarded 0 5H", "melds?"]
    lines = [*knock, "melds 1 AH,AS,AD/AH,AS,AD", "newgame", START[1], "draw? KD"]
    assert answers_to(named_agent("gin", "simple"), lines)[-1] == "n"


# --- The command --------------------------------------------------------------------------------------------------

needs_command = pytest.mark.skipif(
    importlib.util.find_spec("rummylab.cli.bridge") is None, reason="the command `rummylab bridge` does not exist yet"
)


def command() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rummylab", "bridge", "gin", "simple"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs_command
def test_the_command_plays_a_match_and_says_nothing_but_answers() -> None:
    with command() as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def hear(line: str) -> str | None:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            return process.stdout.readline().rstrip("\n") if line.split()[0].endswith("?") else None

        states = conduct(referee(RULES, 9), [hear, bridge(named_agent("gin", "simple")).hear])
        rest, _ = process.communicate(timeout=PATIENCE)
    assert states[-1].match_is_over
    assert rest == ""
    assert process.returncode == 0


@needs_command
def test_the_command_answers_a_malformed_line_with_one_line_on_stderr_and_code_2() -> None:
    with command() as process:
        out, error = process.communicate("newgame\ndiscard?\n", timeout=PATIENCE)
    assert process.returncode == 2
    assert out == ""
    assert "line 2: 'discard?': expected start" in error.splitlines()[-1]
    assert "Traceback" not in error
