// Recorded states of the project as a timeline: what differs from now is shown before anything is put back.

import { useEffect, useState } from "preact/hooks";
import { get, post, project as at } from "../core/api.ts";
import { clock, ago } from "../core/format.ts";
import { attempt, conversations, project, toast } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import type { ChangedFile, CheckpointTurn, FileChange, View } from "../core/types.ts";
import { code, t } from "../core/words.ts";
import { Change, ChangeList, Empty } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Confirm } from "../ui/Confirm.tsx";
import { Icon } from "../ui/Icon.tsx";
import { UnifiedRow } from "./DiffRow.tsx";

export function Checkpoints({ session, view }: { session: Session; view: View }) {
  const [turns, setTurns] = useState<CheckpointTurn[] | null>(null);
  const [chosen, setChosen] = useState("");
  const key = project.value?.key ?? "";
  const load = () => attempt(get<{ turns: CheckpointTurn[] }>(at(key, "/checkpoints")).then((it) => setTurns(it.turns)));
  useEffect(() => {
    if (key) void load();
  }, [key, view.turn, view.busy]);
  if (!turns) return <Empty><span class="spin" /></Empty>;
  if (!turns.length) return <Empty><Icon name="clock" size={24} /><p>{t("page.checkpoints.none")}</p></Empty>;
  return (
    <div class="scroll checkpoints" tabIndex={0} role="group" aria-label={t("page.tab.checkpoints")}>
      {turns.map((turn, n) => (
        <section key={n} class={turn.conversation === session.id ? "mine" : ""}>
          <h2><span>{conversations.value.find((it) => it.id === turn.conversation)?.title || turn.title || t("page.checkpoints.outside")}</span><small>{turn.turn ? `${t("page.turn", { n: turn.turn })} · ` : ""}{ago(turn.time)}</small></h2>
          <ol class="timeline">
            {turn.states.map((it) => (
              <li key={it.id} class={it.id === chosen ? "chosen" : ""}>
                <button type="button" class="row" aria-expanded={it.id === chosen} onClick={() => setChosen(it.id === chosen ? "" : it.id)}>
                  <span class="knot" /><span class="what">{code("checkpoints.reason", it.reason)}{it.why && <small>{it.why.replace(/^\w+/, (tool) => tool.replaceAll("_", " "))}</small>}</span>
                  <small><time>{clock(it.time)}</time></small>
                </button>
                {it.id === chosen && <State project={key} id={it.id} restored={() => void load()} />}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function State({ project: key, id, restored }: { project: string; id: string; restored(): void }) {
  const [files, setFiles] = useState<ChangedFile[] | null>(null);
  const [lost, setLost] = useState<FileChange[] | null>(null);
  const path = at(key, `/checkpoints/${encodeURIComponent(id)}`);
  useEffect(() => {
    void attempt(get<{ files: ChangedFile[] }>(`${path}/diff`).then((it) => setFiles(it.files)));
  }, [path]);
  const ask = () => void attempt(get<{ changes: FileChange[] }>(`${path}/restore`).then((it) => setLost(it.changes)));
  const restore = () =>
    void attempt(post<{ changes: FileChange[] }>(`${path}/restore`).then((it) => {
      toast(t("page.checkpoints.restored", { count: it.changes.length }));
      setLost(null);
      restored();
    }));
  if (!files) return <p class="hint"><span class="spin" /></p>;
  return (
    <div class="state-diff">
      {files.length === 0 ? <p class="hint">{t("page.checkpoints.same")}</p> : (
        <>
          <p class="hint">{t("page.checkpoints.since")}</p>
          {files.map((it) => (
            <details key={it.change.path}>
              <summary><Change of={it.change} /></summary>
              <div class="difftext" tabIndex={0} role="region" aria-label={t("page.diff_of", { path: it.change.path })}>{it.hunks.map((hunk, at) => <div key={at} class="hunk">{hunk.rows.slice(0, 400).map((row, r) => <UnifiedRow key={r} row={row} />)}</div>)}</div>
            </details>
          ))}
          <Button icon="undo" onClick={ask}>{t("page.checkpoints.restore")}</Button>
        </>
      )}
      {lost && (
        <Confirm danger title={t("page.checkpoints.restore")} yes={t("page.checkpoints.restore")} close={() => setLost(null)} confirm={restore}>
          <p>{t("page.checkpoints.would", { count: lost.length })}</p>
          <ChangeList of={lost} />
          <p class="hint">{t("page.checkpoints.undoable")}</p>
        </Confirm>
      )}
    </div>
  );
}
