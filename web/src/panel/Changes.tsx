// Review: what the last run changed, hunk by hunk; comments on lines go back to the agent as one prompt.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { conversation, get, post } from "../core/api.ts";
import { attempt, roomy, sideBySide, toast } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import type { ChangedFile, Hunk, Row, View } from "../core/types.ts";
import { remember, t } from "../core/words.ts";
import { Change, Empty, focusFirst, Lines } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Virtual } from "../ui/Virtual.tsx";
import { SplitRow, UnifiedRow } from "./DiffRow.tsx";
import { useLine, type Line } from "./lines.ts";
import { commentKey, flatten, type Flat } from "./rows.ts";

const GUESS = { file: 44, hunk: 32, row: 20, pair: 20, comment: 96 };

export function Changes({ session, view }: { session: Session; view: View }) {
  const [files, setFiles] = useState<ChangedFile[] | null>(null);
  const split = sideBySide.value && innerWidth >= 700;
  useEffect(() => {
    roomy.value = split && !!files?.length;
    return () => {
      roomy.value = false;
    };
  }, [split, !files?.length]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [comments, setComments] = useState<ReadonlyMap<string, string>>(new Map());
  const box = useRef<HTMLDivElement>(null);
  // What changes while the run goes on is fetched again with each change, not with each event; what is out of date before it
  // is there is neither waited for nor read: it can be megabytes.
  const stamp = session.loaded.value && `${view.turn}:${view.changes.length}:${view.busy}`;
  useEffect(() => {
    if (!stamp) return;
    const stop = new AbortController();
    const take = (it: ChangedFile[]) => stop.signal.aborted || setFiles(it);
    const timer = setTimeout(() => {
      void get<{ files: ChangedFile[] }>(conversation(session.id, "/changes"), stop.signal).then((it) => take(it.files), () => take([]));
    }, files ? 400 : 0);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [session.id, stamp]);

  const rows = useMemo(() => flatten(files ?? [], split, folded, comments), [files, split, folded, comments]);
  const comment = (path: string, row: Row | undefined) => {
    if (row) setComments((was) => new Map(was).set(commentKey(path, row), was.get(commentKey(path, row)) ?? ""));
  };
  const onLine = ({ at, side }: Line) => {
    const it = rows[at];
    if (it?.is === "row") comment(it.path, it.row);
    else if (it?.is === "pair") comment(it.path, it.pair[side]);
  };
  const { line, onKey, back } = useLine(box, rows, onLine);
  /** A click on a line's number; one listener for all lines. */
  const onClick = (event: MouseEvent) => {
    const place = (event.target as HTMLElement).closest(".no")?.closest<HTMLElement>("[data-side]");
    if (place) onLine({ at: Number(place.dataset.row), side: place.dataset.side as "left" });
  };
  const settle = (accept: string[], reject: string[]) =>
    void attempt(post<{ accepted: number; rejected: number; files: ChangedFile[] }>(conversation(session.id, "/changes"), { accept, reject }).then((it) => {
      setFiles(it.files);
      toast(t("page.changes.settled", { accepted: it.accepted, rejected: it.rejected }));
    }));
  const undecided = (of: ChangedFile[]) => of.flatMap((file) => file.hunks.filter((it) => it.id && (it.state ?? "pending") === "pending").map((it) => it.id as string));
  const written = [...comments].filter(([, text]) => text.trim());
  const send = () => {
    const lines = written.map(([place, text]) => `- \`${place.replace(/:-(\d+)$/, ":$1")}\`${/:-\d+$/.test(place) ? ` (${t("page.row.removed")})` : ""}: ${text.trim()}`);
    void attempt(post(conversation(session.id, "/prompts"), { text: `${t("page.comment.intro")}\n\n${lines.join("\n")}` })).then((ok) => ok && setComments(new Map()));
  };
  const setText = (place: string, text: string | null) =>
    setComments((was) => {
      const next = new Map(was);
      if (text === null) next.delete(place);
      else next.set(place, text);
      return next;
    });

  if (!files) return <Empty><span class="spin" /></Empty>;
  if (!files.length) return <Empty><Icon name="edit" size={24} /><p>{t("page.changes.none")}</p></Empty>;
  const sum = { added: 0, removed: 0 };
  for (const it of files) ((sum.added += it.change.added ?? 0), (sum.removed += it.change.removed ?? 0));
  const all = undecided(files);
  const row = (it: Flat, at: number) => {
    switch (it.is) {
      case "file":
        return <FileHead file={it.file} folded={folded.has(it.key)} ids={undecided([it.file])} settle={settle}
          fold={() => setFolded((was) => { const next = new Set(was); if (!next.delete(it.key)) next.add(it.key); return next; })} />;
      case "hunk":
        return (
          <div class={`hunkhead ${it.hunk.state ?? ""}`}>
            <Button kind="quiet" icon="comment" name={t("page.comment.hunk")} onClick={() => comment(it.file.change.path, it.hunk.rows.find((one) => one.kind !== "same"))} />
            <span class="heading">{linesOf(it.hunk)}</span>
            {it.hunk.id && (it.hunk.state ?? "pending") === "pending" ? (
              <>
                <Button kind="quiet" icon="check" onClick={() => settle([it.hunk.id as string], [])}>{t("page.changes.accept")}</Button>
                <Button kind="quiet" icon="undo" onClick={() => settle([], [it.hunk.id as string])}>{t("page.changes.reject")}</Button>
              </>
            ) : it.hunk.state && <span class={`tag ${it.hunk.state}`}>{t(`page.changes.${it.hunk.state}`)}</span>}
          </div>
        );
      case "row":
        return <UnifiedRow row={it.row} at={at} here={at === line.at} />;
      case "pair":
        return <SplitRow pair={it.pair} at={at} here={at === line.at ? line.side : undefined} />;
      case "comment":
        return (
          <div class="linecomment">
            <textarea rows={2} value={comments.get(it.path) ?? ""} placeholder={t("page.comment.write")} aria-label={t("page.comment.on", { line: it.line })}
              ref={comments.get(it.path) ? null : focusFirst}
              onInput={(event) => setText(it.path, event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key !== "Escape") return;
                event.stopPropagation();
                if (!event.currentTarget.value.trim()) setText(it.path, null);
                back();
              }} />
            <Button kind="quiet" icon="close" name={t("page.comment.drop")} onClick={() => setText(it.path, null)} />
          </div>
        );
    }
  };
  return (
    <div class="changes" ref={box} onClick={onClick} onKeyDown={onKey}>
      <div class="bar">
        <span>{t("page.files", { count: files.length })}</span><Lines of={sum} />
        <span class="grow" />
        <div class="seg" role="group" aria-label={t("page.changes.layout")}>
          {[false, true].map((it) => (
            <button type="button" key={String(it)} aria-pressed={split === it} onClick={() => ((sideBySide.value = it), remember("diff", it ? "split" : "unified"))}>{t(it ? "page.changes.split" : "page.changes.unified")}</button>
          ))}
        </div>
      </div>
      <Virtual class={`diff ${split ? "split" : ""}`} label={t("page.tab.changes")} count={rows.length} stamp={rows} alike={!comments.size}
        keyOf={(at) => (rows[at] as Flat).key} guess={(at) => GUESS[(rows[at] as Flat).is]} row={(at) => row(rows[at] as Flat, at)} />
      {(all.length > 0 || comments.size > 0) && (
        <div class="foot">
          {comments.size > 0 ? (
            <><span>{t("page.comment.count", { count: written.length })}</span><span class="grow" /><Button kind="main" icon="send" disabled={!written.length} onClick={send}>{t("page.comment.send")}</Button></>
          ) : (
            <><span>{t("page.changes.pending", { count: all.length })}</span><span class="grow" />
              <Button icon="undo" onClick={() => settle([], all)}>{t("page.changes.reject_all")}</Button>
              <Button kind="main" icon="check" onClick={() => settle(all, [])}>{t("page.changes.accept_all")}</Button></>
          )}
        </div>
      )}
    </div>
  );
}

/** The lines of a hunk, as they are now. */
function linesOf(hunk: Hunk): string {
  const changed = hunk.rows.filter((it) => it.kind !== "same" && it.kind !== "note");
  const of = changed.some((it) => it.new) ? changed.flatMap((it) => it.new ?? []) : changed.flatMap((it) => it.old ?? []);
  const [from, to] = [of[0] ?? 0, of.at(-1) ?? 0];
  return from === to ? t("page.line", { n: from }) : t("page.lines", { from, to });
}

function FileHead({ file, folded, ids, settle, fold }: { file: ChangedFile; folded: boolean; ids: string[]; settle(accept: string[], reject: string[]): void; fold(): void }) {
  return (
    <div class="filehead">
      <button type="button" class="row" aria-expanded={!folded} onClick={fold}><Icon name={folded ? "right" : "down"} size={12} /><Change of={file.change} /></button>
      {ids.length > 1 && (
        <>
          <Button kind="quiet" icon="check" name={t("page.changes.accept_file")} onClick={() => settle(ids, [])} />
          <Button kind="quiet" icon="undo" name={t("page.changes.reject_file")} onClick={() => settle([], ids)} />
        </>
      )}
      {!!file.why?.length && !folded && <p class="why">{file.why.join(" · ")}</p>}
    </div>
  );
}
