"""Utility with the opponent-hand network: the paper's final agent.

Source: "Opponent hand estimation in Gin Rummy" (EAAI-2021 challenge). Policy: that of `utility`; the opponent's hand is
estimated by the trained network (:mod:`rummylab.beliefs.gin.network`), in the probabilities that it melds what we need,
in the weights of the stock and in the sampled hands. Departures: the numbers are tuned anew (utility_dnn.json), and it
knocks only if that pays on average over the sampled hands. With ``belief=3`` these have the deadwood of real ones
(:mod:`rummylab.beliefs.gin.shape`). Measured in docs/results/opponent-hand.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rummylab.agents.gin.utility import CHECK_PAR, act
from rummylab.agents.gin.utility_options import NAMES, load_artifact
from rummylab.beliefs.gin import network, shape

__all__ = ["ARTIFACT", "BELIEF_WEIGHTS", "CHECK_PAR", "OPTION_NAMES", "WEIGHTS", "act"]

OPTION_NAMES = NAMES
ARTIFACT = Path(__file__).with_suffix(".json")
BELIEF_WEIGHTS = np.concatenate([network.bundled().flat, shape.bundled().ravel()])
"""The network, then the shape of hands."""
WEIGHTS = np.concatenate([np.array(load_artifact(ARTIFACT).par, np.float32), BELIEF_WEIGHTS])
