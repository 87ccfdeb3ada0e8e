"""Fits what a position is worth to the agent `chinese-counter`, by playing and looking how it ended.

    python -m rummylab.learning.chinese_counter --seed 1 --rounds 150000 --steps 3 --out counter.json

Every step plays rounds, notes the features of each position the agent left after a discard and what the round brought
in the end, and fits the three networks to that by least squares (Adam). The first step learns from `chinese-heuristic`
against itself, every other one from the agent so far, which strays now and then: two rounds in three against
`chinese-heuristic`, one against itself. Data of the last two steps count. Each step is written to FILE.part when done;
the same command carries on from there. The result is measured on fresh deals.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from rummylab._jit import kernel_of, source_hash
from rummylab.agents.contract import counting as c
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import bit
from rummylab.cards.rng import AGENT, DECK, mix, typed_root
from rummylab.engine.agent import CompiledAgent
from rummylab.errors import ArtifactError, OptionError
from rummylab.games.contract.game import chinese
from rummylab.games.contract.melds import TWOS
from rummylab.games.contract.rules import (
    ACT_POINTER,
    DISCARD_CODE,
    LAY_OFF_CODE,
    RECORD,
    Rows,
    first_starter,
    has_laid_down,
    is_wild,
    n_wilds,
    open_hand,
    open_match,
    shuffle_deck,
    step,
)

log = logging.getLogger(__name__)

Floats = npt.NDArray[np.float32]
Network = list[Floats]
"""Inner weights (features x hidden), inner offsets, outer weights, outer offset."""
Data = tuple[Floats, Floats, npt.NDArray[np.int8]]
"""Features, what the round brought, and the situation."""

STRAY = 0.1  # share of random turns while learning
BATCH, RATE, EPOCHS = 512, 2e-3, 6
NOTES_PER_ROUND = 14  # room; a round needs about six
RIDGE = 1e-6
_DATA, _JUDGEMENT, _START = 7, 13, 17  # so that the cards and draws of each purpose differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a fit hangs on."""

    seed: int
    rounds: int
    """Rounds played in each step."""
    steps: int

    def __post_init__(self) -> None:
        if self.rounds < 300 or self.steps < 1:
            raise OptionError(f"a fit needs 300 rounds and a step or more, not {self.rounds} and {self.steps}")


# --- 1. Play ------------------------------------------------------------------------------------------------------


@kernel_of(
    types.int64(
        types.Array(from_dtype(RECORD), 1, "C"),
        types.int64,
        types.int64,
        ACT_POINTER,
        ACT_POINTER,
        types.float32[::1],
        types.float32[::1],
        types.float32[:, ::1],
        types.float32[::1],
        types.int8[::1],
    )
)
def note_positions(
    rows: Rows,
    seed: int,
    rounds: int,
    first: Any,
    second: Any,
    par: Any,
    par2: Any,
    features: Any,
    brought: Any,
    which: Any,
) -> int:
    """Play *rounds* rounds; note the positions that the first agent leaves. Return how many there are."""
    row = rows[0]
    table = row.table
    n = 0
    for number in range(rounds):
        # 1. The deal; the agents change seats every round.
        swap = number & 1
        open_match(row, first_starter(table, typed_root(seed), number))
        for k in range(2):
            row.mine[swap ^ k].rng = mix(seed, number, 0, AGENT + k)
        shuffle_deck(row, mix(seed, number, 0, DECK))
        open_hand(row)
        began = n
        # 2. The play; what is left after a discard is noted.
        while table.actor >= 0:
            seat = int(table.actor)
            mine = row.mine[seat]
            if seat != swap:
                code = second(table, mine, par2)
            else:
                code = first(table, mine, par)
                if DISCARD_CODE <= code < LAY_OFF_CODE and table.n_hand[seat] > 1 and n < features.shape[0]:
                    card = code - DISCARD_CODE
                    wild = is_wild(card)
                    hand = mine.hand & ~TWOS if wild else mine.hand & ~TWOS & ~bit(card)
                    wilds = n_wilds(mine.hand, mine.jokers) - (1 if wild else 0)
                    live, live_wilds = c.unseen_cards(table, mine) & ~TWOS, c.unseen_wilds(table, mine)
                    c.write_features(table, seat, hand, wilds, c.fitting(table), card, live, live_wilds, features[n])
                    which[n] = c.situation(table, seat, has_laid_down(table, seat))
                    n += 1
            step(row, code)
        # 3. How it ended.
        value = 0.0
        if table.winner >= 0:
            value = (table.points + c.FOR_WINNING) / c.POINTS
        for k in range(began, n):
            brought[k] = value if table.winner == swap else -value
    return n


