"""The published program's agents, its defect, Fig. 4, and draws to declaration: what the Indian study adds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rummylab.cards.bits import to_ids
from rummylab.cards.card import JOKER_ID
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.errors import OptionError
from rummylab.games.indian.deals import random_hands
from rummylab.games.indian.evaluate import wild_rank
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.view import indian
from rummylab.learning import indian_waits
from rummylab.studies.indian.diagram import Transitions, draw, tree
from rummylab.studies.indian.published import AGENTS, PICK_UPS, PublishedStep, PublishedTask, play_published

IV_A = "3c 4c 5c 6c 9h Th Jh 4d 4h 4s Ks Kh 7s"


# --- The published program --------------------------------------------------------------------------------------------


def cards_in_play(row: np.void) -> Counter[int]:
    """Every card at the end of a deal: hands, open pile, stock, indicator."""
    table, cards = row["table"], Counter([int(row["table"]["indicator"])])
    for seat in range(2):
        mine = row["mine"][seat]
        cards.update([*to_ids(int(mine["hand"])), *to_ids(int(mine["twice"])), *[JOKER_ID] * int(mine["jokers"])])
    cards.update(map(int, table["stack"][: table["n_pile"]]))
    cards.update(map(int, row["deck"][row["pos"] : row["pos"] + table["stock"]]))
    return cards


@pytest.mark.parametrize(("agent", "pick_up"), [(a, p) for a in AGENTS for p in PICK_UPS])
def test_only_the_defect_of_the_two_best_agents_doubles_and_destroys_cards(agent: str, pick_up: str) -> None:
    everything = Counter(card.id for card in Deck.ordered(decks=1, jokers=1))
    doubled = 0
    for deal in range(40):
        rows = indian("paper").new_rows(1)
        play_published(rows, PublishedTask("paper", agent, agent, pick_up, 3, deal, 1))
        found = cards_in_play(rows[0])
        assert found.total() == everything.total()
        doubled += found != everything
        if found != everything:
            assert (found - everything).total() == (everything - found).total()
    assert (doubled > 0) == (agent in AGENTS[2:] and pick_up == "defect")


def test_the_program_ranks_mindist_opp_above_mindist_score() -> None:
    """What the paper printed (.54), and what the agents of its text do not do."""
    step = PublishedStep(name="published", game="indian", rules="paper", seed=1, games=1500)
    pairs = [("mindist-opp", "mindist-score"), ("mindist-score", "mindist-opp")]
    rows = [np.concatenate([step.WORK(task).rows for task in step.tasks() if task[1:3] == pair]) for pair in pairs]
    wins = (np.mean(rows[0]["winner"] == 0) + np.mean(rows[1]["winner"] == 1)) / 2
    assert 0.515 < wins < 0.575


def test_an_unknown_pick_up_is_refused() -> None:
    with pytest.raises(OptionError, match="pick_up is 'none', but must be one of: defect, throws the cheapest"):
        PublishedStep(name="published", game="indian", pick_up="none")


# --- Fig. 4 -----------------------------------------------------------------------------------------------------------


def test_the_diagrams_recursion_is_minscore() -> None:
    for once, twice, jokers, wild in random_hands(8, seed=5, printed_jokers=2).tolist():
        states = Transitions(Hand(once, twice, jokers), wild)
        assert states.value(states.all_cards, 0) == min_score(once, twice, jokers, wild, False)


def test_the_diagram_shows_where_the_papers_27_comes_from(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    hand, wild = Hand.parse(IV_A), wild_rank("3")
    root = tree(Transitions(hand, wild))
    branches = {" ".join(map(str, child.meld)): child.value for child in root.children}
    assert branches["4c 5c 6c"] == 7
    assert branches["3c 4c 5c 6c"] == 27
    assert draw(hand, wild, tmp_path / "fig4.svg") == 7
    assert (tmp_path / "fig4.svg").stat().st_size > 5_000


# --- Draws to declaration ---------------------------------------------------------------------------------------------


def test_expected_draws_are_within_15_percent_of_self_play() -> None:
    hands = indian_waits.hands_of_self_play(400, seed=12)
    for line in indian_waits.lines(hands):
        assert abs(line.off) < 0.15, f"MinDist {line.label}: {line.formula:.1f} against {line.draws:.1f} draws"
    by_outs = {line.label: line for line in indian_waits.lines_by_outs(hands, least=60)}
    assert by_outs["1, 0-4 outs"].draws > by_outs["1, 7-9 outs"].draws + 0.5, "outs tell hands of equal MinDist apart"
    for line in by_outs.values():
        assert abs(line.formula - line.draws) < 1.0


def test_a_wait_that_the_opponent_cut_short_counts_as_long_as_it_was_seen() -> None:
    draws, none = np.full(200, 3), np.full(200, -1)
    assert indian_waits.kaplan_meier_mean(draws, none) == 3
    cut = np.where(np.arange(200) < 100, 2, -1)
    assert indian_waits.kaplan_meier_mean(draws, cut) == 3, "all who were still waiting declared at the third draw"
