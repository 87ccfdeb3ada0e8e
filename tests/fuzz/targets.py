"""What is fuzzed: each target takes bytes, and may raise nothing but a `RummyError`.

The files of ``corpus/<target>`` are the inputs that mutations start from; those called ``found-*`` once broke it.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rummylab import agent, gin, play
from rummylab.cli.main import main
from rummylab.engine.records import _digest, parse_records, validate_records
from rummylab.errors import RummyError
from rummylab.games.registry import GAMES

CORPUS = Path(__file__).parent / "corpus"
Target = Callable[[bytes, Path], None]


def inputs(target: str) -> list[bytes]:
    """Return the corpus of *target*."""
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape" if data[:1] < b"\x40" else "replace")


# --- Records ------------------------------------------------------------------------------------------------------


def records(data: bytes, scratch: Path) -> None:
    """Read, print, redact and replay a record, once as it is and once with its checksums mended."""
    for content in (data, _with_checksums(data)):
        path = scratch / "fuzz.rgr"
        path.write_bytes(content)
        with contextlib.suppress(RummyError):
            validate_records(path)
        with contextlib.suppress(RummyError):
            for record in parse_records(content.decode(errors="replace")):
                record.story().encode()
                record.to_text().encode()
                for seat in (-1, 0, 1, 2):
                    with contextlib.suppress(RummyError):
                        record.seen_by(seat).to_text()


def _with_checksums(data: bytes) -> bytes:
    """Put right checksums under wrong lines, so that what comes behind them is reached."""
    lines, start = data.decode(errors="replace").split("\n"), 0
    for at, line in enumerate(lines):
        if '"sha256"' in line:
            try:
                head, value = json.loads(lines[start]), json.loads(line)
                value["sha256"] = _digest(lines[start:at], head["format"], value["result"])
                lines[at] = json.dumps(value)
            except (ValueError, TypeError, LookupError, RecursionError):
                pass
            start = at + 1
    return "\n".join(lines).encode(errors="replace")


# --- Positions ----------------------------------------------------------------------------------------------------


def positions(data: bytes, scratch: Path) -> None:
    """Read a position in every form; list the moves of what was read, and make one."""
    from rummylab import Observation, State

    text = data.decode(errors="replace")
    for read in (Observation.parse, Observation.from_json):
        with contextlib.suppress(RummyError):
            seen = read(text)
            assert Observation.parse(str(seen)) == seen
            assert isinstance(seen.legal, tuple)
    for read_table in (State.parse, State.from_json):
        with contextlib.suppress(RummyError):
            state = read_table(text)
            assert State.parse(state.to_text()) == state
            if state.actor is not None:
                state.push(state.legal_actions[0])


# --- Vectors ------------------------------------------------------------------------------------------------------


def vectors(data: bytes, scratch: Path) -> None:
    """Compare recorded hands and values of both games that have them, packed and plain."""
    from rummylab.games.gin import vectors as of_gin
    from rummylab.games.indian import vectors as of_indian

    plain, packed = scratch / "fuzz.jsonl", scratch / "fuzz.jsonl.gz"
    plain.write_bytes(data)
    packed.write_bytes(data if data[:2] == b"\x1f\x8b" else gzip.compress(data, 1))
    for home, path in ((of_gin, plain), (of_indian, plain), (of_gin, packed)):
        with contextlib.suppress(RummyError):
            str(home.compare_file(path)).encode()


# --- Experiments and options --------------------------------------------------------------------------------------


def toml(data: bytes, scratch: Path) -> None:
    """Read an experiment and the options of every game; also one setting as ``--set`` gives it."""
    from rummylab.lab.experiment.file import parse_experiment, read_experiment

    path = scratch / "fuzz.toml"
    path.write_bytes(data)
    with contextlib.suppress(RummyError):
        read_experiment(path)
    text = data.decode(errors="replace")
    with contextlib.suppress(RummyError):
        parse_experiment(inputs("toml")[0].decode(), "x", "x", "x", changes=[text[:300]])
    for game in GAMES.values():
        with contextlib.suppress(RummyError):
            type(game.rules(None).options).from_toml(text)


# --- The protocols ------------------------------------------------------------------------------------------------


class _Scripted:
    """Stands in for a stranger's process: its answers are the lines of the input."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = iter(lines)
        self.is_running = True

    def tell(self, line: str, seconds: float) -> None:
        pass

    def ask(self, line: str, seconds: float) -> str:
        from rummylab.arena.faults import OutsideError

        answer = next(self._lines, None)
        if answer is None:
            raise OutsideError("crash", "no more lines")
        return answer

    def stop(self) -> None:
        self.is_running = False


def answers(data: bytes, scratch: Path) -> None:
    """Let a stranger's program answer with the lines of the input."""
    from rummylab.arena.outside import Outsider

    player = Outsider("fuzz", None, 1.0)  # type: ignore[arg-type]
    player._process = _Scripted(data.decode(errors="replace").split("\n"))  # type: ignore[assignment]
    with contextlib.suppress(RummyError):
        play(gin(), [player, agent("gin", "simple")], 1)


