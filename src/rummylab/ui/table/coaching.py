"""Coach and review for people: the values of :mod:`rummylab.analysis`, in the words and shapes that a table shows.

A coach gets an observation, never a state. A review is about a finished hand, whose cards lie open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from rummylab.analysis.answers import Analysis, MoveValue
from rummylab.analysis.review import Review, review
from rummylab.analysis.trials import counts_losses
from rummylab.analysis.values import Budget, analyze
from rummylab.cards.card import RANKS
from rummylab.engine.action import Event
from rummylab.engine.observation import Observation
from rummylab.engine.records import Record
from rummylab.engine.show import MINUS, Show
from rummylab.ui.table.config import Chair
from rummylab.ui.table.replays import present_action, start_state
from rummylab.ui.table.view import position_view, rules_title, show_of

Z: Final = 1.96
"""Standard errors to each side of a 95% interval."""
SUITS: Final = "shdc"
"""Suits in the order of the map."""
MOST_REASONS: Final = 3
LEAST_LOSS: Final = 0.05
"""Points below which a loss reads as 0.0."""
LEAST_LUCK: Final = 5.0
"""Points of luck that are worth a word."""
MISTAKES: Final = ("mistake", "blunder")
"""Verdicts that count as mistakes."""


def number_text(value: float) -> str:
    """Return a number of points with its sign: ``+9.2``, ``−1.4``."""
    rounded = round(value, 1)
    return f"{'+' if rounded > 0 else MINUS if rounded < 0 else ''}{abs(rounded):.1f}"


def move_dict(move: MoveValue, show: Show, best: bool) -> dict[str, Any]:
    """Return a move with its value, as it is shown."""
    error = Z * move.se
    return {
        "action": str(move.action),
        "label": show.label(move.action)[0],
        "value": move.points,
        "error": move.se,
        "low": move.points - error,
        "high": move.points + error,
        "text": f"{number_text(move.points)} ± {error:.1f}" if error else number_text(move.points),
        "best": best,
        "reasons": [
            {"kind": reason.kind, "text": reason.text, "number": reason.number}
            for reason in move.reasons[:MOST_REASONS]
        ],
    }


def coach(seen: Observation, show: Show, version: int, agent: str | None, budget: Budget) -> dict[str, Any]:
    """Return ranked moves with reasons, and where each unseen card is likely to be."""
    found = analyze(seen, agent=agent, budget=budget)
    return {
        "version": version,
        "unit": f"expected points of the {show.hand_words().partition(' ')[0]}",
        "method": f"{found.method[0].upper()}{found.method[1:]}, {found.worlds} possible worlds.",
        "agent": agent or "",
        "moves": [move_dict(move, show, i == 0) for i, move in enumerate(found.moves)],
        "map": belief_maps(found, show),
        "notes": [*_pool_note(seen), *(reason.text for reason in found.facts)],
        "target": show.target() or None,
    }


def _pool_note(seen: Observation) -> list[str]:
    return ["In a pool only lost points count: who wins a deal loses none."] if counts_losses(seen.rules) else []


def belief_maps(found: Analysis, show: Show) -> list[dict[str, Any]]:
    """Return a 4 x 13 map of each opponent's hand."""
    belief = found.belief
    places = {card: i for i, card in enumerate(belief.cards)}
    maps = []
    for row, seat in enumerate(belief.seats):
        known = set(belief.known[row])
        cells = []
        for suit in SUITS:
            for rank in RANKS:
                card = f"{rank}{suit}"
                chance = belief.held[row][places[card]] if card in places else 0.0
                sure = card in known
                cells.append(
                    {
                        "card": card,
                        "probability": chance,
                        "known": sure,
                        "impossible": chance == 0 and not sure,
                        "text": "✓" if sure else "–" if chance == 0 else f"{100 * chance:.0f}",
                    }
                )
        title = f"{show.whose(int(seat))} hand, %"
        maps.append({"title": title[0].upper() + title[1:], "seat": int(seat), "cells": cells})
    return maps


# --- Review ---------------------------------------------------------------------------------------------------------


