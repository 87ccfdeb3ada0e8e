"""Numbers and tables as the reports write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rummylab.arena.statistics import Estimate


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def share_words(estimate: Estimate, places: int = 3) -> str:
    """Return a share with its interval."""
    return f"{estimate.value:.{places}f} ({estimate.low:.{places}f} to {estimate.high:.{places}f})"


def signed_words(estimate: Estimate, places: int = 2) -> str:
    """Return points or a difference with its interval: the sign matters."""
    return f"{estimate.value:+.{places}f} ({estimate.low:+.{places}f} to {estimate.high:+.{places}f})"


def p_words(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def number_words(value: float, places: int) -> str:
    """Return a plain number: whole ones without a point, large ones with commas."""
    return f"{value:,.0f}" if value == round(value) and places == 0 else f"{value:,.{places}f}"
