"""Options of all trainers. They import nothing heavy, so that the command line can list them.

An options dataclass holds what identifies a run: all of it must be the same when a run resumes, except what its trainer
names in ``MAY_CHANGE``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from rummylab.engine.agent_options import info_of
from rummylab.engine.agent_options import option as option
from rummylab.errors import OptionError, UnknownNameError
from rummylab.learning.opponent_hand.line_ups import CASTS

AT_ONCE_STEPS = ("first", "second", "phase2", "phase3")
"""Searches of the opponent-hand paper: its two agents of phase 1, then the new agents of phases 2 and 3."""


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Base class of the options of a trainer.

    Raises:
        OptionError: A number is outside its limits.
    """

    def __post_init__(self) -> None:
        for one in fields(self):
            if isinstance(one.default, int | float):
                object.__setattr__(self, one.name, info_of(one).checked(getattr(self, one.name), "the run"))


SEED_HELP = "Random seed; the same seed gives the same result."


@dataclass(frozen=True, kw_only=True)
class ChineseCounterTraining(TrainingOptions):
    """Options of a run that trains the networks of chinese-counter."""

    rounds_a_step: int = option(150_000, "Rounds of the game that each step plays.", low=300)
    steps: int = option(3, "Steps of playing and fitting; a larger number extends a finished run.", low=1)
    bonus: float = option(40.0, "Points that winning a round counts beyond the points won.")
    seed: int = option(1, SEED_HELP)


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


@dataclass(frozen=True, kw_only=True)
class GinChampionOptions(TrainingOptions):
    """The recipe of the champion's values. The defaults made the artifact in the package."""

    hands: int = option(4_000_000, "Hands to learn from; a larger number extends a finished run.", low=1)
    seed: int = option(1, SEED_HELP)
    block: int = option(40_000, "Hands between two checkpoints.", low=1)
    league: float = option(0.62, "Share of hands against players of fixed style.", low=0, high=1)
    past: float = option(0.3, "Share of the other hands that is played against past selves.", low=0, high=1)
    trace: float = option(0.9, "Lambda of TD(lambda) at the start: 1 learns from results alone.", low=0, high=1)
    last_trace: float = option(0.6, "Lambda at the end; it falls evenly.", low=0, high=1)
    draws: int = option(1, "Other cards of the stock with which a draw is compared, to take its luck out.", low=0)
    explore: float = option(0.1, "Share of decisions made with random errors in the values.", low=0, high=1)
    spread: float = option(3.0, "Spread of these errors, in points.")
    rate: float = option(0.0015, "Learning rate of Adam at the start; it falls by 95%.")
    batch: int = option(1024, "Positions in a step of Adam.", low=1)
    games: int = option(100, "Games against each frozen opponent after each block.", low=2)
    against: str = option("", "Play every hand against this agent, to find a best response to it.")
    from_champion: bool = option(False, "Start from the champion in the package, not from random weights.")
    threads: int = option(1, "Threads that learn side by side; the result depends on their number.", low=1)
    without: str = option("", f"Parts of the recipe to leave out: {', '.join(GIN_PARTS)}.")

    def __post_init__(self) -> None:
        super().__post_init__()
        without(self.without)
        if self.threads > self.block:
            raise OptionError(f"threads is {self.threads}, but must be at most {self.block}, the hands of a block")


@dataclass(frozen=True, kw_only=True)
class GinCfrOptions(TrainingOptions):
    """Options of a run that trains the CFR tables of Gin."""

    hands: int = option(2_000_000, "Hands to learn from; a larger number extends a finished run.", low=1)
    seed: int = option(1, SEED_HELP)
    variant: str = option("cfr+", "How regrets and averages are weighted: cfr+ or cfr.")
    block: int = option(100_000, "Hands between two checkpoints.", low=1)
    examine: float = option(
        0.25, "Share of draws and discards to learn from; every knock is learned from.", low=0.001, high=1
    )
    explore: float = option(0.05, "Share of the learner's moves that are random.", low=0, high=0.999)
    games: int = option(2000, "Games against untrained tables after each block.", low=2)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant not in ("cfr", "cfr+"):
            raise OptionError(
                f"variant is {self.variant!r}; Gin is learned with cfr or cfr+, which need no whole sweeps"
            )


