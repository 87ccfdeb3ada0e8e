"""The table's own interface, under ``/api``: tables, moves, events, coach, finished hands, history."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response, StreamingResponse

from rummylab.agents.levels import agent_at
from rummylab.engine.records import Record, parse_records
from rummylab.engine.spec import GameSpec
from rummylab.errors import TableError
from rummylab.games.registry import GAMES
from rummylab.games.registry import game as game_named
from rummylab.ui.table.catalog import catalog
from rummylab.ui.table.config import table_rules
from rummylab.ui.table.history import by_opponent, leaks, rate_text
from rummylab.ui.table.house import House, Live
from rummylab.ui.table.replays import Replay, replay
from rummylab.ui.table.store import Game, Match
from rummylab.ui.table.view import rules_title, rules_view, since_words
from rummylab.ui.web import schemas as ask
from rummylab.ui.web.answers import answer
from rummylab.ui.web.reviews import Reviews

router = APIRouter(prefix="/api")
TOKEN: Final = r"^[A-Za-z0-9_-]{1,64}$"
Token = Annotated[str, Path(pattern=TOKEN)]
RecordName = Annotated[str, Path(pattern=TOKEN)]
KEEP_ALIVE: Final = 15.0
"""Seconds between comments that keep an idle stream open."""
LONGEST_STREAM: Final = 3600.0


def house_of(request: Request) -> House:
    """Return the tables of the application."""
    house: House = request.app.state.house
    return house


def reviews_of(request: Request) -> Reviews:
    """Return the coach and the reviews of the application."""
    reviews: Reviews = request.app.state.reviews
    return reviews


def player_of(request: Request) -> int:
    """Return who asks."""
    return int(request.state.player)


def found(request: Request, table: str) -> tuple[House, Live, int | None]:
    """Return the tables, the one that is asked for, and the seat of who asks."""
    house = house_of(request)
    live, seat = house.find(player_of(request), table)
    return house, live, seat


def view(house: House, live: Live, seat: int | None, status: int = 200) -> Response:
    """Answer with the view of a seat."""
    return answer(house.view(live, seat)[1], status)


# --- Start page -----------------------------------------------------------------------------------------------------


@router.get("/catalog")
async def get_catalog() -> Response:
    """Return everything there is to play."""
    return answer(catalog())


@router.get("/me")
async def get_me(request: Request) -> Response:
    """Return the player's name and open tables."""
    house, player = house_of(request), player_of(request)
    return answer(
        {
            "name": house.store.name_of(player),
            "open_tables": house.open_tables(player),
            "n_games": house.store.n_games(player),
        }
    )


@router.put("/me")
async def put_me(request: Request, body: ask.Me) -> Response:
    """Change the player's name."""
    if not body.name.isprintable():
        raise TableError("invalid", "A name has printable characters only.")
    house_of(request).store.rename(player_of(request), body.name)
    return await get_me(request)


@router.get("/levels")
async def get_level(
    request: Request,
    game: Annotated[str, Query(max_length=40)],
    level: Annotated[int, Query(ge=1, le=10)],
) -> Response:
    """Return how the player did against a level."""
    name = game_named(game).name
    games = house_of(request).store.games(player_of(request), 10_000, name)
    done = [one for one in games if one.rated and one.level == level and one.won is not None]
    won = sum(bool(one.won) for one in done)
    return answer({"text": f"You have {rate_text(won, len(done))} against it." if done else ""})


@router.get("/rules")
async def get_rules_of(
    game: Annotated[str, Query(max_length=40)],
    rules: Annotated[str | None, Query(max_length=400)] = None,
    format: Annotated[str | None, Query(max_length=400)] = None,
    seats: Annotated[int | None, Query(ge=2, le=6)] = None,
) -> Response:
    """Return the rules of a preset, in words."""
    spec: GameSpec = game_named(game)
    made = table_rules(spec, rules or None, format or None, seats)
    return answer(rules_view(made, f"{spec.title}, {rules_title(spec, made)}"))


@router.get("/daily")
async def get_daily(request: Request) -> Response:
    """Return today's deals."""
    house, player = house_of(request), player_of(request)
    games = []
    for game in catalog().games:
        name = game.name
        spec = GAMES[name]
        done = house.store.daily(player, name, house.today())
        games.append(
            {
                "game": name,
                "title": spec.title,
                "text": f"Today's deal of {spec.title}: the same cards for everyone.",
                "agent": agent_at(name, 10, spec.read_options(None)),
                "played": {"points": done.points, "text": done.result, "record": done.record} if done else None,
                "table": None if done else house.daily_table(player, name),
            }
        )
    return answer({"date": house.today(), "games": games})


