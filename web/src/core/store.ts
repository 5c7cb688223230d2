// What the whole page shares: the list, the open conversation, the place in the page, messages.

import { computed, effect, signal } from "@preact/signals";
import { conversation, get, post, query, Refusal } from "./api.ts";
import { Session } from "./session.ts";
import { follow } from "./stream.ts";
import { recall, remember } from "./words.ts";
import type { Info, Project } from "./types.ts";

export type Tab = "changes" | "plan" | "checks" | "files" | "checkpoints" | "graph" | "tokens";
export type Place = { at: "home" } | { at: "talk"; id: string } | { at: "play"; id: string } | { at: "compare"; a: string; b: string };

export const projects = signal<Project[]>([]);
export const version = signal("");
export const conversations = signal<Info[]>([]);
export const search = signal("");
export const place = signal<Place>({ at: "home" });
export const session = signal<Session | undefined>(undefined);
export const tab = signal<Tab>((recall("tab") as Tab | null) ?? "changes");
export const panelOpen = signal(recall("panel") !== "shut" && innerWidth >= 1200);
export const listOpen = signal(innerWidth >= 900);
// What stands beside the conversation would cover it on a window that has become narrow.
for (const [open, width] of [[panelOpen, 1199], [listOpen, 899]] as const) {
  matchMedia(`(max-width: ${width}px)`).addEventListener("change", ({ matches }) => matches && (open.value = false));
}
export const shownFile = signal<{ path: string; line?: number | undefined } | null>(null);
export const helpOpen = signal(false);
/** A dialog about the open conversation. */
export const asking = signal<"" | "rename" | "delete" | "undo" | "compare">("");
export const said = signal("");
export const toasts = signal<{ id: number; text: string; bad: boolean }[]>([]);

const known = new Map<string, Info>();
export const info = computed(() => {
  const id = session.value?.id;
  return conversations.value.find((it) => it.id === id) ?? (id ? known.get(id) : undefined);
});
export const project = computed(() => {
  const key = info.value?.project.key;
  return projects.value.find((it) => it.key === key) ?? projects.value[0];
});

let toastNumber = 0;
export function toast(text: string, bad = false): void {
  const id = ++toastNumber;
  toasts.value = [...toasts.value.slice(-3), { id, text, bad }];
  setTimeout(() => dismiss(id), bad ? 12_000 : 5000);
}
export const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((it) => it.id !== id);
};

/** Says a refusal where one can read it; true where the work was done. */
export async function attempt(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (why) {
    toast(why instanceof Error ? why.message : String(why), true);
    return false;
  }
}

/** Says something to screen readers alone. */
export const announce = (text: string): void => {
  said.value = text;
};

let listing = false;
let listAgain = false;
export async function refresh(): Promise<void> {
  if (listing) {
    listAgain = true;
    return;
  }
  listing = true;
  try {
    const { conversations: all } = await get<{ conversations: Info[] }>(`/api/conversations${query({ search: search.peek(), limit: 200 })}`);
    all.forEach((it) => known.set(it.id, it));
    conversations.value = all;
  } catch (why) {
    if (why instanceof Refusal) toast(why.message, true);
  } finally {
    listing = false;
    if (listAgain) {
      listAgain = false;
      void refresh();
    }
  }
}

export async function refreshProjects(): Promise<void> {
  projects.value = await get<Project[]>("/api/projects");
}

export async function create(fields: { project: string } & Record<string, unknown>): Promise<Info> {
  const made = await post<Info>("/api/conversations", fields);
  known.set(made.id, made);
  conversations.value = [made, ...conversations.value.filter((it) => it.id !== made.id)];
  return made;
}

export const link = (to: Place): string =>
  to.at === "home" ? "#/" : to.at === "talk" ? `#/c/${to.id}` : to.at === "play" ? `#/play/${to.id}` : `#/compare/${to.a}/${to.b}`;
export const go = (to: Place): void => {
  location.hash = link(to);
};

function arrive(): void {
  const [, what, a = "", b = ""] = location.hash.split("/");
  const to: Place =
    what === "c" && a ? { at: "talk", id: a } : what === "play" && a ? { at: "play", id: a } : what === "compare" ? { at: "compare", a, b } : { at: "home" };
  const followed = to.at === "talk" ? to.id : undefined;
  if (session.value?.id !== followed || place.value.at === "home") {
    const next = followed ? new Session(followed) : undefined;
    session.value = next;
    shownFile.value = null;
    if (next && !known.has(next.id)) {
      void get<Info>(conversation(next.id)).then(
        (it) => {
          known.set(it.id, it);
          conversations.value = [...conversations.value];
        },
        (why) => toast(String(why.message ?? why), true),
      );
    }
    follow(next, () => void refresh());
  }
  place.value = to;
  if (innerWidth < 900) listOpen.value = false;
}

export async function open(): Promise<void> {
  addEventListener("hashchange", arrive);
  arrive();
  await Promise.all([refreshProjects(), refresh()]);
}

export function show(next: Tab): void {
  tab.value = next;
  panelOpen.value = true;
}
export function showFile(path: string, line?: number): void {
  shownFile.value = { path, line };
  show("files");
}
effect(() => remember("tab", tab.value));
effect(() => {
  if (innerWidth >= 1200) remember("panel", panelOpen.value ? "open" : "shut");
});

const panelWidth = signal(Number(recall("width")) || 496);
/** True where the changes are shown side by side, which needs room. */
export const sideBySide = signal(recall("diff") === "split");
/** True while a diff is shown so. */
export const roomy = signal(false);
export const recallWidth = (): number =>
  roomy.value ? Math.max(panelWidth.value, Math.min(innerWidth - 640, 960)) : panelWidth.value;
export const keepWidth = (width: number): void => {
  panelWidth.value = Math.round(width);
  remember("width", String(panelWidth.value));
};
