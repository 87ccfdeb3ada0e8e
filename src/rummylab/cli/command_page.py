"""The page that lists every command with all its options: docs/reference/commands.md."""

from __future__ import annotations

import inspect
from typing import Any

import typer

from rummylab.arena.markdown import table

_NUMBERS = dict.fromkeys(("int", "integer", "int range", "integer range"), "N")
WORDS = {**_NUMBERS, "float": "X", "float range": "X", "Path": "PATH", "path": "PATH"}
"""What stands for a value in the page, by type."""


def command_page() -> str:
    """Return the reference of all commands as Markdown, in the order of the help."""
    from rummylab.cli.main import COMMANDS, app

    top = typer.main.get_command(app)
    parts, panel = [], ""
    for command in COMMANDS:
        if command.panel != panel:
            panel = command.panel
            parts.append(f"## {panel}\n")
        parts.append(_section(command.name, _found(top, command.name), command.example))
    return "\n" + "\n".join(parts)


def _found(top: Any, name: str) -> Any:
    """Return the command *name*, which may have two words."""
    found = top
    for word in name.split():
        found = found.commands[word]
    return found


def _section(name: str, found: Any, example: str) -> str:
    arguments = [param for param in found.params if param.param_type_name == "argument"]
    options = [param for param in found.params if param.param_type_name == "option" and "--help" not in param.opts]
    usage = " ".join(["rummylab", name, *map(_placeholder, arguments)])
    rows = [(f"`{_placeholder(param)}`", _default(param), param.help or "") for param in arguments]
    rows += [(_option(param), _default(param), param.help or "") for param in options]
    parts = [f"### `{usage}`", _prose(found.help), f"```\nrummylab {example}\n```"]
    return "\n\n".join([*parts, table(("argument or option", "default", "meaning"), rows)])


def _prose(text: str) -> str:
    """Return a docstring with one line a paragraph."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


def _placeholder(param: Any) -> str:
    name = (param.metavar or param.name.upper()).strip("[].") + ("..." if param.nargs == -1 else "")
    return name if param.required else f"[{name}]"


def _option(param: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
    if param.is_flag:
        return names
    return f"{names} {param.metavar or WORDS.get(_type_name(param), 'TEXT')}"


def _type_name(param: Any) -> str:
    """Return the name of an option's type; older versions of Typer have it elsewhere."""
    kind = param.type_descriptor.annotation if hasattr(param, "type_descriptor") else param.type.name
    return str(getattr(kind, "__name__", kind))


def _default(param: Any) -> str:
    if param.required:
        return "required"
    if param.default is None or param.default is False or param.default in ("", [], ()):
        return ""
    return f"`{param.default}`"
