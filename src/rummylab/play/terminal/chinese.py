"""A Chinese Rummy table in the terminal: the contract of the round, and who has laid it down."""

from __future__ import annotations

from rummylab.engine.observation import Observation
from rummylab.engine.seats import Seat
from rummylab.games.contract.game import ContractObservation
from rummylab.games.contract.options import Contract
from rummylab.play.terminal.table import YOU, TerminalTable

_NUMBERS = {1: "a", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}


class ChineseTable(TerminalTable):
    """A match of Chinese Rummy."""

    title = "Chinese Rummy"

    def _show(self, seen: Observation) -> None:
        assert isinstance(seen, ContractObservation)
        self.write(f"\ncontract: {contract_words(seen.contract)} · twos and jokers are wild")
        down = [self.names[seat] for seat in range(self.rules.seats) if seen.has_laid_down(Seat(seat))]
        if down:
            have = "have" if len(down) > 1 or down == [self.names[YOU]] else "has"
            self.write(f"{' and '.join(down)} {have} laid it down")
        super()._show(seen)


def contract_words(contract: Contract) -> str:
    """Return what a contract asks for: ``two sets of three and a run of four``."""
    parts = ((contract.sets, "set", contract.set_size), (contract.runs, "run", contract.run_size))
    return " and ".join(
        f"{_NUMBERS.get(n, n)} {what}{'s' * (n > 1)} of {_NUMBERS.get(size, size)}" for n, what, size in parts if n
    )
