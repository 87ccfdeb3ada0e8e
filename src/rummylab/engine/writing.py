"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write *data* to *path*; whoever looks meanwhile sees the old file or the new one.

    A device or a pipe (``/dev/null``, ``/dev/stdout``) is written to: it must not be replaced by a file.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    os.replace(part, path)
