"""Agents as strangers write them: good ones and bad ones. Loaded by path in the tests, never imported."""

import os
import time

from rummylab import Action


class FirstLegal:
    name = "first-legal"

    def sit(self, rules, seat, rng):
        print("what an agent prints must not get in the way")

    def act(self, seen):
        return seen.legal[0]


class Declarer(FirstLegal):
    """Declares as soon as it can and else plays at random."""

    def sit(self, rules, seat, rng):
        self.rng = rng

    def act(self, seen):
        shows = [action for action in seen.legal if action.verb == "declare"]
        return shows[0] if shows else seen.legal[int(self.rng.integers(len(seen.legal)))]


class Raises(FirstLegal):
    def act(self, seen):
        raise ValueError("no idea what to play")


class Dies(FirstLegal):
    def act(self, seen):
        os._exit(7)


class Sleeps(FirstLegal):
    def act(self, seen):
        time.sleep(600)


class Cheats(FirstLegal):
    def act(self, seen):
        return Action.parse("knock Ac")


class Mumbles(FirstLegal):
    def act(self, seen):
        return "draw stock"


class NoAgent:
    pass
