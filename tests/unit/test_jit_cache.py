"""The compiled cache: old machine code never runs, damage is mended, and only this user can write to it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from ast import literal_eval
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import numpy as np
import pytest

import rummylab._cache as cache
import rummylab._jit as jit
from loading import load_module
from rummylab._cache_directory import cache_root, warn_once

CALLEE = "cards/bits.py"


def test_every_package_with_kernels_changes_the_hash(tmp_path: Path) -> None:
    copy = _copy(tmp_path)
    before = jit.source_hash(copy)
    assert before == jit.source_hash(copy)
    kernels = sorted(path for path in copy.rglob("*.py") if path.relative_to(copy).parts[0] not in jit.EDGES)
    for path in {path.parent: path for path in kernels}.values():  # one of each package
        text = path.read_bytes()
        path.write_bytes(text + b"\n# edited\n")
        assert jit.source_hash(copy) != before, path.name
        path.write_bytes(text)
    assert jit.source_hash(copy) == before


def _copy(tmp_path: Path) -> Path:
    copy = tmp_path / "rummylab"
    shutil.copytree(jit.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def _hash_after_edit(copy: Path, edited: str, of: str) -> tuple[str, str]:
    """Return the hash of *of* before and after *edited* is touched."""
    before = jit.kernel_hash(copy / of, copy)
    (copy / edited).write_bytes((copy / edited).read_bytes() + b"\n# edited\n")
    return before, jit.kernel_hash(copy / of, copy)


@pytest.mark.parametrize("edited", ["_jit.py", CALLEE, "cards/melds.py", "games/gin/rules.py"])
def test_editing_what_a_module_imports_directly_or_not_changes_its_hash(tmp_path: Path, edited: str) -> None:
    before, after = _hash_after_edit(_copy(tmp_path), edited, of="games/gin/rules.py")
    assert before != after


def test_editing_one_game_leaves_the_others_compiled(tmp_path: Path) -> None:
    before, after = _hash_after_edit(_copy(tmp_path), "games/indian/rules.py", of="agents/gin/utility.py")
    assert before == after


def test_every_module_a_kernel_module_has_loaded_counts_for_its_hash() -> None:
    """What Python really imports, asked in a fresh process, is what the hash goes by."""
    for module in ("rummylab.games.gin.batch", "rummylab.agents.gin.utility", "rummylab.agents.contract.counter"):
        code = (
            f"import sys, {module}, rummylab._jit as jit; path = sys.modules['{module}'].__file__;"
            "loaded = {m.__file__ for n, m in sys.modules.items() if n.startswith('rummylab.') and m.__file__};"
            "missing = loaded - {str(p) for p in jit.sources_of(jit.Path(path))};"
            "print(sorted(f for f in missing if not f.endswith('__init__.py')))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        # What every game declares, and where the public names are, has no kernels: no machine code depends on it.
        missing = [Path(found) for found in literal_eval(done.stdout)]
        declared = ("spec.py", "options.py", "formats.py", "lookup.py")
        assert all(path.name in declared and not has_kernels(path) for path in missing), module


def has_kernels(path: Path) -> bool:
    return any(word in path.read_text() for word in ("@kernel", "@helper", "njit"))


def test_the_packages_left_out_of_the_hash_have_no_kernels() -> None:
    for path in (path for package in jit.EDGES for path in (jit.PACKAGE / package).rglob("*.py")):
        assert not has_kernels(path), path.name


def test_the_bounds_check_switch_changes_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")
    before = jit.source_hash()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert jit.source_hash() != before


KERNEL = """
from rummylab._jit import kernel

@kernel
def double(x):
    return 2 * x
"""

CLOSURE = """
def chain(first, second):
    @kernel
    def both(x):
        return second(first(x))
    return both

def plus(n):
    @kernel
    def add(x):
        return x + n
    return add

twice = chain(double, double)
plus_one, plus_two = plus(22), plus(23)
"""

NESTED = """
from rummylab._jit import helper, kernel

def times(n):
    @helper
    def scaled(x):
        return n * x
    return scaled

def apply(step):
    @kernel
    def applied(x):
        return step(x)
    return applied

doubled, tripled = apply(times(2)), apply(times(3))
"""

CALLER = """
from rummylab._jit import kernel
from rummylab.callee import double

@kernel
def quadruple(x):
    return double(double(x))
"""

SIGNED = """
import numba
from rummylab._jit import kernel_of

@kernel_of(numba.int64(numba.int64))
def signed(x):
    return doubled(tripled(x))
"""

Double = Callable[[], tuple[int, bool]]
as_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root to become another user")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a cache of its own, in a directory that is this user's alone."""
    place = tmp_path / "cache"
    monkeypatch.setenv("RUMMYLAB_CACHE", str(place))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    _forget()
    yield place
    _forget()


def _forget() -> None:
    cache_root.cache_clear()
    warn_once.cache_clear()
    jit.cache_of.cache_clear()


