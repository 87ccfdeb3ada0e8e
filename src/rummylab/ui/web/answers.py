"""How answers and errors are written: JSON by msgspec, one shape for every error."""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from rummylab.errors import AgentError, MissingExtraError, RummyError, TableError

log = logging.getLogger(__name__)

STATUS: Final = {
    "not_found": 404,
    "stale": 409,
    "not_your_turn": 409,
    "illegal_move": 409,
    "wrong_move": 409,
    "hand_over": 409,
    "hand_not_over": 409,
    "nothing_to_take_back": 409,
    "table_full": 409,
    "already_played": 409,
    "not_available": 409,
}


def answer(value: Any, status: int = 200) -> Response:
    """Return *value* as JSON; bytes are JSON already."""
    body = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Response(body, status, media_type="application/json")


def error(status: int, code: str, message: str, **more: Any) -> Response:
    """Return an error."""
    return answer({"error": {"code": code, "message": message, **more}}, status)


def add_handlers(app: FastAPI) -> None:
    """Let every exception end in the one shape of errors, without a word about its inside."""

    @app.exception_handler(TableError)
    async def table_error(request: Request, problem: TableError) -> Response:
        more = {"version": problem.version} if problem.version is not None else {}
        return error(STATUS.get(problem.code, 409), problem.code, str(problem), **more)

    @app.exception_handler(RummyError)
    async def rummy_error(request: Request, problem: RummyError) -> Response:
        if isinstance(problem, AgentError):
            return await unexpected(request, problem)
        if isinstance(problem, MissingExtraError):
            return error(409, "not_available", str(problem))
        return error(422, "invalid", str(problem))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, problem: RequestValidationError) -> Response:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        message = f"{where}: {first['msg']}" if where else str(first["msg"])
        status = 400 if first["type"] == "json_invalid" else 422
        return error(status, "bad_request" if status == 400 else "invalid", message, field=where)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, problem: HTTPException) -> Response:
        words = {404: ("not_found", "There is no such page."), 405: ("bad_request", "This method is not allowed here.")}
        code, message = words.get(problem.status_code, ("bad_request", "The request cannot be answered."))
        found = error(problem.status_code, code, message)
        for name, value in (problem.headers or {}).items():
            found.headers[name] = value
        return found

    @app.exception_handler(Exception)
    async def unexpected(request: Request, problem: Exception) -> Response:
        log.error("%s %s failed", request.method, request.url.path, exc_info=problem)
        return error(500, "server_error", "The server made a mistake. It is in its log.")
