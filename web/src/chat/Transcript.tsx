// The conversation from its beginning, with what streams and what waits for the reader at its end.

import { useMemo, useRef, useState } from "preact/hooks";
import { t } from "../core/words.ts";
import type { Session } from "../core/session.ts";
import type { CallEntry, Entry, View } from "../core/types.ts";
import { Button } from "../ui/Button.tsx";
import { Virtual, type VirtualHandle } from "../ui/Virtual.tsx";
import { Approval } from "./Approval.tsx";
import { explores } from "./CallRow.tsx";
import { EntryView } from "./EntryView.tsx";
import { Group } from "./Group.tsx";
import { Live } from "./Live.tsx";
import { QuestionCard } from "./QuestionCard.tsx";

/** Entries that say nothing of their own: replies of calls alone, and calls that something else tells of. */
const silent = (it: Entry): boolean =>
  (it.entry === "reply" && !it.text && !it.thinking && !it.images) || (it.entry === "call" && /^(ask_user|todo_write|plan_respond)$/.test(it.tool)) ||
  (it.entry === "notice" && it.event.event === "todo");

/** What is shown as one row: an entry, or calls one after another that only looked at something. */
type Shown = Entry | CallEntry[];

/** So many looks become one row. */
const FEW = 3;

/** The same without what is said twice: results that a fuller one follows, and a reply once more as the summary. */
function once(entries: Entry[]): Entry[] {
  let reply = "";
  return entries.flatMap((it, at) => {
    if (it.entry === "reply" && it.text) reply = it.text.trim();
    if (it.entry === "checks" && it.baseline && refined(entries, at)) return [];
    return it.entry === "summary" && it.summary.text.trim() === reply ? [{ ...it, summary: { ...it.summary, text: "" } }] : [it];
  });
}

/** True where the next checks are also those before the change. */
const refined = (entries: Entry[], at: number): boolean => {
  const next = entries.find((it, n) => n > at && (it.entry === "checks" || it.entry === "prompt"));
  return next?.entry === "checks" && next.baseline;
};

function grouped(entries: Entry[]): Shown[] {
  const out: Shown[] = [];
  let from = 0;
  entries.forEach((it, at) => {
    if (it.entry === "call" && explores(it)) return;
    take(at);
    out.push(it);
    from = at + 1;
  });
  take(entries.length);
  return out;

  function take(to: number): void {
    const looks = entries.slice(from, to) as CallEntry[];
    if (looks.length < FEW) out.push(...looks as Entry[]);
    else out.push(looks);
  }
}

/** An entry that still changes, as a new object each time, so that it is drawn again. */
const current = (it: Entry): Entry =>
  (it.entry === "call" && it.state !== "settled") || (it.entry === "checks" && !it.report) || (it.entry === "question" && it.answer == null) ? { ...it } : it;

const GUESS: Record<string, number> = { prompt: 96, steering: 72, call: 28, checks: 28, question: 70, notice: 28, summary: 220, end: 37, unknown: 28 };

/** The height of an entry before it has been seen; near enough that little moves when it is. */
const guess = (it: Shown): number =>
  Array.isArray(it) ? 28 :
  it.entry === "reply" ? (it.text ? 16 + 21 * Math.ceil(it.text.length / 95) : 0) + (it.thinking ? 28 : 0) : (GUESS[it.entry] ?? 28);

interface Props {
  view: View;
  session?: Session;
  label: string;
}

export function Transcript({ view, session, label }: Props) {
  const list = useRef<VirtualHandle>(null);
  const [end, setEnd] = useState(true);
  const asked = session ? view.asked : [];
  const open = asked.map((it) => it.call).join(" ");
  const entries = useMemo(
    // A question that waits is shown where it is answered.
    () => grouped(once(view.entries).filter((it) => !silent(it) && !(it.entry === "question" && asked.some((one) => one.call === it.call)))),
    [view.entries, view.entries.length, view.running, open],
  );
  const keyOf = (it: Shown): string => (Array.isArray(it) ? `looks${it[0]?.call}` : it.entry === "call" ? it.call : `${it.seq}${it.entry}`);
  const row = (it: Shown) => (Array.isArray(it) ? <Group calls={it} session={session} /> : <EntryView it={current(it)} session={session} />);
  const more = session && view.busy && asked.length === 0;
  return (
    <div class="transcript">
      <Virtual handle={list} stick label={label} role="log" class="entries" onAtEnd={setEnd}
        count={entries.length} stamp={entries}
        keyOf={(at) => keyOf(entries[at] as Shown)}
        guess={(at) => guess(entries[at] as Shown)}
        row={(at) => row(entries[at] as Shown)}
        after={
          <div class="tail">
            {session?.loaded.value && !view.busy && !entries.length && <p class="hint begin">{t("page.begin")}</p>}
            {more && <Live session={session} view={view} />}
            {session && asked.map((it) =>
              it.asks === "approval" ? <Approval key={it.call} it={it} session={session} first={it === asked[0]} /> : <QuestionCard key={it.call} it={it} session={session} />,
            )}
          </div>
        } />
      {!end && (
        <Button class="to-end" icon="down" kind={asked.length ? "main" : "plain"} onClick={() => list.current?.toEnd()}>
          {t(asked.length ? "page.waiting_for_you" : "page.to_end")}
        </Button>
      )}
    </div>
  );
}
