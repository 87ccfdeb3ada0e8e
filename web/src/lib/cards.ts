// Cards as the server writes them: rank and suit ("Th", "As"); jokers are "Jk" or start with "*".

export type Suit = "s" | "h" | "d" | "c";
export type Face = { rank: string; suit: Suit | null };

export const SUITS: Suit[] = ["s", "h", "d", "c"];
export const RANKS = "A23456789TJQK".split("");
export const SYMBOL: Record<Suit, string> = { s: "♠", h: "♥", d: "♦", c: "♣" };
const SUIT_NAME: Record<Suit, string> = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const RANK_NAME: Record<string, string> = {
  A: "ace", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
  J: "jack", Q: "queen", K: "king",
};

/** Return the rank and suit of a card; a printed joker has no suit. */
export function face(card: string): Face {
  const suit = card.slice(-1).toLowerCase();
  if (card.length >= 2 && "shdc".includes(suit) && !/^(jk|joker)/i.test(card)) {
    const rank = card.slice(0, -1).toUpperCase().replace("10", "T");
    return { rank, suit: suit as Suit };
  }
  return { rank: "★", suit: null };
}

export const isJoker = (card: string): boolean => face(card).suit === null;

/** Return a card as players write it: "10♥", "K♠", "joker". */
export function short(card: string): string {
  const { rank, suit } = face(card);
  return suit ? `${rank === "T" ? "10" : rank}${SYMBOL[suit]}` : "joker";
}

/** Return a card as a screen reader says it: "ten of hearts". */
export function spoken(card: string): string {
  const { rank, suit } = face(card);
  return suit ? `${RANK_NAME[rank] ?? rank} of ${SUIT_NAME[suit]}` : "joker";
}

export const rankIndex = (card: string): number => RANKS.indexOf(face(card).rank);
export const suitIndex = (card: string): number => {
  const { suit } = face(card);
  return suit ? SUITS.indexOf(suit) : 4;
};

export const bySuit = (a: string, b: string): number => suitIndex(a) - suitIndex(b) || rankIndex(a) - rankIndex(b);
export const byRank = (a: string, b: string): number => rankIndex(a) - rankIndex(b) || suitIndex(a) - suitIndex(b);

export type Piece = { text: string; suit: Suit | null };

/** Split a sentence into plain text and cards, so that suits can have their color. */
export function pieces(sentence: string): Piece[] {
  const found: Piece[] = [];
  let last = 0;
  for (const match of sentence.matchAll(/(10|[2-9TAJQK])([♠♥♦♣]|[shdc](?![a-z0-9]))/g)) {
    if (match.index > 0 && /[A-Za-z0-9]/.test(sentence[match.index - 1]!)) continue;
    const mark = match[2]!;
    const suit = (Object.entries(SYMBOL).find(([, symbol]) => symbol === mark)?.[0] ?? mark) as Suit;
    if (match.index > last) found.push({ text: sentence.slice(last, match.index), suit: null });
    found.push({ text: `${match[1] === "T" ? "10" : match[1]}${SYMBOL[suit]}`, suit });
    last = match.index + match[0].length;
  }
  if (last < sentence.length) found.push({ text: sentence.slice(last), suit: null });
  return found;
}
