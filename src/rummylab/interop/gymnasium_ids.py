"""The names under which Gymnasium knows our games. Importing this module compiles nothing."""

from __future__ import annotations

from typing import Final

from rummylab.errors import MissingExtraError
from rummylab.games.registry import GAMES

HOME: Final = "rummylab.interop.gymnasium"
IDS: Final = {name: f"rummylab/{''.join(word.title() for word in name.split('_'))}-v0" for name in GAMES}
"""The id of each game, such as ``rummylab/GinPass-v0``."""
NEEDS: Final = "The Gymnasium environments need: pip install 'rummylab[rl]'"


def register() -> None:
    """Make the games known to ``gymnasium.make`` and ``gymnasium.make_vec``; a second call changes nothing.

    Raises:
        MissingExtraError: Gymnasium is not installed.
    """
    try:
        import gymnasium
    except ImportError:
        raise MissingExtraError(NEEDS) from None
    for name, known_as in IDS.items():
        if known_as not in gymnasium.registry:
            gymnasium.register(
                id=known_as,
                entry_point=f"{HOME}:GameEnv",
                vector_entry_point=f"{HOME}:GameVectorEnv",
                kwargs={"game": name},
            )
