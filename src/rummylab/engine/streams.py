"""Random numbers for players, and the secret keys of matches with outside agents.

Every stream that a player gets, in a batch or at the Python table, is the keyed hash of (root, deal, player) in
:mod:`rummylab.cards.rng`. The root stays with the referee.
"""

from __future__ import annotations

import re
import secrets
from typing import Any, Final

import numpy as np

from rummylab.cards.rng import AGENT, KEY_BITS, is_key, root_of, stream
from rummylab.errors import OptionError

_KEY: Final = re.compile(r"[0-9a-f]{32}")

_UNSEEDED: Final = np.random.PCG64(0)
_OWN: Final = frozenset(("__class__", "__dict__", "cell", "is_seeded", "start", "state"))


class PlayerStream(np.random.Generator):
    """The random numbers of one player in one match: a NumPy generator that compiled agents can read too.

    Python agents draw from it as from any generator. Compiled agents advance ``state``, as they do in a batch; it is in
    ``cell``, which they keep, because looking anything up in a generator that may not be seeded yet takes time.
    Nothing in it leads back to the deck: it starts from a one-way hash. The generator is seeded when a Python agent
    first asks for something of it: that takes longer than two moves at the table, and compiled agents do without.
    """

    def __init__(self, start: int) -> None:
        super().__init__(_UNSEEDED)
        self.start: Final = start
        self.cell = [start]
        self.is_seeded = False

    @property
    def state(self) -> int:
        """Where compiled agents have got to."""
        return self.cell[0]

    @state.setter
    def state(self, value: int) -> None:
        self.cell[0] = value

    def __getattribute__(self, name: str) -> Any:
        if name not in _OWN and not self.is_seeded:
            self.is_seeded = True
            super().__init__(np.random.PCG64(self.start))
        return super().__getattribute__(name)


def player_stream(seed: int, deal: int = 0, player: int = 0) -> PlayerStream:
    """Return the stream of *player* (its place in the lineup) in match number *deal* under *seed*."""
    return PlayerStream(int(stream(root_of(seed), deal, 0, AGENT + player)))


def as_player_stream(rng: np.random.Generator) -> PlayerStream:
    """Return *rng* itself if it is a player's stream, else a new stream that starts from its next number."""
    return rng if isinstance(rng, PlayerStream) else PlayerStream(int(rng.integers(2**64, dtype=np.uint64)))


def new_key() -> int:
    """Return 128 secret bits, usable wherever a seed is: nobody can guess the decks they deal."""
    while not is_key(key := secrets.randbits(KEY_BITS)):
        pass
    return key


def key_text(key: int) -> str:
    """Return *key* as ``--key`` takes it."""
    return f"{key:032x}"


def parse_key(text: str) -> int:
    """Return the key that *text* spells out.

    Raises:
        OptionError: *text* is not a key that a match has printed.
    """
    word = text.strip().lower()
    if not _KEY.fullmatch(word) or not is_key(int(word, 16)):
        raise OptionError(f"{text!r} is not a key. A key has 32 hexadecimal digits, as a match prints it at its end.")
    return int(word, 16)


def seed_fields(seed: int | None) -> dict[str, Any]:
    """Return *seed* as files keep it: ``seed`` for a typed one, ``key`` beside it for a secret key."""
    return {"seed": None, "key": key_text(seed)} if seed is not None and is_key(seed) else {"seed": seed}


def seed_option(seed: int) -> list[str]:
    """Return the words of a command that repeats deals from *seed*."""
    return ["--key", key_text(seed)] if is_key(seed) else ["--seed", str(seed)]


def seed_words(seed: int) -> str:
    """Return *seed* as a person reads it: ``seed 7``, or ``key`` and its digits."""
    return f"key {key_text(seed)}" if is_key(seed) else f"seed {seed}"
