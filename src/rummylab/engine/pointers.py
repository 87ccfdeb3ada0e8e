"""Compiled agents by their addresses.

Handing a compiled function to a kernel costs Numba a tenth of a millisecond a call; a pair of addresses costs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.experimental.function_type import _get_jit_address, _get_wrapper_address
from numba.extending import intrinsic


def addresses(act: Any, signature: Any) -> npt.NDArray[np.int64]:
    """Return where the machine code of *act* is: through C, and as Numba calls it. Keep *act* as long as it is used."""
    found = _get_wrapper_address(act, signature), _get_jit_address(act, signature)  # type: ignore[no-untyped-call]
    return np.array(found, np.int64)


def function_at(signature: Any) -> Any:
    """Return the intrinsic that turns two addresses into a function of *signature*."""
    kind = types.FunctionType(signature)  # type: ignore[no-untyped-call]

    def _function_at(typingctx: Any, through_c: Any, direct: Any) -> Any:
        def codegen(context: Any, builder: Any, _: Any, args: Any) -> Any:
            made = cgutils.create_struct_proxy(kind)(context, builder)  # type: ignore[no-untyped-call]
            made.c_addr = builder.inttoptr(args[0], cgutils.voidptr_t)
            made.py_addr = cgutils.get_null_value(cgutils.voidptr_t)  # type: ignore[no-untyped-call]
            made.jit_addr = builder.inttoptr(args[1], cgutils.voidptr_t)
            return made._getvalue()

        return kind(types.int64, types.int64), codegen

    return intrinsic(_function_at)
