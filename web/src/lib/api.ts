import type {
  Answer, Catalog, Coach, Daily, Fact, GameSummary, GroupView, History, MatchReview, MatchSummary, Me, NewTable, Puzzle, Replay, Review, RulesText, TableView,
} from "./types";

/** The server's answer to a request it refuses: `message` is a sentence for people. */
export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly version?: number) {
    super(message);
  }
}

const OFFLINE = "The table's server does not answer. Start it again with “rummylab play”; your hand is kept.";

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await send(method, path, body);
  return (await answer.json()) as T;
}

// The first answer sets the cookie that says who we are: nothing else is asked before it has come.
let hello: Promise<unknown> | null = null;
function introduced(): Promise<unknown> {
  hello ??= fetch("/api/me").catch(() => (hello = null));
  return hello;
}

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  await introduced();
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, "offline", OFFLINE);
  }
  if (!answer.ok) {
    let error: { code?: string; message?: string; version?: number } = {};
    try {
      error = ((await answer.json()) as { error: typeof error }).error ?? {};
    } catch {
      // An answer that is not ours: its status has to do.
    }
    throw new ApiError(answer.status, error.code ?? "unknown", error.message ?? `The server answered ${answer.status}.`, error.version);
  }
  return answer;
}

const get = <T>(path: string): Promise<T> => call<T>("GET", path);
const post = <T>(path: string, body: unknown): Promise<T> => call<T>("POST", path, body);
const query = (values: Record<string, string | number | undefined | null>): string => {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return kept.length ? `?${new URLSearchParams(kept.map(([key, value]) => [key, String(value)]))}` : "";
};
const table = (id: string): string => `/api/tables/${encodeURIComponent(id)}`;
const game = (record: string): string => `/api/games/${encodeURIComponent(record)}`;

/** Ask until the answer is ready. */
async function wait<T>(path: string, progress: (share: number, text: string) => void, signal: AbortSignal): Promise<T> {
  for (;;) {
    const answer = await send("GET", path);
    if (signal.aborted) throw new ApiError(0, "aborted", "");
    if (answer.status !== 202) return (await answer.json()) as T;
    const state = (await answer.json()) as { progress: number; text?: string };
    progress(state.progress, state.text ?? "");
    await new Promise((done) => setTimeout(done, 600));
  }
}

export const api = {
  catalog: () => get<Catalog>("/api/catalog"),
  me: () => get<Me>("/api/me"),
  rename: (name: string) => call<Me>("PUT", "/api/me", { name }),
  levelText: (name: string, level: number) => get<{ text: string }>(`/api/levels${query({ game: name, level })}`),
  daily: () => get<Daily>("/api/daily"),
  create: (wanted: NewTable) => post<TableView>("/api/tables", wanted),
  table: (id: string) => get<TableView>(table(id)),
  events: (id: string) => new EventSource(`${table(id)}/events`),
  move: (id: string, version: number, action: string) => post<TableView>(`${table(id)}/move`, { version, action }),
  next: (id: string, version: number) => post<TableView>(`${table(id)}/next`, { version }),
  takeBack: (id: string, version: number) => post<TableView>(`${table(id)}/take-back`, { version }),
  step: (id: string, version: number, until: "turn" | "hand") => post<TableView>(`${table(id)}/step`, { version, until }),
  coach: (id: string, version: number) => get<Coach>(`${table(id)}/coach${query({ version })}`),
  tableRules: (id: string) => get<RulesText>(`${table(id)}/rules`),
  rules: (name: string, rules?: string, format?: string) => get<RulesText>(`/api/rules${query({ game: name, rules, format })}`),
  invite: (id: string) => post<{ code: string; path: string; seat: number }>(`${table(id)}/invite`, {}),
  join: (code: string, name: string) => post<TableView>("/api/join", { code, name }),
  leave: (id: string, version: number) => post<{ left: boolean }>(`${table(id)}/leave`, { version }),
  games: (name?: string) => get<{ games: GameSummary[] }>(`/api/games${query({ limit: 50, game: name })}`),
  matches: () => get<{ matches: MatchSummary[] }>("/api/matches"),
  replay: (record: string) => get<Replay>(game(record)),
  retry: (record: string, decision: number, action: string) => post<Answer>(`${game(record)}/retry`, { decision, action }),
  whatIf: (record: string, step: number, seat?: number) => post<TableView>(`${game(record)}/what-if`, { step, seat }),
  fileUrl: (record: string) => `${game(record)}/file`,
  pageUrl: (record: string) => `${game(record)}/page`,
  open: (text: string) => post<{ games: GameSummary[] }>("/api/games", { text }),
  history: () => get<History>("/api/history"),
  puzzles: () => get<{ puzzles: Puzzle[] }>("/api/puzzles"),
  puzzle: (id: string) => get<{ id: string; title: string; view: TableView; question: string }>(`/api/puzzles/${encodeURIComponent(id)}`),
  answer: (id: string, action: string) => post<Answer>(`/api/puzzles/${encodeURIComponent(id)}/answer`, { action }),
  grouping: (body: Record<string, unknown>) => post<{ groups: GroupView[]; facts: Fact[] }>("/v1/grouping", body),
  position: (body: Record<string, unknown>) => post<{ position: unknown }>("/v1/position", body),
  sample: (body: Record<string, unknown>) => post<{ position: unknown }>("/v1/sample", body),
  view: (position: unknown) => post<{ view: TableView }>("/v1/view", { position }),
  analysis: (position: unknown, agent?: string) => post<Coach>("/v1/analysis", agent ? { position, agent } : { position }),
  botMove: (position: unknown, agent: string) => post<{ action: string; label: string; agent: string }>("/v1/move", { position, agent }),

  /** Wait for the review of a game, of the player's own seat or of another one; `progress` hears how far it is. */
  review: (record: string, progress: (share: number) => void, signal: AbortSignal, seat?: number): Promise<Review> =>
    wait<Review>(`${game(record)}/review${query({ seat })}`, progress, signal),
  /** Wait for the review of a match; `progress` also hears which hand it is at. */
  matchReview: (match: string, progress: (share: number, text: string) => void, signal: AbortSignal): Promise<MatchReview> =>
    wait<MatchReview>(`/api/matches/${encodeURIComponent(match)}/review`, progress, signal),
};

export const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
