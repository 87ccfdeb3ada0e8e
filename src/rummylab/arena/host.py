"""The agent's side of :mod:`rummylab.arena.outside`: load one outside agent, and answer for it in lines.

``python -m rummylab.arena.host describe HOME:NAME`` says what that is, ``python -m rummylab.arena.host play HOME:NAME``
plays as it. *HOME* is the absolute path of a Python file, or a module. What the agent prints goes to stderr. The
referee believes nothing it hears from here, so nothing here needs protection from the agent.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from rummylab.engine.options import parse_call
from rummylab.errors import AgentError  # nothing heavy: to describe a plain class takes a tenth of a second


def load(target: str) -> Any:
    """Import what *target* names: a class, a factory, an agent, or a compiled agent, perhaps with options in brackets.

    The name is that of the object in its file or, for a registered agent, the name or a variant that it declares.
    """
    home, _, call = target.partition(":")
    name, changes = parse_call(call)
    try:
        module = _module_at(Path(home)) if home.endswith(".py") else import_module(home)
    except BaseException as error:  # noqa: BLE001 - sys.exit among it
        raise AgentError(f"cannot be imported: {_told(error)}") from None
    found, variant = getattr(module, name, None), None
    if found is None:
        found, variant = _declared(module, name), name
    if found is None:
        raise AgentError(f"{home} has no {name!r}")
    if not changes and variant is None:
        return found
    if not hasattr(found, "configured"):
        raise AgentError(f"{name} takes no options in brackets: it is not a kernel declared by @register_agent")
    return found.configured(variant, changes)


def _declared(module: Any, name: str) -> Any:
    """Return the registered agent of *module* that declares *name*, as its own name or as a variant."""
    for found in vars(module).values():
        declaration = getattr(found, "declaration", None)
        if declaration is not None and name in declaration.presets():
            return found
    return None


def _module_at(path: Path) -> Any:
    name = "_outside_" + hashlib.blake2b(str(path).encode(), digest_size=6).hexdigest()
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))  # its neighbors, as for a script
    found.loader.exec_module(module)
    return module


def describe(target: str) -> str:
    """Return ``compiled`` or ``class``: how *target* can be played. A factory counts as a class."""
    thing = load(target)
    engine = sys.modules.get("rummylab.engine.agent")  # no compiled agent is made without it
    if engine is not None and isinstance(thing, engine.CompiledAgent):
        return "compiled"
    if isinstance(thing, type) or callable(getattr(thing, "act", None)) or callable(thing):
        return "class"
    raise AgentError(f"{target.partition(':')[2]!r} is not an agent: it is neither a class nor a factory")


def instance(target: str) -> Any:
    """Return an agent made from what *target* names."""
    thing = load(target)
    made = thing() if isinstance(thing, type) or (callable(thing) and not hasattr(thing, "act")) else thing
    for verb in ("sit", "act"):
        if not callable(getattr(made, verb, None)):
            raise AgentError(f"is not an agent: it has no method {verb!r}")
    return made


def serve(target: str, lines: Iterable[str], answers: TextIO) -> None:
    """Answer until the input ends. An agent that raised is replaced by a new one for the next hand."""
    from rummylab.arena.wire import READY_FOR_VIEWS, SEATED, Listener
    from rummylab.engine.reading import parse_json

    agent: Any = None
    listener: Any = None
    for line in lines:
        verb = "the line"
        try:
            message = parse_json(line, AgentError, "the referee's line")
            verb = next((verb for verb in ("sit", "act") if verb in message), "start")
            if verb == "start":
                agent, listener = instance(target), Listener(message)
                answer = READY_FOR_VIEWS
            elif verb == "sit":
                agent = instance(target) if agent is None else agent
                agent.sit(*listener.sit(message))
                answer = SEATED
            else:
                answer = _words(agent.act(listener.observation(message)))
        except AgentError as error:
            agent, answer = None, f"error: {_one_line(str(error))}"
        except BaseException as error:  # noqa: BLE001 - whatever an outside agent's agent raises is told, not passed on
            agent, answer = None, f"error: {verb} raised {_told(error)}"
        answers.write(answer + "\n")
        answers.flush()


def _words(answer: object) -> str:
    from rummylab.engine.action import Action

    if isinstance(answer, Action):
        return _one_line(str(answer))
    return f"illegal: {_one_line(repr(answer))} is no action"


def _told(error: BaseException) -> str:
    return _one_line(f"{type(error).__name__}: {error}")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:1000]


def main(verb: str, target: str) -> None:
    """Do what the referee asks on the pipes of this process."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)
    if verb == "play":
        serve(target, sys.stdin, answers)
        return
    try:
        answer = describe(target)
    except AgentError as error:
        answer = f"error: {_one_line(str(error))}"
    answers.write(answer + "\n")
    answers.flush()
    os._exit(0)  # threads and exit handlers of an outside agent are not waited for


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
