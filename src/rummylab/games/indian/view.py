"""Classic Indian Rummy for Python: the :class:`Indian` rules object and what a seat sees.

The rules themselves are in :mod:`rummylab.games.indian.rules`. Nothing here decides what is legal or what it scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rummylab.cards.bits import ALL_CARDS
from rummylab.cards.bulk import Hands, Ints
from rummylab.cards.card import JOKER_ID, RANKS, Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.drivers import seat_question, table_question, view_question
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows, copy_of
from rummylab.engine.rules import Rules, face_up
from rummylab.engine.seats import Seat
from rummylab.engine.spec import GameSpec
from rummylab.errors import OptionError
from rummylab.games.indian import rules as r
from rummylab.games.indian import table
from rummylab.games.indian.bulk import Wild, min_dists, min_scores
from rummylab.games.indian.formats import Format
from rummylab.games.indian.mindist import min_dist
from rummylab.games.indian.minscore import min_score
from rummylab.games.indian.options import CARDS_EACH, SCORE_RULES, IndianOptions
from rummylab.games.indian.spec import SPEC


def _kinds(mask: Any) -> Hand:
    """Return a mask of kinds, jokers as ``JOKER_BIT``, as cards."""
    return Hand(int(mask) & ALL_CARDS, 0, int(mask) >> JOKER_ID & 1)


STANDING = ("lost", "chips", "place", "rejoins")
"""Fields of the table that the next deal of a match depends on, beside the scores and the number of the deal."""


class IndianObservation(Observation):
    """What a seat sees at an Indian Rummy table."""

    __slots__ = ()

    @property
    def wild(self) -> int:
        """The wild rank: 0 for aces, 12 for kings."""
        return int(self.table["wild"])

    @property
    def indicator(self) -> Card:
        """The card that made its rank wild."""
        return Card(int(self.table["indicator"]))

    def picked(self, seat: Seat) -> Hand:
        """Return the kinds of cards *seat* has taken from the discard pile in this deal."""
        return _kinds(self.table["picked"][seat])

    def thrown(self, seat: Seat) -> Hand:
        """Return the kinds of cards *seat* has discarded in this deal."""
        return _kinds(self.table["thrown"][seat])

    @property
    def score_rule(self) -> str:
        """What a pure run without a second run saves: ``paper``, ``platform`` or ``pure_run_opens``."""
        return SCORE_RULES[int(self.table["rules"]["score_rule"])]

    # --- The standing of the match ------------------------------------------------------------------------------------

    @property
    def format(self) -> Format:
        """How deals make the match."""
        options: Any = self.rules.options
        return options.match_format  # type: ignore[no-any-return]

    @property
    def lost(self) -> tuple[int, ...]:
        """Points that every seat has lost in the match."""
        return tuple(int(points) for points in self.table["lost"][: self.rules.seats])

    @property
    def chips(self) -> tuple[int, ...]:
        """Chips of every seat: what it has won less what it has lost, and in deals what it started with."""
        return tuple(int(chips) for chips in self.table["chips"][: self.rules.seats])

    @property
    def places(self) -> tuple[int, ...]:
        """The rank of every seat that is out of the match or has finished it; 0 for those still in."""
        return tuple(max(0, int(place)) for place in self.table["place"][: self.rules.seats])

    @property
    def drops_left(self) -> tuple[int, ...]:
        """How many first drops every seat can afford before it is out of the pool; 0 where nobody goes out."""
        ask = seat_question(r.drops_left)
        return tuple(int(ask(self.view, seat)) for seat in range(self.rules.seats))

    @property
    def deals_left(self) -> int:
        """How many deals are to go, this one included; 0 in a pool and in a deal that breaks a tie."""
        return int(table_question(r.deals_left)(self.view))

    @property
    def unseen(self) -> Hand:
        """What can still come: every card that is not in sight."""
        return Hand(*map(int, view_question(r.unseen)(self.view)))

    def min_score_after(self, card: Card) -> int:
        """Return the MinScore, uncapped, of the hand after *card* is discarded."""
        left = self.hand - Hand.of([card])
        return int(min_score(left.mask, left.twice, left.jokers, self.wild, int(self.table["rules"]["score_rule"])))

    def min_dist_after(self, card: Card) -> int:
        """Return the MinDist of the hand after *card* is discarded; 0: it can be declared."""
        left = self.hand - Hand.of([card])
        return int(min_dist(left.mask, left.twice, left.jokers, self.wild))

    def in_sight(self) -> set[int]:
        """Return the ids of all cards whose place this seat knows, the indicator included."""
        return super().in_sight() | {self.indicator.id}

    def arranged(self, hand: Hand, style: str) -> str:
        """Return *hand* with its melds first, wild cards marked."""
        return table.arranged(self, hand, style)

    def table_lines(self, style: str, names: Sequence[str]) -> list[str]:
        """Return the table with the wild rank, and the hand with its melds, MinScore and MinDist."""
        return table.table_lines(self, style, names)


@dataclass(frozen=True, repr=False)
class Indian(Rules):
    """The rules of Classic Indian Rummy under some options."""

    options: IndianOptions = field(default_factory=IndianOptions)

    spec: ClassVar[GameSpec] = SPEC
    FLAGS: ClassVar[Mapping[str, tuple[str, str]]] = {
        "aces_wild": ("joker_indicator", "aces wild"),
        "limit_difference": ("limit_gain", "difference"),
    }
    STARTER_FIRST: ClassVar[bool] = False

    min_dist = staticmethod(min_dists)

    def min_score(self, hands: Hands, wild: Wild | Sequence[Wild], *, capped: bool = True) -> Ints:
        """Return the MinScore of each of *hands* by the score rule and, if *capped*, the cap of these options.

        Raises:
            NotationError: A hand does not have 13 cards, or *wild* is not a rank.
        """
        return min_scores(hands, wild, rule=self.options.score_rule, cap=self.options.cap if capped else None)

    def start_row(self) -> Rows:
        """Return one position at the start of a match, with the options and the format written into it."""
        rows, form = super().start_row(), self.options.match_format
        rules, table = rows["table"]["rules"], rows["table"]
        rules["score_rule"] = SCORE_RULES.index(self.options.score_rule)
        rules["deals"], rules["out_at"], rules["start_chips"] = form.deals, form.out_at, form.chips
        rules["rejoin_limit"] = form.rejoin_limit if form.rejoin else -1
        rules["split_within"] = form.split_within if form.split else 0
        rules["no_drops"] = self.seats == 2 and not form.drop_at_two
        table["chips"][0, : self.seats] = form.chips
        table["stack"] = -1
        return rows

    def cards_each(self, row: Rows) -> int:
        """Return how many cards each player is dealt: thirteen."""
        return CARDS_EACH

    def opening(self, row: Rows) -> list[Event]:
        """Return the hands of those still in the match, the indicator and the first upcard."""
        table, seats = row["table"][0], self._dealt_in(row)
        dealt = row["deck"][0, : CARDS_EACH * len(seats)]
        hands = [
            Event(seat, Action("deal"), tuple(Card(int(card)) for card in dealt[place :: len(seats)]), False)
            for place, seat in enumerate(seats)
        ]
        return [*hands, face_up("indicator", table["indicator"]), face_up("turn up", table["up"])]

    def aside(self, row: Rows) -> list[Event]:
        """Return the hands, which are shown before anybody decides to rejoin or to split."""
        is_asked = self.phase(row) in ("rejoin", "split")
        return self._shown(row) if is_asked and not row["table"]["answers"][0] else []

    def closing(self, row: Rows) -> list[Event]:
        """Return the hands, unless they have been shown."""
        return [] if row["table"]["answers"][0] else self._shown(row)

    def _shown(self, row: Rows) -> list[Event]:
        return [self.shown(row, seat) for seat in self._dealt_in(row)]

    def _dealt_in(self, row: Rows) -> list[Seat]:
        """Return the seats that were in the match when the deal began."""
        status = row["table"]["status"][0]
        return [Seat(seat) for seat in range(self.seats) if status[seat] != r.AWAY]

    def hidden_slots(self, row: Rows, viewer: Seat) -> list[int]:
        """Return the places in the deck that *viewer* cannot tell apart; between deals the hands are in sight."""
        if self.phase(row) not in ("rejoin", "split"):
            return super().hidden_slots(row, viewer)
        ended = copy_of(row)
        ended["table"]["actor"] = -1
        return super().hidden_slots(ended, viewer)

    def refusal(self, row: Rows, action: Action, hand: Hand, missing: Card | None) -> str:
        """Say why a card cannot be discarded or taken, or why nobody may drop."""
        if missing and self.phase(row) == "discard":
            return f"{missing} is not in the hand"
        if action.verb == "drop" and self.phase(row) == "draw":
            return f"two players may not drop in {self.options.format}"
        if action.verb == "draw upcard" and self.phase(row) == "draw":
            return f"{Card(int(row['table']['up'][0]))} is a joker and may not be taken from the discard pile"
        return ""

    def payoffs(self, row: Rows) -> tuple[float, ...]:
        """Return what each seat gains in this deal."""
        return tuple(float(gain) for gain in row["table"]["gains"][0, : self.seats])

    def details(self, row: Rows) -> dict[str, Any]:
        """Return gains, deadwood, who left how, turns and scores."""
        now, seats = row["table"][0], range(self.seats)
        return {
            "gains": [int(now["gains"][seat]) for seat in seats],
            "deadwood": [int(now["deadwood"][seat]) for seat in seats],
            "left": [r.STATUS[int(now["status"][seat])] for seat in seats],
            "turns": int(now["turn"]),
            "scores": list(self.scores(row)),
            **self.standing(row),
        }

    def standing(self, row: Rows) -> dict[str, list[int]]:
        """Return lost points, chips, places and rejoins of every seat; nothing where the match is one deal."""
        if not self.options.match_format.is_match:
            return {}
        return {name: row["table"][name][0, : self.seats].tolist() for name in STANDING}

    def set_standing(self, row: Rows, standing: Mapping[str, Sequence[int]]) -> None:
        """Set the standing of the match before a deal.

        Raises:
            OptionError: No match of this format can have that standing.
        """
        expected = set(STANDING) if self.options.match_format.is_match else set()
        if set(standing) != expected or any(len(values) != self.seats for values in standing.values()):
            names = ", ".join(sorted(expected)) or "nothing"
            raise OptionError(f"the standing of {self.options.format} is {names}, with a number for each seat")
        for name, values in standing.items():
            most = np.iinfo(r.TABLE[name].base).max
            if any(abs(number) > most for number in values):
                raise OptionError(f"{name} is {list(values)}, but has no number beyond {most}")
            row["table"][name][0, : self.seats] = list(values)
        if expected and np.count_nonzero(row["table"]["place"][0, : self.seats] == 0) < 2:
            raise OptionError("a standing before a deal has two players or more who are still in")

    def match_winners(self, row: Rows) -> tuple[Seat, ...]:
        """Return who has the first place."""
        return tuple(Seat(seat) for seat in range(self.seats) if row["table"]["place"][0, seat] == 1)

    def match_numbers(self, row: Rows, seat: Seat) -> dict[str, int]:
        """Return gain, place, share of the pot and rejoins, as the tally keeps them."""
        table = row["table"][0]
        return {
            "gains": int(table["chips"][seat]) - int(table["rules"]["start_chips"]),
            "places": int(table["place"][seat]),
            "shares": int(seat_question(r.pot_share)(row, seat)),
            "rejoins": int(table["rejoins"][seat]),
        }

    def table_note(self, row: Rows) -> str:
        """Return the wild rank and its indicator."""
        now = row["table"][0]
        return f", wild {RANKS[int(now['wild'])]} (indicator {Card(int(now['indicator']))})"

    def seat_note(self, row: Rows, seat: int) -> str:
        """Return how a player left the deal, and the standing."""
        status = int(row["table"]["status"][0, seat])
        left = "" if status == r.PLAYING else f" ({r.STATUS[status]})"
        return left + (f", {self.seat_standing(row, seat)}" if self.options.match_format.is_match else "")

    def seat_standing(self, row: Rows, seat: int) -> str:
        """Return how *seat* stands in the match, in words: its place, lost points with drops left, or chips."""
        table, form = row["table"][0], self.options.match_format
        if table["place"][seat] > 0:
            return f"place {int(table['place'][seat])}"
        if not form.is_pool:
            return f"{int(table['chips'][seat])} chips"
        drops = int(seat_question(r.drops_left)(row, seat))
        return f"{int(table['lost'][seat])} of {form.out_at} ({drops} drop{'s' * (drops != 1)} left)"

    def score_line(self, row: Rows, names: Sequence[str]) -> str:
        """Return the standing of the match for the heading of a deal."""
        if not self.options.match_format.is_match:
            return super().score_line(row, names)
        return ", ".join(f"{name} {self.seat_standing(row, seat)}" for seat, name in enumerate(names))


def indian(preset: str = "paper", **changes: Any) -> Indian:
    """Return the rules of Classic Indian Rummy: preset ``paper`` or ``platform``, perhaps with changes.

    >>> indian("platform(decks=2)").options.decks
    2
    """
    return Indian(IndianOptions.parse(preset, **changes))
