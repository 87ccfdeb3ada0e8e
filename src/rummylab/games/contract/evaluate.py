"""What a hand of contract rummy is worth: its laydown, how far it is from one, what it waits for, what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummylab._jit import helper
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.planes import JOKER_BIT
from rummylab.engine.deadwood import without
from rummylab.engine.drivers import view_question
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.errors import DeckError
from rummylab.games.contract import rules as r
from rummylab.games.contract.distance import Terms, measure_many
from rummylab.games.contract.laydown import next_meld
from rummylab.games.contract.options import Contract, ContractOptions
from rummylab.games.contract.view import ContractRummy, table_melds


@helper
def _cost(table: np.void, mine: np.void) -> int:
    return r.cost(table.rules, mine.hand, mine.twice, mine.jokers)


@dataclass(frozen=True, slots=True)
class Value:
    """What a hand is worth for a contract."""

    hand: Hand
    cost: int
    """Penalty points of the whole hand."""
    short: int
    """Distance to the contract: cards that are missing for it (:mod:`rummylab.games.contract.distance`)."""
    outs: tuple[Card, ...]
    """Live cards that lower the distance, each copy by itself."""
    lay_down: tuple[Hand, ...]
    """The melds of a laydown, if it is possible."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """Order of hands, the best first: cards short, then outs, then cost."""
        return self.short, -len(self.outs), self.cost

    def lines(self, style: str) -> list[str]:
        """Return the value as text."""
        if self.lay_down:
            melds = " | ".join(format(meld, style) for meld in self.lay_down)
            left = format(without(self.hand, self.lay_down), style) or "nothing"
            return [f"  lay down {melds}   left over: {left}"]
        lines = [f"  {self.short} card{'s' * (self.short != 1)} short; costs {self.cost} points if caught"]
        if self.outs:
            copies = Counter(self.outs)
            words = (format(card, style) + (f" x{n}" if n > 1 else "") for card, n in sorted(copies.items()))
            lines.append(f"  waits for {len(self.outs)} cards: {' '.join(words)}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain values."""
        return {
            "hand": str(self.hand),
            "cost": self.cost,
            "short": self.short,
            "n_outs": len(self.outs),
            "outs": [str(card) for card in self.outs],
            "lay_down": [str(meld) for meld in self.lay_down],
        }


class Evaluator:
    """Evaluates hands under one contract."""

    def __init__(self, contract: Contract, options: ContractOptions | None = None) -> None:
        base = options or ContractOptions()
        dealt = max(contract.hand, contract.cards)  # the cards that a larger contract needs are bought
        changed = {"contract": str(contract), "hand_sizes": str(dealt), "buys": "0", "rounds": 1}
        self.options = ContractOptions.from_dict(base.to_dict() | changed)
        self.rules = ContractRummy(self.options)
        self.contract = contract
        self.terms = Terms(
            self.options.decks,
            2 * self.options.wild_twos,
            self.options.decks * (self.options.jokers + 4 * self.options.wild_twos),
            int(self.options.same_rank),
            int(self.options.wild_neighbors),
            int(self.options.joined_runs),
        )
        asked = self.rules.start_row()["table"]["rules"][0]
        self.sizes = int(asked["set_sizes"][0]), int(asked["run_sizes"][0])

    def value(self, hand: Hand, live: Iterable[Card]) -> Value:
        """Return the value of *hand* where the cards *live* can still come."""
        short, helps = self.distance(hand)
        outs = tuple(card for card in live if helps & (JOKER_BIT if self._is_wild(card) else 1 << card.id))
        row = self._row(hand)
        cost = int(view_question(_cost)(self.rules.observe(row, Seat(0))))
        return Value(hand, cost, short, outs, self._lay_down(row) if short == 0 else ())

    def distance(self, hand: Hand) -> tuple[int, int]:
        """Return the distance of *hand* to the contract and the mask of cards that lower it, wilds as bit 62."""
        out = np.zeros((1, 2), np.int64)
        measure_many(np.array([[hand.mask, hand.twice, hand.jokers]], np.int64), *self.sizes, self.terms, out)
        return int(out[0, 0]), int(out[0, 1])

    def _is_wild(self, card: Card) -> bool:
        return card.is_joker or (self.options.wild_twos and card.rank == 1)

    def _row(self, hand: Hand) -> Rows:
        """Return a table where the first seat holds *hand* and may lay down."""
        row = self.rules.new_rows(1)
        table, mine = row["table"], row["mine"]
        table["phase"], table["actor"], table["drawer"] = r.PLAY, 0, -1
        table["sets_left"], table["runs_left"] = self.contract.sets, self.contract.runs
        table["n_hand"][0, 0] = len(hand)
        mine["hand"][0, 0], mine["twice"][0, 0], mine["jokers"][0, 0] = hand.mask, hand.twice, hand.jokers
        return row

    def _lay_down(self, row: Rows) -> tuple[Hand, ...]:
        """Return the melds of a good laydown; none if the last card, which must be discarded, would be needed."""
        while self.rules.phase(row) in ("play", "lay down"):
            code = int(view_question(next_meld)(self.rules.observe(row, Seat(0))))
            if code < 0:
                break
            self.rules.step(row, code)
        return tuple(meld.cards for meld in table_melds(row["table"][0]))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A hand and, with a card too many, what each discard leaves, the best first."""

    contract: Contract
    value: Value
    choices: tuple[tuple[Card, Value], ...] = ()

    def lines(self, style: str = "unicode") -> list[str]:
        """Return the evaluation as text."""
        lines = [f"{format(self.value.hand, style)}   contract {self.contract}", *self.value.lines(style)]
        if self.choices:
            lines.append("  discard  short  outs  cost")
        for card, left in self.choices:
            lines.append(f"  {format(card, style):7}  {left.short:5}  {len(left.outs):4}  {left.cost:4}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain values."""
        plain = self.value.to_dict() | {"contract": str(self.contract)}
        if self.choices:
            plain["discard"] = str(self.choices[0][0])
            plain["choices"] = [{"discard": str(card), **left.to_dict()} for card, left in self.choices]
        return plain