# --- Tables ---------------------------------------------------------------------------------------------------------


@router.post("/tables", status_code=201)
async def post_table(request: Request, body: ask.NewTable) -> Response:
    """Open a table."""
    house = house_of(request)
    live, seat = house.open(player_of(request), body.model_dump())
    return view(house, live, seat, 201)


@router.post("/join")
async def post_join(request: Request, body: ask.Join) -> Response:
    """Take the seat of an invitation."""
    if not body.name.isprintable():
        raise TableError("invalid", "A name has printable characters only.")
    house = house_of(request)
    live, seat = house.join(player_of(request), body.code, body.name)
    return view(house, live, seat)


@router.get("/tables/{table}")
async def get_table(request: Request, table: Token) -> Response:
    """Return the view of the player's seat."""
    return view(*found(request, table))


@router.post("/tables/{table}/move")
async def post_move(request: Request, table: Token, body: ask.Move) -> Response:
    """Make a move. The answer is the table right after it; agents' moves come as events."""
    house, live, seat = found(request, table)
    house.move(live, seat, body.version, body.action)
    return view(house, live, seat)


@router.post("/tables/{table}/next")
async def post_next(request: Request, table: Token, body: ask.At) -> Response:
    """Deal the next hand."""
    house, live, seat = found(request, table)
    house.next_hand(live, body.version)
    return view(house, live, seat)


@router.post("/tables/{table}/take-back")
async def post_take_back(request: Request, table: Token, body: ask.At) -> Response:
    """Take back the player's last move."""
    house, live, seat = found(request, table)
    house.take_back(live, seat, body.version)
    return view(house, live, seat)


@router.post("/tables/{table}/step")
async def post_step(request: Request, table: Token, body: ask.StepTo) -> Response:
    """Let the agents of a watched table play on."""
    house, live, seat = found(request, table)
    await house.step(live, body.version, body.until)
    return view(house, live, seat)


@router.post("/tables/{table}/invite")
async def post_invite(request: Request, table: Token, body: ask.Empty) -> Response:
    """Return an invitation to an open seat."""
    house, live, seat = found(request, table)
    if seat is None:
        raise TableError("table_full", "You are watching this table.")
    code, place = house.invite(live)
    return answer({"code": code, "path": f"/#/join/{code}", "seat": place})


@router.post("/tables/{table}/leave")
async def post_leave(request: Request, table: Token, body: ask.At) -> Response:
    """Close the table for good. A hand in progress does not count."""
    house, live, _ = found(request, table)
    house.leave(live, body.version)
    return answer({"left": True})


@router.get("/tables/{table}/rules")
async def get_rules(request: Request, table: Token) -> Response:
    """Return the rules in force, in words."""
    _, live, _ = found(request, table)
    session = live.session
    return answer(rules_view(session.rules, f"{session.rules.spec.title}, {session.config.rules_title}"))


@router.get("/tables/{table}/coach")
async def get_coach(
    request: Request,
    table: Token,
    version: Annotated[int, Query(ge=0)],
    agent: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """Return ranked moves with reasons, from what the player may know."""
    _, live, seat = found(request, table)
    live.session.check_version(version)
    if seat is None or live.session.actor != seat:
        raise TableError("not_your_turn", "The coach answers when it is your turn.", live.session.version)
    if live.session.config.hints == "off":
        raise TableError("not_available", "The coach is off at this table.", live.session.version)
    seen, chairs = live.session.observe(seat), live.session.config.chairs
    return answer(await reviews_of(request).coach(seen, chairs, version, agent))


# --- Events ---------------------------------------------------------------------------------------------------------


@router.get("/tables/{table}/events", response_class=StreamingResponse)
async def get_events(
    request: Request,
    table: Token,
    last_event_id: Annotated[str | None, Header(max_length=30)] = None,
) -> Response:
    """Stream what happens at the table, from the version after *last_event_id* on."""
    house, live, seat = found(request, table)
    last = int(last_event_id) if last_event_id and last_event_id.isdecimal() else None
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_events(house, live, seat, last), media_type="text/event-stream", headers=headers)