def review_dict(
    record: Record,
    seat: int,
    budget: Budget | None,
    progress: Callable[[int, int], None] | None,
    seconds: float | None = None,
    *,
    you: bool = True,
) -> tuple[dict[str, Any], Review]:
    """Return the review of a hand for *seat*, ready for JSON, and the review itself.

    The words say *you* to a reader who played the hand, and use the player's name to others.
    """
    names = [str(name) for name in record.header["seats"]]
    more: dict[str, Any] = {} if budget is None else {"budget": budget}
    found = review(record, seat=seat, names=names, progress=progress, seconds=seconds, **more)
    rows = [row for row in found.rows if row.decision is not None and row.seat == seat]
    chairs = chairs_of(record, seat)
    seen_at = observations(record, {row.event for row in rows}, seat)
    by_event = {row.event: number for number, row in enumerate(rows)}
    decisions, answers = [], {}
    for number, row in enumerate(rows):
        show = show_of(seen_at[row.event], chairs, you=you, hand_no=record.header["hand"])
        decisions.append(_decision(record, row, number, show))
        answers[str(number)] = plain_moves(row.decision.moves if row.decision else (), show)
    worst = [by_event[found.rows[i].event] for i in found.worst if found.rows[i].event in by_event]
    worst = [number for number in worst if decisions[number]["loss"] < -LEAST_LOSS]
    for number in worst:
        seen = seen_at[rows[number].event]
        title = rules_title(seen.rules.spec, seen.rules)
        view = position_view(seen, chairs, title=title, you=seat, hand_no=record.header["hand"])
        decisions[number]["position"] = view
    body = {
        "title": _title(found, "You" if you else names[seat]),
        "who": "you" if you else names[seat],
        "unit": "points of the hand",
        "ledger": _ledger(found, names, "Your" if you else f"{names[seat]}'s"),
        "graph": _graph(found, record, seat),
        "decisions": [decisions[i] for i in worst],
        "all": [_short(decision) for decision in decisions],
        "answers": answers,
        "kinds": [asdict(kind) for kind in found.kinds],
        "note": (
            f"{found.method[0].upper()}{found.method[1:]}. Loss = best choice less yours, in points of this hand, "
            "with its 95% interval. A choice is called a mistake only if the whole interval is below zero"
            + (
                ", and never if the coach would have made it: its hints come from the champion's own values, which can "
                "differ from play-outs."
                if any(move.hinted for row in rows if row.decision for move in row.decision.moves)
                else "."
            )
        ),
    }
    return body, found


def observations(record: Record, events: Collection[int], seat: int) -> dict[int, Observation]:
    """Return what *seat* saw before each of some *events*, in one pass through the record."""
    state, found = start_state(record), {}
    for number, event in enumerate(record.events):
        if number in events:
            found[number] = state.observe(seat)
        if event.chosen:
            state.push(present_action(event.action))
    return found


def chairs_of(record: Record, seat: int | None) -> tuple[Chair, ...]:
    """Return the players of a record as chairs."""
    names = [str(name) for name in record.header["seats"]]
    return tuple(Chair("person" if place == seat else "agent", name, name) for place, name in enumerate(names))


def _ledger(found: Review, names: Sequence[str], whose: str) -> list[dict[str, Any]]:
    """Return result, luck and skill of a hand."""
    others = "Opponent's decisions" if len(names) == 2 else "Opponents' decisions"
    return ledger_entries(
        [
            LedgerPart("result", "Result", found.result, 0.0),
            LedgerPart("luck", "Luck of the cards", found.luck, Z * found.luck_se),
            LedgerPart("mine", f"{whose} decisions", found.own, Z * found.own_se),
            LedgerPart("theirs", others, found.opponents, Z * found.opponents_se),
        ]
    )


class LedgerPart(NamedTuple):
    """An entry of a ledger, with half the width of its 95% interval."""

    kind: str
    label: str
    value: float
    half: float


def ledger_entries(parts: Sequence[LedgerPart]) -> list[dict[str, Any]]:
    """Return a ledger as it is shown. It adds up to the last digit: luck gets what rounding leaves."""
    shown = {part.kind: round(part.value, 1) for part in parts}
    shown["luck"] = shown["result"] - shown["mine"] - shown["theirs"]
    return [
        {
            "label": part.label,
            "value": part.value,
            "half": part.half,
            "text": number_text(shown[part.kind]) + (f" ± {part.half:.1f}" if part.half else ""),
            "kind": part.kind,
            "clear": abs(part.value) > part.half,
        }
        for part in parts
    ]


def _title(found: Review, who: str) -> str:
    decided = [row.decision for row in found.rows if row.decision and row.seat == found.seat]
    return review_title(who, sum(one.verdict in MISTAKES for one in decided), found.luck, Z * found.luck_se)


def review_title(who: str, mistakes: int, luck: float, half: float) -> str:
    """Return mistakes and luck in a few words; luck is named if it is clear and more than 5 points."""
    lucky, unlucky = luck > max(half, LEAST_LUCK), luck < -max(half, LEAST_LUCK)
    if mistakes == 0:
        return f"{who} played without a mistake" + (
            ", and had bad luck" if unlucky else ", and had good luck" if lucky else ""
        )
    played = f"{mistakes} mistake{'s' * (mistakes != 1)}"
    return played + (", and good luck" if lucky else ", and bad luck" if unlucky else "")