@pytest.fixture
def double(tmp_path: Path, home: Path) -> Double:
    """Load a module with one kernel as a new process would, call it, and tell whether it was compiled."""
    path = tmp_path / "doubling.py"
    path.write_text(KERNEL)

    def call() -> tuple[int, bool]:
        kernel = load_module(path).double
        return kernel(21), not kernel.stats.cache_hits

    return call


def _shared_directory(tmp_path: Path, mode: int) -> Path:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    return shared


def _files(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


def test_a_kernel_is_compiled_once(double: Double, home: Path) -> None:
    assert double() == (42, True)
    assert len(_files(home)) == 1
    assert double() == (42, False)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: b"garbage" * 100,
        lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
        lambda data: cache._digest(b"no pickle") + b"no pickle",
        lambda data: cache._digest(b"N.") + b"N.",
    ],
    ids=["empty", "ten bytes", "half", "one byte short", "garbage", "one bit", "no pickle", "another pickle"],
)
def test_a_damaged_file_is_deleted_and_recompiled(double: Double, home: Path, damage: Callable[[bytes], bytes]) -> None:
    double()
    (path,) = _files(home)
    path.write_bytes(damage(path.read_bytes()))
    assert double() == (42, True)
    assert double() == (42, False)


def test_a_file_edited_since_is_recompiled(double: Double, tmp_path: Path, home: Path) -> None:
    double()
    module = tmp_path / "doubling.py"
    module.write_text(KERNEL.replace("2 * x", "3 * x"))
    # Python itself takes a file of the same size and second for unchanged.
    os.utime(module, (0, 0))
    assert double() == (63, True)


def test_a_full_disk_or_a_vanished_directory_stops_nobody(
    double: Double, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    double()
    shutil.rmtree(home)
    assert double() == (42, True)
    assert "not kept between runs" in caplog.text


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o722, 0o1777])
def test_a_cache_that_others_can_write_to_is_refused_with_a_sentence(
    double: Double, home: Path, caplog: pytest.LogCaptureFixture, mode: int
) -> None:
    double()
    home.chmod(mode)
    _forget()
    assert double() == (42, True)
    assert f"other users can write to {home}" in caplog.text
    assert f"chmod go-w {home}" in caplog.text
    assert len(caplog.records) == 1


