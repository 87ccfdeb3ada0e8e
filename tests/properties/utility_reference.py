"""The readable twin of the utility agent: the sentences of the opponent-hand paper, on sets of card numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from properties import reference
from rummylab.agents.gin.utility_policy import UtilityOptions

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


# --- Decisions ----------------------------------------------------------------------------------------------------


def boost_of(ten: Cards, pile: Cards, limit: int, free: Mapping[Cards, float], options: UtilityOptions) -> float:
    """EMERGENCY_BOOSTER if the ten cards are one card away from being knockable, else 1."""
    loose = loose_cards(ten, pile, free, options)
    left = reference.points(loose) - max(map(reference.value, loose), default=0)
    return options.emergency_booster if left <= limit else 1.0


def draw_values(
    hand: Cards, up: int, pile: Cards, belief: Sequence[float], limit: int, options: UtilityOptions
) -> tuple[float, float]:
    """The utilities of drawing the up-card and of drawing from the stock; *pile* is without the up-card.

    The stock is worth the average over the unseen cards, each weighted by the chance that the opponent lacks it.
    """
    free = free_chances(belief)
    boost = boost_of(hand, pile, limit, free, options)
    taken = value_of_eleven(hand | {up}, frozenset({up}), pile, limit, free, options, boost)
    unseen = [card for card in range(52) if card not in hand | pile | {up}]
    values = [value_of_eleven(hand | {c}, frozenset(), pile | {up}, limit, free, options, boost) for c in unseen]
    weights = [1 - belief[card] for card in unseen]
    return taken, sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def opponent_gains(
    theirs: Cards, cards: Collection[int], pile: Cards, stock: Collection[int], limit: int, options: UtilityOptions
) -> dict[int, float]:
    """How much more the opponent's hand is worth with each of *cards* than with one of the *stock*; never below 0."""
    free = free_chances([0.0 if c in pile else 10 / (42 - len(pile)) for c in range(52)])
    boost = boost_of(theirs, pile, limit, free, options)
    drawn = [value_of_eleven(theirs | {c}, frozenset(), pile, limit, free, options, boost) for c in stock]
    from_stock = sum(drawn) / len(drawn)
    taken = {c: value_of_eleven(theirs | {c}, frozenset({c}), pile, limit, free, options, boost) for c in cards}
    return {card: max(value - from_stock, 0.0) for card, value in taken.items()}


def discard_utilities(
    hand: Cards, pile: Cards, belief: Sequence[float], limit: int, options: UtilityOptions
) -> dict[int, float]:
    """The utility of the hand without each of its unmelded cards; *hand* has eleven."""
    free = free_chances(belief)
    cheapest, _ = reference.best_discards(hand, hand)
    boost = boost_of(hand - {min(cheapest)}, pile, limit, free, options)
    loose = loose_cards(hand, pile, free, options, boost)
    return {c: hand_utility(loose - {c}, hand - loose, pile | {c}, limit, free, options, boost) for c in loose}
