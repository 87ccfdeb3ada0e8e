"""The declaration of Classic Indian Rummy, for two to six players."""

from __future__ import annotations

from typing import Final

from rummylab.engine.spec import GameSpec, Verb, Workload
from rummylab.games.indian.formats import Format
from rummylab.games.indian.options import IndianOptions

SPEC: Final = GameSpec(
    name="indian",
    title="Indian Rummy",
    package=__name__.rpartition(".")[0],
    options=IndianOptions,
    rules_class="Indian",
    view_class="IndianObservation",
    seats=range(2, 7),
    jokers=True,
    opponent="mindist-outs",
    hand_rules="paper(printed_jokers=2)",
    formats=Format,
    format_rules="platform",
    format_for_people="deals-3",
    situation={
        "wild": "the wild rank (3, T, K, A), or the indicator itself (3c)",
        "dead": "cards known to be gone, such as '7h 8h'",
    },
    help="  Wild cards are marked *. K♣*=7♥ is a joker in the place of the seven of hearts.",
    verbs=(
        Verb("draw stock", "DRAW_STOCK", "draw the top card of the stock"),
        Verb("draw upcard", "DRAW_PILE", "take the top card of the discard pile", former=("draw pile",)),
        Verb("drop", "DROP", "give up the deal, before drawing"),
        Verb("rejoin", "REJOIN_CODE", "pay another entry and come back into the pool at the highest score + 1"),
        Verb("leave", "LEAVE_CODE", "stay out of the pool"),
        Verb("split", "SPLIT_CODE", "agree to share the pot; it is shared if all players left agree"),
        Verb("play on", "PLAY_ON_CODE", "refuse to share the pot"),
        Verb("discard", "DISCARD_CODE", "discard a card", "CARD"),
        Verb("declare", "DECLARE_CODE", "discard a card and declare the other thirteen", "CARD"),
    ),
    sentence="Thirteen cards, jokers and a pure run. Two to six players.",
    picture=("7d", "8d", "9d"),
    titles={
        "paper": ("Paper", "the rules of the published experiments"),
        "platform": ("Online", "the rules of the large online tables"),
        "points": ("Points", "one deal; the winner scores what the others lose"),
        "pool-61": ("Pool 61", "out at 61 lost points; the last player left wins"),
        "pool-101": ("Pool 101", "out at 101 lost points; the last player left wins"),
        "pool-201": ("Pool 201", "out at 201 lost points; the last player left wins"),
        "deals-2": ("Best of two", "two deals; the most chips win"),
        "deals-3": ("Best of three", "three deals; the most chips win"),
        "deals-6": ("Best of six", "six deals; the most chips win"),
    },
    workloads=(
        Workload(
            "games_per_s",
            ("minscore", "mindist", "mindist-score", "mindist-opp"),
            100,
            "deals among the paper's four skilled agents",
            all_pairs=True,
        ),
        Workload("outs_games_per_s", ("mindist-outs",) * 2, 1000, "deals of `mindist-outs` against itself"),
    ),
)
