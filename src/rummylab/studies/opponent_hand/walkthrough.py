"""Write a page that explains one decision of `utility-dnn` step by step, like the paper's Figure 2.

    python -m rummylab.studies.opponent_hand.walkthrough --out docs/results/opponent-hand --seed 1

Every number is computed. The decision is the first from turn 4 on in which the estimate of the opponent's hand changes
the discard.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.agents.gin.utility_explain import DiscardValue, explain
from rummylab.agents.gin.utility_policy import P
from rummylab.agents.registry import agent
from rummylab.arena.plots import card_map
from rummylab.beliefs.gin.network import Floats
from rummylab.cards.bits import IDS_52
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cards.melds import min_deadwood
from rummylab.engine.action import Action
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.referee import play_match
from rummylab.engine.rows import copy_of
from rummylab.engine.state import State
from rummylab.games.gin.view import gin

PAGE, MAP = "walkthrough.md", "walkthrough-map.svg"
NAME, OPPONENT = "utility-dnn", "utility"
_FROM_TURN = 4
_DIFFERENCE = 0.3
"""The least lead in value of the chosen card over the one that a naive player would discard."""


class Watched(CompiledAgent):
    """An agent that keeps every view, with the random stream of its decision."""

    def __init__(self, name: str) -> None:
        found = agent("gin", name)
        super().__init__(name, found.kernel, found.params)
        self.views: list[Any] = []

    def act(self, seen: Observation) -> Action:
        view = copy_of(seen.view)
        view["mine"]["rng"] = self._stream.state
        self.views.append(view)
        return super().act(seen)


def discards(seed: int, watched: Watched) -> Iterator[tuple[State, int, Any, Action]]:
    """Yield every discard of *watched*: position, number of the decision in the hand, view, action."""
    for finished in play_match(gin("eaai"), [watched, agent("gin", OPPONENT)], seed):
        state = finished.copy()
        back: list[Action] = []
        while state.n_moves:
            back.append(state.pop().action)
        for number, action in enumerate(reversed(back), 1):
            if state.actor == 0:
                view = watched.views.pop(0)
                if action.verb == "discard":
                    yield state, number, view, action
            state.push(action)


def find(seed: int) -> tuple[State, int, Floats, list[DiscardValue]]:
    """Return a position in which the belief changes the discard, with the values that the agent used."""
    for number in count():
        watched = Watched(NAME)
        for state, decision, view, action in discards(seed + number, watched):
            if int(view["table"]["turn"][0]) // 2 + 1 < _FROM_TURN:
                continue
            belief, throws = explain(view, watched.params)
            naive = max(throws, key=lambda throw: throw.utility, default=None)
            if naive and naive.card != throws[0].card and throws[0].value - naive.value > _DIFFERENCE:
                assert action.cards == (throws[0].card,)
                return state, decision, belief, throws
    raise AssertionError("count() does not end")


def page(out: Path, seed: int) -> Path:
    """Write the page and its map to *out*."""
    state, decision, belief, throws = find(seed)
    view = state.observe(state.actor).view[0]  # type: ignore[arg-type]
    table, own = view["table"], Hand(int(view["mine"]["hand"]))
    opponent = Hand(int(state.rows()["mine"]["hand"][0][1]))
    masks = {"mine": own.mask, "pile": int(table["pile"]), "known": int(table["known"][1]), "*": opponent.mask}
    marks = [[" ".join(w for w, m in masks.items() if m >> (16 * s + r) & 1) for r in range(13)] for s in range(4)]
    out.mkdir(parents=True, exist_ok=True)
    turn = int(table["turn"]) // 2 + 1
    card_map(
        out / MAP,
        belief.reshape(4, 13).astype(np.float64),
        marks,
        title=f"Belief of utility-dnn at turn {turn}",
    )
    params = agent("gin", NAME).params
    samples, weight = int(params[P.samples]), float(params[P.opp_util_importance])
    best, naive = throws[0], max(throws, key=lambda throw: throw.utility)
    near = {str(Card(int(IDS_52[i]))): float(belief[i]) for i in range(52)}
    lines = [
        "# One decision, step by step",
        "",
        "Written, after the paper's Figure 2, by",
        "",
        f"    python -m rummylab.studies.opponent_hand.walkthrough --out docs/results/opponent-hand --seed {seed}",
        "",
        f"`utility-dnn` plays against `utility`. At turn {turn} of the hand (decision {decision}) it holds",
        "",
        f"    {own}",
        "",
        "and must discard. It has seen the opponent's turns:",
        "",
        *_events(table),
        "",
        "From these the network estimates the opponent's hand (framed: the cards that the opponent really held):",
        "",
        f"![The map of the opponent's hand]({MAP})",
        "",
        "For each unmelded card, the table shows the utility of the player's hand without it, the opponent's expected",
        f"gain over the {samples} hands that the agent sampled for this decision, and the value: the first less",
        f"{weight:.2g} times the second. The agent decided by these numbers.",
        "",
        "| discard | hand utility | opponent's gain | value |",
        "|---|---|---|---|",
        *(f"| {t.card} | {t.utility:.2f} | {t.gain:.2f} | {t.value:.2f} |" for t in throws),
        "",
        f"A naive player would discard the {naive.card}: the utility is highest without it ({naive.utility:.2f}; "
        f"{best.utility:.2f} without the {best.card}). But the opponent is expected to gain {naive.gain:.2f} from the "
        f"{naive.card} and only {best.gain:.2f} from the {best.card}. {_neighbors(naive.card, near)} "
        f"{_neighbors(best.card, near)} So `utility-dnn` discards the {best.card}.",
        "",
        f"The opponent really held {opponent}, deadwood {min_deadwood(opponent.mask)}.",
        "",
    ]
    (out / PAGE).write_text("\n".join(lines), encoding="utf-8")
    return out / PAGE


def _events(table: Any) -> list[str]:
    """Return the opponent's turns as a list."""
    words = {"took": "took {}", "passed": "passed {}", "threw": "discarded {}"}
    told: dict[int, list[str]] = {}
    for what, form in words.items():
        for i, turn in enumerate(table[what][1]):
            if turn:
                told.setdefault(int(turn), []).append(form.format(Card(int(IDS_52[i]))))
    return [f"- turn {turn}: {', '.join(told[turn])}" for turn in sorted(told)]


def _neighbors(card: Card, chances: dict[str, float]) -> str:
    """Return a sentence about the cards that could make a meld with *card*."""
    ids = [16 * suit + card.rank for suit in range(4) if suit != card.suit]
    ids += [16 * card.suit + rank for rank in range(card.rank - 2, card.rank + 3) if 0 <= rank < 13]
    names = [str(Card(i)) for i in ids if i != card.id and chances[str(Card(i))] > 0]
    if not names:
        return f"No card can meld with the {card} any more."
    return (
        f"Cards that could meld with the {card}: " + ", ".join(f"{name} ({chances[name]:.0%})" for name in names) + "."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.studies.opponent_hand.walkthrough")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    page(chosen.out, chosen.seed)


if __name__ == "__main__":
    main()
