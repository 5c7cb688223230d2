// An open conversation.

import { useEffect, useRef } from "preact/hooks";
import { announce, attempt, panelOpen, show, tab } from "../core/store.ts";
import { command, type Session } from "../core/session.ts";
import type { View } from "../core/types.ts";
import { connection } from "../core/stream.ts";
import { stopped, t } from "../core/words.ts";
import { Composer } from "./Composer.tsx";
import { Header } from "./Header.tsx";
import { Queue } from "./Queue.tsx";
import { StageBar } from "./StageBar.tsx";
import { Transcript } from "./Transcript.tsx";
import { Lines } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";

/** What the run has changed so far, where the panel does not show it. */
function Edits({ view }: { view: View }) {
  const of = view.changes;
  if (!of.length || (panelOpen.value && tab.value === "changes")) return null;
  const sum = { added: 0, removed: 0 };
  for (const it of of) ((sum.added += it.added ?? 0), (sum.removed += it.removed ?? 0));
  return (
    <p class="edits">
      <span>{t("page.files", { count: new Set(of.map((it) => it.path)).size })}</span><Lines of={sum} />
      <span class="grow" /><Button kind="quiet" onClick={() => show("changes")}>{t("page.review_changes")}</Button>
    </p>
  );
}

export function Talk({ session }: { session: Session }) {
  const view = session.view;
  const was = useRef<boolean | null>(null);
  useEffect(() => {
    if (was.current && !view.busy && view.stop) announce(stopped(view.stop.reason));
    if (was.current === false && view.busy) announce(t("page.state.working"));
    was.current = view.busy;
  }, [view.busy]);
  const last = view.entries.findLast((it) => it.entry === "reply" && it.text !== "");
  useEffect(() => {
    // A reply is read out once it is whole, not letter by letter.
    if (was.current && last?.entry === "reply") announce(last.text.slice(0, 400));
  }, [last?.seq]);
  const waits = view.asked.length > 0;
  useEffect(() => {
    document.title = `${waits ? "● " : view.busy ? "… " : ""}${view.name || view.turns[0]?.prompt.slice(0, 60) || t("page.untitled")} · Ox`;
  }, [waits, view.busy, view.name, view.turns[0]?.prompt]);
  const cut = !view.busy && view.stop && /interrupted|limit|budget|model_failed/.test(view.stop.reason);
  return (
    <main class="talk" data-seq={view.seq} data-busy={view.busy} data-conversation={session.id}>
      <Header session={session} view={view} />
      {(view.busy || view.stages.length > 0) && <StageBar view={view} />}
      {connection.value === "lost" && <p class="banner" role="status">{t("page.reconnecting")}</p>}
      <Transcript view={view} session={session} label={t("page.transcript")} />
      {view.jobs.length > 0 && (
        <ul class="jobs" aria-label={t("page.jobs")}>
          {view.jobs.map((it) => (
            <li key={it.id}><span class="spin" /><code>{it.command}</code>
              <Button kind="quiet" icon="stop" name={t("page.stop_job", { id: it.id })} onClick={() => void attempt(command(session.id, { command: "stop_job", job: it.id }))} /></li>
          ))}
        </ul>
      )}
      {cut && <p class="again"><Button onClick={() => void attempt(command(session.id, { command: "continue" }))}>{t("page.continue")}</Button></p>}
      {view.busy && <Edits view={view} />}
      <Queue session={session} view={view} />
      <Composer session={session} view={view} />
    </main>
  );
}
