"""Break the papers' sentences one by one in a copy of the repository, and see whether a test notices each.

    python tests/mutations.py                 # all of tests/mutations.toml
    python tests/mutations.py --only discard  # those whose sentence, file or test has the word

A sentence is *killed* when its test passes on the code as it is, and fails on an assertion when the code is changed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_suffix(".toml")
_COPIED = ("src", "tests", "docs", "examples", "pyproject.toml")
_NOTICED = re.compile(r"^E\s+(?:assert |AssertionError|Failed: DID NOT RAISE)", re.MULTILINE)


class Mutation(NamedTuple):
    """A sentence, a change of the code that breaks it, and the test that must fail then."""

    sentence: str
    file: str
    changes: tuple[tuple[str, str], ...]
    test: str

    def apply(self, text: str) -> str:
        """Return the changed *text*; raise ValueError unless each passage occurs exactly once."""
        for old, new in self.changes:
            if text.count(old) != 1:
                raise ValueError(f"{self.file} has {text.count(old)} times: {old}")
            text = text.replace(old, new)
        return text


def mutations() -> list[Mutation]:
    """Return the table."""
    entries = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutation"]
    return [
        Mutation(
            e["sentence"], e["file"], ((e["old"], e["new"]), *([tuple(e["also"])] if "also" in e else [])), e["test"]
        )
        for e in entries
    ]


class Copy:
    """A copy of the repository with a compiler cache of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        for name in _COPIED:
            source, target = ROOT / name, place / name
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)

    def run(self, tests: list[str]) -> subprocess.CompletedProcess[str]:
        """Run *tests* in the copy."""
        (self.place / "cache").mkdir(mode=0o700, exist_ok=True)
        env = {**os.environ, "PYTHONPATH": str(self.place / "src"), "RUMMYLAB_CACHE": str(self.place / "cache")}
        where = [str(self.place / "tests" / "papers" / test) for test in tests]
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *where]
        return subprocess.run(command, cwd=self.place, env=env, capture_output=True, text=True, check=False)

    def verdict(self, mutation: Mutation) -> str:
        """Return what the test says of the mutated code: killed, survived, or why neither."""
        path = self.place / "src" / "rummylab" / mutation.file
        source, dates = path.read_text(encoding="utf-8"), path.stat()
        try:
            path.write_text(mutation.apply(source), encoding="utf-8")
            done = self.run([mutation.test])
        finally:
            path.write_text(source, encoding="utf-8")
            os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))  # so that the compiled code is found again
        if done.returncode == 0:
            return "SURVIVED"
        return "killed" if done.returncode == 1 and _NOTICED.search(done.stdout) else f"BROKEN\n{done.stdout[-2000:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a word of the sentence, the file or the test")
    parser.add_argument("--copy", type=Path, help="where to put the copy, to keep its compiled code")
    options = parser.parse_args()
    chosen = [m for m in mutations() if options.only in f"{m.sentence} {m.file} {m.test}"]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        copy = Copy(options.copy or Path(temporary))
        done = copy.run(sorted({mutation.test for mutation in chosen}))
        if done.returncode:
            print(done.stdout[-4000:], "the tests fail before anything is changed", sep="\n")
            return 1
        verdicts = []
        for mutation in chosen:
            verdicts.append(copy.verdict(mutation))
            print(f"{verdicts[-1]}: {mutation.sentence}\n    {mutation.test}", flush=True)
    killed = verdicts.count("killed")
    print(f"{killed} of {len(verdicts)} mutations killed in {time.monotonic() - began:.0f} s")
    return killed < len(verdicts)


if __name__ == "__main__":
    sys.exit(main())
