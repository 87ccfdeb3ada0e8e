"""What is shown about a discard is what the agent decided by."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

from rummylab.agents.gin.utility_explain import DiscardValue, explain
from rummylab.agents.gin.utility_policy import WEIGHTS, P
from rummylab.agents.registry import agent
from rummylab.engine.action import Action
from rummylab.errors import OptionError
from rummylab.games.gin.view import gin
from rummylab.studies.opponent_hand.walkthrough import Watched, discards

BELIEFS = [f"utility-dnn(belief={belief} samples=12)" for belief in range(4)]
KINDS = [f"utility-dnn(belief=3 opponent_kind={kind} samples=12)" for kind in (1, 2)]


@cache
def decisions(name: str) -> list[tuple[Any, Action, list[DiscardValue]]]:
    """The first discards of the agent in a game: its view, what it threw, and what is shown about it."""
    watched = Watched(name)
    found = []
    for state, _, view, action in islice(discards(3, watched), 25):
        assert view["mine"]["hand"][0] == state.observe(state.actor).view["mine"]["hand"][0]  # type: ignore[arg-type]
        found.append((view, action, explain(view, watched.params)[1]))
    return found


@pytest.mark.parametrize("name", [*BELIEFS, *KINDS])
def test_the_agent_throws_the_card_that_is_shown_as_best(name: str) -> None:
    shown = [(throws[0].card, action.cards[0]) for _, action, throws in decisions(name) if throws]
    assert len(shown) > 20
    assert all(best == thrown for best, thrown in shown)


@pytest.mark.parametrize("name", BELIEFS)
def test_the_gain_that_is_shown_is_the_gain_that_was_used(name: str) -> None:
    """From the numbers shown follows the weight of the gain at which the choice between two cards turns: it does."""
    found, rules, turned = agent("gin", name), gin("eaai"), 0
    for view, _, throws in decisions(name):
        for weight, before, after in turning_points(throws):
            for factor, card in ((0.998, before), (1.002, after)):
                params = found.params.copy()
                params[P.opp_util_importance] = weight * factor
                mine = view.copy()
                code = found.kernel(mine[0]["table"], mine[0]["mine"], params)
                assert rules.decode(int(code)).cards == (card,)
            turned += 1
    assert turned >= 5


def turning_points(throws: list[DiscardValue]) -> list[tuple[float, Any, Any]]:
    """The first weight at which another card than that of the highest utility becomes best, if it lies in bounds."""
    first = max(throws, key=lambda throw: throw.utility, default=None)
    rivals = [throw for throw in throws if first is not None and throw.gain < first.gain]
    if first is None or not rivals:
        return []
    points = sorted(((first.utility - r.utility) / (first.gain - r.gain), r.card) for r in rivals)
    weight, card = points[0]
    clear = weight > 0.01 and (len(points) == 1 or points[1][0] > 1.01 * weight)
    return [(weight, first.card, card)] if clear and weight < 50 else []


def test_more_samples_make_steadier_numbers_of_the_same_belief() -> None:
    view, _, few = decisions(BELIEFS[2])[5]
    params = agent("gin", BELIEFS[2]).params
    (belief, many), (again, more) = explain(view, params, samples=500), explain(view, params, samples=1000)
    np.testing.assert_array_equal(belief, again)
    gains = [{throw.card: throw.gain for throw in throws} for throws in (many, more)]
    assert set(gains[0]) == {throw.card for throw in few}
    for card, gain in gains[1].items():
        assert gains[0][card] == pytest.approx(gain, abs=0.25)


def test_an_agent_loads_the_weights_that_its_belief_needs() -> None:
    assert len(agent("gin", "utility(belief=1)").params) == WEIGHTS
    assert len(agent("gin", "utility-dnn(belief=1)").params) == WEIGHTS
    assert len(agent("gin", "utility(belief=2)").params) == len(agent("gin", "utility-dnn").params) > 200_000


@pytest.mark.parametrize("name", ["utility(belief=7)", "utility-dnn(opponent_kind=3)"])
def test_options_for_which_there_are_no_weights_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=r"belief|opponent_kind"):
        agent("gin", name)
