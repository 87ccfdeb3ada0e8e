"""Plays the local best response to a Gin agent against it: how much does a player win who knows the agent's policy?

python benchmarks/local_best_response.py champion --games 2000 --seed 700
python benchmarks/local_best_response.py utility-search --model "utility-search(worlds=20)"

`champion` and `champion-search` play the same deals for comparison. What the response wins beyond them, knowing the
policy has won (:mod:`rummylab.agents.gin.local_best_response`).
"""

from __future__ import annotations

import argparse

from rummylab.agents.gin.local_best_response import ResponseOptions, response_to
from rummylab.agents.registry import agent
from rummylab.arena.match import Player, match

OTHERS = ("champion", "champion-search")


def line(player: Player, against: str, games: int, seed: int) -> str:
    """Return a line of the table: how *player* does."""
    result = match("gin", player, against, games=games, seed=seed, workers=1)
    won, points = result.win_rate, result.points_per_hand
    return (
        f"| {result.agents[0]} | {100 * won.value:.1f}% | {100 * won.low:.1f}% to {100 * won.high:.1f}% "
        f"| {points.value:+.2f} ({points.ci[0]:+.2f} to {points.ci[1]:+.2f}) | {result.games:,} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", help="the opponent, such as champion or simple")
    parser.add_argument("--model", help="what the probe asks instead of the opponent, if that is slow")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=700)
    parser.add_argument("--alone", action="store_true", help="leave champion and champion-search out")
    for info in ResponseOptions.infos():
        parser.add_argument(f"--{info.name}", type=type(info.default), default=info.default, help=info.meaning)
    chosen = parser.parse_args()
    options = ResponseOptions(**{name: getattr(chosen, name) for name in ResponseOptions.names()})
    print(f"| against {chosen.agent} | games won | 95% interval | points per hand | games |\n|---|---|---|---|---|")
    probe = response_to(agent("gin", chosen.model or chosen.agent), options)
    for player in (probe, *(() if chosen.alone else OTHERS)):
        print(line(player, chosen.agent, chosen.games, chosen.seed), flush=True)


if __name__ == "__main__":
    main()
