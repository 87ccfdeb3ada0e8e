"""Compiled agents and records by their addresses.

Numba takes functions one by one and spends a tenth of a millisecond on each. An array of addresses holds any number of
agents and costs nothing to hand over.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, wraps
from typing import Any
from weakref import WeakKeyDictionary

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import carray, from_dtype, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.core.callconv import excinfo_t
from numba.extending import intrinsic, is_jitted
from numba.np.arrayobj import populate_array

from rummylab._jit import helper, kernel_of
from rummylab.errors import AgentError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
_WORD = ir.IntType(64)
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
    """Return where the entry of *kernel* is; Numba takes 50 us to find it each time."""
    known = _found.get(kernel)
    if known is None or known[0] is not signature:
        address = _entry_of(kernel, signature)
        if not address:  # stock Numba compiled it: make a kernel with an entry, which lives as long as this one
            kernel.caller = numba.njit(signature, error_model="numpy")(with_entry(kernel, signature))
            address = _entry_of(kernel.caller, signature)
        known = _found[kernel] = signature, address
    return known[1]


def _entry_of(kernel: Any, signature: Any) -> int:
    """Return the address of the entry of *kernel*, or 0 if it has none."""
    compiled = kernel.get_compile_result(signature)
    return int(compiled.library.get_pointer_to_function(_ENTRY + compiled.fndesc.llvm_func_name))


_found: WeakKeyDictionary[Any, tuple[Any, int]] = WeakKeyDictionary()
"""By kernel: the signature that was asked for last, and the address of that machine code."""
_ENTRY = "entry."
"""Begins the name of a kernel's entry."""


def with_entry(act: Any, signature: Any) -> Any:
    """Return a function that calls *act* and, once it is compiled, has an entry for :func:`agent_caller`.

    A function of Numba's returns its result and its error through memory, and takes an array as seven arguments. That
    is a twentieth of the time of an agent that decides in 15 ns. The entry takes the address and the length of the
    parameters and returns everything in registers.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return act
    enter = _entering(act, types.FunctionType(signature))  # type: ignore[no-untyped-call]

    @wraps(act.py_func)
    def kernel(table: np.void, mine: np.void, params: Floats) -> int:
        return enter(table, mine, params)  # type: ignore[no-any-return]

    return kernel


def _entering(act: Any, kind: Any) -> Any:
    """Return the intrinsic that adds the entry to *act* to a kernel, and calls it."""

    def _enter(typingctx: Any, table: Any, mine: Any, params: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            compiled = act.overloads[kind.signature.args]
            context.active_code_library.add_linking_library(compiled.library)
            entry = ir.Function(builder.module, _entry_type(context, kind), _ENTRY + builder.function.name)
            entry.attributes.add("noinline")  # the body of the agent is in the entry, and nowhere else
            _write_entry(context, entry, context.declare_function(builder.module, compiled.fndesc), kind)
            array = context.make_array(params)(context, builder, args[2])
            return _call_entry(context, builder, entry, *args[:2], array.data, array.nitems)

        if kind.signature.args not in act.overloads:
            act.compile(kind.signature)
        return kind.signature, codegen

    return intrinsic(_enter)


def _entry_type(context: Any, kind: Any) -> Any:
    """Return the LLVM type of an entry: of table, mine, address and length to code, status and error."""
    table, mine, _ = map(context.get_value_type, kind.signature.args)
    data = context.get_data_type(types.float32).as_pointer()
    result = ir.LiteralStructType([_WORD, ir.IntType(32), excinfo_t.as_pointer()])
    return ir.FunctionType(result, [table, mine, data, _WORD])


def _write_entry(context: Any, entry: Any, act: Any, kind: Any) -> None:
    """Write the code of *entry*: it calls the LLVM function *act*."""
    builder = ir.IRBuilder(entry.append_basic_block())
    table, mine, data, length = entry.args
    array = context.make_array(kind.signature.args[2])(context, builder)
    size = ir.Constant(_WORD, 4)
    populate_array(array, data=data, shape=[length], strides=[size], itemsize=size, meminfo=None)
    result, arguments = kind.signature.return_type, kind.signature.args
    status, code = context.call_conv.call_function(
        builder, act, result, arguments, [table, mine, array._getvalue()], attrs=("alwaysinline",)
    )
    builder.ret(cgutils.make_anonymous_struct(builder, [code, status.code, status.excinfoptr]))


def _call_entry(context: Any, builder: Any, entry: Any, *args: Any) -> Any:
    """Call *entry*, pass its error on if there is one, and return the code."""
    code, status, error = cgutils.unpack_tuple(builder, builder.call(entry, args), 3)
    status = context.call_conv._get_return_status(builder, status, error)
    with cgutils.if_unlikely(builder, status.is_error):  # type: ignore[no-untyped-call]
        context.call_conv.return_status_propagate(builder, status)
    return code


def agent_caller(signature: Any) -> Any:
    """Return the helper ``ask(agents, number, table, mine)``: the move of agent *number* in an array of addresses."""
    call = _caller(signature)

    @helper
    def ask(agents: Ints, number: int, table: np.void, mine: np.void) -> Any:
        return call(agents[number, 0], table, mine, agents[number, 1], agents[number, 2])

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
    """Return the intrinsic that calls the entry of an agent at an address."""
    kind = types.FunctionType(signature)  # type: ignore[no-untyped-call]

    def _call(typingctx: Any, address: Any, table: Any, mine: Any, params: Any, length: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:
            entry = builder.inttoptr(args[0], _entry_type(context, kind).as_pointer())
            data = context.get_data_type(types.float32).as_pointer()
            return _call_entry(context, builder, entry, *args[1:3], builder.inttoptr(args[3], data), args[4])

        result, (table, mine, _) = kind.signature.return_type, kind.signature.args
        return result(types.int64, table, mine, types.int64, types.int64), codegen

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
