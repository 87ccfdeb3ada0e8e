"""The review of a match, added up from the reviews of its hands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rummylab.analysis.review import WORST
from rummylab.ui.table.coaching import MISTAKES, LedgerPart, ledger_entries, review_title
from rummylab.ui.table.store import Game

Hand = tuple[Game, Mapping[str, Any]]
"""A finished hand and its stored review."""
KEPT = ("decision", "n", "text", "loss", "loss_text", "is_mistake", "verdict")
"""What a line about a decision shows; the position comes with the review of the hand."""
SHOWN = ("kind", "value", "text", "clear")
"""What a line about a hand shows of each entry of its ledger; reviews of earlier versions lack the last one."""


def match_review(hands: Sequence[Hand], outcome: str) -> dict[str, Any]:
    """Return the ledger of a match, its worst decisions and a line for each hand, ready for JSON."""
    totals = _totals([review for _, review in hands])
    rows = [_row(game, review) for game, review in hands]
    last, latest = hands[-1]
    who = str(latest.get("who", "you"))
    luck = totals["luck"]
    mistakes = sum(row["mistakes"] for row in rows)
    return {
        "title": review_title("You" if who == "you" else who, mistakes, luck.value, luck.half),
        "heading": last.heading.rpartition(" · ")[0],
        "outcome": outcome or "The match is not over.",
        "ledger": ledger_entries(list(totals.values())),
        "decisions": _worst(hands),
        "hands": rows,
        "note": (
            f"Sums of the reviews of {len(hands)} hand{'s' * (len(hands) != 1)}, in points. Intervals are 95%; the "
            "errors of the hands are independent, so they add in squares. A choice is called a mistake only if the "
            "whole interval of its loss is below zero."
        ),
    }


def _totals(reviews: Sequence[Mapping[str, Any]]) -> dict[str, LedgerPart]:
    """Return the sum of each entry of the ledgers. Independent errors add in squares."""
    ledgers = [{entry["kind"]: entry for entry in review["ledger"]} for review in reviews]
    return {
        kind: LedgerPart(
            kind,
            entry["label"],
            sum(float(ledger[kind]["value"]) for ledger in ledgers),
            math.hypot(*(_half(ledger[kind]) for ledger in ledgers)),
        )
        for kind, entry in ledgers[-1].items()
    }


def _half(entry: Mapping[str, Any]) -> float:
    """Return half the width of an interval. Reviews of earlier versions have it in words only."""
    return float(entry["half"] if "half" in entry else entry["text"].partition(" ± ")[2] or 0)


def _worst(hands: Sequence[Hand]) -> list[dict[str, Any]]:
    """Return the costliest decisions of all hands: each of them is among the costliest of its hand."""
    found = [
        {"record": game.record, "hand": hand_name(game)} | {key: decision[key] for key in KEPT}
        for game, review in hands
        for decision in review["decisions"]
    ]
    return sorted(found, key=lambda decision: float(decision["loss"]))[:WORST]


def _row(game: Game, review: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "record": game.record,
        "hand": hand_name(game),
        "result": game.result,
        "won": game.won,
        "ledger": [{key: entry[key] for key in SHOWN if key in entry} for entry in review["ledger"]],
        "mistakes": sum(decision["verdict"] in MISTAKES for decision in review["all"]),
    }


def hand_name(game: Game) -> str:
    """Return what a hand is called, as the end of its heading says: ``Hand 3``, ``Deal 2 of 3``."""
    name = game.heading.rpartition(" · ")[2].partition(":")[0]
    return name[:1].upper() + name[1:]
