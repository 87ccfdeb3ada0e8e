"""Numbers and tables as the reports write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from rummylab.arena.statistics import Estimate


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(map(as_cell, head)) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(as_cell, row)) + " |" for row in rows)]) + "\n"


def as_code(name: str) -> str:
    """Return the name of an agent or a run as Markdown code, whatever its owner put into it."""
    shown = "".join("'" if letter == "`" else letter if letter.isprintable() else "?" for letter in name)
    return f"`{shown}`"


def without_html(text: str) -> str:
    """Return Markdown *text* in which a tag outside code is shown, not obeyed."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"<(?=[A-Za-z/!?])", "&lt;", part) for part in parts[::2]]
    return "".join(parts)


def as_cell(text: str) -> str:
    """Return *text* for one cell of a Markdown table."""
    return without_html(re.sub(r"(?<!\\)\|", r"\\|", text.replace("\n", " ")))


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


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return *names*, those that occur more than once numbered: ``simple (1)``, ``simple (2)``."""
    total, so_far = Counter(names), Counter[str]()
    labels = []
    for name in names:
        so_far[name] += 1
        labels.append(name if total[name] == 1 else f"{name} ({so_far[name]})")
    return tuple(labels)


def games_needed(factor: float) -> str:
    """Say how many games duplicate deals need for the precision of independent ones, by their variance's ratio."""
    change = round(100 * (1 / factor - 1)) if factor > 0 else 0
    return "as many games" if change == 0 else f"{abs(change)}% {'fewer' if change < 0 else 'more'} games"
