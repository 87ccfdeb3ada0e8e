"""How contract rummy is shown at a table in the browser: the contract, melds on the table and where cards fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

from rummylab.cards.card import Card
from rummylab.cards.hand import Hand
from rummylab.engine.action import Action, Event
from rummylab.engine.deadwood import without
from rummylab.engine.drivers import view_question
from rummylab.engine.seats import Seat
from rummylab.engine.show import (
    SUIT_NAMES,
    ActionView,
    ContractView,
    Fact,
    GroupView,
    LogEntry,
    MeldView,
    OpenHand,
    ScoreRule,
    Show,
    Standing,
    all_of,
    card_text,
    cards_text,
    count_cards,
    plural_rank,
    told_text,
)
from rummylab.games.contract.evaluate import Evaluator, Value
from rummylab.games.contract.options import Contract, ContractOptions
from rummylab.games.contract.rules import unseen
from rummylab.games.contract.view import ContractObservation, TableMeld, contract_words

_REPLACEMENT: Final = (
    "Once you have laid down, put a natural card in the place of a wild on the table and lay the wild off at once."
)


@lru_cache(maxsize=64)
def _evaluator(contract: Contract, options: ContractOptions) -> Evaluator:
    return Evaluator(contract, options)


class ContractShow(Show):
    """One seat's view of a contract rummy table."""

    if TYPE_CHECKING:
        seen: ContractObservation

    @property
    def options(self) -> ContractOptions:
        """The options of the table."""
        options = self.rules.options
        assert isinstance(options, ContractOptions)
        return options

    def is_wild(self, card: Card) -> bool:
        """Return whether *card* is a joker, or a two where twos are wild."""
        return card.is_joker or (card.rank == 1 and self.options.wild_twos)

    def points(self, card: Card) -> int:
        """Return what *card* costs a player who is caught with it."""
        o = self.options
        if self.is_wild(card):
            return o.wild_points
        number = card.rank + 1
        if number == 1:
            return o.ace_points if o.ace_points >= 0 else o.high_points
        if number > 10:
            return o.high_points
        if o.face_value:
            return number
        ten = o.ten_points if o.ten_points >= 0 else o.high_points
        return ten if number == 10 else o.low_points

    # --- Hand -------------------------------------------------------------------------------------------------------

    @cached_property
    def has_laid_down(self) -> bool:
        """Whether the viewer has laid down the contract."""
        return self.seen.has_laid_down(self.seen.seat)

    @cached_property
    def is_laying_down(self) -> bool:
        """Whether the viewer has laid down a part of the contract and owes the rest."""
        return not self.has_laid_down and any(meld.owner == self.seen.seat for meld in self.seen.melds)

    @cached_property
    def value(self) -> Value:
        """What the hand is worth for the contract."""
        return _evaluator(self.seen.contract, self.options).value(self.seen.hand, self._live)

    @cached_property
    def _live(self) -> list[Card]:
        """The cards that the viewer has not seen, each copy by itself."""
        return list(Hand(*map(int, view_question(unseen)(self.seen.view))))

    @cached_property
    def lay_down(self) -> Action | None:
        """The solver's next meld of a laydown."""
        return self.seen.lay_down() if self.legal else None

    @cached_property
    def suggested(self) -> Action | None:
        """The solver's laydown, or the costliest card that the contract can spare."""
        if self.lay_down is not None and self.lay_down in self.legal:
            return self.lay_down
        offs = [action for action in self.legal if action.on]
        if offs:
            return max(offs, key=lambda action: self.points(action.cards[0]))
        throws = [action for action in self.legal if action.verb == "discard"]
        if self.has_laid_down or not throws:
            return max(throws, key=lambda action: self.points(action.cards[0]), default=None)
        return min(throws, key=self._spare)

    def _spare(self, action: Action) -> tuple[int, bool, int, int]:
        """Order discards: what keeps the contract nearest, then natural cards, then the costliest."""
        card = action.cards[0]
        distance, _ = _evaluator(self.seen.contract, self.options).distance(self.seen.hand - Hand.of([card]))
        return distance, self.is_wild(card), -self.points(card), card.id

    def groups(self) -> tuple[GroupView, ...]:
        """Return what can be laid down, what fits the melds on the table, sets in the making, and the rest."""
        hand, found = self.seen.hand, list[GroupView]()
        if self.has_laid_down:
            fitting = self._fitting
            fits = [card for card in hand if str(card) in fitting]
            for number, card in enumerate(fits):
                label = f"fits {fitting[str(card)]}"
                found.append(GroupView(f"fits{number}", "loose", "fits", label, self.points(card), self.mine([card])))
            return (*found, *self._rest(list(hand - Hand.of(fits, decks=2))))
        melds = list(self.value.lay_down)
        if self.is_laying_down:  # the value is that of the whole contract
            melds = [Hand.of(self.lay_down.cards, decks=2)] if self.lay_down is not None else []
            if melds and self.lay_down is not None and self.lay_down.on:  # a card of a larger meld, perhaps a wild one
                label = f"ready: for meld {self.lay_down.on}"
                found.append(GroupView("next", "loose", "meld", label, 0, self.mine(melds.pop())))
                hand = hand - Hand.of(self.lay_down.cards, decks=2)
        for number, meld in enumerate(melds):
            found.append(self._meld(f"meld{number}", meld))
        left = without(hand, melds)
        ranks = Counter(card.rank for card in left if not self.is_wild(card))
        for rank in sorted(rank for rank, n in ranks.items() if n > 1):
            cards = [card for card in left if not card.is_joker and card.rank == rank and not self.is_wild(card)]
            left = left - Hand.of(cards, decks=2)
            label = plural_rank(rank) if len(cards) > 2 else f"pair of {plural_rank(rank)}"
            tone = "meld" if len(cards) > 2 else "dead"
            found.append(GroupView(f"rank{rank}", "set", tone, label, None, self.mine(cards)))
        return (*found, *self._rest(list(left)))

    def _rest(self, loose: Sequence[Card]) -> list[GroupView]:
        cards = sorted(loose, key=lambda card: (self.is_wild(card), card.suit, card.rank))
        if not cards:
            return []
        points = sum(map(self.points, cards))
        label = " · ".join(f"{card_text(card)} {'wild, ' * self.is_wild(card)}{self.points(card)}" for card in cards)
        if len(cards) > 3:
            label = f"{count_cards(len(cards))}, {points} points"
        return [GroupView("loose", "loose", "dead", label, points, self.mine(cards))]

    def _meld(self, name: str, meld: Hand) -> GroupView:
        cards = list(meld)
        naturals = [card for card in cards if not self.is_wild(card)]
        is_set = len({card.rank for card in naturals}) == 1
        label = plural_rank(naturals[0].rank) if is_set else f"run of {SUIT_NAMES[naturals[0].suit]}"
        ordered = (*naturals, *(card for card in cards if self.is_wild(card)))
        return GroupView(name, "set" if is_set else "run", "meld", f"ready: {label}", 0, self.mine(ordered))

    @cached_property
    def _fitting(self) -> dict[str, str]:
        """The viewer's cards that fit a meld on the table now, with the name of the meld."""
        labels = {meld.number: self._meld_name(meld) for meld in self.seen.melds}
        offs = (action for action in reversed(self.legal) if action.on and action.verb != "replace")
        return {str(action.card): labels[action.on] for action in offs}

    def facts(self) -> tuple[Fact, ...]:
        """Return the distance to the contract, outs and what the hand costs."""
        if self.seen.actor is None:
            return ()
        cost = sum(map(self.points, self.seen.hand))
        costs = "What your hand costs if another player goes out now."
        left = Fact("points_left", "Left in hand", f"{cost} points", costs)
        if self.has_laid_down:
            return Fact("contract", "Contract", "done", "You have laid down the contract."), left
        near = Fact("distance", "Contract", self._missing(), "How many cards you still need for the contract.")
        if not self.value.short or self.is_laying_down:
            return near, left
        help_ = "Cards not seen yet that bring you a card nearer to the contract."
        return near, Fact("outs", "Outs", f"{len(self.value.outs)} of {len(self._live)}", help_), left

    def _missing(self) -> str:
        if self.has_laid_down:
            return "done"
        if self.is_laying_down:
            return "half laid down"
        return f"{count_cards(self.value.short)} short" if self.value.short else "ready to lay down"

    # --- Table ------------------------------------------------------------------------------------------------------

    def contract(self) -> ContractView | None:
        """Return what the round asks for."""
        o, contract = self.options, self.seen.contract
        rounds = o.rounds or None
        return ContractView(
            text=contract_words(contract),
            code=str(contract),
            round=self.hand_no + 1,
            rounds=rounds,
            done=self.has_laid_down,
            missing=self._missing() if self.seen.actor is not None else "",
            wilds="twos and jokers are wild" if o.wild_twos else "jokers are wild",
        )

    def _meld_name(self, meld: TableMeld) -> str:
        naturals = [card for card in meld.cards if not self.is_wild(card)] or list(meld.cards)
        if meld.kind == "set":
            return f"the {plural_rank(naturals[0].rank)}"
        return f"the run of {SUIT_NAMES[naturals[0].suit]}"

    def melds(self) -> tuple[MeldView, ...]:
        """Return the melds on the table, with the viewer's cards that fit them now."""
        found = []
        for meld in self.seen.melds:
            fits = tuple(dict.fromkeys(str(action.card) for action in self.legal if action.on == meld.number))
            words = cards_text([Card.parse(card) for card in fits])
            label = f"{self.whose(meld.owner)} {self._meld_name(meld).removeprefix('the ')}"
            text = f"{words} fit{'s' * (len(fits) == 1)} here" if fits else ""
            cards = sorted(meld.cards, key=lambda card: (self.is_wild(card), card.rank, card.suit))
            views = tuple(map(self.card, cards))
            found.append(MeldView(meld.number, int(meld.owner), meld.kind, label, views, fits, text))
        return tuple(found)

    def n_cards(self, seat: int) -> int:
        """Return how many cards *seat* holds."""
        return self.seen.n_cards(Seat(seat))

    def seat_note(self, seat: int) -> str:
        """Return the small line under a player's name."""
        down = " · has laid down" if self.seen.has_laid_down(Seat(seat)) else ""
        return f"{count_cards(self.n_cards(seat))}{down}"

    def score_rule(self) -> ScoreRule:
        """Return how the score reads: penalty points, low is good."""
        o = self.options
        left = max(0, o.rounds - self.hand_no) if o.rounds else None
        return ScoreRule("penalty points", o.target or None, True, left)

    def standing(self, seat: int) -> Standing:
        """Return the penalty points of *seat*."""
        paid, target = self.seen.penalties[seat], self.options.target
        return Standing(paid, str(paid), min(1.0, paid / target) if target else None)

    def match_words(self) -> str:
        """Return what ends the match."""
        o = self.options
        return f"to {o.target}" if o.target else f"{o.rounds} rounds" if o.rounds > 1 else "one round"

    def hand_words(self) -> str:
        """Return the round and its contract."""
        return f"round {self.hand_no + 1}: {contract_words(self.seen.contract)}"

    # --- Actions ----------------------------------------------------------------------------------------------------

    def actions(self) -> tuple[ActionView, ...]:
        """Return the legal moves; the solver's laydown comes first."""
        return tuple(sorted(super().actions(), key=lambda view: not view.suggested))

    def tone(self, action: Action) -> str:
        """Return the tone of a move: a laydown goes before a discard."""
        if action.verb == "lay down" or action.on:
            return "main" if action == self.suggested else "plain"
        if action.verb == "discard":
            return "plain" if self.lay_down is not None or self._fitting else "main"
        return "main" if action.verb == "pass" else super().tone(action)

    def label(self, action: Action) -> tuple[str, str]:
        """Return the label of a move."""
        if action.verb == "lay down":
            return f"Lay down {cards_text(action.cards)}", "Lay down"
        if action.on:
            names = {meld.number: self._meld_name(meld) for meld in self.seen.melds}
            where = names.get(action.on, f"meld {action.on}")
            if action.verb == "replace":
                return f"Put {cards_text(action.cards)} in the place of a wild in {where}", "Replace"
            low = " at the low end" if action.verb == "lay off low" else ""
            return f"Lay off {cards_text(action.cards)} on {where}{low}", "Lay off"
        if action.verb == "buy":
            return f"Buy {self.upcard_text} with a penalty card", "Buy"
        if action.verb == "pass":
            return ("Do not buy", "Pass") if self.seen.phase == "buy" else ("Keep the last card", "Pass")
        return super().label(action)

    def annotated(self, action: Action, view: ActionView) -> ActionView:
        """Return *view* with what a card costs; the last card ends the round."""
        if action.verb in ("discard", "lay off", "lay off low") and len(self.seen.hand) == 1:
            return replace(view, tone="end", confirm="hold", confirm_text="Hold to go out")
        if action.verb == "discard":
            return replace(view, note=f"{self.points(action.cards[0])} points")
        return view

    # --- Sentences --------------------------------------------------------------------------------------------------

    def prompt(self) -> str:
        """Return what the viewer is asked to do."""
        phase, short = self.seen.phase, int(self.seen.table["short"])
        if phase == "buy":
            return f"{self.upcard_text} was left. Buy it with a penalty card, or pass?"
        if phase == "lay down":
            return f"Add {count_cards(short)} to your meld." if short else "Lay down the rest of the contract."
        if self.seen.freed is not None:
            return f"You took {told_text([self.seen.freed])} from a meld. Lay it off now."
        if phase == "play":
            drawn = self.drawn_words
            if not any(action.verb == "discard" for action in self.legal):
                return f"{drawn}Lay off a card, or keep it."
            if self.lay_down is not None:
                return f"{drawn}You can lay down the contract."
            more = "Lay off, or choose a card to discard." if self._fitting else "Choose a card to discard."
            return drawn + more
        return super().prompt()

    def sentence(self, event: Event, top: Card | None) -> LogEntry | None:
        """Return what an event says to the viewer."""
        verb, cards, seat = event.action.verb, event.action.cards, int(event.seat)
        who, hand = self.who(seat), f"hand:{seat}"
        if verb == "lay down":
            return self.entry(event, f"{who} laid down {cards_text(cards)}.", cards, (hand, "table"))
        if verb in ("lay off", "lay off low"):
            text = f"{who} laid off {told_text(cards)} on {self._meld_of(event)}."
            return self.entry(event, text, cards, (hand, f"meld:{event.action.on}"))
        if verb == "replace":
            text = f"{who} put {told_text(cards)} in the place of a wild in {self._meld_of(event)}."
            return self.entry(event, text, cards, (hand, f"meld:{event.action.on}"))
        if verb == "buy":
            paid = f" and drew {told_text(event.secret)}" if event.secret else " with a penalty card"
            shown = (top,) if top is not None else ()
            return self.entry(event, f"{who} bought {told_text(shown) or 'the upcard'}{paid}.", shown, ("pile", hand))
        return super().sentence(event, top)

    def _meld_of(self, event: Event) -> str:
        """Return what the meld of a move is called in a sentence: ``your nines``, ``their run of clubs``."""
        meld = next((meld for meld in self.seen.melds if meld.number == event.action.on), None)
        if meld is None:
            return f"meld {event.action.on}"
        own = "your" if meld.owner == self.you else "their" if meld.owner == event.seat else self.whose(meld.owner)
        return f"{own} {self._meld_name(meld).removeprefix('the ')}"

    # --- The end ----------------------------------------------------------------------------------------------------

    def paid(self, seat: int) -> int:
        """Return the penalty points of *seat* in this round."""
        return int(self.seen.table["paid"][seat])

    def end_title(self) -> str:
        """Return how the round ended, as a sentence."""
        result = self.result()
        if result["winner"] is None:
            return "The round is void: nobody scores."
        who = self.who(result["winner"])
        wins = f" and win{'s' * (who != 'You')} the round" if self.rules.seats > 2 else ""
        return f"{who} went out{wins}."

    def arithmetic(self) -> str:
        """Return what each player pays, in one line."""
        if self.result()["winner"] is None:
            return "Nobody scores."
        return ", ".join(f"{self.who(seat)} {self.paid(seat)}" for seat in range(self.rules.seats)) + " penalty points"

    def groups_of(self, hand: Hand, seat: int) -> tuple[GroupView, ...]:
        """Return the cards that *seat* was caught with."""
        cards = sorted(hand, key=lambda card: (self.is_wild(card), card.suit, card.rank))
        points = sum(map(self.points, cards))
        label = f"{points} points" if cards else "no cards left"
        return (GroupView("loose", "loose", "dead", label, points, tuple(map(self.card, cards))),) if cards else ()

    def _laid_down(self, seat: int) -> list[GroupView]:
        """Return the melds of *seat* on the table."""
        own, whose = [meld for meld in self.melds() if meld.owner == seat], f"{self.whose(seat)} "
        return [GroupView(f"meld{m.number}", m.kind, "meld", m.label.removeprefix(whose), 0, m.cards) for m in own]

    def open_hands(self) -> tuple[OpenHand, ...]:
        """Return the melds that each player laid down, the cards they were caught with, and what those cost."""
        found = []
        for seat, hand in self.shown_hands():
            groups = (*self._laid_down(seat), *self.groups_of(hand, seat))
            note = f"{self.paid(seat)} penalty points" if len(hand) else "no cards left"
            found.append(OpenHand(seat, self.who(seat), groups, self.paid(seat), note))
        return tuple(found)

    def score_lines(self) -> tuple[str, ...]:
        """Return how the penalties add up."""
        lines = []
        for seat in range(self.rules.seats):
            after, paid = self.standing(seat).score, self.paid(seat)
            lines.append(f"{self.who(seat)} {after - paid} + {paid} = {after}" if paid else f"{self.who(seat)} {after}")
        return tuple(lines)

    @classmethod
    def rule_words(cls, o: Any) -> dict[str, Sequence[str]]:
        """Return the rules in force, in words."""
        rounds = [f"Round {n}: {contract_words(asked)}, {asked.hand} cards." for n, asked in enumerate(o.contracts, 1)]
        if len(rounds) == 1:
            rounds = [f"Every round asks for {contract_words(o.contracts[0])}, from {o.contracts[0].hand} cards."]
        wild = "Twos and jokers are wild." if o.wild_twos else "Jokers are wild."
        out = "Any move may empty your hand." if o.going_out == "lay_off" else "Your last card must be discarded."
        match = f"The match has {o.rounds} round{'s' * (o.rounds != 1)}."
        return {
            "Contract": rounds,
            "Wild cards": (
                f"{wild} At least half of a meld that is laid down must be natural.",
                *_run_words(o),
                _REPLACEMENT * o.wild_replacement,
            ),
            "A turn": (
                "Draw from the stock or take the upcard. Lay down the whole contract if you can. "
                "Once you have laid down, lay off cards on melds. Then discard one card.",
                _buying_words(o),
            ),
            "Ending a round": (
                out + " In the last round you may not discard it." * (not o.final_discard),
                f"After {o.max_reshuffles} reshuffles an empty stock makes the round void.",
            ),
            "Score": (f"Who is caught with cards pays penalty points. {_cost_words(o).capitalize()}.",),
            "Match": (
                f"The match ends when somebody has {o.target} penalty points." if o.target else match,
                "The lowest total wins.",
            ),
        }


