"""``rummylab review``: what the decisions of a finished hand cost, and how luck and skill add up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rummylab.cli.analyze import REASONS, Worlds
from rummylab.cli.common import announce_compilation, print_json, print_table, progress_bar, say
from rummylab.cli.options import AsJson, Quiet, RecordFile, Seed, agent_option, play_option

if TYPE_CHECKING:
    from rummylab.analysis.puzzles import Puzzle
    from rummylab.analysis.review import MatchReview, Review


def review(
    file: RecordFile,
    hand: Annotated[
        int | None, typer.Option(metavar="N", help="Number of the hand in the file, from 1; default: all hands.")
    ] = None,
    seat: Annotated[int, play_option(metavar="N", help="The player to review.")] = 0,
    retry: Annotated[
        bool, typer.Option("--retry", help="Show your worst decisions again and ask for a better move.")
    ] = False,
    agent: Annotated[str | None, agent_option("Who plays the tables out; default: the game's best fast agent.")] = None,
    worlds: Worlds = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Show what each decision of a hand cost, worst first, and how luck and skill add up to the result.

    A decision is judged by what its player could see. It is a mistake only if the whole 95% interval of its loss is
    below zero.
    """
    from rummylab.analysis.review import REVIEW, review_match
    from rummylab.analysis.values import Budget
    from rummylab.engine.records import Record, read_records

    announce_compilation(quiet=quiet)
    records = read_records(file) if hand is None else [Record.load(Path(file), hand)]
    budget = Budget(worlds=worlds, seconds=None, seed=seed) if worlds else Budget(seconds=REVIEW.seconds, seed=seed)
    with progress_bar("events", quiet=quiet or as_json) as progress:
        found = review_match(records, seat=seat, agent=agent, budget=budget, progress=progress)
    if as_json:
        print_json(found.to_dict())
        return
    if retry:
        _retry(found)
        return
    for number, one in enumerate(found.hands, 1):
        if len(found.hands) > 1:
            say(f"\nHand {number}")
        _print(one)
    if len(found.hands) > 1:
        say(f"\nAll {len(found.hands)} hands: {_sum(found)}")
        say(f"({_intervals(found)})")
        _print_kinds(found)


def _sum(found: Review | MatchReview) -> str:
    """Return the ledger in one line."""
    parts = f"luck {found.luck:+.1f}, own decisions {found.own:+.1f}, opponents' decisions {found.opponents:+.1f}"
    return f"{parts} = result {found.result:+.0f}"


def _intervals(found: Review | MatchReview) -> str:
    """Return the 95% intervals of the ledger, in its order."""
    from rummylab.analysis.review import Z

    luck, own, others = (f"± {Z * error:.1f}" for error in (found.luck_se, found.own_se, found.opponents_se))
    return f"95% intervals: {luck}, {own} and {others}"


def _print(found: Review) -> None:
    from rich.table import Table

    say(f"{found.names[found.seat]}: {_sum(found)}")
    say(f"({_intervals(found)}; {found.method})")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("event", "played", "best", "loss", "interval", "verdict"):
        table.add_column(name, justify="right" if name in ("event", "loss") else "left")
    for row in (found.rows[k] for k in found.worst):
        made = row.decision
        assert made is not None
        words = f"{made.low:.1f} to {made.high:.1f}"
        table.add_row(str(row.event), made.played, made.best, f"{made.loss:.1f}", words, made.verdict)
    if found.worst:
        print_table(table)
        say("`rummylab review FILE --retry` shows these positions again, the answer after your choice.")
    else:
        say("No decision cost anything that could be measured.")


def _print_kinds(found: MatchReview) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("kind of decision", "decisions", "mistakes", "loss"):
        table.add_column(name, justify="left" if name == "kind of decision" else "right")
    for kind in found.kinds:
        table.add_row(
            kind.kind, str(kind.decisions), str(kind.mistakes), f"{kind.loss:.1f} ± {1.96 * kind.loss_se:.1f}"
        )
    print_table(table)


def _retry(found: MatchReview) -> None:
    """Ask again for the decisions that were mistakes."""
    from rummylab.analysis.puzzles import puzzles

    asked = [puzzle for hand in found.hands for puzzle in puzzles(hand)]
    if not asked:
        say("There is nothing to retry: no decision was a mistake for certain.")
    for number, puzzle in enumerate(asked, 1):
        say(f"\nPosition {number} of {len(asked)}")
        if not _ask(puzzle):
            return


def _ask(puzzle: Puzzle) -> bool:
    """Show a position, take a move and tell what it is worth; false if the player wants to stop."""
    from rummylab.analysis.puzzles import answer
    from rummylab.engine.observation import Observation
    from rummylab.errors import RummyError

    seen = Observation.parse(puzzle.position)
    names = ["you" if seat == puzzle.seat else f"seat {seat}" for seat in range(seen.rules.seats)]
    for line in seen.table_lines("unicode", names):
        say(line)
    say(f"Moves: {', '.join(puzzle.legal)}")
    while True:
        try:
            typed = str(typer.prompt("Your move (q to stop)", prompt_suffix=": ")).strip()
        except (EOFError, typer.Abort):
            return False
        if typed.lower() in ("q", "quit"):
            return False
        try:
            found = answer(puzzle, typed)
        except RummyError as error:
            say(str(error))
            continue
        break
    say(found.text)
    best = next(move for move in puzzle.moves if str(move.action) == puzzle.best)
    say(f"{puzzle.best}: {'; '.join(reason.text for reason in best.reasons[:REASONS])}.")
    say(f"You played {puzzle.played}, which cost {-puzzle.loss:.1f} points ({-puzzle.high:.1f} to {-puzzle.low:.1f}).")
    return True