def _notes(first: CompiledAgent, second: CompiledAgent, seed: int, rounds: int) -> Data:
    room = NOTES_PER_ROUND * rounds
    features = np.zeros((room, c.N_FEATURES), np.float32)
    brought, which = np.zeros(room, np.float32), np.zeros(room, np.int8)
    n = note_positions(
        chinese().new_rows(1),
        seed,
        rounds,
        first.pointer,
        second.pointer,
        first.par,
        second.par,
        features,
        brought,
        which,
    )
    return features[:n], brought[:n], which[:n]


def play_step(networks: Sequence[Network], settings: Settings, number: int) -> Data:
    """Return the data of step *number*: from the seed's AI first, then from the agent with these networks."""
    theirs = agent("chinese", "chinese-heuristic")
    seeds = [int(mix(settings.seed, number, part, _DATA) >> np.uint64(1)) for part in (0, 1)]
    if number == 0:
        return _notes(theirs, theirs, seeds[0], settings.rounds)
    ours, steady = player_of(networks, STRAY), player_of(networks)
    against = 2 * settings.rounds // 3
    parts = (_notes(ours, theirs, seeds[0], against), _notes(ours, steady, seeds[1], settings.rounds - against))
    return _together(parts)


def _together(parts: Sequence[Data]) -> Data:
    features, brought, which = (np.concatenate(column) for column in zip(*parts, strict=True))
    return features, brought, which


# --- 2. Fit -------------------------------------------------------------------------------------------------------


def new_network(rng: np.random.Generator) -> Network:
    """Return a network of small random weights."""
    inner = rng.normal(scale=0.2, size=(c.N_FEATURES, c.HIDDEN))
    outer = rng.normal(scale=0.2, size=c.HIDDEN)
    return [inner.astype(np.float32), np.zeros(c.HIDDEN, np.float32), outer.astype(np.float32), np.zeros(1, np.float32)]


def predict(network: Network, features: Floats) -> Floats:
    """Return the values a network gives: the readable twin of `counting.worth`."""
    inner, offsets, outer, offset = network
    return np.asarray(np.maximum(features @ inner + offsets, 0) @ outer + offset[0], np.float32)


def _slopes(network: Network, x: Floats, y: Floats) -> Iterator[Floats]:
    """Yield the slope of the mean square error with respect to each part of the network."""
    inner, offsets, outer, offset = network
    sums = x @ inner + offsets
    hidden = np.maximum(sums, 0)
    error = (hidden @ outer + offset[0] - y) / len(y)
    back = np.outer(error, outer) * (sums > 0)
    yield x.T @ back + RIDGE * inner
    yield back.sum(axis=0)
    yield hidden.T @ error
    yield np.array([error.sum()], np.float32)


