"""Our games as OpenSpiel Python games: ``pyspiel.load_game("python_rummylab_gin")``.

Importing this module registers a game for each of ours. Every card that is dealt or drawn is a chance node. The string
of an information state is the log of the seat, with what other players drew left out; the tensors are those of
:mod:`rummylab.envs.tensors`, which show the present position and not the way to it.

Where the pile becomes the stock again, the new order follows from the deal: it is no chance node.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from rummylab.cards.card import JOKER_ID, Card
from rummylab.cards.deck import Deck
from rummylab.engine.action import Event
from rummylab.engine.rows import Rows, copy_of
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.envs.moves import automatic_of
from rummylab.envs.tensors import Tensors
from rummylab.errors import MissingExtraError
from rummylab.games.registry import GAMES

try:
    import pyspiel
except ImportError:
    raise MissingExtraError("OpenSpiel games need: pip install open_spiel") from None

PREFIX: Final = "python_rummylab_"
MAX_LENGTH: Final = 4000
"""Moves in one hand, chance nodes not counted: the turn caps of the presets end a hand long before."""
_IDS: Final = [16 * suit + rank for suit in range(4) for rank in range(13)] + [JOKER_ID]
_NUMBERS: Final = {card: number for number, card in enumerate(_IDS)}


@lru_cache(maxsize=64)
def _tensors(game: str, rules: str, actions: str) -> Tensors:
    return Tensors(GAMES[game].rules(rules or None), actions)


@lru_cache(maxsize=64)
def _deal_size(tensors: Tensors) -> int:
    """Return how many cards are dealt before the first move: hands, upcard, indicator."""
    rules, row = tensors.rules, tensors.rules.new_rows(1)
    rules.deal(row, [rules.shuffled(0)], [0])
    return int(row["pos"][0])


@lru_cache(maxsize=64)
def _has_plain_indicator(tensors: Tensors) -> bool:
    """Return whether the last card but one of the deal is an indicator that may not be a printed joker."""
    options = tensors.rules.new_rows(1)["table"]["rules"]
    return "aces_wild" in (options.dtype.names or ()) and not options["aces_wild"][0]


def game_type(name: str) -> Any:
    """Return what OpenSpiel wants to know about the game *name*."""
    return pyspiel.GameType(
        short_name=f"{PREFIX}{name}",
        long_name=f"Rummylab {GAMES[name].title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=GAMES[name].seats[-1],
        min_num_players=GAMES[name].seats[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"rules": "", "actions": "compact"},
    )


class RummyGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games: one hand, with the parameters ``rules`` (a preset or a call) and ``actions``."""

    def __init__(self, name: str, params: dict[str, Any] | None = None) -> None:
        given = {"rules": "", "actions": "compact", **(params or {})}
        self.name, self.rules_text, self.numbering = name, str(given["rules"]), str(given["actions"])
        tensors = _tensors(name, self.rules_text, self.numbering)
        worst = float(tensors.game.worst(tensors.rules.options)) * (tensors.rules.seats - 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=tensors.n_actions,
            max_chance_outcomes=len(_IDS),
            num_players=tensors.rules.seats,
            min_utility=-worst,
            max_utility=worst,
            utility_sum=0.0,
            max_game_length=MAX_LENGTH,
        )
        super().__init__(game_type(name), info, given)

    @property
    def tensors(self) -> Tensors:
        """The numbering and the tensors of this game."""
        return _tensors(self.name, self.rules_text, self.numbering)

    def new_initial_state(self) -> RummyState:
        """Return the table before the deal."""
        return RummyState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> RummyObserver:
        """Return an observer of the game's states."""
        if params:
            raise ValueError(f"These observers take no parameters, not {params}.")
        return RummyObserver(self.tensors, iig_obs_type)


