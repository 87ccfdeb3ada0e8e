"""Run the processes of outside agents in a session of their own, with as few rights as the kernel allows.

:func:`launch` starts a process under a supervisor (``supervisor.py``). The process sees an empty scratch folder, a
minimal environment, and of the file system what it needs to run. Each measure depends on the kernel;
:func:`achieved` says which work here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import rummylab.arena.supervisor as supervisor
from rummylab._cache_directory import READ_ONLY, cache_root
from rummylab._sources import PACKAGE

SWITCH: Final = "RUMMYLAB_SANDBOX"
"""Environment variable; ``off`` leaves only the session and the supervisor, for agents that need more."""
CPU_SECONDS: Final = 4 * 3600
"""CPU time of one process. ``outside`` starts a fresh one between games long before an honest agent gets there."""
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix", "/gnu", "/snap")
_SYSTEM_FACTS: Final = ("/sys/devices/system", "/sys/fs/cgroup")
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
_FIXED: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUNBUFFERED": "1",
}
_hidden: set[Path] = set()
Process = subprocess.Popen[bytes]


def hide(path: Path) -> None:
    """Keep outside agents that start from now on from reading *path* and the files whose names start like it."""
    _hidden.add(path.resolve())


def hidden() -> frozenset[Path]:
    """Return the hidden paths, which a worker process must hide too."""
    return frozenset(_hidden)


def launch(
    command: Sequence[str],
    *,
    readable: Iterable[str | Path] = (),
    python_path: Sequence[str] = (),
    pass_fds: Sequence[int] = (),
) -> Process:
    """Start *command* as an outside agent, with unbuffered pipes for stdin, stdout and stderr.

    The process returned is the supervisor: terminate it, and all that the outside agent has started ends. Beyond the
    system's files, this package and *python_path*, the outside agent can read the paths *readable*.
    """
    if is_on() and supervisor.PROCESSES not in achieved():
        _protect_memory()
    return _start(command, readable, python_path, pass_fds)


def is_on() -> bool:
    """Return whether outside agents are confined."""
    return os.environ.get(SWITCH, "on") != "off"


@cache
def achieved() -> tuple[str, ...]:
    """Return the measures that work on this machine, found by a trial."""
    child = _start([], (), (), ())
    with suppress(subprocess.TimeoutExpired):
        return tuple(child.communicate(timeout=30)[0].decode().splitlines())
    child.kill()
    return ()


def sentence() -> str:
    """Return one line that says which measures confine outside agents here, and which are missing."""
    if not is_on():
        return f"outside agents: {supervisor.SESSION} only ({SWITCH}=off)"
    found = achieved()
    missing = [name for name in supervisor.MEASURES if name not in found]
    return f"outside agents: {', '.join(found)}" + (f"; not on this machine: {', '.join(missing)}" if missing else "")


def _start(
    command: Sequence[str], readable: Iterable[str | Path], python_path: Sequence[str], pass_fds: Sequence[int]
) -> Process:
    config = {
        "command": list(command),
        "environment": environment(python_path),
        "readable": sorted({*_SYSTEM, *_SYSTEM_FACTS, *_python(), *map(str, readable), *python_path}),
        "hidden": sorted(map(str, _hidden)),
        "tmp": tempfile.gettempdir(),
        "parent": os.getpid(),
        "cpu": CPU_SECONDS,
        "confine": is_on(),
    }
    with tempfile.TemporaryFile() as orders:
        orders.write(json.dumps(config).encode())
        orders.seek(0)
        return subprocess.Popen(
            [sys.executable, "-I", "-S", supervisor.__file__, str(orders.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={},
            cwd="/",
            start_new_session=True,  # Ctrl-C must not reach it
            pass_fds=(*pass_fds, orders.fileno()),
        )


def environment(python_path: Sequence[str] = ()) -> dict[str, str]:
    """Return the environment of an outside agent: of ours, only where programs and machine code are found.

    Outside agents read the compiler cache and never write to it.
    """
    ours = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    code = cache_root()
    kept = {} if code is None else {"RUMMYLAB_CACHE": str(code), READ_ONLY: "1"}
    return {"PATH": os.defpath, **ours, **_FIXED, **kept, "PYTHONPATH": os.pathsep.join(python_path)}


def _python() -> list[str]:
    code = cache_root()
    places = [sys.prefix, sys.base_prefix, sys.exec_prefix, str(PACKAGE.parent), *([] if code is None else [str(code)])]
    return [*places, os.path.realpath(sys.executable)]


@cache
def _protect_memory() -> None:
    """Keep processes of the same user from reading this one's memory and environment."""
    with suppress(OSError):
        supervisor.call("prctl", 4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
