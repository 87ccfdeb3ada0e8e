"""``rummylab record belief``: what a player can believe about the opponent's hand, in a recorded game."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rummylab.cli.common import announce_compilation, count, print_json
from rummylab.cli.options import AsJson, Quiet, RecordFile, agent_option, output_option

if TYPE_CHECKING:
    from rummylab.agents.gin.utility_explain import DiscardValue
    from rummylab.cards.card import Card

SAMPLES = 1000
"""Hands that an agent samples to explain a discard: more than in play, so that the values vary less."""
RANKS, SUITS = "A23456789TJQK", "♣♥♠♦"


def belief(
    file: RecordFile,
    at: Annotated[int, typer.Option("--at", metavar="N", help="Show the position before decision number N, from 1.")],
    hand: Annotated[int, typer.Option(metavar="N", help="Number of the hand in the file, from 1.")] = 1,
    seat: Annotated[int | None, typer.Option(metavar="N", help="Seat of the player; default: the one to act.")] = None,
    opponent: Annotated[
        int | None, typer.Option(metavar="N", help="Seat of the opponent; default: the next one.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--belief", help="counts (or fuzzy); in Gin also network (default), joint, uniform.")
    ] = None,
    model: Annotated[Path | None, typer.Option(help="Gin: directory of a network; default: the package's own.")] = None,
    agent: Annotated[
        str | None, agent_option("Gin: show the belief of this utility agent and, at a discard, its values.")
    ] = None,
    truth: Annotated[bool, typer.Option("--truth", help="Mark the cards that the opponent really holds.")] = False,
    plot: Annotated[Path | None, output_option(help="Draw the map into this PNG file.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print the 4 x 13 map of an opponent's hand as one player sees it."""
    announce_compilation(quiet=quiet)
    state = _position(file, hand, at)
    viewer = state.actor if seat is None else _seat(seat, "--seat", state)
    other = (viewer + 1) % state.rules.seats if opponent is None else _seat(opponent, "--opponent", state)
    seen = state.observe(viewer)
    discards: list[DiscardValue] = []
    if agent:
        kind = agent
        chances, discards = _ask_agent(agent, seen)
    else:
        kind, chances = _believe(seen, other, kind, model)
    chances = chances.reshape(4, 13)
    marks = _marks(seen, other, state.observe(other).hand if truth else ())
    facts = {
        "hand": hand,
        "decision": at,
        "seat": int(viewer),
        "opponent": int(other),
        "turn": int(seen.table["turn"]) // state.rules.seats + 1,
        "phase": seen.phase,
        "belief": kind,
        "own": str(seen.hand),
        "upcard": str(seen.upcard) if seen.upcard else None,
    }
    if plot:
        from rummylab.arena.plots import card_map

        card_map(plot, chances, marks, title=_title(facts))
    if as_json:
        cards = {f"{RANKS[r]}{'chsd'[s]}": round(float(chances[s, r]), 4) for s in range(4) for r in range(13)}
        held = {"held": [card for card, mark in zip(cards, chain(*marks), strict=True) if "*" in mark]} if truth else {}
        print_json({**facts, "cards": cards, **held, **({"discards": _rows(discards)} if discards else {})})
        return
    _show(facts, chances, marks)
    _show_values(discards)


def _seat(seat: int, option: str, state: Any) -> int:
    from rummylab.errors import OptionError

    if not 0 <= seat < state.rules.seats:
        raise OptionError(f"{option} is {seat}, but the table has the seats 0 to {state.rules.seats - 1}")
    return seat


def _believe(seen: Any, opponent: int, kind: str | None, model: Path | None) -> tuple[str, Any]:
    """Return the name of the belief and the chance of each of 52 cards."""
    from rummylab.beliefs.belief import belief

    if model is not None:
        from rummylab.beliefs.gin.network import BUNDLED, Network
        from rummylab.beliefs.gin.query import believe

        _need_gin(seen, "--model")
        return "network", believe("network", seen.view, Network.load(model / BUNDLED))[0]
    found = belief(seen, "counts" if kind == "fuzzy" else kind)
    if opponent not in found.opponents:
        from rummylab.errors import OptionError

        raise OptionError(f"--opponent is {opponent}, which is the player's own seat")
    return found.name, found.probabilities[found.opponents.index(opponent), :52]


def _need_gin(seen: Any, option: str) -> None:
    from rummylab.errors import OptionError
    from rummylab.games.gin.view import GinObservation

    if not isinstance(seen, GinObservation):
        raise OptionError(f"{option} is for records of Gin, not of {seen.rules.name}")


def _ask_agent(name: str, seen: Any) -> tuple[Any, list[DiscardValue]]:
    """Return the belief of the agent *name* and, at a discard, its values of every card."""
    from rummylab.agents.gin.utility import act
    from rummylab.agents.gin.utility_explain import ask, explain
    from rummylab.agents.registry import agent as load
    from rummylab.errors import OptionError

    _need_gin(seen, "--agent")
    found = load(seen.rules.name, name)
    if found.kernel is not act.kernel:
        raise OptionError(f"--agent is {name}, but only utility agents such as utility-dnn explain their beliefs")
    if seen.phase != "discard":
        return ask(seen.view, found.params), []
    return explain(seen.view, found.params, samples=SAMPLES)


def _rows(discards: list[DiscardValue]) -> list[dict[str, Any]]:
    return [
        {"card": str(t.card), "utility": round(t.utility, 4), "gain": round(t.gain, 4), "value": round(t.value, 4)}
        for t in discards
    ]


def _show_values(discards: list[DiscardValue]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    if not discards:
        return
    head = ("discard", "hand utility", "opponent's gain", "value")
    table = Table(*head, title=f"the agent's values, over {SAMPLES} sampled hands", box=box.SIMPLE)
    for each in discards:
        table.add_row(str(each.card), f"{each.utility:.2f}", f"{each.gain:.2f}", f"{each.value:.2f}")
    Console().print(table)


def _position(file: Path, hand: int, at: int) -> Any:
    """Return the state before decision *at* of hand number *hand*."""
    from rummylab.engine.records import read_records
    from rummylab.errors import OptionError

    records = read_records(file)
    if not 1 <= hand <= len(records):
        raise OptionError(f"--hand is {hand}, but {file} has {count(len(records), 'hand')}")
    state = records[hand - 1].replay()
    if not 1 <= at <= state.n_moves:
        raise OptionError(f"--at is {at}, but the hand has decisions 1 to {state.n_moves}")
    while state.n_moves >= at:
        state.pop()
    return state


def _marks(seen: Any, opponent: int, held: Iterable[Card]) -> list[list[str]]:
    """Return the marks of each card: ``mine``, ``pile``, ``known`` to be the opponent's, ``*`` really held."""
    cards = {"mine": seen.hand, "pile": seen.pile, "known": seen.known(opponent), "*": held}
    places = {word: {(card.suit, card.rank) for card in some if not card.is_joker} for word, some in cards.items()}
    return [[" ".join(w for w, found in places.items() if (s, r) in found) for r in range(13)] for s in range(4)]


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
    console.print(f"own hand {facts['own']}" + (f"; upcard {facts['upcard']}" if facts["upcard"] else ""))
    console.print("in percent; ● own card, ○ in the pile, ! taken from the pile" + (", * held" if _any(marks) else ""))


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
