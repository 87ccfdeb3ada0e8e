"""What one person sees of a table: the game's own view of one seat, and what the table adds to it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from rummylab.cards.card import Card
from rummylab.engine.observation import Observation
from rummylab.engine.rules import Rules
from rummylab.engine.show import (
    ActionView,
    CardView,
    ContractView,
    Fact,
    GroupView,
    LogEntry,
    MeldView,
    PassingView,
    Section,
    Show,
    Showdown,
    WildView,
    all_of,
    show_class,
)
from rummylab.engine.spec import GameSpec
from rummylab.engine.streams import key_text
from rummylab.ui.table.config import Chair
from rummylab.ui.table.lessons import Lesson
from rummylab.ui.table.session import Session

ENTRIES_A_HAND: Final = 100_000
"""Numbers that the log of one hand may use."""


@dataclass(frozen=True, slots=True)
class GameView:
    """Game and rules of a table."""

    name: str
    title: str
    rules: str
    rules_title: str
    format: str | None
    seats: int


@dataclass(frozen=True, slots=True)
class StatusView:
    """The one sentence that says what is going on."""

    text: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A player at the table."""

    seat: int
    name: str
    short: str
    kind: str
    agent: str | None
    level: int | None
    cards: int
    known: tuple[CardView, ...]
    known_text: str
    note: str
    last: str
    last_card: CardView | None
    state: str
    active: bool
    starter: bool
    score: int
    score_text: str
    progress: float | None


@dataclass(frozen=True, slots=True)
class ScoreView:
    """How the match stands."""

    line: str
    target: int | None
    unit: str
    low_is_good: bool
    hands_left: int | None


@dataclass(frozen=True, slots=True)
class StockView:
    """The stock: how many cards, and what a tap on it does."""

    count: int
    action: str | None


@dataclass(frozen=True, slots=True)
class PileView:
    """The discard pile."""

    top: CardView | None
    count: int
    cards: tuple[str, ...]
    known_order: bool
    action: str | None


@dataclass(frozen=True, slots=True)
class HandView:
    """The viewer's own cards, sorted, and in groups."""

    cards: tuple[CardView, ...]
    groups: tuple[GroupView, ...]


@dataclass(frozen=True, slots=True)
class NextView:
    """The button that deals the next hand."""

    label: str
    key: str


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The end of a match."""

    text: str
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TakeBackView:
    """Whether a move can be taken back, and what that costs."""

    possible: bool
    free: bool
    text: str


@dataclass(frozen=True, slots=True)
class Reveal:
    """What the commitment was made from."""

    seed: str
    salt: str


@dataclass(frozen=True, slots=True)
class FairnessView:
    """The commitment to the deal; after the hand, what it was made from."""

    commitment: str
    text: str
    reveal: Reveal | None


@dataclass(frozen=True, slots=True)
class InviteView:
    """Seats that wait for people."""

    open_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """Everything that a front end draws of a table."""

    id: str
    version: int
    kind: str
    game: GameView
    heading: str
    hand_no: int
    phase: str
    status: StatusView
    you: int | None
    eyes: int
    actor: int | None
    seats: tuple[SeatView, ...]
    score: ScoreView
    stock: StockView
    pile: PileView
    wild: WildView | None
    contract: ContractView | None
    passing: PassingView | None
    melds: tuple[MeldView, ...]
    hand: HandView
    facts: tuple[Fact, ...]
    actions: tuple[ActionView, ...]
    log: tuple[LogEntry, ...]
    showdown: Showdown | None
    next: NextView | None
    match_over: MatchOver | None
    take_back: TakeBackView
    rated: bool
    rated_text: str
    hints: str
    fairness: FairnessView
    lesson: Lesson | None
    record: str | None
    invite: InviteView | None


@dataclass(frozen=True, slots=True)
class Update:
    """A message of the event stream."""

    version: int
    news: tuple[LogEntry, ...]
    view: TableView


@dataclass(frozen=True, slots=True)
class TableSummary:
    """An open table, for the start page."""

    id: str
    heading: str
    score_line: str
    status: str
    your_turn: bool
    since: str
    since_text: str


@dataclass(frozen=True, slots=True)
class RulesView:
    """The rules in force, in words."""

    title: str
    sections: tuple[Section, ...]


NAMES: Final = ("Chinese", "Liverpool", "Shanghai")
"""Names of rules that keep their capital in a sentence."""
NO_TAKE_BACK: Final = TakeBackView(False, False, "There is nothing to take back.")


def show_of(seen: Observation, chairs: tuple[Chair, ...], *, you: bool, hand_no: int) -> Show:
    """Return the game's view of one seat."""
    names = [chair.short for chair in chairs]
    return show_class(seen.rules.spec)(seen, names, you=you, base=hand_no * ENTRIES_A_HAND, hand_no=hand_no)


def rules_view(rules: Rules, title: str) -> RulesView:
    """Return the rules in force, in words."""
    return RulesView(title, show_class(rules.spec).sections(rules))


