"""How Indian Rummy is shown at a table in the browser: wild rank, pure and impure runs, MinScore, MinDist and outs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rummylab.cards.card import RANKS, Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.show import (
    MINUS,
    ActionView,
    CardView,
    Fact,
    GroupView,
    LogEntry,
    OpenHand,
    ScoreRule,
    Show,
    Showdown,
    Standing,
    TargetView,
    WildView,
    cards_text,
    count_cards,
    plural_rank,
    sentence_case,
    signed,
    told_text,
)
from rummylab.games.indian import rules as r
from rummylab.games.indian.evaluate import Evaluation, Meld, Value, card_value
from rummylab.games.indian.formats import Format
from rummylab.games.indian.mindist import CANNOT_DECLARE
from rummylab.games.indian.options import CARDS_EACH
from rummylab.games.indian.table import melds_of, value_of
from rummylab.games.indian.view import IndianObservation

LABELS = {
    "pure run": ("run", "pure", "pure run"),
    "run": ("run", "impure", "run"),
    "group": ("set", "meld", "set"),
}
"""Kind, tone and label of the solver's melds."""


def _label(meld: Meld) -> str:
    """Return what a meld is called: ``run with a wild card``."""
    wilds = any(card not in (None, place) for place, card in zip(meld.places, meld.cards, strict=True))
    return LABELS[meld.kind][2] + " with a wild card" * wilds


