"""Machine code on disk: how it is loaded and saved, and what happens to a damaged file.

Every file starts with a checksum of the rest. A file that does not match its checksum is deleted, and the kernel is
recompiled. Where the files are, `_cache_directory.py` decides.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, _Cache
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from rummylab._cache_directory import is_read_only, sentence_of, warn_once

log = logging.getLogger(__name__)

SUFFIX = ".kernel"
_DIGEST_BYTES = 20


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


class _Impl(CompileResultCacheImpl):  # type: ignore[misc]
    """Numba's serialization of machine code, without its choice of a directory."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._locator = self
        self._lineno = function.__code__.co_firstlineno
        self._py_file = function.__code__.co_filename


class KernelCache(_Cache):  # type: ignore[misc]
    """The machine code of one function in *directory*, one file for each signature.

    Numba's own cache keeps an index beside the data, and two processes that compile at once can mix up its entries.
    Here the file name is the index. *key* tells apart functions with the same name and line.
    """

    def __init__(self, function: Callable[..., Any], directory: Path, key: str) -> None:
        self._impl = _Impl(function)
        self._directory = directory
        name = function.__qualname__.replace("<", "").replace(">", "")
        self._name = f"{name}-{function.__code__.co_firstlineno}"
        self._key = key
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(self._directory)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        for path in self._directory.glob(f"{self._name}.*{SUFFIX}"):
            path.unlink(missing_ok=True)

    def _path(self, signature: Any, codegen: Any) -> Path:
        made_for = repr((self._key, signature, codegen.magic_tuple()))
        return self._directory / f"{self._name}.{_digest(made_for.encode()).hex()}{SUFFIX}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for *sig*, or None if it is not there or its file is damaged.

        Stock Numba first loads everything that its compiler needs. Machine code needs the runtime only, and a
        compilation loads the rest in any case.
        """
        rtsys.initialize(target_context)
        if not self._enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if _digest(data[_DIGEST_BYTES:]) == data[:_DIGEST_BYTES]:
            try:
                return self._impl.rebuild(target_context, pickle.loads(data[_DIGEST_BYTES:]))
            except Exception as error:  # noqa: BLE001 - recompiling repairs any damage
                log.info("%s: %s", path, error)
        log.info("%s is damaged; it is deleted and the kernel recompiled", path)
        with suppress(OSError):
            path.unlink()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the compiled function *data* for *sig*; a full disk must not stop a game."""
        if not self._enabled or is_read_only() or not self._impl.check_cachable(data):
            return
        path = self._path(sig, data.codegen)
        body = dumps(self._impl.reduce(data))
        try:
            with tempfile.NamedTemporaryFile(dir=self._directory, prefix=".", delete=False) as part:
                part.write(_digest(body) + body)
            os.replace(part.name, path)
        except OSError as error:
            warn_once(f"Compiled code is not kept between runs: {sentence_of(error)}")
