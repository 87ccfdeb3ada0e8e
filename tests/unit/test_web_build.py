"""The browser table that the package ships: built from the sources beside it, small, self-contained."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
STATIC = ROOT / "src" / "rummylab" / "ui" / "web" / "static"
FIRST_PAGE_BYTES = 250_000


def _hash_of_sources() -> str:
    names = sorted(
        path.relative_to(WEB).as_posix() for path in [*(WEB / "src").rglob("*"), WEB / "index.html"] if path.is_file()
    )
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name}\n".encode())
        digest.update((WEB / name).read_bytes())
    return digest.hexdigest()


def test_the_build_is_as_new_as_its_sources() -> None:
    stamp = (STATIC / "sources.sha256").read_text().strip()
    assert stamp == _hash_of_sources(), "web/src has changed since the last build: run make web and commit the result"


def test_the_first_page_is_under_250_kb_compressed() -> None:
    page = (STATIC / "index.html").read_text()
    parts = [STATIC / name.lstrip("/") for name in re.findall(r'(?:src|href)="(/[^"]+)"', page)]
    assert any(part.suffix == ".js" for part in parts)
    total = sum(len(gzip.compress(part.read_bytes())) for part in [STATIC / "index.html", *parts])
    assert total < FIRST_PAGE_BYTES, f"{total} bytes"


def test_the_page_needs_no_other_host_and_no_inline_code() -> None:
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert not re.search(r"<style|\sstyle=|\son\w+=", page)
    for path in [STATIC / "index.html", *STATIC.glob("assets/*")]:
        text = path.read_text(encoding="utf-8")
        hosts = set(re.findall(r"https?://([\w.-]+)", text)) - {
            "www.w3.org",
            "svelte.dev",
        }  # names of namespaces and help pages
        assert not hosts, f"{path.name}: {hosts}"
        assert not re.search(r"\beval\(|new Function\(", text), path.name


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
