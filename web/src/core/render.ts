// Asks the server for what it renders: Markdown, code, diffs, titles of calls, sentences of notices.
// What rows ask for goes in one request once no more come, so that what only flies past is not asked for; answers are kept.

import { useEffect, useState } from "preact/hooks";
import { post } from "./api.ts";
import { language } from "./words.ts";
import type { Rendered, RenderItem } from "./types.ts";

const KEPT = 600;
const MOST = 64;
/** How long no more must come, and how long is waited at most, in milliseconds: rows come into being well before they are in sight. */
const SOON = 40;
const LATEST = 200;

interface Wish {
  item: RenderItem;
  key: string;
  /** False when the row has left the view meanwhile. */
  wanted(): boolean;
  done(): void;
}
const known = new Map<string, Rendered>();
let wishes: Wish[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
/** When the first of the wishes came. */
let since = 0;

/** What the server makes of one item now; not kept. */
export const render = async (item: RenderItem): Promise<Rendered> =>
  (await post<{ items: Rendered[] }>("/api/render", { items: [item] })).items[0] ?? { kind: "none" };

function flush(): void {
  const all = new Map<string, Wish[]>();
  for (const it of wishes) if (it.wanted()) all.set(it.key, [...(all.get(it.key) ?? []), it]);
  wishes = [];
  const keys = [...all.keys()];
  for (let at = 0; at < keys.length; at += MOST) void ask(keys.slice(at, at + MOST).map((key) => all.get(key) as Wish[]));
}

async function ask(batch: Wish[][]): Promise<void> {
  try {
    const { items } = await post<{ items: Rendered[] }>("/api/render", { items: batch.map(([it]) => it?.item) });
    batch.forEach((same, at) => {
      const [first] = same;
      const answer = items[at];
      if (!first || !answer) return;
      known.set(first.key, answer);
      if (known.size > KEPT) known.delete(known.keys().next().value as string);
      same.forEach((it) => it.done());
    });
  } catch {
    // The plain text stays; the next time the row is shown asks again.
  }
}

/** What the server made of an item; undefined until it is there. */
export function useRendered(item: RenderItem | null): Rendered | undefined {
  const key = item ? `${language.value}${JSON.stringify(item)}` : "";
  const [, again] = useState(0);
  useEffect(() => {
    if (!item || known.has(key)) return;
    let live = true;
    if (wishes.length === 0) since = performance.now();
    clearTimeout(timer);
    timer = setTimeout(flush, Math.min(SOON, since + LATEST - performance.now()));
    wishes.push({ item, key, wanted: () => live, done: () => live && again((n) => n + 1) });
    return () => {
      live = false;
    };
  }, [key]);
  return known.get(key);
}
