"""Play one of our agents under a foreign Gin Rummy referee, over a line protocol (``docs/guides/bridge.md``).

The referee tells a seat only what that seat may know, in lines of text. The bridge keeps a *shadow* of the hand: a
real position of our rules in which the unseen cards are placed arbitrarily. Every move goes through the rules. When an
unseen card appears, it swaps places with the card that stood in for it. The agent's observation and legal moves
therefore come from the one implementation of the rules and equal what the seat would see at our own table.

One number stays unknown. At our table the defender sees how many points the knocker keeps; the protocol reports only
the melds. The shadow assumes the fewest possible points, which is zero exactly at gin. Defenders need no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from rummylab.cards.card import RANKS, SUITS, Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.agent import Agent, CompiledAgent
from rummylab.engine.referee import play
from rummylab.engine.rows import Rows
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import AgentError, DeckError, IllegalActionError, NotationError, ProtocolError
from rummylab.games.gin.view import Gin, GinObservation, gin

GAME: Final = "gin"
"""The game that the protocol is for."""
RULES: Final = gin("eaai", turn_cap=10_000)
"""The rules of the foreign table: it has no turn cap (rules page, 14), so the shadow must not end a long hand."""

DRAW_STOCK: Final = Action("draw stock")
DRAW_UPCARD: Final = Action("draw upcard")
PASS: Final = Action("pass")
DONE: Final = Action("done")

FORMS: Final = {
    form.split()[0]: form
    for form in (
        "newgame",
        "start ME FIRST c,c,..",
        "draw? C",
        "drew P C",
        "discard?",
        "discarded P C",
        "melds?",
        "melds P m/m/..",
        "layoff P C c,c,..",
        "hand P c,c,..",
        "scores S0 S1",
        "quit",
    )
}
"""Every line that the referee can send, by its first word."""
OF_A_SEAT: Final = ("drew", "discarded", "melds", "layoff")
"""Lines about the seat that they name first."""
ENDINGS: Final = ("hand", "scores", "newgame", "quit")
"""Lines that may come at any time, since a forfeit ends the hand at once."""
DEALT: Final = 10
"""Cards of a hand."""
WARM_UP_HANDS: Final = 2
REHEARSAL: Final = ("newgame", "start 0 0 AC,4C,8C,QC,2H,6H,TH,3S,7S,JS", "draw? KD")
"""The beginning of a hand, for `warm_up`."""
KNOCKS: Final = ("knocks", "gins", "knocked_with", "knock_turns")
"""Fields of the table that count the knocks of a match."""
FACE_DOWN: Final = "?"
NONE: Final = "-"
LONGEST_SHOWN: Final = 80
"""Characters of a line that an error message shows."""
_CARDS: Final = {str(card).upper(): card for card in Deck.ordered()}


class _Unexpected(Exception):
    """A line that does not fit. The text says what was expected."""


# --- Parsing and formatting ---------------------------------------------------------------------------------------


def _card(text: str) -> Card:
    if text not in _CARDS:
        raise _Unexpected(f"a card (a rank of {RANKS} and a suit of {SUITS.upper()}, such as 7H), not {text!r}")
    return _CARDS[text]


def _cards(text: str) -> tuple[Card, ...]:
    cards = () if text == NONE else tuple(_card(word) for word in text.split(","))
    _distinct(cards)
    return cards


def _melds(text: str) -> list[list[Card]]:
    """Parse melds without judging them: a referee may report illegal ones before it ends the game."""
    return [] if text == NONE else [[_card(word) for word in part.split(",")] for part in text.split("/")]


def _distinct(cards: Sequence[Card]) -> None:
    try:
        Hand.of(cards)
    except DeckError as error:
        raise _Unexpected(f"different cards: {error}") from None


def _seat(text: str) -> Seat:
    if text not in ("0", "1"):
        raise _Unexpected(f"seat 0 or 1, not {text!r}")
    return Seat(int(text))


def _points(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise _Unexpected(f"points, a whole number, not {text!r}")
    return int(text)


def _spell(cards: Iterable[Card]) -> str:
    return ",".join(str(card).upper() for card in cards) or NONE


def _spell_melds(melds: Iterable[Iterable[Card]]) -> str:
    return "/".join(map(_spell, melds)) or NONE


# --- The hand as the seat knows it --------------------------------------------------------------------------------


class Shadow:
    """One hand as *seat* knows it: a position of our rules with the unseen cards in arbitrary places.

    *row* carries the scores of the match, *cards* the ten cards dealt to *seat*, and *up* the first upcard.
    """

    def __init__(self, rules: Gin, row: Rows, seat: Seat, starter: Seat, cards: Sequence[Card], up: Card) -> None:
        self.seat, self.other = seat, Seat(1 - seat)
        self._rules, self._row = rules, row
        self._state = State(rules, row, _any_deck(seat, cards, up), starter, hand_no=int(row["table"]["hand_no"][0]))

    @property
    def actor(self) -> Seat | None:
        return self._state.actor

    @property
    def knocker(self) -> int:
        """The seat that knocked, or -1."""
        return int(self._row["table"]["knocker"][0])

    def observe(self) -> GinObservation:
        """Return what the seat may know now."""
        seen = self._state.observe(self.seat)
        assert isinstance(seen, GinObservation)
        return seen

    def can(self, action: Action) -> bool:
        """Return whether *action* is legal for the actor."""
        return action in self._state.legal_actions

    def has_discarded(self, seat: Seat) -> bool:
        """Return whether the last move was a discard by *seat*, and not a knock as far as is known."""
        last = next((event for event in reversed(self._state.log) if event.chosen), None)
        return last is not None and last.seat == seat and last.action.verb == "discard"

    def push(self, action: Action) -> None:
        """Apply *action* for the actor."""
        try:
            self._state.push(action)
        except IllegalActionError as error:
            raise _Unexpected(f"a legal move, but {error}") from None

    def draw(self, card: Card) -> None:
        """Draw *card* from the stock for the bridge's seat."""
        top = Card(int(self._row["deck"][0][self._row["pos"][0]]))
        if card not in self._unseen():
            raise _Unexpected(f"a card that can come from the stock, not {_spell([card])}")
        self._exchange(card, top)
        self.push(DRAW_STOCK)

    def opponent_discards(self, card: Card) -> None:
        """Discard *card* for the opponent. A later line tells whether they knocked with it."""
        self._let_opponent_hold([card])
        self.push(Action("discard", (card,)))

    def opponent_knocks(self, melds: Sequence[Sequence[Card]]) -> None:
        """Turn the opponent's discard into a knock with *melds*, whatever else they hold."""
        (discard,) = self._state.pop().action.cards
        melded = [card for meld in melds for card in meld]
        _distinct(melded)
        self._let_opponent_hold([discard, *melded, *self._cheapest_unmelded(melded, discard)])
        for move in (Action("knock", (discard,)), *(Action("meld", tuple(sorted(meld))) for meld in melds), DONE):
            if not self.can(move):
                limit = self.observe().knock_limit
                raise _Unexpected(f"legal melds, and at most {limit} points left in the hand of seat {self.other}")
            self.push(move)

    def spread(self) -> list[Hand]:
        """Return the seat's melds on the table, in declared order."""
        return [Hand(int(meld)) for meld in self.observe().table["spread"][self.seat] if meld]

    def _unseen(self) -> list[Card]:
        """Return the cards the seat cannot place: the stock, and the opponent's hand except the upcards they took."""
        return [Card(int(self._row["deck"][0][i])) for i in self._rules.hidden_slots(self._row, self.seat)]

    def _opponents(self) -> Hand:
        return Hand(int(self._row["mine"]["hand"][0][self.other]))

    def _cheapest_unmelded(self, melded: Sequence[Card], discard: Card) -> list[Card]:
        """Return unmelded cards for the knocker: the upcards they took, then the cheapest unseen cards.

        The referee accepted the knock, so the shadow's must be legal too; the cheapest cards make it so.
        """
        known = [card for card in self.observe().known(self.other) if card not in melded and card != discard]
        cheap = [card for card in self._unseen() if card not in melded and card != discard]
        n_cheap = DEALT - len(melded) - len(known)
        if n_cheap < 0:
            raise _Unexpected(f"melds from the {DEALT} cards of seat {self.other}, {_spell(known)} among them")
        return known + sorted(cheap, key=lambda card: (card.rank, card.id))[:n_cheap]

    def _let_opponent_hold(self, cards: Sequence[Card]) -> None:
        """Move *cards* into the opponent's hand, in exchange for unseen cards that may equally be in the stock."""
        held, unseen = self._opponents(), self._unseen()
        spare = [card for card in unseen if card in held and card not in cards]
        for card in cards:
            if card in held:
                continue
            if card not in unseen or not spare:
                raise _Unexpected(f"a card that seat {self.other} can hold, not {_spell([card])}")
            self._exchange(card, spare.pop())

    def _exchange(self, card: Card, other: Card) -> None:
        """Swap two unseen cards. Nothing that the seat may know depends on which is where.

        The opponent's private notes (the card they drew) stay: no rule and no view of this seat reads them.
        """
        deck, hands = self._row["deck"][0], self._row["mine"]["hand"][0]
        here, there = (int(np.flatnonzero(deck == c.id)[0]) for c in (card, other))
        deck[here], deck[there] = other.id, card.id
        held = self._opponents()
        if (card in held) != (other in held):
            hands[self.other] ^= (1 << card.id) | (1 << other.id)


