"""The readable twin of the utility agent: the sentences of the opponent-hand paper, on sets of card numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from properties import reference
from rummylab.agents.gin.utility_options import UtilityOptions

Cards = frozenset[int]
THREES = [frozenset(three) for three in combinations(range(52), 3) if reference.is_meld(three)]
WITH = {card: [three for three in THREES if card in three] for card in range(52)}


def melded_by_opponent(card: int, belief: Sequence[float]) -> float:
    """The chance that the opponent holds *card* and both others of one of its three-card melds."""
    none = 1.0
    for three in WITH[card]:
        first, second = three - {card}
        none *= 1 - belief[first] * belief[second]
    return belief[card] * (1 - none)


def free_chances(belief: Sequence[float]) -> dict[Cards, float]:
    """For every three-card meld the chance that no card of it is melded by the opponent."""
    apart = [1 - melded_by_opponent(card, belief) for card in range(52)]
    chances = {}
    for three in THREES:
        first, second, third = three
        chances[three] = apart[first] * apart[second] * apart[third]
    return chances


def card_utility(
    card: int,
    loose: Cards,
    dead: Collection[int],
    free: Mapping[Cards, float],
    options: UtilityOptions,
    boost: float = 1.0,
) -> float:
    """CardUtility of the paper; *dead* are the cards of the pile and the melded ones."""
    utility = 0.0
    for three in WITH[card]:
        if not three & set(dead):
            utility += free[three] * options.meld_bonus
            if len(three & loose) >= 2:
                utility += free[three] * options.combination_bonus
    utility += (5 - reference.value(card)) * options.deadwood_bonus * boost
    return utility + options.low_card_bonus * {0: 1.0, 1: 0.5}.get(card % 13, 0.0)


def average(
    loose: Cards, dead: Collection[int], free: Mapping[Cards, float], options: UtilityOptions, boost: float = 1.0
) -> float:
    total = sum(card_utility(card, loose, dead, free, options, boost) for card in loose)
    return total / len(loose) if loose else 0.0


def meldings(hand: Cards) -> set[Cards]:
    """The unmelded cards of every melding of least deadwood."""
    return {reference.loose(hand, melds) for melds in reference.minimal_arrangements(hand)}


def loose_cards(
    hand: Cards, pile: Cards, free: Mapping[Cards, float], options: UtilityOptions, boost: float = 1.0
) -> Cards:
    """The unmelded cards in the melding of the highest average card utility."""
    return max(
        meldings(hand),
        key=lambda loose: average(loose, pile | (hand - loose), free, options, boost) if loose else 0.0,
    )


def hand_utility(
    loose: Cards,
    melded: Cards,
    pile: Cards,
    limit: int,
    free: Mapping[Cards, float],
    options: UtilityOptions,
    boost: float,
) -> float:
    utility = average(loose, pile | melded, free, options, boost) + 10 - len(loose)
    deadwood = reference.points(loose)
    if deadwood <= limit:
        utility += options.knock_bonus if deadwood else options.gin_bonus
    return utility


def value_of_eleven(
    cards: Cards,
    forbidden: Cards,
    pile: Cards,
    limit: int,
    free: Mapping[Cards, float],
    options: UtilityOptions,
    boost: float = 1.0,
) -> float:
    """The hand utility after a reasonable discard."""
    loose = loose_cards(cards, pile, free, options, boost)
    if not loose:
        return 10 + options.gin_bonus
    throws = (loose - forbidden) or loose
    dearest = max(map(reference.value, throws))
    if reference.points(loose) - dearest <= limit:
        throws = frozenset(card for card in throws if reference.value(card) == dearest)
    melded = cards - loose
    return max(hand_utility(loose - {card}, melded, pile | {card}, limit, free, options, boost) for card in throws)
