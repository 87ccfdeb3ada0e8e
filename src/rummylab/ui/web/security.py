"""What stands before every request: host, origin, type, size and rate; and the headers of every answer.

It is plain ASGI, so that nothing is parsed before it was allowed.
"""

from __future__ import annotations

import json
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final

from rummylab.ui.table.store import TableStore

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE: Final = "rummylab_player"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "testserver"})
SMALL: Final = 64 * 1024
"""Bytes of an ordinary request."""
LARGE: Final = 2 * 1024 * 1024
"""Bytes of a record file."""
CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
COSTLY: Final = ("/coach", "/review", "/v1/analysis", "/v1/move", "/retry")
"""Ends of paths that take real work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one browser may ask."""

    per_second: float = 40.0
    burst: float = 120.0
    costly_per_second: float = 2.0
    costly_burst: float = 20.0


NO_LIMITS: Final = Limits(per_second=1e9, burst=1e9, costly_per_second=1e9, costly_burst=1e9)
"""For benchmarks and tests, set by ``RUMMYLAB_NO_LIMITS=1``."""


@dataclass(slots=True)
class Bucket:
    """Tokens that refill with time."""

    tokens: float
    at: float


@dataclass(slots=True)
class RateLimiter:
    """Counts the requests of each client; the longest silent are forgotten."""

    limits: Limits
    clock: Callable[[], float] = time.monotonic
    buckets: OrderedDict[tuple[str, bool], Bucket] = field(default_factory=OrderedDict)
    most: int = 20_000

    def wait(self, client: str, costly: bool) -> float:
        """Count a request; return 0, or the seconds to wait if there were too many."""
        rate = self.limits.costly_per_second if costly else self.limits.per_second
        burst = self.limits.costly_burst if costly else self.limits.burst
        now, key = self.clock(), (client, costly)
        bucket = self.buckets.pop(key, None) or Bucket(burst, now)
        bucket.tokens = min(burst, bucket.tokens + (now - bucket.at) * rate)
        bucket.at = now
        self.buckets[key] = bucket
        if len(self.buckets) > self.most:
            self.buckets.popitem(last=False)
        if bucket.tokens >= 1:
            bucket.tokens -= 1
            return 0.0
        return (1 - bucket.tokens) / rate


class Refused(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.headers = status, code, headers or {}


def host_name(value: str) -> str:
    """Return the host of a ``Host`` header, without its port."""
    head, _, port = value.rpartition(":")
    return (head if head and port.isdecimal() else value).lower()


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: App, store: TableStore, hosts: frozenset[str], limits: Limits) -> None:
        self.app, self.store, self.hosts = app, store, hosts | LOOPBACK
        self.rate = RateLimiter(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, give it a player, and add headers to the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        cookie: list[tuple[bytes, bytes]] = []
        path = str(scope["path"])

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message.get("headers", [])}
                more = [pair for pair in HEADERS if pair[0] not in present]
                if path.startswith(("/api", "/v1")) and b"cache-control" not in present:
                    more.append((b"cache-control", b"no-store"))
                message["headers"] = [*message.get("headers", []), *more, *cookie]
            await send(message)

        try:
            self._check(scope, headers, path)
            if path.startswith("/api"):
                cookie += self._identify(scope, headers)
            await self.app(scope, self._limited(receive, path), answer)
        except Refused as refused:
            await self._refuse(refused, answer)

    # --- Checks -----------------------------------------------------------------------------------------------------

    def _check(self, scope: Scope, headers: Mapping[str, str], path: str) -> None:
        host = headers.get("host", "")
        if host_name(host) not in self.hosts:
            raise Refused(421, "bad_host", "This server does not answer to that name.")
        site, origin = headers.get("sec-fetch-site", ""), headers.get("origin")
        is_data = path.startswith(("/api", "/v1"))
        own = {f"http://{host}", f"https://{host}"}
        if is_data and (site in ("cross-site", "same-site") or (origin is not None and origin not in own)):
            raise Refused(403, "bad_origin", "Requests from other sites are not allowed.")
        token = token_of(headers)
        client = token[:43] if token else str((scope.get("client") or ("?",))[0])
        if is_data:
            wait = self.rate.wait(client, path.endswith(COSTLY))
            if wait:
                seconds = {"Retry-After": str(math.ceil(wait))}
                raise Refused(429, "too_many_requests", "Too many requests. Wait a moment.", seconds)
        if scope["method"] in ("POST", "PUT", "PATCH", "DELETE"):
            self._check_body(headers, path)

    def _check_body(self, headers: Mapping[str, str], path: str) -> None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "unsupported_type", "Send JSON, as application/json.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > most_bytes(path):
            raise Refused(413, "too_large", f"A request may have {most_bytes(path):,} bytes at most.")

    @staticmethod
    def _limited(receive: Receive, path: str) -> Receive:
        """Return *receive*, which stops when more bytes come than were announced."""
        left = most_bytes(path)

        async def limited() -> Message:
            nonlocal left
            message = await receive()
            if message["type"] == "http.request":
                left -= len(message.get("body", b""))
                if left < 0:
                    raise Refused(413, "too_large", f"A request may have {most_bytes(path):,} bytes at most.")
            return message

        return limited

    def _identify(self, scope: Scope, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Find the player of a request, or make one; return the header that sets the cookie."""
        token = token_of(headers)
        player = self.store.player(token) if token else None
        found: list[tuple[bytes, bytes]] = []
        if player is None:
            address = str((scope.get("client") or ("?",))[0])
            wait = self.rate.wait(f"new {address}", False)
            if wait:
                raise Refused(429, "too_many_requests", "Too many new players. Wait a moment.", {"Retry-After": "1"})
            token = secrets.token_urlsafe(32)
            player = self.store.new_player(token)
            secure = "; Secure" if scope.get("scheme") == "https" else ""
            value = f"{COOKIE}={token}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict{secure}"
            found = [(b"set-cookie", value.encode())]
        scope.setdefault("state", {})["player"] = player
        return found

    @staticmethod
    async def _refuse(refused: Refused, send: Send) -> None:
        body = json.dumps({"error": {"code": refused.code, "message": str(refused)}}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        headers += [(name.lower().encode(), value.encode()) for name, value in refused.headers.items()]
        await send({"type": "http.response.start", "status": refused.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def most_bytes(path: str) -> int:
    """Return how long a request to *path* may be."""
    return LARGE if path == "/api/games" else SMALL


def token_of(headers: Mapping[str, str]) -> str:
    """Return the player's token in the cookies of a request; empty if there is none."""
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[COOKIE].value[:100] if COOKIE in cookies else ""
