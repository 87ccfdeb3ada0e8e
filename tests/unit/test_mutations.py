"""The table of mutations fits the code: `make mutations` takes too long to run with the other tests."""

from __future__ import annotations

import re

import pytest

from mutations import ROOT, Mutation, mutations


@pytest.mark.parametrize("mutation", mutations(), ids=lambda mutation: mutation.sentence[:40])
def test_a_mutation_changes_code_that_exists_and_names_a_test_that_exists(mutation: Mutation) -> None:
    source = (ROOT / "src" / "rummylab" / mutation.file).read_text(encoding="utf-8")
    changed = mutation.apply(source)
    assert changed != source
    compile(changed, mutation.file, "exec")
    file, _, name = mutation.test.partition("::")
    tests = (ROOT / "tests" / "papers" / file).resolve().read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", tests, re.MULTILINE)
