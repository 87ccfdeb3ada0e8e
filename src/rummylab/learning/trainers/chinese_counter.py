"""Train `chinese-counter`: three small networks that say what a position is worth, fitted to self-play.

    rummylab train chinese-counter --rounds-a-step 150000 --steps 3 --seed 1 --out runs/chinese-counter

Every step plays rounds of the game and notes the features of each position that the agent leaves after a discard, with
what the round brought in the end. The three networks are fitted to that by least squares (Adam). The first step learns
from `chinese-heuristic` against itself. Every later one learns from the agent so far, with some random turns: two
rounds in three against `chinese-heuristic`, one in three against itself. The data of the last two steps count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from rummylab._jit import kernel_of
from rummylab.agents.contract import counting as c
from rummylab.agents.registry import agent
from rummylab.arena.match import match
from rummylab.cards.bits import bit
from rummylab.cards.rng import AGENT, DECK, mix, typed_root
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.artifacts import write_json
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
from rummylab.games.contract.view import contract
from rummylab.learning.networks import build, load_torch, set_weights, weights_of
from rummylab.learning.options import ChineseCounterTraining
from rummylab.learning.signatures import INT, PARAMS, rows_of
from rummylab.learning.trainer import State, Trainer, seed_for

Floats = npt.NDArray[np.float32]
Network = list[Floats]
"""Inner weights (features x hidden), inner biases, outer weights, outer bias."""
Data = tuple[Floats, Floats, npt.NDArray[np.int8]]
"""Features, what the round brought, and the situation."""

STRAY = 0.1  # share of random turns while learning
BATCH, RATE, EPOCHS = 512, 2e-3, 6
WEIGHT_DECAY = 1e-6
NOTES_PER_ROUND = 14  # room; a round needs about six
_DATA, _MEASURE, _START = 7, 13, 17  # purposes of seeds, so that their deals differ


# --- 1. Play ------------------------------------------------------------------------------------------------------


@kernel_of(
    INT(
        *(rows_of(RECORD), INT, INT, ACT_POINTER, ACT_POINTER, PARAMS, PARAMS, types.float64),
        *(types.float32[:, ::1], types.float32[::1], types.int8[::1]),
    )
)
def note_positions(
    rows: Rows,
    seed: int,
    rounds: int,
    first: Any,
    second: Any,
    params: Any,
    params2: Any,
    bonus: float,
    features: Any,
    brought: Any,
    which: Any,
) -> int:
    """Play *rounds* rounds and note the positions that the first agent leaves; winning counts *bonus* points more.

    Return the number of notes.
    """
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
        # 2. The play; the position after a discard is noted.
        while table.actor >= 0:
            seat = int(table.actor)
            mine = row.mine[seat]
            if seat != swap:
                code = second(table, mine, params2)
            else:
                code = first(table, mine, params)
                if DISCARD_CODE <= code < LAY_OFF_CODE and table.n_hand[seat] > 1 and n < features.shape[0]:
                    card = code - DISCARD_CODE
                    wild = is_wild(table.rules, card)
                    hand = mine.hand & ~TWOS if wild else mine.hand & ~TWOS & ~bit(card)
                    wilds = n_wilds(table.rules, mine.hand, mine.twice, mine.jokers) - (1 if wild else 0)
                    live, live_wilds = c.unseen_cards(table, mine) & ~TWOS, c.unseen_wilds(table, mine)
                    c.write_features(table, seat, hand, wilds, c.fitting(table), card, live, live_wilds, features[n])
                    which[n] = c.situation(table, seat, has_laid_down(table, seat))
                    n += 1
            step(row, code)
        # 3. How it ended.
        value = 0.0
        if table.winner >= 0:
            value = (table.points + bonus) / c.POINTS
        for k in range(began, n):
            brought[k] = value if table.winner == swap else -value
    return n


def _notes(first: CompiledAgent, second: CompiledAgent, seed: int, rounds: int, bonus: float) -> Data:
    room = NOTES_PER_ROUND * rounds
    features = np.zeros((room, c.N_FEATURES), np.float32)
    brought, which = np.zeros(room, np.float32), np.zeros(room, np.int8)
    n = note_positions(
        contract().new_rows(1),
        seed,
        rounds,
        first.kernel,
        second.kernel,
        first.params,
        second.params,
        bonus,
        features,
        brought,
        which,
    )
    return features[:n], brought[:n], which[:n]


def play_step(networks: Sequence[Network], options: ChineseCounterTraining, number: int) -> Data:
    """Return the data of step *number*: from `chinese-heuristic` first, then from the agent with *networks*."""
    theirs = agent("contract", "chinese-heuristic")
    bonus = options.bonus
    seeds = [seed_for(options.seed, _DATA, number, part) for part in (0, 1)]
    if number == 0:
        return _notes(theirs, theirs, seeds[0], options.rounds_a_step, bonus)
    ours, steady = player_of(networks, bonus, STRAY), player_of(networks, bonus)
    against = 2 * options.rounds_a_step // 3
    parts = (
        _notes(ours, theirs, seeds[0], against, bonus),
        _notes(ours, steady, seeds[1], options.rounds_a_step - against, bonus),
    )
    return _joined(parts)


def _joined(parts: Sequence[Data]) -> Data:
    features, brought, which = (np.concatenate(column) for column in zip(*parts, strict=True))
    return features, brought, which


# --- 2. Fit -------------------------------------------------------------------------------------------------------


def new_network(rng: np.random.Generator) -> Network:
    """Return a network of small random weights."""
    inner = rng.normal(scale=0.2, size=(c.N_FEATURES, c.HIDDEN))
    outer = rng.normal(scale=0.2, size=c.HIDDEN)
    return [inner.astype(np.float32), np.zeros(c.HIDDEN, np.float32), outer.astype(np.float32), np.zeros(1, np.float32)]


def predict(network: Network, features: Floats) -> Floats:
    """Return the values that *network* gives: the readable twin of `counting.worth`."""
    inner, biases, outer, bias = network
    return np.asarray(np.maximum(features @ inner + biases, 0) @ outer + bias[0], np.float32)


def fit_network(network: Network, x: Floats, y: Floats, seed: Sequence[int]) -> tuple[Network, float]:
    """Return *network* improved by Adam with a falling rate, and the share of the variance that it explains.

    Fewer positions than a batch change nothing.
    """
    if len(x) < BATCH:
        return network, 0.0
    torch = load_torch(threads=1)
    model = build(torch, (c.N_FEATURES, c.HIDDEN, 1), 0)
    inner, biases, outer, bias = network
    set_weights(torch, model, (inner.T, biases, outer[None], bias))
    first, *others = model.parameters()
    optimizer = torch.optim.Adam([{"params": [first], "weight_decay": WEIGHT_DECAY}, {"params": others}])
    inputs, targets = torch.from_numpy(x), torch.from_numpy(y)
    rng = np.random.default_rng(seed)
    for epoch in range(EPOCHS):
        order = torch.from_numpy(rng.permutation(len(x)))
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - epoch / EPOCHS) + 1e-5
        for start in range(0, len(x) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            optimizer.zero_grad(set_to_none=True)
            loss = 0.5 * ((model(inputs[batch])[:, 0] - targets[batch]) ** 2).mean()
            loss.backward()
            optimizer.step()
    inner, biases, outer, bias = weights_of(model)
    fitted = [np.ascontiguousarray(inner.T), biases, outer[0], bias]
    return fitted, float(1 - ((predict(fitted, x) - y) ** 2).mean() / y.var())


# --- 3. The run ---------------------------------------------------------------------------------------------------


def flat(network: Network) -> list[float]:
    """Return the numbers of a network in the order in which the agent reads them, rounded as they are written."""
    return [round(float(x), 5) for part in network for x in part.ravel()]


def network_of(numbers: Sequence[float] | Floats) -> Network:
    """Return the network of the numbers that `flat` returned."""
    sizes = [c.N_FEATURES * c.HIDDEN, c.HIDDEN, c.HIDDEN, 1]
    parts = np.split(np.array(numbers, np.float32), np.cumsum(sizes)[:-1])
    return [parts[0].reshape(c.N_FEATURES, c.HIDDEN), *parts[1:]]


def player_of(networks: Sequence[Network], bonus: float, stray: float = 0.0) -> CompiledAgent:
    """Return the agent with these networks."""
    from rummylab.agents.contract.counter import act

    options = c.CounterOptions(random_turns=stray, bonus=bonus)
    return act.with_options(options, "candidate", np.concatenate([flat(network) for network in networks]))


class ChineseCounter(Trainer):
    """Steps of self-play and fitting."""

    ARTIFACT = "counter.json"
    COLUMNS = (
        "positions",
        "explained_neither",
        "explained_opponent",
        "explained_player",
        "win_rate",
        "points_per_round",
    )
    """The shares of the variance explained are by situation: who has laid down."""
    MAY_CHANGE = ("steps",)

    def __init__(self, options: ChineseCounterTraining) -> None:
        super().__init__(options)
        rng = np.random.default_rng([options.seed, _START])
        self.networks = [new_network(rng) for _ in c.SITUATIONS]
        self.last: Data = np.zeros((0, c.N_FEATURES), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int8)
        """The data of the last step but the first, whose play is another agent's."""

    @property
    def rounds(self) -> int:
        return int(self.options.steps)

    def run_round(self) -> Sequence[float]:
        fresh = play_step(self.networks, self.options, self.round)
        features, brought, which = _joined((self.last, fresh))
        explained = []
        for k, network in enumerate(self.networks):
            at = which == k
            seed = (self.options.seed, self.round, k)
            self.networks[k], share = fit_network(network, features[at], brought[at], seed)
            explained.append(share)
        if self.round:
            self.last = fresh
        measured = self.measure()
        return len(features), *explained, measured["win_rate"], measured["points_per_round"]

    def measure(self) -> dict[str, float]:
        """Return how the agent does against `chinese-heuristic`, on duplicate deals of their own."""
        seed = seed_for(self.options.seed, _MEASURE)
        games = max(2, self.options.rounds_a_step // 6)
        player = player_of(self.networks, self.options.bonus)
        played = match("contract", player, "chinese-heuristic", games=games, seed=seed, workers=1)
        return {
            "games": played.games,
            "win_rate": round(played.win_rate.value, 4),
            "points_per_round": round(played.points_per_hand.value, 2),
        }

    def state(self) -> State:
        weights = {
            f"network/{k}": np.concatenate([part.ravel() for part in net]) for k, net in enumerate(self.networks)
        }
        return {**weights, **dict(zip(("features", "brought", "which"), self.last, strict=True))}

    def set_state(self, state: State) -> None:
        self.networks = [network_of(state[f"network/{k}"]) for k in range(len(c.SITUATIONS))]
        self.last = state["features"], state["brought"], state["which"]

    def data_size(self) -> Mapping[str, Any]:
        return {"rounds": self.options.steps * self.options.rounds_a_step, "positions": int(self.curve[-1][1])}

    def result(self) -> Mapping[str, Any]:
        return self.measure()

    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        named = {name: flat(network) for name, network in zip(c.SITUATIONS, self.networks, strict=True)}
        head = {"format": c.FORMAT, "version": c.VERSION, "features": list(c.FEATURES)}
        write_json(path, {**head, "networks": named, "manifest": manifest})
