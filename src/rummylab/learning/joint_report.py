"""How well the joint belief is calibrated, opponent by opponent: ``rummylab evaluate gin-joint-belief``.

Every agent of the registry is the opponent of one player. At its turns 1, 5, 10 and 13 the deadwood of hands sampled
from each belief is compared with that of the hands that it really held; and the chances of single cards with how often
the cards were there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rummylab._jit import kernel
from rummylab.agents.registry import entries
from rummylab.beliefs.gin import counts, joint, network, sampling, shape, uniform
from rummylab.beliefs.gin.joint import Joint
from rummylab.beliefs.gin.query import believe
from rummylab.cards.bits import IDS_52
from rummylab.cards.rng import scramble
from rummylab.engine.rows import Floats, Rows
from rummylab.games.gin.view import gin
from rummylab.learning.joint_belief import Positions, deadwoods, play_game
from rummylab.learning.opponent_hand.players import player

Masks = npt.NDArray[np.int64]
Progress = Callable[[int, int], None]

VIEWER = "champion"
"""Who plays against each opponent and forms the beliefs."""
TURNS = (1, 5, 10, 13)
"""Complete turns of the opponent at which deadwood is compared."""
BELIEFS = ("uniform", "counts", "network", "shaped", "joint")
SINGLE = ("uniform", "counts", "network", "joint")
"""Beliefs whose chances of single cards are compared."""
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
GOAL = 2.0
"""Points of deadwood within which implied and true deadwood should agree."""
_FRESH = 9_000_000


@kernel
def _sample_one(views: Rows, kind: int, params: Floats, seed: int, out: Masks) -> None:
    """Write one hand drawn from a belief by cards for each of *views*: uniform, counts, network or shaped."""
    belief, ways, one = np.empty(52, np.float32), np.empty(sampling.SHAPE, np.float64), np.empty(1, np.int64)
    for i in range(views.shape[0]):
        table, mine = views[i].table, views[i].mine
        mine.rng = scramble(np.uint64(seed + i))
        if kind == 0:
            uniform.fill(table, mine, params, 0, belief)
        elif kind == 1:
            counts.fill(table, mine, params, 0, belief)
        else:
            network.fill(table, mine, params, 0, belief)
        sampling.sample_hands(mine, uniform.unseen(table, mine), belief, ways, one, 1)
        if kind == 3:
            shape.shape_hands(table, mine, one[0], belief, params, network.N_WEIGHTS, one, 1)
        out[i] = one[0]


@kernel
def _effective(weights: Floats, out: Floats) -> None:
    """Write how many equally weighted hands each row of *weights* is worth to *out*."""
    for i in range(weights.shape[0]):
        total = np.float32(0.0)
        for k in range(weights.shape[1]):
            total += weights[i, k] * weights[i, k]
        out[i] = 1 / total


def deadwood_of(hands: Masks) -> npt.NDArray[np.int64]:
    """Return the deadwood of each hand."""
    found = np.empty(hands.size, np.int64)
    deadwoods(np.ascontiguousarray(hands).ravel(), found)
    return found.reshape(hands.shape)


def positions_against(opponent: str, seed: int, n: int) -> Positions:
    """Return *n* positions of the viewer against *opponent* at each of `TURNS`, or as many as 400 games have."""
    rules, players = gin(), (player(VIEWER), player(opponent))
    parts: list[Positions] = []
    counted = np.zeros(len(TURNS), np.int64)
    for game in range(400):
        found = play_game(rules, seed + _FRESH, game, players, share=0.6, most=2000)
        kept = (found.notes["opponent"] == 1) & np.isin(found.notes["turn"], TURNS)
        for place, turn in enumerate(TURNS):
            at = np.flatnonzero(kept & (found.notes["turn"] == turn))
            kept[at[max(0, n - int(counted[place])) :]] = False
            counted[place] += len(at)
        parts.append(Positions(found.views[kept], found.notes[kept], found.knocks[:0]))
        if counted.min() >= n:
            break
    return Positions.join(parts)


def implied(positions: Positions, model: Joint, seed: int) -> tuple[dict[str, npt.NDArray[np.float64]], float]:
    """Return the deadwood that each belief implies in every position, and the mean number of effective hands."""
    plain = np.concatenate([network.bundled().flat, shape.bundled().ravel()]).astype(np.float32)
    found: dict[str, npt.NDArray[np.float64]] = {}
    for kind, name in enumerate(BELIEFS[:4]):
        hands = np.empty(len(positions), np.int64)
        _sample_one(positions.views.copy(), kind, plain, seed, hands)
        found[name] = deadwood_of(hands).astype(np.float64)
    hands = np.empty((len(positions), joint.N_PROPOSED), np.int64)
    weights = np.empty(hands.shape, np.float32)
    joint.sample_many(positions.views, model.flat, seed, hands, weights)
    found["joint"] = (deadwood_of(hands) * weights).sum(axis=1)
    effective = np.empty(len(positions), np.float32)
    _effective(weights, effective)
    return found, float(effective.mean())


def reliability(positions: Positions, model: Joint) -> dict[str, Any]:
    """Return log loss and, by bins of the chance, the mean chance and the share of cards really held."""
    held = (positions.notes["held"][:, None] >> IDS_52.astype(np.int64)) & 1
    views = positions.views
    gone = (views["mine"]["hand"] | views["table"]["pile"])[:, None] >> IDS_52.astype(np.int64) & 1
    seats = 1 - views["mine"]["seat"].astype(np.int64)
    known = views["table"]["known"][np.arange(len(views)), seats][:, None] >> IDS_52.astype(np.int64) & 1
    open_cards = (gone == 0) & (known == 0)
    found: dict[str, Any] = {}
    for name in SINGLE:
        chances = believe(name, views, model if name == "joint" else None)[open_cards].astype(np.float64)
        truth = held[open_cards]
        sure = np.clip(chances, 1e-4, 1 - 1e-4)
        loss = -np.where(truth == 1, np.log(sure), np.log(1 - sure)).mean()
        which = np.clip(np.digitize(chances, BINS) - 1, 0, len(BINS) - 2)
        rows = []
        for number in range(len(BINS) - 1):
            here = which == number
            if here.sum() >= 50:
                rows.append((BINS[number], BINS[number + 1], int(here.sum()), chances[here].mean(), truth[here].mean()))
        found[name] = {"log_loss": float(loss), "bins": rows}
    return found


def measure(
    n: int, seed: int, model: Joint | None = None, opponents: list[str] | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Return implied and true deadwood for every opponent, and the reliability of single cards."""
    model = model or joint.bundled()
    names = opponents or [entry.name for entry in entries("gin")]
    rows, sample, effective = [], [], []
    for done, name in enumerate(names, 1):
        positions = positions_against(name, seed, n)
        found, worth = implied(positions, model, seed)
        truth = deadwood_of(positions.notes["held"].copy()).astype(np.float64)
        for turn in TURNS:
            here = positions.notes["turn"] == turn
            if here.sum() < 20:
                continue
            means = {belief: float(values[here].mean()) for belief, values in found.items()}
            error = float((found["joint"][here] - truth[here]).std() / np.sqrt(here.sum()))
            rows.append(
                {
                    "opponent": name,
                    "turn": turn,
                    "n": int(here.sum()),
                    "true": float(truth[here].mean()),
                    "se": error,
                    **means,
                }
            )
        keep = slice(0, max(1, len(positions) // 4))
        sample.append(Positions(positions.views[keep], positions.notes[keep], positions.knocks))
        effective.append(worth)
        if progress:
            progress(done, len(names))
    found_cards = reliability(Positions.join(sample), model)
    return {
        "n": n,
        "seed": seed,
        "rows": rows,
        "effective": float(np.mean(effective)),
        "cards": found_cards,
        "model": model.manifest.get("sha256", ""),
    }


def markdown(found: dict[str, Any], command: str) -> str:
    """Return the report as Markdown."""
    rows = found["rows"]
    off = [row for row in rows if abs(row["joint"] - row["true"]) > GOAL]
    worst = {name: max(abs(row[name] - row["true"]) for row in rows) for name in BELIEFS}
    mean = {name: float(np.mean([abs(row[name] - row["true"]) for row in rows])) for name in BELIEFS}
    lines = [
        "# How well does the joint belief know the opponent's hand?",
        "",
        f"Generated by `{command}`. {VIEWER.split('~')[0]} plays every agent and forms the beliefs; up to {found['n']} "
        f"positions for each of the opponent's turns {', '.join(map(str, TURNS))} (seed {found['seed']}).",
        "",
        f"The joint belief is within {GOAL:g} points of the true deadwood in {len(rows) - len(off)} of {len(rows)} rows"
        + ("." if not off else ": it misses " + ", ".join(f"{r['opponent']} at turn {r['turn']}" for r in off) + "."),
        f"A decision weighs {joint.N_PROPOSED} proposed hands, worth {found['effective']:.0f} equally likely ones.",
        "",
        "## Deadwood of the opponent's hand",
        "",
        "| belief | mean error | largest error |",
        "|---|---|---|",
        *(f"| {name} | {mean[name]:.2f} | {worst[name]:.1f} |" for name in BELIEFS),
        "",
        "Mean deadwood that each belief implies, beside the true one. ± is the standard error of joint less true.",
        "",
        f"| opponent | turn | positions | true | {' | '.join(BELIEFS)} | joint less true |",
        "|---|---|---|---|" + "---|" * (len(BELIEFS) + 1),
    ]
    for row in rows:
        values = " | ".join(f"{row[name]:.1f}" for name in BELIEFS)
        gap = f"{row['joint'] - row['true']:+.1f} ± {row['se']:.1f}"
        lines.append(f"| {row['opponent']} | {row['turn']} | {row['n']} | {row['true']:.1f} | {values} | {gap} |")
    lines += ["", "## Chances of single cards", "", "Cards whose place is certain are left out.", ""]
    lines += ["| belief | log loss |", "|---|---|"]
    lines += [f"| {name} | {part['log_loss']:.4f} |" for name, part in found["cards"].items()]
    lines += ["", "Of the cards to which the belief gives such a chance, the share that the opponent held:", ""]
    lines += ["| belief | chance | cards | mean chance | held |", "|---|---|---|---|---|"]
    for name in ("network", "joint"):
        for low, high, count, chance, share in found["cards"][name]["bins"]:
            lines.append(f"| {name} | {low:.0%} to {high:.0%} | {count} | {chance:.1%} | {share:.1%} |")
    return "\n".join(lines) + "\n"
