"""The docstrings below the fields of a dataclass, which Python does not keep."""

from __future__ import annotations

import ast
import inspect
from typing import Any


def field_docs(kind: type[Any]) -> dict[str, str]:
    """Return the docstring below each field of the class *kind*, by the field's name."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    docs, last = {}, ""
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            last = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and last:
            docs[last] = " ".join(str(node.value.value).split()).replace("``", "`")
            last = ""
    return docs
