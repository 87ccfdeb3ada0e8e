"""What the Python face of every game asks of its kernels in the same way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rummylab.engine.action import Event
from rummylab.engine.rules import Codes, Rows, view_of
from rummylab.engine.seats import Seat
from rummylab.errors import IllegalActionError


class KernelRules(ABC):
    """Rules whose positions are records with ``table`` and ``mine``, and whose moves are one module of kernels."""

    kernels: ClassVar[Any]
    """Module with ``VIEW``, ``MAX_LEGAL``, ``legal_many`` and ``step_many``."""

    @abstractmethod
    def why_not(self, row: Rows, code: int) -> str:
        """Say in words why the rules refuse *code*: for people, not for deciding anything."""

    def aside(self, row: Rows) -> list[Event]:
        """Return what the table did beside the last move; mostly nothing."""
        return []

    def actor(self, row: Rows) -> int:
        return int(row["table"]["actor"][0])

    def legal(self, row: Rows) -> list[int]:
        codes = np.empty((1, self.kernels.MAX_LEGAL), np.int16)
        counts = np.empty(1, np.int64)
        self.kernels.legal_many(row, codes, counts)
        return codes[0, : counts[0]].tolist()  # type: ignore[no-any-return]

    def step(self, rows: Rows, codes: Codes) -> npt.NDArray[np.int8]:
        drawn = np.empty(len(rows), np.int8)
        at = int(self.kernels.step_many(rows, codes, drawn))
        if at >= 0:
            raise IllegalActionError(self.why_not(rows[at : at + 1], int(codes[at])))
        return drawn

    def observe(self, row: Rows, seat: Seat) -> Rows:
        return view_of(row, seat, self.kernels.VIEW)
