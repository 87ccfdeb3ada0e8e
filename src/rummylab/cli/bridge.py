"""``rummylab bridge``: one of our agents under a foreign referee."""

from __future__ import annotations

import sys

import typer


def bridge(
    agent: str = typer.Option(..., "--agent", help="The agent that plays."),
    game: str = typer.Option("gin", help="The game of the referee."),
    seed: int = typer.Option(0, help="Seed of the agent's own random choices."),
) -> None:
    """Play Gin Rummy through stdin and stdout by the line protocol (docs/guides/bridge.md)."""
    from rummylab.agents.registry import agent as named_agent
    from rummylab.errors import OptionError
    from rummylab.games.registry import game as find_game

    if find_game(game).name != "gin":
        raise OptionError(f"the bridge speaks Gin Rummy, not {game}: leave out --game, and choose an agent of gin")
    from rummylab.interop.bridge import run

    def write(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    run(named_agent(game, agent), sys.stdin, write, seed=seed)
