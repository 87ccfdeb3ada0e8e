"""Copy whole records inside kernels."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


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
