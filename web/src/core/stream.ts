// One connection for everything: the open conversation's events and the news that the list changed.

import { signal } from "@preact/signals";
import type { Session } from "./session.ts";
import type { Delta, Frame, View } from "./types.ts";

export type Connection = "open" | "lost";
export const connection = signal<Connection>("open");

let source: EventSource | undefined;
let again: ReturnType<typeof setTimeout> | undefined;
let wait = 500;

/** Follows a conversation, or only the list; what was followed before no longer is. */
export function follow(session: Session | undefined, listChanged: () => void): void {
  clearTimeout(again);
  source?.close();
  const from = session ? `?follow=${encodeURIComponent(`${session.id}:${session.seq}`)}` : "";
  const mine = new EventSource(`/api/events${from}`);
  source = mine;
  const on = (name: string, take: (data: unknown) => void) =>
    mine.addEventListener(name, (event) => take(parse((event as MessageEvent<string>).data)));
  const reconnect = () => {
    mine.close();
    if (source !== mine) return;
    connection.value = "lost";
    again = setTimeout(() => follow(session, listChanged), wait);
    wait = Math.min(wait * 2, 8000);
  };
  mine.onopen = () => {
    if (connection.value === "lost") listChanged();
    connection.value = "open";
    wait = 500;
  };
  // The browser would go on by itself, from the last id; a connection of our own also survives a server that was away.
  mine.onerror = reconnect;
  on("frame", (data) => session?.frame(data as Frame));
  on("delta", (data) => session?.delta(data as Delta));
  on("snapshot", (data) => session?.snapshot((data as { view: View }).view));
  on("gap", reconnect);
  on("changed", listChanged);
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}
