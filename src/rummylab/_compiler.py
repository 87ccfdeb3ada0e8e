"""How kernels and helpers pass through Numba's compiler.

Numba makes machine code of every function that it compiles, and optimizes it together with everything it calls, at each
level of the call tree. Here only kernels that Python calls become machine code. A helper stays LLVM code, neither
optimized nor linked; the kernel that absorbs it links every helper once and is optimized as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.errors import new_error_context
from numba.core.typed_passes import (
    AnnotateTypes,
    DumpParforDiagnostics,
    NativeLowering,
    NoPythonSupportedFeatureValidation,
)
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    WithLifting,
)

_FOR_PEOPLE = (AnnotateTypes, DumpParforDiagnostics)
"""Passes that prepare reports nobody asks for."""
_FOR_SPECIAL_CODE = (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    NoPythonSupportedFeatureValidation,
    WithLifting,
)
"""Passes for inner functions, comprehensions, ``with`` and the like, which our kernels do not use."""


# --- Libraries: where LLVM code collects ----------------------------------------------------------------------------


class _HelperLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The LLVM code of one helper, without that of the helpers it calls."""

    _final_module: Any
    _shared_module: Any

    def _optimize_functions(self, module: Any) -> None:
        """Leave the code as it is: the kernel that links it is optimized as a whole."""

    def add_llvm_module(self, module: Any) -> None:
        if any(self._final_module.functions):
            self._final_module.link_in(module)
        else:
            self._final_module = module

    def finalize(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # several kernels may hold it, and unused code may go
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the code together with all it calls, for functions that stock Numba compiles."""
        if self._shared_module is None:
            first, *rest = _with_all_they_call([self])
            self._shared_module = _own_module(first).clone()
            for library in rest:
                self._shared_module.link_in(_own_module(library), preserve=True)
        return self._shared_module


class _KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel, which links each helper once however many others call it."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        self._linking_libraries = [_Alone(library) for library in _with_all_they_call(self._linking_libraries)]
        super().finalize()
        self._linking_libraries = []

    def _verify_declare_only_symbols(self) -> None:
        """Raise unless every function is there: a call of one that is not would end the process.

        Numba looks for its own functions only.
        """
        missing = [code.name for code in self._final_module.functions if code.is_declaration]
        if missing := [name for name in missing if name.startswith("_ZN")]:
            raise AssertionError(f"{self.name}: not linked: {', '.join(missing)}")


class _Alone:
    """A library as a kernel links it: without what it calls."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self.library, name)

    def _get_module_for_linking(self) -> Any:
        return _own_module(self.library)


def _own_module(library: Any) -> Any:
    return library._final_module if isinstance(library, _HelperLibrary) else library._get_module_for_linking()


def _with_all_they_call(libraries: Iterable[Any]) -> list[Any]:
    """Return *libraries* and the libraries that the helpers among them need, each once, after all that call it.

    The order matters: when LLVM links a module, it leaves out shared code that nothing refers to yet.
    """
    found: dict[Any, None] = {}
    callees_first: list[Any] = []

    def visit(library: Any) -> None:
        if library in found:
            return
        found[library] = None
        library._ensure_finalized()
        for callee in library._linking_libraries if isinstance(library, _HelperLibrary) else ():
            visit(callee)
        callees_first.append(library)

    for library in libraries:
        visit(library)
    return callees_first[::-1]


# --- Passes ---------------------------------------------------------------------------------------------------------


class _Passes(PassManager):  # type: ignore[misc]
    """Numba's passes without a report on each: it would spell out all types at every step."""

    def _runPass(self, index: int, step: Any, state: Any) -> None:
        step.analysis = self._analysis
        with new_error_context("Pass {name}", name=step.name()):
            step.run_initialization(state)
            step.run_pass(state)
            step.run_finalizer(state)


class _NotForPython(dict[Any, Any]):
    """Stand-in for a helper's machine code, by its ``__getitem__``: Numba needs a built-in, one for each version."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __missing__(self, arguments: Any) -> Any:
        raise TypeError(f"{self.name} is a helper: kernels can call it, Python cannot")


@register_pass(mutates_CFG=False, analysis_only=False)
class _Registration(LoweringPass):  # type: ignore[misc]
    """Tell Numba where callers find a helper: under a stand-in of its own, since it has no machine code."""

    _name = "register_helper"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        stand_in = _NotForPython(state.func_id.func_name).__getitem__
        state["cr"] = state["cr"]._replace(cfunc=stand_in)
        state.targetctx.insert_user_function(stand_in, state["cr"].fndesc, [state.library])
        return True


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Compile a kernel to machine code."""

    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [_passes_for(state, is_helper=False)]


class HelperCompiler(CompilerBase):  # type: ignore[misc]
    """Compile a function for other kernels only."""

    def define_pipelines(self) -> list[Any]:
        return [helper_passes(self.state)]


def helper_passes(state: Any) -> Any:
    """Return the passes that make a helper of the function in *state*."""
    state.library = _HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
    state.flags.no_compile = state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
    return _passes_for(state, is_helper=True)


def _passes_for(state: Any, *, is_helper: bool) -> Any:
    """Return the passes for the function in *state*: one list serves all of a kind, since it keeps nothing of them."""
    is_plain = _is_plain(state.func_id)
    known = _known_passes.get((is_helper, is_plain))
    if known is None:
        left_out = _FOR_PEOPLE + (_FOR_SPECIAL_CODE if is_plain else ())
        known = _known_passes[is_helper, is_plain] = _Passes("nopython")
        for step, description in DefaultPassBuilder.define_nopython_pipeline(state).passes:
            if step not in left_out:
                known.add_pass(step, description)
        if is_helper:
            known.add_pass_after(_Registration, NativeLowering)
        known.finalize()
    return known


_known_passes: dict[tuple[bool, bool], Any] = {}


def _is_plain(function: Any) -> bool:
    """Return whether *function* is ours and holds no other: no lambda, no comprehension, no inner function."""
    is_ours = (function.modname or "").startswith("rummylab.")
    return is_ours and not any(isinstance(value, CodeType) for value in function.code.co_consts)
