"""The library over HTTP, under ``/v1``: groupings, evaluations, legal moves, agents' moves and analysis, by position.

Nothing here knows a player or a table. A position is what one seat sees, so no answer can hold more than the question.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from rummylab.agents.levels import rung_at
from rummylab.agents.registry import entries
from rummylab.cards.card import Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.position import layout_of
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.show import GroupView
from rummylab.engine.state import State
from rummylab.engine.streams import player_stream
from rummylab.errors import DeckError, IllegalActionError, NotationError, OptionError
from rummylab.games.registry import GAMES
from rummylab.games.registry import game as game_named
from rummylab.ui.table.config import Chair
from rummylab.ui.table.session import make_agent
from rummylab.ui.table.view import position_view, rules_title, show_of
from rummylab.ui.web import schemas as ask
from rummylab.ui.web.answers import answer

router = APIRouter(prefix="/v1")


def observed(position: dict[str, Any] | str) -> Observation:
    """Return what a seat sees, from JSON or text."""
    if isinstance(position, str):
        text = position.strip()
        return Observation.from_json(text) if text.startswith("{") else Observation.parse(text)
    return Observation.from_json(position)


def chairs_of(seen: Observation) -> tuple[Chair, ...]:
    """Return chairs for a position, which has no names."""
    seats = range(seen.rules.seats)
    others = ["Opponent"] if len(seats) == 2 else [f"Player {seat + 1}" for seat in seats]
    names = ["You" if seat == seen.seat else others[0 if len(seats) == 2 else seat] for seat in seats]
    return tuple(Chair("person" if seat == seen.seat else "agent", name, name) for seat, name in enumerate(names))


def to_move(seen: Observation) -> Observation:
    """Return *seen*, if its seat is to act."""
    if seen.actor != seen.seat:
        raise IllegalActionError(f"seat {seen.seat} is not to act in this position")
    return seen


@router.get("/games")
async def get_games() -> Response:
    """Return the games, with presets and numbers of seats."""
    return answer(
        {
            "games": [
                {"name": name, "title": spec.title, "presets": spec.presets, "seats": list(spec.seats)}
                for name, spec in sorted(GAMES.items())
            ]
        }
    )


@router.get("/games/{game}/agents")
async def get_agents(game: str) -> Response:
    """Return the agents of a game."""
    found = entries(game_named(game).name)
    return answer({"agents": [{"name": one.name, "summary": one.summary, "source": one.source} for one in found]})


def _evaluation(body: ask.HandIn) -> Any:
    spec = game_named(body.game)
    given = {"wild": body.wild, "dead": body.dead, "contract": body.contract}
    return spec.evaluate(body.cards, body.rules, **{name: text for name, text in given.items() if text})


@router.post("/evaluate")
async def post_evaluate(body: ask.HandIn) -> Response:
    """Return what a hand is worth."""
    found = _evaluation(body)
    return answer({"evaluation": found.to_dict(), "lines": list(found.lines("unicode"))})


@router.post("/grouping")
async def post_grouping(body: ask.HandIn) -> Response:
    """Return a hand in groups, as a table shows it, with the numbers of its evaluation."""
    evaluation = _evaluation(body)
    seen = set_up(ask.SetUp(game=body.game, hand=body.cards, rules=body.rules, wild=body.wild, contract=body.contract))
    show = show_of(seen, chairs_of(seen), you=True, hand_no=0)
    groups: tuple[GroupView, ...] = show.groups()
    return answer({"groups": groups, "facts": show.facts(), "evaluation": evaluation.to_dict()})


@router.post("/legal")
async def post_legal(body: ask.PositionIn) -> Response:
    """Return the legal moves of a position."""
    seen = observed(body.position)
    return answer({"actions": show_of(seen, chairs_of(seen), you=True, hand_no=0).actions()})


@router.post("/view")
async def post_view(body: ask.PositionIn) -> Response:
    """Return a position as a table shows it."""
    seen = observed(body.position)
    title = rules_title(seen.rules.spec, seen.rules)
    return answer({"view": position_view(seen, chairs_of(seen), title=title, you=int(seen.seat))})


@router.post("/move")
async def post_move(request: Request, body: ask.MoveIn) -> Response:
    """Return an agent's move in a position."""
    seen = to_move(observed(body.position))
    game, options = seen.rules.name, seen.rules.options
    rung = rung_at(game, body.level, options) if body.level and not body.agent else None
    name = rung.agent if rung else body.agent or seen.rules.spec.opponent_for(options)

    def act() -> Action:
        agent = make_agent(game, name, rung.noise if rung else 0.0)
        agent.sit(seen.rules, seen.seat, player_stream(body.seed, 0, int(seen.seat)))
        return agent.act(seen)

    action = await asyncio.get_running_loop().run_in_executor(request.app.state.house.threads, act)
    label = show_of(seen, chairs_of(seen), you=True, hand_no=0).label(action)[0]
    return answer({"action": str(action), "label": label, "agent": name})


@router.post("/analysis")
async def post_analysis(request: Request, body: ask.AnalysisIn) -> Response:
    """Return ranked moves with reasons, and where each unseen card is likely to be."""
    seen = to_move(observed(body.position))
    reviews = request.app.state.reviews
    return answer(await reviews.coach(seen, chairs_of(seen), 0, body.agent, body.worlds))


