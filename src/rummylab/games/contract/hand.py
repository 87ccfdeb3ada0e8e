"""What a hand of contract rummy is worth: its lay-down, how far it is from one, what it waits for, what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab._jit import kernel
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.rules import Rows
from rummylab.errors import DeckError
from rummylab.games.contract import rules as r
from rummylab.games.contract.game import ContractRummy
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.options import Contract, ContractOptions

FAR, FAR_WITH_RUNS = 4, 3
"""A hand this many cards short, or more, is not looked into further."""


@kernel
def _is_complete(views: Rows) -> bool:
    return r.can_lay_down(views[0].table, views[0].mine)


@kernel
def _cost(views: Rows) -> int:
    return r.cost(views[0].table.rules, views[0].mine.hand, views[0].mine.jokers)


@kernel
def _next_meld(views: Rows) -> int:
    return next_meld(views[0].table, views[0].mine)


@dataclass(frozen=True, slots=True)
class Value:
    """A hand: what it costs, how many cards the contract is short of (`FAR`: that or more), what brings it nearer."""

    hand: Hand
    cost: int
    short: int
    outs: tuple[Card, ...]
    lay_down: tuple[Hand, ...]
    """The melds of a lay-down, if it is possible."""
    at_least: bool = False
    """It may be short of more cards: it is so far from the contract that nobody counted."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """Low is good: cards short, then outs, then what it costs."""
        return self.short, -len(self.outs), self.cost

    def to_dict(self) -> dict[str, Any]:
        return {
            "hand": str(self.hand),
            "cost": self.cost,
            "short": self.short,
            "at_least": self.at_least,
            "n_outs": len(self.outs),
            "outs": [str(card) for card in self.outs],
            "lay_down": [str(meld) for meld in self.lay_down],
        }


class Evaluator:
    """Evaluates hands under one contract."""

    def __init__(self, contract: Contract, options: ContractOptions | None = None) -> None:
        base = options or ContractOptions()
        changed = base.to_dict() | {"contract": str(contract), "hand_sizes": str(contract.hand)}
        self.rules = ContractRummy(ContractOptions.from_dict(changed))
        self.contract = contract
        self.far = FAR_WITH_RUNS if contract.runs else FAR

    def value(self, hand: Hand, live: Iterable[Card]) -> Value:
        """Return the value of *hand* where the cards *live* can still come."""
        cards = list(live)
        short = self._short(hand, cards)
        outs: tuple[Card, ...] = ()
        if 0 < short < self.far:
            kinds = {self._kind(card): card for card in cards}
            helps = {
                kind: self._is_within(hand | Hand.of([card]), [other for other in cards if other != card], short - 1)
                for kind, card in kinds.items()
            }
            outs = tuple(card for card in cards if helps[self._kind(card)])
        lay_down = self._lay_down(hand) if short == 0 else ()
        return Value(hand, int(_cost(self._view(hand))), short, outs, lay_down, short == self.far)

    def _view(self, hand: Hand) -> Rows:
        view = np.zeros(1, r.VIEW)
        view["table"] = self.rules.new_rows(1)["table"]
        view["table"]["phase"] = r.PLAY
        view["table"]["sets_left"], view["table"]["runs_left"] = self.contract.sets, self.contract.runs
        view["table"]["n_hand"][0, 0] = len(hand)
        view["mine"]["hand"], view["mine"]["jokers"] = hand.mask, hand.jokers
        return view

    def _short(self, hand: Hand, live: list[Card]) -> int:
        return next((n for n in range(self.far) if self._is_within(hand, live, n)), self.far)

    def _kind(self, card: Card) -> Card:
        """Return a card that stands for all those that help alike: any wild; without runs any of the rank."""
        if card.is_joker or card.rank == 1:
            return Card(1)
        return card if self.contract.runs else Card(card.rank)

    def _is_within(self, hand: Hand, live: list[Card], n: int) -> bool:
        """Return whether *n* of the cards *live* complete the contract; alike cards are tried once."""
        if n == 0:
            return bool(_is_complete(self._view(hand)))
        seen: set[Card] = set()
        for i, card in enumerate(live):
            if self._kind(card) not in seen:
                seen.add(self._kind(card))
                if self._is_within(hand | Hand.of([card]), live[i + 1 :], n - 1):
                    return True
        return False

    def _lay_down(self, hand: Hand) -> tuple[Hand, ...]:
        view = self._view(hand)
        melds = []
        while (code := int(_next_meld(view))) >= 0:
            meld = Hand.of(self.rules.decode(code).cards)
            melds.append(meld)
            hand = hand - meld
            view["mine"]["hand"], view["mine"]["jokers"] = hand.mask, hand.jokers
            view["table"]["n_hand"][0, 0] = len(hand)
            view["table"]["sets_left" if code < r.RUN_CODE else "runs_left"][0, 0] -= 1
        return tuple(melds)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A hand and, with a card too many, what each discard leaves, the best first."""

    contract: Contract
    value: Value
    choices: tuple[tuple[Card, Value], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        plain = self.value.to_dict() | {"contract": str(self.contract)}
        if self.choices:
            plain["discard"] = str(self.choices[0][0])
            plain["choices"] = [{"discard": str(card), **left.to_dict()} for card, left in self.choices]
        return plain


def evaluate(hand: Hand, contract: Contract, *, dead: Iterable[Card] = ()) -> Evaluation:
    """Evaluate *hand*, of as many cards as are dealt or one more; the cards *dead* cannot come any more."""
    if not contract.hand <= len(hand) <= contract.hand + 1:
        dealt = contract.hand
        raise DeckError(f"a hand for {contract} has {dealt} cards, or {dealt + 1} before the discard, not {len(hand)}")
    live = list(Deck.ordered(jokers=2))
    for card in (*hand, *dead):
        if card not in live:
            raise DeckError(f"{card} is in the hand or gone more often than there are such cards")
        live.remove(card)
    evaluator = Evaluator(contract)
    value = evaluator.value(hand, live)
    if len(hand) == contract.hand:
        return Evaluation(contract, value)
    left = [(card, evaluator.value(hand - Hand.of([card]), live)) for card in sorted({*hand})]
    return Evaluation(contract, value, tuple(sorted(left, key=lambda choice: choice[1].rank)))
