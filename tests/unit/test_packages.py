"""Wheel and sdist: what is in them, what they say about themselves, and that the wheel runs where nothing else is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import rummylab

pytest.importorskip("build", reason="packages are built with `build` and `hatchling`, which are in the extra `test`")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MOST_BYTES = 5_000_000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel, built from the sdist, and the sdist, without a network."""
    out = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def metadata(wheel: Path) -> dict[str, list[str]]:
    with zipfile.ZipFile(wheel) as file:
        name = next(name for name in file.namelist() if name.endswith("/METADATA"))
        found = Parser().parsestr(file.read(name).decode())
    return {key: found.get_all(key, []) for key in found}


def test_the_wheel_is_small_and_has_all_that_the_package_loads(built: tuple[Path, Path]) -> None:
    wheel, _ = built
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    assert all(name.startswith(("rummylab/", "rummylab-")) for name in names)
    kept = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    missing = {name.removeprefix("src/") for name in kept if (ROOT / name).is_file()} - names
    assert not missing


def test_the_sdist_has_sources_and_tests_and_no_results(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as file:
        names = {member.name.partition("/")[2] for member in file}
    assert {"pyproject.toml", "LICENSE", "CITATION.cff", "Makefile", "tests/conftest.py", "docs/guides/web.md"} <= names
    assert not [name for name in names if name.startswith(("docs/results", ".git/", ".github", ".venv"))]


def test_the_metadata_are_complete(built: tuple[Path, Path]) -> None:
    told = metadata(built[0])
    assert told["Version"] == [rummylab.__version__]
    assert told["License-Expression"] == ["MIT"]
    assert told["License-File"] == ["LICENSE"]
    assert told["Requires-Python"] == [">=3.11"]
    assert set(told["Provides-Extra"]) == set(PROJECT["optional-dependencies"])
    classifiers = "\n".join(told["Classifier"])
    for words in ("Operating System :: ", "Python :: 3.11", "Python :: 3.12", "Python :: 3.13", "Typing :: Typed"):
        assert words in classifiers
    from trove_classifiers import classifiers as known

    assert not set(told["Classifier"]) - set(known)


def test_every_extra_is_in_the_guide() -> None:
    text = (ROOT / "docs" / "guides" / "packages.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(rows) == sorted(PROJECT["optional-dependencies"])


def test_the_installed_wheel_plays(built: tuple[Path, Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "--target", str(site), str(built[0])], check=True, capture_output=True)
    # The wheel alone is on the path before the tools of this environment; the checkout is not.
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    environment = kept | {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    code = (
        "import sys, rummylab; from rummylab.cli.main import main; print(rummylab.__file__); "
        "sys.argv = ['rummylab', 'play', 'gin', '--terminal', '--agent', 'simple', '--seed', '3']; main()"
    )
    words = [sys.executable, "-P", "-c", code]
    done = subprocess.run(words, cwd=tmp_path, env=environment, input="n\nquit\n", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(site))
    assert "Draw from the stock or take" in done.stdout
    script = subprocess.run([site / "bin" / "rummylab", "--version"], env=environment, capture_output=True, text=True)
    assert script.stdout == f"rummylab {rummylab.__version__}\n"


@pytest.mark.skipif(shutil.which("uvx") is None, reason="uv is not installed (pip install uv), so uvx is not tried")
def test_uvx_runs_the_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    words = ["uvx", "--python", sys.executable, "--from", str(built[0]), "rummylab", "--version"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == f"rummylab {rummylab.__version__}\n", done.stderr
