"""The preset ``openspiel`` in lock-step with the ``open_spiel`` package: an engine that we did not write.

Every playout deals the same cards to both engines and then plays one random line through both. At every decision
both must name the same player and, after translation, the same moves; at the end the same returns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from helpers import make_deck, mask_of, numbers_of
from properties import reference
from rummylab._jit import kernel
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.melds import min_deadwood
from rummylab.engine.action import Action
from rummylab.engine.state import State
from rummylab.games.gin.eleven import deadwood_by_eleven
from rummylab.games.gin.rules import PHASES
from rummylab.games.gin.view import gin

pyspiel = pytest.importorskip("pyspiel", reason="the test extra's open_spiel is not installed")

DRAW_UPCARD, DRAW_STOCK, PASS, KNOCK, FIRST_MELD = 52, 53, 54, 55, 56
SUITS = "scdh"
N_PLAYOUTS = 1000
BATCHES = 2
CALM, PATIENT, KEEN, GREEDY = range(4)
"""Styles of a playout: any move; sound draws and discards and a knock with gin only; the same but a knock at once;
up-cards whenever there is one, and often thrown back."""
STYLES = [CALM, PATIENT, KEEN, PATIENT, CALM, KEEN, PATIENT, GREEDY]
SMALL = [(4, 3, 3, 6), (5, 3, 4, 6), (9, 1, 2, 5), (4, 2, 2, 2), (13, 2, 5, 10), (13, 4, 7, 10)]
"""Small games: ranks, suits, hand size and knock limit. With four suits and fewer than thirteen ranks OpenSpiel takes
some groups for others, because it numbers melds as if the deck had more suits."""
N_SMALL = 160


# --- Translation ------------------------------------------------------------------------------------------------------


class Both:
    """The same game in both engines, and how OpenSpiel numbers its cards and moves."""

    def __init__(self, ranks: int = 13, suits: int = 4, hand_size: int = 10, knock: int = 10) -> None:
        self.rules = gin("openspiel", ranks=ranks, suits=suits, hand_size=hand_size, knock_limit=knock)
        sizes = {"num_ranks": ranks, "num_suits": suits, "hand_size": hand_size}
        self.start = pyspiel.load_game("gin_rummy", {**sizes, "knock_card": knock}).new_initial_state()
        """A state before the deal: making one takes OpenSpiel milliseconds, a clone does not."""
        self.utils = pyspiel.gin_rummy.GinRummyUtils(ranks, suits, hand_size)
        self.hand_size = hand_size
        in_play = [suit for suit in SUITS if suit in "chsd"[:suits]]
        self.number = {card: ranks * in_play.index(str(card)[1]) + card.rank for card in self.rules.shuffled(0)}

    def translate(self, action: Action) -> int:
        """Return our action as OpenSpiel's number; a knock is translated by the caller."""
        if action.verb in ("draw upcard", "draw stock"):
            return DRAW_UPCARD if action.verb == "draw upcard" else DRAW_STOCK
        if action.verb in ("pass", "done"):
            return PASS
        if action.verb in ("discard", "lay off"):
            return self.number[action.cards[0]]
        assert action.verb == "meld"
        return FIRST_MELD + int(self.utils.meld_to_int(sorted(self.number[card] for card in action.cards)))


FULL = Both()


def theirs(card: Card) -> int:
    return FULL.number[card]


