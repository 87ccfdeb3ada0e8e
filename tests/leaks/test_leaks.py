"""Nobody is shown more than it may know: every game, every seat, every phase.

(a) Reshuffle what a seat cannot see, replay the same moves: its view, its log, its legal moves and the move every agent
    would choose stay the same.
(b) The view equals a fold over the seat's own redacted log, field by field.
(c) A planted leak makes both fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from basic_fold import BasicFold
from contract_fold import ContractFold
from gin_fold import GinFold
from gin_pass_fold import GinPassFold
from indian_fold import IndianFold

from helpers import (
    EVERY_PRESET,
    SPECS,
    RandomChooser,
    line_ups,
    make_deck,
    played_states,
    push,
    quick_players,
    registered,
)
from rummylab.cards.deck import Deck
from rummylab.engine.agent import Agent
from rummylab.engine.observation import Observation
from rummylab.engine.referee import play_match
from rummylab.engine.rows import Rows, count_hands
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.errors import IllegalActionError
from rummylab.games.gin.view import Gin, gin
from rummylab.games.registry import GAMES

PHASES = {
    "gin-eaai": {"offer", "draw", "discard", "spread", "defend", "over"},
    "gin-classic": {"offer", "draw", "discard", "spread", "lay off", "defend", "over"},
    "gin-openspiel": {"offer", "draw", "discard", "spread", "lay off", "defend", "wall", "over"},
    "indian-paper": {"draw", "discard", "over"},
    "indian-platform": {"draw", "discard", "over"},
    "contract-chinese": {"draw", "play", "lay down", "over"},
    "contract-chinese-literal": {"draw", "play", "lay down", "over"},
    "contract-chinese-7": {"draw", "play", "lay down", "over"},
    "contract-contract-7": {"draw", "play", "lay down", "over"},
    "contract-liverpool-7": {"draw", "buy", "play", "lay down", "over"},
    "contract-shanghai-10": {"draw", "buy", "play", "lay down", "over"},
    "basic_rummy-ten": {"draw", "play", "over"},
    "basic_rummy-seven": {"draw", "play", "over"},
    "gin_pass-course": {"pass", "draw", "discard", "over"},
    "gin_pass-course-ten": {"pass", "draw", "discard", "over"},
    "gin_pass-course-seven": {"pass", "draw", "discard", "over"},
}
FOLDS: dict[str, Callable[..., Any]] = {
    "basic_rummy": BasicFold,
    "gin": GinFold,
    "indian": IndianFold,
    "contract": ContractFold,
    "gin_pass": GinPassFold,
}
"""For each game: ``fold(options, seat, starter, events)`` whose ``view()`` is the view that log tells of."""
HANDS = 6

every_preset = pytest.mark.parametrize(("game", "preset"), EVERY_PRESET)


def test_every_game_has_a_fold_and_every_preset_a_list_of_phases() -> None:
    assert set(FOLDS) == set(SPECS)
    assert set(PHASES) == {f"{game}-{preset}" for game, preset in EVERY_PRESET}


def phase_of(state: State) -> str:
    return str(state.observe(Seat(0)).phase)  # type: ignore[attr-defined]


def positions(rules: Rules, n: int, seed: int) -> Iterator[State]:
    """Positions of *n* hands of each lineup; the showdown and the wall are all there, the long middle in part."""
    rng = np.random.default_rng(seed)
    eager = [RandomChooser(seed + seat, 1.0) for seat in range(1, rules.seats)]
    last = quick_players(rules.name)[-1]
    players = [*line_ups(rules.name, seed, rules.seats), [*eager, last], [last, *eager]]
    for k, pair in enumerate(players):
        for i in range(n):
            for state in played_states(rules, pair, 10_000 * seed + 100 * k + i):
                if phase_of(state) not in ("draw", "discard", "play") or rng.random() < 0.15:
                    yield state


# --- (a) Reshuffle ----------------------------------------------------------------------------------------------------


def reshuffles(state: State, viewer: Seat, rng: np.random.Generator, n: int) -> Iterator[State]:
    """Tables that differ in what *viewer* cannot see alone: everything shuffled, or a few cards exchanged.

    Every third one shuffles everything. A shuffle under which the opponent could not have moved as it did is left out;
    one under which the viewer itself could not have is a leak.
    """
    slots = state.rules.hidden_slots(state.rows(), viewer)
    for k in range(n):
        chosen = slots if k % 3 == 0 else rng.choice(slots, min(len(slots), 2 + k % 3), replace=False).tolist()
        cards = list(state.deck.cards)
        for slot, origin in zip(chosen, rng.permutation(chosen), strict=True):
            cards[slot] = state.deck.cards[origin]
        twin = replay(state, Deck(tuple(cards)), viewer)
        if twin is not None and twin.deck != state.deck:
            yield twin


def replay(state: State, deck: Deck, viewer: Seat) -> State | None:
    row = state.rules.new_rows(1)
    state.rules.set_scores(row, state.scores_before)
    state.rules.set_standing(row, state.standing_before)
    count_hands(row, state.hand_no)
    twin = State(state.rules, row, deck, state.starter, hand_no=state.hand_no)
    for event in state.log:
        if event.chosen:
            if twin.actor != event.seat:  # somebody's declaration came out otherwise, for all to see
                return None
            try:
                twin.push(event.action)
            except IllegalActionError:
                assert event.seat != viewer, f"{event}: the viewer's own move depends on what it cannot see"
                return None
    return twin


def choices(seen: Observation, players: list[Agent]) -> list[str]:
    """What each of *players* would do; nothing when it is not this seat's turn."""
    chosen = []
    for player in players if seen.codes else ():
        player.sit(seen.rules, seen.seat, np.random.default_rng(17))
        chosen.append(str(player.act(seen)))
    return chosen