async def _events(house: House, live: Live, seat: int | None, last: int | None) -> AsyncIterator[bytes]:
    changed = asyncio.Event()
    live.listeners.add(changed)
    loop = asyncio.get_running_loop()
    end = loop.time() + LONGEST_STREAM
    try:
        yield b"retry: 1000\n\n"
        while loop.time() < end and not live.session.closed:
            changed.clear()
            if last is None or live.session.version != last:
                last, body = house.update(live, seat, last)
                yield b"id: %d\nevent: update\ndata: %b\n\n" % (last, body)
            try:
                await asyncio.wait_for(changed.wait(), KEEP_ALIVE)
            except TimeoutError:
                yield b": keep-alive\n\n"
    finally:
        live.listeners.discard(changed)


# --- Finished hands -------------------------------------------------------------------------------------------------


def game_summary(house: House, game: Game, reviewed: bool) -> dict[str, Any]:
    """Return a finished hand as a line of a list."""
    when = dt.datetime.fromtimestamp(game.finished, dt.UTC)
    return {
        "record": game.record,
        "game": game.game,
        "title": game_named(game.game).title,
        "heading": game.heading,
        "opponents": game.opponents,
        "result": game.result,
        "points": game.points,
        "won": game.won,
        "rated": game.rated,
        "date": when.isoformat(timespec="seconds"),
        "date_text": since_words(house.now() - game.finished),
        "reviewed": reviewed,
        "source": game.source,
    }


def finished(request: Request, record: str) -> tuple[House, Game, Record]:
    """Return a finished hand of the player."""
    house = house_of(request)
    game = house.store.game(player_of(request), record)
    if game is None:
        raise TableError("not_found", "There is no such game.")
    return house, game, parse_records(game.text, "the record")[0]


@router.get("/games")
async def get_games(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    game: Annotated[str | None, Query(max_length=40)] = None,
) -> Response:
    """Return the player's finished hands, the latest first."""
    house = house_of(request)
    games = house.store.games(player_of(request), limit, game or None)
    lines = [game_summary(house, one, house.store.is_reviewed(one.record, one.seat or 0)) for one in games]
    return answer({"games": lines})


@router.post("/games", status_code=201)
async def post_games(request: Request, body: ask.OpenFile) -> Response:
    """Open a record file."""
    house = house_of(request)
    games = house.open_file(player_of(request), body.text)
    return answer({"games": [game_summary(house, one, False) for one in games]}, 201)


@router.get("/games/{record}")
async def get_game(request: Request, record: RecordName) -> Response:
    """Return a finished hand, step by step, with the thinking that reviews have stored."""
    _, game, found_record = finished(request, record)
    made = replay(found_record, game.seat, game.record)
    thinking = reviews_of(request).thinking(game, len(made.seats))
    return answer({**_fields(made), "thinking": thinking})


def _fields(made: Replay) -> dict[str, Any]:
    return {name: getattr(made, name) for name in made.__dataclass_fields__}


@router.get("/games/{record}/file")
async def get_file(request: Request, record: RecordName) -> Response:
    """Return the record file."""
    _, game, _ = finished(request, record)
    name = f"rummylab-{game.game}-{game.record[:8]}.rgr"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(game.text, media_type="application/x-ndjson", headers=headers)


@router.get("/games/{record}/page")
async def get_page(request: Request, record: RecordName) -> Response:
    """Return a page that replays the hand by itself."""
    from rummylab.ui.table.page import replay_page

    _, game, found_record = finished(request, record)
    name = f"rummylab-{game.game}-{game.record[:8]}.html"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(replay_page([found_record]), media_type="text/html", headers=headers)


@router.get("/games/{record}/review")
async def get_review(
    request: Request, record: RecordName, seat: Annotated[int | None, Query(ge=0, le=5)] = None
) -> Response:
    """Return the review of a hand, or how far it is (202)."""
    _, game, found_record = finished(request, record)
    place = seat if seat is not None else game.seat or 0
    if place >= len(found_record.header["seats"]):
        raise TableError("not_found", "There is no such seat.")
    body, progress = reviews_of(request).review(player_of(request), game, found_record, place)
    if body is None:
        return answer({"progress": progress}, 202)
    return answer({"record": record, **{key: value for key, value in body.items() if key != "answers"}})