def _steps(record: Record) -> dict[int, int]:
    """Return the number of each chosen event among the moves, from 0: the step of a replay before it."""
    chosen = [i for i, event in enumerate(record.events) if event.chosen]
    return {event: number for number, event in enumerate(chosen)}


def _graph(found: Review, record: Record, seat: int) -> dict[str, Any]:
    """Return the value after every move, and the mistakes on the way, by the steps of a replay."""
    steps = _steps(record)
    moves = [(i, row) for i, row in enumerate(found.rows) if row.event in steps]
    doubts = [0.0, *(Z * row.after_se for row in found.rows)]
    values = [(0, found.graph[moves[0][0]], doubts[moves[0][0]])] if moves else [(0, 0.0, 0.0)]
    values += [(steps[row.event] + 1, found.graph[i + 1], doubts[i + 1]) for i, row in moves]
    values[-1] = (values[-1][0], found.result, 0.0)
    marks = [
        {"step": steps[row.event] + 1, "text": number_text(row.decision.loss), "verdict": row.decision.verdict}
        for _, row in moves
        if row.decision is not None and row.seat == seat and row.decision.verdict in MISTAKES
    ]
    points = [{"step": step, "value": value, "low": value - half, "high": value + half} for step, value, half in values]
    return {"unit": "points", "points": points, "marks": marks}


def _decision(record: Record, row: Any, number: int, show: Show) -> dict[str, Any]:
    decision = row.decision
    half = max(decision.high - decision.loss, decision.loss - decision.low)
    hinted = any(move.hinted and str(move.action) == decision.played for move in decision.moves)
    word = "coach’s choice" if hinted and decision.verdict == "fine" else decision.verdict
    return {
        "decision": number,
        "step": _steps(record)[row.event],
        "n": number + 1,
        "text": _chosen(record.events[row.event], show),
        "kind": decision.kind,
        "loss": decision.loss,
        "low": decision.low,
        "high": decision.high,
        "loss_text": f"{word} {number_text(decision.loss)} ± {half:.1f}",
        "is_mistake": decision.verdict in MISTAKES,
        "verdict": decision.verdict,
    }


def _chosen(event: Event, show: Show) -> str:
    """Return what a player decided, in words. A card that came from the stock was not known then."""
    verb, who = event.action.verb, show.who(int(event.seat))
    if verb in ("draw stock", "pass") and not event.action.cards and show.seen.upcard is not None:
        return f"{who} {'left' if verb == 'pass' else 'drew from the stock and left'} {show.upcard_text}"
    told = show.sentence(event, show.seen.upcard)
    return told.text.rstrip(".") if told is not None else f"{who}: {show.label(event.action)[0]}"


def _short(decision: Mapping[str, Any]) -> dict[str, Any]:
    return {key: decision[key] for key in ("decision", "step", "text", "kind", "loss", "loss_text", "verdict")}


def plain_moves(moves: Sequence[MoveValue], show: Show) -> list[dict[str, Any]]:
    """Return moves with their values and what they are behind the best, as a review keeps them."""
    return [
        move_dict(move, show, i == 0) | {"behind": move.behind, "behind_error": move.behind_se, "hinted": move.hinted}
        for i, move in enumerate(moves)
    ]


def verdict_on(moves: Sequence[Mapping[str, Any]], action: str) -> dict[str, Any]:
    """Return how a choice compares with the best of *moves*: the answer to a retry or a puzzle."""
    best = moves[0]
    chosen = next((move for move in moves if move["action"] == action), None)
    if chosen is None:
        return {
            "chosen": None, "best": best, "loss": None, "is_mistake": None, "verdict": "unknown", "moves": list(moves),
            "text": f"This choice was not played out. The best is: {best['label']}.",
        }  # fmt: skip
    loss, half = chosen["behind"], Z * chosen["behind_error"]
    hinted = bool(chosen.get("hinted"))
    is_mistake = loss + half < 0 and not hinted
    verdict = "best" if chosen is best else "mistake" if is_mistake else "good"
    texts = {
        "best": "That is the best choice.",
        "good": f"Good: {number_text(loss)} ± {half:.1f} against the best, "
        + ("but it is what the coach would do." if hinted else "which is not a clear difference."),
        "mistake": f"The best is: {best['label']}. Yours costs {number_text(loss)} ± {half:.1f} points.",
    }
    return {
        "chosen": chosen, "best": best, "loss": loss, "is_mistake": is_mistake, "verdict": verdict,
        "text": texts[verdict], "moves": list(moves),
    }  # fmt: skip