def assert_looks_the_same(one: Observation, other: Observation, players: list[Agent]) -> None:
    assert one.log == other.log, "the log tells them apart"
    assert one.codes == other.codes, "the legal moves tell them apart"
    assert fields(one.view) == fields(other.view), "the view tells them apart"
    assert one.view.tobytes() == other.view.tobytes()
    assert choices(one, players) == choices(other, players), "an agent tells them apart"


def fields(view: Rows) -> dict[str, Any]:
    """A view by field, for messages that name the culprit."""
    return {
        f"{part}.{name}": view[part][name].tobytes() if name == "rules" else view[part][name][0].tolist()
        for part in ("table", "mine")
        for name in view[part].dtype.names
    }


def check_by_reshuffling(rules: Rules, hands: int = 4, tries: int = 4) -> Counter[tuple[str, int, bool]]:
    """Reshuffle at every position for every seat; return how often each (phase, seat, its turn) was compared.

    All agents are asked at one reshuffled table of each position. At the others they would be asked the same: the
    observation is all that they get, and it is compared byte by byte.
    """
    rng = np.random.default_rng(99)
    compared: Counter[tuple[str, int, bool]] = Counter()
    players = registered(rules.name)
    for state in positions(rules, hands, 2):
        phase = phase_of(state)
        for seat in map(Seat, range(rules.seats)):
            seen = state.observe(seat)
            chosen = choices(seen, players)
            for k, twin in enumerate(reshuffles(state, seat, rng, tries)):
                twin_seen = twin.observe(seat)
                assert_looks_the_same(seen, twin_seen, [])
                assert k > 0 or choices(twin_seen, players) == chosen, "an agent tells them apart"
                compared[phase, seat, seat == state.actor] += 1
    return compared


@pytest.mark.slow
@every_preset
def test_reshuffling_what_a_seat_cannot_see_changes_nothing_for_it(game: str, preset: str) -> None:
    rules = SPECS[game].rules(preset)
    compared = check_by_reshuffling(rules, 5 if rules.seats == 2 else 1)
    for phase in PHASES[f"{game}-{preset}"]:
        for seat in range(rules.seats):
            for turn in (True, False) if phase != "over" else (False,):
                assert compared[phase, seat, turn] >= 3, f"{phase}, seat {seat}, its turn {turn}: {compared}"


def was_reshuffled(state: State) -> bool:
    """Whether the pile has become the stock: from then on, the order of the stock depends on the whole deck."""
    table = state.rows()["table"][0]
    return "reshuffles" in (table.dtype.names or ()) and bool(table["reshuffles"])


