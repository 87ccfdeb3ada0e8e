"""The numbers of the utility agent: names, printed values, and their places in ``par``."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from math import isfinite
from pathlib import Path

from rummylab.beliefs.gin.shape import KINDS
from rummylab.engine.artifacts import check_kind, read_numbers
from rummylab.errors import ArtifactError, OptionError

UNIFORM, COUNTS, NETWORK, SHAPED = range(4)
"""Beliefs about the opponent's hand; SHAPED is the network's, with sampled hands of the right shape."""


@dataclass(frozen=True, kw_only=True)
class UtilityOptions:
    """What can be set. The defaults are the paper's: its printed numbers, 100 samples, the uniform belief."""

    meld_bonus: float = 1.5
    """For each possible three-card meld with the card."""
    combination_bonus: float = 4.0
    """Added if two cards of that meld are held."""
    deadwood_bonus: float = 1.0
    """Times 5 minus the points of the card."""
    knock_bonus: float = 10.0
    gin_bonus: float = 20.0
    opp_util_importance: float = 0.77
    """Weight of what the opponent is expected to gain from the discard."""
    low_card_bonus: float = 0.2
    """For an ace; half of it for a two."""
    emergency_booster: float = 2.5
    """Factor of the deadwood bonus when one card is missing to knock."""
    samples: float = 100
    """Hands of the opponent sampled at a discard."""
    belief: float = UNIFORM
    close: float = 0.0
    """Appendix B, 1: the opponent seems close to knocking if its sampled hands have at most this mean deadwood."""
    careful_limit: float = 6.0
    """Appendix B, 1: then knock with at most this deadwood only."""
    free_discard: float = 0.0
    """Appendix B, 2: 1 if then the discard is free, too, where a knock would be possible."""
    defend_well: float = 0.0
    """Appendix B, 3: 1 to meld as defender so that most is laid off."""
    spread_well: float = 0.0
    """Appendix B, 4: 1 to meld as knocker so that the opponent can lay off least."""
    take_margin: float = 0.0
    """Ours. By how much the up-card must be better than the stock to be taken where it does not lower deadwood."""
    haste: float = 0.0
    """Ours. The deadwood bonus grows by this share of itself with every turn of the hand."""
    knock_from: float = 100.0
    """Ours. Knock with at most this deadwood in the first turn ..."""
    knock_fall: float = 0.0
    """Ours. ... and so much less in every turn that follows."""
    knock_value: float = -1000.0
    """Ours. Knock only if the mean score over the sampled hands is at least this."""
    opponent_kind: float = 0.0
    """Ours. Whose hands shaped hands resemble: 0 those of utility agents, 1 Simple's, 2 those of the paper's mix."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and isfinite(value)):
                raise OptionError(f"{field.name} of the utility agent is {value!r}, but must be a number")
        if not 0 <= self.samples <= MAX_SAMPLES:
            raise OptionError(f"samples is {self.samples}, but must lie between 0 and {MAX_SAMPLES}")
        if self.belief not in range(4):
            raise OptionError(f"belief is {self.belief:g}, but must be 0, 1, 2 or 3")
        if self.opponent_kind not in range(len(KINDS)):
            raise OptionError(f"opponent_kind is {self.opponent_kind:g}, but must be 0, 1 or 2: {', '.join(KINDS)}")

    @property
    def par(self) -> tuple[float, ...]:
        """The numbers in the order of ``par``."""
        return tuple(map(float, astuple(self)))


MAX_SAMPLES = 1000
APPENDIX_B = {"close": 30.0, "careful_limit": 6.0, "free_discard": 1.0, "defend_well": 1.0, "spread_well": 1.0}
"""The options that are Appendix B of the paper. It does not say when an opponent "seems close"; the bound is ours."""
PATIENT = UtilityOptions(
    meld_bonus=1.0,
    combination_bonus=3.5,
    deadwood_bonus=0.45,
    knock_bonus=6.3,
    gin_bonus=27.0,
    opp_util_importance=1.5,
    low_card_bonus=1.3,
    emergency_booster=1.8,
    samples=10,
    belief=COUNTS,
    free_discard=1,
    defend_well=1,
    spread_well=1,
    take_margin=1.4,
    haste=0.22,
    knock_from=4.8,
    knock_fall=1.25,
)
"""A second well-performing strategy, as the paper keeps two or three: plays for gin and guards its discards."""
NAMES = tuple(field.name for field in fields(UtilityOptions))
N_OPTIONS = len(NAMES)
"""Weights of a belief begin here."""
(
    MELD_BONUS,
    COMBINATION_BONUS,
    DEADWOOD_BONUS,
    KNOCK_BONUS,
    GIN_BONUS,
    OPP_UTIL_IMPORTANCE,
    LOW_CARD_BONUS,
    EMERGENCY_BOOSTER,
    SAMPLES,
    BELIEF,
    CLOSE,
    CAREFUL_LIMIT,
    FREE_DISCARD,
    DEFEND_WELL,
    SPREAD_WELL,
    TAKE_MARGIN,
    HASTE,
    KNOCK_FROM,
    KNOCK_FALL,
    KNOCK_VALUE,
    OPPONENT_KIND,
) = range(N_OPTIONS)


# --- The tuned numbers --------------------------------------------------------------------------------------------

FORMAT, VERSION = "rummylab utility", 1


def load_artifact(path: Path) -> UtilityOptions:
    """Return the options of the artifact *path*; raise ArtifactError if it does not fit this agent."""
    found = read_numbers(path)
    check_kind(found, path.name, FORMAT, VERSION)
    options = found.get("options")
    if not isinstance(options, dict) or set(options) != set(NAMES):
        raise ArtifactError(f"{path.name}: 'options' must have exactly these numbers: {', '.join(NAMES)}")
    try:
        return UtilityOptions(**options)
    except OptionError as error:
        raise ArtifactError(f"{path.name}: {error}") from error
