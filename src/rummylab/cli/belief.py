"""``rummylab belief``: what a player may think the opponent holds, at any decision of a recorded hand."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rummylab.cli.common import announce_compilation, print_json

if TYPE_CHECKING:
    from rummylab.agents.gin.utility_explain import Throw

SAMPLES = 1000
"""Hands that an agent samples when it is asked about a discard: more than in play, so that the numbers are steady."""
RANKS, SUITS = "A23456789TJQK", "♣♥♠♦"


def belief(
    file: Path = typer.Argument(help="A record file (.rgr) of Gin."),
    at: int = typer.Option(..., "--at", help="Number of the decision, from 1: the position before it is made."),
    hand: int = typer.Option(1, help="Number of the hand in the file, from 1."),
    seat: int | None = typer.Option(None, help="Who is asked; default: the player to act."),
    kind: str = typer.Option("network", "--belief", help="network, counts (or fuzzy) or uniform."),
    model: Path | None = typer.Option(None, help="Directory of another network."),
    agent: str | None = typer.Option(None, help="Ask a utility agent: its belief and, at a discard, its numbers."),
    truth: bool = typer.Option(False, "--truth", help="Mark the cards the opponent really holds."),
    plot: Path | None = typer.Option(None, help="Draw the map into this PNG file."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Print the 4 x 13 map of the opponent's hand as one player sees it."""
    from rummylab.beliefs.gin.ask import believe
    from rummylab.beliefs.gin.network import BUNDLED, Network

    announce_compilation()
    from rummylab.errors import OptionError

    state = _position(file, hand, at)
    if seat not in (None, 0, 1):
        raise OptionError(f"--seat is {seat}, but Gin has the seats 0 and 1")
    viewer = state.actor if seat is None else seat
    seen = state.observe(viewer)
    throws: list[Throw] = []
    if agent:
        kind = agent
        chances, throws = _ask_agent(agent, seen)
    else:
        chances = believe(kind, seen.view, Network.load(model / BUNDLED) if model else None)[0]
    chances = chances.reshape(4, 13)
    view = seen.view[0]
    marks = _marks(view, state if truth else None, viewer)
    facts = {
        "hand": hand,
        "decision": at,
        "seat": int(viewer),
        "turn": int(view["table"]["turn"]) // 2 + 1,
        "phase": seen.phase,
        "belief": kind,
        "own": str(seen.hand),
        "up_card": str(seen.up_card) if seen.up_card else None,
    }
    if plot:
        from rummylab.arena.plots import card_map

        card_map(plot, chances, marks, title=_title(facts))
    if as_json:
        cards = {f"{RANKS[r]}{'chsd'[s]}": round(float(chances[s, r]), 4) for s in range(4) for r in range(13)}
        held = {"held": [card for card, mark in zip(cards, chain(*marks), strict=True) if "*" in mark]} if truth else {}
        print_json({**facts, "cards": cards, **held, **({"throws": _rows(throws)} if throws else {})})
        return
    _show(facts, chances, marks)
    _show_throws(throws)


def _ask_agent(name: str, seen: Any) -> tuple[Any, list[Throw]]:
    """Return the belief that the agent *name* uses and, at a discard, its numbers for every throw."""
    from rummylab.agents.gin.utility import act
    from rummylab.agents.gin.utility_explain import ask, explain
    from rummylab.agents.registry import agent as load
    from rummylab.errors import OptionError

    found = load("gin", name)
    if found.pointer is not act:
        raise OptionError(f"--agent is {name}, but only utility agents such as utility-dnn can be asked")
    if seen.phase != "discard":
        return ask(seen.view, found.par), []
    return explain(seen.view, found.par, samples=SAMPLES)


def _rows(throws: list[Throw]) -> list[dict[str, Any]]:
    return [
        {"card": str(t.card), "utility": round(t.utility, 4), "gain": round(t.gain, 4), "value": round(t.value, 4)}
        for t in throws
    ]


def _show_throws(throws: list[Throw]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    if not throws:
        return
    head = ("discard", "hand utility", "opponent's gain", "value")
    table = Table(*head, title=f"the agent's numbers, over {SAMPLES} sampled hands", box=box.SIMPLE)
    for throw in throws:
        table.add_row(str(throw.card), f"{throw.utility:.2f}", f"{throw.gain:.2f}", f"{throw.value:.2f}")
    Console().print(table)


def _position(file: Path, hand: int, at: int) -> Any:
    """Return the table before decision *at* of hand *hand*."""
    from rummylab.cli.record import rules_of
    from rummylab.engine.records import read_records
    from rummylab.errors import OptionError

    records = read_records(file)
    if not 1 <= hand <= len(records):
        raise OptionError(f"--hand is {hand}, but {file} has {len(records)} hands")
    record = records[hand - 1]
    if record.header["game"] != "gin":
        raise OptionError(f"{file} is a record of {record.header['game']}; beliefs are for gin")
    state = record.replay(rules_of)
    if not 1 <= at <= state.n_moves:
        raise OptionError(f"--at is {at}, but the hand has decisions 1 to {state.n_moves}")
    while state.n_moves >= at:
        state.pop()
    return state


def _marks(view: Any, state: Any, viewer: int) -> list[list[str]]:
    """Return for each card: ``mine``, ``pile``, ``known`` to be held by the opponent; ``*`` is the truth."""
    table = view["table"]
    masks = {
        "mine": int(view["mine"]["hand"]),
        "pile": int(table["pile"]),
        "known": int(table["known"][1 - viewer]),
        "*": int(state.rows()["mine"]["hand"][0][1 - viewer]) if state is not None else 0,
    }
    return [[" ".join(w for w, m in masks.items() if m >> (16 * s + r) & 1) for r in range(13)] for s in range(4)]


def _title(facts: dict[str, Any]) -> str:
    return (
        f"{facts['belief']} belief of seat {facts['seat']} at decision {facts['decision']} "
        f"(turn {facts['turn']}, {facts['phase']})"
    )


def _show(facts: dict[str, Any], chances: Any, marks: list[list[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table("", *RANKS, title=_title(facts), box=box.SIMPLE, padding=(0, 0))
    for s, suit in enumerate(SUITS):
        table.add_row(suit, *(_cell(float(chances[s, r]), marks[s][r]) for r in range(13)))
    console = Console()
    console.print(table)
    console.print(f"own hand {facts['own']}" + (f", up-card {facts['up_card']}" if facts["up_card"] else ""))
    console.print("numbers: per cent; ● own card, ○ in the pile, ! seen taken" + (", * held" if _any(marks) else ""))


def _any(marks: list[list[str]]) -> bool:
    return any("*" in mark for row in marks for mark in row)


def _cell(chance: float, mark: str) -> str:
    if mark == "mine":
        return "[dim]  ● [/]"
    if mark == "pile":
        return "[dim]  ○ [/]"
    red, white = round(255 * chance), "white" if chance < 0.6 else "black"
    text = f"{100 * chance:3.0f}" + ("*" if "*" in mark else "!" if "known" in mark else " ")
    return f"[{white} on rgb({red},{red * 2 // 3},{60 - 60 * red // 255})]{text}[/]"