def evaluate(
    hand: Hand, contract: Contract, *, dead: Iterable[Card] = (), options: ContractOptions | None = None
) -> Evaluation:
    """Return what *hand* is worth, and with more cards than are dealt what each discard leaves.

    The cards *dead* cannot come any more. They do not change the distance, only the outs.

    Raises:
        DeckError: If a card is there more often than in the pack.
    """
    evaluator = Evaluator(contract, options)
    decks, jokers = evaluator.options.cards_in_play
    live = list(Deck.ordered(decks=decks, jokers=jokers))
    for card in (*hand, *dead):
        if card not in live:
            raise DeckError(f"{card} is in the hand or gone more often than there are such cards")
        live.remove(card)
    value = evaluator.value(hand, live)
    if len(hand) <= contract.hand:
        return Evaluation(contract, value)
    left = [(card, evaluator.value(hand - Hand.of([card]), live)) for card in sorted({*hand})]
    return Evaluation(contract, value, tuple(sorted(left, key=lambda choice: choice[1].rank)))


def evaluate_text(cards: str, options: ContractOptions, dead: str = "", contract: str = "") -> Evaluation:
    """Return what the hand written as *cards* is worth for *contract*, by default that of the first round.

    Raises:
        OptionError: If *contract* is not one that can be asked for.
        DeckError: If no hand of the game consists of these cards.
    """
    gone = [Card.parse(word) for word in dead.replace(",", " ").split()]
    hand = Hand.parse(cards, decks=options.decks)
    goal, most = options.contracts[0], 2 * options.buys_by_round[0] if options.seats > 2 else 0
    if contract:
        return evaluate(hand, _named(contract, options), dead=gone, options=options)
    if not goal.hand <= len(hand) <= goal.hand + most + 1:
        dealt, more = goal.hand, f"{goal.hand + most + 1} before the discard"
        raise DeckError(f"a hand for {goal} has {dealt} cards, or {'up to ' * (most > 0)}{more}, not {len(hand)}")
    return evaluate(hand, goal, dead=gone, options=options)


def _named(text: str, options: ContractOptions) -> Contract:
    """Return the contract written as *text*, dealt as in its round; elsewhere with one card more than it takes."""
    asked = Contract.parse(text.upper(), 0)
    sizes = asked.set_sizes, asked.run_sizes
    like = [known for known in options.contracts if (known.set_sizes, known.run_sizes) == sizes]
    return like[0] if like else Contract(*sizes, hand=asked.cards + 1)
