"""Draw Fig. 4 of Saha et al.: how MinScore is computed for a hand.

The paper's Algorithm 1, meld by meld: the first meld must be a pure run, the second a run, the others any meld. A state
is worth the least score of its successors, or the points of its cards. Slow and readable; a test compares it with the
kernel (`minscore`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from rummylab.arena import plots
from rummylab.cards.card import RANKS, Card
from rummylab.cards.hand import Hand
from rummylab.games.indian.evaluate import card_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STAGES = ("pure run", "second run", "any meld")
_SIZES = (3, 4, 5)  # a longer run is two shorter ones (section V)
_WIDTHS = (4, 2, 1, 1)
"""How many of the best melds are drawn in each stage from each state."""


def is_run(cards: tuple[Card, ...], wild: int, *, pure: bool) -> bool:
    """Return whether *cards* are a run; only one that is not pure may hold jokers in the place of cards."""
    plain = [card for card in cards if pure or not (card.is_joker or card.rank == wild)]
    if not plain or any(card.is_joker for card in plain) or len({card.suit for card in plain}) > 1:
        return False
    for ace in (0, 13):
        ranks = [card.rank or ace for card in plain]
        if len(set(ranks)) == len(ranks) and max(ranks) - min(ranks) < len(cards):
            return True
    return False


def is_group(cards: tuple[Card, ...], wild: int) -> bool:
    """Return whether *cards* are three or four of one rank and different suits, jokers in the place of some."""
    plain = [card for card in cards if not (card.is_joker or card.rank == wild)]
    if not plain:  # three or four wild cards of different suits are a group of their own rank
        plain = [card for card in cards if not card.is_joker]
    suits = {card.suit for card in plain}
    return len(cards) <= 4 and len({card.rank for card in plain}) == 1 and len(suits) == len(plain)


@dataclass(frozen=True, slots=True)
class Step:
    """A meld, and the score it leads to."""

    meld: tuple[Card, ...]
    left: int
    """The remaining cards, as a mask over the hand."""
    stage: int
    value: int


class Transitions:
    """All states of Algorithm 1 for one hand."""

    def __init__(self, hand: Hand, wild: int) -> None:
        self.cards, self.wild = tuple(hand), wild
        self._values: dict[tuple[int, int], int] = {}

    @cached_property
    def melds(self) -> list[tuple[int, int]]:
        """Every meld of the hand as a mask, and the first stage it may be laid in: 0 for a pure run, 2 for a group."""
        found = []
        for size in _SIZES:
            for places in combinations(range(len(self.cards)), size):
                cards = tuple(self.cards[i] for i in places)
                least = 0 if is_run(cards, self.wild, pure=True) else 1 if is_run(cards, self.wild, pure=False) else 2
                if least < 2 or is_group(cards, self.wild):
                    found.append((sum(1 << i for i in places), least))
        return found

    def held(self, mask: int) -> tuple[Card, ...]:
        """Return the cards of *mask*."""
        return tuple(card for i, card in enumerate(self.cards) if mask >> i & 1)

    def points(self, mask: int) -> int:
        """Return the points of some cards."""
        return sum(card_value(card, self.wild) for card in self.held(mask))

    def value(self, mask: int, stage: int) -> int:
        """Return the least score that can be reached from the cards of *mask*."""
        key = mask, stage
        if key not in self._values:
            later = min(stage + 1, 2)
            ways = (
                self.value(mask & ~meld, later) for meld, least in self.melds if least <= stage and meld & ~mask == 0
            )
            self._values[key] = min(ways, default=10**6)
            self._values[key] = min(self._values[key], self.points(mask))
        return self._values[key]

    def steps(self, mask: int, stage: int) -> Iterator[Step]:
        """Yield the melds that are possible, by score; of equal ones, the longer first."""
        later = min(stage + 1, 2)
        found = [
            Step(self.held(meld), mask & ~meld, later, self.value(mask & ~meld, later))
            for meld, least in self.melds
            if least <= stage and meld & ~mask == 0
        ]
        yield from sorted(found, key=lambda step: (step.value, -len(step.meld), step.meld))

    @property
    def all_cards(self) -> int:
        """All cards, as a mask."""
        return (1 << len(self.cards)) - 1


@dataclass(slots=True)
class Node:
    """A state as it is drawn."""

    mask: int
    stage: int
    depth: int
    value: int
    meld: tuple[Card, ...] = ()
    row: int = 0
    children: tuple[Node, ...] = ()


def tree(states: Transitions) -> Node:
    """Return the states to draw: from each the best melds, until no meld lowers the score."""

    def grow(mask: int, stage: int, depth: int, meld: tuple[Card, ...]) -> Node:
        node = Node(mask, stage, depth, states.value(mask, stage), meld)
        if node.value < states.points(mask) and depth < len(_WIDTHS):
            kept: list[Node] = []
            seen: set[int] = set()
            for step in states.steps(mask, stage):
                # One meld for each score: alternatives of equal worth teach little.
                if step.value not in seen and len(kept) < _WIDTHS[depth]:
                    seen.add(step.value)
                    kept.append(grow(step.left, step.stage, depth + 1, step.meld))
            node.children = tuple(kept)
        return node

    return grow(states.all_cards, 0, 0, ())


def draw(hand: Hand, wild: int, path: Path) -> int:
    """Draw the diagram of *hand* to *path*, as a list that goes deeper meld by meld; return its MinScore."""
    states = Transitions(hand, wild)
    root = tree(states)
    n_rows = _place(root, 0) + 1
    with plots.figure(path, plots.WIDTH, 0.7 + 0.5 * n_rows) as (_, axes):
        axes.set_axis_off()
        axes.set_xlim(0, 4.4)
        axes.set_ylim(n_rows - 0.4, -0.6)
        _draw_node(axes, states, root, is_best=True)
        axes.set_title(f"Fig. 4: MinScore {root.value}, meld by meld ({RANKS[wild]} wild)")
    return root.value


def _place(node: Node, row: int) -> int:
    """Give every state a row, below the state it comes from; return the last row used."""
    node.row = row
    for child in node.children:
        row = _place(child, row + 1)
    return row


def _draw_node(axes: Axes, states: Transitions, node: Node, *, is_best: bool) -> None:
    """Write the meld that leads to a state, the cards that are left and what they come to; then its successors."""
    color = plots.BLUE if is_best else plots.GREY
    left = 0.05 + 0.3 * node.depth
    meld = " ".join(format(card, "unicode") for card in node.meld)
    cards = " ".join(format(card, "unicode") for card in states.held(node.mask)) or "no cards"
    end = f"best {node.value}" if node.children else f"counts {states.points(node.mask)}"
    head = f"{STAGES[min(node.depth - 1, 2)]}: {meld}" if node.depth else "the hand"
    weight = "bold" if is_best else "normal"
    axes.text(left, node.row - 0.2, f"{head} → {end}", fontsize=8.5, color=color, weight=weight, va="center")
    axes.text(left, node.row + 0.17, cards, fontsize=8, color=plots.INK, va="center")
    for child in node.children:
        best = is_best and child is node.children[0]
        axes.plot(
            [left + 0.08, left + 0.08, left + 0.24],
            [node.row + 0.34, child.row - 0.2, child.row - 0.2],
            color=plots.BLUE if best else "#bbbbbb",
            lw=1.6 if best else 0.8,
            zorder=2 if best else 1,
        )
        _draw_node(axes, states, child, is_best=best)
