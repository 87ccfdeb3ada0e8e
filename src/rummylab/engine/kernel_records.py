"""Records of a game: how they are declared, and how kernels copy and clear them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic


def options_record(options: type[Any], **more: str) -> np.dtype[np.void]:
    """Return the options as the kernels read them: those that are numbers or flags, and *more* fields by type.

    They are public, so they are part of the table.
    """
    own = [(field.name, "i2") for field in fields(options) if not isinstance(field.default, str)]
    return np.dtype([*own, *more.items()], align=True)


def records_of(table: np.dtype[np.void], mine: np.dtype[np.void], seats: int, hidden: list[Any]) -> tuple[Any, ...]:
    """Return RECORD, VIEW, ACT and ACT_POINTER of a game.

    The whole position, with what is *hidden* from every seat; what a seat is shown, without a field for anything
    hidden; and the type of compiled agents, ``act(table, mine, params)``, which return the code of their move.
    """
    record = np.dtype([("table", table), ("mine", mine, (seats,)), *hidden], align=True)
    act = types.int64(from_dtype(table), from_dtype(mine), types.float32[::1])
    pointer = types.FunctionType(act)  # type: ignore[no-untyped-call]
    return record, np.dtype([("table", table), ("mine", mine)], align=True), act, pointer


def clearing(record: np.dtype[np.void], keep: Collection[str], none: Collection[str] = ()) -> Any:
    """Return ``clear(record)`` for kernels: every field but those to *keep* becomes 0, those of *none* -1."""
    spans: list[tuple[int | None, int, int]] = []
    for name, (kind, first, *_) in (record.fields or {}).items():
        byte = None if name in keep else 255 if name in none else 0
        if spans and spans[-1][0] == byte:
            first = spans.pop()[1]
        spans.append((byte, first, record.fields[name][1] + kind.itemsize))  # type: ignore[index]

    def _clear(typingctx: Any, one: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            start = builder.bitcast(args[0], cgutils.voidptr_t)
            for byte, first, end in spans:
                if byte is not None:
                    place = builder.gep(start, [context.get_constant(types.intp, first)])
                    size = context.get_constant(types.intp, end - first)
                    cgutils.memset(builder, place, size, byte)  # type: ignore[no-untyped-call]
            return context.get_dummy_value()

        return types.none(one), codegen

    return intrinsic(_clear)


def _private_copy(typingctx: Any, record: Any) -> Any:
    """Return a copy of *record* that lives on the stack of the calling kernel."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = cgutils.alloca_once(builder, context.get_data_type(record))  # type: ignore[no-untyped-call]
        place.align = 16
        copy = builder.bitcast(place, args[0].type)
        size = context.get_constant(types.intp, record.size)
        cgutils.raw_memcpy(builder, copy, args[0], size, 1)  # type: ignore[no-untyped-call]
        return copy

    return record(record), codegen


def _copy_into(typingctx: Any, target: Any, source: Any) -> Any:
    """Copy the record *source* over *target*, a record of the same type."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = context.get_constant(types.intp, source.size)
        cgutils.raw_memcpy(builder, args[0], args[1], size, 1)  # type: ignore[no-untyped-call]
        return context.get_dummy_value()

    return (types.none(target, source), codegen) if target == source else None


private_copy: Any = intrinsic(_private_copy)
copy_into: Any = intrinsic(_copy_into)
