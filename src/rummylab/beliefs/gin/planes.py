"""The inputs of the opponent-hand network: four planes of 52 numbers, as in the paper.

Source: "Opponent hand estimation in Gin Rummy", section Model Design. Plane 0 is 1 for a card in the player's own hand
and -1 for one in the discard pile. Planes 1 to 3 hold the opponent's turn (1 is the first) at which they took the card
from the pile, passed it, or discarded it, and 0 for never. A card is at 13 * suit + rank; the paper's 13 x 4 matrix
differs only in the order, which does not matter to a fully connected layer. The inputs are not scaled.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rummylab._jit import helper
from rummylab.cards.bits import IDS_52

N_CARDS = 52
N_INPUTS = 4 * N_CARDS


@helper
def write_planes(table: np.void, mine: np.void, out: npt.NDArray[np.float32]) -> None:
    """Write the 208 inputs of the seat *mine* to *out*."""
    opponent = 1 - mine.seat
    for i in range(N_CARDS):
        card = np.int64(IDS_52[i])
        out[i] = np.float32((mine.hand >> card & 1) - (table.pile >> card & 1))
        out[N_CARDS + i] = np.float32(table.took[opponent, i])
        out[2 * N_CARDS + i] = np.float32(table.passed[opponent, i])
        out[3 * N_CARDS + i] = np.float32(table.threw[opponent, i])