def assert_hidden_slots_are_the_unnamed(state: State) -> None:
    """The guard of the guard: too few hidden places would make the reshuffle test blind, too many would make it lie."""
    if was_reshuffled(state):
        return
    for seat in map(Seat, range(state.rules.seats)):
        named = {card for event in state.observe(seat).log for card in (*event.action.cards, *event.secret)}
        stock = int(state.rows()["pos"][0])  # a joker in the stock is hidden, also when another one is in sight
        hidden = [slot for slot, card in enumerate(state.deck) if slot >= stock or card not in named]
        assert sorted(state.rules.hidden_slots(state.rows(), seat)) == hidden, f"{phase_of(state)}, seat {seat}"


@pytest.mark.parametrize("preset", ["classic", "openspiel"])
def test_cards_laid_off_are_not_hidden(preset: str) -> None:
    deck = make_deck("Ac 2c 3c 7h 7s 7d Tc Jc Qc 5h", "4c 4h 4s 5c 9h Js Qs Kh 2d 6d", "Kd", "Kc")
    state = State.deal(gin(preset), 0, starter=0, deck=deck)
    push(state, "pass; pass; draw stock; knock Kc; meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc; done; lay off 4c")
    assert_hidden_slots_are_the_unnamed(state)


# --- (b) The fold -----------------------------------------------------------------------------------------------------


class Folding:
    """The fold of one seat's log of one hand, which takes up what is new in the log each time it is looked at."""

    def __init__(self, state: State, seat: Seat) -> None:
        begun = {"scores": state.scores_before, "standing": state.standing_before, "played": state.hand_no}
        more = begun if state.standing_before else {}
        self.fold = FOLDS[state.rules.name](state.rules.options, int(seat), int(state.starter), **more)
        self.log: tuple[Any, ...] = ()

    def view(self, log: tuple[Any, ...]) -> dict[str, Any]:
        assert log[: len(self.log)] == self.log, "what has been told is not told otherwise later"
        for event in log[len(self.log) :]:
            self.fold.apply(event)
        self.log = log
        view: dict[str, Any] = self.fold.view()
        return view


def assert_view_is_the_folded_log(state: State, seat: Seat, folding: Folding | None = None) -> None:
    seen = state.observe(seat)
    told, shown = (folding or Folding(state, seat)).view(seen.log), fields(seen.view)
    shown.pop("table.rules")
    assert set(told) == set(shown), "every field of the view must follow from the log"
    for name, value in told.items():
        assert shown[name] == value, f"{name} in phase {phase_of(state)} for seat {seat}"


def check_by_folding(rules: Rules, hands: int, seed: int, *more: Callable[[State], None]) -> set[tuple[str, int]]:
    """Fold at every position for every seat, with *more* checks; return which phases were compared for whom."""
    covered = set()
    hand, foldings = None, list[Folding]()
    for state in positions(rules, hands, seed):
        if state is not hand:
            hand, foldings = state, [Folding(state, Seat(seat)) for seat in range(rules.seats)]
        for seat in map(Seat, range(rules.seats)):
            assert_view_is_the_folded_log(state, seat, foldings[seat])
            covered.add((phase_of(state), int(seat)))
        for check in more:
            check(state)
    return covered


def assert_secrets_are_in_one_log_only(state: State) -> None:
    """What a seat drew or was dealt is in the log of that seat, and in no other."""
    for seat in map(Seat, range(state.rules.seats)):
        assert all(event.seat == seat for event in state.observe(seat).log if event.secret)
    secrets = [event for event in state.log if event.action.verb in ("deal", "draw stock")]
    if state.actor is None and state.result["outcome"] == "washout":
        secrets.pop()  # it may have found the stock empty
    assert all(event.secret for event in secrets)


@every_preset
def test_the_view_is_a_fold_over_the_redacted_log(game: str, preset: str) -> None:
    """At the same positions, what the log leaves unnamed is what the rules call hidden."""
    rules = SPECS[game].rules(preset)
    more = assert_hidden_slots_are_the_unnamed, assert_secrets_are_in_one_log_only
    covered = check_by_folding(rules, HANDS, 3, *more)
    assert covered == {(phase, seat) for phase in PHASES[f"{game}-{preset}"] for seat in range(rules.seats)}


