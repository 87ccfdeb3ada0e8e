"""Start one outside agent's process with as few rights as the kernel allows, and end everything it started.

Run as a script (``python -I -S supervisor.py FD``), it imports nothing but the standard library and reads what to do as
JSON from the file descriptor, so that no command line tells anything. It stays between the referee and the agent: when
the agent ends, the referee ends or asks for it (SIGTERM), every process that the agent has started is killed and the
scratch folder is removed. Each measure is tried by itself; what worked is listed. ``rummylab.arena.sandbox`` is the
referee's side.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Final, NoReturn

SESSION, PROCESSES, NETWORK, TCP, FILES, READS, LIMITS, COUNT, SIGNALS = (
    "own session",
    "other processes hidden",
    "no network",
    "no TCP",
    "read-only files",
    "only its own and the system's files readable",
    "limits on memory, CPU, files",
    "limit on processes",
    "no signals to others",
)
MEASURES: Final = (SESSION, LIMITS, COUNT, NETWORK, FILES, READS, PROCESSES, SIGNALS)
MEMORY: Final = 4 << 30
FILE_SIZE: Final = 64 << 20
OPEN_FILES: Final = 512
MAX_PROCESSES: Final = 64
_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
_PARENT_CHECK: Final = 0.5
"""Seconds between checks that our parent lives, where the kernel does not signal its death."""
_NEW_USER, _NEW_PID = 0x10000000, 0x20000000
_NAMESPACES: Final = {"mount": 0x00020000, NETWORK: 0x40000000, "ipc": 0x08000000, "uts": 0x04000000}
_LINUX: Final = sys.platform == "linux"
_libc: Any = ctypes.CDLL(None, use_errno=True) if _LINUX else None


def call(function: str, *arguments: Any) -> int:
    """Call a function of the C library; raise ``OSError`` where there is none or it fails."""
    if not _LINUX:
        raise OSError(f"{function}: not on {sys.platform}")
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = int(getattr(_libc, function)(*words))
    if result < 0:
        raise OSError(ctypes.get_errno(), function)
    return result


# --- The processes ------------------------------------------------------------------------------------------------


def main(config: dict[str, Any]) -> NoReturn:
    """Start the agent and stay until it, or the referee, is gone."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_ENDING, signal.SIGCHLD})
    parent = os.getppid()
    _die_with_parent(signal.SIGTERM)
    if parent != config["parent"]:
        os._exit(1)
    with suppress(OSError):
        call("prctl", 36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans of the agent become our children
    scratch = os.path.join(config["tmp"], f"rummylab-{os.urandom(8).hex()}")
    os.mkdir(scratch, 0o700)
    group = _new_group() if config["confine"] else None
    done = _new_processes() if config["confine"] else []
    _die_with_parent(signal.SIGTERM)  # a change of rights resets it
    child = os.fork()
    if child == 0:
        _guarded(lambda: _prepare(config, scratch, group, done))
        _guarded(lambda: _become_agent(config, scratch, done))
    _let_go_of_pipes()
    code = _watch(child, parent)
    _end_everybody(child)
    _remove(scratch)
    if group is not None:
        with suppress(OSError):
            os.rmdir(group)
    os._exit(code)


def _guarded(step: Callable[[], None]) -> None:
    """Run *step* in a child; any error ends the child with a line on stderr."""
    try:
        step()
    except BaseException as error:  # noqa: BLE001 - a fork must not run on into its parent's code
        with suppress(OSError):
            os.write(2, f"cannot be started: {error}\n".encode())
        os._exit(127)


def _prepare(config: dict[str, Any], scratch: str, group: str | None, done: list[str]) -> None:
    """Separate from the referee's resources, and return in the process that becomes the agent.

    Where there is a namespace for processes we are number 1 of it and stay: whatever is in it ends with us.
    """
    _die_with_parent(signal.SIGKILL)
    if group is not None:
        with suppress(OSError):
            _write(os.path.join(group, "cgroup.procs"), "0")
            done.append(COUNT)
    if config["confine"]:
        _leave_namespaces(done)
        _mount(config, scratch, done)
    if "pid" not in done:
        return
    agent = os.fork()
    if agent == 0:
        return
    _let_go_of_pipes()
    while True:
        pid, status = os.wait()
        if pid == agent:
            os._exit(_code(status))


def _become_agent(config: dict[str, Any], scratch: str, done: list[str]) -> None:
    os.setsid()
    done.append(SESSION)
    _die_with_parent(signal.SIGKILL)
    if config["confine"]:
        _limit(config["cpu"], done)
        _drop_capabilities()
        _restrict(config, scratch, done)
    os.chdir(scratch)
    os.umask(0o077)
    environment = config["environment"] | {"HOME": scratch, "TMPDIR": scratch, "NUMBA_CACHE_DIR": scratch}
    for number in (signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if not config["command"]:  # a trial
        os.write(1, "\n".join(name for name in (*MEASURES, TCP) if name in done).encode())
        os._exit(0)
    os.execvpe(config["command"][0], config["command"], environment)


def _watch(child: int, parent: int) -> int:
    """Wait for the end of *child*, or for a reason to end it; return the exit code to pass on."""
    while os.getppid() == parent:
        told = _next_signal()
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == child:
                    return _code(ended[1])
        if told in _ENDING:
            break
    return 128 + signal.SIGTERM


def _next_signal() -> int | None:
    if hasattr(signal, "sigtimedwait"):
        told = signal.sigtimedwait({*_ENDING, signal.SIGCHLD}, _PARENT_CHECK)
        return None if told is None else told.si_signo
    import time

    time.sleep(_PARENT_CHECK / 10)
    return next(iter(signal.sigpending() & set(_ENDING)), None)


def _end_everybody(child: int) -> None:
    """Kill *child*, its group and whatever was handed to us when its own parent ended."""
    for end in (os.kill, os.killpg):
        with suppress(ProcessLookupError, PermissionError):
            end(child, signal.SIGKILL)
    for _ in range(1000):
        for pid in _children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _die_with_parent(number: int) -> None:
    with suppress(OSError):
        call("prctl", 1, int(number), 0, 0, 0)  # PR_SET_PDEATHSIG


def _let_go_of_pipes() -> None:
    """Leave the agent's pipes to the agent, so that their end is its end."""
    nothing, nowhere = os.pipe()  # there may be no /dev/null
    for number, end in enumerate((nothing, nowhere, nowhere)):
        os.dup2(end, number)
    os.closerange(3, OPEN_FILES)


def _remove(folder: str) -> None:
    """Remove a folder and its contents, including folders that cannot be listed."""
    for place, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(place, name)
            if not os.path.islink(path):
                with suppress(OSError):
                    os.chmod(path, 0o700)
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            with suppress(OSError):
                os.unlink(os.path.join(place, name))
        for name in folders:
            path = os.path.join(place, name)
            with suppress(OSError):
                os.unlink(path) if os.path.islink(path) else os.rmdir(path)
    with suppress(OSError):
        os.rmdir(folder)


# --- Namespaces and mounts ----------------------------------------------------------------------------------------


def _new_processes() -> list[str]:
    """Give our children a process namespace; without root, this needs a user namespace too."""
    with suppress(OSError):
        if os.geteuid() != 0:
            uid, gid = os.getuid(), os.getgid()
            call("unshare", _NEW_USER)
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                _write(f"/proc/self/{name}", text)
        call("unshare", _NEW_PID)
        return ["pid"]
    return []


def _leave_namespaces(done: list[str]) -> None:
    for name, flag in _NAMESPACES.items():
        with suppress(OSError):
            call("unshare", flag)
            done.append(name)


def _mount(config: dict[str, Any], scratch: str, done: list[str]) -> None:
    """Make everything but the scratch folder read-only, and hide other processes and secret files."""
    if "mount" not in done:
        return
    recursive, private, bind, tight = 0x4000, 1 << 18, 0x1000, 0x2 | 0x4 | 0x8  # nosuid, nodev, noexec
    with suppress(OSError):
        call("mount", None, b"/", None, recursive | private, None)
        for path in config["hidden"]:
            with suppress(OSError):
                call("mount", b"/dev/null", os.fsencode(path), None, bind, None)
        attributes = struct.pack("<QQQQ", 1 | 2, 0, 0, 0)  # read-only, nosuid
        call("syscall", 442, -100, b"/", 0x8000, attributes, len(attributes))  # mount_setattr, recursive
        call("mount", b"scratch", os.fsencode(scratch), b"tmpfs", 0x2 | 0x4, f"size={FILE_SIZE},mode=700".encode())
        done.append(FILES)
    if "pid" in done:
        try:
            call("mount", b"proc", b"/proc", b"proc", tight, None)
            done += [PROCESSES, SIGNALS]
        except OSError:
            with suppress(OSError):
                call("mount", b"none", b"/proc", b"tmpfs", tight | 1, b"size=0")
                done += [PROCESSES, SIGNALS]


# --- Limits -------------------------------------------------------------------------------------------------------


def _limit(cpu: int, done: list[str]) -> None:
    import resource  # not on every system, and the referee imports this module

    limits = {"CORE": 0, "FSIZE": FILE_SIZE, "NOFILE": OPEN_FILES, "AS": MEMORY, "CPU": cpu}
    if os.geteuid() != 0:
        limits["NPROC"] = MAX_PROCESSES + _processes_of_ours()
    reached = [name for name, limit in limits.items() if _set_limit(getattr(resource, f"RLIMIT_{name}"), limit)]
    if {"FSIZE", "AS", "CPU"} <= set(reached):
        done.append(LIMITS)
    if "NPROC" in reached and COUNT not in done:
        done.append(COUNT)


def _set_limit(what: int, limit: int) -> bool:
    import resource

    hard = resource.getrlimit(what)[1]
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    try:
        resource.setrlimit(what, (limit, limit))
    except (OSError, ValueError):
        return False
    return True


def _processes_of_ours() -> int:
    """Return the number of threads of this user, which the kernel limits together."""
    total, uid = 0, os.getuid()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == uid:
                total += len(os.listdir(f"/proc/{name}/task"))
    return total


def _new_group() -> str | None:
    """Return a control group with a limit on processes: root is not bound by the limit of a user."""
    if not _LINUX or os.geteuid() != 0:
        return None
    for root in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"):
        group = os.path.join(root, f"rummylab-{os.getpid()}-{os.urandom(4).hex()}")
        if not os.path.exists(os.path.join(root, "cgroup.procs")):
            continue
        with suppress(OSError):
            os.mkdir(group)
            try:
                _write(os.path.join(group, "pids.max"), str(MAX_PROCESSES))
                return group
            except OSError:
                os.rmdir(group)
    return None


def _drop_capabilities() -> None:
    """Drop all of root's capabilities but reading files, which ``_restrict`` confines."""
    with suppress(OSError):
        for number in range(64):
            if number != 2:  # CAP_DAC_READ_SEARCH
                call("prctl", 24, number, 0, 0, 0)  # PR_CAPBSET_DROP
    with suppress(OSError):
        kept = 1 << 2 if os.geteuid() == 0 else 0
        call("capset", struct.pack("<II", 0x20080522, 0), struct.pack("<IIIIII", kept, kept, kept, 0, 0, 0))


# --- Landlock -----------------------------------------------------------------------------------------------------

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
_READ: Final = _EXECUTE | _READ_FILE | _READ_DIR
_ON_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_OF_PROC: Final = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm/overcommit_memory")
_MAX_ENTRIES: Final = 5000


def _restrict(config: dict[str, Any], scratch: str, done: list[str]) -> None:
    """Confine this process by Landlock: read what it may read, write to the scratch folder, connect nowhere."""
    with suppress(OSError):
        call("prctl", 38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        version = call("syscall", 444, None, 0, 1)
        files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
        net, scope = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
        attributes = struct.pack("<QQQ", files, net, scope)[: 8 if version < 4 else 16 if version < 6 else 24]
        ruleset = call("syscall", 444, attributes, len(attributes), 0)
        _allow(ruleset, scratch, files)
        for path in _DEVICES:
            _allow(ruleset, path, files & (_READ_FILE | _WRITE_FILE | _IOCTL))
        for path in ("/proc",) if PROCESSES in done else (*_OF_PROC, "/proc/self"):
            _allow(ruleset, path, _READ)
        for path, access in visible(config["readable"], config["hidden"]):
            _allow(ruleset, path, access)
        call("syscall", 446, ruleset, 0)  # landlock_restrict_self
        os.close(ruleset)
        gained = [READS, FILES, PROCESSES, *([SIGNALS] if scope else [])]
        gained += [TCP] if net and NETWORK not in done else []
        done += [name for name in gained if name not in done]


def visible(readable: Iterable[str], hidden: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield what may be read: *readable* paths, around the *hidden* ones and all whose names start like these."""
    secrets = [os.path.realpath(path) for path in hidden]
    queue = [os.path.realpath(path) for path in readable]
    while queue:
        path = queue.pop()
        if any(path.startswith(secret) for secret in secrets):
            continue
        if not any(secret.startswith(os.path.join(path, "")) for secret in secrets):
            yield path, _READ
            continue
        yield path, _READ_DIR
        with suppress(OSError), os.scandir(path) as entries:
            queue += [entry.path for entry in islice(entries, _MAX_ENTRIES) if not entry.is_symlink()]


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = struct.pack("<Qi", access if os.path.isdir(path) else access & _ON_FILES, place)
        call("syscall", 445, ruleset, 1, rule, 0)  # landlock_add_rule
    finally:
        os.close(place)


if __name__ == "__main__":
    with open(int(sys.argv[1]), "rb") as file:
        orders = file.read()
    main(json.loads(orders))
