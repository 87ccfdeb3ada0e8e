"""Moves as they are typed: in the words in which they are shown, or enough of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rummylab.cards.card import Card, is_card
from rummylab.engine.action import Action
from rummylab.engine.show import ActionView, all_of, card_text
from rummylab.engine.spec import GameSpec
from rummylab.errors import NotationError

MOST_LISTED = 6
"""Moves of one kind that are listed; of more only the kind is named."""

SYNONYMS = {"throw": "discard"}
"""Words that sentences at the table use for a verb."""


class NoSuchMove(NotationError):
    """What was typed is none of the moves."""


# --- Shown ----------------------------------------------------------------------------------------------------------


def shown(move: str) -> str:
    """Return a move as the table writes it: ``lay off 7♦ on 1``."""
    action = Action.parse(move)
    place = [f"on {action.on}"] if action.on else []
    return " ".join([action.verb, *map(card_text, action.cards), *place])


def possible(actions: Sequence[ActionView]) -> list[ActionView]:
    """Return the moves to name, without those that the game calls not valid: declarations that only cost points."""
    return [action for action in actions if action.note != "not valid"]


def listed(actions: Sequence[ActionView], n_cards: int) -> str:
    """Return what the player may do now, in one line; of a kind that any card of the hand allows, only the kind."""
    if is_offer(actions):
        return f"{shown(actions[0].id)} (y) or pass (n)"
    kinds: dict[str, list[ActionView]] = {}
    for action in possible(actions):
        kinds.setdefault(action.verb, []).append(action)
    words = []
    for verb, found in kinds.items():
        takes_one = len(found[0].cards) == 1 and found[0].on is None
        if takes_one and len(found) <= MOST_LISTED and len(found) < n_cards:
            words.append(f"{verb} {'/'.join(card_text(Card.parse(one.cards[0])) for one in found)}")
        elif takes_one or len(found) > MOST_LISTED:
            place = " on N" if found[0].on is not None else ""
            words.append(f"{verb} {'CARD' if len(found[0].cards) == 1 else 'CARDS'}{place}")
        else:
            words += [shown(one.id) for one in found]
    return ", ".join(words)


def is_offer(actions: Sequence[ActionView]) -> bool:
    """Return whether a yes or a no is the whole question."""
    return {action.id for action in actions} == {"draw upcard", "pass"}


# --- Typed ----------------------------------------------------------------------------------------------------------


def read_move(text: str, actions: Sequence[ActionView], spec: GameSpec) -> str:
    """Return the move that *text* means, as an action in words.

    A move spelled out in full that is not legal now is returned too: the table says why it is refused.

    Raises:
        NotationError: The text could mean several moves.
        NoSuchMove: It means none.
    """
    tokens = _tokens(text)
    if is_offer(actions):
        tokens = {"y": ["draw", "upcard"], "yes": ["draw", "upcard"], "n": ["pass"], "no": ["pass"]}.get(
            text.lower(), tokens
        )
    could_be: list[str] = []
    for test in _TESTS:
        found = [action.id for action in actions if test(tokens, action)]
        if len(found) == 1:
            return found[0]
        could_be = could_be or found
    if could_be:
        raise NotationError(f"{text!r} could be {all_of([shown(move) for move in could_be[:4]], 'or')}.")
    in_full = _in_full(tokens, spec)
    if in_full is None:
        raise NoSuchMove(f"{text!r} is nothing you can do now. Type 'help'.")
    return in_full


def _is_id(tokens: list[str], action: ActionView) -> bool:
    return tokens == _tokens(action.id)


def _is_same(tokens: list[str], action: ActionView) -> bool:
    """Return whether *tokens* say *action* in full, its cards in any order."""
    words = _tokens(action.id)
    return len(tokens) == len(words) and tokens[0] == words[0] and sorted(tokens) == sorted(words)


def _is_its_card(tokens: list[str], action: ActionView) -> bool:
    """Return whether *tokens* are a card alone, and *action* discards or passes it."""
    return action.verb in ("discard", "pass") and tokens == _tokens(action.id)[1:] != []


def _is_label(tokens: list[str], action: ActionView) -> bool:
    return tokens == _tokens(action.label)


def _begins_id(tokens: list[str], action: ActionView) -> bool:
    return bool(tokens) and _begins(tokens, _tokens(action.id))


def _begins_label(tokens: list[str], action: ActionView) -> bool:
    return bool(tokens) and _begins(tokens, _tokens(action.label))


_TESTS: Sequence[Callable[[list[str], ActionView], bool]] = (
    _is_id,
    _is_label,
    _is_same,
    _is_its_card,
    _begins_id,
    _begins_label,
)
"""Ways to mean a move, the strictest first."""


def _tokens(text: str) -> list[str]:
    """Return the words of a move, cards spelled as actions spell them; ``on meld 2`` is ``on 2``."""
    words = [_card_word(word.strip(",.;")) for word in text.lower().split()]
    words[:1] = [SYNONYMS.get(word, word) for word in words[:1]]
    return [word for i, word in enumerate(words) if not (word == "meld" and i and words[i - 1] == "on")]


def _card_word(word: str) -> str:
    """Return a card as actions spell it (``10h`` and ``t♥`` are ``th``), anything else as it is."""
    try:
        return str(Card.parse(word)).lower()
    except NotationError:
        return word


def _begins(tokens: Iterable[str], words: Iterable[str]) -> bool:
    """Return whether the tokens begin some of the words, in order."""
    left = iter(words)
    return all(any(word.startswith(token) for word in left) for token in tokens)


def _in_full(tokens: list[str], spec: GameSpec) -> str | None:
    """Return the move of the game that *tokens* spell out, its verb perhaps shortened, legal or not."""
    tokens, on = (tokens[:-2], int(tokens[-1])) if _has_place(tokens) else (tokens, 0)
    n_verb = next((i for i, token in enumerate(tokens) if is_card(token)), len(tokens))
    if not n_verb and len(tokens) == 1:  # A card alone: the table says why it cannot be thrown.
        tokens, n_verb = ["discard", *tokens], 1
    if not n_verb:
        return None
    for verb in spec.verbs:
        for words in (verb.words, *verb.former):
            if _begins(tokens[:n_verb], words.split()) and bool(verb.takes) == (n_verb < len(tokens)):
                cards = tokens[n_verb:]
                if not all(map(is_card, cards)):
                    return None
                return str(Action(verb.words, tuple(map(Card.parse, cards)), on))
    return None


def _has_place(tokens: list[str]) -> bool:
    return len(tokens) > 2 and tokens[-2] == "on" and tokens[-1].isdecimal() and len(tokens[-1]) < 4
