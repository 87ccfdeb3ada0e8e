"""Distance to a contract and the cards that lower it: time a hand, for every contract of every preset.

    python benchmarks/bench_contract_distance.py

Random hands as they are dealt; thread time, the best of several passes over 1,000 hands.
"""

from __future__ import annotations

import time

import numpy as np

from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.games.contract.distance import measure_many
from rummylab.games.contract.evaluate import Evaluator
from rummylab.games.contract.options import ContractOptions

SEATS = {"chinese": (2,), "chinese-7": (2, 3), "contract-7": (2, 3), "liverpool-7": (3,), "shanghai-10": (3,)}
N_HANDS, PASSES, SEED = 1_000, 20, 7


def microseconds(preset: str, seats: int, number: int) -> tuple[str, float]:
    """Return a contract and the time for one hand."""
    options = ContractOptions.parse(preset, seats=seats)
    contract = options.contracts[number]
    evaluator = Evaluator(contract, options)
    decks, jokers = options.cards_in_play
    hands = [
        Hand.of(Deck.shuffled(SEED + i, decks=decks, jokers=jokers).cards[: contract.hand], decks=2)
        for i in range(N_HANDS)
    ]
    lines = np.array([(hand.mask, hand.twice, hand.jokers) for hand in hands], np.int64)
    out, best = np.zeros((N_HANDS, 2), np.int64), np.inf
    for _ in range(PASSES):
        began = time.thread_time()
        measure_many(lines, *evaluator.sizes, evaluator.terms, out)
        best = min(best, time.thread_time() - began)
    return str(contract), 1e6 * best / N_HANDS


def main() -> None:
    print("| preset | seats | round | contract | us a hand |\n|---|---|---|---|---|")
    for preset, choices in SEATS.items():
        for seats in choices:
            for number in range(len(ContractOptions.parse(preset, seats=seats).contracts)):
                contract, us = microseconds(preset, seats, number)
                print(f"| `{preset}` | {seats} | {number + 1} | {contract} | {us:.1f} |", flush=True)


if __name__ == "__main__":
    main()
