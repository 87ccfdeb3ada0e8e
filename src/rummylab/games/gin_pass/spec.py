"""The declaration of Gin with a passed card, for two to four players."""

from __future__ import annotations

from typing import Final

from rummylab.engine.spec import GameSpec, Verb, Workload
from rummylab.games.gin_pass.options import GinPassOptions

SPEC: Final = GameSpec(
    name="gin_pass",
    title="Gin with a passed card",
    package=__name__.rpartition(".")[0],
    options=GinPassOptions,
    rules_class="GinPass",
    view_class="GinPassObservation",
    seats=range(2, 5),
    opponent="keats",
    match_for_people=lambda seats: {"hands": 4 * seats},
    verbs=(
        Verb("draw stock", "DRAW_STOCK", "draw the top card of the stock; if it is empty, the hand ends"),
        Verb("draw upcard", "TAKE_UP_CARD", "take the top card of the discard pile"),
        Verb("discard", "DISCARD_CODE", "discard a card", "CARD"),
        Verb("knock", "KNOCK_CODE", "discard a card and knock", "CARD"),
        Verb("pass", "PASS_CODE", "choose the card to pass on, before the first draw", "CARD"),
    ),
    sentence="Give one card away before you start. Two to four players.",
    picture=("Ah", "2h", "3h"),
    titles={
        "course": ("Course", "ten cards, seven at a table of four"),
        "course-ten": ("Ten cards", "ten cards at every table"),
        "course-seven": ("Seven cards", "seven cards at every table"),
    },
    workloads=(
        Workload("hands_per_s", ("melder", "melder"), 4_000, "hands of `melder` at two seats"),
        Workload("decisions_per_s", ("melder", "melder"), 4_000, "its decisions"),
        Workload("three_seats_hands_per_s", ("melder",) * 3, 3_000, "hands of `melder` at three seats"),
        Workload("four_seats_hands_per_s", ("melder",) * 4, 3_000, "hands of `melder` at four seats, seven cards"),
        Workload("keats_hands_per_s", ("keats", "keats"), 1_000, "hands of `keats` at two seats"),
        Workload(
            "facade_decisions_per_s", ("melder", "melder"), 1, "decisions of `melder` at the Python table", table=True
        ),
    ),
)
