"""The OpenAPI schema, made when somebody asks for it: describing every answer at the start would take a second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from rummylab.ui.table.catalog import Catalog
from rummylab.ui.table.replays import Replay
from rummylab.ui.table.view import RulesView, TableView, Update

REF: Final = "#/components/schemas/{model}"


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    message: str
    version: int | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The body of every error."""

    error: ErrorDetail


ERRORS: Final = {
    "400": "The request cannot be read.",
    "403": "The request comes from another site.",
    "404": "There is no such thing, or it belongs to another player.",
    "409": "The table has moved on, or refuses.",
    "413": "The request is too large.",
    "415": "The request is not JSON.",
    "421": "The server does not answer to that name.",
    "422": "A value is not allowed.",
    "429": "Too many requests.",
}
TABLE: Final = ("", "/move", "/next", "/take-back", "/step")
ANSWERS: Final[dict[str, Any]] = {
    **{f"/api/tables/{{table}}{end}": TableView for end in TABLE},
    "/api/tables": TableView,
    "/api/join": TableView,
    "/api/games/{record}/what-if": TableView,
    "/api/games/{record}": Replay,
    "/api/catalog": Catalog,
    "/api/rules": RulesView,
    "/api/tables/{table}/rules": RulesView,
}
"""What paths answer with, where it has a name."""


def schema(app: FastAPI) -> dict[str, Any]:
    """Return the schema of *app*."""
    found = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    components = found.setdefault("components", {}).setdefault("schemas", {})
    for kind in {TableView, Replay, Catalog, RulesView, Update, ErrorBody}:
        made = TypeAdapter(kind).json_schema(ref_template=REF, mode="serialization")
        components |= made.pop("$defs", {})
        components[kind.__name__] = made
    for path, methods in found["paths"].items():
        for operation in methods.values():
            _answers(path, operation["responses"])
    for unused in ("HTTPValidationError", "ValidationError"):
        components.pop(unused, None)
    return found


def _answers(path: str, responses: dict[str, Any]) -> None:
    """Describe the answers of one operation."""
    kind = ANSWERS.get(path)
    for status in ("200", "201"):
        if status in responses and kind is not None:
            responses[status]["content"] = _json(kind.__name__)
    for status, words in ERRORS.items():
        responses[status] = {"description": words, "content": _json("ErrorBody")}


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": REF.format(model=name)}}}
