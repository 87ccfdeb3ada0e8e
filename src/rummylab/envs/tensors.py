"""Observations as tensors, and actions as numbers, for one set of rules."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummylab.cards.card import Card
from rummylab.engine.action import Action
from rummylab.engine.observation import Observation
from rummylab.engine.rows import Rows
from rummylab.engine.rules import Rules
from rummylab.engine.seats import Seat
from rummylab.engine.tensor_kernels import to_floats
from rummylab.engine.tensors import Bytes, Choice, Floats, Layout, Numbering
from rummylab.envs.kernels import CARDS_SIZE, FULL, N_ACTIONS, N_SETTINGS, SEATS, SIZE, env_kernels, resolver
from rummylab.errors import IllegalActionError, OptionError
from rummylab.games.lookup import rules_of

NUMBERINGS: Final = ("compact", "full")
Masks = npt.NDArray[np.bool_]


class Tensors:
    """Writes observations as numbers, and numbers the actions of a learner.

    ``compact`` (the default) numbers what a player decides in the course of play; a solver melds and lays off.
    ``full`` numbers every action of the rules.

    Raises:
        OptionError: If there is no such numbering.

    Example:
        >>> from rummylab import State, gin
        >>> tensors = Tensors(gin())
        >>> seen = State.deal(gin(), seed=7).observe(0)
        >>> tensors.encode(seen).shape, tensors.n_actions
        ((698,), 108)
    """

    def __init__(self, rules: Rules | str, actions: str = "compact") -> None:
        if actions not in NUMBERINGS:
            raise OptionError(f"Actions are numbered {' or '.join(NUMBERINGS)}, not {actions!r}.")
        self.rules = rules_of(rules) if isinstance(rules, str) else rules
        spec = self.rules.spec
        self.game = spec.module("tensors").TENSORS
        self.layout = Layout(self.game, spec.kernels.VIEW, self.rules.seats)
        self.is_full = actions == "full"
        if self.is_full:
            codes = sorted(self.rules._codec.by_code)  # type: ignore[attr-defined]
            self.numbering = Numbering([Choice(str(self.rules.decode(code)), code, "") for code in codes])
        else:
            self.numbering = Numbering(self.game.choices)
        self.lookup = np.full(spec.kernels.N_CODES, -1, np.int32)
        """The action of each code of the rules, -1 if it has none."""
        known = self.numbering.codes >= 0
        self.lookup[self.numbering.codes[known]] = np.flatnonzero(known)
        self.program = self.layout.program
        self.numbers = np.ascontiguousarray(np.stack([self.numbering.codes, self.numbering.cards]))
        self.settings = np.zeros(N_SETTINGS, np.int64)
        self.settings[[SEATS, FULL, SIZE]] = self.rules.seats, self.is_full, self.layout.size
        self.settings[[CARDS_SIZE, N_ACTIONS]] = self.layout.cards_size, self.numbering.size

    @property
    def size(self) -> int:
        """Numbers in a flat tensor."""
        return self.layout.size

    @property
    def n_planes(self) -> int:
        """Planes of 4 x 13 cards."""
        return len(self.layout.planes)

    @property
    def n_scalars(self) -> int:
        """Numbers beside the planes."""
        return self.layout.size - self.layout.cards_size

    @property
    def n_actions(self) -> int:
        """Number of actions."""
        return self.numbering.size

    # --- Observations -------------------------------------------------------------------------------------------------

    def encode(self, seen: Observation | Rows) -> Bytes:
        """Return the tensor of an observation, or of an array of views, as uint8."""
        return self.encode_with_masks(seen)[0]

    def mask(self, seen: Observation | Rows) -> Masks:
        """Return which actions are legal; none unless it is the viewer's turn."""
        return self.encode_with_masks(seen)[1]

    def encode_with_masks(self, seen: Observation | Rows) -> tuple[Bytes, Masks]:
        """Return the tensor and the legal actions of an observation, or of an array of views."""
        views = seen.view if isinstance(seen, Observation) else seen
        tensor = np.empty((len(views), self.size), np.uint8)
        masks = np.empty((len(views), self.n_actions), np.uint8)
        kernels = env_kernels(self.rules.name)
        kernels.encode(np.ascontiguousarray(views), self.settings, self.program, self.lookup, tensor, masks)
        legal = masks.view(np.bool_)
        return (tensor[0], legal[0]) if isinstance(seen, Observation) else (tensor, legal)

    def floats(self, tensor: Bytes) -> Floats:
        """Return *tensor* as float32, with numbers divided by their scales."""
        rows = np.ascontiguousarray(np.atleast_2d(tensor))
        out = np.empty(rows.shape, np.float32)
        to_floats(rows, self.layout.scales, out)
        return out.reshape(tensor.shape)

    def planes(self, tensor: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the card planes of flat tensors as a view of shape (..., planes, 4, 13): suit by rank."""
        cards = tensor[..., : self.layout.cards_size]
        shape = (*tensor.shape[:-1], self.n_planes, 4, 13)
        strides = (*tensor.strides[:-1], *(step * tensor.itemsize for step in (52, 13, 1)))
        return np.lib.stride_tricks.as_strided(cards, shape, strides, writeable=False)

    def scalars(self, tensor: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the numbers of flat tensors that follow the planes."""
        return tensor[..., self.layout.cards_size :]

    def decode(self, tensor: Bytes, seat: Seat | int = 0) -> Observation:
        """Return the observation of *seat* that *tensor* shows.

        Fields named in ``layout.lost`` are missing: they are zero, as in a record before the deal.
        """
        view: Rows = np.zeros(1, self.rules.spec.kernels.VIEW)
        view["table"]["rules"] = self.rules.start_row()["table"]["rules"]  # type: ignore[attr-defined]
        self.layout.restore(tensor, view, int(seat))
        return self.rules.observation(Seat(int(seat)), view, (), ())

    # --- Actions ------------------------------------------------------------------------------------------------------

    def action(self, number: int, seen: Observation) -> Action:
        """Return the action at the table that *number* stands for in the position *seen*.

        Raises:
            IllegalActionError: If it is not legal there.
        """
        if not (0 <= number < self.n_actions and self.mask(seen)[number]):
            raise IllegalActionError(f"{self.name_of(number)} is not legal in the phase {seen.phase!r}.")
        code = int(self.numbering.codes[number])
        if code >= 0:
            return self.rules.decode(code)
        card = int(self.numbering.cards[number])
        return self.rules.decode(int(resolver(self.rules.name)(seen.view, code, card)))

    def number(self, action: Action) -> int:
        """Return the number of *action*, or -1 if the numbering has no such action."""
        return int(self.lookup[self.rules.encode(action)])

    def name_of(self, number: int) -> str:
        """Return the action *number* in words, such as ``discard 7h``."""
        if not 0 <= number < self.n_actions:
            return f"action {number}"
        firsts = np.array(self.numbering.firsts)
        at = int(np.searchsorted(firsts, number, side="right")) - 1
        choice, card = self.numbering.choices[at], int(self.numbering.cards[number])
        if card < 0:
            return choice.words
        return f"{choice.words} {Card(card)}"
