// What is typed and not sent yet, by conversation; it survives a reload of the page.

import { signal } from "@preact/signals";
import type { Image } from "../core/types.ts";

export interface Draft { text: string; images: Image[] }
const drafts = new Map<string, Draft>();
/** The last prompt that was sent, and the turn before it: it comes back where no turn begins. */
export const sent = new Map<string, Draft & { turn: number }>();
/** Counts changes that did not come from the keyboard. */
export const filled = signal(0);

export function draft(id: string): Draft {
  let it = drafts.get(id);
  if (!it) {
    let text = "";
    try {
      text = sessionStorage.getItem(`ox.draft.${id}`) ?? "";
    } catch {
      // Without storage it lasts as long as the page.
    }
    drafts.set(id, (it = { text, images: [] }));
  }
  return it;
}

export function keep(id: string, it: Draft): void {
  drafts.set(id, it);
  try {
    if (it.text) sessionStorage.setItem(`ox.draft.${id}`, it.text);
    else sessionStorage.removeItem(`ox.draft.${id}`);
  } catch {
    // As above.
  }
}

/** Puts words into the composer, after those that are there. */
export function fill(id: string, text: string, images: Image[] = []): void {
  const was = draft(id);
  keep(id, { text: was.text ? `${was.text}\n\n${text}` : text, images: [...was.images, ...images] });
  filled.value++;
  document.getElementById("prompt")?.focus();
}
