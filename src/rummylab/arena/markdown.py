"""Numbers and tables in Markdown, as all reports write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence

from rummylab.arena.statistics import Estimate


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Container[int] = ()) -> str:
    """Return a Markdown table; the columns *numbers* are aligned to the right."""
    rule = "".join("--:|" if i in numbers else "---|" for i in range(len(head)))
    lines = ["| " + " | ".join(map(as_cell, head)) + " |", "|" + rule]
    return "\n".join([*lines, *("| " + " | ".join(map(as_cell, row)) + " |" for row in rows)]) + "\n"


def as_code(name: str) -> str:
    """Return *name* as Markdown code. Backticks and control characters in it are replaced."""
    shown = "".join("'" if letter == "`" else letter if letter.isprintable() else "?" for letter in name)
    return f"`{shown}`"


def without_html(text: str) -> str:
    """Return Markdown *text* in which HTML tags outside code are shown as text."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"<(?=[A-Za-z/!?])", "&lt;", part) for part in parts[::2]]
    return "".join(parts)


def as_cell(text: str) -> str:
    """Return *text* as a cell of a Markdown table."""
    return without_html(re.sub(r"(?<!\\)\|", r"\\|", text.replace("\n", " ")))


def share_words(estimate: Estimate, places: int = 3) -> str:
    """Return a share with its interval."""
    return f"{estimate.value:.{places}f} ({estimate.low:.{places}f} to {estimate.high:.{places}f})"


def signed_words(estimate: Estimate, places: int = 2) -> str:
    """Return points or a difference with its interval, all of them with a sign."""
    return f"{estimate.value:+.{places}f} ({estimate.low:+.{places}f} to {estimate.high:+.{places}f})"


def percent_words(estimate: Estimate, places: int = 1) -> str:
    """Return a share with its interval, in percent."""
    return f"{estimate.value:.{places}%} ({estimate.low:.{places}%} to {estimate.high:.{places}%})"


def p_words(value: float) -> str:
    """Return a p-value; small ones as an upper bound."""
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def number_words(value: float, places: int) -> str:
    """Return a number with *places* decimal places and commas."""
    return f"{value:,.0f}" if value == round(value) and places == 0 else f"{value:,.{places}f}"


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return *names*, with numbers after those that occur more than once: ``simple (1)``, ``simple (2)``."""
    total, so_far = Counter(names), Counter[str]()
    labels = []
    for name in names:
        so_far[name] += 1
        labels.append(name if total[name] == 1 else f"{name} ({so_far[name]})")
    return tuple(labels)


def games_needed(factor: float) -> str:
    """Return how many games duplicate deals need for equal precision; *factor* is the ratio of the variances."""
    change = round(100 * (1 / factor - 1)) if factor > 0 else 0
    return "as many games" if change == 0 else f"{abs(change)}% {'fewer' if change < 0 else 'more'} games"
