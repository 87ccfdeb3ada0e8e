"""Replay hands recorded from the official EAAI-2021 referee and compare everything that can be compared.

The format is described in ``docs/reference/gin-vectors.md``: one JSON object a line, card id = 13 * suit + rank.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cards.melds import min_deadwood
from rummylab.engine.action import Action
from rummylab.engine.reading import MALFORMED, is_whole
from rummylab.engine.state import State
from rummylab.engine.vectors import Report, read_lines
from rummylab.errors import IllegalActionError, RummyError, VectorError
from rummylab.games.gin.view import Gin, gin

KINDS = frozenset(("offer", "draw", "discard", "knock", "melds", "layoff", "illegal_discard", "illegal_knock"))
"""The kinds of event; each has a method of `Replay`."""


class Mismatch(Exception):
    """Our rules and the recording disagree."""


def compare_file(path: Path) -> Report:
    """Replay every hand of *path* under the ``eaai`` preset.

    Raises:
        VectorError: The file cannot be read, or a line is not a recorded hand.
    """
    report = Report()
    rules = gin("eaai")
    before: dict[str, Any] | None = None
    for number, hand in read_lines(path):
        report.count += 1
        try:
            _check_numbers(hand)
            _check_succession(rules, before, hand)
            Replay(rules, hand).run()
        except VectorError as error:
            raise VectorError(f"{path}, line {number}: {error}") from None
        except (Mismatch, RummyError) as error:
            where = f"line {number}, game {hand.get('game')}, hand {hand.get('hand')}"
            report.add(f"{where}: {error}")
        except MALFORMED as error:
            raise VectorError(f"{path}, line {number}: not a recorded hand ({type(error).__name__}: {error})") from None
        before = hand
    return report


def _check_numbers(hand: dict[str, Any]) -> None:
    """Raise `VectorError` unless the numbers that name the hand are numbers."""
    numbers = {"game": hand["game"], "hand": hand["hand"], "start": hand["start"]}
    numbers |= {f"scores_before[{i}]": score for i, score in enumerate(hand["scores_before"])}
    for name, value in numbers.items():
        if not is_whole(value):
            raise VectorError(f"{name} must be a whole number")


def _card(number: int) -> Card:
    if not is_whole(number):
        raise TypeError("a card is a whole number from 0 to 51")
    return Card.from_index52(number)


def _expect(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise Mismatch(f"{what}: ours {ours}, recorded {theirs}")


def _check_succession(rules: Gin, before: dict[str, Any] | None, hand: dict[str, Any]) -> None:
    """Check scores, starter and end of the game against the hand before (rules page, 11 and 12)."""
    if before is None or before["game"] != hand["game"]:
        _expect("hand number at the start of a game", 0, hand["hand"])
        _expect("scores at the start of a game", [0, 0], hand["scores_before"])
        if before is not None and before["result"]["type"] != "forfeit":
            _expect("game over", max(before["scores"]) >= rules.options.target, True)
        return
    _expect("hand number", before["hand"] + 1, hand["hand"])
    _expect("scores before the hand", before["scores"], hand["scores_before"])
    _expect("game not over", max(before["scores"]) < rules.options.target, True)
    _expect("no forfeit before", before["result"]["type"] != "forfeit", True)
    cancelled = before["result"]["type"] == "cancelled"
    _expect("starter", before["start"] if cancelled else 1 - before["start"], hand["start"])


class Replay:
    """One recorded hand, pushed move by move through our rules."""

    def __init__(self, rules: Gin, hand: dict[str, Any]) -> None:
        self.hand = hand
        self.events: list[list[Any]] = hand["events"]
        row = rules.new_rows(1)
        rules.set_scores(row, hand["scores_before"])
        self.state = State(rules, row, Deck(tuple(map(_card, hand["deck"]))), hand["start"])
        self.at = 0

    def run(self) -> None:
        while self.at < len(self.events):
            kind = self.events[self.at][0]
            if kind not in KINDS:
                raise ValueError(f"no kind of event: {kind}")
            getattr(self, f"_{kind}")(*self.events[self.at][1:])
            self.at += 1
        self._result()

    def _push(self, text: str, cards: tuple[Card, ...] = ()) -> None:
        self.state.push(Action(text, cards))

    def _phase(self) -> str:
        return self.state.observe(0).phase

    def _hand_of(self, seat: int) -> Hand:
        return Hand(int(self.state.rows()["mine"]["hand"][0][seat]))

    def _table(self) -> Any:
        return self.state.rows()["table"][0]

    def _offer(self, seat: int, card: int, taken: int) -> None:
        _expect("who is offered the upcard", self.state.actor, seat)
        _expect("upcard", Card(int(self._table()["up"])), _card(card))
        if not taken and self._phase() == "offer":
            self._push("pass")

    def _draw(self, seat: int, card: int, source: str) -> None:
        _expect("who draws", self.state.actor, seat)
        if source == "up":
            _expect("card taken", Card(int(self._table()["up"])), _card(card))
            self._push("draw upcard")
        else:
            self._push("draw stock")
            _expect("card drawn from the stock", self.state.log[-1].secret, (_card(card),))

    def _discard(self, seat: int, card: int, deadwood: int) -> None:
        _expect("who discards", self.state.actor, seat)
        left = self._hand_of(seat) - Hand.of([_card(card)])
        _expect(f"deadwood after throwing {_card(card)}", min_deadwood(left.mask), deadwood)
        following = self.events[self.at + 1][0] if self.at + 1 < len(self.events) else ""
        if following == "illegal_knock":
            self._refuse_knock(_card(card), self.events[self.at + 1][2])
        else:
            self._push("knock" if following == "knock" else "discard", (_card(card),))

    def _melds_of(self, melds: list[list[int]]) -> None:
        for meld in melds:
            self._push("meld", tuple(sorted(map(_card, meld))))
        self._push("done")

    def _knock(self, seat: int, melds: list[list[int]]) -> None:
        _expect("knocker", self._table()["knocker"], seat)
        self._melds_of(melds)

    def _melds(self, seat: int, melds: list[list[int]]) -> None:
        _expect("who melds against the knock", self.state.actor, seat)
        if self.hand["result"].get("reason") == "illegal_defender_melds":
            self._refuse(lambda: self._melds_of(melds), f"defender's melds {melds}")
        else:
            self._melds_of(melds)

    def _layoff(self, seat: int, card: int, meld: list[int]) -> None:
        table = self._table()
        _expect("who lays off", 1 - table["knocker"], seat)
        n = sum(1 for event in self.events[: self.at] if event[0] == "layoff")
        _expect("number of layoffs", bool(n < table["n_laid"]), True)
        _expect("card laid off", Card(int(table["laid"][n])), _card(card))
        final = Hand(int(table["spread"][table["knocker"]][table["laid_on"][n]]))
        later = Hand.of(
            Card(int(table["laid"][i])) for i in range(n, table["n_laid"]) if table["laid_on"][i] == table["laid_on"][n]
        )
        _expect("meld it is laid on", final - later, Hand.of(map(_card, meld)))

    def _illegal_discard(self, seat: int, card: int) -> None:
        _expect("who discards", self.state.actor, seat)
        self._refuse(lambda: self._push("discard", (_card(card),)), f"discard {_card(card)}")

    def _illegal_knock(self, seat: int, melds: list[list[int]]) -> None:
        pass  # checked together with the discard before it

    def _refuse_knock(self, card: Card, melds: list[list[int]]) -> None:
        def knock() -> None:
            self._push("knock", (card,))
            self._melds_of(melds)

        self._refuse(knock, f"knock with melds {melds}")
        while self.state.log[-1].chosen and self.state.log[-1].action.verb in ("meld", "knock"):
            self.state.pop()
        self._push("discard", (card,))

    def _refuse(self, attempt: Any, what: str) -> None:
        try:
            attempt()
        except IllegalActionError:
            return
        raise Mismatch(f"{what}: our rules allow it, recorded as illegal")

    def _result(self) -> None:
        result, table = self.hand["result"], self._table()
        hands = [self._hand_of(seat) for seat in (0, 1)]
        _expect("final hands", hands, [Hand.of(map(_card, cards)) for cards in self.hand["final_hands"]])
        if result["type"] == "forfeit":
            offender = next((e[1] for e in reversed(self.events) if e[0].startswith("illegal")), None)
            if offender is None:
                offender = self.events[-1][1]
            _expect("winner of the forfeited game", 1 - offender, result["winner"])
            _expect("scores", list(self.state.scores), self.hand["scores"])
            return
        ours = self.state.result
        _expect("hand over", self.state.actor, None)
        _expect("outcome", ours["outcome"], result["type"])
        n_laid = sum(1 for event in self.events if event[0] == "layoff")
        _expect("layoffs", int(table["n_laid"]), n_laid)
        if result["type"] != "cancelled":
            self._scored(ours, result)
        _expect("points", [max(0, int(p)) for p in self.state.payoffs()], self.hand["points"])
        _expect("scores", ours["scores"], self.hand["scores"])

    def _scored(self, ours: dict[str, Any], result: dict[str, Any]) -> None:
        table = self._table()
        knocker = result["knocker"]
        laid = Hand.of(Card(int(card)) for card in table["laid"][: table["n_laid"]])
        _expect("winner", ours["winner"], result["winner"])
        _expect("knocker's deadwood", ours["deadwood"][knocker], result["knocker_deadwood"])
        _expect("defender's deadwood", ours["deadwood"][1 - knocker], result["defender_deadwood"])
        _expect(
            "defender's deadwood before layoffs",
            ours["deadwood"][1 - knocker] + laid.points,
            result["defender_deadwood_before_layoff"],
        )
