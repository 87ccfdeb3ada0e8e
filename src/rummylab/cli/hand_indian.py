"""``rummylab hand indian``: grouping, MinScore, MinDist, what to wait for and, with 14 cards, what to discard."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import typer

from rummylab.cards.card import JOKER_ID, RANKS, SYMBOLS, Card
from rummylab.cards.deck import Deck
from rummylab.cards.hand import Hand
from rummylab.cli.common import announce_compilation, print_json
from rummylab.errors import DeckError, OptionError

if TYPE_CHECKING:
    from rummylab.games.indian.hand import Choice, Evaluation, Meld, Value

Copies = Counter[Card]


def show(cards: str, wild: str, decks: int, jokers: int | None, rules: str, dead: str, *, as_json: bool) -> None:
    """Evaluate a hand of Indian Rummy and print it."""
    from rummylab.games.indian.hand import evaluate, wild_rank

    if rules not in ("paper", "platform"):
        raise OptionError(f"no score rule named {rules!r}; known: paper, platform")
    if decks not in (1, 2):
        raise OptionError(f"Indian Rummy is played with one or two decks, not {decks}")
    rank = wild_rank(wild)
    held = Hand.parse(cards, decks=decks)
    printed = 2 * decks if jokers is None else jokers
    gone = [*_parse(dead), *(_parse(wild) if len(wild.strip()) > 1 and wild.strip() != "10" else ())]
    announce_compilation()
    result = evaluate(held, rank, decks=decks, printed_jokers=printed, strict=rules == "platform")
    live = _live(held, gone, decks, printed)
    if gone:
        rest = Hand.of(live.elements(), decks=decks)
        result = evaluate(held, rank, decks=decks, printed_jokers=printed, live=rest, strict=rules == "platform")
    if as_json:
        print_json(_as_dict(result, live, rules, decks, printed, gone))
        return
    for line in _lines(result, live, rules):
        typer.echo(line)


def lines_of(cards: str, wild: str) -> list[str]:
    """Return what is printed for a hand of one deck, for the documents."""
    from rummylab.games.indian.hand import evaluate, wild_rank

    held = Hand.parse(cards)
    return _lines(evaluate(held, wild_rank(wild)), _live(held, [], 1, 2), "paper")


def _parse(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.replace(",", " ").split()]


def _live(held: Hand, gone: list[Card], decks: int, printed: int) -> Copies:
    """Return how many copies of each card can still come."""
    live = Counter(Deck.ordered(decks=decks, jokers=printed))
    there = Counter(live)
    live.subtract(held)
    live.subtract(gone)
    for card, n in live.items():
        if n < 0:
            raise DeckError(f"{card} is in the hand or gone {there[card] - n} times, but {there[card]} in play")
    return +live


def _as_dict(
    result: Evaluation, live: Copies, rules: str, decks: int, printed: int, gone: list[Card]
) -> dict[str, Any]:
    plain = result.to_dict()
    plain |= {"rules": rules, "decks": decks, "printed_jokers": printed, "dead": [str(card) for card in gone]}
    plain["waits_for"] = {str(card): live[card] for card in result.value.outs}
    if result.choices:
        plain["discards"] = [str(choice.discard) for choice in _best(result)]
        plain["why"] = _why(result)
    return plain


def _lines(result: Evaluation, live: Copies, rules: str) -> list[str]:
    value = result.value
    lines = [f"{result.hand:unicode}   wild: {RANKS[result.wild]}"]
    if result.choices:
        lines += ["", f"Throw {_names([c.discard for c in _best(result)])}. {_why(result)}", *_table(result)]
        lines += ["", f"After {result.choices[0].discard:unicode}: {value.hand:unicode}"]
    lines += ["", f"MinScore {value.min_score}{_other_rule(value, rules)}"]
    lines += _melds(value.grouping) or ["  no pure run: every card counts"]
    if len(value.loose):
        lines.append(f"  loose: {value.loose:unicode}")
    lines += ["", f"MinDist {value.min_dist}{_live_words(value)}"]
    if value.min_dist == 0:
        return [*lines[:-1], "MinDist 0: declare!"]
    if not value.target:
        return [*lines, "  what is left cannot complete this hand"]
    lines += _melds(value.target)
    lines.append(f"  [ ] still missing, = a joker in its place; keeps {len(value.kept)} cards")
    spare = value.hand - value.kept
    lines.append(f"  to be replaced: {spare:unicode}")
    goal = "can be declared" if value.distance == 1 else f"is at MinDist {value.distance - 1}"
    n_live = sum(live.values())
    lines += ["", f"Waits for {value.n_outs} of {n_live} unseen cards; with one of them the hand {goal}:"]
    lines += [f"  {line}" for line in outs_in_words(value.outs, result.wild, live)]
    lines.append(f"  about {value.expected_turns:.1f} more draws until it can be declared")
    return lines


def outs_in_words(outs: Hand, wild: int, live: Copies) -> list[str]:
    """Return what a hand waits for: jokers first, then suit by suit, with the number of cards."""
    lines = []
    jokers = [card for card in outs if card.id == JOKER_ID or card.rank == wild]
    if jokers:
        lines.append(f"a joker: {_counted(jokers, live)}")
    for suit, symbol in enumerate(SYMBOLS):
        cards = [card for card in outs if not card.is_joker and card.suit == suit and card not in jokers]
        if cards:
            lines.append(f"{symbol}: {_counted(cards, live)}")
    return lines or ["nothing that is left"]


def _counted(cards: list[Card], live: Copies) -> str:
    words = [format(card, "unicode") + (f" x{live[card]}" if live[card] > 1 else "") for card in cards]
    n = sum(live[card] for card in cards)
    return f"{' '.join(words)}  ({n} card{'s' * (n != 1)})"


def _melds(melds: tuple[Meld, ...]) -> list[str]:
    return [f"  {meld.kind:9} {meld:unicode}" for meld in melds]


def _other_rule(value: Value, rules: str) -> str:
    from rummylab.games.indian.minscore import CAP

    other = "platform" if rules == "paper" else "paper"
    uncapped = value.min_scores[rules]
    words = [f"{uncapped} without the cap"] if uncapped > CAP else []
    if value.min_scores[other] != uncapped:
        words.append(f"{min(value.min_scores[other], CAP)} by the {other} rule")
    return f" ({', '.join(words)})" if words else ""


def _live_words(value: Value) -> str:
    from rummylab.games.indian.mindist import CANNOT_DECLARE

    if value.min_dist_live is None or value.min_dist_live == value.min_dist:
        return ""
    if value.min_dist_live >= CANNOT_DECLARE:
        return " if any card could come; with the live cards it cannot be completed"
    return f" if any card could come, {value.min_dist_live} with the live cards"


def _best(result: Evaluation) -> list[Choice]:
    """Return the discards that no other beats: all with the rank of the first."""
    return [choice for choice in result.choices if choice.rank == result.choices[0].rank]


def _names(cards: list[Card]) -> str:
    return " or ".join(format(card, "unicode") for card in cards)


def _outs(n: int) -> str:
    return f"{n} out{'s' * (n != 1)}"


def _why(result: Evaluation) -> str:
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
        return f"{start}; {second.discard:unicode} leaves the same MinDist, but only {_outs(second.left.n_outs)}."
    closest = [choice for choice in rivals if choice.rank[2] == best.rank[2]]
    if len(closest) == 1:
        return (
            f"{start}, as {_names([c.discard for c in rivals[1:]])} would, but a lower MinScore:"
            f" {best.left.min_score} to {rivals[1].left.min_score}."
        )
    if len(_best(result)) == 1:
        return f"{start}; {_names([c.discard for c in closest[1:]])} would leave as much, but counts less in a hand."
    return f"{start}; between these there is nothing to choose."


def _table(result: Evaluation) -> list[str]:
    lines = ["  discard  MinDist  outs  MinScore"]
    for choice in result.choices:
        left = choice.left
        lines.append(
            f"  {format(choice.discard, 'unicode'):7}  {choice.rank[0]:7.0f}  {left.n_outs:4}  {left.min_score:8}"
        )
    return lines
