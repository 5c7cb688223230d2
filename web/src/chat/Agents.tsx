// Sub-agents as a tree: each with how far it is and what it did, those of its own below it.

import { useEffect } from "preact/hooks";
import { money, short } from "../core/format.ts";
import { attempt } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import { fields, type EntryOf, type View } from "../core/types.ts";
import { stopped, t } from "../core/words.ts";
import { Icon } from "../ui/Icon.tsx";
import { Markdown } from "../ui/Markdown.tsx";
import { tone } from "./EntryView.tsx";
import { about, iconOf } from "./CallRow.tsx";
import { Fold, isOpen } from "./Fold.tsx";

interface End { agent: string; call: string; stop: { reason: string }; iterations: number; usage: { input: number; output: number }; cost?: number | null }
interface Node { id: string; kind: string; task: string; end?: End; step?: string }

/** The sub-agents that a view knows, by the call that they answer. */
function agentsOf(view: View, call: string): Node[] {
  const nodes = new Map<string, Node>();
  for (const it of view.entries) {
    if (it.entry !== "notice" || it.event.event !== "agent_end") continue;
    const end = it.event as unknown as End;
    if (end.call === call) nodes.set(end.agent, { id: end.agent, kind: kindOf(view, call), task: "", end });
  }
  for (const it of view.agents ?? []) {
    if (it.call === call) nodes.set(it.conversation, { id: it.conversation, kind: it.kind, task: "", step: `${it.iteration[0]}/${it.iteration[1]}${it.tool ? ` · ${it.tool.replaceAll("_", " ")}` : ""}` });
  }
  return [...nodes.values()];
}

function kindOf(view: View, call: string): string {
  const it = view.entries.find((entry) => entry.entry === "call" && entry.call === call);
  return it?.entry === "call" && fields(it.args).kind ? String(fields(it.args).kind) : t("page.agent");
}

export function AgentTree({ call, session, of }: { call: string; session: Session; of?: View }) {
  const view = session.view; // Read also where it is not used: what happens in a sub-agent comes with it.
  const nodes = agentsOf(of ?? view, call);
  return nodes.length ? (
    <ul class="agents" aria-label={t("page.agents")}>
      {nodes.map((it) => <li key={it.id}><AgentNode it={it} session={session} /></li>)}
    </ul>
  ) : null;
}

function AgentNode({ it, session }: { it: Node; session: Session }) {
  const id = `agent${it.id}`;
  const open = isOpen(id);
  const view = session.agents.get(it.id);
  useEffect(() => {
    if (open && !view) void attempt(session.fetchAgent(it.id));
  }, [open]);
  const calls = (view?.entries ?? []).filter((entry): entry is EntryOf<"call"> => entry.entry === "call");
  const last = view?.entries.findLast((entry) => entry.entry === "summary" || (entry.entry === "reply" && !!entry.text));
  return (
    <Fold id={id} icon="agent" title={it.kind} tone={it.end ? (tone(it.end.stop.reason) === "bad" ? "bad" : "") : "running"}
      detail={it.end ? stopped(it.end.stop.reason) : it.step}
      end={it.end ? <small>{t("page.tokens_count", { n: short(it.end.usage.input + it.end.usage.output) })}{it.end.cost != null && ` · ${money(it.end.cost)}`}</small> : <span class="spin" role="img" aria-label={t("page.running")} />}>
      <ul class="steps">
        {calls.map((call) => (
          <li key={call.call} class={call.status && call.status !== "ok" ? "bad" : ""}>
            <Icon name={iconOf(call.tool)} size={14} /><span>{call.tool.replaceAll("_", " ")}</span> <code>{about(call.args)}</code>
            <AgentTree call={call.call} session={session} {...(view ? { of: view } : {})} />
          </li>
        ))}
      </ul>
      {last?.entry === "reply" && <Markdown text={last.text} />}
      {last?.entry === "summary" && <Markdown text={last.summary.text} />}
    </Fold>
  );
}

export function AgentNotice({ event }: { event: unknown }) {
  const end = event as End;
  // What a call asked for is shown below the call; the turn's own reviewer has no call.
  return end.call.startsWith("review_") ? (
    <p class="notice"><Icon name="agent" /><span>{t("page.reviewed")} · {stopped(end.stop.reason)}</span></p>
  ) : null;
}
