"""Utility on the paper's own terms: knocks at once, with the network that was trained on the games of such agents.

Source: "Opponent hand estimation in Gin Rummy" (EAAI-2021 challenge). Policy: that of `utility-printed-dnn`.
Departures: the eight numbers are re-tuned with our network, as the paper re-tuned them with its own
(utility_at_once.json), and ten hands are sampled, not a hundred. With ``belief=0`` it is the same agent without the
network. Measured in docs/results/opponent-hand.
"""

from __future__ import annotations

from pathlib import Path

from rummylab.agents.gin.utility import CHECK_PAR, act, with_network
from rummylab.agents.gin.utility_options import NAMES, load_artifact
from rummylab.beliefs.gin import network, shape

__all__ = ["ARTIFACT", "CHECK_PAR", "OPTION_NAMES", "WEIGHTS", "act"]

OPTION_NAMES = NAMES
ARTIFACT = Path(__file__).with_suffix(".json")
WEIGHTS = with_network(load_artifact(ARTIFACT), network.bundled(network.AT_ONCE), shape.bundled())