def questions(data: bytes, scratch: Path) -> None:
    """Tell a hosted agent the lines of the input, as a referee would."""
    from rummylab.arena.host import serve

    agents = Path(__file__).parents[1] / "outside" / "agents.py"
    with contextlib.redirect_stdout(io.StringIO()):
        serve(f"{agents}:FirstLegal", io.StringIO(data.decode(errors="replace")), io.StringIO())


def bridge(data: bytes, scratch: Path) -> None:
    """Tell the bridge the lines of the input, as a foreign referee would."""
    from rummylab.interop.bridge import run

    with contextlib.suppress(RummyError):
        run(agent("gin", "simple"), io.StringIO(data.decode(errors="replace")), lambda line: None, seed=1)


# --- Agent specifications -----------------------------------------------------------------------------------------


def specifications(data: bytes, scratch: Path) -> None:
    """Find the agent that the input names, in every game; play some games with what was found."""
    from rummylab.agents.registry import entry
    from rummylab.arena import outside

    text = data.decode(errors="replace").strip("\n")
    for game in GAMES:
        with contextlib.suppress(RummyError):
            entry(game, text)
    with contextlib.suppress(RummyError):
        if outside.is_outside("gin", text):
            outside._command(text) if text.startswith("program:") else outside.target("gin", text)
    inner = scratch / "inner"  # a name may point to the folder above
    inner.mkdir(exist_ok=True)
    with contextlib.suppress(RummyError), contextlib.chdir(inner):
        outside.fingerprint(text)


# --- Artifacts ----------------------------------------------------------------------------------------------------


def artifacts(data: bytes, scratch: Path) -> None:
    """Load the input as every kind of trained file, with a manifest that has the right hash."""
    from rummylab.agents.contract import counting
    from rummylab.agents.gin import utility, utility_search
    from rummylab.agents.gin.cfr_tables import Tables
    from rummylab.agents.indian import mindist_outs
    from rummylab.beliefs.gin import shape
    from rummylab.beliefs.gin.network import Network

    path = scratch / "fuzz.safetensors"
    path.write_bytes(data)
    for loader, name in ((Network.load, "rummylab-opponent-hand"), (Tables.load, "rummylab-gin-cfr")):
        manifest = {"sha256": hashlib.sha256(data).hexdigest(), "format": name, "version": 1}
        path.with_suffix(".json").write_text(json.dumps(manifest))
        with contextlib.suppress(RummyError):
            found = loader(path)
            assert all(np.isfinite(tensor).all() for tensor in found.tensors.values())
    loaders: tuple[Callable[[Path], Any], ...] = (
        shape.load,
        counting.load_artifact,
        mindist_outs.load_artifact,
        utility.load_artifact,
        utility_search.load_values,
        Network.load,
    )
    plain = scratch / "fuzz.json"
    plain.write_bytes(data)
    for load in loaders:
        with contextlib.suppress(RummyError):
            load(plain)


# --- The command line ---------------------------------------------------------------------------------------------


def commands(data: bytes, scratch: Path) -> None:
    """Run the command in the input; `main` lets through nothing but its exit code."""
    text = data.decode(errors="replace").replace("\x00", " ")
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    if _is_long(words):
        return
    if words[:1] in (["match"], ["tournament"]) or words[:2] == ["experiment", "run"]:
        words += ["--workers", "1"]  # processes of their own would cost more than they find
    with _at_the_command_line(["rummylab", *words], scratch), contextlib.suppress(SystemExit):
        main()


def _is_long(words: list[str]) -> bool:
    """Return whether the command is meant to take long, or starts what outlives it: not for a fuzzer."""
    text = " ".join(words)
    long = ("ray", "train", "bench", "reproduce", "dataset", "evaluate", "tune", "program:")
    many = re.search(r"(games|hands)[ =]\d{3,10}(?!\d)", text)  # with more digits it is refused at once
    return many is not None or any(word in text for word in long)


@cache
def _store() -> bytes:
    """Return a small results file."""
    from rummylab.arena.store import Store
    from rummylab.arena.tournament import Plan, tournament

    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "runs.db"
        with Store(path) as store:
            tournament(Plan(game="gin", agents=("simple", "random"), games=4), store=store, name="one", keep_hands=2)
        return path.read_bytes()


@contextlib.contextmanager
def _at_the_command_line(words: list[str], scratch: Path) -> Iterator[None]:
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr, Path.cwd()
    for path in (CORPUS / "files").iterdir():
        shutil.copy(path, scratch)
    (scratch / "runs.db").write_bytes(_store())
    os.chdir(scratch)
    # As a terminal's: what cannot be encoded is an error.
    sys.argv, sys.stdin = words, io.StringIO("draw stock\nhint\nquit\n")
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    try:
        yield
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr, home = before
        os.chdir(home)
        for path in scratch.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


TARGETS: dict[str, Target] = {
    "records": records,
    "positions": positions,
    "vectors": vectors,
    "toml": toml,
    "answers": answers,
    "questions": questions,
    "bridge": bridge,
    "specifications": specifications,
    "artifacts": artifacts,
    "commands": commands,
}
