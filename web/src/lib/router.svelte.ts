// Addresses such as #/table/abc: the server sends one page, and the part after the hash never leaves the browser.

export type Route = { page: string; parts: string[]; query: URLSearchParams };

function parse(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  return { page: parts[0] ?? "play", parts: parts.slice(1), query: new URLSearchParams(query) };
}

export const route: { now: Route } = $state({ now: parse() });
addEventListener("hashchange", () => {
  route.now = parse();
  scrollTo(0, 0);
});

export function go(path: string): void {
  location.hash = `#/${path}`;
}
