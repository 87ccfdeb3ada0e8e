"""Shorter LLVM code for what kernels do most: variables, calls, and the elements of arrays.

Numba writes general code and lets LLVM find out what is not needed: it clears every variable, counts references in what
holds none, and takes thirty instructions for an element of an array. To write, read and remove them is a good part of
a cold start. The code here does the same; what LLVM makes of it is the same machine code.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from llvmlite import ir as llvm_ir
from numba.core import cgutils, ir, lowering, types
from numba.core.callconv import RETCODE_NONE, RETCODE_OK, CPUCallConv
from numba.core.lowering import Lower
from numba.core.runtime.context import NRTContext

_may_catch = True
"""Whether the function that is being lowered may catch an exception."""


def _lower(self: Any) -> None:
    """Note whether a function can catch exceptions: its table of exceptions is empty otherwise."""
    global _may_catch
    before, _may_catch = _may_catch, bool(self.func_ir.func_id.code.co_exceptiontable)
    try:
        _stock_lower(self)
    finally:
        _may_catch = before


# --- Variables ------------------------------------------------------------------------------------------------------


def _is_counted(context: Any, kind: Any) -> bool:
    """Return whether values of a type hold references that are counted; an array within a record never does."""
    found = counted.get(kind)
    if found is None:
        is_within = isinstance(kind, types.NestedArray)
        found = counted[kind] = not is_within and context.data_model_manager[kind].contains_nrt_meminfo()
    return found


counted: dict[Any, bool] = {}


def _needs_stock(self: Any, name: str) -> bool:
    return self._disable_sroa_like_opt or _is_counted(self.context, self.typeof(name))


def _allocate(self: Any, name: str, kind: Any, datamodel: Any = None) -> Any:
    """Do not ask LLVM for the size of a variable, which only a debugger needs to know."""
    if self.flags.debuginfo:
        return _stock_allocate(self, name, kind, datamodel=datamodel)
    return cgutils.alloca_once(self.builder, kind, name=name)


def _store_variable(self: Any, value: Any, name: str, argidx: int | None = None) -> None:
    """Do not look at what the variable held before, if that holds no references."""
    if argidx is not None or _needs_stock(self, name):
        _stock_store_variable(self, value, name, argidx=argidx)
    elif name in self._singly_assigned_vars:
        self._blk_local_varmap[name] = value
    else:
        self.builder.store(value, self.getvar(name))


def _delete_variable(self: Any, name: str) -> None:
    """Leave a variable as it is, if it holds no references."""
    if _needs_stock(self, name):
        _stock_delete_variable(self, name)
    elif name not in self._blk_local_varmap:
        self._singly_assigned_vars.discard(name)


def _add_reference(self: Any, kind: Any, value: Any) -> None:
    if _is_counted(self.context, kind):
        _stock_incref(self, kind, value)


def _drop_reference(self: Any, kind: Any, value: Any) -> None:
    if _is_counted(self.context, kind):
        _stock_decref(self, kind, value)


def _references(self: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """List the references in *value*, without taking apart what holds none."""
    if not _is_counted(self._context, kind):
        return []
    model = self._context.data_model_manager[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for part, get in model.traverse(builder):
        if _is_counted(self._context, part):
            found += _references(self, builder, part, get(value))
    return found


def _proxy(self: Any, context: Any, builder: Any, value: Any = None, ref: Any = None) -> None:
    """Do not clear the place of a structure whose value is given."""
    if value is not None and ref is None and type(self)._make_refs is cgutils._StructProxy._make_refs:
        with builder.goto_entry_block():
            ref = builder.alloca(value.type)
    _stock_proxy(self, context, builder, value, ref)


# --- Calls ----------------------------------------------------------------------------------------------------------


class _Status:
    """What a call returned. Only what somebody asks for is found out."""

    def __init__(self, builder: Any, code: Any, error: Any) -> None:
        self.builder, self.code, self.excinfoptr = builder, code, error

    @cached_property
    def is_error(self) -> Any:
        """Whether the call failed."""
        not_ok, not_none = (self.builder.icmp_signed("!=", self.code, code) for code in (RETCODE_OK, RETCODE_NONE))
        return self.builder.and_(not_ok, not_none)

    def __getattr__(self, name: str) -> Any:
        """Return what hardly anybody asks for, as Numba finds it out."""
        return getattr(_stock_status(None, self.builder, self.code, self.excinfoptr), name)


def _status(self: Any, builder: Any, code: Any, error: Any) -> _Status:
    return _Status(builder, code, error)


def _call_function(
    self: Any, builder: Any, callee: Any, result: Any, kinds: Any, args: Any, attrs: Any = ()
) -> tuple[Any, Any]:
    """Clear the places of a call's result and error before the call, not where the calling function begins.

    Most functions return before they come to their rarest calls.
    """
    if isinstance(attrs, str):
        attrs = attrs.split()
    places = [_place(builder, argument.pointee) for argument in callee.function_type.args[:2]]
    packed = self._get_arg_packer(kinds).as_arguments(builder, args)
    code = builder.call(callee, [*places, *packed], attrs=tuple(attrs or ()))
    status = self._get_return_status(builder, code, builder.load(places[1]))
    return status, self.context.get_returned_value(builder, result, builder.load(places[0]))


def _place(builder: Any, kind: Any) -> Any:
    """Return a cleared place for a value on the stack."""
    with builder.goto_entry_block():
        place = builder.alloca(kind)
    builder.store(kind(None), place)
    return place


def _pass_on(self: Any, builder: Any, status: Any) -> None:
    """Return the error of a call to the caller, at once if the function catches none."""
    if _may_catch:
        _stock_pass_on(self, builder, status)
        return
    builder.store(status.excinfoptr, self._get_excinfo_argument(builder.function))
    self._return_errcode_raw(builder, status.code)


# --- Elements of arrays ---------------------------------------------------------------------------------------------

_INDEXES = (types.int64, types.uint64)


def _is_simple(context: Any, array: Any, index: Any) -> bool:
    """Return whether *index* finds a number in an array of one dimension without gaps."""
    return (
        isinstance(array, types.Array)
        and array.ndim == 1
        and array.layout == "C"
        and array.aligned
        and isinstance(array.dtype, types.Integer | types.Float)
        and index in _INDEXES
        and not context.enable_boundscheck
    )


def _element(self: Any, kind: Any, array: Any, index_kind: Any, index: Any) -> Any:
    """Return where an element of an array is; negative indexes count from the end."""
    builder, model = self.builder, self.context.data_model_manager[kind]
    if index_kind.signed and not (isinstance(index, llvm_ir.Constant) and index.constant >= 0):
        length = builder.extract_value(model.get(builder, array, "shape"), 0)
        is_negative = builder.icmp_signed("<", index, index.type(0))
        index = builder.select(is_negative, builder.add(index, length), index)
    return builder.gep(model.get(builder, array, "data"), [index])


def _get_item(self: Any, kind: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
    array, at = signature.args
    if not _is_simple(self.context, array, at) or signature.return_type != array.dtype:
        return _stock_get_item(self, kind, expr, value, index, signature)
    place = _element(self, array, self.loadvar(value.name), at, _cast(self, index, at))
    found = self.context.unpack_value(self.builder, array.dtype, place)
    return self.context.cast(self.builder, found, signature.return_type, kind)


def _set_item(self: Any, target: Any, index: Any, value: Any, signature: Any) -> Any:
    array, at, _ = signature.args
    if not (self.typeof(target.name) == array and _is_simple(self.context, array, at)):
        return _stock_set_item(self, target, index, value, signature)
    place = _element(self, array, self.loadvar(target.name), at, _cast(self, index, at))
    self.context.pack_value(self.builder, array.dtype, _cast(self, value, array.dtype), place)
    return None


def _cast(self: Any, variable: Any, kind: Any) -> Any:
    return self.context.cast(self.builder, self.loadvar(variable.name), self.typeof(variable.name), kind)


def _literal(value: Any) -> Any:
    """Return the type of a constant operand; Numba makes one of "there is none" three times for each operation."""
    return None if value is ir.UNDEFINED else _stock_literal(value)


_stock_lower = Lower.lower
_stock_allocate = Lower.alloca_lltype
_stock_store_variable = Lower.storevar
_stock_delete_variable = Lower.delvar
_stock_incref, _stock_decref = Lower.incref, Lower.decref
_stock_proxy = cgutils._StructProxy.__init__
_stock_status = CPUCallConv._get_return_status
_stock_pass_on = CPUCallConv.return_status_propagate
_stock_get_item, _stock_set_item = Lower.lower_getitem, Lower.lower_setitem
_stock_literal = lowering._lit_or_omitted
REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (Lower, "lower", _lower),
    (Lower, "alloca_lltype", _allocate),
    (Lower, "storevar", _store_variable),
    (Lower, "delvar", _delete_variable),
    (Lower, "incref", _add_reference),
    (Lower, "decref", _drop_reference),
    (NRTContext, "get_meminfos", _references),
    (cgutils._StructProxy, "__init__", _proxy),
    (CPUCallConv, "_get_return_status", _status),
    (CPUCallConv, "call_function", _call_function),
    (CPUCallConv, "return_status_propagate", _pass_on),
    (Lower, "lower_getitem", _get_item),
    (Lower, "lower_setitem", _set_item),
    (lowering, "_lit_or_omitted", _literal),
)
