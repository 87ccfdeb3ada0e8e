"""The table in the terminal: what it shows, what can be typed, and that a person can save, resume and take back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from helpers_cli import run
from indian_tables import deal as deal_indian
from rummylab.engine.records import read_records
from rummylab.engine.show import ActionView, Show, show_class
from rummylab.engine.state import State
from rummylab.errors import NotationError, OptionError
from rummylab.games.contract.options import Contract
from rummylab.games.contract.view import contract_words
from rummylab.games.registry import GAMES, game
from rummylab.ui.table.config import Chair
from rummylab.ui.table.store import TableStore
from rummylab.ui.table.view import position_view
from rummylab.ui.terminal import opening
from rummylab.ui.terminal.drawing import Drawing
from rummylab.ui.terminal.moves import NoSuchMove, listed, read_move, shown
from rummylab.ui.terminal.screen import Ink, Screen
from terminal_tables import Table, sensible, table


def show_at(state: State, seat: int = 0) -> Show:
    names = ["You", *(f"Agent {i}" for i in range(1, state.rules.seats))]
    return show_class(state.rules.spec)(state.observe(seat), names)


def drawn(state: State, style: str = "text") -> str:
    chairs = tuple(Chair("agent", f"Agent {i}", f"Agent {i}") for i in range(state.rules.seats))
    view = position_view(state.observe(0), chairs, title="rules", you=0)
    return "\n".join(Drawing(Ink(style)).table(view))


def random_positions(name: str, hands: int) -> Iterator[State]:
    rng = random.Random(name)
    for seed in range(hands):
        state = State.deal(GAMES[name].rules(None), seed)
        for _ in range(120):
            if state.actor is None:
                break
            yield state
            moves = [move for move in state.legal_actions if move.verb not in ("drop", "declare")]
            # Melds and layoffs are rare in random play: take them where they come.
            melds = [move for move in moves if move.verb in ("lay down", "lay off")]
            state.push(rng.choice(melds or moves))


# --- What is typed ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_legal_move_is_understood_as_it_is_shown(name: str) -> None:
    verbs, rng = set(), random.Random(1)
    for state in islice(random_positions(name, 4), 0, None, 5):
        assert state.actor is not None
        actions = show_at(state, state.actor).actions()
        for action in rng.sample(actions, min(len(actions), 8)):
            for style in ("text", "unicode"):
                assert read_move(Ink(style).words(shown(action.id)), actions, state.rules.spec) == action.id
            verbs.add(action.verb)
    assert {"discard"} < verbs
    assert name != "contract" or "lay down" in verbs


def test_a_joker_is_laid_off_as_it_is_shown() -> None:
    for state in random_positions("contract", 40):
        assert state.actor is not None
        jokers = [a for a in state.legal_actions if a.verb == "lay off" and a.card is not None and a.card.is_joker]
        if jokers:
            actions, on = show_at(state, state.actor).actions(), jokers[0].on
            assert Ink("unicode").words(shown(str(jokers[0]))) == f"lay off PJ on {on}"
            for typed in (f"lay off PJ on {on}", f"lay off joker on {on}", f"lay off ★ on meld {on}"):
                assert read_move(typed, actions, state.rules.spec) == str(jokers[0])
            return
    pytest.fail("no joker could be laid off")


def actions(*moves: str, labels: tuple[str, ...] = ()) -> list[ActionView]:
    words = [move.split(" on meld ")[0].split() for move in moves]
    cards = [tuple(word for word in one if word[0] in "23456789TJQKA" and len(word) == 2) for one in words]
    return [
        ActionView(id=move, verb=" ".join(w for w in one if w not in held), label=label, short="", cards=held)
        for move, one, held, label in zip(moves, words, cards, labels or moves, strict=True)
    ]


def test_enough_of_a_move_is_enough() -> None:
    gin = game("gin")
    draws = actions("draw stock", "draw upcard", labels=("Draw from the stock", "Take 7♥"))
    for typed, move in (("s", "stock"), ("up", "upcard"), ("take", "upcard"), ("take 7h", "upcard"), ("draw", "stock")):
        assert read_move(typed, draws, gin) == f"draw {move}"
    hand = actions("discard 7h", "discard Th", "knock Th", "lay down 7c 7h 2s")
    assert read_move("7h", hand, gin) == "discard 7h"
    assert read_move("10♥", hand, gin) == "discard Th"
    assert read_move("throw 7h", hand, gin) == "discard 7h"
    assert read_move("k", hand, gin) == "knock Th"
    assert read_move("lay down 2s 7h 7c", hand, gin) == "lay down 7c 7h 2s"
    with pytest.raises(NotationError, match="'discard' could be discard 7♥ or discard 10♥"):
        read_move("discard", hand, gin)
    with pytest.raises(NoSuchMove, match="'fold' is nothing you can do now"):
        read_move("fold", hand, gin)
    assert read_move("knock Kd", hand, gin) == "knock Kd"  # the table will say why not
    assert read_move("Kd", hand, gin) == read_move("Kd", draws, gin) == "discard Kd"
    offer = actions("draw upcard", "pass")
    assert [read_move(typed, offer, gin) for typed in ("y", "n", "pass")] == ["draw upcard", "pass", "pass"]


def test_moves_are_listed_by_kind_where_there_are_many() -> None:
    throws = [f"discard {rank}h" for rank in "23456789TJ"]
    assert listed(actions(*throws, "knock 2h", "knock Th"), 10) == "discard CARD, knock 2♥/10♥"
    assert listed(actions("draw upcard", "pass"), 10) == "draw upcard (y) or pass (n)"


# --- What is shown ----------------------------------------------------------------------------------------------------


def test_the_indian_table_shows_wild_rank_melds_jokers_and_both_numbers() -> None:
    mine = "5h 6h 7h Js Qs 2s 8d 9d Td Kc Kd 4s Ac"
    state = deal_indian([mine, "Ad 3d 6d 7d 5c Qd 3h 4h 9h Jh 3s 6s 8s"], indicator="2d", up="Jd")
    text = drawn(state)
    assert "upcard Jd | 1 in the pile | Wild rank: all twos (indicator 2d)" in text
    assert "5h 6h 7h   2s*=Qc Kc Ac" in text
    assert "MinScore 34 | MinDist 2 cards" in text
    assert "7♥" in drawn(state, "unicode")
    state.push("draw stock")
    assert "discard CARD, hint" in drawn(state)  # no declaration is valid, so none is listed


def test_the_chinese_table_shows_the_contract_and_numbered_melds() -> None:
    for state in random_positions("contract", 40):
        if state.actor == 0 and state.observe(0).melds:
            text = drawn(state)
            assert "Contract: two sets of three" in text
            assert "1  " in text
            assert "Left in hand" in text
            return
    pytest.fail("nobody laid down")


@pytest.mark.parametrize(
    ("contract", "words"),
    [("2S3", "two sets of three"), ("S3+R4", "a set of three and a run of four"), ("2R4", "two runs of four")],
)
def test_a_contract_in_words(contract: str, words: str) -> None:
    assert contract_words(Contract.parse(contract, 10)) == words


def test_a_table_that_is_too_high_gives_up_blank_lines_and_old_news_first() -> None:
    made = table("indian", [], seats=6, format="pool-101")
    made.session.play_agents("person")
    view = made._view()
    full = Drawing(Ink()).table(view, view.log)
    tight = Drawing(Ink(), 80, len(full) - 1).table(view, view.log)
    assert "" in full
    assert len(tight) < len(full)
    assert tight[-1] == full[-1]
    assert all(len(line) <= 80 for line in full)


def test_without_symbols_every_character_is_ascii() -> None:
    for name in GAMES:
        assert drawn(State.deal(GAMES[name].rules(None), 3)).isascii()


def test_a_card_in_a_bold_line_does_not_end_it() -> None:
    ink = Ink("color")
    (line,) = map(ink.bold, ink.wrapped("You drew 3♣. Choose a card.", 80))
    assert line.split("♣")[1].startswith("\x1b[0m\x1b[1m.")


# --- Playing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted", "ends"),
    [
        ("gin", {"rules": "eaai(target=30)"}, "score"),
        ("indian", {"format": "deals-2"}, "declared"),
        ("contract", {"rules": "chinese(rounds=2)"}, "went out"),
        ("contract", {"rules": "shanghai-10", "seats": 3}, "went out"),
        ("gin_pass", {"rules": "course(hands=6)", "seats": 3}, "score"),
    ],
)
def test_a_match_is_played_by_typing_what_is_shown(
    name: str, wanted: dict[str, object], ends: str, tmp_path: Path
) -> None:
    path = tmp_path / "match.rgr"
    made = table(name, sensible, record=path, style="color", **wanted)
    made.play()
    assert "nothing you can do now" not in made.text
    assert "can't do that" not in made.text
    assert ends in made.text
    assert "win the match!" in made.text or "wins the match." in made.text or "share the match" in made.text
    records = read_records(path)
    assert len(records) == made.session.start.number + 1
    assert all("commitment" in record.header for record in records)


def hands_of(name: str, n: int) -> list[str]:
    """How the first hands between the robot and a quick agent end, in one line each."""
    lines: list[str] = []

    def robot(made: Table) -> str:
        if made.session.is_over:
            lines.append(made._show().end_line())
        return sensible(made) if len(lines) < n else "quit"

    table(name, robot).play()
    return lines


def test_the_end_of_a_hand_is_explained_in_one_line() -> None:
    show = show_class(game("gin"))
    result = {"winner": 1, "outcome": "undercut", "points": 28, "knocker": 0, "deadwood": (12, 9)}
    ended = show(State.deal(game("gin").rules(None), 3).observe(0), ["You", "Simple"])
    ended.result = lambda: result  # type: ignore[method-assign]
    assert ended.end_line() == "You: 12, Simple: 9. Undercut: Simple scores 25 + 3."
    result |= {"winner": 0, "outcome": "gin", "points": 34, "deadwood": (0, 9)}
    assert ended.end_line() == "You: 0, Simple: 9. Gin: you score 25 + 9."
    result |= {"winner": 0, "outcome": "knock", "points": 3, "deadwood": (6, 9)}
    assert ended.end_line() == "You: 6, Simple: 9. Knock: you score 3."


def test_help_log_and_errors_are_followed_by_the_table() -> None:
    made = table("gin", ["help", "log", "rules", "nonsense", "moves", "k 7h"])
    made.play()
    pictures = [said for said in made.said if "Gin Rummy | official rules" in said]
    assert len(pictures) == 7
    assert "take back your last move" in pictures[1]
    assert "The cards are dealt." in pictures[2]
    assert "Aim: " in pictures[3]
    assert "'nonsense' is nothing you can do now" in pictures[4]
    assert "You can't do that" in pictures[6]
    assert all("Type: draw upcard (y) or pass (n), hint, help" in picture for picture in pictures)


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        ("gin", ["k 7h"], ["PJ on 1", "dec 7h", "pass 7h"]),
        ("gin_pass", ["k 7h", "pass 7h"], ["PJ on 1", "dec 7h"]),
        ("indian", ["dec 7h", "marked *"], ["k 7h", "PJ on 1"]),
        ("contract", ["lay down 7c 7h 7d", "lay off PJ on 1", "* marks"], ["k 7h", "dec 7h"]),
    ],
)
def test_help_shows_the_moves_of_the_game(name: str, has: list[str], lacks: list[str]) -> None:
    made = table(name, ["help"])
    made.play()
    said = "\n".join(made.said)
    assert "  7h                  discard the seven of hearts" in said
    assert all(words in said for words in has)
    assert not any(words in said for words in lacks)


def test_a_long_note_has_pages_of_its_own_and_the_table_comes_back() -> None:
    made = table("gin", ["rules", "", ""], redraws=True)
    made.play()
    assert any("Press Enter to go back to the table." in said for said in made.said)
    assert "Type: draw upcard" in made.said[-4]


@pytest.mark.parametrize("name", GAMES)
def test_a_hint_names_a_move_with_its_value_and_reasons(name: str) -> None:
    made = table(name, ["hint"])
    made.play()
    note = next(said for said in made.said if said.startswith("Hint: "))
    first, *rest = note.split("\n")
    assert "Expected points of the hand: " in note
    assert "possible worlds." in note
    assert len(rest) > 2
    move = first.removeprefix("Hint: ").partition(".")[0]
    assert read_move(move, made._view().actions, made.session.rules.spec)


def test_seats_have_names() -> None:
    made = table("indian", ["s", "log"], seats=3)
    made.play()
    assert "seat " not in made.text
    assert "Asha" in made.text
    assert "You drew" in made.text


def test_a_drop_is_asked_about_first() -> None:
    made = table("indian", ["drop", "n", "quit"])
    made.play()
    assert "Drop and lose 20 points? (y/n)" in made.text
    assert not made.session.is_over


def test_an_empty_line_makes_the_only_move_and_no_other() -> None:
    made = table("gin", ["", "", "n"])
    made.play()
    assert not made.session.commands or made.session.commands[0].text == "pass"


# --- Taking back, leaving, coming back --------------------------------------------------------------------------------


def test_a_move_can_be_taken_back() -> None:
    made = table("gin_pass", [])
    made.session.play_agents("person")
    before = str(made.session.observe(0))
    first = sensible(made)
    made = table("gin_pass", ["back", first, "back"])
    made.play()
    assert "There is nothing to take back." in made.text
    assert "Your last move is taken back." in made.text
    assert str(made.session.observe(0)) == before


def test_a_table_is_saved_and_goes_on_where_it_was(tmp_path: Path) -> None:
    store = TableStore(tmp_path / "tables.db")
    left = table("gin", ["n", "s", "quit"], store=store)
    left.play()
    assert "The table is saved. To go on: rummylab play --resume" in left.text
    assert "Saved, like every move before." not in left.text
    again = table("gin", ["quit"], store=TableStore(tmp_path / "tables.db"), resume=True)
    again.play()
    assert again.session.config.chairs == left.session.config.chairs
    assert str(again.session.observe(0)) == str(left.session.observe(0))
    assert again._view().hand == left._view().hand
    with pytest.raises(OptionError, match=r"No table of Indian Rummy is saved in .*tables\.db"):
        opening.resumed(store, "indian")


def test_a_table_without_a_move_and_a_finished_match_are_not_kept(tmp_path: Path) -> None:
    store = TableStore(tmp_path / "tables.db")
    table("gin", ["quit"], store=store).play()
    table("contract", sensible, store=store, rules="chinese(rounds=1)").play()
    with pytest.raises(OptionError, match="No table is saved"):
        opening.resumed(store, None)


def test_no_token_of_the_browser_leads_to_the_player_at_the_terminal(tmp_path: Path) -> None:
    store = TableStore(tmp_path / "tables.db")
    assert store.local_player() == store.local_player()
    assert store.player("terminal") is None


# --- The command ------------------------------------------------------------------------------------------------------


def play(*words: str, stdin: str = "quit\n") -> str:
    done = run(["play", *words, "--terminal"], stdin)
    assert done.returncode in (0, 2), done
    return " ".join((done.stdout + done.stderr).replace("│", " ").split())


@pytest.mark.parametrize(
    ("words", "opponent"),
    [((), "Champion, level 6"), (("--level", "2"), "Champion, level 2"), (("--strongest",), "Champion, level 10")],
)
def test_opponents_come_by_level(words: tuple[str, ...], opponent: str, tmp_path: Path) -> None:
    seen = []

    def sat_down(session: object, *_: object) -> None:
        seen.append(session)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rummylab.cli.play._in_terminal", sat_down)
        play("gin", *words)
    assert [chair.name for chair in seen[0].config.chairs] == ["You", opponent]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("gin", "--level", "3", "--strongest"), "--level and --strongest both name your opponent"),
        (("gin", "--resume", "--seed", "3"), "--seed cannot be changed at a table that goes on"),
        (("gin", "--level", "11"), "11 is not in the range 1<=x<=10"),
    ],
)
def test_options_that_contradict_each_other_are_refused(words: tuple[str, ...], why: str) -> None:
    assert why in play(*words)


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (("gin",), "Gin Rummy | official rules | to 100"),
        (("indian",), "Indian Rummy | online rules | best of 3"),
        (("contract",), "Contract rummy | Chinese rules | to 100"),
        (("gin_pass",), "Gin with a passed card | course rules | 8 hands"),
        (("gin_pass", "--rules", "course(hands=40)"), "course rules | 40 hands"),
    ],
)
def test_a_match_has_a_sensible_length(words: tuple[str, ...], match: str) -> None:
    name = words[0]
    quick = {"gin": "simple", "indian": "minscore", "contract": "chinese-heuristic", "gin_pass": "melder"}[name]
    assert match in play(*words, "--agent", quick, "--seed", "3")


def test_a_piped_table_is_kept_only_where_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    assert "You leave the table." in play("gin", "--agent", "simple", "--seed", "3", stdin="n\n")
    said = play("gin", "--agent", "simple", "--seed", "3", "--tables", str(path), stdin="n\n")
    assert f"To go on: rummylab play gin --terminal --resume --tables {path}" in said
    assert "hand 1" in play("gin", "--resume", "--tables", str(path))


def test_a_screen_without_symbols_gets_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Screen.here().ink.style == "text"
    assert not Screen.here().redraws
