"""An evaluated hand of Indian Rummy in words: its melds, what it waits for, which card to discard and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rummylab.cards.card import JOKER_ID, RANKS, SYMBOLS, Card
from rummylab.cards.hand import Hand
from rummylab.games.indian.mindist import CANNOT_DECLARE
from rummylab.games.indian.minscore import CAP

if TYPE_CHECKING:
    from rummylab.games.indian.evaluate import Choice, Evaluation, Meld, Value

Copies = Counter[Card]
"""How many copies of each card can still come."""


def lines(result: Evaluation, live: Copies, rule: str, style: str) -> list[str]:
    """Return an evaluation as text; *live* are the cards that can still come, *rule* is the score rule."""
    value = result.value
    lines = [f"{result.hand:{style}}   wild: {RANKS[result.wild]}"]
    if result.choices:
        discards = _names([choice.discard for choice in best_choices(result)], style)
        lines += ["", f"Discard {discards}. {why(result, style)}", *_table(result, style)]
        lines += ["", f"After {result.choices[0].discard:{style}}: {value.hand:{style}}"]
    lines += ["", f"MinScore {value.min_score}{_other_rule(value, rule)}"]
    lines += _melds(value.grouping, style) or ["  no pure run: every card counts"]
    if len(value.loose):
        lines.append(f"  unmelded: {value.loose:{style}}")
    lines += ["", f"MinDist {value.min_dist}{_live_words(value)}"]
    if value.min_dist == 0:
        return [*lines[:-1], "MinDist 0: declare!"]
    if not value.target:
        return [*lines, "  what is left cannot complete this hand"]
    lines += _melds(value.target, style)
    lines.append(f"  [ ] still missing, = a joker in its place; keeps {len(value.kept)} cards")
    spare = value.hand - value.kept
    lines.append(f"  to be replaced: {spare:{style}}")
    goal = "can be declared" if value.distance == 1 else f"is at MinDist {value.distance - 1}"
    n_live = sum(live.values())
    lines += ["", f"Waits for {value.n_outs} of {n_live} unseen cards; with one of them the hand {goal}:"]
    lines += [f"  {line}" for line in outs_in_words(value.outs, result.wild, live, style)]
    lines.append(f"  about {value.expected_turns:.1f} more draws until it can be declared")
    return lines


def outs_in_words(outs: Hand, wild: int, live: Copies, style: str) -> list[str]:
    """Return what a hand waits for: jokers first, then suit by suit, with the number of cards."""
    lines = []
    jokers = [card for card in outs if card.id == JOKER_ID or card.rank == wild]
    if jokers:
        lines.append(f"a joker: {_counted(jokers, live, style)}")
    for suit, symbol in enumerate(SYMBOLS):
        cards = [card for card in outs if not card.is_joker and card.suit == suit and card not in jokers]
        if cards:
            lines.append(f"{symbol}: {_counted(cards, live, style)}")
    return lines or ["nothing that is left"]


def _counted(cards: list[Card], live: Copies, style: str) -> str:
    words = [format(card, style) + (f" x{live[card]}" if live[card] > 1 else "") for card in cards]
    n = sum(live[card] for card in cards)
    return f"{' '.join(words)}  ({n} card{'s' * (n != 1)})"


def _melds(melds: tuple[Meld, ...], style: str) -> list[str]:
    return [f"  {meld.kind:9} {meld:{style}}" for meld in melds]


def _other_rule(value: Value, rule: str) -> str:
    uncapped = value.min_scores[rule]
    words = [f"{uncapped} without the cap"] if uncapped > CAP else []
    for other in ("paper", "platform"):
        if value.min_scores[other] != uncapped:
            words.append(f"{min(value.min_scores[other], CAP)} by the {other} rule")
    return f" ({', '.join(words)})" if words else ""


def _live_words(value: Value) -> str:
    if value.min_dist_live is None or value.min_dist_live == value.min_dist:
        return ""
    if value.min_dist_live >= CANNOT_DECLARE:
        return " if any card could come; with the live cards it cannot be completed"
    return f" if any card could come, {value.min_dist_live} with the live cards"


def best_choices(result: Evaluation) -> list[Choice]:
    """Return the discards that no other beats: all with the rank of the first."""
    return [choice for choice in result.choices if choice.rank == result.choices[0].rank]


def _names(cards: list[Card], style: str) -> str:
    return " or ".join(format(card, style) for card in cards)


def _outs(n: int) -> str:
    return f"{n} out{'s' * (n != 1)}"


def why(result: Evaluation, style: str) -> str:
    """Say what decides between the best discard and the next one."""
    best = result.choices[0]
    near, wait = best.rank[0], best.left.n_outs
    if near == 0:
        return "The other thirteen are a declaration."
    equal = [choice for choice in result.choices if choice.rank[0] == near]
    start = f"It leaves MinDist {near:.0f} with {_outs(wait)}"
    if len(equal) == 1:
        return f"{start}; any other discard costs a step."
    rivals = [choice for choice in equal if choice.left.n_outs == wait]
    if len(rivals) == 1:
        second = equal[1]
        return f"{start}; {second.discard:{style}} leaves the same MinDist, but only {_outs(second.left.n_outs)}."
    closest = [choice for choice in rivals if choice.rank[2] == best.rank[2]]
    if len(closest) == 1:
        return (
            f"{start}, as {_names([c.discard for c in rivals[1:]], style)} would, but a lower MinScore:"
            f" {best.left.min_score} to {rivals[1].left.min_score}."
        )
    if len(best_choices(result)) == 1:
        others = _names([choice.discard for choice in closest[1:]], style)
        return f"{start}; {others} would leave as much, but counts less in a hand."
    return f"{start}; between these there is nothing to choose."


def _table(result: Evaluation, style: str) -> list[str]:
    lines = ["  discard  MinDist  outs  MinScore"]
    for choice in result.choices:
        left = choice.left
        lines.append(f"  {format(choice.discard, style):7}  {choice.rank[0]:7.0f}  {left.n_outs:4}  {left.min_score:8}")
    return lines
