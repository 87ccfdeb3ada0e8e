// Own cards in an order. Copies of one card are told apart by their place, as on a table.

import { byRank, bySuit } from "./cards";
import type { CardView, GroupView } from "./types";

export type Item = { key: string; view: CardView };
export type Group = { id: string; tone: string; label: string; items: Item[] };
export type Sort = "melds" | "suit" | "rank" | "hand";

/** Return the cards with keys: "7h#0" is the first seven of hearts. */
export function keyed(cards: CardView[]): Item[] {
  const seen = new Map<string, number>();
  return cards.map((view) => {
    const copy = seen.get(view.card) ?? 0;
    seen.set(view.card, copy + 1);
    return { key: `${view.card}#${copy}`, view };
  });
}

/** Return the hand in groups: by the solver's melds, or as one row in the order asked for. */
export function arrange(cards: CardView[], groups: GroupView[], sort: Sort, order: string[]): Group[] {
  if (sort === "melds" && groups.length) {
    const items = keyed(groups.flatMap((group) => group.cards));
    let next = 0;
    return groups
      .map((group) => ({ id: group.id, tone: group.tone, label: group.label, items: items.slice(next, (next += group.cards.length)) }))
      .filter((group) => group.items.length);
  }
  const items = keyed([...cards].sort((a, b) => (sort === "rank" ? byRank(a.card, b.card) : bySuit(a.card, b.card))));
  if (sort === "hand") {
    const place = (item: Item): number => (order.includes(item.key) ? order.indexOf(item.key) : order.length);
    items.sort((a, b) => place(a) - place(b));
    return [{ id: "all", tone: "plain", label: "", items }];
  }
  if (sort === "rank") return [{ id: "all", tone: "plain", label: "", items }];
  const suits = [...new Set(items.map((item) => item.view.suit ?? "joker"))];
  return suits.map((suit) => ({ id: suit, tone: "plain", label: "", items: items.filter((item) => (item.view.suit ?? "joker") === suit) }));
}

/** Return whether the cards of *chosen* are exactly those of *wanted*, copies counted. */
export function sameCards(chosen: string[], wanted: string[]): boolean {
  return chosen.length === wanted.length && [...chosen].sort().join() === [...wanted].sort().join();
}
