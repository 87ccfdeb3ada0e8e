"""The built front end: static files with the right type, compression and caching."""

from __future__ import annotations

import gzip
import mimetypes
from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse, Response

from rummylab.ui.web.answers import error

STATIC: Final = Path(__file__).with_name("static")
MISSING: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rummylab</title></head><body>
<h1>The page is not built</h1><p>The server runs, but the files of the front end are missing. In a checkout, run
<code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>. The HTTP interface works without them: see
<a href="/openapi.json">its schema</a>.</p></body></html>"""
TYPES: Final = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
    ".html": "text/html",
    ".json": "application/json",
}


def static_file(request: Request, path: str, folder: Path = STATIC) -> Response:
    """Return a file of the front end; routes of the page itself get its first page."""
    name = path.strip("/")
    is_route = "." not in name.rpartition("/")[2]
    file = (folder / (name or "index.html")).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        if not is_route:
            return error(404, "not_found", "There is no such file.")
        file = folder / "index.html"
    if not file.is_file():
        return HTMLResponse(MISSING, 503)
    kind = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    keep = "public, max-age=31536000, immutable" if name.startswith("assets/") else "no-cache"
    headers = {"cache-control": keep, "vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", "") and file.suffix in TYPES and file.suffix != ".woff2":
        body = compressed(file, file.stat().st_mtime_ns)
        return Response(body, media_type=kind, headers={**headers, "content-encoding": "gzip"})
    return Response(file.read_bytes(), media_type=kind, headers=headers)


@lru_cache(maxsize=256)
def compressed(file: Path, changed: int) -> bytes:
    """Return a file compressed; *changed* is its time of change, so that a rebuilt page is compressed again."""
    return gzip.compress(file.read_bytes(), mtime=0)
