// The catalogue: every sentence comes from the server, in the language that the reader chose.

import { signal } from "@preact/signals";
import { get } from "./api.ts";
import type { Problem } from "./types.ts";

export type Language = "en" | "zh";

const words = signal<Record<string, string>>({});
export const language = signal<Language>("en");

/** The sentence under a key with its placeholders filled; the key itself where the catalogue has none. */
export function t(key: string, args?: Record<string, unknown>): string {
  const all = words.value;
  const one = args?.count === 1 ? all[`${key}.one`] : undefined;
  const sentence = one ?? all[key] ?? key;
  return args ? sentence.replace(/\{(\w+)\}/g, (whole, name: string) => (name in args ? String(args[name]) : whole)) : sentence;
}

export const has = (key: string): boolean => key in words.value;

/** A code in an event, worded; the code as it is where this version does not know it. */
export const code = (family: string, name: string, args?: Record<string, unknown>): string =>
  has(`${family}.${name}`) ? t(`${family}.${name}`, args) : name.replaceAll("_", " ");

/** Why a turn ended. Where the terminal's sentence names a command, the page has one of its own. */
export const stopped = (reason: string): string => code(has(`page.stop.${reason}`) ? "page.stop" : "stop", reason, { why: "", checks: "", limit: "" });

export function problem(it: Problem): string {
  const own = `page.${it.code}`; // Where the terminal's sentence names a flag.
  return [t(has(own) ? own : it.code, it.args), ...(it.also ?? []).map(problem)].join("\n");
}

export async function speak(to: Language): Promise<void> {
  words.value = await get<Record<string, string>>(`/api/words?language=${to}`);
  language.value = to;
  document.documentElement.lang = to === "zh" ? "zh-CN" : "en";
  remember("language", to);
}

/** What the reader chose, kept in this browser. */
export const recall = (name: string): string | null => {
  try {
    return localStorage.getItem(`ox.${name}`);
  } catch {
    return null; // Storage is off; the choice lasts as long as the page.
  }
};

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`ox.${name}`, value);
  } catch {
    // As above.
  }
}
