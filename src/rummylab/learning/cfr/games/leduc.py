"""Leduc hold'em: six cards of three ranks, one card each, a betting round, a common card, another round of betting.

Source: Southey et al. (2005).

The ante is 1; bets are 2 in the first round and 4 in the second, at most two in a round. A pair with the common card
wins, else the higher card. The two cards of a rank are equivalent, so positions name ranks; with *by_card* all six
cards are different, as in OpenSpiel, which makes the tree larger and changes nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rummylab.learning.cfr.game import CHANCE, OVER

RANKS = "JQK"
BETS = (2, 4)
MAX_RAISES = 2
FOLD, CALL, RAISE = "f", "c", "r"


@dataclass(frozen=True, slots=True)
class LeducPosition:
    """Cards by number (rank, or 2 * rank + suit if *by_card*): private, private, common; bets of each round."""

    by_card: bool
    cards: tuple[int, ...] = ()
    rounds: tuple[str, ...] = ("",)
    paid: tuple[int, int] = (1, 1)

    @property
    def actor(self) -> int:
        if len(self.cards) < 2:
            return CHANCE
        bets = self.rounds[-1]
        if FOLD in bets:
            return OVER
        if len(bets) >= 2 and bets[-1] == CALL:
            return CHANCE if len(self.rounds) == 1 else OVER
        return len(bets) % 2

    def actions(self) -> tuple[str, ...]:
        owes = self.paid[0] != self.paid[1]
        may_raise = self.rounds[-1].count(RAISE) < MAX_RAISES
        return (*((FOLD,) if owes else ()), CALL, *((RAISE,) if may_raise else ()))

    def chances(self) -> list[tuple[str, float]]:
        left = 6 - len(self.cards)
        if self.by_card:
            return [(str(card), 1 / left) for card in range(6) if card not in self.cards]
        counts = [2 - self.cards.count(rank) for rank in range(3)]
        return [(str(rank), n / left) for rank, n in enumerate(counts) if n]

    def after(self, action: str) -> LeducPosition:
        if self.actor == CHANCE:
            rounds = (*self.rounds, "") if len(self.cards) == 2 else self.rounds
            return replace(self, cards=(*self.cards, int(action)), rounds=rounds)
        player = self.actor
        paid = list(self.paid)
        if action != FOLD:
            paid[player] = paid[1 - player] + (BETS[len(self.rounds) - 1] if action == RAISE else 0)
        rounds = (*self.rounds[:-1], self.rounds[-1] + action)
        return replace(self, rounds=rounds, paid=(paid[0], paid[1]))

    def information_set(self) -> str:
        common = self.cards[2] if len(self.cards) > 2 else ""
        return f"{self.cards[self.actor]}{common} {'/'.join(self.rounds)}"

    def payoff(self) -> float:
        last = self.rounds[-1]
        if last[-1] == FOLD:
            loser = (len(last) - 1) % 2
            return float(-self.paid[0] if loser == 0 else self.paid[1])
        mine, yours = self._strength(0), self._strength(1)
        return float((mine > yours) - (mine < yours)) * self.paid[0]

    def _strength(self, player: int) -> tuple[bool, int]:
        rank, common = (card // 2 if self.by_card else card for card in (self.cards[player], self.cards[2]))
        return rank == common, rank


@dataclass(frozen=True, slots=True)
class Leduc:
    """Leduc hold'em."""

    by_card: bool = False

    @property
    def name(self) -> str:
        return "leduc by card" if self.by_card else "leduc"

    def root(self) -> LeducPosition:
        return LeducPosition(self.by_card)
