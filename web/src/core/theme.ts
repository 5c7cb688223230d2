// Light, dark, or as the system is.

import { signal } from "@preact/signals";
import { recall, remember } from "./words.ts";

export type Theme = "auto" | "light" | "dark";
export const theme = signal<Theme>((recall("theme") as Theme | null) ?? "auto");

export function wear(next: Theme): void {
  theme.value = next;
  remember("theme", next);
  dress();
}

export function dress(): void {
  if (theme.value === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme.value;
}
