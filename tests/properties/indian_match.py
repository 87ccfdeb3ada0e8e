"""The formats of Indian Rummy in plain Python, from the rules page: a second, slow implementation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from rummylab.games.indian.formats import Format


@dataclass
class MatchLedger:
    """The standing of a match: enter what a deal cost, answer for who is asked, read the standing."""

    form: Format
    seats: int
    starter: int
    lost: list[int] = field(init=False)
    chips: list[int] = field(init=False)
    place: list[int] = field(init=False)
    rejoins: list[int] = field(init=False)
    deals: int = 0
    asked: tuple[str, int] | None = None
    """The phase and the seat of the decision that is due."""
    is_split: bool = False
    _gone: list[int] = field(default_factory=list)
    _undecided: list[int] = field(default_factory=list)
    _agreed: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lost, self.place, self.rejoins = [0] * self.seats, [0] * self.seats, [0] * self.seats
        is_deals = self.form.out_at == 0 and self.form.deals > 1
        self.chips = [self.form.full_count * self.form.deals if is_deals else 0] * self.seats

    @property
    def playing(self) -> list[int]:
        """Who is in the match, in the order of play."""
        order = [(self.starter + k) % self.seats for k in range(self.seats)]
        return [seat for seat in order if self.place[seat] == 0]

    @property
    def is_over(self) -> bool:
        return not self.playing

    @property
    def leaving(self) -> list[int]:
        """Who is out of the match in this deal and has no rank yet."""
        return [seat for seat in self._gone if self.place[seat] == 0]

    @property
    def n_agreed(self) -> int:
        """How many want to split."""
        return len(self._agreed)

    def drops_left(self, seat: int) -> int:
        """How often the seat can pay a first drop and stay below the score at which it is out."""
        return max(0, (self.form.out_at - 1 - self.lost[seat]) // self.form.first_drop) if self.form.out_at else 0

    def shares(self) -> list[Fraction]:
        """What each seat has of the pot when the match is over."""
        first = [seat for seat in range(self.seats) if self.place[seat] == 1]
        if not self.is_split:
            return [Fraction(seat in first) for seat in range(self.seats)]
        drops = sum(map(self.drops_left, first))
        each = {seat: Fraction(self.drops_left(seat), drops) if drops else Fraction(1, len(first)) for seat in first}
        return [each.get(seat, Fraction(0)) for seat in range(self.seats)]

    # --- A deal -------------------------------------------------------------------------------------------------------

    def settle(self, winner: int, paid: Sequence[int]) -> None:
        """Enter a deal: the winner gets what the others pay."""
        for seat in range(self.seats):
            self.lost[seat] += paid[seat]
            self.chips[seat] += sum(paid) if seat == winner else -paid[seat]
        self.deals += 1
        self._agreed = []
        if self.form.out_at:
            self._undecided = [seat for seat in self.playing if self.lost[seat] >= self.form.out_at]
            self._gone = []
            self._next_question()
        elif self.form.deals == 1:
            for seat in range(self.seats):
                others = [other for other in range(self.seats) if other != winner and paid[other] < paid[seat]]
                self.place[seat] = 1 if seat == winner else 2 + len(others)
        elif self.deals >= self.form.deals:
            self._rank_by_chips()

    def _rank_by_chips(self) -> None:
        playing = self.playing
        most = max(self.chips[seat] for seat in playing)
        tied = [seat for seat in playing if self.chips[seat] == most]
        for seat in playing:
            if len(tied) == 1 or seat not in tied:
                self.place[seat] = 1 + sum(self.chips[other] > self.chips[seat] for other in playing)

    # --- Rejoin and split ---------------------------------------------------------------------------------------------

    def _next_question(self) -> None:
        """Ask who is out and may come back, one after the other; then, perhaps, who is left about a split."""
        self.asked = None
        while self._undecided:
            staying = [s for s in self.playing if s not in self._undecided and s not in self._gone]
            highest = max(self.lost[seat] for seat in staying)
            if self.form.rejoin and highest <= self.form.rejoin_limit:
                self.asked = ("rejoin", self._undecided[0])
                return
            self._gone.append(self._undecided.pop(0))
        left = len(self.playing) - len(self._gone)
        ranks = {s: left + 1 + sum(self.lost[o] < self.lost[s] for o in self._gone) for s in self._gone}
        for seat, rank in ranks.items():
            self.place[seat] = rank
        if left == 1:
            self.place[self.playing[0]] = 1
        elif self._may_split():
            self.asked = ("split", self.playing[0])

    def _may_split(self) -> bool:
        is_offered = self.form.split and self.seats >= 3 and len(self.playing) in (2, 3)
        reach = self.form.split_within * self.form.first_drop
        return is_offered and all(self.lost[seat] + reach >= self.form.out_at for seat in self.playing)

    def answer(self, word: str) -> None:
        """Carry out the decision of who is asked."""
        assert self.asked is not None
        phase, seat = self.asked
        if phase == "rejoin":
            self._undecided.remove(seat)
            if word == "rejoin":
                staying = [s for s in self.playing if s != seat and s not in self._undecided and s not in self._gone]
                self.lost[seat] = 1 + max(self.lost[s] for s in staying)
                self.rejoins[seat] += 1
            else:
                self._gone.append(seat)
            self._next_question()
            return
        self.asked = None
        if word == "split":
            self._agreed.append(seat)
            waiting = [s for s in self.playing if s not in self._agreed]
            if waiting:
                self.asked = ("split", waiting[0])
            else:
                self.is_split = True
                for player in self.playing:
                    self.place[player] = 1

    def next_starter(self) -> int:
        """The dealer moves on by one among those still in; the seat after the dealer moves first."""
        self.starter = self.playing[1]  # the first of those in, from the last starter on, deals
        return self.starter