def _run_words(o: ContractOptions) -> list[str]:
    """Return what the runs of a laydown must not be, where the contract has runs."""
    if not any(contract.runs for contract in o.contracts):
        return []
    found = ["In a run an ace is low or high."]
    if not o.wild_neighbors:
        found.append("No two wilds of a run lie side by side when you lay it down.")
    if not o.joined_runs and any(contract.runs > 1 for contract in o.contracts):
        found.append("Two runs of a suit must not join end to end.")
    return found


def _buying_words(o: ContractOptions) -> str:
    """Return how often a player may buy, where players buy."""
    buys = o.buys_by_round
    if o.seats == 2 or not any(buys):
        return ""
    usual = Counter(buys).most_common(1)[0][0]
    words = f"{usual} time{'s' * (usual != 1)} a round"
    for n in sorted(set(buys) - {usual}):
        rounds = [str(number) for number, buy in enumerate(buys, 1) if buy == n]
        words += f", {n} in round{'s' * (len(rounds) > 1)} {' and '.join(rounds)}"
    return f"Others may buy the upcard you leave with a penalty card from the stock: {words}."


def _cost_words(o: ContractOptions) -> str:
    """Return what cards cost, cards of the same price together."""
    court = f"{o.high_points}"
    ten = court if o.ten_points < 0 else f"{o.ten_points}"
    ace = court if o.ace_points < 0 else f"{o.ace_points}"
    first = 3 if o.wild_twos else 2
    prices: dict[str, list[str]] = {}
    if o.face_value:
        prices["their face value"] = [f"cards from {first} to 10"]
    elif ten == str(o.low_points):
        prices[f"{ten} each"] = [f"cards from {first} to 10"]
    else:
        prices[f"{o.low_points} each"] = [f"cards from {first} to 9"]
        prices[f"{ten} each"] = ["tens"]
    for name, price in (("court cards", court), ("aces", ace), ("wild cards", f"{o.wild_points}")):
        prices.setdefault(f"{price} each", []).append(name)
    return "; ".join(f"{all_of(names)}: {price}" for price, names in prices.items())


SHOW = ContractShow
