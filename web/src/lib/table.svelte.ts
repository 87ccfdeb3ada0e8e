// One table: its newest view, the stream of updates, and the requests that change it.

import { api, ApiError, sentence } from "./api";
import type { Coach, LogEntry, TableView, Update } from "./types";

export class Table {
  view: TableView | null = $state(null);
  news: LogEntry[] = $state([]);
  busy = $state(false);
  problem = $state("");
  lost = $state(false);
  coach: Coach | null = $state(null);
  coachWaiting = $state(false);
  coachProblem = $state("");
  private stream: EventSource | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(readonly id: string) {}

  async open(): Promise<void> {
    try {
      this.show(await api.table(this.id));
      this.listen();
    } catch (error) {
      this.problem = sentence(error);
      if (error instanceof ApiError && error.code === "offline" && !this.closed) this.retry = setTimeout(() => void this.open(), 1500);
    }
  }
  close(): void {
    this.closed = true;
    clearTimeout(this.retry);
    this.stream?.close();
  }
  private listen(): void {
    if (this.closed) return;
    this.stream?.close();
    const stream = (this.stream = api.events(this.id));
    stream.addEventListener("update", (event) => {
      const update = JSON.parse((event as MessageEvent<string>).data) as Update;
      this.lost = false;
      if (!this.view || update.version > this.view.version) {
        this.news = update.news;
        this.show(update.view);
      }
    });
    stream.onopen = () => (this.lost = false);
    stream.onerror = () => {
      this.lost = true;
      if (stream.readyState === EventSource.CLOSED && !this.closed) this.retry = setTimeout(() => this.listen(), 1500);
    };
  }
  show(view: TableView): void {
    if (this.view && view.version < this.view.version) return;
    if (this.view?.version !== view.version) {
      this.coach = null;
      this.coachProblem = "";
    }
    this.view = view;
    this.problem = "";
  }
  /** Send a request that answers with a view; a refusal is shown, and a stale page reloads the table. */
  async send(request: (view: TableView) => Promise<TableView>): Promise<void> {
    if (!this.view || this.busy) return;
    this.busy = true;
    this.problem = "";
    try {
      this.show(await request(this.view));
    } catch (error) {
      const message = sentence(error);
      if (error instanceof ApiError && error.code === "stale") {
        try {
          this.show(await api.table(this.id));
        } catch (second) {
          this.problem = sentence(second);
        }
      } else this.problem = message;
    } finally {
      this.busy = false;
    }
  }
  act = (action: string): Promise<void> => this.send((view) => api.move(this.id, view.version, action));
  next = (): Promise<void> => this.send((view) => api.next(this.id, view.version));
  takeBack = (): Promise<void> => this.send((view) => api.takeBack(this.id, view.version));
  step = (until: "turn" | "hand"): Promise<void> => this.send((view) => api.step(this.id, view.version, until));

  async ask(): Promise<void> {
    const view = this.view;
    if (!view || this.coachWaiting || !view.actions.length || this.coach) return;
    this.coachWaiting = true;
    this.coachProblem = "";
    try {
      const coach = await api.coach(this.id, view.version);
      if (this.view?.version === coach.version) this.coach = coach;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "stale")) this.coachProblem = sentence(error);
    } finally {
      this.coachWaiting = false;
    }
  }
}
