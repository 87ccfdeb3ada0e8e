"""Show the examples of docstrings as code: MkDocs would take ``>>>`` for a quotation within a quotation."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^(?P<indent> *)>>> .*\n?(?:^(?P=indent)(?! *$).*\n?)*)", re.MULTILINE)
_ROLE = re.compile(r":\w+:(`[^`]+`)")


class Doctests(griffe.Extension):
    """Put a fence around every example, and drop the roles of Sphinx."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of *obj*, if it has one."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Return a docstring with its examples as blocks of code."""

    def block(example: re.Match[str]) -> str:
        indent = example["indent"]
        return f"{indent}```pycon\n{example[0].rstrip()}\n{indent}```\n"

    return _EXAMPLE.sub(block, _ROLE.sub(r"\1", text))
