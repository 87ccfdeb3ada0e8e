"""Contract rummy's kernels equal their readable twins."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from contract_tables import Replacer
from helpers import has_words
from properties import contract_reference as reference
from rummylab._jit import kernel
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.records import Record
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract import rules as r
from rummylab.games.contract.evaluate import evaluate
from rummylab.games.contract.options import Contract
from rummylab.games.contract.view import ContractRummy, contract

CONTRACTS = ["2S3", "S3+R4", "2R4", "3S3", "2S3+R4", "S3+2R4", "3R4", "S5+S4", "S3+R7", "R3+S3", "2R3", "2S3+S4"]
HOUSE: dict[str, dict[str, Any]] = {
    "as it is": {},
    "loose": {"wild_neighbors": True, "joined_runs": True},
    "twos natural": {"wild_twos": False, "same_rank": False},
    "two decks": {"decks": 2},
}


@kernel
def laid_down(views, out):
    for i in range(views.shape[0]):
        out[i] = r.can_lay_down(views[i].table, views[i].mine)


def helpful_hand(rng: np.random.Generator, size: int, decks: int = 1) -> Hand:
    """A hand with more wilds, pairs and neighbours than chance would deal."""
    deck = list(Deck.ordered(decks=decks, jokers=2 * decks))
    centre = rng.integers(0, 52)
    weight = [
        6.0
        if card.is_joker or card.rank == 1
        else 1.0 + 4.0 * (abs(card.rank - centre % 13) < 3) + 2.0 * (card.suit == 0)
        for card in deck
    ]
    chosen = rng.choice(len(deck), size, replace=False, p=np.array(weight) / sum(weight))
    return Hand.of((deck[i] for i in chosen), decks=decks)


def nearly(rng: np.random.Generator, asked: Contract, decks: int = 1) -> Hand:
    """A hand with about the melds of a contract, wilds in place of some of their cards, and one card more."""
    deck = list(Deck.ordered(decks=decks, jokers=2 * decks))
    wanted: list[Card] = []
    for size in asked.run_sizes:
        suit, low = int(rng.integers(4)), int(rng.integers(15 - size))
        wanted += [Card(16 * suit + place % 13) for place in range(low, low + size)]
    for size in asked.set_sizes:
        rank = int(rng.integers(13))
        wanted += [Card(16 * (k % 4) + rank) for k in range(size)]
    hand: list[Card] = []
    for card in wanted:
        others = [other for other in deck if other.is_joker or other.rank == 1] or deck
        chosen = card if card in deck and rng.random() < 0.85 else others[int(rng.integers(len(others)))]
        deck.remove(chosen)
        hand.append(chosen)
    return Hand.of([*hand, deck[int(rng.integers(len(deck)))]], decks=2)


def views_of(rules: ContractRummy, hands: list[Hand]) -> np.ndarray:
    """The views of seat 0 with these hands, before it lays down."""
    views = np.zeros(len(hands), r.VIEW)
    asked = rules.options.contracts[0]
    views["table"] = rules.new_rows(1)["table"]
    views["table"]["phase"] = r.PLAY
    views["table"]["sets_left"][:, 0], views["table"]["runs_left"][:, 0] = asked.sets, asked.runs
    views["table"]["n_hand"][:, 0] = [len(hand) for hand in hands]
    for name, field in (("mask", "hand"), ("twice", "twice"), ("jokers", "jokers")):
        views["mine"][field] = [getattr(hand, name) for hand in hands]
    return views


@pytest.mark.parametrize("house", HOUSE)
@pytest.mark.parametrize("text", CONTRACTS)
def test_a_contract_is_found_in_a_hand_where_the_readable_search_finds_it(text: str, house: str) -> None:
    rng = np.random.default_rng(CONTRACTS.index(text))
    rules = contract(contract=text, hand_sizes="13", **HOUSE[house])
    asked = rules.options.contracts[0]
    decks = rules.options.decks
    hands = [helpful_hand(rng, asked.cards + 1, decks) for _ in range(5)]
    hands += [nearly(rng, asked, decks) for _ in range(20)]
    out = np.zeros(len(hands), np.bool_)
    laid_down(views_of(rules, hands), out)
    assert out.tolist() == [reference.has_contract(list(hand), asked, rules.options) for hand in hands]
    assert out.any()
    assert not out.all()


def test_some_hands_hold_a_contract_and_some_do_not() -> None:
    rng = np.random.default_rng(5)
    found = [reference.has_contract(list(helpful_hand(rng, 8)), Contract.parse("2S3", 7)) for _ in range(200)]
    assert 20 < sum(found) < 180


def melds_by_hand(state: State) -> set[str]:
    """Every meld the actor may lay down next, by brute force over its cards."""
    rules = state.rules
    assert isinstance(rules, ContractRummy)
    options, seen = rules.options, state.observe(Seat(state.actor or 0))
    asked, table = rules.contract_of(state.rows()), state.rows()["table"][0]
    sets = asked.set_sizes[asked.sets - int(table["sets_left"][seen.seat]) :]
    runs = asked.run_sizes[asked.runs - int(table["runs_left"][seen.seat]) :]
    own = [k for k in range(int(table["n_melds"])) if table["owner"][k] == seen.seat and table["meld_kind"][k] == r.RUN]
    laid = [(int(table["meld_of"][k]), int(table["meld_low"][k]), int(table["meld_high"][k])) for k in own]
    hand = list(seen.hand)
    legal = set()
    for size in (3, 4):
        for cards in set(combinations(hand, size)):
            left = list(hand)
            for card in cards:
                left.remove(card)
            for kind, sizes in (("set", sets), ("run", runs)):
                is_one = reference.as_set(cards, options) if kind == "set" else reference.as_run(cards, options)
                fits = sizes and is_one and (size == min(sizes[0], 4) if kind == "set" else size <= sizes[0])
                if not fits:
                    continue
                rest = Contract(sets[1:], runs, 0) if kind == "set" else Contract(sets, runs[1:], 0)
                if reference.can_follow(reference.lay(cards, 0, options), sizes[0], left, rest, laid):
                    legal.add("lay down " + " ".join(map(str, sorted(cards))))
    return legal


def additions_by_hand(state: State, meld: reference.Meld) -> set[str]:
    """Every card with which the last meld may grow, by trying them all."""
    rules = state.rules
    assert isinstance(rules, ContractRummy)
    asked, table = rules.contract_of(state.rows()), state.rows()["table"][0]
    rest = Contract(
        asked.set_sizes[asked.sets - table["sets_left"][0] :], asked.run_sizes[asked.runs - table["runs_left"][0] :], 0
    )
    n, hand, size = int(table["n_melds"]), list(state.observe(Seat(0)).hand), len(meld.cards) + int(table["short"])
    runs = [k for k in range(n - 1) if table["meld_kind"][k] == r.RUN]
    laid = [(int(table["meld_of"][k]), int(table["meld_low"][k]), int(table["meld_high"][k])) for k in runs]
    legal = set()
    for card in set(hand):
        for words, below in (("lay off", False), ("lay off low", True)):
            if meld.takes_below(card) if below else meld.takes(card):
                more, left = meld.copy(), list(hand)
                more.add(card, below=below)
                left.remove(card)
                if reference.can_follow(more, size, left, rest, laid):
                    legal.add(f"{words} {card} on meld {n}")
    return legal


def dealt(rules: ContractRummy, hand: Hand) -> State:
    """A table where seat 0 holds *hand* after its first draw."""
    cards, decks = list(hand), rules.options.decks
    others = Counter(Deck.ordered(decks=decks, jokers=decks * rules.options.jokers))
    others.subtract(cards)
    rest = list(others.elements())
    first, second = cards[:-1], rest[: len(cards) - 1]
    order = [card for pair in zip(first, second, strict=True) for card in pair]
    deck = Deck((*order, rest[len(second)], cards[-1], *rest[len(second) + 1 :]))
    state = State.deal(rules, 0, starter=0, deck=deck)
    state.push("draw stock")
    return state


@pytest.mark.parametrize(
    ("text", "decks"), [("2S3", 1), ("S3+R4", 1), ("R3+S3", 2), ("2R4", 2), ("R6", 1), ("S5+S4", 2), ("R5+S3", 2)]
)
def test_legal_melds_and_their_next_cards_are_those_that_leave_the_contract_possible(text: str, decks: int) -> None:
    rng = np.random.default_rng(decks)
    size = Contract.parse(text, 0).cards + 1
    rules = contract(contract=text, hand_sizes=str(size - 1), decks=decks)
    begun = grown = 0
    for _ in range(10):
        state = dealt(rules, nearly(rng, rules.options.contracts[0], decks))
        meld = None
        while state.actor == 0:
            down = {str(action) for action in state.legal_actions if action.verb == "lay down"}
            on = {str(action) for action in state.legal_actions if action.on}
            if state.rows()["table"]["short"][0]:
                assert meld is not None
                assert on == additions_by_hand(state, meld)
                grown += 1
            elif not state.observe(Seat(0)).has_laid_down(Seat(0)):  # type: ignore[attr-defined]
                assert down == melds_by_hand(state)
                begun += bool(down)
            if not (moves := sorted(down | on)):
                break
            action = state.push(moves[int(rng.integers(len(moves)))]).action
            if action.verb == "lay down":
                meld = reference.lay(action.cards, 0, rules.options)
            elif meld is not None and action.on == state.rows()["table"]["n_melds"][0]:
                meld.add(action.cards[0], below=action.verb == "lay off low")
    assert begun > 3
    assert grown > 2 or max(rules.options.contracts[0].set_sizes + rules.options.contracts[0].run_sizes) < 4


@pytest.mark.parametrize("preset", ["contract-7", "liverpool-7"])
def test_lay_offs_are_those_that_the_readable_meld_takes(preset: str) -> None:
    rules = contract(preset, contract="S3+R4", hand_sizes="10")
    n = 0
    for seed in range(20):
        state = State.deal(rules, seed)
        players = [agent("contract", "chinese-heuristic") for _ in range(rules.seats)]
        melds: list[reference.Meld] = []
        while state.actor is not None:
            legal = {str(action) for action in state.legal_actions if action.verb.startswith("lay off")}
            seen = state.observe(state.actor)
            if seen.phase == "play" and seen.has_laid_down(seen.seat):  # type: ignore[attr-defined]
                cards, numbered = set(seen.hand), list(enumerate(melds, start=1))
                expected = {f"lay off {c} on meld {k}" for c in cards for k, meld in numbered if meld.takes(c)}
                expected |= {
                    f"lay off low {c} on meld {k}" for c in cards for k, meld in numbered if meld.takes_below(c)
                }
                assert legal == expected
                n += len(expected)
            elif seen.phase != "lay down":
                assert not legal
            event = state.push(players[state.actor].act(seen))
            if event.action.verb == "lay down":
                melds.append(reference.lay(event.action.cards, int(event.seat), rules.options))
            elif event.action.on:
                melds[event.action.on - 1].add(event.action.cards[0], below=event.action.verb == "lay off low")
    assert n > 30


@pytest.mark.parametrize("preset", ["contract-7", "liverpool-7"])
def test_replacements_are_those_that_the_readable_meld_takes(preset: str) -> None:
    rules = contract(preset, contract="S3+R4", hand_sizes="10", wild_replacement=True)
    n = 0
    for seed in range(12):
        state, player = State.deal(rules, seed), Replacer()
        melds: list[reference.Meld] = []
        while state.actor is not None:
            seen = state.observe(state.actor)
            legal = {str(action) for action in state.legal_actions if action.verb == "replace"}
            may = seen.phase == "play" and seen.has_laid_down(seen.seat) and seen.freed is None  # type: ignore[attr-defined]
            numbered = list(enumerate(melds, start=1)) if may else []
            swaps = {f"replace {c} on meld {k}" for c in set(seen.hand) for k, meld in numbered if meld.replaces(c)}
            assert legal == swaps
            event = state.push(player.act(seen))
            if event.action.verb == "lay down":
                melds.append(reference.lay(event.action.cards, int(event.seat), rules.options))
            elif event.action.verb == "replace":
                n += 1
                assert melds[event.action.on - 1].replace(event.action.cards[0]) == state.observe(event.seat).freed  # type: ignore[attr-defined]
            elif event.action.on:
                melds[event.action.on - 1].add(event.action.cards[0], below=event.action.verb == "lay off low")
        assert state.payoffs() == reference.score(rules.options, state.log)
        names = ["replacer"] * rules.seats
        assert Record.of(state, names).replay().log == state.log
    assert n > 3


@pytest.mark.parametrize("wild_twos", [True, False])
def test_every_meld_with_a_code_is_a_meld_and_every_meld_has_a_code(wild_twos: bool) -> None:
    rules = contract(decks=2, wild_twos=wild_twos)
    melds = [rules.decode(code).cards for code in range(r.SET_CODE, r.REPLACE_CODE) if has_words(rules, code)]
    assert len(set(melds)) == len(melds) > 1000
    for cards in melds:
        assert reference.as_set(cards, rules.options) or reference.as_run(cards, rules.options)
    rng = np.random.default_rng(3)
    known = set(melds)
    for _ in range(200):
        hand = list(helpful_hand(rng, 8, 2))
        for size in (3, 4):
            for cards in combinations(sorted(hand), size):
                if reference.as_set(cards, rules.options) or reference.as_run(cards, rules.options):
                    assert cards in known


def test_what_a_hand_costs_is_the_sum_of_its_cards() -> None:
    options = contract().options
    rng = np.random.default_rng(9)
    for _ in range(50):
        hand = helpful_hand(rng, 8)
        assert evaluate(hand, Contract.parse("2S3", 8)).value.cost == sum(
            reference.cost(card, options) for card in hand
        )
    assert reference.cost(Card.parse("9d"), options) == 5