def _meld_list() -> list[tuple[int, ...]]:
    """OpenSpiel's 185 melds by number: groups by rank, then runs of three, four and five."""
    melds: list[tuple[int, ...]] = []
    for rank in range(13):
        four = [13 * suit + rank for suit in range(4)]
        melds += [tuple(c for c in four if c // 13 != lacking) for lacking in range(4)] + [tuple(four)]
    for length in (3, 4, 5):
        for suit in range(4):
            melds += [tuple(range(13 * suit + low, 13 * suit + low + length)) for low in range(14 - length)]
    return melds


MELD_CARDS = _meld_list()


def test_melds_are_numbered_as_openspiel_says() -> None:
    assert len(MELD_CARDS) == 185
    assert all(tuple(sorted(FULL.utils.int_to_meld[i])) == cards for i, cards in enumerate(MELD_CARDS))


# --- Lock-step --------------------------------------------------------------------------------------------------------


class Pair:
    """Both engines on the same cards."""

    def __init__(self, deck: Deck, both: Both = FULL) -> None:
        self.both = both
        self.state = State.deal(both.rules, 0, deck=deck)
        self.other = both.start.clone()
        dealt = 2 * both.hand_size
        for card in [*deck.cards[0:dealt:2], *deck.cards[1:dealt:2], deck.cards[dealt]]:
            self.other.apply_action(both.number[card])

    def check(self) -> list[Action]:
        """Assert that both engines agree on who acts and on what is legal; return the moves that are."""
        if self.state.actor is None:
            assert self.other.is_terminal()
            assert tuple(self.other.returns()) == self.state.payoffs()
            return []
        assert not self.other.is_terminal()
        assert self.other.current_player() == self.state.actor
        actions = list(self.state.legal_actions)
        number, translate = self.both.number, self.both.translate
        legal = {translate(a) for a in actions if a.verb != "knock"}
        knocks = {number[a.cards[0]] for a in actions if a.verb == "knock"}
        if knocks:
            legal.add(KNOCK)
        expected = set(self.other.legal_actions())
        if not knocks and KNOCK in expected and self.both is not FULL:
            # All cards are melded, and no discard leaves little enough. OpenSpiel offers a knock and then no move.
            assert not self.other.child(KNOCK).legal_actions()
            expected.remove(KNOCK)
        assert legal == expected, self.explain(legal, expected)
        if KNOCK in expected:
            child = self.other.child(KNOCK)
            assert set(child.legal_actions()) == knocks
        return actions

    def explain(self, legal: Iterable[int], expected: Iterable[int]) -> str:
        legal, expected = set(legal), set(expected)
        name = self.other.action_to_string
        moves = [str(e.action) for e in self.state.log if e.chosen]
        return (
            f"only ours: {[name(a) for a in legal - expected]}; only theirs: {[name(a) for a in expected - legal]}\n"
            f"deck {self.state.deck}\nmoves {'; '.join(moves)}\n{self.other}"
        )

    def push(self, action: Action) -> None:
        event = self.state.push(action)
        if action.verb == "knock":
            self.other.apply_action(KNOCK)
            self.other.apply_action(self.both.number[action.cards[0]])
        else:
            self.other.apply_action(self.both.translate(action))
        if event.secret:
            assert self.other.is_chance_node()
            self.other.apply_action(self.both.number[event.secret[0]])


def choose(pair: Pair, actions: list[Action], rng: np.random.Generator, style: int) -> Action:
    """Return one of *actions*, by the style of the playout."""
    liked = [] if style == CALM or rng.random() < 0.1 else preferred(pair, rng, style, actions)
    pool = liked or actions
    return pool[int(rng.integers(len(pool)))]


def preferred(pair: Pair, rng: np.random.Generator, style: int, actions: list[Action]) -> list[Action]:
    seat = pair.state.actor
    rows = pair.state.rows()
    hand = numbers_of(rows["mine"]["hand"][0][seat])
    up = int(rows["table"]["up"][0])
    verbs = {a.verb for a in actions}
    if "draw upcard" in verbs:
        card = Card(up).index52
        takes = style == GREEDY or any(card in meld for meld in reference.all_melds(hand | {card}))
        return [a for a in actions if (a.verb == "draw upcard") == takes]
    if style == GREEDY and "discard" in verbs:
        taken = int(rows["table"]["taken"][0])
        back = [a for a in actions if a.verb == "discard" and a.cards[0].id == taken]
        return back if rng.random() < 0.2 else [a for a in actions if a not in back]
    if "discard" in verbs or "knock" in verbs:
        hand |= {Card(up).index52} if "pass" in verbs else set()
        throws = [a for a in actions if a.verb == ("discard" if "discard" in verbs else "knock")]
        left = {a: int(min_deadwood(mask_of(hand - {a.cards[0].index52}))) for a in throws}
        best = [a for a in throws if left[a] == min(left.values())]
        knocks = [a for a in actions if a.verb == "knock" and any(a.cards == b.cards for b in best)]
        return knocks if knocks and (style == KEEN or min(left.values()) == 0 or "pass" in verbs) else best
    return [a for a in actions if a.verb in ("meld", "lay off")]


def playout(number: int, both: Both = FULL) -> Counter[str]:
    """Play one line through both engines, checking at every step; return what happened in it."""
    rng = np.random.default_rng([2024, number])
    pair = Pair(both.rules.shuffled(number) if both is not FULL else Deck.shuffled(number), both)
    style = STYLES[number // BATCHES % len(STYLES)]
    happened: Counter[str] = Counter()
    while True:
        actions = pair.check()
        if not actions:
            break
        action = choose(pair, actions, rng, style)
        happened[f"{PHASES[int(pair.state.rows()['table']['phase'][0])]}: {action.verb}"] += 1
        pair.push(action)
    happened[pair.state.result["outcome"]] += 1
    return happened


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_playouts_agree_step_by_step(batch: int) -> None:
    happened: Counter[str] = Counter()
    for number in range(batch, N_PLAYOUTS, BATCHES):
        happened += playout(number)
    for kind in (
        "offer: pass",
        "offer: draw upcard",
        "offer: draw stock",
        "draw: draw upcard",
        "discard: knock",
        "spread: meld",
        "spread: done",
        "lay off: lay off",
        "lay off: done",
        "defend: meld",
        "defend: done",
        "wall: pass",
        "wall: knock",
        "knock",
        "gin",
        "undercut",
        "cancelled",
    ):
        assert happened[kind] > 0, f"no {kind} in this batch: {happened}"


@pytest.mark.parametrize(("ranks", "suits", "hand_size", "knock"), SMALL)
def test_small_games_agree_step_by_step(ranks: int, suits: int, hand_size: int, knock: int) -> None:
    both, happened = Both(ranks, suits, hand_size, knock), Counter[str]()
    for number in range(N_SMALL):
        happened += playout(number, both)
    has_melds = hand_size >= 3
    for kind in ("draw: draw upcard", "discard: knock", "knock", "cancelled", *(["spread: meld"] if has_melds else [])):
        assert happened[kind] > 0, f"no {kind}: {happened}"


# --- Corners that random play seldom reaches --------------------------------------------------------------------------


def follow(deck: Deck, moves: str) -> Pair:
    """Play *moves* through both engines, checking at every step."""
    pair = Pair(deck)
    for move in moves.split(";"):
        pair.check()
        pair.push(Action.parse(move))
    pair.check()
    return pair


DULL = make_deck("Ac 4c 8c Qc 2h 6h Th 3s 7s Js", "2c 6c Tc 4h 8h Qh As 5s 9s Ks", "Kd", "Jd Qd 9d")


def test_fifty_up_card_draws_end_the_hand_in_both() -> None:
    pair = Pair(DULL)
    for move in ("pass", "pass", "draw stock", "discard Jd"):
        pair.check()
        pair.push(Action.parse(move))
    n = 0
    while pair.state.actor is not None:
        pair.check()
        pair.push(Action.parse("draw upcard"))
        n += 1
        if pair.state.actor is not None:
            taken = int(pair.state.rows()["table"]["taken"][0])
            pair.push(next(a for a in pair.state.legal_actions if a.verb == "discard" and a.cards[0].id != taken))
    pair.check()
    assert n == 50


@pytest.mark.parametrize(
    ("moves", "over"),
    [
        ("draw upcard; discard Kd; draw upcard; discard Kd", True),
        ("pass; draw upcard; discard Kd; draw upcard; discard Kd", True),
        ("draw upcard; discard Kd; draw upcard; discard Qh; draw upcard; discard Qh", False),
        ("draw upcard; discard Kd; draw stock; discard Jd; draw upcard; discard Jd; draw upcard; discard Jd", True),
    ],
)
def test_up_cards_thrown_back_twice_in_a_row_end_the_hand_in_both(moves: str, over: bool) -> None:
    assert (follow(DULL, moves).state.actor is None) == over


def test_a_tie_pays_nothing_in_both() -> None:
    deck = make_deck("Ac 2c 3c 7h 7s 7d Tc Jc Qc 5h", "8h 8s 8d 9h 9s 9d Th Ts Td 5d", "Kd", "Ks")
    moves = "pass; pass; draw stock; knock Ks; meld Ac 2c 3c; meld 7h 7s 7d; meld Tc Jc Qc; done; done"
    pair = follow(deck, f"{moves}; meld 8h 8s 8d; meld 9h 9s 9d; meld Th Ts Td; done")
    assert pair.state.result["outcome"] == "tie"


def test_a_third_card_in_a_row_may_not_be_laid_off_in_openspiel() -> None:
    deck = make_deck("2c 3c 4c 9h 9s 9d Tc Jc Qc Ah", "5c 6c 7c 2h 4h 8h 3s 8s Ks Jd", "Kd", "Kh")
    moves = (
        "pass; pass; draw stock; knock Kh; meld 2c 3c 4c; meld Tc Jc Qc; meld 9h 9s 9d; done; lay off 5c; lay off 6c"
    )
    pair = follow(deck, moves)
    assert theirs(Card.parse("7c")) not in pair.other.legal_actions()
    assert Action.parse("lay off 7c") not in pair.state.legal_actions


def test_a_knock_is_offered_by_the_best_melds_of_eleven_cards_in_openspiel() -> None:
    # Throwing 6h leaves 4c 5c 6c, 3d 4d 5d 6d and 9 points; OpenSpiel starts from another arrangement and finds 11.
    deck = make_deck("3d 3s 4c 4d 5c 5d 5s 6c 6d 6h", "2c 8c Qc 8h Th Kh 7s 9s Js Qd", "Kd", "Ad")
    pair = follow(deck, "pass; pass; draw stock")
    assert KNOCK not in pair.other.legal_actions()
    assert not any(action.verb == "knock" for action in pair.state.legal_actions)


@kernel
def _by_eleven(hands, out):  # type: ignore[no-untyped-def]
    for i in range(hands.shape[0]):
        out[i] = deadwood_by_eleven(hands[i])


@pytest.mark.parametrize("top", [5, 7, 10, 13])
def test_eleven_cards_are_judged_exactly_as_openspiel_judges_them(top: int) -> None:
    rng = np.random.default_rng(top)
    pool = [card for card in Deck.ordered() if card.rank < top]
    hands = [[pool[i] for i in rng.permutation(len(pool))[:11]] for _ in range(3000)]
    out = np.empty(len(hands), np.int64)
    _by_eleven(np.array([sum(1 << card.id for card in hand) for hand in hands], np.int64), out)
    assert out.tolist() == [FULL.utils.min_deadwood([theirs(card) for card in hand]) for hand in hands]
