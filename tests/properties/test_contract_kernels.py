"""Contract rummy's kernels equal their readable twins."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from helpers import RandomChooser
from properties import contract_reference as reference
from rummylab._jit import kernel
from rummylab.agents.registry import agent
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.contract import rules as r
from rummylab.games.contract.game import ContractRummy, chinese
from rummylab.games.contract.hand import evaluate
from rummylab.games.contract.melds import TWOS, can_complete
from rummylab.games.contract.options import Contract

CONTRACTS = ["2S3", "S3+R4", "2R4", "3S3", "2S3+R4", "S3+2R4", "3R4", "2S4", "R3+S3", "2R3"]


@kernel
def complete(hands, jokers, goal, same_rank, out):
    for i in range(hands.shape[0]):
        wilds = r.n_wilds(hands[i], jokers[i])
        out[i] = can_complete(hands[i] & ~TWOS, wilds, goal[0], goal[1], goal[2], goal[3], same_rank, np.int64(0))


def helpful_hand(rng: np.random.Generator, size: int) -> Hand:
    """A hand with more wilds, pairs and neighbours than chance would deal."""
    deck = list(Deck.ordered(jokers=2))
    centre = rng.integers(0, 52)
    weight = [
        6.0
        if card.is_joker or card.rank == 1
        else 1.0 + 4.0 * (abs(card.rank - centre % 13) < 3) + 2.0 * (card.suit == 0)
        for card in deck
    ]
    chosen = rng.choice(len(deck), size, replace=False, p=np.array(weight) / sum(weight))
    return Hand.of(deck[i] for i in chosen)


@pytest.mark.parametrize("same_rank", [True, False])
@pytest.mark.parametrize("text", CONTRACTS)
def test_a_contract_is_found_in_a_hand_where_the_readable_search_finds_it(text: str, same_rank: bool) -> None:
    rng = np.random.default_rng(CONTRACTS.index(text))
    contract = Contract.parse(text, 12)
    size = min(contract.cards + 1, 10)
    hands = [helpful_hand(rng, max(size, contract.cards)) for _ in range(60)]
    masks, jokers = (np.array(column, np.int64) for column in zip(*((h.mask, h.jokers) for h in hands), strict=True))
    goal = np.array([contract.sets, contract.set_size, contract.runs, contract.run_size], np.int64)
    out = np.zeros(len(hands), np.bool_)
    complete(masks, jokers, goal, same_rank, out)
    expected = [reference.has_contract(list(hand), contract, None if same_rank else ()) for hand in hands]
    assert out.tolist() == expected


def test_some_hands_hold_a_contract_and_some_do_not() -> None:
    rng = np.random.default_rng(5)
    found = [reference.has_contract(list(helpful_hand(rng, 8)), Contract.parse("2S3", 7)) for _ in range(200)]
    assert 20 < sum(found) < 180


def melds_by_hand(state: State) -> set[str]:
    """Every meld the actor may lay down next, by brute force over its cards."""
    rules = state.rules
    assert isinstance(rules, ContractRummy)
    seen = state.observe(Seat(state.actor or 0))
    contract, table = rules.contract_of(state.rows()), state.rows()["table"][0]
    sets, runs = int(table["sets_left"][seen.seat]), int(table["runs_left"][seen.seat])
    hand = list(seen.hand)
    legal = set()
    for size in {contract.set_size, contract.run_size}:
        for cards in set(combinations(hand, size)):
            a_set = bool(sets) and size == contract.set_size and reference.as_set(cards)
            a_run = bool(runs) and size == contract.run_size and reference.as_run(cards) is not None
            if a_set or a_run:
                rest = list(hand)
                for card in cards:
                    rest.remove(card)
                left = Contract(sets - a_set, contract.set_size, runs - a_run, contract.run_size, 12)
                if reference.has_contract(rest, left):
                    legal.add("meld " + " ".join(map(str, sorted(cards))))
    return legal


@pytest.mark.parametrize("text", ["2S3", "S3+R4", "R3+S3"])
def test_legal_melds_are_those_that_leave_the_contract_possible(text: str) -> None:
    rules = chinese(contract=text, hand_sizes="9")
    found = compared = 0
    for seed in range(60):
        state = State.deal(rules, seed)
        players = [agent("chinese", "chinese-heuristic"), RandomChooser(seed)]
        for i, player in enumerate(players):
            player.sit(rules, Seat(i), np.random.default_rng(seed))
        while state.actor is not None and compared < 80:
            if state.observe(state.actor).phase in ("play", "lay down"):  # type: ignore[attr-defined]
                table = state.rows()["table"][0]
                if table["sets_left"][state.actor] or table["runs_left"][state.actor]:
                    melds = {str(action) for action in state.legal_actions if action.verb == "meld"}
                    if melds or compared % 3 == 0:
                        assert melds == melds_by_hand(state)
                        found += bool(melds)
                    compared += 1
            state.push(players[state.actor].act(state.observe(state.actor)))
    assert found > 5


def test_lay_offs_are_those_that_the_readable_meld_takes() -> None:
    rules = chinese("contract7", contract="S3+R4", hand_sizes="10")
    n = 0
    for seed in range(40):
        state = State.deal(rules, seed)
        players = [agent("chinese", "chinese-heuristic")] * 2
        melds: list[reference.Meld] = []
        while state.actor is not None:
            legal = {str(action) for action in state.legal_actions if action.verb == "lay off"}
            seen = state.observe(state.actor)
            if seen.phase == "play" and seen.has_laid_down(seen.seat):  # type: ignore[attr-defined]
                expected = {
                    f"lay off {card} on meld {k}"
                    for card in set(seen.hand)
                    for k, meld in enumerate(melds, start=1)
                    if meld.takes(card)
                }
                assert legal == expected
                n += len(expected)
            else:
                assert not legal
            event = state.push(players[state.actor].act(seen))
            if event.action.verb == "meld":
                melds.append(reference.lay(event.action.cards, int(event.seat)))
            elif event.action.verb == "lay off":
                melds[event.action.on - 1].add(event.action.cards[0])
    assert n > 30


def test_every_meld_with_a_code_is_a_meld_and_every_meld_has_a_code() -> None:
    rules = chinese()
    melds = [rules.decode(code).cards for code in range(r.SET_CODE, r.N_CODES) if _has_words(rules, code)]
    assert len(set(melds)) == len(melds) > 3000
    for cards in melds:
        assert reference.as_set(cards) or reference.as_run(cards)
    rng = np.random.default_rng(3)
    known = set(melds)
    for _ in range(300):
        hand = list(helpful_hand(rng, 8))
        for size in (3, 4):
            for cards in combinations(sorted(hand), size):
                if reference.as_set(cards) or reference.as_run(cards):
                    assert cards in known


def _has_words(rules: ContractRummy, code: int) -> bool:
    try:
        rules.decode(code)
    except ValueError:
        return False
    return True


def test_what_a_hand_costs_is_the_sum_of_its_cards() -> None:
    options = chinese().options
    rng = np.random.default_rng(9)
    for _ in range(50):
        hand = helpful_hand(rng, 8)
        assert evaluate(hand, Contract.parse("2S3", 8)).value.cost == sum(
            reference.cost(card, options) for card in hand
        )
    assert reference.cost(Card.parse("9d"), options) == 5
