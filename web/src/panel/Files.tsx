// The project's files: a tree that is fetched folder by folder, and one file's content.

import { useEffect, useState } from "preact/hooks";
import { get, project as at, query } from "../core/api.ts";
import { bytes } from "../core/format.ts";
import { attempt, project, session, shownFile } from "../core/store.ts";
import type { FileEntry, Span } from "../core/types.ts";
import { t } from "../core/words.ts";
import { Empty, Path } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Spans } from "../ui/Spans.tsx";
import { Virtual, type VirtualHandle } from "../ui/Virtual.tsx";
import { fill } from "../chat/draft.ts";
import { Number } from "./DiffRow.tsx";

export function Files() {
  const key = project.value?.key;
  const file = shownFile.value;
  if (!key) return null;
  return file ? <FileView project={key} path={file.path} line={file.line} /> : <div class="scroll tree" role="group" tabIndex={0} aria-label={t("page.tab.files")}><Folder project={key} path="" level={0} /></div>;
}

function Folder({ project: key, path, level }: { project: string; path: string; level: number }) {
  const [entries, setEntries] = useState<FileEntry[] | null>(null);
  useEffect(() => {
    void attempt(get<{ entries: FileEntry[] }>(at(key, `/files${query({ path })}`)).then((it) => setEntries(it.entries)));
  }, [key, path]);
  if (!entries) return <p class="hint"><span class="spin" /></p>;
  return <ul aria-label={path || t("page.tab.files")}>{entries.map((it) => <Item key={it.path} project={key} it={it} level={level} />)}</ul>;
}

function Item({ project: key, it, level }: { project: string; it: FileEntry; level: number }) {
  const [open, setOpen] = useState(false);
  const folder = it.kind === "folder";
  return (
    <li>
      <button type="button" class={`node ${it.changed ? "changed" : ""}`} aria-expanded={folder ? open : undefined} style={{ paddingLeft: `${8 + level * 16}px` }}
        onClick={() => (folder ? setOpen(!open) : (shownFile.value = { path: it.path }))}>
        {folder ? <Icon name={open ? "down" : "right"} size={12} /> : <span class="leaf" />}
        <Icon name={folder ? "folder" : "file"} size={14} />
        <span class="name">{it.name}</span>
        {it.changed && <span class="mark modified" role="img" aria-label={t("page.change.modified")}>M</span>}
        {it.size != null && <small>{bytes(it.size)}</small>}
      </button>
      {open && <Folder project={key} path={it.path} level={level + 1} />}
    </li>
  );
}

interface Content { path: string; size: number; text: string | null; lines: Span[][] | null; image: string | null; too_large: boolean }

function FileView({ project: key, path, line }: { project: string; path: string; line?: number | undefined }) {
  const [it, setIt] = useState<Content | null>(null);
  const [list, setList] = useState<VirtualHandle | null>(null);
  useEffect(() => {
    setIt(null);
    void attempt(get<Content>(at(key, `/file${query({ path })}`)).then(setIt)).then((ok) => ok || (shownFile.value = null));
  }, [key, path]);
  useEffect(() => {
    if (it && list && line) list.toIndex(Math.max(0, line - 4));
  }, [it, list, line]);
  const lines: Span[][] = it?.lines ?? it?.text?.split("\n").map((text) => [{ text }]) ?? [];
  return (
    <div class="fileview">
      <div class="bar">
        <Button kind="quiet" icon="right" class="flip" name={t("page.files.back")} onClick={() => (shownFile.value = null)} />
        <Path of={path} />
        <span class="grow" />
        {it && <small>{bytes(it.size)}</small>}
        <Button kind="quiet" onClick={() => session.value && fill(session.value.id, `@${path} `)}>{t("page.files.mention")}</Button>
      </div>
      {!it && <Empty><span class="spin" /></Empty>}
      {it?.image && <div class="scroll picture"><img src={it.image} alt={path} /></div>}
      {it?.too_large && <Empty><p>{t("page.files.too_large")}</p></Empty>}
      {it && !it.image && !it.too_large && it.text === null && !it.lines && <Empty><p>{t("page.files.binary")}</p></Empty>}
      {lines.length > 0 && (
        <Virtual handle={setList} class="code" label={path} count={lines.length} stamp={it} alike keyOf={(n) => n} guess={() => 20}
          row={(n) => <div class={`cline ${n + 1 === line ? "here" : ""}`}><Number of={n + 1} /><code><Spans spans={lines[n] as Span[]} />{lines[n]?.length ? "" : " "}</code></div>} />
      )}
    </div>
  );
}
