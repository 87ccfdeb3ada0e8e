"""Kuhn poker: three cards, one each, one bet. Its value for the first player is -1/18 (Kuhn, 1950)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

from rummylab.learning.cfr.game import CHANCE, OVER

CARDS = "JQK"
GAME_VALUE = -1 / 18


@dataclass(frozen=True, slots=True)
class KuhnPosition:
    """Two cards (none before the deal) and the bets so far: ``p`` for pass, ``b`` for bet."""

    cards: str = ""
    bets: str = ""

    @property
    def actor(self) -> int:
        if not self.cards:
            return CHANCE
        return OVER if self.bets in ("pp", "bp", "bb", "pbp", "pbb") else len(self.bets) % 2

    def actions(self) -> tuple[str, ...]:
        return ("p", "b")

    def chances(self) -> list[tuple[str, float]]:
        return [("".join(cards), 1 / 6) for cards in permutations(CARDS, 2)]

    def after(self, action: str) -> KuhnPosition:
        return KuhnPosition(self.cards, self.bets + action) if self.cards else KuhnPosition(action)

    def information_set(self) -> str:
        return f"{self.cards[self.actor]} {self.bets}"

    def payoff(self) -> float:
        if self.bets in ("bp", "pbp"):  # a player has folded
            return 1.0 if self.bets == "bp" else -1.0
        stake = 2.0 if "b" in self.bets else 1.0
        return stake if CARDS.index(self.cards[0]) > CARDS.index(self.cards[1]) else -stake


@dataclass(frozen=True, slots=True)
class Kuhn:
    """Kuhn poker."""

    name: str = "kuhn"

    def root(self) -> KuhnPosition:
        return KuhnPosition()
