"""A scripted referee that speaks the bridge's line protocol, with our rules behind it.

:func:`referee` is a generator: it yields ``(seat, line)`` and is sent the answer to a question. :func:`conduct` runs it
with two players, each a function from a line to an answer or nothing: a bridge, a subprocess, a script.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.seats import Seat
from rummylab.engine.state import State
from rummylab.games.gin.view import Gin

Player = Callable[[str], str | None]
Talk = Generator[tuple[int, str], str | None, None]
"""Lines out, answers in."""


def spell(cards: Iterable[Card]) -> str:
    return ",".join(str(card).upper() for card in cards) or "-"


def spell_melds(melds: Iterable[Iterable[Card]]) -> str:
    return "/".join(spell(meld) for meld in melds) or "-"


def read_melds(text: str) -> list[Action]:
    return [] if text == "-" else [Action("meld", tuple(map(Card.parse, part.split(",")))) for part in text.split("/")]


def conduct(talk: Generator[tuple[int, str], str | None, list[State]], players: Sequence[Player]) -> list[State]:
    """Run *talk* with *players*; every question gets an answer, and nothing else does."""
    answer = None
    while True:
        try:
            seat, line = talk.send(answer)
        except StopIteration as end:
            states: list[State] = end.value
            return states
        answer = players[seat](line)
        assert (answer is not None) == line.split()[0].endswith("?"), f"{line!r} was answered with {answer!r}"


def referee(
    rules: Gin, seed: int, *, games: int = 1, max_hands: int = 10_000
) -> Generator[tuple[int, str], str | None, list[State]]:
    """Play *games* matches to the end and return all finished hands. The decks are those of ``play_match``."""
    states = []
    for pair in range(games):
        yield from _both("newgame")
        state = State(rules, rules.new_rows(1), rules.shuffled(seed, pair), rules.first_starter(seed, pair))
        yield from _hand(state)
        states.append(state)
        while not state.match_is_over and len(states) < max_hands:
            state = state.next_hand(rules.shuffled(seed, pair, state.hand_no + 1))
            yield from _hand(state)
            states.append(state)
    yield from _both("quit")
    return states


def _both(line: str) -> Talk:
    for seat in (0, 1):
        yield seat, line


def _table(state: State):  # type: ignore[no-untyped-def]
    return state.rows()["table"][0]


def _hand(state: State) -> Talk:
    for seat in (0, 1):
        yield seat, f"start {seat} {state.starter} {spell(state.deck.cards[seat:20:2])}"
    while state.actor is not None and _table(state)["knocker"] < 0:
        yield from _turn(state, state.actor)
    if _table(state)["knocker"] >= 0:
        yield from _showdown(state, int(_table(state)["knocker"]))
    for player in (0, 1):
        yield from _both(f"hand {player} {spell(Hand(int(state.rows()['mine']['hand'][0][player])))}")
    yield from _both(f"scores {state.scores[0]} {state.scores[1]}")


def _turn(state: State, player: Seat) -> Talk:
    up = Card(int(_table(state)["up"]))
    takes: str | None = "n"
    if Action("draw upcard") in state.legal_actions:
        takes = yield player, f"draw? {spell([up])}"
        assert takes in ("y", "n")
    if takes == "n" and Action("pass") in state.legal_actions:
        state.push(Action("pass"))
        return
    drawn = state.push(Action("draw upcard" if takes == "y" else "draw stock")).secret
    for seat in (0, 1):
        yield seat, f"drew {player} {spell([up]) if takes == 'y' else spell(drawn) if seat == player else '?'}"
    yield from _throw(state, player)


def _throw(state: State, player: Seat) -> Talk:
    answer = yield player, "discard?"
    card = Card.parse(answer or "")
    yield from _both(f"discarded {player} {spell([card])}")
    melds = yield player, "melds?"
    state.push(Action("discard" if melds == "pass" else "knock", (card,)))
    if melds != "pass":
        yield from _lay_down(state, player, melds or "")


def _lay_down(state: State, player: int, melds: str) -> Talk:
    for meld in read_melds(melds):
        state.push(meld)
    state.push(Action("done"))
    yield from _both(f"melds {player} {melds}")


def _showdown(state: State, knocker: int) -> Talk:
    spread = [Hand(int(meld)) for meld in _table(state)["spread"][knocker]]
    melds = yield 1 - knocker, "melds?"
    yield from _lay_down(state, 1 - knocker, melds or "")
    table = _table(state)
    for card, place in zip(table["laid"][: table["n_laid"]], table["laid_on"], strict=False):
        yield from _both(f"layoff {1 - knocker} {spell([Card(int(card))])} {spell(spread[place])}")
        spread[place] |= Hand.of([Card(int(card))])
