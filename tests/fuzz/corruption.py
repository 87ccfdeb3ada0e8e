"""Make bad inputs from good ones, always the same for the same seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

DEEP = 100_000
TOKENS: tuple[bytes, ...] = (
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\n",
    b"\r\n",
    b"\xe2\x80\xa8",
    b"\\ud800",
    b"\x1b[2J",
    b'"',
    b"'",
    b"(",
    b")",
    b"{",
    b"}",
    b"[",
    b"]",
    b"=",
    b":",
    b",",
    b"-",
    b"-1",
    b"0",
    b"2",
    b"1e999",
    b"nan",
    b"NaN",
    b"-Infinity",
    b"9" * 25,
    b"9" * 5000,
    b"0x" + b"f" * 6000,
    b"null",
    b"true",
    b"PJ",
    b"%s%n",
    b"../../etc/passwd",
    b"[" * DEEP,
    b'{"a":' * 2000,
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2,
    52,
    2**31,
    2**63,
    2**64,
    10**30,
    1.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "PJ",
    "Ac",
    "\ud800",
    "\x1b[2J",
    "a\u2028b",
    "9" * 5000,
    [],
    [[]],
    [None],
    [0] * 1000,
    {},
    {"": ""},
    {"a": {"b": []}},
)


def mutated(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Return *data* with one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(CHANGES)(data, others, rng)
    return data[:2_000_000]


def _at(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _flip(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _cut(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    start, end = sorted((_at(data, rng), _at(data, rng)))
    return data[:start] + data[end:]


def _truncate(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    return data[: _at(data, rng)]


def _insert(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice(TOKENS) + data[at:]


def _replace_word(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    words = data.split(b" ")
    words[rng.randrange(len(words))] = rng.choice(TOKENS)
    return b" ".join(words)


def _splice(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    other = rng.choice(others)
    return data[: _at(data, rng)] + other[_at(other, rng) :]


def _shuffle_lines(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    return (
        b"\n".join([*lines[:at], lines[to], *lines[at:]]) if rng.random() < 0.5 else b"\n".join(lines[:at] + lines[to:])
    )


def _change_json(data: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Change one value in one line of JSON, or in the whole."""
    lines = [data] if rng.random() < 0.2 else data.split(b"\n")
    at = rng.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return _insert(data, others, rng)
    lines[at] = json.dumps(_changed(value, rng)).encode()
    return b"\n".join(lines)


def _changed(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], _changed(value[at], rng), *value[at + 1 :]]
    if type(value) is int and rng.random() < 0.5:
        return value + rng.choice((-1, 1, 100, -100))
    return rng.choice(VALUES)


Change = Callable[[bytes, Sequence[bytes], random.Random], bytes]
CHANGES: tuple[Change, ...] = (
    _flip,
    _cut,
    _truncate,
    _insert,
    _replace_word,
    _splice,
    _shuffle_lines,
    _change_json,
    _change_json,
    _change_json,
)