class RummyState(pyspiel.State):  # type: ignore[misc]
    """A table that is dealt card by card. The cards below the ones dealt have no order until they are drawn."""

    def __init__(self, game: RummyGame) -> None:
        super().__init__(game)
        self._key = game.name, game.rules_text, game.numbering
        self._dealt: list[int] = []
        self._row: Rows | None = None
        self._waiting = -1  # code of a move whose card has not been drawn yet
        self._logs: list[list[str]] = [[] for _ in range(self.tensors.rules.seats)]

    @property
    def tensors(self) -> Tensors:
        """The numbering and the tensors of the game."""
        return _tensors(*self._key)

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self.tensors.rules

    # --- What OpenSpiel asks ------------------------------------------------------------------------------------------

    def current_player(self) -> int:
        """Return who acts: a seat, chance or nobody."""
        if self._row is None or self._waiting >= 0:
            return int(pyspiel.PlayerId.CHANCE)
        actor = self.rules.actor(self._row)
        return actor if actor >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Return whether the hand is over."""
        return self.current_player() == int(pyspiel.PlayerId.TERMINAL)

    def returns(self) -> list[float]:
        """Return what each seat has gained: nothing before the end."""
        if self._row is None or not self.is_terminal():
            return [0.0] * self.rules.seats
        return list(self.rules.payoffs(self._row))

    def _legal_actions(self, player: int) -> list[int]:
        if self._row is None or player != self.current_player():
            return []
        mask = self.tensors.mask(self.rules.observe(self._row, Seat(player)))[0]
        return [int(number) for number in np.flatnonzero(mask)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that can come next, with their chances."""
        left = self._unseen()
        kinds, counts = np.unique([_NUMBERS[card] for card in left], return_counts=True)
        return [(int(kind), float(count) / len(left)) for kind, count in zip(kinds, counts, strict=True)]

    def _apply_action(self, action: int) -> None:
        if self.is_chance_node():
            self._draw(_IDS[action])
            return
        assert self._row is not None
        seat = Seat(self.current_player())
        seen = self.rules.observation(seat, self.rules.observe(self._row, seat), (), None)
        self._make(self.rules.encode(self.tensors.action(action, seen)))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == int(pyspiel.PlayerId.CHANCE):
            return f"deal {Card(_IDS[action])}"
        return self.tensors.name_of(action)

    def __str__(self) -> str:
        if self._row is None:
            return f"dealing: {' '.join(str(Card(card)) for card in self._dealt)}"
        return self.rules.show(self._row) + (" (drawing)" if self._waiting >= 0 else "")

    # --- The table ----------------------------------------------------------------------------------------------------

    def _unseen(self) -> list[int]:
        """Return the cards in the stock, or before the deal those that have not been dealt."""
        rules = self.rules
        if self._row is not None:
            at, deck = int(self._row["pos"][0]), self._row["deck"][0].tolist()
            return list(deck[at : at + int(self._row["table"]["stock"][0])])
        left = [card.id for card in rules.shuffled(0)]
        for card in self._dealt:
            left.remove(card)
        if len(self._dealt) == _deal_size(self.tensors) - 2 and _has_plain_indicator(self.tensors):
            left = [card for card in left if card != JOKER_ID]
        return left

    def _draw(self, card: int) -> None:
        """Let chance have dealt or drawn *card*."""
        if self._row is None:
            self._dealt.append(card)
            if len(self._dealt) == _deal_size(self.tensors):
                self._deal()
            return
        at = int(self._row["pos"][0])
        deck = self._row["deck"][0]
        place = at + int(np.flatnonzero(deck[at:] == card)[0])
        deck[at], deck[place] = deck[place], deck[at]
        code, self._waiting = self._waiting, -1
        self._push(code)
        self._automatic()

    def _deal(self) -> None:
        left = self._unseen()
        deck = Deck(tuple(Card(card) for card in (*self._dealt, *sorted(left))))
        self._row = self.rules.new_rows(1)
        self.rules.deal(self._row, [deck], [0])
        self._tell(self.rules.opening(self._row))
        self._automatic()

    def _make(self, code: int) -> None:
        """Make a move, or wait for chance if it draws a card."""
        assert self._row is not None
        trial = copy_of(self._row)
        self.rules.step(trial, code)
        table = trial["table"].dtype.names or ()
        same = "reshuffles" not in table or trial["table"]["reshuffles"] == self._row["table"]["reshuffles"]
        if same and trial["pos"][0] > self._row["pos"][0]:
            self._waiting = code
        else:
            self._push(code)
            self._automatic()

    def _push(self, code: int) -> None:
        row = self._row
        assert row is not None
        seat = Seat(self.rules.actor(row))
        drawn, _ = self.rules.step(row, code)
        event, redacted = self.rules.told(seat, code, drawn)
        for viewer, log in enumerate(self._logs):
            log.append(str(event if viewer == seat else redacted))
        self._tell(self.rules.aside(row))

    def _automatic(self) -> None:
        """Make the moves that are not the learner's: melds and layoffs in the compact numbering."""
        assert self._row is not None
        move = automatic_of(self.rules.name)
        while not self.tensors.is_full and (seat := self.rules.actor(self._row)) >= 0:
            code = int(move(self.rules.observe(self._row, Seat(seat))))
            if code < 0:
                return
            self._push(code)

    def _tell(self, events: Any) -> None:
        for event in events:
            for viewer, log in enumerate(self._logs):
                log.append(str(_seen_by(event, viewer)))


def _seen_by(event: Event, viewer: int) -> Event:
    return event if event.seat == viewer else event.redacted()


class RummyObserver:
    """Writes what a seat may know, as OpenSpiel's observers do."""

    def __init__(self, tensors: Tensors, kind: Any = None) -> None:
        self._recalls = kind is not None and kind.perfect_recall
        self._tensors = tensors
        self.tensor = np.zeros(tensors.size, np.float32)
        cards = tensors.layout.cards_size
        self.dict = {"planes": self.tensor[:cards].reshape(-1, 4, 13), "scalars": self.tensor[cards:]}

    def set_from(self, state: RummyState, player: int) -> None:
        """Write what *player* sees to ``tensor``; nothing before the deal."""
        self.tensor.fill(0)
        if state._row is not None:
            seen = self._tensors.encode(state.rules.observe(state._row, Seat(player)))
            self.tensor[:] = self._tensors.floats(seen)[0]

    def string_from(self, state: RummyState, player: int) -> str:
        """Return what *player* has seen: with perfect recall the whole log, else the position."""
        if state._row is None:
            return f"seat {player}, before the deal"
        if self._recalls:
            return "; ".join((f"seat {player}", *state._logs[player]))
        seen = state.rules.observation(Seat(player), state.rules.observe(state._row, Seat(player)), (), ())
        names = [f"seat {seat}" for seat in range(state.rules.seats)]
        return f"seat {player}: {seen.phase}\n" + "\n".join(seen.table_lines("text", names))


def _class_of(name: str) -> type[RummyGame]:
    """Return the class of the game *name*: OpenSpiel makes games from parameters alone."""

    class Named(RummyGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(name, params)

    Named.__name__ = Named.__qualname__ = f"{GAMES[name].rules_class}Game"
    return Named


def register() -> None:
    """Make our games known to ``pyspiel.load_game``; a second call changes nothing."""
    known = set(pyspiel.registered_names())
    for name in GAMES:
        if f"{PREFIX}{name}" not in known:
            pyspiel.register_game(game_type(name), _class_of(name))


register()
