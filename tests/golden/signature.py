"""The behavior signature: fixed deals, fixed agents, a hash of every event log.

``python tests/golden/signature.py`` prints the hashes, with ``--write`` it pins them in ``signatures.json`` and writes
the readable record beside it. When a rule or an agent changes on purpose, the version of the rules moves too and
the changelog says why.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import combinations, islice, pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # when run as a script
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from helpers import fewer
from rummylab.agents.registry import agent, entries
from rummylab.cards.rng import root_of
from rummylab.engine.referee import play_match
from rummylab.engine.state import State
from rummylab.games.registry import FORMER_NAMES, GAMES

HERE = Path(__file__).parent
PINNED = HERE / "signatures.json"
READABLE = HERE / "gin_hand.txt"
SEED = 20_260
HANDS_AT_THE_TABLE = 40
HANDS_OF_A_MATCH = 12
BATCH_PAIRS = 200
SEARCHES_LATE = "contract-counter-search"
"""An agent that takes milliseconds for a move, but only near the end of a stock."""
_FEW = 3
ADDED = ("places", "shares", "rejoins")
"""Fields that tallies have had since matches of many deals; in a single deal they say nothing new."""


def text_of(state: State) -> str:
    """A finished hand as text: the deal, every event, the result."""
    lines = [f"{state.rules.name} v{state.rules.version}, seat {state.starter} starts"]
    lines += [str(event) for event in state.log]
    lines += [json.dumps(state.result)]
    return "\n".join(lines) + "\n"


def pinned_text(state: State) -> str:
    """A finished hand under the names that games and verbs had when the hashes were pinned.

    A new name is not new behavior, so it does not move a hash.
    """
    names = {new: old for old, new in FORMER_NAMES.items()}
    game = state.rules.name
    text = text_of(state).replace(f"{game} v", f"{names.get(game, game)} v", 1)
    for verb in state.rules.spec.verbs:
        if verb.former:
            text = text.replace(f": {verb.words}", f": {verb.former[0]}")
    return text


def seated(first: str, second: str, seats: int) -> list[str]:
    """Two agents in turn around the table."""
    return [(first, second)[seat % 2] for seat in range(seats)]


def table_matches(game: str, preset: str, first: str, second: str) -> Iterator[list[State]]:
    """Yield some forty hands at the Python table: matches one by one, each with its first dozen hands."""
    rules = GAMES[game].rules(preset)
    n = pair = 0
    while n < fewer(HANDS_AT_THE_TABLE, first, second):
        players = [agent(game, name) for name in seated(first, second, rules.seats)]
        hands = list(islice(play_match(rules, players, SEED, pair=pair), HANDS_OF_A_MATCH))
        yield hands
        n += len(hands)
        pair += 1


def table_signature(matches: Iterable[list[State]]) -> str:
    """The hash of the logs of all hands."""
    digest = hashlib.sha256()
    for hands in matches:
        for state in hands:
            digest.update(pinned_text(state).encode())
    return digest.hexdigest()[:24]


def batch_tallies(game: str, preset: str, first: str, second: str) -> np.ndarray:
    """The results of pairs of matches in the batch kernel."""
    rules, kernels = GAMES[game].rules(preset), GAMES[game].batch
    players = [agent(game, name) for name in seated(first, second, rules.seats)]
    # Where a match is one hand, ten times as many: rare showdowns must be among them.
    options = rules.options.to_dict()
    is_long = options.get("target") or options.get("rounds", 1) > 1 or "hands" in options
    n_pairs = BATCH_PAIRS if is_long else 10 * BATCH_PAIRS
    if is_long and SEARCHES_LATE in (first, second):
        n_pairs //= 4  # many of their rounds reach its search, where those of a single round seldom do
    tallies = np.zeros(2 * fewer(n_pairs, first, second), kernels.tally_for(rules.seats))
    acts, params = [player.kernel for player in players], [player.params for player in players]
    swapped = [range(rules.seats), range(rules.seats)[::-1]]
    kernels.play_seatings(rules.new_rows(1), root_of(SEED), 0, swapped, acts, params, tallies)
    return tallies


def batch_signature(tallies: np.ndarray) -> str:
    """The hash of the results, by value, so that padding and byte order play no part."""
    names = [name for name in tallies.dtype.names or () if name not in ADDED]
    values = list(zip(*(tallies[name].tolist() for name in names), strict=True))
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:24]


def meetings(game: str, preset: str) -> list[tuple[str, str]]:
    """Return who meets: everybody itself and, under the game's first preset, others.

    Under further presets a meeting of two agents shows nothing that their meetings with themselves do not.
    """
    names = [entry.name for entry in entries(game)]
    alone = [(name, name) for name in names]
    if preset != next(iter(GAMES[game].presets)):
        return alone
    # Every pair or, where agents are many, each with the next.
    return [*alone, *(combinations(sorted(names), 2) if len(names) <= _FEW else pairwise(names))]


def signatures() -> dict[str, dict[str, str | int]]:
    """Return the hashes by game, preset and meeting, with the version the behavior belongs to."""
    return {
        f"{name}/{preset}/{first}/{second}": {
            "version": game.rules(preset).version,
            "table": table_signature(table_matches(name, preset, first, second)),
            "batch": batch_signature(batch_tallies(name, preset, first, second)),
        }
        for name, game in GAMES.items()
        for preset in game.presets
        for first, second in meetings(name, preset)
    }


def readable_hand() -> str:
    """One hand of Simple against Simple under ``eaai``: for people, and for the test beside it."""
    rules = GAMES["gin"].rules("eaai")
    return text_of(next(play_match(rules, [agent("gin", "simple"), agent("gin", "simple")], SEED)))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="pin the signatures of this version")
    options = parser.parse_args(arguments)
    text = json.dumps(signatures(), indent=2) + "\n"
    if options.write:
        PINNED.write_text(text)
        READABLE.write_text(readable_hand())
    sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