def test_a_cache_below_a_directory_that_others_can_write_to_is_refused(
    double: Double, tmp_path: Path, home: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = _shared_directory(tmp_path, 0o777)
    monkeypatch.setenv("RUMMYLAB_CACHE", str(shared / "deep" / "cache"))
    assert double() == (42, True)
    assert f"other users can write to {shared}" in caplog.text
    assert not _files(shared)


def test_a_module_directory_inside_the_cache_is_checked_too(
    double: Double, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    double()
    (home / "others").chmod(0o777)
    _forget()
    assert double() == (42, True)
    assert f"other users can write to {home / 'others'}" in caplog.text


@as_root
def test_a_cache_of_another_user_is_refused(double: Double, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    double()
    os.chown(home, 4711, 4711)
    _forget()
    assert double() == (42, True)
    assert f"{home} belongs to another user" in caplog.text


def test_directories_are_private_whatever_the_umask(double: Double, home: Path) -> None:
    before = os.umask(0)
    try:
        double()
    finally:
        os.umask(before)
    for directory in [home, *(path for path in home.rglob("*") if path.is_dir())]:
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_a_sticky_directory_above_is_fine(
    double: Double, tmp_path: Path, home: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = _shared_directory(tmp_path, 0o1777)
    monkeypatch.setenv("RUMMYLAB_CACHE", str(shared / "cache"))
    double()
    assert _files(shared / "cache")
    assert not caplog.text


def test_a_place_that_cannot_be_written_stops_nobody(
    double: Double, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home.write_text("not a directory")
    assert double() == (42, True)
    assert f"The compiler cache {home} is not used" in caplog.text


def test_a_kernel_made_of_others_is_compiled_once(tmp_path: Path, home: Path) -> None:
    """Numba by itself would recompile a closure in every process, and takes two made alike for one."""
    path = tmp_path / "made.py"
    path.write_text(KERNEL + CLOSURE)
    for compiled in (True, False):
        module = load_module(path)
        assert (module.twice(21), module.plus_one(21), module.plus_two(21)) == (84, 43, 44)
        assert bool(module.plus_two.stats.cache_hits) is not compiled


def test_kernels_made_alike_from_different_closures_are_told_apart(tmp_path: Path, home: Path) -> None:
    """Both helpers have the same name: what they close over is what differs."""
    path = tmp_path / "nested.py"
    path.write_text(NESTED)
    for compiled in (True, False):
        module = load_module(path)
        assert (module.doubled(21), module.tripled(21)) == (42, 63)
        assert bool(module.tripled.stats.cache_hits) is not compiled


@pytest.mark.parametrize("value", ["np.arange(3)", "{}", "'text'", "[1]", "lambda x: x"])
@pytest.mark.parametrize("decorator", ["kernel", "helper"])
def test_a_kernel_that_closes_over_anything_but_kernels_and_constants_is_refused(
    tmp_path: Path, home: Path, value: str, decorator: str
) -> None:
    """The machine code on disk is found by name, and an object has none: another one would run the first one's code."""
    path = tmp_path / "closes.py"
    make = f"def make(value):\n    @{decorator}\n    def closes(x):\n        return value\n    return closes\n"
    use = f"outer = apply(make({value}))" if decorator == "helper" else f"make({value})"
    path.write_text(f"import numpy as np\n{NESTED}\n{make}\n{use}\n")
    with pytest.raises(TypeError, match=r"closes over value, a \w+\. A kernel may close over kernels"):
        load_module(path)


@pytest.mark.parametrize("value", ["7", "7.0", "np.int64(7)", "True"])
def test_a_kernel_may_close_over_numbers(tmp_path: Path, home: Path, value: str) -> None:
    path = tmp_path / "closes.py"
    path.write_text(
        "import numpy as np\nfrom rummylab._jit import kernel\n\ndef make(value):\n    @kernel\n"
        f"    def closes(x):\n        return x * value\n    return closes\n\nseven = make({value})\n"
    )
    assert load_module(path).seven(1) == float(eval(value, {"np": np}))


def test_machine_code_of_a_game_is_found_again_by_the_next_process() -> None:
    code = (
        "from rummylab._jit import on_compilation; on_compilation(lambda: print('compiled'));"
        "from rummylab import State, gin; state = State.deal(gin(), 1); state.push(list(state.legal_actions)[0])"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    assert runs[1].stdout == ""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Give a package of the same name with nothing but the compiler and two small modules."""
    root = tmp_path / "rummylab"
    root.mkdir()
    for path in [*jit.PACKAGE.glob("_[a-z]*.py"), jit.PACKAGE / "errors.py"]:
        shutil.copy(path, root)
    (root / "__init__.py").write_text("")
    (root / "callee.py").write_text(KERNEL)
    (root / "caller.py").write_text(CALLER)
    return root


def _run(package: Path, before: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    code = f"{before}import rummylab.caller; print(rummylab.caller.quadruple(21))"
    paths = [str(package.parent), *(path for path in sys.path if path.endswith("site-packages"))]
    environment |= {"PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


def test_an_edited_callee_in_another_file_takes_effect_at_once(package: Path, tmp_path: Path) -> None:
    """Numba's own cache would go on running the old caller: it only looks at the caller's file."""
    place = str(tmp_path / "cache")
    assert _run(package, RUMMYLAB_CACHE=place).stdout == "84\n"
    (package / "callee.py").write_text(KERNEL.replace("2 * x", "10 * x"))
    assert _run(package, RUMMYLAB_CACHE=place).stdout == "2100\n"


def test_plain_numba_gives_the_same_results_and_keeps_nothing_on_disk(package: Path, tmp_path: Path) -> None:
    place = tmp_path / "cache"
    (package / "caller.py").write_text(CALLER + NESTED + SIGNED)
    code = "import rummylab.caller as c; print(c.quadruple(21), c.doubled(21), c.tripled(21), c.signed(21))"
    ours, plain = (_run(package, code + ";", RUMMYLAB_CACHE=str(place), RUMMYLAB_PLAIN_NUMBA=on) for on in ("", "1"))
    assert ours.stdout == plain.stdout == "84 42 63 126\n84\n"
    shutil.rmtree(place)
    for ours_alone in ("_compiler.py", "_shortcuts.py"):  # they know Numba's inner workings
        (package / ours_alone).unlink()
    assert _run(package, RUMMYLAB_CACHE=str(place), RUMMYLAB_PLAIN_NUMBA="1").stdout == "84\n"
    assert not place.exists()


@as_root
def test_no_home_and_an_unknown_user_work(package: Path, tmp_path: Path) -> None:
    """As in a container started with --user 54321; what that user cannot read here is loaded before."""
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    scratch.chmod(0o1777)
    for place in (tmp_path, *tmp_path.parents):
        if place.stat().st_uid == os.getuid() and place.name.startswith(("pytest", "popen", "test")):
            place.chmod(0o755)
    become = (
        "import os, numba, rummylab._jit; numba.njit(lambda: 0)();os.setgroups([]); os.setgid(54321); os.setuid(54321);"
    )
    done = _run(package, become, TMPDIR=str(scratch))
    assert (done.stdout, done.stderr, done.returncode) == ("84\n", "", 0)
    assert _files(scratch / "rummylab-54321")


def test_the_users_own_cached_functions_keep_their_cache(double: Double, tmp_path: Path) -> None:
    before = numba.config.CACHE_DIR
    double()
    assert before == numba.config.CACHE_DIR
    own = tmp_path / "own" / "mine.py"
    own.parent.mkdir()
    own.write_text("import numba\n\n@numba.njit(cache=True)\ndef triple(x):\n    return 3 * x\n")
    assert load_module(own).triple(2) == 6
    assert list((own.parent / "__pycache__").glob("*.nbi"))
