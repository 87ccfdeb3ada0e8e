"""Ten-card basic rummy for two: a whole game in one folder, declared like the games of the package.

Rules: ten cards each, one card turned up. A turn is a draw (stock or upcard), then any melds and layoffs, then a
discard; an upcard just taken may not be discarded while other cards are left. Groups have three or four cards, runs
three or more, aces are low. Who has no cards left wins the points of the opponent's hand; if the stock runs out,
nobody scores. A match goes to 100 points.

The game is not in the registry. ``SPEC.rules()`` plays at the Python table, ``SPEC.batch`` in the batch driver.
"""

from __future__ import annotations

from typing import Final

from basic_rummy.options import BasicOptions
from rummylab.engine.spec import GameSpec, Verb

SPEC: Final = GameSpec(
    name="basic_rummy",
    title="Basic rummy",
    package="basic_rummy",
    options=BasicOptions,
    rules_class="BasicRummy",
    view_class="BasicObservation",
    verbs=(
        Verb("draw stock", "DRAW_STOCK", "draw the top card of the stock"),
        Verb("draw upcard", "DRAW_UPCARD", "take the top card of the discard pile"),
        Verb("discard", "DISCARD_CODE", "discard a card and end the turn", "CARD"),
        Verb("lay off", "LAY_OFF_CODE", "add a card to the first meld on the table that it fits", "CARD"),
        Verb("lay down", "MELD_CODE", "lay down a meld", "CARDS", "meld"),
    ),
)
