"""How games in which deadwood counts are shown: melds with labels, deadwood and what it allows, outs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rummylab.cards.bits import ALL_CARDS, to_ids
from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.cards.melds import best_arrangements, best_throws, min_deadwood
from rummylab.engine.action import Action, Event
from rummylab.engine.deadwood import DeadwoodObservation, without
from rummylab.engine.show import (
    MINUS,
    ActionView,
    Fact,
    GroupView,
    LogEntry,
    OpenHand,
    Show,
    card_text,
    cards_text,
    meld_label,
)


class DeadwoodShow(Show):
    """One seat's view of a game in which deadwood counts."""

    if TYPE_CHECKING:
        seen: DeadwoodObservation

    @cached_property
    def suggested(self) -> Action | None:
        """The discard that leaves the least deadwood; of equal ones the dearest card."""
        throws = [action for action in self.legal if action.verb == "discard" and action.card is not None]
        if not throws:
            return None
        return min(throws, key=lambda action: self._cost_of(action.cards[0]))

    def _cost_of(self, card: Card) -> tuple[int, int, int]:
        return self.seen.deadwood_after(card), -self.points(card), card.id

    # --- Hand -------------------------------------------------------------------------------------------------------

    def groups(self) -> tuple[GroupView, ...]:
        """Return the melds of the hand, then the deadwood with what it allows."""
        hand = self.seen.hand
        if self.seen.phase in ("discard", "pass") and self.seen.actor == self.seen.seat:
            throw = self.suggested.card if self.suggested is not None else self._least_needed(hand)
            if throw is not None:
                return self._grouped(hand - Hand.of([throw]), throw, self._allowed(throw))
        return self._grouped(hand, None, "")

    @staticmethod
    def _least_needed(hand: Hand) -> Card | None:
        discards, _ = best_throws(hand.mask)
        return max(Hand(discards), key=lambda card: card.rank, default=None)

    def _allowed(self, throw: Card) -> str:
        """Return what the deadwood without *throw* allows."""
        if Action("knock", (throw,)) not in self.legal:
            return ""
        return ": gin!" if self.seen.deadwood_after(throw) == 0 else ": you may knock"

    def _grouped(self, hand: Hand, spare: Card | None, allowed: str) -> tuple[GroupView, ...]:
        melds = [Hand(meld) for meld in best_arrangements(hand.mask)[0]] if len(hand) else []
        loose = [*sorted(without(hand, melds), key=lambda card: (card.rank, card.suit)), *([spare] if spare else [])]
        points = sum(self.points(card) for card in loose if card != spare)
        without_it = f" without {card_text(spare)}" if spare else ""
        dead = f"deadwood {points}{without_it}{allowed}"
        found = self._melds(melds, own=True)
        if loose:
            found.append(GroupView("loose", "loose", "dead", dead, points, self.mine(loose)))
        return tuple(found)

    def _melds(self, melds: Sequence[Hand], *, own: bool) -> list[GroupView]:
        found = []
        for number, meld in enumerate(melds):
            cards = list(meld)
            kind, label = meld_label(cards)
            views = self.mine(cards) if own else tuple(map(self.card, cards))
            found.append(GroupView(f"meld{number}", kind, "meld", label, 0, views))
        return found

    def groups_of(self, hand: Hand, seat: int) -> tuple[GroupView, ...]:
        """Return an open hand: its best melds, then the deadwood."""
        return self.laid_open([Hand(meld) for meld in best_arrangements(hand.mask)[0]] if len(hand) else [], hand)

    def laid_open(self, melds: Sequence[Hand], hand: Hand) -> tuple[GroupView, ...]:
        """Return an open hand with these *melds*."""
        found = self._melds(melds, own=False)
        loose = sorted(without(hand, melds), key=lambda card: (card.rank, card.suit))
        if loose:
            points, cards = sum(map(self.points, loose)), tuple(map(self.card, loose))
            found.append(GroupView("loose", "loose", "dead", f"deadwood {points}", points, cards))
        return tuple(found)

    # --- Facts ------------------------------------------------------------------------------------------------------

    def facts(self) -> tuple[Fact, ...]:
        """Return deadwood and outs."""
        if self.seen.actor is None or not len(self.seen.hand):
            return ()
        hand = self.seen.hand.mask
        held = hand
        if self.suggested is not None and self.suggested.card is not None:
            held = hand & ~(1 << self.suggested.card.id)
        least = int(min_deadwood(held))
        facts = [Fact("deadwood", "Deadwood", str(least), "Points of the cards outside your melds.")]
        unseen = ALL_CARDS & ~hand & ~sum(1 << card for card in self.seen.in_sight())
        if 0 < least <= self.seen.knock_limit:
            outs = sum(best_throws(held | 1 << card)[1] == 0 for card in to_ids(unseen))
            name, help_ = "Outs to gin", "Cards not seen yet that would give you gin."
        else:
            outs = sum(int(min_deadwood(held | 1 << card)) <= least for card in to_ids(unseen))
            name, help_ = "Outs", "Cards not seen yet that would make or extend a meld."
        if least:
            facts.append(Fact("outs", name, f"{outs} of {unseen.bit_count()}", help_))
        return tuple(facts)

    # --- Actions ----------------------------------------------------------------------------------------------------

    def tone(self, action: Action) -> str:
        """Return the tone of a move: knocking ends the hand."""
        return "end" if action.verb in ("knock", "big gin") else super().tone(action)

    def label(self, action: Action) -> tuple[str, str]:
        """Return the label of a move; a knock without deadwood is gin."""
        if action.verb == "knock" and action.card is not None:
            gin = self.seen.deadwood_after(action.card) == 0
            return f"{'Go gin' if gin else 'Knock'}, throwing {card_text(action.card)}", "Gin" if gin else "Knock"
        if action.verb == "big gin":
            return "Show big gin", "Big gin"
        return super().label(action)

    def annotated(self, action: Action, view: ActionView) -> ActionView:
        """Return *view* with the deadwood that a card thrown or passed leaves; knocks are held."""
        if action.verb in ("discard", "knock", "pass") and action.card is not None:
            view = replace(view, note=f"deadwood {self.seen.deadwood_after(action.card)}")
        if action.verb in ("knock", "big gin"):
            what = "go gin" if view.short == "Gin" else "show big gin" if action.verb == "big gin" else "knock"
            view = replace(view, confirm="hold", confirm_text=f"Hold to {what}")
        return view

    # --- Sentences --------------------------------------------------------------------------------------------------

    def sentence(self, event: Event, top: Card | None) -> LogEntry | None:
        """Return what an event says to the viewer."""
        cards, seat = event.action.cards, int(event.seat)
        if event.action.verb == "knock":
            text = f"{self.who(seat)} knocked, throwing {cards_text(cards)}."
            return self.entry(event, text, cards, (f"hand:{seat}", "pile"))
        return super().sentence(event, top)

    # --- The end ----------------------------------------------------------------------------------------------------

    def deadwoods(self) -> Sequence[int]:
        """Return the deadwood of every seat at the end."""
        found: Sequence[int] = self.result().get("deadwood", ())
        return found

    def open_hands(self) -> tuple[OpenHand, ...]:
        """Return all hands, laid open, with their deadwood."""
        counted = self.deadwoods()
        found = []
        for seat, hand in self.shown_hands():
            points = counted[seat] if len(counted) else int(min_deadwood(hand.mask))
            found.append(OpenHand(seat, self.who(seat), self.groups_of(hand, seat), points, f"deadwood {points}"))
        return tuple(found)

    def end_title(self) -> str:
        """Return how the hand ended, as a sentence."""
        result = self.result()
        winner, knocker = result["winner"], result.get("knocker")
        if winner is None or knocker is None:
            return "The hand is canceled: nobody scores."
        who, points = self.who(winner), int(result["points"])
        outcome = {
            "gin": f"{self.who(knocker)} went gin",
            "big gin": f"{self.who(knocker)} showed big gin",
            "undercut": f"{self.who(knocker)} knocked and {'were' if self.who(knocker) == 'You' else 'was'} undercut",
        }.get(str(result["outcome"]), f"{self.who(knocker)} knocked")
        wins = f"win{'s' * (who != 'You')} {points} point{'s' * (points != 1)}"
        if winner == knocker:
            return f"{outcome} and {wins}."
        return f"{outcome}: {who[0].lower() + who[1:] if who == 'You' else who} {wins}."

    def end_line(self) -> str:
        """Return the end of the hand in one line: ``You: 12, Simple: 9. Undercut: Simple scores 25 + 3.``"""
        result, dead = self.result(), list(self.deadwoods())
        winner, points = result["winner"], int(result.get("points", 0))
        if winner is None or not dead:
            return super().end_line()
        costs = ", ".join(f"{self.who(seat)}: {left}" for seat, left in enumerate(dead))
        outcome = str(result["outcome"])
        terms = [self._bonus(outcome)] * bool(self._bonus(outcome))
        terms += [left - dead[winner] for seat, left in enumerate(dead) if seat != winner]
        terms = [term for term in terms if term] or [0]
        sum_ = " + ".join(map(str, terms)) if sum(terms) == points else str(points)
        scores = "you score" if winner == self.you else f"{self.who(winner)} scores"
        return f"{costs}. {outcome.capitalize()}: {scores} {sum_}."

    def arithmetic(self) -> str:
        """Return the arithmetic of the score in one line: ``32 − 10 = 22 points for you``."""
        result = self.result()
        winner, dead = result["winner"], list(self.deadwoods())
        if winner is None or not dead:
            return "Nobody scores."
        points, others = int(result["points"]), [dead[seat] for seat in range(len(dead)) if seat != winner]
        for_whom = "for you" if winner == self.you else f"for {self.who(winner)}"
        words, total = self._terms(result, others, dead[winner])
        stake = points // total if total and points % total == 0 else 1
        words = f"({words}) × {stake}" if stake > 1 else words
        sum_ = f"{words} = {points}" if total * stake == points else f"{points}"
        return f"{sum_} point{'s' * (points != 1)} {for_whom}"

    def _terms(self, result: dict[str, Any], others: list[int], own: int) -> tuple[str, int]:
        """Return the terms of the score in words, and their sum; the knocker of a table of three wins from two."""
        outcome = str(result["outcome"])
        bonus = self._bonus(outcome)
        words, total = " + ".join(map(str, others)), sum(others) - own
        if own or outcome == "undercut":
            words = f"{words} {MINUS} {own}"
        return (f"{words} + {bonus} ({outcome})", total + bonus) if bonus else (words, total)

    def _bonus(self, outcome: str) -> int:
        """Return the points that an outcome adds."""
        bonus_of = {"gin": "gin_bonus", "undercut": "undercut_bonus", "big gin": "big_gin_bonus"}
        return int(self.rules.options.to_dict().get(bonus_of.get(outcome, ""), 0))