def game_view(rules: Rules, title: str, form: str | None) -> GameView:
    """Return game and rules of a table."""
    spec = rules.spec
    return GameView(spec.name, spec.title, str(rules.options), title, form, rules.seats)


def rules_title(spec: GameSpec, rules: Rules) -> str:
    """Return what people call the rules: the title of the preset, in lower case, and that it was changed."""
    name, _, changed = str(rules.options).partition("(")
    title = spec.title_of(name)[0]
    first = title.partition(" ")[0].strip(",")
    keeps_case = first in NAMES or not first[1:].islower()  # OpenSpiel
    words = f"{title} rules" if keeps_case else f"{title[0].lower()}{title[1:]} rules"
    usual = ("seats", "format", *spec.match_for_people(rules.seats))
    own = [part for part in changed.rstrip(")").split(",") if part and not part.strip().startswith(usual)]
    return f"{words}, changed" if own else words


def heading(show: Show, title: str) -> str:
    """Return the line above the table: ``Gin Rummy · official rules · to 100 · hand 4``."""
    return " · ".join(part for part in (show.spec.title, title, show.match_words(), show.hand_words()) if part)


def seat_views(show: Show, chairs: tuple[Chair, ...], you: int | None) -> tuple[SeatView, ...]:
    """Return the players at the table."""
    found = []
    seen = show.seen
    for seat, chair in enumerate(chairs):
        standing, known = show.standing(seat), show.known(seat) if seat != seen.seat else ()
        kind = "you" if seat == you else chair.kind
        thrown = _last_discard(show, seat)
        found.append(
            SeatView(
                seat=seat,
                name="You" if seat == you else chair.name,
                short="You" if seat == you else chair.short,
                kind=kind,
                agent=chair.agent,
                level=chair.level,
                cards=show.n_cards(seat),
                known=tuple(map(show.card, known)),
                known_text=show.known_text(seat) if seat != seen.seat else "",
                note=show.seat_note(seat),
                last=show.last_words(seat),
                last_card=show.card(thrown) if thrown is not None else None,
                state="waiting" if chair.kind == "open" else show.seat_state(seat),
                active=seen.actor == seat,
                starter=int(seen.table["starter"]) == seat,
                score=standing.score,
                score_text=standing.text,
                progress=standing.progress,
            )
        )
    return tuple(found)


def _last_discard(show: Show, seat: int) -> Card | None:
    for entry in reversed(show.log()):
        if entry.seat == seat and entry.target == "pile" and entry.cards:
            return Card.parse(entry.cards[0])
    return None


def pile_view(show: Show) -> PileView:
    """Return the discard pile."""
    seen = show.seen
    cards = seen.pile
    ordered = "stack" in (seen.table.dtype.names or ())
    take = next((str(action) for action in show.legal if action.verb == "draw upcard"), None)
    top = seen.upcard if seen.upcard is not None else cards[-1] if ordered and cards else None
    return PileView(show.card(top) if top is not None else None, len(cards), tuple(map(str, cards)), ordered, take)


def position_view(
    seen: Observation,
    chairs: tuple[Chair, ...],
    *,
    title: str,
    form: str | None = None,
    you: int | None,
    hand_no: int = 0,
    id: str = "",
    version: int = 0,
    kind: str = "play",
    session: Session | None = None,
    lesson: Lesson | None = None,
) -> TableView:
    """Return the view of one seat. Without a *session* it is a position to look at or to analyze."""
    show = show_of(seen, chairs, you=you is not None, hand_no=hand_no)
    rule = show.score_rule()
    text, tone = show.status()
    draw = next((str(action) for action in show.legal if action.verb == "draw stock"), None)
    hand = sorted(seen.hand, key=lambda card: (card.is_joker, card.suit, card.rank))
    extra = _SessionParts(session, you, show)
    waiting = extra.waiting()
    return TableView(
        id=id,
        version=version,
        kind=kind,
        game=game_view(seen.rules, title, form),
        heading=heading(show, title),
        hand_no=hand_no + 1,
        phase=seen.phase,
        status=StatusView(waiting or text, "wait" if waiting else tone),
        you=you,
        eyes=int(seen.seat),
        actor=None if seen.actor is None else int(seen.actor),
        seats=seat_views(show, chairs, you),
        score=ScoreView(show.score_line(), rule.target, rule.unit, rule.low_is_good, rule.hands_left),
        stock=StockView(seen.stock, draw),
        pile=pile_view(show),
        wild=show.wild(),
        contract=show.contract(),
        passing=show.passing(),
        melds=show.melds(),
        hand=HandView(show.mine(hand), show.groups()),
        facts=show.facts(),
        actions=show.actions(),
        log=show.log(),
        showdown=show.showdown(),
        next=extra.next(),
        match_over=extra.match_over(),
        take_back=extra.take_back(),
        rated=session.start.rated if session else False,
        rated_text=extra.rated_text(),
        hints=session.config.hints if session else "request",
        fairness=extra.fairness(),
        lesson=lesson,
        record=session.record_id if session else None,
        invite=extra.invite(),
    )


