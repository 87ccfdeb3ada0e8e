"""The agent's side of :mod:`rummylab.arena.guests`: one compiled agent that answers many tables at a time.

Started as ``python -m rummylab.arena.compiled_host HOME:NAME``. The first line names the game, the file descriptor of
the shared memory and how many views it holds; every other line is the number of views to answer. The referee believes
nothing it hears from here.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rummylab.arena.host import load
from rummylab.arena.shared_views import SharedViews
from rummylab.engine.agent import CompiledAgent
from rummylab.engine.lockstep import answering
from rummylab.engine.pointers import addresses
from rummylab.errors import AgentError
from rummylab.games.registry import game

READY = "ready"


def serve(target: str, lines: Iterable[str], answers: TextIO) -> None:
    """Answer until the other side goes."""
    agent = load(target)
    if not isinstance(agent, CompiledAgent):
        raise AgentError("is not a compiled agent")
    questions = iter(lines)
    start = json.loads(next(questions))
    kernels = game(start["game"]).kernels
    memory = mmap.mmap(start["fd"], SharedViews.size(kernels.VIEW, start["tables"]))
    shared = SharedViews.within(memory, kernels.VIEW, start["tables"])
    answer = answering(kernels.VIEW, kernels.ACT)
    agents = addresses([agent.kernel], [agent.params], kernels.ACT)
    for line in _ready(questions, answers):
        answer(shared.views, shared.codes, int(line), agents)
        answers.write(line)
        answers.flush()


def _ready(questions: Iterable[str], answers: TextIO) -> Iterable[str]:
    answers.write(READY + "\n")
    answers.flush()
    return questions


def main(target: str) -> None:
    """Serve on the pipes of this process."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the agent prints
    serve(target, sys.stdin, answers)


if __name__ == "__main__":
    main(sys.argv[1])
