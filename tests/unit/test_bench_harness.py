"""``make bench CHECK=1`` reports ratios that fell. The figures are made up: no test measures time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from loading import load_module

HARNESS = Path(__file__).parents[2] / "benchmarks" / "harness.py"


@pytest.fixture(scope="module")
def harness() -> Any:
    return load_module(HARNESS, "bench_harness")


def results(harness: Any, **ratios: float) -> Any:
    rows = [harness.Row(what=name, measured="1 s", ratio=ratio, name=name) for name, ratio in ratios.items()]
    return harness.Results(rows, {})


def kept(directory: Path, **ratios: float) -> Path:
    (directory / "gin-speed.json").write_text(json.dumps({"ratios": ratios}))
    return directory


def test_a_ratio_that_fell_by_more_than_a_tenth_is_a_regression(harness: Any) -> None:
    assert harness.regressions({"random": 0.8, "simple": 1.0}, {"random": 0.70, "simple": 0.91}) == [
        "random fell from 0.80x to 0.70x, by 12.5%."
    ]


def test_a_ratio_that_rose_or_is_new_is_no_regression(harness: Any) -> None:
    assert harness.regressions({"random": 0.8}, {"random": 1.9, "deadwood": 0.01}) == []


def test_a_check_says_which_ratio_fell(harness: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not harness.check("gin", results(harness, random=0.5, simple=0.99), kept(tmp_path, random=0.8, simple=1.0))
    assert "slower: random fell from 0.80x to 0.50x, by 37.5%." in capsys.readouterr().out


def test_a_check_without_a_compiler_says_what_it_did_not_measure(
    harness: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert harness.check("gin", results(harness, random=0.79), kept(tmp_path, random=0.8, simple=1.0))
    out = capsys.readouterr().out
    assert "not measured here: simple" in out
    assert "1 ratios are within 10%" in out


def test_only_named_ratios_are_kept(harness: Any) -> None:
    shown = harness.Row(what="start", measured="1 s", compared="2 s (before)", ratio=2.0)
    whole = harness.Results([shown, *results(harness, random=0.8).rows], {}).to_dict()
    assert whole["ratios"] == {"random": 0.8}
    assert whole["rows"][0] == {"what": "start", "measured": "1 s", "compared": "2 s (before)", "ratio": "2.00x"}


def test_the_command_fails_when_a_ratio_fell(
    harness: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench_gin.py", "--check", str(kept(tmp_path, random=0.8))])
    with pytest.raises(SystemExit) as stopped:
        harness.main({"gin": lambda: results(harness, random=0.5)}, "")
    assert stopped.value.code == 1
    harness.main({"gin": lambda: results(harness, random=0.9)}, "")
    assert "1 ratios are within 10% of those kept" in capsys.readouterr().out
