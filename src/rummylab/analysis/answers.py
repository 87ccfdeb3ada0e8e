"""What an analysis says: moves with their values, reasons with their numbers, and where the unseen cards may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rummylab.cards.card import Card
from rummylab.engine.action import Action

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence about a move or a position, with the number in it."""

    kind: str
    """What it is about, such as ``deadwood``; the names are stable."""
    number: float
    """The number in the sentence. Shares are from 0 to 1, though the sentence gives them in percent."""
    text: str
    low: float | None = None
    """Lower end, where the sentence gives a range."""
    high: float | None = None
    cards: tuple[Card, ...] = ()
    """Cards that the sentence is about."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "kind": self.kind,
            "number": _rounded(self.number),
            "text": self.text,
            "low": _rounded(self.low),
            "high": _rounded(self.high),
            "cards": [str(card) for card in self.cards],
        }


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an agent's own evaluation says about a legal move, without play-outs."""

    code: int
    points: float
    """Expected points of the hand for the seat: its payoff."""
    win_chance: float
    """Chance to win the hand."""
    match_chance: float
    """Chance to win the match."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """The legal moves of a position by an agent's own evaluation, and how far it errs."""

    agent: str
    moves: tuple[Estimate, ...]
    """Best first."""
    se: float
    """Standard error of the points, as measured over many positions."""
    behind_se: float
    """Standard error of the difference between two moves."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move with the points it is expected to bring."""

    action: Action
    points: float
    """Expected points of the hand for the seat: its payoff."""
    se: float
    """Standard error of the points."""
    behind: float
    """Points behind the best move: 0 or less."""
    behind_se: float
    """Standard error of that difference. In play-outs, both moves were played in the same worlds."""
    win_chance: float | None
    """Chance to win the hand; in play-outs, the share of the worlds in which the seat gains points."""
    match_chance: float | None
    """Chance to win the match, where it is known."""
    worlds: int
    """Worlds in which the move was played, for its value or for its reasons alone."""
    reasons: tuple[Reason, ...] = ()
    """Most important first."""
    hinted: bool = False
    """Whether it is what the coach would choose. A review by play-outs may see it differently, but blames nobody."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "action": str(self.action),
            "points": _rounded(self.points),
            "se": _rounded(self.se),
            "behind": _rounded(self.behind),
            "behind_se": _rounded(self.behind_se),
            "win_chance": _rounded(self.win_chance),
            "match_chance": _rounded(self.match_chance),
            "worlds": self.worlds,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "hinted": self.hinted,
        }


@dataclass(frozen=True, slots=True)
class BeliefMap:
    """Where the cards may be: the expected number of copies in each opponent's hand and in the stock."""

    seats: tuple[int, ...]
    """The opponents."""
    cards: tuple[str, ...]
    """The columns: 52 cards by suit and rank, then the printed joker."""
    held: tuple[tuple[float, ...], ...]
    """One row an opponent."""
    stock: tuple[float, ...]
    known: tuple[tuple[str, ...], ...]
    """Cards that each opponent is known to hold."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "seats": list(self.seats),
            "cards": list(self.cards),
            "held": [[_rounded(one) for one in row] for row in self.held],
            "stock": [_rounded(one) for one in self.stock],
            "known": [list(cards) for cards in self.known],
        }


@dataclass(frozen=True, slots=True)
class Analysis:
    """The legal moves of a position, best first, and what they were judged by."""

    game: str
    seat: int
    phase: str
    method: str
    """How the values were found, such as ``play-outs of keats``."""
    worlds: int
    moves: tuple[MoveValue, ...]
    """Best first. Of many moves, those that a first look found poor are left out."""
    belief: BeliefMap
    facts: tuple[Reason, ...]
    """Reasons about the position itself."""
    seconds: float

    @property
    def best(self) -> MoveValue:
        """The move with the most points: the hint."""
        return self.moves[0]

    def of(self, action: Action) -> MoveValue | None:
        """Return the value of *action*; None if it was left out."""
        return next((move for move in self.moves if move.action == action), None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "game": self.game,
            "seat": self.seat,
            "phase": self.phase,
            "method": self.method,
            "worlds": self.worlds,
            "seconds": _rounded(self.seconds),
            "moves": [move.to_dict() for move in self.moves],
            "facts": [reason.to_dict() for reason in self.facts],
            "belief": self.belief.to_dict(),
        }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(float(number), _DIGITS)


def percent(share: float) -> str:
    """Return a share as text: ``34%``."""
    return f"{100 * share:.0f}%"


def counted(n: int, word: str, words: str = "") -> str:
    """Return a number with its noun: ``1 card``, ``12 cards``."""
    return f"{n} {word if n == 1 else words or word + 's'}"
