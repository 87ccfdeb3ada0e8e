"""Counts which upcards `indian-champion` refuses although they lower MinDist.

python benchmarks/indian_refusals.py --deals 400 --seed 2026
"""

from __future__ import annotations

import argparse
from collections import Counter

from rummylab import indian
from rummylab.agents.registry import agent
from rummylab.cards.hand import Hand
from rummylab.engine.state import State
from rummylab.games.indian.mindist import discards14, min_dist
from rummylab.games.indian.view import IndianObservation

PLAYERS = ("indian-champion-stays", "mindist-outs")


def facts(seen: IndianObservation) -> tuple[int, str] | None:
    """Return MinDist and the half of the deal if the upcard lowers MinDist, and does not complete the hand."""
    if seen.upcard is None or "draw upcard" not in [str(action) for action in seen.legal]:
        return None
    more = Hand.of([*seen.hand, seen.upcard], decks=2)
    now = int(min_dist(seen.hand.mask, seen.hand.twice, seen.hand.jokers, seen.wild))
    after = int(discards14(more.mask, more.twice, more.jokers, seen.wild)[0])
    if after >= now or after == 0:
        return None
    return now, "first three draws" if seen.table["draws"][seen.seat] < 3 else "later"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--seed", type=int, default=2026)
    chosen = parser.parse_args()
    offered: Counter[tuple[int, str]] = Counter()
    refused: Counter[tuple[int, str]] = Counter()
    rules = indian("paper")
    for deal in range(chosen.deals):
        names = PLAYERS if deal % 2 else PLAYERS[::-1]
        players = [agent("indian", name) for name in names]
        state = State.deal(rules, chosen.seed + deal)
        while (seat := state.actor) is not None:
            seen = state.observe(seat)
            assert isinstance(seen, IndianObservation)
            action = players[seat].act(seen)
            found = facts(seen) if seen.phase == "draw" and names[seat] == PLAYERS[0] else None
            if found is not None:
                offered[found] += 1
                refused[found] += str(action) == "draw stock"
            state.push(action)
    print("| MinDist | when | upcards that lower it | refused |")
    print("|---|---|---|---|")
    for key in sorted(offered):
        share = refused[key] / offered[key]
        error = 1.96 * (share * (1 - share) / offered[key]) ** 0.5
        print(f"| {key[0]} | {key[1]} | {offered[key]} | {100 * share:.0f}% ± {100 * error:.0f} |")


if __name__ == "__main__":
    main()
