// What the server sends. The page knows no rule: it shows a view and posts the id of one of its actions.

export type Seat = number;
export type GameName = "gin" | "indian" | "contract" | "gin_pass";

export interface CardView {
  card: string; text: string; name: string; rank: number; suit: string | null; points: number;
  wild: boolean; joker: boolean; stands_for: string | null; new: boolean; actions: string[];
}
export interface GroupView {
  id: string; kind: "run" | "set" | "loose"; tone: "meld" | "pure" | "impure" | "dead" | "fits"; label: string; points: number | null; cards: CardView[];
}
export interface SeatView {
  seat: Seat; name: string; short: string; kind: "you" | "agent" | "person" | "open"; agent: string | null; level: number | null; cards: number;
  known: CardView[]; known_text: string; note: string; last: string; last_card?: CardView | null;
  state: "playing" | "dropped" | "out" | "wrong" | "waiting"; active: boolean; starter: boolean; score: number; score_text: string; progress: number | null;
}
export interface ActionView {
  id: string; verb: string; label: string; short: string; key: string | null; cards: string[]; on: number | null;
  place: "stock" | "pile" | "card" | "cards" | "meld" | "button"; tone: "main" | "plain" | "end"; confirm: "hold" | "ask" | null; confirm_text: string | null; note: string | null; suggested: boolean;
}
export interface Fact { key: string; label: string; value: string; help: string }
export interface LogEntry { n: number; hand: number; seat: Seat; text: string; verb: string; cards: string[]; source: string | null; target: string | null }
export interface MeldView { number: number; owner: Seat; kind: "set" | "run"; label: string; cards: CardView[]; fits: string[]; fits_text: string }
export interface Showdown {
  title: string; outcome: string; winner: Seat | null; gains: number[]; arithmetic: string;
  hands: { seat: Seat; name: string; groups: GroupView[]; points: number; note: string }[];
  lay_offs: { seat: Seat; card: string; on: number | null; text: string }[]; score_lines: string[];
}
export interface Lesson { step: number; steps: number; text: string; expected: string[]; done: boolean }
export interface GameInfo { name: GameName; title: string; rules: string; rules_title: string; format: string | null; seats: number }
export interface TableView {
  id: string; version: number; kind: "play" | "watch" | "tutorial" | "daily" | "what_if"; game: GameInfo; heading: string; hand_no: number; phase: string;
  status: { text: string; tone: "you" | "wait" | "over" }; you: Seat | null; eyes: Seat; actor: Seat | null; seats: SeatView[];
  score: { line: string; target: number | null; unit: string; low_is_good: boolean; hands_left: number | null };
  stock: { count: number; action: string | null };
  pile: { top: CardView | null; count: number; cards: string[]; known_order: boolean; action: string | null };
  wild: { text: string; card: CardView; rank: string } | null;
  contract: { text: string; code: string; round: number; rounds: number | null; done: boolean; missing: string; wilds: string } | null;
  passing: { to: Seat; text: string; passed: string | null; received: string | null } | null;
  melds: MeldView[]; hand: { cards: CardView[]; groups: GroupView[] }; facts: Fact[]; actions: ActionView[]; log: LogEntry[];
  showdown: Showdown | null; next: { label: string; key: string } | null; match_over: { text: string; winners: Seat[] } | null;
  take_back: { possible: boolean; free: boolean; text: string }; rated: boolean; rated_text: string; hints: "off" | "request" | "always";
  fairness: { commitment: string; text: string; reveal: { seed: string; salt: string } | null };
  lesson: Lesson | null; record: string | null; invite: { open_seats: Seat[] } | null;
}
export interface Update { version: number; news: LogEntry[]; view: TableView }
export interface CoachMove {
  action: string; label: string; value: number; error: number; low: number; high: number; text: string; best: boolean; hinted?: boolean; reasons: { kind: string; text: string; number: number }[];
}
export interface HeatCell { card: string; probability: number; known: boolean; impossible: boolean; text: string }
export interface Coach {
  version: number; unit: string; method: string; agent: string; moves: CoachMove[]; map: { title: string; seat: Seat; cells: HeatCell[] }[]; notes: string[]; target: { label: string; cards: CardView[]; missing: number[] }[] | null;
}
export interface RulesText { title: string; sections: { title: string; paragraphs: string[] }[] }
export interface TableSummary { id: string; heading: string; score_line: string; status: string; your_turn: boolean; since: string; since_text: string }
export interface CatalogGame {
  name: GameName; title: string; sentence: string; picture: string[]; seats: number[]; presets: { name: string; title: string; summary: string; seats: number[] }[];
  formats: { name: string; title: string; summary: string }[]; levels: { level: number; agent: string; text: string }[]; agents: { name: string; summary: string }[];
  default_agent: string; tutorial: { title: string; moves: number } | null;
}
export interface Catalog { version: string; default_level: number; games: CatalogGame[] }
export interface Me { name: string; open_tables: TableSummary[]; n_games: number }
export interface NewTable {
  game: string; rules?: string; format?: string; seats?: number; level?: number; opponents?: { agent?: string; level?: number; person?: boolean; name?: string }[];
  kind?: "play" | "watch" | "tutorial" | "daily"; hints?: "off" | "request" | "always"; seed?: number; hands?: "one" | "match"; watch?: { agents: { agent?: string; level?: number }[]; eyes?: Seat };
}
export interface GameSummary {
  record: string; game: string; title: string; heading: string; opponents: string; result: string; points: number; won: boolean | null; rated: boolean; date: string; date_text: string; reviewed: boolean; source: string;
}
export interface ReplayStep {
  n: number; seat: Seat; text: string; hidden_text: string; verb: string; cards: string[]; decision: number | null; hands: GroupView[][]; counts: number[]; stock: number; pile: string[]; melds: MeldView[]; facts: Fact[][];
}
export interface Replay {
  record: string; game: GameInfo; heading: string; seats: { seat: Seat; name: string }[]; you: Seat | null; result: string;
  fairness: { commitment: string | null; verified: boolean | null; text: string }; steps: ReplayStep[]; showdown: Showdown | null; thinking: { step: number; seat: Seat; text: string; moves: CoachMove[] }[];
}
export interface ReviewDecision {
  decision: number; step: number; n: number; text: string; kind: string; loss: number; low: number; high: number; loss_text: string; is_mistake: boolean; verdict: string; position: TableView;
}
export interface Review {
  record: string; title: string; who?: string; unit: string; ledger: { label: string; value: number; text: string; kind: "result" | "luck" | "mine" | "theirs"; clear?: boolean }[];
  graph: { unit: string; points: { step: number; value: number; low: number; high: number }[]; marks: { step: number; text: string; verdict: string }[] };
  decisions: ReviewDecision[]; all: { decision: number; step: number; text: string; loss: number; verdict: string }[]; note: string;
}
export type Entry = Pick<Review["ledger"][number], "kind" | "value" | "text" | "clear">;
export interface MatchSummary { match: string; title: string; heading: string; opponents: string; hands: number; outcome: string; date_text: string }
export interface MatchReview {
  match: string; title: string; heading: string; outcome: string; ledger: Review["ledger"]; note: string;
  decisions: (Pick<ReviewDecision, "decision" | "n" | "text" | "loss" | "loss_text" | "is_mistake" | "verdict"> & { record: string; hand: string })[];
  hands: { record: string; hand: string; result: string; won: boolean | null; ledger: Entry[]; mistakes: number }[];
}
export interface Answer { loss: number; text: string; is_mistake: boolean; verdict: string; moves: CoachMove[] }
export interface History {
  by_opponent: { game: string; title: string; opponent: string; level: number | null; n: number; won: number; rate: number; low: number; high: number; points: number; points_low: number; points_high: number; text: string }[];
  leaks: { kind: string; label: string; n: number; loss: number; low: number; high: number; total: number; text: string }[]; puzzles: number; games: number; note: string;
}
export interface Puzzle { id: string; game: string; title: string; text: string; solved: boolean | null }
export interface Daily { date: string; games: { game: string; title: string; text: string; agent: string; played: { points: number; text: string; record: string } | null; table: string | null }[] }
