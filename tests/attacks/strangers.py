"""A Python agent that attacks when it is imported. Loaded by path in the tests, never imported."""

import os
import sys

attack = os.path.basename(os.path.dirname(os.path.abspath(__file__)))  # each attack is a copy in a folder of its name

if attack == "exits":
    sys.exit(0)
elif attack == "exits-hard":
    os._exit(0)
elif attack == "loops":
    while True:
        pass
elif attack == "garbage":
    while True:
        os.write(1, b"\x1b[2J\xff\x00" * 1000)
elif attack == "patches":
    import numpy as np

    from rummylab.arena import jobs, match, outside
    from rummylab.engine.state import State

    State.match_is_over = property(lambda self: True)
    match.MatchResult.win_rate = 1.0
    jobs._winner = lambda *_: 0
    outside.Outsider.act = lambda self, seen: seen.legal[0]
    np.zeros = np.ones
    os.environ["ATTACKED"] = "yes"


class Agent:
    name = "agent"

    def sit(self, rules, seat, rng):
        pass

    def act(self, seen):
        return seen.legal[0]