@pytest.mark.parametrize(
    "changes",
    [
        {"refuse_repeats": True, "knock_limit": 40},
        {"oklahoma": True, "big_gin_bonus": 31},
        {"knock_card": True, "layoffs": "defender"},
        {"turn_cap": 9, "knock_limit": 30},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_the_view_is_a_fold_under_house_rules_too(changes: dict[str, Any]) -> None:
    assert len(check_by_folding(gin("eaai", **changes), 3, 4)) >= 10


def test_the_fold_of_a_big_gin() -> None:
    deck = make_deck("Ac 2c 3c 7h 7s 7d Tc Jc Qc 4c", "2h 6h Th 5s 8s Js 9d Kh 9s Qs", "Kc")
    state = State.deal(gin("classic"), 0, starter=0, deck=deck)
    for move in ("draw upcard", "big gin", "meld Ac 2c 3c 4c", "meld 7h 7s 7d", "meld Tc Jc Qc Kc", "done", "done"):
        push(state, move)
        for seat in (Seat(0), Seat(1)):
            assert_view_is_the_folded_log(state, seat)


# --- (c) Planted leaks ------------------------------------------------------------------------------------------------


Leak = Callable[[Rows, Seat, Rows], None]


def leaky(rules: Any, leak: Leak) -> Any:
    """*rules* whose views are spoiled by ``leak(row, seat, view)``."""

    class Leaky(type(rules)):  # type: ignore[misc]
        def view_bytes(self, whole: bytes | memoryview, seat: Seat) -> bytes:
            view: Rows = np.frombuffer(bytearray(super().view_bytes(whole, seat)), self.view)
            leak(np.frombuffer(whole, self.record), seat, view)
            return view.tobytes()

    return Leaky(rules.options)


def opponents_card_in_the_notes(row: Rows, seat: Seat, view: Rows) -> None:
    view["mine"]["memory"][0, 31] = row["mine"]["hand"][0, 1 - seat] & 0xFFFF


def next_stock_card_in_the_notes(row: Rows, seat: Seat, view: Rows) -> None:
    if row["pos"][0] < 52:
        view["mine"]["memory"][0, 0] = row["deck"][0, row["pos"][0]]


def opponents_hand_as_known_cards(row: Rows, seat: Seat, view: Rows) -> None:
    view["table"]["known"][0, 1 - seat] = row["mine"]["hand"][0, 1 - seat]


def opponents_deadwood_on_the_table(row: Rows, seat: Seat, view: Rows) -> None:
    view["table"]["points"] = int(row["mine"]["hand"][0, 1 - seat]) % 97


def random_stream_of_the_deck(row: Rows, seat: Seat, view: Rows) -> None:
    view["mine"]["rng"] = int(row["deck"][0].astype(np.int64) @ np.arange(52))


PLANTED = [
    opponents_card_in_the_notes,
    next_stock_card_in_the_notes,
    opponents_hand_as_known_cards,
    opponents_deadwood_on_the_table,
    random_stream_of_the_deck,
]


def assert_leaks(rules: Rules) -> None:
    """Both checks notice that *rules* tell a seat too much."""
    assert_leaks_by_reshuffling(rules)
    assert_leaks_by_folding(rules)


def assert_leaks_by_reshuffling(rules: Rules) -> None:
    with pytest.raises(AssertionError, match="tells them apart"):
        check_by_reshuffling(rules, 1)


def assert_leaks_by_folding(rules: Rules) -> None:
    with pytest.raises(AssertionError, match="in phase"):
        check_by_folding(rules, 1, 3)


@pytest.mark.parametrize("preset", ["eaai", "openspiel"])
@pytest.mark.parametrize("leak", PLANTED)
def test_a_planted_leak_is_caught(leak: Callable[..., None], preset: str) -> None:
    assert_leaks(leaky(gin(preset), leak))


def test_a_leak_in_the_legal_moves_is_caught() -> None:
    last_card: dict[int, int] = {}

    class Telltale(Gin):
        """Remembers more about a position than its view shows, and uses it when the moves are asked for."""

        def view_bytes(self, whole: bytes | memoryview, seat: Seat) -> bytes:
            last_card[-1] = int(np.frombuffer(whole, self.record)["deck"][0, 51])
            return super().view_bytes(whole, seat)

        def observation(self, *parts: Any) -> Observation:
            seen = super().observation(*parts)
            last_card[id(seen.view)] = last_card[-1]
            return seen

        def legal_in(self, view: Rows) -> list[int]:
            codes = super().legal_in(view)
            return codes[:-1] if len(codes) > 1 and last_card[id(view)] % 2 else codes

    with pytest.raises(AssertionError, match="legal moves tell"):
        check_by_reshuffling(Telltale(gin().options), 1)


def test_a_leak_in_the_log_is_caught() -> None:
    class Gossip(Gin):
        def opening(self, row: Rows) -> list[Any]:
            events = super().opening(row)
            return [
                type(e)(e.seat, type(e.action)(e.action.verb, e.secret or e.action.cards), (), False) for e in events
            ]

    with pytest.raises(AssertionError, match="log tells"):
        check_by_reshuffling(Gossip(gin().options), 1)


# --- (d) The view itself ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", list(GAMES))
def test_the_view_has_no_field_for_hidden_cards(game: str) -> None:
    rules = GAMES[game].rules()
    assert rules.view.names == ("table", "mine")
    assert rules.record.names is not None
    hidden = set(rules.record.names) - {"table", "mine"}
    assert hidden in ({"pos", "deck"}, {"pos", "deck", "rng"})
    view = rules.view
    assert view["mine"].shape == (), "one seat's own record, not everybody's"
    assert view["table"] == rules.record["table"]
    assert view["mine"] == rules.record["mine"].base
    assert view.itemsize == view["table"].itemsize + view["mine"].itemsize
    assert "hand" not in (view["table"].names or ())
    assert {"deck", "pos"}.isdisjoint({*(view["table"].names or ()), *(view["mine"].names or ())})


@pytest.mark.parametrize("game", list(GAMES))
def test_there_is_no_way_back_from_an_observation_to_the_table(game: str) -> None:
    state = State.deal(GAMES[game].rules(), 8)
    seen = state.observe(Seat(0))
    memory: Any = seen.view
    while isinstance(memory, np.ndarray | memoryview):
        behind = memory.base if isinstance(memory, np.ndarray) else memory.obj
        if behind is None:
            break
        memory = behind
    assert len(memory) == state.rules.view.itemsize, "the view's memory holds more than the view"
    assert not any(isinstance(getattr(seen, name), State) for name in ("rules", "seat", "view", "log", "codes"))
    assert not hasattr(seen, "__dict__")


# --- (e) Random streams -----------------------------------------------------------------------------------------------


class Gambler(RandomChooser):
    """Draws any number of random numbers before each move."""

    def sit(self, rules: Rules, seat: Seat, rng: np.random.Generator) -> None:
        self.rng = rng

    def act(self, seen: Observation) -> Any:
        self.rng.random(int(self.rng.integers(50)))
        return super().act(seen)


@every_preset
def test_the_players_random_numbers_do_not_move_the_deal(game: str, preset: str) -> None:
    rules = SPECS[game].rules(preset)
    line_up = [*line_ups(game, 3, rules.seats), [Gambler(seat) for seat in range(rules.seats)]]
    matches = [list(islice(play_match(rules, players, 21, pair=4), 8)) for players in line_up]
    assert len({match[0].starter for match in matches}) == 1
    for hand_no in range(max(map(len, matches))):
        decks = {match[hand_no].deck for match in matches if hand_no < len(match)}
        assert decks == {rules.shuffled(21, 4, hand_no)}


@every_preset
def test_another_seed_or_match_number_deals_other_cards(game: str, preset: str) -> None:
    rules = SPECS[game].rules(preset)
    decks = {rules.shuffled(seed, pair, hand) for seed in range(4) for pair in range(4) for hand in range(4)}
    assert len(decks) == 64