def _any_deck(seat: Seat, cards: Sequence[Card], up: Card) -> Deck:
    """Return a deck that deals *cards* to *seat* and turns up *up*; the order of the other cards is arbitrary."""
    if up in cards:
        raise _Unexpected(f"an upcard from the stock, but {_spell([up])} was dealt to seat {seat}")
    others = iter([card for card in Deck.ordered() if card != up and card not in cards])
    dealt = iter(cards)
    return Deck(tuple(up if i == 20 else next(dealt if i < 20 and i % 2 == seat else others) for i in range(52)))


# --- The conversation ---------------------------------------------------------------------------------------------


@dataclass
class _Game:
    """What carries over from hand to hand."""

    scores: tuple[int, int] = (0, 0)
    hands_won: tuple[int, int] = (0, 0)
    hand_no: int = 0
    knocks: dict[str, list[int]] = field(default_factory=lambda: {name: [0, 0] for name in KNOCKS})

    def row(self, rules: Gin) -> Rows:
        """Return a position before the deal that carries the match's scores and counts."""
        row = rules.new_rows(1)
        rules.set_scores(row, self.scores)
        row["table"]["hands_won"] = self.hands_won
        row["table"]["hand_no"] = self.hand_no
        for name in KNOCKS:
            row["table"][name] = self.knocks[name]
        return row

    def score(self, scores: tuple[int, int]) -> None:
        """Take over the referee's scores. Whoever gained points has won the hand: a win pays at least one."""
        gained = [int(now > before) for now, before in zip(scores, self.scores, strict=True)]
        self.hands_won = self.hands_won[0] + gained[0], self.hands_won[1] + gained[1]
        self.scores = scores

    def count_knock(self, knock: _Knock, cards: Sequence[Card]) -> None:
        """Count a knock whose whole hand, *cards*, is now known."""
        kept = Hand.of(card for card in cards if card not in knock.melded).points
        for name, value in zip(KNOCKS, (1, int(kept == 0), kept, knock.turn), strict=True):
            self.knocks[name][knock.seat] += value


