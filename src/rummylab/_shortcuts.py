"""Shortcuts through Numba's compiler, taken while one of our kernels is compiled.

Most of a cold start is Numba's own Python code, and much of that prepares what nobody reads, or finds out again what it
found out before. The shortcuts give the same machine code; those of :mod:`rummylab._lowering` also leave LLVM less to
remove. They are in force inside :func:`shortcuts` only, under Numba's compiler lock, so that functions of the user's
own are compiled by stock Numba.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core import base, errors, ir, postproc, transforms, types, typing
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from rummylab import _lowering
from rummylab._compiler import helper_passes

_NUMBERS = (types.Number, types.Boolean)
_WITHOUT_VARIABLES = frozenset({ir.Loc, str, int, float, bool, type(None)})
_is_active = False
_known_calls: dict[Any, Any] = {}
_known_attributes: dict[Any, Any] = {}


@contextmanager
def shortcuts() -> Iterator[None]:
    """Compile the shorter way until the block ends."""
    global _is_active
    with global_compiler_lock:
        if _is_active:  # a kernel that another one calls
            yield
            return
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
        collects_garbage = gc.isenabled()
        gc.disable()  # the compiler keeps nearly all it makes
        _is_active = True
        try:
            with _replacing(*_REPLACED):
                yield
        finally:
            _is_active = False
            _known_calls.clear()
            _known_attributes.clear()
            _lowering.counted.clear()
            gc.freeze()  # what is left stays: looking through all of it would take as long as a small kernel
            if collects_garbage:
                gc.enable()


@contextmanager
def _replacing(*replaced: tuple[Any, str, Any]) -> Iterator[None]:
    """Set attributes of objects, each given as object, name and value, until the block ends."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    for owner, name, value in replaced:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def _define_pipelines(self: Any) -> list[Any]:
    """Make helpers of Numba's own functions, such as `max`: they are part of a kernel and never called from Python."""
    state = self.state
    if state.library is None and state.func_id.modname.startswith(("numba.np.", "numba.cpython.")):
        return [helper_passes(state)]
    return list(_stock_pipelines(self))


def _refresh_target(self: Any) -> None:
    """Look for new definitions in the registries that are loaded; importing all modules again finds no others."""
    for registry in self._registries:
        self.install_registry(registry)


def _refresh_typing(self: Any) -> None:
    """Leave out the registries that only Numba's own modules fill; the built-in one is looked at in any case."""


def _get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Remember what an operation on numbers results in: a rule asks for the sum of two integers again and again."""
    if kws or not all(isinstance(kind, _NUMBERS) for kind in args):
        return _stock_call_type(self, context, args, kws)
    key = self, tuple(args)
    if key not in _known_calls:
        _known_calls[key] = _stock_call_type(self, context, args, kws)
    return _known_calls[key]


def _resolve_getattr(self: Any, kind: Any, name: str) -> Any:
    """Remember the types of the fields of a record."""
    if not isinstance(kind, types.Record):
        return _stock_getattr(self, kind, name)
    key = kind, name
    if key not in _known_attributes:
        _known_attributes[key] = _stock_getattr(self, kind, name)
    return _known_attributes[key]


def _post_process(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Leave out which variables are alive where: only generators ask for it at this point."""
    code = self.func_ir
    if code.is_generator:
        _stock_post_process(self, emit_dels, extend_lifetimes)
        return
    code.blocks = transforms.canonicalize_cfg(code.blocks)
    code.variable_lifetime = postproc.VariableLifetime(code.blocks)
    code.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _list_variables(self: Any, value: Any) -> list[Any]:
    """List the variables in *value*, the fields of an instruction, into one list instead of one for each level."""
    found: list[Any] = []
    _collect_variables(value, found)
    return found


def _collect_variables(value: Any, found: list[Any]) -> None:
    kind = type(value)
    if kind is ir.Var:
        found.append(value)
    elif kind in _WITHOUT_VARIABLES:
        return
    elif kind is dict:
        for part in value.values():
            _collect_variables(part, found)
    elif kind is list or kind is tuple:
        for part in value:
            _collect_variables(part, found)
    elif isinstance(value, ir.Inst):
        found += value.list_vars()


def _plain_text(self: Any, text: str, color: Any = None, style: Any = None) -> str:
    """Leave error messages as they are. Numba writes hundreds while it looks for the right version of an operator."""
    return text


_stock_pipelines = Compiler.define_pipelines
_stock_call_type = BaseFunction.get_call_type
_stock_getattr = typing.BaseContext.resolve_getattr
_stock_post_process = postproc.PostProcessor.run
_REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (Compiler, "define_pipelines", _define_pipelines),
    (CPUContext, "load_additional_registries", _refresh_target),
    (typing.Context, "load_additional_registries", _refresh_typing),
    (BaseFunction, "get_call_type", _get_call_type),
    (typing.BaseContext, "resolve_getattr", _resolve_getattr),
    (postproc.PostProcessor, "run", _post_process),
    *_lowering.REPLACED,
    (ir.Inst, "_rec_list_vars", _list_variables),
    (base, "_has_loc", cache(base._has_loc)),
    *(((errors.HighlightColorScheme, "_markup", _plain_text),) if hasattr(errors, "HighlightColorScheme") else ()),
    (llvm.ffi.lib._lock, "_cblist", []),  # nobody measures how long LLVM is locked
)
