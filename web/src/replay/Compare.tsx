// Two runs beside each other: their figures, and what each did.

import { useEffect, useState } from "preact/hooks";
import { conversation, get } from "../core/api.ts";
import { money, short, span } from "../core/format.ts";
import { attempt, conversations, go } from "../core/store.ts";
import type { View } from "../core/types.ts";
import { stopped, t } from "../core/words.ts";
import { Empty } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Transcript } from "../chat/Transcript.tsx";

interface Figures { time: number; tokens: number; cost: number; requests: number; calls: number; files: number }

function figures(view: View): Figures {
  const { usage, cost, requests } = view.account.conversation;
  const calls = view.entries.filter((it) => it.entry === "call");
  return {
    time: (view.entries.at(-1)?.time ?? 0) - (view.entries[0]?.time ?? 0),
    tokens: usage.input + usage.output,
    cost,
    requests,
    calls: calls.length,
    files: new Set(calls.flatMap((it) => (it.entry === "call" ? it.changed.map((file) => file.path) : []))).size,
  };
}

export function Compare({ a, b }: { a: string; b: string }) {
  const [side, setSide] = useState(0);
  const [views, setViews] = useState<[View, View] | null>(null);
  useEffect(() => {
    void attempt(Promise.all([a, b].map((id) => get<View>(conversation(id, "/view")))).then((it) => setViews(it as [View, View])));
  }, [a, b]);
  const title = (id: string) => conversations.value.find((it) => it.id === id)?.title ?? id;
  const all = views?.map(figures) as [Figures, Figures] | undefined;
  const shown: [keyof Figures, (n: number) => string][] = [["time", span], ["tokens", short], ["cost", money], ["requests", short], ["calls", short], ["files", short]];
  return (
    <main class="compare">
      <header class="talkhead">
        <Button icon="right" class="flip" kind="quiet" name={t("page.back")} onClick={() => go({ at: "talk", id: a })} />
        <div class="titles"><h1><span>{t("page.compare")}</span></h1></div>
      </header>
      {!views || !all ? <Empty><span class="spin" /></Empty> : (
        <>
          <table class="figures">
            <thead><tr><th scope="col"><span class="sr">{t("page.compare.figure")}</span></th>{[a, b].map((id, n) => <th scope="col" key={n} title={title(id)}>{title(id)}</th>)}</tr></thead>
            <tbody>
              <tr><th scope="row">{t("page.compare.end")}</th>{views.map((it, n) => <td key={n}>{it.stop ? stopped(it.stop.reason) : "–"}</td>)}</tr>
              {shown.map(([key, write]) => {
                const most = Math.max(all[0][key], all[1][key], 1);
                return (
                  <tr key={key}><th scope="row">{t(`page.compare.${key}`)}</th>
                    {all.map((it, n) => <td key={n}><svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width={(it[key] / most) * 100} height="4" rx="1" /></svg><span>{write(it[key])}</span></td>)}
                  </tr>
                );
              })}
            </tbody>
          </table>
          <div class="seg sides" role="group" aria-label={t("page.compare")}>{[a, b].map((id, n) => <button type="button" key={n} aria-pressed={side === n} onClick={() => setSide(n)}>{title(id)}</button>)}</div>
          <div class={`two side${side}`}>{views.map((it, n) => <section key={n} aria-label={title(n ? b : a)}><Transcript view={it} label={title(n ? b : a)} /></section>)}</div>
        </>
      )}
    </main>
  );
}
