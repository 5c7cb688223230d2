// Tokens and cost as pictures: what fills the window, how it grew, what was paid for.

import { useEffect, useState } from "preact/hooks";
import { conversation, get, project as at, query } from "../core/api.ts";
import { money, percent, share, short } from "../core/format.ts";
import { project } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import type { Frame, Spent, View } from "../core/types.ts";
import { has, t } from "../core/words.ts";

interface Section { name: string; tokens: number; budget: number; items: unknown }
interface Context { sections: Section[]; total: number; window: number }
interface Point { used: number; window: number; turn: number }

export function Tokens({ session, view }: { session: Session; view: View }) {
  const [context, setContext] = useState<Context | null>(null);
  const [points, setPoints] = useState<Point[]>([]);
  const key = project.value?.key;
  const task = view.turns.at(-1)?.prompt ?? "";
  useEffect(() => {
    if (key) void get<Context>(at(key, `/context${query({ task })}`)).then(setContext, () => undefined);
  }, [key, task]);
  useEffect(() => {
    void get<{ frames: Frame[] }>(conversation(session.id, "/frames?after=0")).then(({ frames }) => {
      let turn = 0;
      setPoints(frames.flatMap((it) => {
        if (it.event === "turn_start") turn = Number(it.turn);
        return it.event === "token_usage" ? [{ used: Number(it.used), window: Number(it.window), turn }] : [];
      }));
    }, () => undefined);
  }, [session.id, view.busy]);
  const [used, window] = view.window;
  const total = view.account.conversation;
  return (
    <div class="scroll tokens" tabIndex={0} role="group" aria-label={t("page.tab.tokens")}>
      <section>
        <h2>{t("page.window")}</h2>
        <p class="big">{short(used || context?.total || 0)} <small>/ {short(window || context?.window || 0)} · {percent(used || context?.total || 0, window || context?.window || 0)} %</small></p>
        {context && <Sources of={context} used={used} window={window || context.window} />}
      </section>
      {points.length > 1 && <section><h2>{t("page.tokens.growth")}</h2><Growth of={points} /></section>}
      <Spend title={t("page.tokens.turn")} of={view.account.turn} limit={view.account.cost_limit} />
      <Spend title={t("page.tokens.conversation")} of={total} />
    </div>
  );
}

const source = (name: string): string => {
  const [kind = "", ...rest] = name.split(":");
  const words = has(`page.source.${kind}`) ? t(`page.source.${kind}`) : kind.replaceAll("_", " ");
  return rest.length ? `${words}: ${rest.join(":")}` : words;
};

/** The conversation is what is left when the sources are told apart: it has no colour of its own. */
const tint = (name: string, n: number): string => (name === "conversation" ? "c7" : `c${n % 7}`);

/** One bar for the window; each source has its share of it, what the conversation added comes last. */
function Sources({ of, used, window }: { of: Context; used: number; window: number }) {
  const talk = Math.max(0, used - of.total);
  const most = of.sections.filter((it) => it.tokens > 0).sort((a, b) => b.tokens - a.tokens);
  const rest = most.splice(6).reduce((n, it) => n + it.tokens, 0);
  const all = [...most, ...(rest ? [{ name: "other", tokens: rest, budget: 0, items: null }] : []), ...(talk ? [{ name: "conversation", tokens: talk, budget: 0, items: null }] : [])];
  const sum = all.reduce((n, it) => n + it.tokens, 0);
  let x = 0;
  return (
    <>
      <svg class="bars" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={t("page.tokens.sources")}>
        <rect class="rest" width="100" height="4" />
        {all.map((it, n) => {
          const width = (it.tokens / Math.max(sum, 1)) * 100;
          const at = x;
          x += width;
          return <rect key={it.name} class={tint(it.name, n)} x={at} width={Math.max(0, width - 0.4)} height="4"><title>{source(it.name)}</title></rect>;
        })}
      </svg>
      <ul class="sources">
        {all.map((it, n) => (
          <li key={it.name}><span class={`key ${tint(it.name, n)}`} /><span>{source(it.name)}</span><b>{short(it.tokens)}</b><small>{share(it.tokens, sum)}</small></li>
        ))}
      </ul>
      <p class="hint">{t("page.tokens.free", { n: short(Math.max(0, window - Math.max(used, of.total))) })}</p>
    </>
  );
}

/** How full the window was at each request; a line where a turn began. */
function Growth({ of }: { of: Point[] }) {
  const most = Math.max(...of.map((it) => it.used)) * 1.15;
  const x = (n: number) => (n / Math.max(1, of.length - 1)) * 400;
  const y = (used: number) => 96 - (used / most) * 90;
  const line = of.map((it, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(it.used).toFixed(1)}`).join("");
  return (
    <svg class="growth" viewBox="0 0 400 100" preserveAspectRatio="none" role="img" aria-label={t("page.tokens.growth.label", { from: short(of[0]?.used ?? 0), to: short(of.at(-1)?.used ?? 0), count: of.length })}>
      {of.map((it, n) => n > 0 && it.turn !== of[n - 1]?.turn && <path key={n} class="turn" d={`M${x(n)} 0V100`} />)}
      <path class="area" d={`${line}L400 100L0 100Z`} /><path class="curve" d={line} fill="none" />
    </svg>
  );
}

function Spend({ title, of, limit }: { title: string; of: Spent; limit?: number | null }) {
  const { input, cache_read: cached, output, reasoning } = of.usage;
  const parts = [
    { key: "cached", n: cached },
    { key: "input", n: Math.max(0, input - cached) },
    { key: "reasoning", n: reasoning },
    { key: "output", n: Math.max(0, output - reasoning) },
  ].filter((it) => it.n > 0);
  const sum = parts.reduce((n, it) => n + it.n, 0);
  if (!sum) return null;
  let x = 0;
  return (
    <section>
      <h2>{title}</h2>
      <p class="big">{money(of.cost)} <small>{limit ? `/ ${money(limit)} · ` : ""}{t("page.requests", { count: of.requests })}{of.unpriced > 0 && ` · ${t("page.tokens.unpriced", { count: of.unpriced })}`}</small></p>
      <svg class="bars" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={title}>
        {parts.map((it) => {
          const width = (it.n / sum) * 100;
          const at = x;
          x += width;
          return <rect key={it.key} class={`k-${it.key}`} x={at} width={Math.max(0, width - 0.4)} height="4" />;
        })}
      </svg>
      <ul class="sources">{parts.map((it) => <li key={it.key}><span class={`key k-${it.key}`} /><span>{t(`page.tokens.${it.key}`)}</span><b>{short(it.n)}</b><small>{share(it.n, sum)}</small></li>)}</ul>
    </section>
  );
}
