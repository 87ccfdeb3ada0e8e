"""Options of all trainers. They import nothing heavy, so that the command line can list them.

An options dataclass holds what identifies a run: all of it must be the same when a run resumes, except what its trainer
names in ``MAY_CHANGE``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rummylab.errors import OptionError, UnknownNameError
from rummylab.learning.opponent_hand.line_ups import CASTS

AT_ONCE_STEPS = ("first", "second", "phase2", "phase3")
"""Searches of the opponent-hand paper: its two agents of phase 1, then the new agents of phases 2 and 3."""


def option(default: Any, what: str) -> Any:
    """Return a field of an options dataclass; *what* is its help text on the command line."""
    return field(default=default, metadata={"help": what})


SEED_HELP = "Random seed; the same seed gives the same result."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChineseCounterTraining:
    """Options of a run that trains the networks of chinese-counter."""

    rounds_a_step: int = option(150_000, "Rounds of the game that each step plays.")
    steps: int = option(3, "Steps of playing and fitting; a larger number extends a finished run.")
    bonus: float = option(40.0, "Points that winning a round counts beyond the points won.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.rounds_a_step < 300 or self.steps < 1:
            raise OptionError(
                f"a fit needs 300 rounds a step and one step or more, not {self.rounds_a_step} and {self.steps}"
            )


GIN_PARTS = {
    "history": "inputs for what the opponent took, declined and threw",
    "style": "inputs for how the opponent knocked in this match",
    "belief": "the model of the opponent's cards by what they took, declined and threw",
    "counterfactuals": "knocks that were possible and not made, as examples for the knock network",
    "units": "half of the units in the first layer",
}
"""Parts of the champion's recipe that a run can leave out."""


def without(parts: str) -> tuple[str, ...]:
    """Return the names of *parts*, which commas or blanks separate.

    Raises:
        OptionError: A name is not a part of the recipe.
    """
    names = tuple(parts.replace(",", " ").split())
    for name in names:
        if name not in GIN_PARTS:
            raise OptionError(f"the recipe has no part {name!r}; its parts are {', '.join(GIN_PARTS)}")
    return names


