"""One way to run a training: rounds, a checkpoint after each, a learning curve, and a manifest at the end.

A `Trainer` says what a round is and what the next round depends on; `train` does the rest. A run that was stopped
resumes from its checkpoint and writes the same bytes as one that was never stopped. The directory of a run holds

- ``checkpoint.npz``, the state after the last complete round,
- ``curve.csv``, a line for each round,
- ``timing.json``, the seconds of CPU time so far: the only file that differs between two equal runs,
- the artifact, with a manifest: command, options, seed, code version, size of the data, measured result.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rummylab.arena.version import code_version
from rummylab.cards.rng import mix
from rummylab.engine.artifacts import write_json
from rummylab.engine.reading import MALFORMED
from rummylab.engine.writing import write_whole
from rummylab.errors import ArtifactError, MissingExtraError
from rummylab.learning.checkpoint import Checkpoint

CHECKPOINT, CURVE, TIMING = "checkpoint.npz", "curve.csv", "timing.json"
Progress = Callable[[int, int, str], None]
"""Called with the rounds done, the rounds in all, and the last line of the curve in words."""
State = Mapping[str, Any]
"""What the next round depends on: arrays and JSON values, by name."""


class Trainer(ABC):
    """A training run between two rounds.

    A subclass has an options dataclass with a ``seed`` and does its work in `run_round`.
    """

    ARTIFACT: ClassVar[str]
    """The name of the file that is written at the end."""
    COLUMNS: ClassVar[tuple[str, ...]]
    """Names of the numbers that `run_round` returns: the columns of the learning curve."""
    MAY_CHANGE: ClassVar[tuple[str, ...]] = ()
    """Options that may have another value when a run resumes."""

    def __init__(self, options: Any) -> None:
        self.options = options
        self.round = 0
        self.curve: list[list[float]] = []
        self.code: list[str] = []
        """Versions of the code that took part, oldest first."""

    @property
    @abstractmethod
    def rounds(self) -> int:
        """The number of rounds."""

    @property
    def is_done(self) -> bool:
        """Whether the run has come to its end."""
        return self.round >= self.rounds

    @abstractmethod
    def run_round(self) -> Sequence[float]:
        """Do round number ``self.round`` and return its line of the learning curve."""

    @abstractmethod
    def state(self) -> State:
        """Return what the next round depends on."""

    @abstractmethod
    def set_state(self, state: State) -> None:
        """Take over the state of a checkpoint."""

    @abstractmethod
    def write(self, path: Path, manifest: Mapping[str, Any]) -> None:
        """Write the artifact with its manifest to *path*."""

    @abstractmethod
    def data_size(self) -> Mapping[str, Any]:
        """Return how much data the run learned from."""

    @abstractmethod
    def result(self) -> Mapping[str, Any]:
        """Measure what was learned."""

    def identity(self) -> dict[str, Any]:
        """Return the options that must be the same when a run resumes."""
        return {name: value for name, value in plain(self.options).items() if name not in self.MAY_CHANGE}

    def manifest(self, command: str) -> dict[str, Any]:
        """Return how the artifact was made, and what was measured of it."""
        return {
            "command": command,
            "options": plain(self.options),
            "seed": self.options.seed,
            "code": ", ".join(self.code),
            "data": dict(self.data_size()),
            "result": dict(self.result()),
        }


def train(trainer: Trainer, out: Path, *, command: str = "", progress: Progress | None = None) -> dict[str, Any]:
    """Run *trainer* to its end in the directory *out*; resume from the checkpoint there, if there is one.

    Returns:
        The manifest of the artifact.

    Raises:
        ArtifactError: The checkpoint is damaged or belongs to a run with other options.
    """
    out.mkdir(parents=True, exist_ok=True)
    _resume(trainer, out / CHECKPOINT)
    trainer.code = list(dict.fromkeys([*trainer.code, code_version()]))
    seconds = _seconds(out / TIMING) if trainer.round else 0.0
    while not trainer.is_done:
        began = time.process_time()
        trainer.curve.append([float(value) for value in (trainer.round + 1, *trainer.run_round())])
        trainer.round += 1
        seconds += time.process_time() - began
        _checkpoint(trainer).save(out / CHECKPOINT)
        _write_curve(trainer, out / CURVE)
        write_json(out / TIMING, {"rounds": trainer.round, "cpu_seconds": round(seconds, 2)})
        if progress is not None:
            progress(trainer.round, trainer.rounds, words(trainer))
    manifest = trainer.manifest(command)
    trainer.write(out / trainer.ARTIFACT, manifest)
    return manifest


def seed_for(seed: int, purpose: int, part: int = 0, number: int = 0) -> int:
    """Return a seed derived from the *seed* of a run. Each *purpose*, *part* and *number* has its own."""
    return int(mix(seed, part, number, purpose) >> np.uint64(1))


def words(trainer: Trainer) -> str:
    """Return the last line of the curve in words."""
    return ", ".join(f"{name} {value:.4g}" for name, value in zip(trainer.COLUMNS, trainer.curve[-1][1:], strict=True))


def plain(options: Any) -> dict[str, Any]:
    """Return an options dataclass as JSON values."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(options), default=str))
    return found


def missing(package: str) -> MissingExtraError:
    """Return the error for a *package* of the training extra that is not installed."""
    return MissingExtraError(f"training needs {package}: pip install 'rummylab[train]'")


def _checkpoint(trainer: Trainer) -> Checkpoint:
    state = trainer.state()
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    facts = {name: value for name, value in state.items() if name not in arrays}
    done = {"round": trainer.round, "curve": trainer.curve, "code": trainer.code, "facts": facts}
    return Checkpoint(arrays, {"trainer": type(trainer).__name__, **trainer.identity(), **done})


def _resume(trainer: Trainer, path: Path) -> None:
    if not path.exists():
        return
    found = Checkpoint.load(path)
    found.expect({"trainer": type(trainer).__name__, **trainer.identity()})
    try:
        trainer.set_state({**found.arrays, **found.label["facts"]})
        trainer.curve = [[float(value) for value in line] for line in found.label["curve"]]
        trainer.code = [str(version) for version in found.label["code"]]
        trainer.round = found.number("round")
    except MALFORMED as error:
        if isinstance(error, ArtifactError):
            raise
        raise ArtifactError(f"{path} does not fit this trainer ({error}); delete it to start over") from None


def _seconds(path: Path) -> float:
    try:
        return float(json.loads(path.read_text(encoding="utf-8"))["cpu_seconds"])
    except (OSError, *MALFORMED):
        return 0.0


def _write_curve(trainer: Trainer, path: Path) -> None:
    lines = [",".join(("round", *trainer.COLUMNS))]
    lines += [",".join(f"{value:.6g}" for value in line) for line in trainer.curve]
    write_whole(path, ("\n".join(lines) + "\n").encode())