@dataclass(frozen=True, kw_only=True)
class HandShapeOptions(TrainingOptions):
    """Options of a run that trains the shape of opponents' hands."""

    entries: int = option(400_000, "Entries of fresh games for each kind of opponent.", low=1)
    model: Path | None = option(None, "Directory of a network; default: the one that comes with the package.")
    cast: str = option("ours", f"Who plays: {' or '.join(CASTS)}.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cast not in CASTS:
            raise UnknownNameError("cast", self.cast, CASTS)


@dataclass(frozen=True, kw_only=True)
class OpponentHandOptions(TrainingOptions):
    """Options of a run that trains the opponent-hand network."""

    data: tuple[Path, ...] = option((), "Directory of a dataset; may be given several times.")
    epochs: float = option(4.0, "How often each entry is seen.", low=0.001)
    batch: int = option(2048, "Entries of one step.", low=1)
    rate: float = option(1e-3, "Learning rate at the start; it falls along a cosine.", low=1e-9)
    round_entries: int = option(500_000, "Entries between two checkpoints.", low=1)
    held_out: float = option(0.05, "Share of the games that is not trained on.", low=0.001, high=0.999)
    patience: int = option(10, "Rounds without a lower loss on held-out games before training ends.", low=1)
    permute_suits: bool = option(True, "Permute the suits of every entry at random.")
    threads: int = option(0, "Threads of PyTorch; 0: one per core.")
    seed: int = option(1, SEED_HELP)


@dataclass(frozen=True, kw_only=True)
class GinValueOptions(TrainingOptions):
    """Options of a run that trains the values of utility-search."""

    hands: int = option(40_000, "Hands of self-play.", low=200)
    seed: int = option(1, SEED_HELP)
    block: int = option(1000, "Hands between two checkpoints.", low=1)


@dataclass(frozen=True, kw_only=True)
class IndianDrawsOptions(TrainingOptions):
    """Options of a run that trains the formula for draws until declaration."""

    hands: int = option(40_000, "Hands at each distance from 1 to 5.", low=100)
    seed: int = option(1, SEED_HELP)


@dataclass(frozen=True, kw_only=True)
class IndianOutsOptions(TrainingOptions):
    """Options of a run that trains the danger models of mindist-outs."""

    deals: int = option(
        4000, "Deals of self-play in each pass; the search plays eight times as many for each value.", low=10
    )
    seed: int = option(1, SEED_HELP)


@dataclass(frozen=True, kw_only=True)
class IndianChampionTraining(TrainingOptions):
    """The recipe of indian-champion. The defaults made the artifact in the package."""

    rounds: int = option(4, "Rounds of playing and learning; a larger number extends a finished run.", low=1)
    deals: int = option(120_000, "Deals of each round for the critic, a third of them again for the choices.", low=40)
    epochs: int = option(3, "How often each note is seen.", low=1)
    spread: float = option(1.5, "Spread of the learner's random errors, in points.")
    games: int = option(4000, "Deals against mindist-outs after each round.", low=2)
    against: str = option("", "Learn the points of duels with this agent alone, to find a best response to it.")
    from_champion: bool = option(False, "Start from the champion in the package, not from random weights.")
    seed: int = option(1, SEED_HELP)


@dataclass(frozen=True, kw_only=True)
class ContractCounterTraining(TrainingOptions):
    """The recipe of contract-counter. The defaults made the artifact in the package."""

    rounds: int = option(3, "Rounds of playing and learning; a larger number extends a finished run.", low=1)
    deals: int = option(
        100_000, "Deals of each round and number of seats for the critic, half of them again for choices.", low=80
    )
    epochs: int = option(6, "How often each note is seen.", low=1)
    bonus: float = option(10.0, "Points that winning a round counts beyond the points won.")
    spread: float = option(1.5, "Spread of the learner's random errors, in points.")
    games: int = option(1200, "Matches against contract-greedy after each round, for each number of seats.", low=2)
    seed: int = option(1, SEED_HELP)


@dataclass(frozen=True, kw_only=True)
class PassCounterTraining(TrainingOptions):
    """The recipe of pass-counter. The defaults made the artifact in the package."""

    rounds: int = option(3, "Rounds of playing and learning; a larger number extends a finished run.", low=1)
    hands: int = option(
        60_000, "Hands of each round and number of seats for the critic, a quarter again for choices.", low=40
    )
    epochs: int = option(4, "How often each note is seen.", low=1)
    spread: float = option(1.0, "Spread of the learner's random errors, in points.")
    games: int = option(200, "Matches against keats-tuned after each round, at two seats.", low=2)
    seed: int = option(1, SEED_HELP)


@dataclass(frozen=True, kw_only=True)
class AtOnceOptions(TrainingOptions):
    """Options of one of the paper's searches. Without a budget of its own it has that of our run."""

    step: str = option("first", f"Which search: {', '.join(AT_ONCE_STEPS)}.")
    numbers: Path | None = option(None, "Directory with first.json and second.json of earlier steps; default: ours.")
    network: Path | None = option(None, "Directory of the network, for phase2 and phase3.")
    trials: int = option(0, "Trials; 0: as many as our run had.")
    games: int = option(0, "Games of a trial against each opponent; 0: as many as our run had.")
    measured_games: int = option(0, "Games of the last measurement; 0: as many as our run had.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        super().__post_init__()
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


@dataclass(frozen=True, kw_only=True)
class JointBeliefOptions(TrainingOptions):
    """Options of a run that trains the joint belief over the opponent's hand."""

    rounds: int = option(60, "Rounds; each plays fresh games and learns from them once.", low=1)
    positions: int = option(20_000, "Positions of a round.")
    strong: str = option(STRONG, "Strong agents, as NAME=SHARE with semicolons between them.")
    styles: str = option(STYLES, "Agents of fixed style, written in the same way.")
    self_play: float = option(0.5, "Share of the games in which both agents are strong.", low=0, high=1)
    held_out: int = option(4000, "Positions of other games on which each round is measured.", low=1)
    batch: int = option(256, "Positions of one step.", low=1)
    rate: float = option(2e-3, "Learning rate at the start; it falls along a cosine.", low=1e-9)
    threads: int = option(1, "Threads of PyTorch; 0: one per core.")
    seed: int = option(1, SEED_HELP)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.positions < self.batch:
            raise OptionError(f"positions is {self.positions}, but must be at least {self.batch}, a batch")