class _SessionParts:
    """What a table adds to the view of a position. Of the session it reads nothing that is hidden."""

    def __init__(self, session: Session | None, you: int | None, show: Show) -> None:
        self.session, self.you, self.show = session, you, show

    def waiting(self) -> str:
        """Return that the table waits for somebody to join, if it does."""
        s = self.session
        if s is None or s.actor is None or s.config.chairs[s.actor].kind != "open":
            return ""
        return "Waiting for somebody to take the open seat."

    def next(self) -> NextView | None:
        s = self.session
        if s is None or not s.is_over or s.match_is_over:
            return None
        what = self.show.hand_words().partition(" ")[0]
        return NextView(f"Next {what}", "Enter")

    def match_over(self) -> MatchOver | None:
        s = self.session
        if s is None or not s.match_is_over:
            return None
        if not s.state.match_is_over:  # a single hand
            return MatchOver(self.show.end_title(), tuple(w for w in [self.show.result()["winner"]] if w is not None))
        winners = [int(seat) for seat in s.state.match_winners]
        names = [self.show.who(seat) for seat in winners]
        if len(winners) == 1:
            who = names[0]
            text = "You win the match!" if who == "You" else f"{who} wins the match."
        else:
            text = f"{all_of(names)} share the match."
        return MatchOver(text, tuple(winners))

    def take_back(self) -> TakeBackView:
        s = self.session
        if s is None or self.you is None:
            return NO_TAKE_BACK
        pops, seen = s.take_back_plan(self.you)
        if not pops:
            return NO_TAKE_BACK
        if not s.start.rated:
            return TakeBackView(True, True, "Take back your last move.")
        words = "Take back: a card was seen, so the hand will not count." if seen else "Take back your last move."
        return TakeBackView(True, not seen, words)

    def rated_text(self) -> str:
        s = self.session
        if s is None:
            return ""
        if s.config.kind == "watch":
            return "You are watching."
        return "This hand counts." if s.start.rated else f"This hand does not count. {s.start.why_unrated}".rstrip()

    def fairness(self) -> FairnessView:
        s = self.session
        if s is None:
            return FairnessView("", "", None)
        if s.config.kind == "what_if":
            return FairnessView("", "The cards are those of the recorded hand.", None)
        if not s.is_over:
            return FairnessView(s.commitment, "The deal was sealed before you played: this is its fingerprint.", None)
        text = "The seal is open. `rummylab verify` checks it against the fingerprint."
        return FairnessView(s.commitment, text, Reveal(key_text(s.start.seed), s.start.salt))

    def invite(self) -> InviteView | None:
        s = self.session
        if s is None:
            return None
        seats = tuple(seat for seat, chair in enumerate(s.config.chairs) if chair.kind == "open")
        return InviteView(seats) if seats else None


def table_view(session: Session, seat: int | None, lesson: Lesson | None = None) -> TableView:
    """Return what the person at *seat* sees; None: a watcher, who looks through one player's eyes."""
    config = session.config
    eyes = config.eyes if seat is None else seat
    return position_view(
        session.observe(eyes),
        config.chairs,
        title=config.rules_title,
        form=config.format,
        you=seat,
        hand_no=session.start.number,
        id=session.id,
        version=session.version,
        kind=config.kind,
        session=session,
        lesson=lesson,
    )


def match_outcome(session: Session, seat: int | None) -> str:
    """Return who won the match, in words for *seat*; empty: the match is not over."""
    eyes = session.config.eyes if seat is None else seat
    you = seat is not None
    show = show_of(session.observe(eyes), session.config.chairs, you=you, hand_no=session.start.number)
    over = _SessionParts(session, seat, show).match_over()
    return "" if over is None else over.text


def since_words(seconds: float) -> str:
    """Return how long ago something was, in words."""
    if seconds < 90:
        return "just now"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes ago"
    if seconds < 100_000:
        return f"{round(seconds / 3600)} hours ago"
    return f"{round(seconds / 86_400)} days ago"


def summary(session: Session, seat: int | None, now: float) -> TableSummary:
    """Return a line about an open table."""
    view = table_view(session, seat)
    changed = dt.datetime.fromtimestamp(session.changed, dt.UTC).isoformat(timespec="seconds")
    your_turn = seat is not None and (session.actor == seat or session.is_over)
    return TableSummary(
        session.id,
        view.heading,
        view.score.line,
        view.status.text,
        your_turn,
        changed,
        since_words(now - session.changed),
    )


def news_of(show_log: tuple[LogEntry, ...], after: int) -> tuple[LogEntry, ...]:
    """Return the entries of a log after number *after*."""
    return tuple(entry for entry in show_log if entry.n > after)
