"""A finished hand, step by step, with hands to show or to hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rummylab.cards.deck import Deck
from rummylab.engine.action import Action
from rummylab.engine.commitment import verify
from rummylab.engine.records import FORMER_VERBS, Record
from rummylab.engine.rows import count_hands
from rummylab.engine.seats import Seat
from rummylab.engine.show import Fact, GroupView, MeldView, Showdown
from rummylab.engine.state import State
from rummylab.errors import RecordError
from rummylab.games.lookup import rules_of
from rummylab.ui.table.config import Chair
from rummylab.ui.table.view import GameView, game_view, heading, rules_title, show_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayStep:
    """The table after one event."""

    n: int
    seat: int
    text: str
    hidden_text: str
    verb: str
    cards: tuple[str, ...]
    decision: int | None
    hands: tuple[tuple[GroupView, ...], ...]
    counts: tuple[int, ...]
    stock: int
    pile: tuple[str, ...]
    melds: tuple[MeldView, ...]
    facts: tuple[tuple[Fact, ...], ...]


@dataclass(frozen=True, slots=True)
class ReplaySeat:
    """A player of a finished hand."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class ReplayFairness:
    """Whether the deal was committed to before play."""

    commitment: str | None
    verified: bool | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A finished hand, step by step."""

    record: str
    game: GameView
    heading: str
    seats: tuple[ReplaySeat, ...]
    you: int | None
    result: str
    fairness: ReplayFairness
    steps: tuple[ReplayStep, ...]
    showdown: Showdown | None
    thinking: tuple[dict[str, Any], ...] = ()


def replay(record: Record, you: int | None = None, record_id: str = "") -> Replay:
    """Return a recorded hand as steps. All cards lie open: the hand is over.

    Raises:
        RecordError: The record does not follow the rules, or shows only what one seat saw.
    """
    end = record.replay()
    rules = end.rules
    names = [str(name) for name in record.header["seats"]]
    chairs = tuple(Chair("person" if place == you else "agent", name, name) for place, name in enumerate(names))
    state = start_state(record)
    moves = [event for event in record.events if event.chosen]
    steps = [_step(state, chairs, you, 0, None, None)]
    decision = 0
    for number, event in enumerate(moves, start=1):
        is_own = int(event.seat) == you and len(state.legal_actions) > 1
        state.push(present_action(event.action))
        steps.append(_step(state, chairs, you, number, int(event.seat), decision if is_own else None))
        decision += is_own
    show = show_of(end.observe(Seat(you or 0)), chairs, you=you is not None, hand_no=end.hand_no)
    title = rules_title(rules.spec, rules)
    over = end.actor is None
    return Replay(
        record=record_id,
        game=game_view(rules, title, None),
        heading=heading(show, title),
        seats=tuple(ReplaySeat(place, name) for place, name in enumerate(names)),
        you=you,
        result=show.end_title() if over else "The hand was not finished.",
        fairness=fairness_of(record, rules),
        steps=tuple(steps),
        showdown=show.showdown(),
    )


def present_action(action: Action) -> Action:
    """Return an action of a record with its verb as it is called now."""
    return Action(FORMER_VERBS.get(action.verb, action.verb), action.cards, action.on)


def start_state(record: Record) -> State:
    """Return the table of a record right after the deal."""
    head = record.header
    rules = rules_of(head["game"], head["options"])
    row = rules.new_rows(1)
    rules.set_scores(row, head["scores"])
    rules.set_standing(row, head.get("standing", {}))
    count_hands(row, head["hand"])
    return State(rules, row, Deck.parse(head["deck"]), int(head["starter"]), hand_no=head["hand"])


def fairness_of(record: Record, rules: Any) -> ReplayFairness:
    """Return whether the deal of a record was committed to."""
    published = record.header.get("commitment")
    if published is None:
        return ReplayFairness(None, None, "This record has no commitment.")
    try:
        verify(record, rules)
    except RecordError as error:
        return ReplayFairness(str(published), False, f"The deal does not match its commitment: {error}.")
    return ReplayFairness(str(published), True, "The deal is the one that was committed to before play.")


def _step(
    state: State, chairs: tuple[Chair, ...], you: int | None, number: int, seat: int | None, decision: int | None
) -> ReplayStep:
    seats = range(state.rules.seats)
    viewer = you or 0
    shows = [show_of(state.observe(Seat(place)), chairs, you=place == you, hand_no=state.hand_no) for place in seats]
    mover, watcher = shows[viewer if seat is None else seat], shows[viewer]
    told = _last(mover, seat)
    hidden = _last(watcher, seat)
    return ReplayStep(
        n=number,
        seat=-1 if seat is None else seat,
        text=told.text if told else "",
        hidden_text=hidden.text if hidden else "",
        verb=told.verb if told else "deal",
        cards=told.cards if told else (),
        decision=decision,
        hands=tuple(show.groups_of(show.seen.hand, place) for place, show in enumerate(shows)),
        counts=tuple(mover.n_cards(place) for place in seats),
        stock=mover.seen.stock,
        pile=tuple(map(str, mover.seen.pile)),
        melds=watcher.melds(),
        facts=tuple(() for _ in seats),
    )


def _last(show: Any, seat: int | None) -> Any:
    entries = show.log()
    if seat is None:
        return entries[-1] if entries else None
    return next((entry for entry in reversed(entries) if entry.seat == seat), None)
