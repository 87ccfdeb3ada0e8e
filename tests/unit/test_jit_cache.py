"""The compiled cache: editing a source file makes a new one for all that import it, so old machine code never runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rummylab._jit as jit

CALLEE = "cards/bits.py"


def test_every_kernel_file_changes_the_hash(tmp_path: Path) -> None:
    copy = _copy(tmp_path)
    before = jit.source_hash(copy)
    assert before == jit.source_hash(copy)
    for path in sorted(path for path in copy.rglob("*.py") if path.relative_to(copy).parts[0] not in jit.EDGES):
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


@pytest.mark.parametrize("edited", ["_jit.py", CALLEE, "games/gin/melds.py", "games/gin/rules.py"])
def test_editing_what_a_module_imports_directly_or_not_changes_its_hash(tmp_path: Path, edited: str) -> None:
    before, after = _hash_after_edit(_copy(tmp_path), edited, of="games/gin/rules.py")
    assert before != after


def test_editing_one_game_leaves_the_others_compiled(tmp_path: Path) -> None:
    before, after = _hash_after_edit(_copy(tmp_path), "games/indian/rules.py", of="agents/gin/utility.py")
    assert before == after


def test_every_module_a_kernel_module_has_loaded_counts_for_its_hash() -> None:
    """What Python really imports, asked in a fresh process, is what the hash goes by."""
    for module in ("rummylab.games.gin.batch", "rummylab.agents.gin.utility_dnn", "rummylab.agents.contract.counter"):
        code = (
            f"import sys, {module}, rummylab._jit as jit; path = sys.modules['{module}'].__file__;"
            "loaded = {m.__file__ for n, m in sys.modules.items() if n.startswith('rummylab.') and m.__file__};"
            "missing = loaded - {str(p) for p in jit.sources_of(jit.Path(path))};"
            "print(sorted(f for f in missing if not f.endswith('__init__.py')))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]", module


def test_the_packages_left_out_of_the_hash_have_no_kernels() -> None:
    for package in jit.EDGES:
        for path in (jit.PACKAGE / package).rglob("*.py"):
            assert "@kernel" not in path.read_text(), path.name
            assert "@helper" not in path.read_text(), path.name
            assert "njit" not in path.read_text(), path.name


def test_the_bounds_check_switch_changes_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")
    before = jit.source_hash()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert jit.source_hash() != before


def _deadwood(package_parent: Path, cache: Path) -> int:
    code = "from rummylab.games.gin.melds import min_deadwood; print(min_deadwood(1 << 12))"
    environment = {**os.environ, "PYTHONPATH": str(package_parent), "RUMMYLAB_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=package_parent
    )
    return int(done.stdout)


def test_an_edited_callee_in_another_file_takes_effect_at_once(tmp_path: Path) -> None:
    """Numba's own cache would go on running the old caller: it only looks at the caller's file."""
    _copy(tmp_path)
    assert _deadwood(tmp_path, tmp_path / "cache") == 10
    callee = tmp_path / "rummylab" / CALLEE
    text = callee.read_text()
    callee.write_text(text.replace("8 * popcount(mask & _EIGHTS)", "8 * popcount(mask & _EIGHTS) + 90"))
    assert callee.read_text() != text
    assert _deadwood(tmp_path, tmp_path / "cache") == 100


def test_an_unwritable_cache_does_not_stop_anybody(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert _deadwood(jit.PACKAGE.parent, blocked) == 10


def test_kernels_made_for_a_game_are_compiled_once(tmp_path: Path) -> None:
    """They are closures over the game's rules, which Numba by itself would compile anew in every process."""
    code = (
        "from rummylab._jit import on_compilation; on_compilation(lambda: print('compiled'));"
        "from rummylab import State, gin; state = State.deal(gin(), 1); state.push(list(state.legal_actions)[0])"
    )
    environment = {**os.environ, "RUMMYLAB_CACHE": str(tmp_path)}

    def run() -> str:
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert run() == "compiled"
    assert run() == ""
