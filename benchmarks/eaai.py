"""Play one of our Gin agents against a Java player under the official EAAI-2021 referee.

The referee and the player are not part of this repository: ``--classes`` is a directory of their compiled classes, with
the referee's in the package ``ginrummy``. ``benchmarks/eaai`` has the adapter, which needs a JDK (17 or later).
Every pair of games has the same decks and the same first starter, with the players in each other's seats. Ctrl-C ends
a match early; the summary is then of the pairs played.

    python benchmarks/eaai.py champion-search --classes classes --player ginrummy.SimpleGinRummyPlayer --games 1000
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rummylab.arena.statistics import share

JAVA = Path(__file__).parent / "eaai"


def compiled(classes: Path, out: Path) -> str:
    """Compile the adapter against *classes* into *out* and return the class path of both."""
    sources = [str(JAVA / name) for name in ("BridgePlayer.java", "Duel.java")]
    subprocess.run(["javac", "-cp", str(classes), "-d", str(out), *sources], check=True)
    return f"{out}:{classes}"


def games(class_path: str, agent: str, player: str, pairs: int, seed: int) -> Iterator[dict[str, Any]]:
    """Play *pairs* of games and yield what happened in each game. Whoever stops early ends the referee, too."""
    bridge = [sys.executable, "-m", "rummylab", "bridge", "gin", agent, "--seed", str(seed)]
    java = ["java", "-XX:+UseSerialGC", "-cp", class_path, "rummylab.Duel", player, str(seed), str(pairs), *bridge]
    with subprocess.Popen(java, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield from results(process.stdout)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise SystemExit(f"the referee stopped with exit code {process.returncode}")


def results(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Parse the lines that describe games. A player may print too; those lines are skipped."""
    for line in lines:
        if line.startswith('{"pair": '):
            yield json.loads(line)


def summary(played: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the share of games that the bridge won, clustered by pair, with its interval, and what else happened."""
    won = np.array([game["won"] for game in played], dtype=np.float64)
    estimate = share(won.reshape(-1, 2).mean(1))
    n_hands = sum(game["hands"] for game in played)
    gained = sum(game["points"][0] - game["points"][1] for game in played)
    return {
        "games": len(played),
        "won": round(estimate.value, 4),
        "interval": [round(end, 4) for end in estimate.ci],
        "hands": n_hands,
        "points_per_hand": round(gained / n_hands, 2),
        "forfeits": {side: sum(game["forfeit"] == side for game in played) for side in ("bridge", "guest")},
        "slowest_ms": max(game["slowest_ms"] for game in played),
        "longest_game_s": {side: max(game[f"{side}_s"] for game in played) for side in ("bridge", "guest")},
    }


def main() -> None:
    """Print the summary as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", help="one of our agents, as in `rummylab agents gin`")
    parser.add_argument("--classes", type=Path, required=True, help="directory of the referee's and player's classes")
    parser.add_argument("--player", default="ginrummy.SimpleGinRummyPlayer", help="Java class of the opponent")
    parser.add_argument("--games", type=int, default=1000, help="an even number: every deal is played from both seats")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.games < 2 or given.games % 2:
        parser.error("--games must be even: every deal is played from both seats")
    played: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as out, contextlib.suppress(KeyboardInterrupt):
        class_path = compiled(given.classes, Path(out))
        for game in games(class_path, given.agent, given.player, given.games // 2, given.seed):
            played.append(game)
    played = played[: len(played) // 2 * 2]
    if not played:
        raise SystemExit("no pair of games was played to the end")
    print(json.dumps({"agent": given.agent, "player": given.player, "seed": given.seed, **summary(played)}))


if __name__ == "__main__":
    main()