class IndianShow(Show):
    """One seat's view of an Indian Rummy table."""

    if TYPE_CHECKING:
        seen: IndianObservation

    def is_wild(self, card: Card) -> bool:
        """Return whether *card* is a printed joker or of the wild rank."""
        return card.is_joker or card.rank == self.seen.wild

    def points(self, card: Card) -> int:
        """Return what *card* counts outside of melds."""
        return card_value(card, self.seen.wild)

    # --- Hand -------------------------------------------------------------------------------------------------------

    @cached_property
    def evaluation(self) -> Evaluation:
        """What the hand is worth with the cards not seen yet."""
        return value_of(self.seen, self.seen.hand, self.seen.unseen)

    @property
    def nearest(self) -> Value:
        """The hand, or of fourteen cards the thirteen that are nearest to a declaration."""
        return self.evaluation.value

    @cached_property
    def suggested(self) -> Action | None:
        """The declaration if there is one, else the discard that leaves the nearest hand."""
        if self.seen.phase != "discard" or not self.legal:
            return None
        best = Action("discard", (self.evaluation.choices[0].discard,))
        return best if best in self.legal else None

    def groups(self) -> tuple[GroupView, ...]:
        """Return the melds that count, or those the hand plays for, then the rest with its points."""
        if len(self.seen.hand) < CARDS_EACH:
            return self.sorted_groups(self.seen.hand)
        melds, spare = melds_of(self.nearest), self.seen.hand - self.nearest.hand
        loose = [*self._loose(self.nearest.hand, melds), *spare]
        found = self._melds(melds, own=True)
        if loose:
            label, points = self._loose_label(spare), self.nearest.min_score
            found.append(GroupView("loose", "loose", "dead", label, points, self.mine(loose)))
        return tuple(found)

    def _loose_label(self, spare: Hand) -> str:
        value, out = self.nearest, f" without {cards_text(spare)}" if len(spare) else ""
        if value.min_dist == 0:
            return f"{cards_text(spare)} to discard: you may declare" if len(spare) else "ready to declare"
        if not value.grouping:
            return f"no pure run: {value.min_score} points{out}"
        return f"{value.min_score} points to go{out}"

    def _loose(self, hand: Hand, melds: Sequence[Meld]) -> list[Card]:
        for meld in melds:
            hand = hand - Hand.of([card for card in meld.cards if card is not None], decks=2)
        return sorted(hand, key=lambda card: (self.is_wild(card), card.suit, card.rank))

    def _melds(self, melds: Sequence[Meld], *, own: bool) -> list[GroupView]:
        new, found = self.new_card, []
        for number, meld in enumerate(melds):
            kind, tone, _ = LABELS[meld.kind]
            cards: list[CardView] = []
            for place, card in zip(meld.places, meld.cards, strict=True):
                if card is not None:
                    cards.append(self.card(card, place=place, new=own and card == new, acts=own))
                    new = None if own and card == new else new
            found.append(GroupView(f"meld{number}", kind, tone, _label(meld), 0, tuple(cards)))
        return found

    def groups_of(self, hand: Hand, seat: int) -> tuple[GroupView, ...]:
        """Return an open hand with its melds."""
        if len(hand) != CARDS_EACH:
            return self.sorted_groups(hand, own=False)
        value = value_of(self.seen, hand).value
        melds = melds_of(value)
        found = self._melds(melds, own=False)
        if loose := self._loose(hand, melds):
            label = f"{value.min_score} points"
            found.append(GroupView("loose", "loose", "dead", label, value.min_score, tuple(map(self.card, loose))))
        return tuple(found)

    def facts(self) -> tuple[Fact, ...]:
        """Return MinScore, MinDist, outs and the price of a drop."""
        if self.seen.actor is None or len(self.seen.hand) < CARDS_EACH or self.seen.phase not in ("draw", "discard"):
            return ()
        near = self.nearest
        after = " after the suggested discard" if len(self.seen.hand) > CARDS_EACH else ""
        points = f"MinScore: what your hand costs if another player declares now{after}."
        away = f"MinDist: cards to exchange before you can declare{after}."
        facts = [
            Fact("min_score", "Points now", str(near.min_score), points),
            Fact("min_dist", "Away from declaring", self._away(near), away),
        ]
        if near.distance and near.distance < CANNOT_DECLARE:
            unseen = len(self.seen.unseen)
            outs = "Cards not seen yet that bring you a step nearer."
            facts.append(Fact("outs", "Outs", f"{near.n_outs} of {unseen}", outs))
        if near.expected_turns:
            draws = "Expected number of draws until you can declare, if you wait for your outs."
            facts.append(Fact("expected_draws", "Draws to declare", f"about {near.expected_turns:.0f}", draws))
        if any(action.verb == "drop" for action in self.legal):
            costs = "Points you lose if you give up the deal now."
            facts.append(Fact("drop", "A drop costs", str(self._drop_cost), costs))
            if self.seen.format.is_pool:
                left = str(self.seen.drops_left[self.seen.seat])
                facts.append(Fact("drops_left", "Drops left", left, "First drops you can afford before you are out."))
        return tuple(facts)

    def target(self) -> tuple[TargetView, ...]:
        """Return the nearest declaration, meld by meld, with the cards that are missing."""
        near = self.nearest
        if len(self.seen.hand) < CARDS_EACH or not 0 < near.distance < CANNOT_DECLARE:
            return ()
        found = []
        for meld in near.target:
            cards = tuple(
                self.card(place if card is None else card, place=place)
                for place, card in zip(meld.places, meld.cards, strict=True)
            )
            missing = tuple(i for i, card in enumerate(meld.cards) if card is None)
            needs = f"needs {' '.join(cards[i].text for i in missing)}"
            found.append(TargetView(needs if missing else _label(meld), cards, missing))
        return tuple(found)

    @staticmethod
    def _away(value: Value) -> str:
        if value.distance >= CANNOT_DECLARE:
            return "out of reach"
        return count_cards(value.distance)

    @property
    def _drop_cost(self) -> int:
        rules = self.seen.table["rules"]
        return int(rules["later_drop"] if self.seen.table["draws"][self.seen.seat] else rules["first_drop"])

    # --- Table ------------------------------------------------------------------------------------------------------

    def wild(self) -> WildView | None:
        """Return the wild rank and its indicator."""
        rank = self.seen.wild
        return WildView(f"Wild rank: all {plural_rank(rank)}", self.card(self.seen.indicator), RANKS[rank])

    def seat_state(self, seat: int) -> str:
        """Return how a player left the deal or the match."""
        status = r.STATUS[int(self.seen.table["status"][seat])]
        return {"playing": "playing", "dropped": "dropped", "wrong declaration": "wrong", "away": "out"}[status]

    def seat_note(self, seat: int) -> str:
        """Return the small line under a player's name."""
        state, paid = self.seat_state(seat), int(self.seen.table["paid"][seat])
        if state == "out":
            return "out of the match"
        stands = ""
        if self.seen.format.is_pool:
            drops = self.seen.drops_left[seat]
            stands = f"{self.seen.lost[seat]} lost · {drops} drop{'s' * (drops != 1)} left · "
        if state == "playing":
            return f"{stands}{count_cards(self.n_cards(seat))}"
        words = "dropped" if state == "dropped" else "declared wrongly"
        return f"{stands}{words}, {MINUS}{paid}" if paid else f"{stands}{words}"

    def score_rule(self) -> ScoreRule:
        """Return how the score of the match reads: lost points in a pool, chips in deals."""
        form = self.seen.format
        if form.is_pool:
            return ScoreRule("lost points", form.out_at, True)
        return ScoreRule("chips", None, False, self.seen.deals_left) if form.is_match else ScoreRule()

    def standing(self, seat: int) -> Standing:
        """Return how *seat* stands in the match."""
        form = self.seen.format
        if form.is_pool:
            lost = self.seen.lost[seat]
            text = f"{lost} of {form.out_at}" if lost < form.out_at else f"{lost}, out"
            return Standing(lost, text, min(1.0, lost / form.out_at))
        if form.is_match:
            return Standing(self.seen.chips[seat], f"{self.seen.chips[seat]} chips", None)
        return super().standing(seat)

    def match_words(self) -> str:
        """Return the format."""
        form = self.seen.format
        if form.is_match and not form.is_pool:
            return f"best of {form.deals}"
        return str(form).partition("(")[0].replace("-", " ") if form.is_pool else "one deal for points"

    def hand_words(self) -> str:
        """Return what the present hand is called: of a number of deals, or one more among those tied."""
        form, number = self.seen.format, self.hand_no + 1
        if form.is_match and not form.is_pool:
            return f"deal {number} of {form.deals}" if number <= form.deals else f"deal {number}, to break the tie"
        return f"deal {number}"

    # --- Actions ----------------------------------------------------------------------------------------------------

    def tone(self, action: Action) -> str:
        """Return the tone of a move: declaring and dropping end the deal for the player."""
        if action.verb in ("declare", "drop"):
            return "end"
        return "main" if action.verb in ("play on",) else super().tone(action)

    def label(self, action: Action) -> tuple[str, str]:
        """Return the label of a move."""
        texts = {
            "drop": (f"Drop, {MINUS}{self._drop_cost}", "Drop"),
            "rejoin": ("Rejoin the pool", "Rejoin"),
            "leave": ("Stay out", "Leave"),
            "split": ("Share the pot", "Share"),
            "play on": ("Play on", "Play on"),
        }
        if action.verb == "declare":
            return f"Declare, throwing {cards_text(action.cards)}", "Declare"
        return texts.get(action.verb) or super().label(action)

    def annotated(self, action: Action, view: ActionView) -> ActionView:
        """Return *view* with what a move leaves; a wrong declaration is asked about with its price."""
        card = action.card
        if action.verb == "drop":
            text = f"Drop and lose {self._drop_cost} points?"
            return replace(view, confirm="ask", confirm_text=text, note=f"costs {self._drop_cost} points")
        if card is None or action.verb not in ("discard", "declare"):
            return view
        left = self._after.get(card)
        if left is None:
            return view
        if action.verb == "discard":
            note = f"{left.min_score} points, {self._away(left)} away" if left.distance else "declare!"
            return replace(view, note=note)
        if left.min_dist == 0:
            return replace(view, confirm="hold", confirm_text="Hold to declare", suggested=True, note="valid")
        price = int(self.seen.table["rules"]["wrong_declaration"])
        text = f"This declaration is not valid and costs {price} points. Declare anyway?"
        return replace(view, confirm="ask", confirm_text=text, note="not valid")

    @cached_property
    def _after(self) -> dict[Card, Value]:
        return {choice.discard: choice.left for choice in self.evaluation.choices}

    # --- Sentences --------------------------------------------------------------------------------------------------

    def prompt(self) -> str:
        """Return what the viewer is asked to do."""
        if self.seen.phase == "rejoin":
            return "You are out of the pool. Rejoin, or stay out?"
        if self.seen.phase == "split":
            return "The pot can be shared among the players left. Share it, or play on?"
        if self.seen.phase == "discard" and self.nearest.min_dist == 0:
            return f"{self.drawn_words}You may declare."
        return super().prompt()

    def sentence(self, event: Event, top: Card | None) -> LogEntry | None:
        """Return what an event says to the viewer."""
        verb, cards, seat = event.action.verb, event.action.cards, int(event.seat)
        who = self.who(seat)
        if verb == "indicator":
            text = f"{sentence_case(told_text(cards))} is the indicator: {plural_rank(self.seen.wild)} are wild."
            return self.entry(event, text, cards, ("stock", "table"))
        if verb == "declare":
            return self.entry(event, f"{who} declared, throwing {told_text(cards)}.", cards, (f"hand:{seat}", "pile"))
        words = {
            "drop": "dropped",
            "rejoin": "rejoined the pool",
            "leave": "left the pool",
            "split": "agreed to share the pot",
            "play on": "wants to play on",
        }
        if verb in words:
            return self.entry(event, f"{who} {words[verb]}.")
        return super().sentence(event, top)

    # --- The end ----------------------------------------------------------------------------------------------------

    def showdown(self) -> Showdown | None:
        """Return the end of the deal, also while players decide whether to rejoin or to split."""
        is_open = any(event.action.verb == "shows" for event in self.seen.log)
        return self._showdown() if self.seen.actor is None or is_open else None

    def end_title(self) -> str:
        """Return how the deal ended, as a sentence."""
        result = self.result()
        winner, outcome = result["winner"], str(result["outcome"])
        if winner is None:
            return "Nobody wins the deal."
        who = self.who(winner)
        gain = int(result["gains"][winner])
        scores = gain and not self.seen.format.is_pool
        wins = f"win{'s' * (who != 'You')} {gain} points" if scores else f"win{'s' * (who != 'You')} the deal"
        if outcome == "declared":
            return f"{who} declared and {wins}."
        how = {"dropped": "All others dropped", "wrong declaration": "The declaration was wrong"}.get(
            outcome, "The round limit is reached"
        )
        return f"{how}: {who if who != 'You' else 'you'} {wins}."

    def arithmetic(self) -> str:
        """Return the arithmetic of the score in one line."""
        result = self.result()
        winner, gains = result["winner"], result["gains"]
        if winner is None:
            return "Nobody scores."
        lost = [abs(int(gain)) for seat, gain in enumerate(gains) if seat != winner and gain]
        for_whom = "for you" if winner == self.you else f"for {self.who(winner)}"
        if self.seen.format.is_pool:
            return ", ".join(f"{self.who(seat)} {signed(gain)}" for seat, gain in enumerate(gains) if seat != winner)
        return f"{' + '.join(map(str, lost))}{f' = {sum(lost)}' if len(lost) > 1 else ''} points {for_whom}"

    def open_hands(self) -> tuple[OpenHand, ...]:
        """Return all hands, laid open, with what they cost."""
        table, found = self.seen.table, []
        for seat, hand in self.shown_hands():
            paid, state = int(table["paid"][seat]), self.seat_state(seat)
            note = {"dropped": f"dropped, {MINUS}{paid}", "wrong": f"wrong declaration, {MINUS}{paid}"}.get(state, "")
            note = note or ("valid declaration" if seat == self.result()["winner"] and not paid else f"{paid} points")
            found.append(OpenHand(seat, self.who(seat), self.groups_of(hand, seat), paid, note))
        return tuple(found)

    def score_lines(self) -> tuple[str, ...]:
        """Return how each standing changed, of those who played."""
        gains, lines, form = self.result()["gains"], [], self.seen.format
        has_rejoined = form.rejoin and bool(self.seen.table["answers"])
        for seat in range(self.rules.seats):
            now, gain = self.standing(seat), int(gains[seat])
            paid = max(0, -gain)
            if self.seat_state(seat) == "out":
                continue
            if form.is_pool and has_rejoined:  # a score that was rejoined at is not the old one and what was lost
                lines.append(f"{self.who(seat)} lost {paid}, now {now.text}")
            elif form.is_pool:
                lines.append(f"{self.who(seat)} {now.score - paid} + {paid} = {now.text}")
            else:
                lines.append(f"{self.who(seat)} {signed(gain)}: {now.text}")
        return tuple(lines)

    @classmethod
    def rule_words(cls, o: Any) -> dict[str, Sequence[str]]:
        """Return the rules in force, in words."""
        score = {
            "paper": "Without a second run only the pure run is free of points.",
            "platform": "Without a pure run and a second run every card counts.",
            "pure_run_opens": "With a pure run, all valid melds are free of points.",
        }[o.score_rule]
        drops = f"Before drawing you may drop: {o.first_drop} points before your first draw, {o.later_drop} later."
        relief = f", or {o.first_drop} before your first turn" if o.first_turn_relief else ""
        return {
            "Aim": (
                "Arrange thirteen cards in runs and sets.",
                "Two runs are needed, one of them pure: without wild cards.",
            ),
            "Wild cards": (
                "The rank of the indicator is wild, and so are printed jokers."
                + " If the indicator is a joker, aces are wild." * (o.joker_indicator == "aces wild"),
                "In its own run a wild card counts as itself.",
            ),
            "A turn": (
                "Draw from the stock or take the upcard, then discard one card."
                + " A joker may not be taken from the pile, except as the first upcard." * (not o.pile_jokers),
                drops if o.seats > 2 or o.match_format.drop_at_two else "",
            ),
            "Declaring": (
                "Throw a card and declare the other thirteen.",
                f"A wrong declaration costs {o.wrong_declaration} points"
                + (" and ends the deal." if o.seats == 2 else "; the others play on."),
            ),
            "Score": (
                "Losers pay for the cards outside their melds: aces and court cards 10, others their number, "
                "wild cards nothing.",
                score,
                f"No hand costs more than {o.cap} points{relief}.",
            ),
            "Match": _match_words(o.match_format, o.seats),
        }


def _match_words(form: Format, seats: int) -> tuple[str, ...]:
    """Return how deals make a match, who may come back, and when the pot may be shared."""
    if not form.is_match:
        return ("The match is one deal: the winner scores what the others lose.",)
    if not form.is_pool:
        return (
            f"The match has {form.deals} deals. Everybody starts with {form.chips} chips; the most chips win.",
            "A tie plays one more deal among those tied.",
        )
    words = [f"Lost points add up. Who reaches {form.out_at} is out; the last player left wins."]
    if form.rejoin:
        words.append(
            "Who is out may rejoin at the highest score + 1, "
            f"as long as nobody still in has lost more than {form.rejoin_limit}."
        )
    if form.split and seats > 2:
        near = "a first drop" if form.split_within == 1 else f"{form.split_within} first drops"
        words.append(
            f"When two or three are left, each within {near} of being out, "
            "they may share the pot in proportion to their drops left."
        )
    return tuple(words)


SHOW = IndianShow
