// What `/` offers in the composer.

import { conversation, post } from "../core/api.ts";
import { asking, attempt, create, go, helpOpen, info, project, show } from "../core/store.ts";
import { command, type Session } from "../core/session.ts";
import { fork } from "./Header.tsx";

interface Slash {
  name: string;
  /** Words of its own that it takes, where it takes some. */
  takes?: string[];
  run(session: Session, rest: string): unknown;
}

const send = (name: string, fields: Record<string, unknown> = {}) => (session: Session) => attempt(command(session.id, { command: name, ...fields }));

export const SLASH: Slash[] = [
  { name: "mode", takes: ["auto", "chat", "plan", "build"], run: (s, mode) => attempt(command(s.id, { command: "set_mode", mode })) },
  { name: "approval", takes: ["ask", "accept-edits", "auto"], run: (s, policy) => attempt(command(s.id, { command: "set_approval", policy })) },
  { name: "effort", takes: ["default", "minimal", "low", "medium", "high", "xhigh", "max"], run: (s, effort) => attempt(command(s.id, { command: "set_effort", effort: effort === "default" ? null : effort })) },
  { name: "model", run: (s, model) => (model ? attempt(command(s.id, { command: "set_model", model })) : undefined) },
  { name: "new", run: async () => {
    const key = info.value?.project.key ?? project.value?.key;
    if (key) await attempt(create({ project: key }).then((it) => go({ at: "talk", id: it.id })));
  } },
  { name: "fork", run: (s) => fork(s.id) },
  { name: "continue", run: send("continue") },
  { name: "stop", run: (s) => attempt(post(conversation(s.id, "/interrupt"))) },
  { name: "undo", run: () => (asking.value = "undo") },
  { name: "redo", run: (s) => attempt(post(conversation(s.id, "/redo"))) },
  { name: "compact", run: send("compact") },
  { name: "clear", run: send("clear") },
  { name: "diff", run: () => show("changes") },
  { name: "plan", run: () => show("plan") },
  { name: "checks", run: () => show("checks") },
  { name: "files", run: () => show("files") },
  { name: "checkpoints", run: () => show("checkpoints") },
  { name: "context", run: () => show("tokens") },
  { name: "play", run: (s) => go({ at: "play", id: s.id }) },
  { name: "export", run: (s) => open(conversation(s.id, "/export?format=markdown"), "_blank", "noopener") },
  { name: "help", run: () => (helpOpen.value = true) },
];

/** True where the text was a command, which has been run. */
export function runSlash(text: string, session: Session): boolean {
  const [, name, rest = ""] = /^\/(\w+)(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
  const found = SLASH.find((it) => it.name === name);
  if (!found || (found.takes && !found.takes.includes(rest.trim()))) return false;
  void found.run(session, rest.trim());
  return true;
}
