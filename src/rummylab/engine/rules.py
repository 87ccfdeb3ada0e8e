"""The rules of a game: constants, an action codec, and functions on positions. They hold no state.

Positions are records and moves are kernels. A game's own class adds what differs: how cards are dealt, what a refusal
says, what a result contains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Final

import numpy as np

from rummylab.cards.card import JOKER_ID, Card, cards_of
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.rng import DECK, STARTER, root_of, stream
from rummylab.engine.action import Action, Event, Told
from rummylab.engine.codec import Codec, MeldCodes, numbered_melds
from rummylab.engine.drivers import REFUSED, shuffle_of, table_question
from rummylab.engine.observation import Observation, card_or_none, hand_of
from rummylab.engine.options import Options
from rummylab.engine.rows import Rows, sizes_of
from rummylab.engine.seats import DEALER, Seat
from rummylab.engine.spec import GameSpec, Verb
from rummylab.errors import DeckError, IllegalActionError, NotationError, OptionError, WrongTypeError


@dataclass(frozen=True)
class Rules:
    """Rules of one game under some options."""

    options: Options
    """The options of the table."""

    spec: ClassVar[GameSpec]
    """The declaration of the game."""
    FLAGS: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Fields of the record's rules that say whether a text option has some value: field, option and value."""
    STARTER_FIRST: ClassVar[bool] = True
    """The deal begins with the starter; otherwise with seat 0."""

    kernels: ClassVar[Any]
    """The compiled rules."""
    record: ClassVar[np.dtype[np.void]]
    """The whole position, hidden cards included."""
    view: ClassVar[np.dtype[np.void]]
    """What one seat may know: it has no field for more."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.kernels = cls.spec.kernels
        cls.record, cls.view = cls.kernels.RECORD, cls.kernels.VIEW

    def __post_init__(self) -> None:
        if not isinstance(self.options, self.spec.options):
            raise WrongTypeError(f"{self.spec.title} takes {self.spec.options.__name__}, not {self.options!r}")

    def __repr__(self) -> str:
        return f"<{self.spec.title} {self.options}>"

    # --- Constants ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the game."""
        return self.spec.name

    @property
    def version(self) -> int:
        """Version of the behavior. It moves when a result could change, never for speed."""
        return self.spec.version

    @cached_property
    def seats(self) -> int:
        """Number of seats at the table."""
        return int(getattr(self.options, "seats", self.spec.seats[0]))

    @cached_property
    def n_cards(self) -> int:
        """Number of cards in play."""
        decks, jokers = self.options.cards_in_play
        return 52 * decks + jokers

    @property
    def position(self) -> Any:
        """The fields of positions as text and JSON; nothing if the game does not declare them."""
        return self.spec.module("position").POSITION if self.spec.has("position") else None

    @property
    def n_codes(self) -> int:
        """One more than the largest code of an action."""
        return int(self.kernels.N_CODES)

    # --- Actions ------------------------------------------------------------------------------------------------------

    def encode(self, action: Action) -> int:
        """Return the code of *action*.

        Raises:
            NotationError: If the game has no such action.
        """
        code = self._codec.by_identity.get(id(action))  # quicker than a comparison, and mostly it is one of our own
        if code is None:
            code = self._codec.encode(action)
        if code is None:
            raise NotationError(self.no_such_action(action))
        return code

    def decode(self, code: int) -> Action:
        """Return the action with this *code*.

        Raises:
            NotationError: If no action has it.
        """
        return self._codec.decode(code)

    @cached_property
    def _codec(self) -> Codec:
        """The codec of the game, one for all its rules."""
        kind = type(self)
        if kind not in _CODECS:
            _CODECS[kind] = Codec(kind.spec, kind.meld_codes)
        return _CODECS[kind]

    def __getstate__(self) -> dict[str, Any]:
        return {"options": self.options}  # another process makes its own codec

    @classmethod
    def meld_codes(cls, verb: Verb, first: int) -> MeldCodes:
        """Yield the codes of every meld that *verb* can be followed by, from *first* on."""
        return numbered_melds(cls.spec.kernels.MELDS, first)

    def no_such_action(self, action: Action) -> str:
        """Say why no action of the game reads like *action*."""
        return f"no action of {self.spec.title}: {action}"

    # --- The deal -----------------------------------------------------------------------------------------------------

    def new_rows(self, n: int) -> Rows:
        """Return *n* positions at the start of a match, before the deal."""
        return np.ndarray(n, self.record, bytearray(self._start_bytes * n))

    @cached_property
    def _start_bytes(self) -> bytes:
        """The bytes of `start_row`: every table begins with a copy."""
        return self.start_row().tobytes()

    def start_row(self) -> Rows:
        """Return one position at the start of a match, with the options written into it."""
        rows = np.zeros(1, self.record)
        rules, values = rows["table"]["rules"], self.options.to_dict()
        for name, value in values.items():
            if not isinstance(value, str):
                rules[name] = value
        for field, (option, word) in self.FLAGS.items():
            rules[field] = values[option] == word
        rows["table"]["actor"] = -1
        return rows

    def shuffled(self, seed: int, pair: int = 0, hand: int = 0) -> Deck:
        """Return the deck of hand number *hand* in match number *pair* under *seed*: the one the batch kernels deal."""
        row = self.new_rows(1)
        deck_seed = stream(root_of(seed), pair, hand, DECK)
        shuffle_of(self.kernels.shuffle_deck)(row, np.uint64(deck_seed))
        return Deck.from_kernel(row["deck"][0, : self.n_cards])

    def first_starter(self, seed: int, pair: int = 0) -> Seat:
        """Return who starts the first hand: a seat drawn at random, or seat 0 where the options say so."""
        if not getattr(self.options, "random_starter", False):
            return Seat(0)
        lot = int(stream(root_of(seed), pair, 0, STARTER))
        return Seat(((lot >> 32) * self.seats) >> 32)

    def next_starter(self, row: Rows) -> Seat:
        """Return who starts the hand after the finished one in *row*."""
        return Seat(int(table_question(self.kernels.next_starter)(row)))

    def match_is_over(self, row: Rows) -> bool:
        """Return whether no more hands follow the finished one."""
        return bool(table_question(self.kernels.match_is_over)(row))

    def deal(self, rows: Rows, decks: Sequence[Deck], starters: Sequence[int]) -> None:
        """Deal a deck to each of *rows*.

        Raises:
            DeckError: If a deck does not fit the options, or a starter is not a seat.
        """
        printed = self.options.cards_in_play[1]
        naturals = self.n_cards - printed
        for deck in decks:
            jokers = deck.id_bytes().count(JOKER_ID)
            if (len(deck) - jokers, jokers) != (naturals, printed):
                wanted = f"{naturals} cards and {printed} jokers"
                raise DeckError(f"{self.spec.title} needs {wanted}, but the deck has {len(deck) - jokers} and {jokers}")
        for starter in starters:
            if not 0 <= starter < self.seats:
                raise DeckError(f"the starter is a seat from 0 to {self.seats - 1}, not {starter}")
        ids = bytearray().join([deck.id_bytes() for deck in decks])
        in_rows = np.frombuffer(ids, np.int8).reshape(len(decks), -1)
        self.kernels.open_hands(rows, in_rows, np.array(starters, np.int8))

    def cards_each(self, row: Rows) -> int:
        """Return how many cards each player is dealt."""
        raise NotImplementedError

    # --- Events -------------------------------------------------------------------------------------------------------

    def opening(self, row: Rows) -> list[Event]:
        """Return the events of the deal: every hand, then the upcard."""
        seats, first = self.seats, int(row["table"]["starter"][0]) if self.STARTER_FIRST else 0
        dealt = row["deck"][0, : seats * self.cards_each(row)].tolist()
        hands = [cards_of(dealt[(seat - first) % seats :: seats]) for seat in range(seats)]
        events = [Event(Seat(seat), _DEAL, hand, False) for seat, hand in enumerate(hands)]
        return [*events, face_up("turn up", row["table"]["up"][0])]

    def told(self, seat: Seat, code: int, drawn: int) -> Told:
        """Return what happens when *seat* makes the move *code* and draws the card *drawn* (-1: none)."""
        return self._codec.told(seat, code, drawn)

    def aside(self, row: Rows) -> Sequence[Event]:
        """Return what the table did beside the last move, such as turning up a card after a reshuffle."""
        return ()

    def closing(self, row: Rows) -> list[Event]:
        """Return the events at the end of a hand: everybody shows their cards."""
        return [self.shown(row, Seat(seat)) for seat in range(self.seats)]

    def shown(self, row: Rows, seat: Seat) -> Event:
        """Return the event of *seat* showing its cards."""
        return Event(seat, Action("shows", tuple(self.hand_at(row, seat))), (), False)

    # --- Moves --------------------------------------------------------------------------------------------------------

    def actor(self, row: Rows) -> Seat:
        """Return who is to act, -1 if the hand is over."""
        return Seat(int(row["table"]["actor"][0]))

    def legal(self, row: Rows) -> list[int]:
        """Return the codes of the actor's legal moves."""
        actor = self.actor(row)
        return self.legal_in(self.observe(row, actor)) if actor >= 0 else []

    def legal_in(self, view: Rows) -> list[int]:
        """Return the codes of the legal moves of the actor, whose *view* it is."""
        codes = np.empty(self.kernels.MAX_LEGAL, np.int16)
        return codes[: self.kernels.legal_in(view, codes)].tolist()  # type: ignore[no-any-return]

    def step(self, row: Rows, code: int) -> tuple[int, Seat]:
        """Make a move and return the card drawn (-1: none) and who is to act next (-1: the hand is over).

        Raises:
            IllegalActionError: If the move is illegal. The row is unchanged.
        """
        done: tuple[int, Seat] = self.kernels.step_one(row, code)
        if done[1] == REFUSED:
            raise IllegalActionError(self.why_not(row, code))
        return done

    def why_not(self, row: Rows, code: int) -> str:
        """Say in words why the rules refuse *code*. It explains a refusal and never decides one."""
        actor = self.actor(row)
        if actor < 0:
            return "the hand is over"
        action, hand = self.decode(code), self.hand_at(row, actor)
        missing = next((card for card in action.cards if card not in hand), None)
        own = self.refusal(row, action, hand, missing)
        if own:
            return own
        verbs = {self.decode(legal).verb for legal in self.legal(row)}
        if missing and action.verb in verbs:
            return f"{missing} is not in the hand"
        return f"now you can only {' or '.join(sorted(verbs))}"

    def refusal(self, row: Rows, action: Action, hand: Hand, missing: Card | None) -> str:
        """Say what only this game can say about a refused *action*; empty if the general words will do.

        *hand* is the actor's, *missing* a card of the action that is not in it.
        """
        return ""

    # --- What a seat sees ---------------------------------------------------------------------------------------------

    def phase(self, row: Rows) -> str:
        """Return what kind of decision is due."""
        return str(self.kernels.PHASES[int(row["table"]["phase"][0])])

    def hand_at(self, row: Rows, seat: int) -> Hand:
        """Return the cards that *seat* holds."""
        return hand_of(row["mine"][0], seat=seat)

    def observe(self, row: Rows, seat: Seat) -> Rows:
        """Return the view of *seat*, as a copy."""
        return np.frombuffer(bytearray(self.view_bytes(row.tobytes(), seat)), self.view)

    def view_bytes(self, whole: bytes | memoryview, seat: Seat) -> bytes:
        """Return the bytes of the view of *seat* in the position of which *whole* are the bytes."""
        table, mine, padding = sizes_of(self.record, self.view)
        start = table + seat * mine
        return b"".join((whole[:table], whole[start : start + mine], padding))

    def observation(
        self, seat: Seat, view: Rows | bytes, log: tuple[Event, ...], codes: tuple[int, ...] | None = None
    ) -> Observation:
        """Return the observation made of a *view*, or of its bytes, and the redacted *log*.

        Without the *codes* of the legal moves, it works them out from the view when they are asked for.
        """
        return self._observation(self, seat, view, log, codes)

    @cached_property
    def _observation(self) -> type[Observation]:
        return self.spec.observation

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        """Return the places in the deck whose cards *viewer* cannot tell apart by now.

        There are none after a reshuffle: its order depends on the whole deck, so another deck would not have led here.
        Where two cards are alike and one is in sight, only places in the stock count.
        """
        table = row["table"][0]
        if "reshuffles" in table.dtype.names and table["reshuffles"]:
            return []
        # From the record itself: what a leak adds to an observation must not count as seen.
        seen = self.observation(viewer, Rules.view_bytes(self, row.tobytes(), viewer), (), ()).in_sight()
        if table["actor"] < 0:  # all hands are shown at the end
            seen |= {card.id for seat in range(self.seats) for card in self.hand_at(row, seat)}
        deck = row["deck"][0, : self.n_cards]
        return [slot for slot, card in enumerate(deck) if slot >= row["pos"][0] or int(card) not in seen]

    # --- Results ------------------------------------------------------------------------------------------------------

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        """Return what each seat gained: the winner the points, the others an equal share of the loss."""
        table = row["table"][0]
        winner, won = int(table["winner"]), float(table["points"])
        if winner < 0:
            return (0.0,) * self.seats
        return tuple(won if seat == winner else -won / (self.seats - 1) for seat in range(self.seats))

    def result(self, row: Rows) -> dict[str, Any]:
        """Return the outcome of a finished hand, as the record file keeps it."""
        table = row["table"][0]
        winner = int(table["winner"])
        head = {"outcome": self.kernels.OUTCOMES[int(table["outcome"])], "winner": winner if winner >= 0 else None}
        return head | self.details(row)

    def details(self, row: Rows) -> dict[str, Any]:
        """Return what a result tells beside outcome and winner."""
        return {"points": int(row["table"]["points"][0]), "scores": list(self.scores(row))}

    def scores(self, row: Rows) -> tuple[int, ...]:
        """Return the running scores of the match, by seat; high is good."""
        return tuple(row["table"]["scores"][0, : self.seats].tolist())

    def set_scores(self, row: Rows, scores: Sequence[int]) -> None:
        """Set the running scores of the match."""
        row["table"]["scores"][0, : self.seats] = list(scores)

    def score_line(self, row: Rows, names: Sequence[str]) -> str:
        """Return how the match stands, for the heading of a hand; *names* are the players', by seat."""
        return ", ".join(f"{name} {score}" for name, score in zip(names, self.scores(row), strict=True))

    def standing(self, row: Rows) -> dict[str, list[int]]:
        """Return what the next hand of the match depends on beside the scores: lists by seat. All of it is public."""
        return {}

    def set_standing(self, row: Rows, standing: Mapping[str, Sequence[int]]) -> None:
        """Set the standing of the match as `standing` returned it.

        Raises:
            OptionError: If it is not a standing of this game.
        """
        if standing:
            raise OptionError(f"{self.spec.title} has no standing beside the scores")

    def match_winners(self, row: Rows) -> tuple[Seat, ...]:
        """Return who has won the match that is over: who has the most points."""
        scores = self.scores(row)
        return tuple(Seat(seat) for seat, score in enumerate(scores) if score == max(scores))

    def match_numbers(self, row: Rows, seat: Seat) -> dict[str, int]:
        """Return what the tally of a match says about *seat* beside its score: nothing in most games."""
        return {}

    def show(self, row: Rows) -> str:
        """Return the whole position as text, hidden cards included."""
        table = row["table"][0]
        title = f"{self.spec.title} ({self.options.preset_name()}), turn {table['turn']}, phase {self.phase(row)}"
        up = card_or_none(table["up"])
        lines = [title, f"stock {int(table['stock'])}, upcard {up or '-'}{self.table_note(row)}"]
        for seat in range(self.seats):
            mark = ">" if table["actor"] == seat else " "
            lines.append(f"{mark} seat {seat}: {self.hand_at(row, seat)}{self.seat_note(row, seat)}")
            lines += [f"    {line}" for line in self.melds_of(row, seat)]
        if table["actor"] < 0 and table["outcome"]:
            result = self.result(row)
            won = "nobody wins"
            if result["winner"] is not None:
                won = f"seat {result['winner']} wins {self.payoffs(row)[result['winner']]:.0f} points"
            lines.append(f"{result['outcome']}: {won}")
        return "\n".join(lines)

    def table_note(self, row: Rows) -> str:
        """Return what to add to the line about stock and upcard."""
        return ""

    def seat_note(self, row: Rows, seat: int) -> str:
        """Return what to add to the line with the hand of *seat*."""
        return ""

    def melds_of(self, row: Rows, seat: int) -> list[str]:
        """Return the melds that *seat* has on the table, one a line."""
        return []


_CODECS: dict[Any, Codec] = {}


_DEAL: Final = Action("deal")


def face_up(verb: str, card: Any) -> Event:
    """Return the event of a card that the table shows to everybody."""
    return _face_up(verb, int(card))


@cache
def _face_up(verb: str, card: int) -> Event:
    return Event(DEALER, Action(verb, (Card(card),)), (), False)
