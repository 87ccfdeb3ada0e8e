"""Champion: make the move that three small networks, learned in self-play, expect to bring the most points.

Source: ours. Values from self-play with temporal differences go back to Tesauro's TD-Gammon; Kotnik and Kalita (2003)
first tried them in Gin Rummy.

Policy. Draw: take the upcard if the best discard or knock after it is worth more than a card from the stock. Discard:
the card after which the position is worth most. Knock: always with gin, and otherwise if a knock makes it more likely
to win the match than going on (`match_chance`). Melds and layoffs are left to the showdown solver. What the networks
see, and the model of the opponent's cards that they use, is in :mod:`rummylab.agents.gin.champion_values`.

Levels. ``champion(level=1)`` to ``champion(level=10)`` are handicaps for people to play against: the values get random
errors, and discards older than a few turns are forgotten. Nothing else differs, and no level sees hidden cards.

Departures: none. Trained by ``rummylab train gin-champion``; measured in docs/results/champion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rummylab._jit import helper
from rummylab.agents.gin.champion_values import N_WEIGHTS, WORK, candidates, draw_values, look, turn_values
from rummylab.agents.gin.common import closing_code, draw_code, has_big_gin, is_draw
from rummylab.agents.register import register_agent
from rummylab.cards.bits import bit, lowest, noinline, stack_array, stack_record
from rummylab.cards.melds import min_deadwood
from rummylab.cards.rng import nearly_normal
from rummylab.engine.agent_options import AgentOptions, option
from rummylab.engine.artifacts import Tensors, check_kind, read_artifact
from rummylab.engine.rows import Floats, Params
from rummylab.games.gin.rules import (
    DISCARD,
    DISCARD_CODE,
    KNOCK_CODE,
    SHOW_BIG_GIN,
    can_knock,
    can_take,
    decline,
    discards,
)

FORMAT, VERSION = "rummylab gin champion", 1
ARTIFACT = Path(__file__).with_suffix(".safetensors")
GRID = tuple(range(-45, 61, 5))
MOST_POINTS, TARGET = 125, 100
SHAPES = {
    "weights": (N_WEIGHTS,),
    "results": (2, len(GRID), 2 * MOST_POINTS + 1),
    "equity": (TARGET, TARGET),
}
N_RESULTS = 2 * MOST_POINTS + 1
BY_LEVEL = -1
NOISE = (7.19, 6.07, 5.21, 4.44, 3.76, 3.08, 2.57, 1.98, 1.21, 0.0)
"""For each level, the spread of the random error of a value, in points."""
MEMORY = (1, 1, 2, 3, 4, 5, 7, 10, 99, 99)
"""For each level, how many turns discards are remembered; 99: all."""


@dataclass(frozen=True, kw_only=True)
class ChampionOptions(AgentOptions):
    """Options of the champion: its level, or the handicaps one by one."""

    level: int = option(10, "Strength, from 1 (loses to Simple) to 10 (no handicap).", low=1, high=10)
    noise: float = option(
        float(BY_LEVEL), "Spread of the random error of a value, in points; -1: by level.", low=-1, high=1000
    )
    memory: int = option(BY_LEVEL, "Turns for which discards are remembered; -1: by level.", low=-1, high=99)
    by_score: bool = option(True, "Knock by the chance to win the match; otherwise by the points of the hand.")


P = ChampionOptions.indices()
WEIGHTS = len(P)
"""Where the trained numbers begin in ``params``: the weights, then the results and the match equity."""
RESULTS = WEIGHTS + N_WEIGHTS
EQUITY = RESULTS + 2 * len(GRID) * N_RESULTS


def weights(options: ChampionOptions) -> Floats:
    """Return the trained numbers of the artifact; what only ``by_score`` reads is left out without it."""
    tensors = load_tensors(ARTIFACT)
    names = ("weights", "results", "equity") if options.by_score else ("weights",)
    return np.concatenate([tensors[name].ravel() for name in names]).astype(np.float32)


def load_weights(path: Path) -> Floats:
    """Return the trained numbers in the artifact *path*."""
    return load_tensors(path)["weights"]


@cache
def load_tensors(path: Path) -> Tensors:
    """Return the tensors of the artifact *path*; raise `ArtifactError` if it does not fit.

    ``weights`` are the numbers that the kernels read. ``results[kind, k, points + MOST_POINTS]`` is the distribution of
    a hand's result where the value was ``GRID[k]`` points, if the player goes on (kind 0) or knocks (1).
    ``equity[mine, theirs]`` is the chance to win a match to 100 from these scores between equal players.
    """
    tensors, manifest = read_artifact(path, SHAPES)
    check_kind(manifest, path.name, FORMAT, VERSION)
    return tensors


@helper
def noise_of(params: Params) -> float:
    """Return the spread of the random errors of the values, in points."""
    return params[P.noise] if params[P.noise] >= 0 else np.float32(NOISE[np.int64(params[P.level]) - 1])


@helper
def memory_of(params: Params) -> int:
    """Return for how many turns discards are remembered."""
    return np.int64(params[P.memory]) if params[P.memory] >= 0 else np.int64(MEMORY[np.int64(params[P.level]) - 1])


@helper
def match_chance(table: np.void, seat: int, points: float, is_knock: bool, params: Params) -> float:
    """Return the chance that *seat* wins the match where a move is worth *points*, against an equal opponent.

    The distribution of the hand's result is that of hands in self-play in which a knock, or going on, was worth as
    much. The table of match equity is for matches to 100; other targets are scaled.
    """
    noinline()
    place = min(max((points - GRID[0]) / (GRID[1] - GRID[0]), 0.0), len(GRID) - 1.001)
    lower = np.int64(place)
    upper_share = np.float32(place - lower)
    row = RESULTS + (np.int64(is_knock) * len(GRID) + lower) * N_RESULTS
    scale = TARGET / table.rules.target
    mine, theirs = table.scores[seat] * scale, table.scores[1 - seat] * scale
    total, whole = 0.0, 0.0
    for k in range(N_RESULTS):
        chance = (np.float32(1.0) - upper_share) * params[row + k] + upper_share * params[row + N_RESULTS + k]
        whole += chance
        won = (k - MOST_POINTS) * scale
        me, them = np.int64(mine + max(won, 0.0)), np.int64(theirs + max(-won, 0.0))
        if me >= TARGET:
            total += chance
        elif them < TARGET:
            total += chance * params[EQUITY + me * TARGET + them]
    return total / max(whole, 1e-6)


@helper
def prefers_knock(table: np.void, mine: np.void, knock: float, value: float, params: Params) -> bool:
    """Return whether a knock worth *knock* points is better than going on, worth *value*."""
    if params[P.by_score] == 0 or table.rules.target <= 0:
        return knock > value
    seat = np.int64(mine.seat)
    going_on = match_chance(table, seat, np.float64(value), False, params)  # of one type, so it is compiled once
    return match_chance(table, seat, np.float64(knock), True, params) > going_on


@helper
def _draw(table: np.void, mine: np.void, params: Params) -> int:
    """Take the upcard or decline it, whichever is worth more."""
    if not can_take(table):
        return decline(table)
    spread = noise_of(params)
    take, stock = draw_values(table, mine, look(table, mine, memory_of(params)), params, WEIGHTS, stack_record(WORK))
    takes = take + nearly_normal(mine, spread) > stock + nearly_normal(mine, spread)
    return draw_code(table, takes)


@helper
def _discard(table: np.void, mine: np.void, params: Params) -> int:
    """Knock or discard, whichever is worth most; show gin at once."""
    if has_big_gin(table, mine):
        return np.int64(SHOW_BIG_GIN)
    values = stack_array(64, np.float32)
    sight = look(table, mine, memory_of(params))
    card, value, knock, knock_value = turn_values(table, mine, sight, params, WEIGHTS, stack_record(WORK), values)
    may_knock = knock >= 0 and can_knock(table, mine, knock)
    if may_knock and min_deadwood(mine.hand & ~bit(knock)) == 0:
        return KNOCK_CODE + knock
    spread = noise_of(params)
    if spread > 0:
        value = np.float32(-1e9)
        left, _, _ = candidates(mine.hand, discards(table, mine))
        while left:
            other = lowest(left)
            left &= left - 1
            worth = values[other] + nearly_normal(mine, spread)
            if worth > value:
                card, value = other, np.float32(worth)
    if may_knock and prefers_knock(table, mine, float(knock_value + nearly_normal(mine, spread)), float(value), params):
        return KNOCK_CODE + knock
    return DISCARD_CODE + card


@register_agent(
    game="gin",
    name="champion",
    summary="Plays for the most expected points by networks learned in self-play, knocks by the score; levels 1 to 10",
    source="ours: temporal-difference values in self-play",
    options=ChampionOptions,
    weights=weights,
)
def act(table: np.void, mine: np.void, params: Params) -> int:
    """Draw, discard and knock by the learned values."""
    if is_draw(table):
        return _draw(table, mine, params)
    if table.phase == DISCARD:
        return _discard(table, mine, params)
    return closing_code(table, mine)
