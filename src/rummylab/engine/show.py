"""What a front end shows of a table, in words and structure, built from one seat's observation and nothing else.

A front end holds no rules: it draws these values and answers with the ``id`` of an action. A game's own subclass of
:class:`Show`, named ``SHOW`` in its module ``show``, adds what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Final

from rummylab.cards.card import RANKS, SUITS, SYMBOLS, Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.observation import Observation, card_or_none
from rummylab.engine.position import layout_of
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec

_NUMBERS: Final = "two three four five six seven eight nine ten"
RANK_NAMES: Final = tuple(f"ace {_NUMBERS} jack queen king".split())
SUIT_NAMES: Final = ("clubs", "hearts", "spades", "diamonds")
NUMBER_NAMES: Final = tuple(f"no one {_NUMBERS} eleven twelve thirteen".split())
MINUS: Final = "−"


# --- Values ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CardView:
    """A card that the viewer may see."""

    card: str
    text: str
    name: str
    rank: int
    suit: str | None
    points: int
    wild: bool = False
    joker: bool = False
    stands_for: str | None = None
    new: bool = False
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupView:
    """Cards that belong together, with a label in words."""

    id: str
    kind: str
    tone: str
    label: str
    points: int | None
    cards: tuple[CardView, ...]


@dataclass(frozen=True, slots=True)
class TargetView:
    """A meld that the viewer plays for, and which of its cards are missing."""

    label: str
    cards: tuple[CardView, ...]
    missing: tuple[int, ...]
    """Places in *cards*."""


@dataclass(frozen=True, slots=True)
class MeldView:
    """A meld on the table, and the viewer's cards that fit it now."""

    number: int
    owner: int
    kind: str
    label: str
    cards: tuple[CardView, ...]
    fits: tuple[str, ...] = ()
    fits_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionView:
    """A legal move: what to send, what to call it, and where it belongs on the screen."""

    id: str
    verb: str
    label: str
    short: str
    key: str | None = None
    cards: tuple[str, ...] = ()
    on: int | None = None
    place: str = "button"
    tone: str = "plain"
    confirm: str | None = None
    confirm_text: str | None = None
    note: str | None = None
    suggested: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A number about the viewer's hand."""

    key: str
    label: str
    value: str
    help: str

    @property
    def term(self) -> str:
        """The term that the help explains, where it begins with one, such as ``MinScore``; else the label."""
        return self.help.partition(": ")[0] if ": " in self.help else self.label


@dataclass(frozen=True, slots=True)
class LogEntry:
    """Something that happened, in words, and which way cards moved."""

    n: int
    hand: int
    seat: int
    text: str
    verb: str
    cards: tuple[str, ...] = ()
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class WildView:
    """The wild rank."""

    text: str
    card: CardView
    rank: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractView:
    """What a round asks for, and how far the viewer is."""

    text: str
    code: str
    round: int
    rounds: int | None
    done: bool
    missing: str
    wilds: str


@dataclass(frozen=True, slots=True)
class PassingView:
    """Where the viewer's passed card goes."""

    to: int
    text: str
    passed: str | None
    received: str | None


@dataclass(frozen=True, slots=True)
class OpenHand:
    """A hand laid open at the end."""

    seat: int
    name: str
    groups: tuple[GroupView, ...]
    points: int
    note: str


@dataclass(frozen=True, slots=True)
class LayoffView:
    """A card laid off at the showdown."""

    seat: int
    card: str
    on: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Showdown:
    """The end of a hand: open hands and the arithmetic of the score."""

    title: str
    outcome: str
    winner: int | None
    gains: tuple[float, ...]
    arithmetic: str
    hands: tuple[OpenHand, ...]
    lay_offs: tuple[LayoffView, ...] = ()
    score_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the rules, in words."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a seat stands in the match."""

    score: int
    text: str
    progress: float | None


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """How the score of a match reads."""

    unit: str = "points"
    target: int | None = None
    low_is_good: bool = False
    hands_left: int | None = None


# --- Words ----------------------------------------------------------------------------------------------------------


@cache
def card_text(card: Card) -> str:
    """Return a card as people write it: ``10♥``, ``K♠``, ``joker``."""
    if card.is_joker:
        return "joker"
    rank = RANKS[card.rank]
    return ("10" if rank == "T" else rank) + SYMBOLS[card.suit]


@cache
def card_name(card: Card) -> str:
    """Return a card as people say it: ``ten of hearts``."""
    return "printed joker" if card.is_joker else f"{RANK_NAMES[card.rank]} of {SUIT_NAMES[card.suit]}"


