// What the person at this browser prefers. Kept in the browser; nothing here is secret.

export type Settings = {
  theme: "auto" | "light" | "dark" | "contrast";
  colors: "four" | "two";
  motion: "auto" | "on" | "off";
  sort: "melds" | "suit" | "rank" | "hand";
  numbers: boolean;
  confirm: "hold" | "ask";
  coach: "off" | "request" | "always";
  name: string;
  size: "normal" | "large";
};

const DEFAULTS: Settings = {
  theme: "auto", colors: "four", motion: "auto", sort: "melds", numbers: true, confirm: "hold", coach: "request", name: "You", size: "normal",
};
const KEY = "rummylab.settings";

function read(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings: Settings = $state(read());

/** Keep the settings and show them: called by an effect of the page whenever one changes. */
export function applySettings(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const contrast = matchMedia("(prefers-contrast: more)").matches;
  const root = document.documentElement;
  root.dataset.theme = settings.theme === "auto" ? (contrast ? "contrast" : dark ? "dark" : "light") : settings.theme;
  root.dataset.colors = settings.colors;
  root.dataset.motion = settings.motion;
  root.dataset.size = settings.size;
  localStorage.setItem(KEY, JSON.stringify(settings));
}