@router.post("/sample")
async def post_sample(body: ask.SampleIn) -> Response:
    """Return a position from a seeded game: what the player to act sees after some moves."""
    state = State.deal(game_named(body.game).rules(body.rules), body.seed)
    for number in range(body.moves):
        if state.actor is None:
            break
        legal = state.legal_actions
        alike = [action for action in legal if action.verb == legal[0].verb]  # draw and discard; nobody gives up
        state.push(alike[(body.seed + number) % len(alike)])
    seen = state.observe(state.actor if state.actor is not None else Seat(0))
    return answer({"position": json.loads(seen.to_json())})


@router.post("/position")
async def post_position(body: ask.SetUp) -> Response:
    """Return a position that was set up by hand."""
    return answer({"position": json.loads(set_up(body).to_json())})


# --- Positions set up by hand -------------------------------------------------------------------------------------


def set_up(body: ask.SetUp) -> Observation:
    """Return the position with these cards: a real deal in which the cards lie as asked.

    Raises:
        DeckError: The cards do not add up.
        OptionError: The game has no such phase or rules.
    """
    spec = game_named(body.game)
    seats = (
        {"seats": body.seats} if body.seats is not None and "seats" in spec.read_options(body.rules).to_dict() else {}
    )
    text = body.rules or spec.hand_rules or None
    rules = spec.rules(text, **seats, **({"contract": body.contract, "rounds": 1} if body.contract else {}))
    decks, jokers = rules.options.cards_in_play
    hand = list(Hand.parse(body.hand, decks=decks))
    pile, known = (list(Hand.parse(part, decks=decks)) for part in ("", body.known))
    pile = [Card.parse(word) for word in body.pile.replace(",", " ").split()]
    seen = _dealt(rules, hand)
    wild = _indicator(body.wild, rules, [*hand, *pile, *known])
    left = Counter(Deck.ordered(decks=decks, jokers=jokers))
    left.subtract([*hand, *pile, *known, *([wild] if wild else [])])
    if min(left.values()) < 0:
        worst = next(card for card, n in left.items() if n < 0)
        raise DeckError(f"{worst} is there more often than in the pack")
    if not pile and "upcard" in [one.name for one in layout_of(rules).table]:
        pile = [next(card for card, n in left.items() if n > 0 and not card.is_joker)]
    return _written(seen, rules, hand, pile, known, wild, body.to)


def _dealt(rules: Rules, hand: list[Card]) -> dict[str, Any]:
    """Return the JSON of a fresh deal, as a form to fill in."""
    state = State.deal(rules, 0, starter=0)
    found: dict[str, Any] = json.loads(state.observe(Seat(0)).to_json())
    return found


def _indicator(text: str | None, rules: Rules, taken: list[Card]) -> Card | None:
    """Return the indicator of a wild rank, from cards that lie nowhere else."""
    if not text:
        return None
    word = text.strip()
    if len(word) > 1 and word != "10":
        return Card.parse(word)
    for suit in "chsd":
        card = Card.parse(f"{word}{suit}")
        if taken.count(card) < rules.options.cards_in_play[0]:
            return card
    raise DeckError(f"all cards of the wild rank {text} lie elsewhere")


def _written(
    form: dict[str, Any],
    rules: Rules,
    hand: list[Card],
    pile: list[Card],
    known: list[Card],
    wild: Card | None,
    to: str | None,
) -> Observation:
    """Fill in the form of a position and read it."""
    sizes = len(form["hand"])
    phase = to or ("discard" if len(hand) == sizes + 1 else "draw")
    phases = rules.spec.kernels.PHASES
    phase = phase if phase in phases else {"discard": "play"}.get(phase, phase)
    if phase not in phases:
        raise OptionError(f"{rules.spec.title} has no phase {phase!r}.")
    drawing = phase == "draw"
    expected = sizes if drawing else sizes + 1
    if len(hand) != expected:
        raise DeckError(f"To {phase}, a hand has {expected} cards, not {len(hand)}.")
    form |= {"phase": phase, "actor": 0, "hand": [str(card) for card in hand]}
    names = {one.name for one in layout_of(rules).table}
    if "pile" in names:
        form["pile"] = [str(card) for card in pile]
    form.pop("upcard", None)
    if "upcard" in names and drawing and pile:
        form["upcard"] = str(pile[-1])
    if wild is not None and "indicator" in names:
        form["indicator"] = str(wild)
        if "wild" in form or "wild" in names:
            form["wild"] = str(wild)[:-1] if not wild.is_joker else "A"
    if known:
        form["known"] = [[], [str(card) for card in known], *[[]] * (rules.seats - 2)]
    if not drawing:
        form["drawn"] = str(hand[-1])
        if "hand_sizes" in form:
            form["hand_sizes"][0] = len(hand)
    return _with_stock(form)


def _with_stock(form: dict[str, Any]) -> Observation:
    """Read a form; the stock is what is left, which the reader tells."""
    try:
        return Observation.from_json(form)
    except NotationError as error:
        words = str(error).split()
        if "'stock':" in words and words[-2:] == ["are", "left"]:
            form["stock"] = int(words[-3])
            return Observation.from_json(form)
        raise