@dataclass(frozen=True, slots=True, kw_only=True)
class GinChampionOptions:
    """The recipe of the champion's values. The defaults made the artifact in the package."""

    hands: int = option(4_000_000, "Hands to learn from; a larger number extends a finished run.")
    seed: int = option(1, SEED_HELP)
    block: int = option(40_000, "Hands between two checkpoints.")
    league: float = option(0.62, "Share of hands against players of fixed style.")
    past: float = option(0.3, "Share of the other hands that is played against past selves.")
    trace: float = option(0.9, "Lambda of TD(lambda) at the start: 1 learns from results alone.")
    last_trace: float = option(0.6, "Lambda at the end; it falls evenly.")
    draws: int = option(1, "Other cards of the stock with which a draw is compared, to take its luck out.")
    explore: float = option(0.1, "Share of decisions made with random errors in the values.")
    spread: float = option(3.0, "Spread of these errors, in points.")
    rate: float = option(0.0015, "Learning rate of Adam at the start; it falls by 95%.")
    batch: int = option(1024, "Positions in a step of Adam.")
    games: int = option(100, "Games against each frozen opponent after each block.")
    against: str = option("", "Play every hand against this agent, to find a best response to it.")
    from_champion: bool = option(False, "Start from the champion in the package, not from random weights.")
    threads: int = option(1, "Threads that learn side by side; the result depends on their number.")
    without: str = option("", f"Parts of the recipe to leave out: {', '.join(GIN_PARTS)}.")

    def __post_init__(self) -> None:
        without(self.without)
        if self.hands < 1 or self.block < 1 or self.games < 2 or self.batch < 1 or self.draws < 0:
            raise OptionError("hands, block and batch must be at least 1, games at least 2, and draws at least 0")
        if not 1 <= self.threads <= self.block:
            raise OptionError("threads must be at least 1, and at most as many as the hands of a block")
        if not all(0 <= share <= 1 for share in (self.league, self.past, self.trace, self.last_trace, self.explore)):
            raise OptionError("league, past, traces and explore are shares from 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class GinCfrOptions:
    """Options of a run that trains the CFR tables of Gin."""

    hands: int = option(2_000_000, "Hands to learn from; a larger number extends a finished run.")
    seed: int = option(1, SEED_HELP)
    variant: str = option("cfr+", "How regrets and averages are weighted: cfr+ or cfr.")
    block: int = option(100_000, "Hands between two checkpoints.")
    examine: float = option(0.25, "Share of draws and discards to learn from; every knock is learned from.")
    explore: float = option(0.05, "Share of the learner's moves that are random.")
    games: int = option(2000, "Games against untrained tables after each block.")

    def __post_init__(self) -> None:
        if self.variant not in ("cfr", "cfr+"):
            raise OptionError(
                f"variant is {self.variant!r}; Gin is learned with cfr or cfr+, which need no whole sweeps"
            )
        if self.hands < 1 or self.block < 1 or self.games < 2:
            raise OptionError("hands and block must be 1 or more, games 2 or more")
        if not (0 < self.examine <= 1 and 0 <= self.explore < 1):
            raise OptionError("examine must be above 0 and at most 1, explore at least 0 and below 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShapeOptions:
    """Options of a run that trains the shape of opponents' hands."""

    entries: int = option(400_000, "Entries of fresh games for each kind of opponent.")
    model: Path | None = option(None, "Directory of a network; default: the one that comes with the package.")
    cast: str = option("ours", f"Who plays: {' or '.join(CASTS)}.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.entries < 1:
            raise OptionError(f"entries is {self.entries}, but must be positive")
        if self.cast not in CASTS:
            raise UnknownNameError("cast", self.cast, CASTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentHandOptions:
    """Options of a run that trains the opponent-hand network."""

    data: tuple[Path, ...] = option((), "Directory of a dataset; may be given several times.")
    epochs: float = option(4.0, "How often each entry is seen.")
    batch: int = option(2048, "Entries of one step.")
    rate: float = option(1e-3, "Learning rate at the start; it falls along a cosine.")
    round_entries: int = option(500_000, "Entries between two checkpoints.")
    held_out: float = option(0.05, "Share of the games that is not trained on.")
    patience: int = option(10, "Rounds without a lower loss on held-out games before training ends.")
    permute_suits: bool = option(True, "Permute the suits of every entry at random.")
    threads: int = option(0, "Threads of PyTorch; 0: one per core.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch, self.rate, self.round_entries, self.patience) <= 0:
            raise OptionError("epochs, batch, rate, round_entries and patience must be positive")
        if not 0 < self.held_out < 1:
            raise OptionError(f"held_out is {self.held_out}, but must be between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class GinValueOptions:
    """Options of a run that trains the values of utility-search."""

    hands: int = option(40_000, "Hands of self-play.")
    seed: int = option(1, SEED_HELP)
    block: int = option(1000, "Hands between two checkpoints.")

    def __post_init__(self) -> None:
        if self.hands < 200 or self.block < 1:
            raise OptionError(f"hands is {self.hands}, block {self.block}; a fit needs 200 hands and blocks of 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndianDrawsOptions:
    """Options of a run that trains the formula for draws until declaration."""

    hands: int = option(40_000, "Hands at each distance from 1 to 5.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.hands < 100:
            raise OptionError(f"hands is {self.hands}, but a fit needs 100 or more at each distance")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndianOutsOptions:
    """Options of a run that trains the danger models of mindist-outs."""

    deals: int = option(4000, "Deals of self-play in each pass; the search plays eight times as many for each value.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.deals < 10:
            raise OptionError(f"deals is {self.deals}, but a fit needs ten or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndianChampionTraining:
    """The recipe of indian-champion. The defaults made the artifact in the package."""

    rounds: int = option(4, "Rounds of playing and learning; a larger number extends a finished run.")
    deals: int = option(120_000, "Deals of each round for the critic, a third of them again for the choices.")
    epochs: int = option(3, "How often each note is seen.")
    spread: float = option(1.5, "Spread of the learner's random errors, in points.")
    games: int = option(4000, "Deals against mindist-outs after each round.")
    against: str = option("", "Learn the points of duels with this agent alone, to find a best response to it.")
    from_champion: bool = option(False, "Start from the champion in the package, not from random weights.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.deals < 40 or self.epochs < 1 or self.games < 2:
            raise OptionError("a run needs one round, 40 deals, one epoch and two games or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractCounterTraining:
    """The recipe of contract-counter. The defaults made the artifact in the package."""

    rounds: int = option(3, "Rounds of playing and learning; a larger number extends a finished run.")
    deals: int = option(
        100_000, "Deals of each round and number of seats for the critic, half of them again for choices."
    )
    epochs: int = option(6, "How often each note is seen.")
    bonus: float = option(10.0, "Points that winning a round counts beyond the points won.")
    spread: float = option(1.5, "Spread of the learner's random errors, in points.")
    games: int = option(1200, "Matches against contract-greedy after each round, for each number of seats.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.deals < 80 or self.epochs < 1 or self.games < 2:
            raise OptionError("a run needs one round, 80 deals, one epoch and two games or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassCounterTraining:
    """The recipe of pass-counter. The defaults made the artifact in the package."""

    rounds: int = option(3, "Rounds of playing and learning; a larger number extends a finished run.")
    hands: int = option(60_000, "Hands of each round and number of seats for the critic, a quarter again for choices.")
    epochs: int = option(4, "How often each note is seen.")
    spread: float = option(1.0, "Spread of the learner's random errors, in points.")
    games: int = option(200, "Matches against keats-tuned after each round, at two seats.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.hands < 40 or self.epochs < 1 or self.games < 2:
            raise OptionError("a run needs one round, 40 hands, one epoch and two games or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class AtOnceOptions:
    """Options of one of the paper's searches. Without a budget of its own it has that of our run."""

    step: str = option("first", f"Which search: {', '.join(AT_ONCE_STEPS)}.")
    numbers: Path | None = option(None, "Directory with first.json and second.json of earlier steps; default: ours.")
    network: Path | None = option(None, "Directory of the network, for phase2 and phase3.")
    trials: int = option(0, "Trials; 0: as many as our run had.")
    games: int = option(0, "Games of a trial against each opponent; 0: as many as our run had.")
    measured_games: int = option(0, "Games of the last measurement; 0: as many as our run had.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if self.step not in AT_ONCE_STEPS:
            raise UnknownNameError("step", self.step, AT_ONCE_STEPS)
        if (self.network is None) == (self.step in AT_ONCE_STEPS[2:]):
            raise OptionError("the steps phase2 and phase3, and only they, need a network: give --network")


STRONG = "utility-dnn~10=2;utility@ours~10=2;utility~10=1"
"""Strong agents for the games of the joint belief, with their shares."""
STYLES = (
    "simple=4;medium=3;fitness-cfr=2;fitness-independent=1;utility-patient~10=3;utility-printed~10=1;"
    "utility-printed-dnn~10=1;utility-at-once~10=2;utility-search(worlds=20)=1;random=0.5"
)
"""Agents of fixed style for the games of the joint belief, with their shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointBeliefOptions:
    """Options of a run that trains the joint belief over the opponent's hand."""

    rounds: int = option(60, "Rounds; each plays fresh games and learns from them once.")
    positions: int = option(20_000, "Positions of a round.")
    strong: str = option(STRONG, "Strong agents, as NAME=SHARE with semicolons between them.")
    styles: str = option(STYLES, "Agents of fixed style, written in the same way.")
    self_play: float = option(0.5, "Share of the games in which both agents are strong.")
    held_out: int = option(4000, "Positions of other games on which each round is measured.")
    batch: int = option(256, "Positions of one step.")
    rate: float = option(2e-3, "Learning rate at the start; it falls along a cosine.")
    threads: int = option(1, "Threads of PyTorch; 0: one per core.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        if min(self.rounds, self.batch, self.rate, self.held_out) <= 0 or self.positions < self.batch:
            raise OptionError("rounds, batch, rate and held_out must be positive, and positions at least a batch")
        if not 0 <= self.self_play <= 1:
            raise OptionError(f"self_play is {self.self_play}, but must be between 0 and 1")
