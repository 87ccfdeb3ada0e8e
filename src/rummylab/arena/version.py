"""Which code made a result."""

from __future__ import annotations

import hashlib
from functools import cache

from rummylab import __version__
from rummylab._jit import PACKAGE

_FRONT_ENDS = ("cli", "play", "interop")
_KINDS = (".py", ".json", ".toml", ".safetensors", ".npz")


@cache
def code_version() -> str:
    """Return what results depend on besides their configuration: the release and a hash of sources and artifacts."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in PACKAGE.rglob("*") if path.suffix in _KINDS):
        if path.relative_to(PACKAGE).parts[0] not in _FRONT_ENDS:
            digest.update(str(path.relative_to(PACKAGE)).encode())
            digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()}"