@dataclass(frozen=True)
class _Knock:
    """A knock that was reported, until the knocker's hand is shown."""

    seat: Seat
    melded: frozenset[Card]
    turn: int
    """The knocker's turn, from 1."""


@dataclass(frozen=True)
class _Deal:
    """A hand as the ``start`` line describes it. The upcard comes later."""

    seat: Seat
    starter: Seat
    cards: tuple[Card, ...]


class Bridge:
    """A seat under a foreign referee. :meth:`hear` takes a line and returns the answer if it was a question.

    The agent decides exactly when our own table would ask it to, even where the referee leaves no choice.
    """

    def __init__(self, agent: Agent, rng: np.random.Generator, rules: Gin = RULES) -> None:
        self.agent = agent
        self.is_over = False
        self.n_lines = 0
        self._rng, self._rules = rng, rules
        self._game: _Game | None = None
        self._deal: _Deal | None = None
        self._shadow: Shadow | None = None
        self._choice: Action | None = None  # the agent's answer, until the referee reports it done
        self._knock: _Knock | None = None

    def hear(self, line: str) -> str | None:
        """Process one line from the referee and return the answer, or ``None`` if it was not a question.

        Raises:
            ProtocolError: The line is malformed, out of turn, or contradicts an earlier one.
            AgentError: The agent chose an illegal move.
        """
        self.n_lines += 1
        try:
            word, values = _split(line)
            self._check_turn(word, values)
            return _HEARD[word](self, *values)
        except _Unexpected as error:
            raise ProtocolError(f"line {self.n_lines}: {_shown(line)}: expected {error}") from None

    # The order of lines

    def _check_turn(self, word: str, values: list[str]) -> None:
        """Raise unless the line is due."""
        if word == "quit" or word == "newgame" or (self._game is not None and word in ENDINGS):
            return
        due = self._due()
        said = f"{word} {_seat(values[0])}" if word in OF_A_SEAT else word
        if said not in due:
            raise _Unexpected(" or ".join(due))

    def _due(self) -> list[str]:
        """Return the lines that may come now, apart from the endings."""
        if self._game is None:
            return ["newgame", "quit"]
        if self._deal is None:
            return ["start"]
        me, other = self._deal.seat, 1 - self._deal.seat
        if self._shadow is None:
            return ["draw?"] if self._deal.starter == me else ["draw?", f"drew {other}"]
        if self._choice is not None:
            return [f"drew {me}" if self._choice in (DRAW_UPCARD, DRAW_STOCK) else f"discarded {me}"]
        phase = self._shadow.observe().phase
        if phase in ("offer", "draw"):
            return self._due_before_a_draw(self._shadow)
        if phase == "discard":
            return ["discard?"] if self._shadow.actor == me else [f"discarded {other}"]
        return self._due_at_the_end(self._shadow)

    def _due_before_a_draw(self, shadow: Shadow) -> list[str]:
        me, other = shadow.seat, shadow.other
        if shadow.actor == me:
            return ["draw?", f"melds {other}"] if shadow.has_discarded(other) else ["draw?"]
        if shadow.has_discarded(me):
            return ["melds?", f"drew {other}"]
        # No line reports that the opponent declined the first upcard; the starter then draws unasked (rules page, 3).
        return [f"drew {other}", f"drew {me}"] if shadow.can(PASS) else [f"drew {other}"]

    def _due_at_the_end(self, shadow: Shadow) -> list[str]:
        """Return what is due after a knock or at the end of the stock, where the last discard can still be a knock."""
        me, other = shadow.seat, shadow.other
        if shadow.actor == me or shadow.has_discarded(me):
            return ["melds?"]
        if shadow.has_discarded(other):
            return [f"melds {other}"]
        return [f"melds {me}", f"melds {other}", f"layoff {me}", f"layoff {other}"]

    # One method for each line

    def _hear_newgame(self) -> None:
        self._game = _Game()
        self._forget_hand()

    def _hear_start(self, seat: str, starter: str, cards: str) -> None:
        deal = _Deal(_seat(seat), _seat(starter), _cards(cards))
        if len(deal.cards) != DEALT:
            raise _Unexpected(f"{DEALT} cards, not {len(deal.cards)}")
        self._deal = deal
        self.agent.sit(self._rules, deal.seat, self._rng)

    def _hear_offer(self, up: str) -> str:
        shadow = self._opened(_card(up))
        if shadow.actor == shadow.other:
            shadow.push(PASS)  # the opponent declined the first upcard, which no line reports
        self._check_upcard(shadow, _card(up))
        action = self._ask(shadow)
        if action == PASS:
            shadow.push(action)  # no line reports this one either
        else:
            self._choice = action
        return "y" if action == DRAW_UPCARD else "n"

    def _hear_drew(self, player: str, card: str) -> None:
        if self._deal is not None and _seat(player) == self._deal.seat:
            self._i_drew(_card(card))
        elif card == FACE_DOWN and self._shadow is not None:
            self._shadow.push(DRAW_STOCK)
        else:
            shadow = self._opened(_card(card))
            self._check_upcard(shadow, _card(card))
            shadow.push(DRAW_UPCARD)

    def _i_drew(self, card: Card) -> None:
        shadow = self._current()
        if shadow.actor == shadow.other:
            shadow.push(PASS)  # both declined the first upcard
        choice = self._choice or self._ask(shadow)
        if choice == DRAW_UPCARD:
            self._check_upcard(shadow, card)
            shadow.push(choice)
        else:
            shadow.draw(card)
        self._choice = None

    def _hear_discard_query(self) -> str:
        self._choice = self._ask(self._current())
        return _spell(self._choice.cards)

    def _hear_discarded(self, player: str, card: str) -> None:
        shadow = self._current()
        if _seat(player) == shadow.other:
            shadow.opponent_discards(_card(card))
            return
        assert self._choice is not None
        if self._choice.cards != (_card(card),):
            raise _Unexpected(f"the card that was answered, {_spell(self._choice.cards)}")
        shadow.push(self._choice)
        self._choice = None

    def _hear_melds_query(self) -> str:
        shadow = self._current()
        if shadow.has_discarded(shadow.seat):
            return "pass"
        action = None
        while action != DONE:
            action = self._ask(shadow)
            shadow.push(action)
        return _spell_melds(shadow.spread())

    def _hear_melds(self, player: str, melds: str) -> None:
        shadow, told = self._current(), _melds(melds)
        if _seat(player) == shadow.seat:
            if {frozenset(meld) for meld in told} != {frozenset(meld) for meld in shadow.spread()}:
                raise _Unexpected(f"the melds that were answered, {_spell_melds(shadow.spread())}")
        elif shadow.has_discarded(shadow.other):
            shadow.opponent_knocks(told)
        if self._knock is None and shadow.knocker == _seat(player):
            turn = (int(shadow.observe().table["turn"]) + 1) // 2
            self._knock = _Knock(_seat(player), frozenset(card for meld in told for card in meld), turn)
        # The shadow ignores a defending opponent's melds: the agent makes no more decisions in this hand. The melds
        # may even be illegal, since the official referee reports them before it checks them.

    def _hear_layoff(self, player: str, card: str, meld: str) -> None:
        _seat(player), _card(card), _cards(meld)

    def _hear_hand(self, player: str, cards: str) -> None:
        seat, shown = _seat(player), _cards(cards)
        if self._game is not None and self._knock is not None and seat == self._knock.seat:
            self._game.count_knock(self._knock, shown)
            self._knock = None

    def _hear_scores(self, first: str, second: str) -> None:
        assert self._game is not None
        self._game.score((_points(first), _points(second)))
        if self._deal is not None:
            self._game.hand_no += 1
        self._forget_hand()

    def _hear_quit(self) -> None:
        self.is_over = True

    # Helpers

    def _forget_hand(self) -> None:
        self._deal = self._shadow = self._choice = self._knock = None

    def _current(self) -> Shadow:
        assert self._shadow is not None, "the order of lines has been checked"
        return self._shadow

    def _opened(self, up: Card) -> Shadow:
        """Return the shadow, dealing it when the hand's first upcard becomes known."""
        if self._shadow is None:
            game, deal = self._game, self._deal
            assert game is not None, "the order of lines has been checked"
            assert deal is not None, "the order of lines has been checked"
            self._shadow = Shadow(self._rules, game.row(self._rules), deal.seat, deal.starter, deal.cards, up)
        return self._shadow

    def _check_upcard(self, shadow: Shadow, card: Card) -> None:
        up = shadow.observe().upcard
        if up is not None and card != up:
            raise _Unexpected(f"the upcard, {_spell([up])}")

    def _ask(self, shadow: Shadow) -> Action:
        """Return the agent's move; raise ``AgentError`` if it is illegal."""
        seen = shadow.observe()
        action = self.agent.act(seen)
        try:
            is_legal = self._rules.encode(action) in seen.codes
        except NotationError:
            is_legal = False
        if not is_legal:
            raise AgentError(
                f"{self.agent.name} played {action} at line {self.n_lines}, which is illegal in the phase {seen.phase}"
            )
        return action


