"""``rummylab bridge``: one of our agents under a foreign referee."""

from __future__ import annotations

import sys

from rummylab.cli.options import Agent, Game, Seed


def bridge(game: Game, agent: Agent, seed: Seed = 0) -> None:
    """Play Gin Rummy through stdin and stdout, by the line protocol of docs/guides/bridge.md."""
    from rummylab.agents.registry import agent as named_agent
    from rummylab.errors import OptionError
    from rummylab.games.registry import game as find_game
    from rummylab.interop.bridge import GAME, run

    if find_game(game).name != GAME:
        raise OptionError(f"The bridge speaks a protocol of {GAME}, not of {game}. Use: rummylab bridge {GAME} AGENT")

    def write(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    run(named_agent(game, agent), sys.stdin, write, seed=seed)
