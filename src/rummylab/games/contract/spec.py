"""The declaration of contract rummy; Chinese Rummy is its first preset."""

from __future__ import annotations

from typing import Final

from rummylab.engine.spec import GameSpec, Verb, Workload
from rummylab.games.contract.options import ContractOptions

_ON_MELD: Final = ("CARD on meld N", "64 x (N - 1) + card")
_LAY_OFF: Final = "add a card to a meld on the table, after the player's own laydown or as a part of it"
_LAY_DOWN: Final = "lay down {} of the contract; the rest of the contract must follow"
_REPLACE: Final = "put a natural in the place of a wild on the table, which must be laid off at once"
_SETS: Final = "21 x (50 x rank + suits) + wilds"
_RUNS: Final = "21 x (8 x (13 x suit + lowest natural) + places above) + wilds"

SPEC: Final = GameSpec(
    name="contract",
    title="Contract rummy",
    package=__name__.rpartition(".")[0],
    options=ContractOptions,
    rules_class="ContractRummy",
    view_class="ContractObservation",
    seats=range(2, 7),
    version=2,
    jokers=True,
    opponent="chinese-counter",
    opponents=dict.fromkeys(("chinese-7", "contract-7", "liverpool-7", "shanghai-10"), "contract-greedy"),
    situation={
        "contract": "the contract to reach, such as S3+R4; by default that of the first round",
        "dead": "cards known to be gone, such as '7h 8h'",
    },
    match_for_people=lambda seats: {"rounds": 0, "target": 100},
    help="  * marks a wild card.",
    verbs=(
        Verb("draw stock", "DRAW_STOCK", "draw the top card of the stock"),
        Verb("draw upcard", "DRAW_PILE", "take the top card of the discard pile", former=("draw pile",)),
        Verb("buy", "BUY_UPCARD", "buy the declined upcard, with a penalty card from the stock"),
        Verb("pass", "PASS", "do not buy the upcard; or keep the last card where it may not be discarded"),
        Verb("discard", "DISCARD_CODE", "discard a card and end the turn", "CARD"),
        Verb("lay off", "LAY_OFF_CODE", _LAY_OFF, *_ON_MELD),
        Verb("lay off low", "LAY_OFF_LOW_CODE", "add a wild below a run that has room above it", *_ON_MELD),
        Verb("lay down", "SET_CODE", _LAY_DOWN.format("a set"), "CARDS", _SETS, ("meld",), "a set"),
        Verb("lay down", "RUN_CODE", _LAY_DOWN.format("a run"), "CARDS", _RUNS, ("meld",), "a run"),
        Verb("replace", "REPLACE_CODE", _REPLACE, *_ON_MELD),
    ),
    sentence="A new task every round. Two to six players.",
    picture=("Ks", "Kh", "Kd"),
    titles={
        "chinese": ("Chinese", "two sets of three, to 100 penalty points"),
        "chinese-literal": ("Chinese, literal", "the last card must be discarded"),
        "chinese-7": ("Chinese, seven rounds", "seven contracts from two sets to two runs and a set"),
        "contract-7": ("Classic", "seven contracts, cards count their face value"),
        "liverpool-7": ("Liverpool", "seven contracts without wild twos, three to five players"),
        "shanghai-10": ("Shanghai", "ten contracts and a lot of buying, three or four players"),
    },
    workloads=(
        Workload("rounds_per_s", ("chinese-heuristic",) * 2, 20_000, "rounds of `chinese-heuristic` against itself"),
        Workload("decisions_per_s", ("chinese-heuristic",) * 2, 20_000, "its decisions"),
        Workload("counter_rounds_per_s", ("chinese-counter",) * 2, 1_000, "rounds of `chinese-counter` against itself"),
        Workload("random_rounds_per_s", ("random",) * 2, 500, "rounds of `random` against itself"),
        Workload(
            "facade_decisions_per_s",
            ("chinese-heuristic",) * 2,
            1,
            "decisions of `chinese-heuristic` at the Python table",
            table=True,
            rules="chinese(rounds=20)",
        ),
    ),
)