def cards_text(cards: Sequence[Card] | Hand) -> str:
    """Return cards as people write them, with blanks between them."""
    return " ".join(card_text(card) for card in cards)


def told_text(cards: Sequence[Card] | Hand) -> str:
    """Return cards as a sentence names them: like `cards_text`, but a joker alone is ``a joker``."""
    return "a joker" if len(cards) == 1 and next(iter(cards)).is_joker else cards_text(cards)


def sentence_case(text: str) -> str:
    """Return *text* with a capital at its start."""
    return text[:1].upper() + text[1:]


def plural_rank(rank: int) -> str:
    """Return a rank in the plural: ``sixes``."""
    name = RANK_NAMES[rank]
    return f"{name}es" if name == "six" else f"{name}s"


def count_cards(n: int) -> str:
    """Return a number of cards in words: ``1 card``, ``10 cards``."""
    return f"{n} card{'s' * (n != 1)}"


def signed(number: float) -> str:
    """Return a number with its sign, in type: ``+22``, ``−20``."""
    return f"{'+' if number > 0 else MINUS if number < 0 else ''}{abs(number):g}"


def all_of(names: Sequence[str], last: str = "and") -> str:
    """Return names as a list in words: ``Asha, Ben and Chen``; *last* is the word before the last one."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def meld_label(cards: Sequence[Card]) -> tuple[str, str]:
    """Return kind and label of a meld without wild cards: ``run of clubs``, ``three nines``."""
    if len({card.rank for card in cards}) == 1:
        return "set", f"{NUMBER_NAMES[len(cards)]} {plural_rank(cards[0].rank)}"
    return "run", f"run of {SUIT_NAMES[cards[0].suit]}"


# --- The table ------------------------------------------------------------------------------------------------------


class Show:
    """One seat's view of a table, for people. It knows the observation and the players' names, and nothing else."""

    KEYS: ClassVar[Mapping[str, str]] = {
        "draw stock": "S",
        "draw upcard": "D",
        "discard": "Enter",
        "pass": "P",
        "knock": "K",
        "declare": "K",
        "big gin": "G",
        "drop": "O",
        "buy": "B",
        "lay down": "L",
        "lay off": "F",
        "lay off low": "F",
        "replace": "F",
        "rejoin": "R",
        "leave": "V",
        "split": "T",
        "play on": "N",
    }
    """Keys of the verbs; actions on cards share one, which applies to the selected card."""

    def __init__(self, seen: Observation, names: Sequence[str], *, you: bool = True, base: int = 0, hand_no: int = 0):
        self.seen, self.rules, self.spec = seen, seen.rules, seen.rules.spec
        self.names = list(names)
        self.you = int(seen.seat) if you else -1
        self.base, self.hand_no = base, hand_no

    # --- Players and cards ------------------------------------------------------------------------------------------

    def who(self, seat: int) -> str:
        """Return who sits at *seat*, as the subject of a sentence."""
        return "You" if seat == self.you else self.names[seat] if seat >= 0 else "The table"

    def whose(self, seat: int) -> str:
        """Return the possessive: ``Your``, ``Asha's``."""
        return "Your" if seat == self.you or self.names[seat] == "You" else f"{self.names[seat]}'s"

    def is_wild(self, card: Card) -> bool:
        """Return whether *card* may stand for another one in this deal."""
        return card.is_joker

    def points(self, card: Card) -> int:
        """Return what *card* costs outside of melds."""
        return 0 if card.is_joker else min(card.rank + 1, 10)

    def card(self, card: Card, *, new: bool = False, place: Card | None = None, acts: bool = False) -> CardView:
        """Return a card that the viewer may see. *place* is the card that a wild one stands for."""
        return CardView(
            str(card),
            card_text(card),
            card_name(card),
            13 if card.is_joker else card.rank,
            None if card.is_joker else SUITS[card.suit],
            self.points(card),
            self.is_wild(card),
            card.is_joker,
            str(place) if place is not None and place != card else None,
            new,
            self._by_card.get(str(card), ()) if acts else (),
        )

    def mine(self, cards: Sequence[Card] | Hand) -> tuple[CardView, ...]:
        """Return cards of the viewer's hand, the new one marked, with what can be done with each."""
        found = []
        new = self.new_card
        for card in cards:
            found.append(self.card(card, new=card == new, acts=True))
            new = None if card == new else new
        return tuple(found)

    @cached_property
    def new_card(self) -> Card | None:
        """The card that the viewer has just drawn or taken, while they still hold it."""
        if self.seen.actor != self.seen.seat or self.seen.phase not in ("discard", "play"):
            return None
        drawn = card_or_none(self.seen.mine["drawn"])
        return drawn if drawn is not None and drawn in self.seen.hand else None

    @property
    def took_upcard(self) -> bool:
        """Whether the viewer's last draw was from the discard pile."""
        draws = [event for event in self.seen.log if event.seat == self.seen.seat and event.action.verb.startswith("d")]
        return any(event.action.verb == "draw upcard" for event in draws[-1:])

    # --- Hand and facts ---------------------------------------------------------------------------------------------

    def groups(self) -> tuple[GroupView, ...]:
        """Return the viewer's hand in groups."""
        return self.sorted_groups(self.seen.hand)

    def sorted_groups(self, hand: Hand, *, own: bool = True) -> tuple[GroupView, ...]:
        """Return *hand* as one group, sorted by suit and rank."""
        cards = tuple(self.mine(hand) if own else [self.card(card) for card in hand])
        return (GroupView("loose", "loose", "dead", count_cards(len(cards)), None, cards),) if cards else ()

    def groups_of(self, hand: Hand, seat: int) -> tuple[GroupView, ...]:
        """Return another seat's hand, laid open, in groups."""
        return self.sorted_groups(hand, own=False)

    def facts(self) -> tuple[Fact, ...]:
        """Return the numbers under the hand."""
        return ()

    def target(self) -> tuple[TargetView, ...]:
        """Return the nearest hand that could be declared, in games in which the whole hand is."""
        return ()

    # --- Table ------------------------------------------------------------------------------------------------------

    def wild(self) -> WildView | None:
        """Return the wild rank, in games that have one."""
        return None

    def contract(self) -> ContractView | None:
        """Return the contract, in games that have one."""
        return None

    def passing(self) -> PassingView | None:
        """Return where passed cards go, in games that have them."""
        return None

    def melds(self) -> tuple[MeldView, ...]:
        """Return the melds on the table."""
        return ()

    def n_cards(self, seat: int) -> int:
        """Return how many cards *seat* holds."""
        return int(layout_of(self.rules).hand_size(self.seen.table, seat))

    def known(self, seat: int) -> Hand:
        """Return the cards that *seat* is known to hold."""
        return self.seen.known(Seat(seat))

    def known_text(self, seat: int) -> str:
        """Return what is known of a hand, in words."""
        known = self.known(seat)
        return f"took, and holds {told_text(known)}" if len(known) else ""

    def seat_state(self, seat: int) -> str:
        """Return ``playing``, ``dropped``, ``wrong`` or ``out``."""
        return "playing"

    def seat_note(self, seat: int) -> str:
        """Return the small line under a player's name."""
        return count_cards(self.n_cards(seat))

    def last_words(self, seat: int) -> str:
        """Return what *seat* did last, in words without a subject."""
        for entry in reversed(self.log()):
            if entry.seat == seat and entry.text:
                return entry.text.removeprefix(f"{self.who(seat)} ").rstrip(".")
        return ""

    # --- Score ------------------------------------------------------------------------------------------------------

    def score_rule(self) -> ScoreRule:
        """Return how the score of the match reads."""
        options = self.rules.options.to_dict()
        hands = options.get("hands")
        left = max(0, int(hands) - self.hand_no) if hands else None
        return ScoreRule("points", options.get("target") or None, False, left)

    def standing(self, seat: int) -> Standing:
        """Return how *seat* stands in the match."""
        score, target = self.seen.scores[seat], self.score_rule().target
        return Standing(score, str(score), min(1.0, max(0.0, score / target)) if target else None)

    def score_line(self) -> str:
        """Return how the match stands, in words."""
        return ", ".join(f"{self.who(seat)} {self.standing(seat).text}" for seat in range(self.rules.seats))

    def match_words(self) -> str:
        """Return what the match is played to."""
        rule = self.score_rule()
        hands = self.rules.options.to_dict().get("hands")
        return f"to {rule.target}" if rule.target else f"{hands} hands" if hands else ""

    def hand_words(self) -> str:
        """Return what the present hand is called."""
        return f"hand {self.hand_no + 1}"

    # --- Actions ----------------------------------------------------------------------------------------------------

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """The moves to choose from."""
        return self.seen.legal if self.you >= 0 else ()

    @cached_property
    def _by_card(self) -> dict[str, tuple[str, ...]]:
        """Ids of actions by the one card of the player's hand that they need; ends of the hand come last."""
        found: dict[str, list[str]] = {}
        for action in self.legal:
            if action.card is not None:
                found.setdefault(str(action.card), []).append(str(action))
        return {card: tuple(ids) for card, ids in found.items()}

    @cached_property
    def suggested(self) -> Action | None:
        """The solver's pick among the moves of the obvious kind."""
        return None

    def actions(self) -> tuple[ActionView, ...]:
        """Return the legal moves with labels, keys and places."""
        return tuple(self.action(action) for action in self.legal)

    def action(self, action: Action) -> ActionView:
        """Return one move as it is shown."""
        label, short = self.label(action)
        view = ActionView(
            id=str(action),
            verb=action.verb,
            label=label,
            short=short,
            key=self.KEYS.get(action.verb),
            cards=tuple(map(str, action.cards)),
            on=action.on or None,
            place=self.place(action),
            tone=self.tone(action),
            suggested=action == self.suggested,
        )
        return self.annotated(action, view)

    def annotated(self, action: Action, view: ActionView) -> ActionView:
        """Return *view* with the note and the confirmation of a move."""
        return view

    def place(self, action: Action) -> str:
        """Return where a move belongs on the screen."""
        if action.verb in ("draw stock", "draw upcard"):
            return "stock" if action.verb == "draw stock" else "pile"
        if action.on:
            return "meld"
        return ("button", "card")[len(action.cards)] if len(action.cards) < 2 else "cards"

    def tone(self, action: Action) -> str:
        """Return ``main`` for the obvious kind of move, ``end`` for what ends the hand, else ``plain``."""
        return "main" if action.verb in ("draw stock", "discard") else "plain"

    def label(self, action: Action) -> tuple[str, str]:
        """Return the label of a move, and the short one without its cards."""
        if action.verb == "draw stock":
            return "Draw from the stock", "Draw"
        if action.verb == "draw upcard":
            return f"Take {self.upcard_text}", "Take"
        short = action.verb.capitalize()
        return f"{short} {cards_text(action.cards)}".rstrip(), short

    @property
    def upcard_text(self) -> str:
        """The upcard as people write it."""
        return card_text(self.seen.upcard) if self.seen.upcard is not None else "the upcard"

    # --- Sentences --------------------------------------------------------------------------------------------------

    def status(self) -> tuple[str, str]:
        """Return the one sentence that says what is going on, and its tone: ``you``, ``wait`` or ``over``."""
        if self.seen.actor is None:
            return self.end_title(), "over"
        if self.seen.actor != self.seen.seat or self.you < 0:
            return self.waiting(int(self.seen.actor)), "wait"
        return self.prompt(), "you"

    def waiting(self, seat: int) -> str:
        """Return what the table waits for."""
        return f"{self.who(seat)} is to play."

    def prompt(self) -> str:
        """Return what the viewer is asked to do."""
        verbs = {action.verb for action in self.legal}
        if "discard" in verbs:
            return f"{self.drawn_words}Choose a card to discard."
        if "draw upcard" in verbs and self.seen.upcard is not None:
            news, upcard = self._news, told_text([self.seen.upcard])
            card = "it" if news.endswith(f"discarded {upcard}. ") else upcard
            return f"{news}Draw from the stock or take {card}."
        return f"{self._news}Draw from the stock." if "draw stock" in verbs else "Your turn."

    @property
    def drawn_words(self) -> str:
        """What the viewer has just drawn or taken, as a sentence before the prompt."""
        if self.new_card is None:
            return ""
        return f"You {'took' if self.took_upcard else 'drew'} {told_text([self.new_card])}. "

    @property
    def _news(self) -> str:
        """What the last player did, as a sentence before the prompt; empty if it was the viewer."""
        for entry in reversed(self.log()):
            if entry.seat >= 0 and entry.text:
                return f"{entry.text} " if entry.seat != self.you else ""
        return ""

    def log(self) -> tuple[LogEntry, ...]:
        """Return what happened in this hand, in words. Events that say nothing to people are left out."""
        return self._log

    @cached_property
    def _log(self) -> tuple[LogEntry, ...]:
        top: Card | None = None  # of the discard pile
        entries: list[LogEntry] = []
        for event in self.seen.log:
            told = self.sentence(event, top)
            if told is not None:
                entries.append(replace(told, n=self.base + len(entries), hand=self.hand_no + 1))
            top = self._top_after(event, top)
        return tuple(entries)

    @staticmethod
    def _top_after(event: Event, top: Card | None) -> Card | None:
        verb = event.action.verb
        if verb in ("turn up", "discard", "knock", "declare") and event.action.cards:
            return event.action.cards[0]
        return None if verb in ("draw upcard", "buy") else top

    def entry(
        self, event: Event, text: str, cards: Sequence[Card] = (), way: tuple[str | None, str | None] = (None, None)
    ) -> LogEntry:
        """Return an entry of the log."""
        return LogEntry(0, 0, int(event.seat), text, event.action.verb, tuple(map(str, cards)), *way)

    def sentence(self, event: Event, top: Card | None) -> LogEntry | None:
        """Return what an event says to the viewer; *top* is the top of the discard pile before it."""
        verb, cards, seat = event.action.verb, event.action.cards, int(event.seat)
        who, hand = self.who(seat), f"hand:{seat}"
        if verb == "deal":
            return LogEntry(0, 0, -1, "The cards are dealt.", verb) if seat == self.seen.seat else None
        if verb == "turn up":
            return self.entry(event, f"{sentence_case(told_text(cards))} is turned up.", cards, ("stock", "pile"))
        if verb == "draw stock":
            text = f"{who} drew {told_text(event.secret)}." if event.secret else f"{who} drew from the stock."
            return self.entry(event, text, event.secret, ("stock", hand))
        if verb == "draw upcard":
            shown = (top,) if top is not None else ()
            return self.entry(event, f"{who} took {told_text(shown) or 'the upcard'}.", shown, ("pile", hand))
        if verb == "discard":
            return self.entry(event, f"{who} discarded {told_text(cards)}.", cards, (hand, "pile"))
        if verb == "pass" and not cards and seat >= 0:
            return self.entry(event, f"{who} passed.")
        return None

    # --- The end ----------------------------------------------------------------------------------------------------

    def result(self) -> dict[str, Any]:
        """Return the result of the finished hand, from the public part of the view."""
        return self.rules.result(self.seen.view)

    def gains(self) -> tuple[float, ...]:
        """Return what each seat gained in the finished hand."""
        return self.rules.payoffs(self.seen.view)

    def shown_hands(self) -> Iterator[tuple[int, Hand]]:
        """Yield the hands that were laid open at the end."""
        for event in self.seen.log:
            if event.action.verb == "shows":
                yield int(event.seat), Hand.of(event.action.cards, decks=2)

    def end_title(self) -> str:
        """Return how the hand ended, as a sentence."""
        result = self.result()
        if result["winner"] is None:
            return f"{result['outcome'].capitalize()}: nobody scores."
        won = self.gains()[result["winner"]]
        who = self.who(result["winner"])
        return f"{who} win{'s' * (who != 'You')} {won:g} points."

    def arithmetic(self) -> str:
        """Return the arithmetic of the score in one line."""
        return ""

    def end_line(self) -> str:
        """Return the end of the hand in one line: what each hand costs, and who scores what."""
        costs = ", ".join(f"{hand.name}: {hand.points}" for hand in self.open_hands())
        return f"{costs}. {self.end_title()}" if costs else self.end_title()

    def open_hands(self) -> tuple[OpenHand, ...]:
        """Return all hands, laid open."""
        return tuple(
            OpenHand(seat, self.who(seat), self.groups_of(hand, seat), 0, "") for seat, hand in self.shown_hands()
        )

    def lay_offs(self) -> tuple[LayoffView, ...]:
        """Return the cards laid off at the showdown, one after the other."""
        return ()

    def score_lines(self) -> tuple[str, ...]:
        """Return how each score changed."""
        result = self.result()
        lines = []
        for seat in range(self.rules.seats):
            after = self.standing(seat).score
            won = int(result.get("points", 0)) if seat == result["winner"] else 0
            sum_ = f"{after - won} + {won} = {after}" if won else str(after)
            lines.append(f"{self.who(seat)} {sum_}")
        return tuple(lines)

    def showdown(self) -> Showdown | None:
        """Return the end of the hand; nothing while it goes on."""
        if self.seen.actor is not None:
            return None
        return self._showdown()

    def _showdown(self) -> Showdown:
        result = self.result()
        return Showdown(
            title=self.end_title(),
            outcome=str(result["outcome"]),
            winner=result["winner"],
            gains=self.gains(),
            arithmetic=self.arithmetic(),
            hands=self.open_hands(),
            lay_offs=self.lay_offs(),
            score_lines=self.score_lines(),
        )

    # --- Rules ------------------------------------------------------------------------------------------------------

    @classmethod
    def sections(cls, rules: Any) -> tuple[Section, ...]:
        """Return the rules in force, in words."""
        found = cls.rule_words(rules.options).items()
        return tuple(Section(title, tuple(filter(None, words))) for title, words in found)

    @classmethod
    def rule_words(cls, o: Any) -> dict[str, Sequence[str]]:
        """Return the sections of the rules by title, for the options *o*; empty sentences are left out."""
        return {}


def show_class(spec: GameSpec) -> type[Show]:
    """Return how a game is shown: its own class, or the general one."""
    found: type[Show] = spec.module("show").SHOW if spec.has("show") else Show
    return found
