// What happens now: thinking, the reply as it streams, or what is waited for.

import { useEffect, useState } from "preact/hooks";
import { attempt, show } from "../core/store.ts";
import { span } from "../core/format.ts";
import { command, type Session } from "../core/session.ts";
import type { View } from "../core/types.ts";
import { t } from "../core/words.ts";
import { Coded } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { StreamingMarkdown } from "../ui/Markdown.tsx";

/** The time, once a second; it stands still while nothing runs and while nobody looks. */
export function useNow(runs: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => !document.hidden && setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

function doing(view: View, session: Session): { key: string; since: number; what?: string } {
  const live = session.live;
  if (view.retry) return { key: "page.now.retry", since: view.retry };
  if (view.checks) return { key: view.checks[1] ? "page.now.checks" : "page.now.baseline", since: view.checks[0] };
  const first = view.running[0];
  if (first) return { key: "page.now.running", since: first[1] };
  const since = view.entries.at(-1)?.time ?? view.began;
  if (live?.text.text) return { key: "page.now.writing", since };
  return { key: view.stage === "agent_loop" ? "page.now.thinking" : "page.now.preparing", since };
}

export function Live({ session, view }: { session: Session; view: View }) {
  const live = session.live;
  const now = useNow(true);
  const it = doing(view, session);
  const time = span(Math.max(0, Math.round(Math.abs(now - it.since) / 1000) * 1000) || 1000);
  const todo = view.todos.find((one) => one.state === "in_progress") ?? view.todos.find((one) => one.state === "pending");
  const thinking = live?.thinking.text ?? "";
  return (
    <div class="live">
      {thinking && !live?.text.text && <p class="thought">{thinking.slice(-400)}</p>}
      {live?.text.text && <article class="reply" aria-label={t("page.ox")}><StreamingMarkdown key={live.id} text={live.text.text} /></article>}
      <p class="doing">
        <span class="spin" />
        <span>{t(it.key)}</span>
        <small>{time}</small>
        {todo && <button type="button" class="todo-now" title={t("page.tab.plan")} onClick={() => show("plan")}><small>{view.todos.filter((one) => one.state === "completed").length}/{view.todos.length}</small> <Coded text={todo.text} /></button>}
        {view.retry && <Button kind="quiet" onClick={() => void attempt(command(session.id, { command: "retry" }))}>{t("page.retry_now")}</Button>}
      </p>
    </div>
  );
}
