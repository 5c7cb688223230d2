// A call of a tool: a line that opens to its arguments, what it changed and what it returned.

import { span } from "../core/format.ts";
import { useRendered } from "../core/render.ts";
import type { Session } from "../core/session.ts";
import { fields, type CallEntry } from "../core/types.ts";
import { code, has, t } from "../core/words.ts";
import { Change, Lines as PlusMinus } from "../ui/bits.tsx";
import type { IconName } from "../ui/Icon.tsx";
import { Text } from "../ui/Spans.tsx";
import { DiffText } from "../panel/DiffText.tsx";
import { AgentTree } from "./Agents.tsx";
import { Fold } from "./Fold.tsx";

export function iconOf(tool: string): IconName {
  if (/command|shell|job/.test(tool)) return "command";
  if (/edit|write|patch|delete|move|rename/.test(tool)) return "edit";
  if (/read|view/.test(tool)) return "read";
  if (/grep|search|find|query|list|glob/.test(tool)) return "find";
  if (/agent/.test(tool)) return "agent";
  if (/web|fetch/.test(tool)) return "web";
  if (/todo|plan|check/.test(tool)) return "checks";
  return "note";
}

/** True where a call only looked at something, and did. */
export const explores = (it: CallEntry): boolean =>
  it.state === "settled" && it.status === "ok" && !it.changed.length && /^(read|find)$/.test(iconOf(it.tool));

/** What a call is about, until the server has worded it. */
export function about(of: unknown): string {
  const args = fields(of);
  return String(args.command ?? args.path ?? args.pattern ?? args.query ?? args.task ?? args.url ?? "").split("\n", 1)[0] ?? "";
}

export function CallRow({ it, session }: { it: CallEntry; session?: Session | undefined }) {
  const args = fields(it.args);
  const isCommand = typeof args.command === "string";
  const isAgent = it.tool.includes("agent");
  const title = useRendered(isCommand || isAgent ? null : { kind: "call", tool: it.tool, args })?.title ?? about(it.args);
  const bad = it.status != null && it.status !== "ok";
  const failed = bad || (it.exit_code != null && it.exit_code !== 0);
  const live = it.state === "running" ? session?.outputs.get(it.call)?.text : undefined;
  const sum = it.changed.reduce((all, file) => ({ added: all.added + (file.added ?? 0), removed: all.removed + (file.removed ?? 0) }), { added: 0, removed: 0 });
  const tone = it.state === "running" ? "running" : failed ? "bad" : "";
  return (
    <>
      <Fold id={it.call} icon={iconOf(it.tool)} tone={tone}
        title={isCommand ? <code>{title}</code> : <><span class="verb">{has(`page.tool.${it.tool}`) ? t(`page.tool.${it.tool}`) : it.tool.replaceAll("_", " ")}</span> {title}</>}
        end={
          <>
            {it.changed.length > 0 && <PlusMinus of={sum} />}
            {it.state === "asking" && <span class="tag wait">{t("page.state.waiting")}</span>}
            {bad && <span class="tag bad">{code("page.status", it.status ?? "")}</span>}
            {!bad && failed && <span class="tag bad">{t("page.exit", { code: it.exit_code })}</span>}
            {it.state === "running" ? <span class="spin" role="img" aria-label={t("page.running")} /> : it.duration_ms >= 1000 && <small>{span(it.duration_ms)}</small>}
          </>
        }>
        {it.decision?.answer === "deny" && it.decision.reason && <p class="hint">{t("page.denied_because", { reason: it.decision.reason })}</p>}
        {!isCommand && it.changed.length === 0 && Object.keys(args).length > 0 && (
          <dl class="args">
            {Object.entries(args).map(([name, value]) => (
              <div key={name}><dt>{name}</dt><dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd></div>
            ))}
          </dl>
        )}
        {it.changed.map((file) => (
          <section key={file.path} class="diffcard">
            <header><Change of={file} /></header>
            {file.why && <p class="hint">{file.why}</p>}
            {file.diff && <DiffText diff={file.diff} path={file.path} />}
          </section>
        ))}
        {it.output.left_out > 0 && <p class="hint">{t("page.left_out", { count: it.output.left_out })}</p>}
        {it.output.text && it.changed.length === 0 && (
          <Text kind="ansi" text={it.output.text} label={t("page.output")} />
        )}
      </Fold>
      {live && <pre class="text livetail" aria-label={t("page.output")}>{live.split("\n").slice(-8).join("\n")}</pre>}
      {isAgent && session && <AgentTree call={it.call} session={session} />}
    </>
  );
}
