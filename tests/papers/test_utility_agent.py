"""What the agent of the opponent-hand paper does, sentence by sentence; test_utility_values.py has its utilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

import numpy as np
import pytest

from helpers import make_deck, numbers, push
from properties import reference
from properties import utility_reference as twin
from rummylab.agents.gin import utility
from rummylab.agents.gin.utility import load_artifact
from rummylab.agents.gin.utility_policy import NETWORK, P, UtilityOptions
from rummylab.agents.registry import agent
from rummylab.beliefs.gin import network
from rummylab.cards.card import Card
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.state import State
from rummylab.errors import ArtifactError, OptionError
from rummylab.games.gin.view import gin

PRINTED = UtilityOptions()
QUICK = replace(PRINTED, samples=5)
MODEST = replace(PRINTED, meld_bonus=0.3, combination_bonus=0.5)


def player(options: UtilityOptions) -> CompiledAgent:
    return utility.act.with_options(options, "utility under test")


def believer(options: UtilityOptions, belief: Sequence[float]) -> CompiledAgent:
    """An agent that believes *belief* of the unseen cards: its network has no weights but the last biases."""
    tensors = {name: np.zeros(shape, np.float32) for name, shape in network.SHAPES.items()}
    chances = np.clip(np.asarray(belief, np.float64), 1e-12, 1 - 1e-12)
    tensors["layer3.bias"][:] = np.log(chances / (1 - chances))
    weights = utility.with_network(replace(options, belief=NETWORK), network.Network(tensors, {}))
    return CompiledAgent("believer", utility.act.kernel, weights)


def choice(state: State, options: UtilityOptions = QUICK, seed: int = 0, belief: Sequence[float] | None = None) -> str:
    """What the agent does in *state*, with the uniform belief or *belief*."""
    someone = player(options) if belief is None else believer(options, belief)
    someone.sit(state.rules, state.actor, np.random.default_rng(seed))
    return str(someone.act(state.observe(state.actor)))


def deal(hand: str, other: str, up: str, stock: str = "", **options) -> State:
    return State.deal(gin(**options), 0, starter=0, deck=make_deck(hand, other, up, stock))


# --- Drawing ------------------------------------------------------------------------------------------------------

DULL = "2h 6h Qh 4s 9s Js 8d Kh 9c Qs"


def test_an_up_card_that_lowers_the_deadwood_is_always_taken() -> None:
    state = deal("7c 7h 2d 4c 6s 9h Jd Kd Ac Qd", DULL, "7s")
    shy = replace(QUICK, take_margin=1e6)
    assert choice(state, shy) == "draw upcard"


def test_otherwise_the_better_of_up_card_and_stock_is_taken() -> None:
    state = deal("7c 8h 2d 4c 6s 9h Jd Kd Ac Qd", "2h 6h Qh 4s 9s Js 8d Kh 9c Qs", "Ks")
    assert choice(state) == "pass"
    eager = replace(QUICK, take_margin=-1e6)
    assert choice(state, eager) == "draw upcard"
    # An ace for a king: little deadwood is worth much.
    low = deal("7c 8h 2d 4c 6s 9h Jd Kd Kc Qd", DULL, "As")
    assert choice(low, replace(QUICK, meld_bonus=0, combination_bonus=0, low_card_bonus=0)) == "draw upcard"


def certain(cards: Iterable[int], others: float = 0.0) -> list[float]:
    """The belief that the opponent holds *cards*, and each other card with the chance *others*."""
    return [1.0 if card in cards else others for card in range(52)]


@pytest.mark.parametrize(
    ("hand", "theirs", "up", "others"),
    [
        ("7c 8h 2d 4c 6s 9h Jd Kd Ac Qd", "7h 7s 7d 8c 8s 8d 6h Jc Js Jh", "5c", 0.0),  # they hold all that would help
        ("7c 8h 2d 4c 6s 9h Jd Kd Ac Qd", "7h 7s 7d 8c 8s 8d 6h Jc Js Jh", "Ks", 0.2),  # not to be thrown at once
        ("Ac 2c 3c 7d 7h 7s 4h 5h Kd As", "Kc Kh Ks 6h 3h 2h Qc Jc Tc 9c", "5c", 0.2),  # one card away from knocking
        ("Ac 2c 3c 7d 7h 7s Td Jd 9h Kc", "Qd 9d 8d Ks Kh Kd 9s 9c 4h 5h", "5c", 0.0),
    ],
)
def test_the_stock_is_worth_the_average_over_the_unseen_cards_weighted_by_the_chance_to_be_in_it(
    hand: str, theirs: str, up: str, others: float
) -> None:
    """The margin by which the up-card must be better tells how much better the agent finds it."""
    state = deal(hand, theirs, up)
    belief = [0.0 if c in numbers(f"{hand} {up}") else p for c, p in enumerate(certain(numbers(theirs), others))]
    taken, stock = twin.draw_values(numbers(hand), *numbers(up), frozenset(), belief, 10, PRINTED)
    _, unweighted = twin.draw_values(numbers(hand), *numbers(up), frozenset(), [0.0] * 52, 10, PRINTED)
    assert abs(stock - unweighted) > 0.05  # the belief matters
    better = taken - stock
    assert choice(state, replace(QUICK, take_margin=better - 0.01), belief=belief) == "draw upcard"
    assert choice(state, replace(QUICK, take_margin=better + 0.01), belief=belief) == "pass"


# --- Discarding ---------------------------------------------------------------------------------------------------


def test_the_dearest_card_goes_and_the_agent_knocks_as_soon_as_it_can() -> None:
    state = push(deal("Ac 2c 3c 4c 7d 7h 7s 3s Ad 5h", DULL, "Td", "Qd"), "pass; pass; draw stock")
    assert choice(state) == "knock Qd"


def test_of_melded_cards_one_is_thrown_that_leaves_all_melded() -> None:
    hand = "Ac 2c 3c 7d 7h 7s Td Jd Qd Kd"  # with the nine only the ends of the long run can be spared
    state = push(deal(hand, DULL, "Tc", "9d", big_gin_bonus=0), "pass; pass; draw stock")
    assert choice(state) in ("knock 9d", "knock Kd")


# A hand after Figure 2 of the paper: melds, an eight and a king that are about equally useless to the agent itself.
FIGURE_2 = "3h 4h 5h 5d 6d 7d 8c Ks Js 2c"


def test_without_the_opponent_the_card_of_the_least_loss_is_thrown() -> None:
    state = push(deal(FIGURE_2, "Kc Kh 2h Th 4s 9s Td Ah 9c Qs", "Kd", "8h"), "pass; pass; draw stock")
    free = twin.free_chances([10 / 40 if c not in numbers(FIGURE_2 + " 8h Kd") else 0.0 for c in range(52)])
    cards = numbers(FIGURE_2 + " 8h")
    pile = numbers("Kd")
    loose = twin.loose_cards(cards, pile, free, PRINTED)
    values = {c: twin.hand_utility(loose - {c}, cards - loose, pile | {c}, 10, free, PRINTED, 1.0) for c in loose}
    best = max(values, key=values.__getitem__)
    alone = replace(PRINTED, opp_util_importance=0)
    assert numbers(choice(state, alone).split()[1]) == {best}


def test_the_card_with_the_highest_hand_utility_less_the_weighted_gain_of_the_opponent_is_discarded() -> None:
    rng = np.random.default_rng(12)
    options = replace(MODEST, samples=2)
    moved = 0
    while moved < 3:  # positions in which the opponent decides
        deck = [int(card) for card in rng.permutation(52)]
        ten, theirs, up, drawn = (frozenset(deck[i:j]) for i, j in ((0, 10), (10, 20), (20, 21), (21, 22)))
        cards = ten | drawn
        if len(twin.meldings(cards)) > 1 or reference.best_discards(cards, cards)[1] <= 10:
            continue
        utilities = twin.discard_utilities(cards, up, certain(theirs), 10, options)
        stock = frozenset(range(52)) - cards - up - theirs
        gain = twin.opponent_gains(theirs, utilities, up, stock, 10, options)
        values = {card: utility - options.opp_util_importance * gain[card] for card, utility in utilities.items()}
        best, second = sorted(values, key=values.__getitem__, reverse=True)[:2]
        if values[best] - values[second] > 0.01:
            state = push(deal(*map(spelled, (ten, theirs, up, drawn))), "pass; pass; draw stock")
            assert numbers(choice(state, options, belief=certain(theirs)).split()[1]) == {best}
            moved += best != max(utilities, key=utilities.__getitem__)


def spelled(cards: Iterable[int]) -> str:
    return " ".join(str(Card.from_index52(card)) for card in cards)


# --- Appendix B ---------------------------------------------------------------------------------------------------


def knockable_state() -> State:
    return push(deal("Ac 2c 3c 4c 7d 7h 7s 3s As 4h", DULL, "Td", "Qd"), "pass; pass; draw stock")  # eight points


def test_when_the_opponent_seems_close_only_little_deadwood_knocks() -> None:
    wary = replace(QUICK, close=1000, careful_limit=6)
    assert choice(knockable_state()).startswith("knock")
    assert choice(knockable_state(), wary).startswith("discard")
    assert choice(knockable_state(), replace(wary, careful_limit=8)).startswith("knock")
    assert choice(knockable_state(), replace(wary, close=0)).startswith("knock")


def test_a_knock_must_be_worth_its_price_over_the_sampled_hands() -> None:
    """Ours: hands drawn at random have some 50 points left, so a knock is worth about 40, and never 90."""
    assert choice(knockable_state(), replace(QUICK, knock_value=10)).startswith("knock")
    assert choice(knockable_state(), replace(QUICK, knock_value=90)).startswith("discard")
    gin_hand = push(deal("Ac 2c 3c 4c 7d 7h 7s Td Jd Kc", DULL, "Tc", "Qd"), "pass; pass; draw stock")
    assert choice(gin_hand, replace(QUICK, knock_value=90)) == "knock Kc"


def test_then_the_dearest_card_is_no_longer_forced() -> None:
    odd = replace(QUICK, meld_bonus=0, combination_bonus=0, deadwood_bonus=-1, opp_util_importance=0, knock_bonus=0)
    wary = replace(odd, close=1000)
    assert choice(knockable_state(), wary) == "discard Qd"
    assert choice(knockable_state(), replace(wary, free_discard=1)) == "discard As"


def test_gin_is_shown_at_any_time() -> None:
    state = push(deal("Ac 2c 3c 7d 7h 7s 9h Th Jh Kd", DULL, "Td", "8h"), "pass; pass; draw stock")
    assert choice(state, replace(QUICK, close=1000, careful_limit=0, knock_from=0)) == "knock Kd"


@pytest.mark.parametrize(
    ("knocker", "melding"),
    [
        ("7s 8s 9s Ac 2c 3c Qh Qd Qc 2d", "meld 5h 5s 5d"),  # then the six of spades goes onto 7-8-9
        ("2h 3h 4h Ac 2c 3c Qh Qd Qc 2d", "meld 4s 5s 6s"),  # then the five of hearts goes onto 2-3-4
    ],
)
def test_the_defender_chooses_the_melding_that_maximizes_what_it_can_lay_off(knocker: str, melding: str) -> None:
    state = push(deal(knocker, "4s 5s 6s 5h 5d Th Jc Kh Kc 9d", "Tc", "Kd"), "pass; pass; draw stock; knock Kd")
    while state.actor == 0:
        push(state, choice(state))
    assert choice(state, replace(QUICK, defend_well=1)) == melding


@pytest.mark.parametrize(
    ("up", "low", "melding"),
    [
        (
            "3c",
            -100,
            {"meld 9h Th Jh Qh Kh", "meld 3h 3s 3d"},
        ),  # with the last three gone nothing can be laid off on threes
        ("5s", 100, {"meld 9h Th Jh Qh Kh", "meld 2s 3s 4s"}),  # on the run only the ace can be laid off
    ],
)
def test_the_knocker_chooses_the_melding_that_minimizes_what_the_opponent_can_lay_off(
    up: str, low: float, melding: set[str]
) -> None:
    """The low card bonus makes the other melding the one of the highest utility."""
    hand = "2s 3s 4s 3h 3d 9h Th Jh Qh Kh"
    state = push(deal(hand, "2c 6c 8c Tc 4d 7d 9d 6s 8s Js", up, "Kd"), "pass; pass; draw stock; knock Kd")
    laid = set()
    while state.actor == 0:
        word = choice(state, replace(QUICK, spread_well=1, low_card_bonus=low))
        push(state, word)
        laid.add(word)
    assert laid - {"done"} == melding


# --- The options --------------------------------------------------------------------------------------------------


def test_names_and_places_agree() -> None:
    for place, (name, value) in enumerate(utility.PATIENT.numbers().items()):
        assert getattr(P, name) == place
        assert agent("gin", "utility-patient").params[place] == np.float32(value)


@pytest.mark.parametrize("wrong", [{"samples": 1001}, {"samples": -1}, {"haste": float("nan")}])
def test_options_that_are_no_numbers_or_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        UtilityOptions(**wrong)


def test_the_artifact_of_the_agent_loads_and_a_damaged_one_is_refused(tmp_path) -> None:
    import json

    assert load_artifact(utility.ARTIFACT) == utility.act.declaration.options
    good = json.loads(utility.ARTIFACT.read_text())
    assert set(good["options"]) == set(asdict(PRINTED))
    path = tmp_path / "utility.json"
    for bad in ("{", "[]", json.dumps({**good, "version": 99}), json.dumps({**good, "options": {"samples": 1}})):
        path.write_text(bad)
        with pytest.raises(ArtifactError, match=r"utility\.json"):
            load_artifact(path)
