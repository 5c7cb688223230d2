// The seven phases of a task: which are done, which runs, and how far the work is.

import { money, share, short, span } from "../core/format.ts";
import type { View } from "../core/types.ts";
import { code, t } from "../core/words.ts";
import { useNow } from "./Live.tsx";

const STAGES = ["claim", "load_context", "assemble_prompt", "agent_loop", "final_response", "write_result", "cleanup"];

export function StageBar({ view, past }: { view: View; past?: boolean }) {
  const now = useNow(view.busy && !past);
  const done = new Map<string, { ms: number; ok: boolean }>(view.stages.map(([stage, ms, ok]) => [stage, { ms, ok }]));
  const [n, m] = view.iteration;
  const [used, window] = view.window;
  const spent = view.account.turn;
  const until = view.entries.at(-1)?.time ?? view.began;
  const took = (view.busy && !past ? now : until) - view.began;
  const words = view.stage === "agent_loop" ? t("page.iteration", { n, m }) : view.stage ? code("stage", view.stage) : "";
  return (
    <div class={`stages ${view.busy ? "busy" : ""}`} role="group" aria-label={t("page.stages")}>
      <ol>
        {STAGES.map((stage) => {
          const past = done.get(stage);
          const now = view.stage === stage;
          const state = now ? "now" : past ? (past.ok ? "done" : "failed") : "todo";
          const label = `${code("stage", stage)}${past && !now ? ` · ${span(past.ms)}` : ""}${stage === "agent_loop" && n ? ` · ${t("page.iteration", { n, m })}` : ""}`;
          return (
            <li key={stage} class={`${stage} ${state}`} title={label} aria-current={now ? "step" : undefined}>
              <span class="track"><span class="fill" style={stage === "agent_loop" && now ? { width: `${Math.max(8, Math.min(100, (n / Math.max(m, 1)) * 100))}%` } : {}} /></span>
              <span class="name">{code("stage", stage)}</span>
            </li>
          );
        })}
      </ol>
      <p class="facts">
        {words && <strong>{words}</strong>}
        {view.began > 0 && took >= 1000 && <span>{span(took)}</span>}
        {spent.requests > 0 && <span>{t("page.tokens_count", { n: short(spent.usage.input + spent.usage.output) })}</span>}
        {spent.cost > 0 && <span>{money(spent.cost)}</span>}
        {window > 0 && used > 0 && <Gauge part={used / window} />}
      </p>
    </div>
  );
}

/** How full the context window is. */
const Gauge = ({ part }: { part: number }) => (
  <span class="gauge" title={t("page.window")}>
    <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true"><circle cx="7" cy="7" r="5.5" /><circle class="part" cx="7" cy="7" r="5.5" pathLength="100" stroke-dasharray={`${Math.min(100, part * 100)} 100`} /></svg>
    <span class="sr">{t("page.window")} </span>{share(part, 1)}
  </span>
);
