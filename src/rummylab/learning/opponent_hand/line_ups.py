"""Who plays the games from which the opponent-hand network learns: lineups, and the paper's mixes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from rummylab.errors import OptionError

SIMPLE = "simple"
"""The official baseline, part of every mix."""


class Cast(NamedTuple):
    """The agents of the paper's mix besides Simple: two utility agents, and the agent with the network."""

    first: str
    second: str
    new: str


OURS = Cast("utility~10", "utility-patient~10", "utility@ours~10")
"""Agents with our numbers and options: they hold back a knock that does not pay."""
AT_ONCE = Cast("utility@first~10", "utility@second~10", "utility@at-once~10")
"""The paper's own terms: agents that knock as soon as they can, with two sets of its eight numbers."""
CASTS = {"ours": OURS, "at-once": AT_ONCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUp:
    """Two agents and their share of the entries."""

    first: str
    second: str
    share: float


def parse_mix(text: str) -> tuple[LineUp, ...]:
    """Read lineups such as ``utility:simple=1,utility:utility-patient=6``.

    Raises:
        OptionError: A part is not of the form FIRST:SECOND=SHARE.
    """
    found = []
    for part in text.split(","):
        pair, _, share = part.partition("=")
        first, _, second = (word.strip() for word in pair.partition(":"))
        try:
            found.append(LineUp(first=first, second=second, share=float(share or 1)))
        except ValueError:
            second = ""
        if not second:
            raise OptionError(f"{part!r} is not a lineup; write FIRST:SECOND=SHARE")
    return tuple(found)


def phase_mix(phase: int, model: Path | None = None, cast: Cast = OURS) -> tuple[LineUp, ...]:
    """Return the paper's mix of a phase. In phases 2 and 3 the new agent has the network of *model*, or *cast*'s.

    Phase 1: each pair of the two utility agents and Simple, with Simple the opponent in 4 of 32 million entries and the
    two agents in 14 each. Phases 2 and 3: the new agent against itself and the two original ones.
    """
    first, second = cast.first, cast.second
    new = f"utility@{model}~10" if model else cast.new
    if phase == 1:
        shares = ((first, second, 6.0), (first, SIMPLE, 1.0), (second, SIMPLE, 1.0))
    elif phase in (2, 3):
        shares = ((new, new, 1.0), (new, first, 1.0), (new, second, 1.0))
    else:
        raise OptionError(f"phase is {phase}, but the paper has phases 1, 2 and 3")
    return tuple(LineUp(first=a, second=b, share=share) for a, b, share in shares)


def paper_mix(model: Path | None = None, cast: Cast = OURS) -> tuple[LineUp, ...]:
    """Return the mix of all three phases, 32 to 9 to 9 million entries, with the final agent as the new one."""
    parts = [(phase_mix(1, cast=cast), 32 / 50), (phase_mix(3, model, cast), 18 / 50)]
    return tuple(
        replace(line_up, share=weight * line_up.share / sum(each.share for each in mix))
        for mix, weight in parts
        for line_up in mix
    )