def fit_network(network: Network, x: Floats, y: Floats, rng: np.random.Generator) -> float:
    """Improve *network* by Adam with a falling rate; return the share of the variance it explains.

    Fewer positions than a batch teach nothing.
    """
    if len(x) < BATCH:
        return 0.0
    mean = [np.zeros_like(part) for part in network]
    square = [np.zeros_like(part) for part in network]
    n_steps = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(x))
        rate = RATE * (1 - epoch / EPOCHS) + 1e-5
        for start in range(0, len(x) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            n_steps += 1
            for k, slope in enumerate(list(_slopes(network, x[batch], y[batch]))):
                mean[k] = 0.9 * mean[k] + 0.1 * slope
                square[k] = 0.999 * square[k] + 0.001 * slope * slope
                change = mean[k] / (1 - 0.9**n_steps) / (np.sqrt(square[k] / (1 - 0.999**n_steps)) + 1e-8)
                network[k] -= (rate * change).astype(np.float32)
    return float(1 - ((predict(network, x) - y) ** 2).mean() / y.var())


# --- 3. All of it, step by step -----------------------------------------------------------------------------------


def flat(network: Network) -> list[float]:
    """Return the numbers of a network in the order of `par`, as they are written."""
    return [round(float(x), 5) for part in network for x in part.ravel()]


def network_of(numbers: Sequence[float]) -> Network:
    """Return the network of the numbers that `flat` gave."""
    sizes = [c.N_FEATURES * c.HIDDEN, c.HIDDEN, c.HIDDEN, 1]
    parts = np.split(np.array(numbers, np.float32), np.cumsum(sizes)[:-1])
    return [parts[0].reshape(c.N_FEATURES, c.HIDDEN), *parts[1:]]


def player_of(networks: Sequence[Network], stray: float = 0.0) -> CompiledAgent:
    """Return the agent with these networks."""
    from rummylab.agents.contract.counter import act

    return CompiledAgent("candidate", act, (stray, *(x for network in networks for x in flat(network))))


def artifact(networks: Sequence[Network], manifest: dict[str, Any]) -> dict[str, Any]:
    """Return what is written to the agent's file."""
    named = {name: flat(network) for name, network in zip(c.SITUATIONS, networks, strict=True)}
    head = {"format": c.FORMAT, "version": c.VERSION, "features": list(c.FEATURES)}
    return {**head, "networks": named, "manifest": manifest}


def judge(networks: Sequence[Network], settings: Settings) -> dict[str, float]:
    """Return how the agent does against the seed's AI, on duplicate deals of their own."""
    seed = int(mix(settings.seed, 0, 0, _JUDGEMENT) >> np.uint64(1))
    games = max(2, settings.rounds // 6)
    result = match("chinese", player_of(networks), "chinese-heuristic", games=games, seed=seed, workers=1)
    return {"win_rate": round(result.win_rate.value, 4), "points_per_round": round(result.points_per_hand.value, 2)}


def _resume(part: Path, settings: Settings) -> tuple[list[Network], list[dict[str, Any]]]:
    """Return the networks and the steps done so far."""
    if not part.exists():
        rng = np.random.default_rng([settings.seed, _START])
        return [new_network(rng) for _ in c.SITUATIONS], []
    try:
        kept = json.loads(part.read_text(encoding="utf-8"))
        if kept["settings"] != asdict(settings):
            raise ArtifactError(f"{part.name} belongs to a fit with other settings: {kept['settings']}")
        return [network_of(numbers) for numbers in kept["networks"]], kept["steps"]
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, ArtifactError):
            raise
        raise ArtifactError(f"{part.name} is damaged; remove it to start anew") from error


def fit(settings: Settings, out: Path) -> dict[str, Any]:
    """Fit, write the artifact to *out*, and return it; an interrupted fit carries on where it stopped."""
    part = out.with_name(out.name + ".part")
    networks, steps = _resume(part, settings)
    last: Data | None = None
    while len(steps) < settings.steps:
        number = len(steps)
        fresh = play_step(networks, settings, number)
        data = fresh if last is None or number < 2 else _together((last, fresh))
        last = fresh
        rng = np.random.default_rng([settings.seed, number])
        explained = []
        for k, network in enumerate(networks):
            at = data[2] == k
            explained.append(round(fit_network(network, data[0][at], data[1][at], rng), 4))
        steps.append({"positions": len(data[0]), "explained": explained, **judge(networks, settings)})
        log.info("step %d: %s", len(steps), steps[-1])
        kept = {"settings": asdict(settings), "networks": [flat(network) for network in networks], "steps": steps}
        part.write_text(json.dumps(kept), encoding="utf-8")
    command = f"--seed {settings.seed} --rounds {settings.rounds} --steps {settings.steps}"
    manifest = {
        "command": f"python -m rummylab.learning.chinese_counter {command}",
        **asdict(settings),
        "code": source_hash(),
        "result": steps,
    }
    made = artifact(networks, manifest)
    out.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    part.unlink()
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a fit from the command line."""
    parser = argparse.ArgumentParser(prog="python -m rummylab.learning.chinese_counter", description=fit.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=150_000, help="rounds played in each step")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    fit(Settings(seed=chosen.seed, rounds=chosen.rounds, steps=chosen.steps), chosen.out)


if __name__ == "__main__":
    main()
