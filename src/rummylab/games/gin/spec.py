"""The declaration of two-player Gin Rummy."""

from __future__ import annotations

from typing import Final

from rummylab.engine.spec import GameSpec, Verb, Workload
from rummylab.games.gin.options import GinOptions

SPEC: Final = GameSpec(
    name="gin",
    title="Gin Rummy",
    package=__name__.rpartition(".")[0],
    options=GinOptions,
    rules_class="Gin",
    view_class="GinObservation",
    opponent="champion",
    help="  At the showdown the best melds and layoffs are made for you.",
    verbs=(
        Verb("draw stock", "DRAW_STOCK", "draw the top card of the stock"),
        Verb("draw upcard", "TAKE_UP_CARD", "take the top card of the discard pile"),
        Verb("pass", "PASS", "decline the first upcard; at the wall (`openspiel`), end the hand"),
        Verb("done", "DONE", "make no more melds, or no more layoffs"),
        Verb("big gin", "SHOW_BIG_GIN", "show eleven melded cards, where big gin is played"),
        Verb("discard", "DISCARD_CODE", "discard a card", "CARD"),
        Verb("knock", "KNOCK_CODE", "discard a card and knock", "CARD"),
        Verb("lay off", "LAY_OFF_CODE", "lay off a card on the knocker's melds, where the defender chooses", "CARD"),
        Verb("meld", "MELD_CODE", "lay down one meld at the showdown", "CARDS", "meld"),
    ),
    sentence="Knock, gin, undercut. Two players.",
    picture=("3c", "4c", "5c"),
    titles={
        "eaai": ("Official", "the rules of the EAAI competition, to 100 points"),
        "classic": ("Club", "big gin, boxes and a game bonus; the defender lays off"),
        "openspiel": ("OpenSpiel", "single hands as the research library plays them"),
    },
    workloads=(
        Workload("random_decisions_per_s", ("random", "random"), 400, "decisions of `random` against itself"),
        Workload("simple_decisions_per_s", ("simple", "simple"), 8000, "decisions of `simple` against itself"),
        Workload(
            "facade_decisions_per_s", ("simple", "simple"), 12, "decisions of `simple` at the Python table", table=True
        ),
    ),
)
