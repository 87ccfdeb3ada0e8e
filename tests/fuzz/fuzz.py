"""Run mutated inputs through every target: ``python tests/fuzz/fuzz.py --inputs 20000 --seed 1``.

An input fails if it raises anything but a `RummyError`, takes more than ten seconds of processor time, or needs more
than 500 MB. It is kept in ``tests/fuzz/failures``; once it is mended, it belongs into the corpus.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import hashlib
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from corruption import mutated
from targets import CORPUS, TARGETS, inputs

SECONDS = 10.0
MEGABYTES = 500
FAILURES = CORPUS.parent / "failures"


class TooSlowError(BaseException):
    """An input took longer than it may."""


def _alarm(signum: int, frame: object) -> None:
    raise TooSlowError(f"more than {SECONDS:g} s")


def _peak_mb(*, reset: bool = False) -> float:
    """Return the largest memory of this process since the last reset, in MB."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text()
    except OSError:  # not Linux: the peak of the whole run
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def problem_of(target: str, data: bytes, scratch: Path) -> str:
    """Return what is wrong with what *target* makes of *data*; nothing if all is well."""
    before = _peak_mb(reset=True)
    faulthandler.dump_traceback_later(12 * SECONDS, exit=True)  # for what waits, or never comes back to Python
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        TARGETS[target](data, scratch)
    except (Exception, TooSlowError):  # noqa: BLE001 - that is what we look for
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
    used = _peak_mb() - before
    return f"needed {used:.0f} MB" if used > MEGABYTES else ""


def fuzz(target: str, n: int, seed: int, scratch: Path) -> tuple[int, dict[str, bytes], float]:
    """Run *n* inputs; return how many failed, one input for each kind of failure, and the longest time."""
    corpus = inputs(target)
    for data in corpus:  # compiles what is needed
        with contextlib.suppress(Exception):
            TARGETS[target](data, scratch)
    found: dict[str, bytes] = {}
    failed, longest = 0, 0.0
    for number in range(n):
        rng = random.Random(f"{target} {seed} {number}")
        data = corpus[number] if number < len(corpus) else mutated(rng.choice(corpus), corpus, rng)
        began = time.process_time()
        problem = problem_of(target, data, scratch)
        longest = max(longest, time.process_time() - began)
        if problem:
            failed += 1
            lines = [line for line in problem.strip().splitlines() if line.startswith("  File")]
            kind = (lines[-1] if lines else "") + problem.strip().splitlines()[-1][:60]
            if kind not in found:
                found[kind] = data
                sys.stdout.write(f"--- {target}, input {number}: {data[:200]!r}\n{problem[-1500:]}\n")
    return failed, found, longest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    arguments = parser.parse_args()
    names = arguments.target or list(TARGETS)
    signal.signal(signal.SIGPROF, _alarm)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    total, bad = 0, 0
    with tempfile.TemporaryDirectory() as place:
        for name in names:
            n = arguments.inputs // len(names)
            began = time.perf_counter()
            failed, found, longest = fuzz(name, n, arguments.seed, Path(place))
            for data in found.values():
                FAILURES.mkdir(exist_ok=True)
                (FAILURES / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}").write_bytes(data)
            took = time.perf_counter() - began
            sys.stdout.write(f"{name:16s}{n:7,} inputs{failed:6,} failed  {took:6.0f} s, longest {longest:.2f} s\n")
            total, bad = total + n, bad + failed
    sys.stdout.write(f"{total:,} inputs, {bad:,} failed\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