_HEARD: Final[dict[str, Callable[..., str | None]]] = {
    "newgame": Bridge._hear_newgame,
    "start": Bridge._hear_start,
    "draw?": Bridge._hear_offer,
    "drew": Bridge._hear_drew,
    "discard?": Bridge._hear_discard_query,
    "discarded": Bridge._hear_discarded,
    "melds?": Bridge._hear_melds_query,
    "melds": Bridge._hear_melds,
    "layoff": Bridge._hear_layoff,
    "hand": Bridge._hear_hand,
    "scores": Bridge._hear_scores,
    "quit": Bridge._hear_quit,
}


def _split(line: str) -> tuple[str, list[str]]:
    """Return the first word of a well-formed line and its values."""
    words = line.split()
    if not words or words[0] not in FORMS:
        raise _Unexpected(f"a line that starts with one of {', '.join(FORMS)}")
    form = FORMS[words[0]]
    if len(words) != len(form.split()):
        raise _Unexpected(form)
    return words[0], words[1:]


def _shown(line: str) -> str:
    text = line.rstrip("\r\n")
    return repr(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")


def warm_up(agent: Agent) -> None:
    """Let a compiled *agent* play itself, so that its first answer to the referee takes no longer than the others.

    Loading or compiling machine code takes up to some seconds. Two hands reach every phase but the rarest.
    """
    if isinstance(agent, CompiledAgent):
        for seed in range(WARM_UP_HANDS):
            play(RULES, [agent, agent], seed)
        bridge = Bridge(agent, player_stream(0))
        answers = [bridge.hear(line) for line in REHEARSAL]
        for line in ("drew 0 KD", "discard?") if answers[-1] == "y" else ("drew 1 KD", "discarded 1 QD"):
            bridge.hear(line)


def run(agent: Agent, lines: Iterable[str], write: Callable[[str], None], *, seed: int = 0) -> None:
    """Play *agent* through *lines* until ``quit`` or the end of the input, after a `warm_up`.

    *write* receives one answer per question, without the line end. It must flush at once: the referee is waiting.

    Raises:
        ProtocolError: A line cannot be understood; the message has its number and what was expected.
    """
    warm_up(agent)
    bridge = Bridge(agent, player_stream(seed))
    try:
        for line in lines:
            answer = bridge.hear(line)
            if answer is not None:
                write(answer)
            if bridge.is_over:
                return
    except UnicodeDecodeError as error:
        raise ProtocolError(f"line {bridge.n_lines + 1}: expected text: {error}") from None