@router.post("/games/{record}/retry")
async def post_retry(request: Request, record: RecordName, body: ask.Retry) -> Response:
    """Judge another try at a decision of a reviewed hand."""
    house, game, _ = finished(request, record)
    stored = house.store.review(record, game.seat or 0)
    moves = (stored or {}).get("answers", {}).get(str(body.decision))
    if not moves:
        raise TableError("not_found", "There is no such decision: ask for the review first.")
    return answer(reviews_of(request).verdict(moves, body.action))


@router.post("/games/{record}/what-if", status_code=201)
async def post_what_if(request: Request, record: RecordName, body: ask.WhatIf) -> Response:
    """Play on from a step of a finished hand."""
    house, game, found_record = finished(request, record)
    seats = len(found_record.header["seats"])
    seat = body.seat if body.seat is not None else game.seat or 0
    moves = [i for i, event in enumerate(found_record.events) if event.chosen]
    if seat >= seats or body.step > len(moves):
        raise TableError("not_found", "There is no such step.")
    n_events = moves[body.step] if body.step < len(moves) else len(found_record.events)
    live, seat = house.what_if(player_of(request), found_record, seat, n_events, record)
    return view(house, live, seat, 201)


# --- Matches --------------------------------------------------------------------------------------------------------


def match_summary(house: House, match: Match) -> dict[str, Any]:
    """Return a match as a line of a list."""
    last = match.last
    return {
        "match": match.id,
        "title": game_named(last.game).title,
        "heading": last.heading.rpartition(" · ")[0],
        "opponents": last.opponents,
        "hands": match.hands,
        "outcome": match.outcome or "The match is not over.",
        "date_text": since_words(house.now() - last.finished),
    }


@router.get("/matches")
async def get_matches(request: Request) -> Response:
    """Return the player's matches of two finished hands or more, the latest first."""
    house = house_of(request)
    return answer({"matches": [match_summary(house, one) for one in house.store.matches(player_of(request))]})


@router.get("/matches/{match}/review")
async def get_match_review(request: Request, match: Token) -> Response:
    """Return the review of a match's finished hands, or how far it is (202)."""
    house, player = house_of(request), player_of(request)
    games = house.store.hands_of(player, match)
    if not games:
        raise TableError("not_found", "There is no such match.")
    body, hand, progress = reviews_of(request).match(player, games, house.store.outcome(player, games[-1].record))
    if body is None:
        return answer({"progress": progress, "text": f"Hand {hand + 1} of {len(games)}"}, 202)
    return answer({"match": match, **body})


# --- History --------------------------------------------------------------------------------------------------------


@router.get("/history")
async def get_history(request: Request) -> Response:
    """Return results by opponent, the kinds of decision that cost most, and how many puzzles there are."""
    house, player = house_of(request), player_of(request)
    games = house.store.games(player, 10_000)
    puzzles = house.store.puzzles(player)
    return answer(
        {
            "by_opponent": by_opponent(games),
            "leaks": leaks(house.store.reviews_of(player)),
            "puzzles": len(puzzles),
            "games": len(games),
            "note": "Rated hands only. Intervals are 95%: Wilson's for rates, normal for points.",
        }
    )


@router.get("/puzzles")
async def get_puzzles(request: Request) -> Response:
    """Return puzzles made from the player's own mistakes."""
    rows = house_of(request).store.puzzles(player_of(request))
    return answer(
        {
            "puzzles": [
                {
                    "id": name,
                    "game": game,
                    "title": f"{game_named(game).title}: {kind}",
                    "text": f"It cost you {abs(loss):.1f} points. What would you do now?",
                    "solved": solved,
                }
                for name, game, kind, loss, solved in rows
            ]
        }
    )


@router.get("/puzzles/{puzzle}")
async def get_puzzle(request: Request, puzzle: Token) -> Response:
    """Return the position of a puzzle, without its answer."""
    body = house_of(request).store.puzzle(player_of(request), puzzle)
    if body is None:
        raise TableError("not_found", "There is no such puzzle.")
    return answer({"id": puzzle, **reviews_of(request).puzzle_view(body)})


@router.post("/puzzles/{puzzle}/answer")
async def post_answer(request: Request, puzzle: Token, body: ask.Answer) -> Response:
    """Judge the answer to a puzzle."""
    house, player = house_of(request), player_of(request)
    stored = house.store.puzzle(player, puzzle)
    if stored is None:
        raise TableError("not_found", "There is no such puzzle.")
    judged = reviews_of(request).verdict(stored["moves"], body.action)
    house.store.solve(player, puzzle, judged["is_mistake"] is False)
    return answer(judged)
