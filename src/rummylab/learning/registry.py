"""Everything that ``rummylab train`` can train. The list imports nothing heavy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from rummylab.errors import UnknownNameError
from rummylab.learning import options as o

if TYPE_CHECKING:
    from rummylab.learning.trainer import Trainer


class TrainerEntry(NamedTuple):
    """Where a trainer lives, its options, what it trains, and an example of its command."""

    home: str
    """Module and class."""
    options: type[Any]
    summary: str
    example: str

    def load(self) -> type[Trainer]:
        """Import the trainer."""
        module, _, name = self.home.partition(":")
        found: type[Trainer] = getattr(import_module(f"rummylab.learning.trainers.{module}"), name)
        return found


TRAINERS = {
    "gin-opponent-hand": TrainerEntry(
        "gin_opponent_hand:GinOpponentHand",
        o.OpponentHandOptions,
        "Train the network that estimates the opponent's hand in Gin.",
        "--data data1 --out net1",
    ),
    "gin-hand-shape": TrainerEntry(
        "gin_hand_shape:GinHandShape",
        o.HandShapeOptions,
        "Train the shape of opponents' hands in Gin, for sampling whole hands.",
        "--entries 400000 --out hand-shape",
    ),
    "gin-joint-belief": TrainerEntry(
        "gin_joint_belief:GinJointBelief",
        o.JointBeliefOptions,
        "Train the joint belief over the opponent's hand in Gin, for sampling whole hands.",
        "--rounds 60 --out joint",
    ),
    "gin-at-once": TrainerEntry(
        "gin_at_once:GinAtOnce",
        o.AtOnceOptions,
        "Tune the utility agents that knock at once, by the paper's search.",
        "--step first --out first",
    ),
    "gin-cfr": TrainerEntry(
        "gin_cfr:GinCfr",
        o.GinCfrOptions,
        "Train the discard, draw and knock tables of fitness-cfr, by Monte-Carlo CFR.",
        "--hands 2000000 --out gin-cfr",
    ),
    "gin-champion": TrainerEntry(
        "gin_champion:GinChampion",
        o.GinChampionOptions,
        "Train the values of champion, by self-play and a league.",
        "--hands 4000000 --out gin-champion",
    ),
    "gin-value": TrainerEntry(
        "gin_value:GinValue",
        o.GinValueOptions,
        "Train what utility and deadwood are worth in points, for utility-search.",
        "--hands 40000 --out gin-value",
    ),
    "indian-draws": TrainerEntry(
        "indian_draws:IndianDraws",
        o.IndianDrawsOptions,
        "Fit the formula for the draws that a hand of Indian Rummy takes until declaration.",
        "--hands 40000 --out indian-draws",
    ),
    "indian-champion": TrainerEntry(
        "indian_champion:IndianChampion",
        o.IndianChampionTraining,
        "Train the values of indian-champion, from a critic that sees all hands.",
        "--rounds 4 --out indian-champion",
    ),
    "pass-counter": TrainerEntry(
        "pass_counter:PassCounter",
        o.PassCounterTraining,
        "Train the values of pass-counter, from a critic that sees all hands.",
        "--rounds 2 --out pass-counter",
    ),
    "indian-outs": TrainerEntry(
        "indian_outs:IndianOuts",
        o.IndianOutsOptions,
        "Train the danger models of mindist-outs, and the weight of each term.",
        "--deals 4000 --out indian-outs",
    ),
    "chinese-counter": TrainerEntry(
        "chinese_counter:ChineseCounter",
        o.ChineseCounterTraining,
        "Train the position values of chinese-counter, by self-play and least squares.",
        "--steps 3 --out chinese-counter",
    ),
    "contract-counter": TrainerEntry(
        "contract_counter:ContractCounter",
        o.ContractCounterTraining,
        "Train the values of contract-counter, from a critic that sees all hands.",
        "--rounds 3 --out contract-counter",
    ),
}


def trainer(name: str) -> type[Trainer]:
    """Return the trainer *name*.

    Raises:
        UnknownNameError: There is no such trainer; the message suggests the nearest name.
    """
    if name not in TRAINERS:
        raise UnknownNameError("trainer", name, TRAINERS)
    return TRAINERS[name].load()
