"""The studies that can be repeated, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rummylab.errors import OptionError, UnknownNameError


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much is played. Results depend on these and on the seed, not on the number of workers."""

    games: int = 10_000
    """Deals per ordered pair of agents."""
    hands: int = 1_000_000
    """Random hands for the distributions."""
    seed: int = 2026
    workers: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("games", 2), ("hands", 100)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}, but must be at least {least}")
        if self.workers is not None and self.workers < 1:
            raise OptionError(f"workers is {self.workers}, but at least one is needed")


QUICK = Scale(games=60, hands=2000)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A registered study. Its module has ``reproduce(out, scale, progress) -> Path``, the report."""

    name: str
    title: str
    home: str

    def run(self, out: Path, scale: Scale, progress: Progress | None = None) -> Path:
        """Run what is not on disk yet below *out* and write the report; return its path."""
        module: Any = import_module(self.home)
        report: Path = module.reproduce(out, scale, progress)
        return report


REPRODUCTIONS = {
    study.name: study
    for study in (
        Reproduction(
            "indian",
            "Saha et al., Quantitative Rule-Based Strategy modeling in Classic Indian Rummy (arXiv:2601.00024)",
            "rummylab.arena.reproduce.indian",
        ),
    )
}


def reproduction(name: str) -> Reproduction:
    """Return the study *name*; an unknown one suggests the nearest."""
    if name not in REPRODUCTIONS:
        raise UnknownNameError("reproduction", name, REPRODUCTIONS)
    return REPRODUCTIONS[name]
