"""The other end of :class:`rummylab.arena.outside.Hosted`: one outside agent, asked through pipes.

Started as ``python -m rummylab.arena.host GAME SPEC``. What the agent prints goes to stderr.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import IO, Any

from rummylab.arena.outside import _FRAME, frame, instance


def serve(game_name: str, spec: str, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until the other side goes."""
    agent: Any = None
    while len(head := questions.read(_FRAME.size)) == _FRAME.size:
        question = pickle.loads(questions.read(_FRAME.unpack(head)[0]))
        try:
            if agent is None:
                agent = instance(game_name, spec)
            answer: Any = ("ok", getattr(agent, question[0])(*question[1:]))
            data = pickle.dumps(answer)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's agent raises is told, not passed on
            agent = None
            data = pickle.dumps(("error", f"{question[0]} raised {type(error).__name__}: {error}"))
        answers.write(frame(data))
        answers.flush()


def main() -> None:
    """Serve on the pipes of this process."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.argv[1], sys.argv[2], sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
