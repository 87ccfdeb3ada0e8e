"""Formats of several deals (rules page, row 17): points, pool 101, pool 201, deals. A layer above the one-deal rules.

A format keeps what every player has lost and won, says who sits down for the next deal and what a drop costs there,
and when it is over. Players keep their number all along; the seats of a deal are those still in, in that order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from rummylab.engine.agent import Agent
from rummylab.engine.referee import finish
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import IllegalActionError, OptionError, UnknownNameError
from rummylab.games.indian.game import Indian
from rummylab.games.indian.options import IndianOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How several deals make a game."""

    name: str
    deals: int = 0
    """Deals to play; 0: until one player is left."""
    pool: int = 0
    """Lost points that put a player out; 0: nobody goes out."""
    drops: tuple[int, int] | None = None
    """What the first and a later drop cost, if not what the options say (row 11)."""

    def __post_init__(self) -> None:
        if (self.deals > 0) == (self.pool > 0) or self.deals < 0 or self.pool < 0:
            raise OptionError(f"format {self.name!r} needs either a number of deals or a pool limit")

    def options(self, options: IndianOptions, seats: int) -> IndianOptions:
        """Return *options* for a deal of *seats* players; the cards in play stay the same."""
        first, later = self.drops or (options.first_drop, options.later_drop)
        return dataclasses.replace(options, seats=seats, first_drop=first, later_drop=later)


FORMATS = {
    one.name: one
    for one in (
        Format(name="points", deals=1),
        Format(name="pool-101", pool=101),
        Format(name="pool-201", pool=201, drops=(25, 50)),
        Format(name="deals", deals=2),
    )
}


def format_named(name: str, *, deals: int | None = None) -> Format:
    """Return the format *name*; *deals* changes how many deals the format ``deals`` has."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    if deals is None:
        return FORMATS[name]
    if name != "deals":
        raise OptionError(f"format {name!r} has no number of deals to choose")
    return dataclasses.replace(FORMATS[name], deals=deals)


@dataclass
class Series:
    """The running account of a format."""

    format: Format
    players: int
    lost: list[int] = field(init=False)
    """Points every player has lost so far."""
    gains: list[int] = field(init=False)
    """What every player has won less what it has lost, deal by deal from the others."""
    deals: int = field(default=0, init=False)
    playing: tuple[int, ...] = field(init=False)
    """The players still in: seat 0, seat 1, ... of the next deal."""
    out: list[int] = field(default_factory=list, init=False)
    """Players that went out, in order; of those in one deal the one with more lost points first."""

    def __post_init__(self) -> None:
        if not 2 <= self.players <= 6:
            raise OptionError(f"two to six can play, not {self.players}")
        self.lost = [0] * self.players
        self.gains = [0] * self.players
        self.playing = tuple(range(self.players))

    @property
    def is_over(self) -> bool:
        return len(self.playing) == 1 if self.format.pool else self.deals >= self.format.deals

    @property
    def starter(self) -> Seat:
        """The seat that starts the next deal: every deal the next player, those who are out passed over."""
        turn = self.deals % self.players
        first = min(self.playing, key=lambda player: (player - turn) % self.players)
        return Seat(self.playing.index(first))

    @property
    def winners(self) -> tuple[int, ...]:
        """Who has won: the last one left; or who gained most, several if equal. Nobody while it goes on."""
        if not self.is_over:
            return ()
        if self.format.pool:
            return self.playing
        return tuple(player for player in self.playing if self.gains[player] == max(self.gains))

    def settle(self, gains: Sequence[float]) -> None:
        """Enter a deal: what each seat gained, signed. Who has lost up to the pool limit goes out."""
        if self.is_over:
            raise IllegalActionError(f"the {self.format.name} game is over after {self.deals} deals")
        if len(gains) != len(self.playing) or sum(gains) != 0:
            raise OptionError(f"{len(self.playing)} players need gains that sum to nothing, not {list(gains)}")
        for player, gain in zip(self.playing, gains, strict=True):
            self.gains[player] += int(gain)
            self.lost[player] += max(0, -int(gain))
        self.deals += 1
        if self.format.pool:
            gone = [player for player in self.playing if self.lost[player] >= self.format.pool]
            self.out += sorted(gone, key=lambda player: -self.lost[player])
            self.playing = tuple(player for player in self.playing if player not in gone)


def play_series(rules: Indian, form: Format, agents: Sequence[Agent], seed: int) -> Series:
    """Play a whole game of *form* among *agents* and return the account; the same seed deals the same cards."""
    series = Series(form, len(agents))
    rngs = [player_stream(seed, 0, number) for number in range(len(agents))]
    while not series.is_over:
        now = Indian(form.options(rules.options, len(series.playing)))
        seated = [agents[player] for player in series.playing]
        for seat, player in enumerate(series.playing):
            agents[player].sit(now, Seat(seat), rngs[player])
        state = State(now, now.new_rows(1), now.shuffled(seed, 0, series.deals), series.starter, hand_no=series.deals)
        finish(state, seated)
        series.settle(state.payoffs())
    return series
