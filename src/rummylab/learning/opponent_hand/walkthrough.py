"""A page that walks through one decision of `utility-dnn`, the way the paper's Figure 2 does; every number computed.

    python -m rummylab.learning.opponent_hand.walkthrough --out docs/results/opponent-hand --seed 1

The decision is the first from turn 4 on in which the estimate of the opponent's hand changes the discard.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.agents.gin.utility_explain import Throw, explain
from rummylab.agents.gin.utility_options import OPP_UTIL_IMPORTANCE, SAMPLES
from rummylab.agents.registry import agent
from rummylab.arena.plots import card_map
from rummylab.beliefs.gin.network import Floats
from rummylab.cards.bits import IDS_52
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.observation import Observation
from rummylab.engine.referee import play_match
from rummylab.engine.rules import copy_of
from rummylab.engine.state import State
from rummylab.games.gin.game import gin
from rummylab.games.gin.melds import min_deadwood

PAGE, MAP = "walkthrough.md", "walkthrough-map.png"
NAME, OPPONENT = "utility-dnn", "utility"
_FROM_TURN = 4
_DIFFERENCE = 0.3
"""How much more the chosen card must be worth than the one a naive player would throw."""


class Watched(CompiledAgent):
    """An agent that keeps every view with the random stream with which it decided on it."""

    def __init__(self, name: str) -> None:
        found = agent("gin", name)
        super().__init__(name, found.pointer, found.par)
        self.views: list[Any] = []

    def act(self, seen: Observation) -> Action:
        view = copy_of(seen.view)
        view["mine"]["rng"] = self._stream.state
        self.views.append(view)
        return super().act(seen)


def discards(seed: int, watched: Watched) -> Iterator[tuple[State, int, Any, Action]]:
    """Yield every discard of *watched*: the position, the number of the decision in its hand, the view, the action."""
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


def find(seed: int) -> tuple[State, int, Floats, list[Throw]]:
    """Return a position in which the belief changes the discard, with the numbers of the agent's own decision."""
    for number in count():
        watched = Watched(NAME)
        for state, decision, view, action in discards(seed + number, watched):
            if int(view["table"]["turn"][0]) // 2 + 1 < _FROM_TURN:
                continue
            belief, throws = explain(view, watched.par)
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
        title=f"What utility-dnn believes in its turn {turn}",
    )
    par = agent("gin", NAME).par
    samples, weight = int(par[SAMPLES]), float(par[OPP_UTIL_IMPORTANCE])
    best, naive = throws[0], max(throws, key=lambda throw: throw.utility)
    near = {str(Card(int(IDS_52[i]))): float(belief[i]) for i in range(52)}
    lines = [
        "# One decision, followed through",
        "",
        f"Made by `python -m rummylab.learning.opponent_hand.walkthrough --seed {seed}`, after the paper's Figure 2.",
        "",
        f"`utility-dnn` plays against `utility`. It is its turn {turn} of the hand (decision {decision}); it holds",
        "",
        f"    {own}",
        "",
        "and must discard. This is what it has seen of the opponent:",
        "",
        *_events(table),
        "",
        "From that the network estimates the opponent's hand (framed: what the opponent really held):",
        "",
        f"![The map of the opponent's hand]({MAP})",
        "",
        "For each unmelded card: what the player's hand is worth without it, what the opponent is expected to gain",
        f"from it over the {samples} hands that the agent sampled for this decision, and the value: the one less",
        f"{weight:.2g} times the other. These are the numbers that the agent decided by.",
        "",
        "| discard | hand utility | opponent's gain | value |",
        "|---|---|---|---|",
        *(f"| {t.card} | {t.utility:.2f} | {t.gain:.2f} | {t.value:.2f} |" for t in throws),
        "",
        f"A naive player would throw the {naive.card}: the hand is worth most without it ({naive.utility:.2f}, against "
        f"{best.utility:.2f} without the {best.card}). But the opponent is expected to gain {naive.gain:.2f} from the "
        f"{naive.card} and only {best.gain:.2f} from the {best.card}. {_neighbours(naive.card, near)} "
        f"{_neighbours(best.card, near)} So `utility-dnn` throws the {best.card}.",
        "",
        f"The opponent really held {opponent}, deadwood {min_deadwood(opponent.mask)}.",
        "",
    ]
    (out / PAGE).write_text("\n".join(lines), encoding="utf-8")
    return out / PAGE


def _events(table: Any) -> list[str]:
    """Return the opponent's turns as a list."""
    words = {"took": "took {}", "passed": "let {} go by", "threw": "threw {}"}
    told: dict[int, list[str]] = {}
    for what, form in words.items():
        for i, turn in enumerate(table[what][1]):
            if turn:
                told.setdefault(int(turn), []).append(form.format(Card(int(IDS_52[i]))))
    return [f"- turn {turn}: {', '.join(told[turn])}" for turn in sorted(told)]


def _neighbours(card: Card, chances: dict[str, float]) -> str:
    """Return a sentence about the cards that could make a meld with *card*."""
    ids = [16 * suit + card.rank for suit in range(4) if suit != card.suit]
    ids += [16 * card.suit + rank for rank in range(card.rank - 2, card.rank + 3) if 0 <= rank < 13]
    names = [str(Card(i)) for i in ids if i != card.id and chances[str(Card(i))] > 0]
    if not names:
        return f"Nothing goes with the {card} any more."
    return f"With the {card} go: " + ", ".join(f"{name} ({chances[name]:.0%})" for name in names) + "."


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.learning.opponent_hand.walkthrough")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    page(chosen.out, chosen.seed)


if __name__ == "__main__":
    main()
