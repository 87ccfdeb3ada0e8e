"""Compiled agents and records by their addresses.

Numba takes functions one by one and spends a tenth of a millisecond on each. An array of addresses holds any number of
agents and costs nothing to hand over.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from numba import carray, from_dtype, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.experimental.function_type import _get_jit_address
from numba.extending import intrinsic, is_jitted

from rummylab._jit import helper, kernel_of
from rummylab.errors import AgentError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
N_FIELDS = 3
"""Numbers for each agent: where its machine code is, where its parameters are, how many."""


def addresses(kernels: Sequence[Any], params: Sequence[Floats], signature: Any) -> Ints:
    """Return where the machine code and the parameters of each agent are: one row an agent, for :func:`agent_caller`.

    The caller keeps *kernels* and *params* for as long as the addresses are in use.

    Raises:
        AgentError: an agent is not a compiled function, or its parameters are not an array of float32.
    """
    found = [_address(kernel, own, signature) for kernel, own in zip(kernels, params, strict=True)]
    return np.array(found, np.int64).reshape(-1, N_FIELDS)


def _address(kernel: Any, params: Any, signature: Any) -> tuple[int, int, int]:
    if not is_jitted(kernel):
        raise AgentError(f"{kernel!r} is not a compiled agent. Make one with @register_agent.")
    if not isinstance(params, np.ndarray) or params.dtype != np.float32 or not params.flags.c_contiguous:
        raise AgentError(f"The parameters of {kernel.py_func.__name__!r} must be a contiguous array of float32.")
    return _machine_code(kernel, signature), params.ctypes.data, len(params)


def _machine_code(kernel: Any, signature: Any) -> int:
    """Return where the machine code of *kernel* is; Numba takes 50 us to find it each time."""
    known = _found.get(kernel)
    if known is None or known[0] is not signature:
        known = _found[kernel] = signature, _get_jit_address(kernel, signature)  # type: ignore[no-untyped-call]
    return int(known[1])


_found: WeakKeyDictionary[Any, tuple[Any, int]] = WeakKeyDictionary()
"""By kernel: the signature that was asked for last, and the address of that machine code."""


def agent_caller(signature: Any) -> Any:
    """Return the helper ``ask(agents, number, table, mine)``: the move of agent *number* in an array of addresses."""
    call, floats = _caller(signature), _pointer_to(types.CPointer(types.float32))  # type: ignore[no-untyped-call]

    @helper
    def ask(agents: Ints, number: int, table: np.void, mine: np.void) -> Any:
        return call(agents[number, 0], table, mine, carray(floats(agents[number, 1], 0), agents[number, 2]))

    return ask


@cache
def deciding(view: np.dtype[np.void], signature: Any) -> Any:
    """Return the kernel ``decide(seen, agents)``: the move of the one agent in *agents*, who sees the one view.

    Both arguments are addresses of arrays: numbers reach a kernel in a third of the time that arrays of records take.
    """
    ask, view_at = agent_caller(signature), record_at(view)
    integers = _pointer_to(types.CPointer(types.int64))  # type: ignore[no-untyped-call]

    @kernel_of(types.int64(types.int64, types.int64), __file__)
    def decide(seen: int, agents: int) -> Any:
        view = view_at(seen, 0)
        return ask(carray(integers(agents, 0), (1, N_FIELDS)), 0, view.table, view.mine)

    return decide


def _caller(signature: Any) -> Any:
    """Return the intrinsic that calls the machine code of *signature* at an address."""
    kind = types.FunctionType(signature)  # type: ignore[no-untyped-call]

    def _call(typingctx: Any, address: Any, table: Any, mine: Any, params: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:
            result, arguments = kind.signature.return_type, kind.signature.args
            function = builder.inttoptr(args[0], context.call_conv.get_function_type(result, arguments).as_pointer())
            status, code = context.call_conv.call_function(builder, function, result, arguments, args[1:])
            with cgutils.if_unlikely(builder, status.is_error):  # type: ignore[no-untyped-call]
                context.call_conv.return_status_propagate(builder, status)
            return code

        return kind.signature.return_type(types.int64, *kind.signature.args), codegen

    return intrinsic(_call)


def _pointer_to(kind: Any, size: int = 0) -> Any:
    """Return the intrinsic ``at(address, index)``: a pointer or record of type *kind*, *index* * *size* bytes on."""

    def _at(typingctx: Any, address: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:
            offset = builder.mul(args[1], context.get_constant(types.int64, size))
            return builder.inttoptr(builder.add(args[0], offset), context.get_value_type(kind))

        return kind(types.int64, types.int64), codegen

    return intrinsic(_at)


def record_at(dtype: np.dtype[np.void]) -> Any:
    """Return the intrinsic ``at(address, index)``: record number *index* of the array of *dtype* at *address*."""
    return _pointer_to(from_dtype(dtype), dtype.itemsize)
