// One entry of the conversation.

import { conversation } from "../core/api.ts";
import { clock, money, short, span } from "../core/format.ts";
import { useRendered } from "../core/render.ts";
import type { Session } from "../core/session.ts";
import { fields, type Entry, type Summary } from "../core/types.ts";
import { code, stopped, t } from "../core/words.ts";
import { show } from "../core/store.ts";
import { ChangeList, Coded } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Markdown } from "../ui/Markdown.tsx";
import { AgentNotice } from "./Agents.tsx";
import { CallRow } from "./CallRow.tsx";
import { ChecksRow } from "./ChecksRow.tsx";
import { Fold } from "./Fold.tsx";

interface Props {
  it: Entry;
  session?: Session | undefined;
}

const Pictures = ({ session, seq, count }: { session?: Session | undefined; seq: number; count: number }) =>
  session && count > 0 ? (
    <div class="pictures">
      {Array.from({ length: count }, (_, at) => {
        const from = conversation(session.id, `/image?seq=${seq}&index=${at}`);
        return <a key={at} href={from} target="_blank" rel="noreferrer"><img src={from} alt={t("page.picture", { n: at + 1 })} loading="lazy" /></a>;
      })}
    </div>
  ) : null;

export function EntryView({ it, session }: Props) {
  switch (it.entry) {
    case "prompt":
    case "steering":
      return (
        <article class={`said ${it.entry}`} aria-label={t(it.entry === "prompt" ? "page.you" : "page.you_steering")}>
          <header><span class="who">{t(it.entry === "prompt" ? "page.you" : "page.you_steering")}</span><time>{clock(it.time)}</time></header>
          {it.text ? <div class="words">{it.text}</div> : <div class="words faint">{t("page.continues")}</div>}
          <Pictures session={session} seq={it.seq} count={it.images} />
        </article>
      );
    case "reply":
      return (
        <article class="reply" aria-label={t("page.ox")}>
          {it.thinking && (
            <Fold id={`think${it.seq}`} icon="think" title={t("page.thought")} detail={<Coded text={it.thinking.split("\n", 1)[0] ?? ""} />}>
              <div class="thinking"><Markdown text={it.thinking} /></div>
            </Fold>
          )}
          {it.text && <Markdown text={it.text} />}
          <Pictures session={session} seq={it.seq} count={it.images} />
          {it.finish === "length" && <p class="hint">{t("page.cut_at_limit")}</p>}
        </article>
      );
    case "call":
      return <CallRow it={it} session={session} />;
    case "checks":
      return <ChecksRow it={it} />;
    case "question":
      return (
        <article class="asked-before" aria-label={t("page.question")}>
          <Icon name="ask" />
          <div><p>{it.text}</p>{it.answer != null && <p class="answer">{it.answer}</p>}</div>
        </article>
      );
    case "notice":
      return it.event.event === "agent_end" ? <AgentNotice event={it.event} /> : <Notice event={it.event} />;
    case "summary":
      return <SummaryCard it={it.summary} />;
    case "end":
      return (
        <p class={`end ${tone(it.stop.reason)}`}>
          <Icon name={tone(it.stop.reason) === "good" ? "check" : tone(it.stop.reason) === "bad" ? "warn" : "note"} />
          {stopped(it.stop.reason)}<time>{clock(it.time)}</time>
        </p>
      );
    default:
      return <p class="notice"><Icon name="note" /><span>{t("page.unknown_event", { kind: it.kind })}</span></p>;
  }
}

export const tone = (reason: string): "good" | "bad" | "neutral" =>
  /^(done|answered)$/.test(reason) ? "good" : /^(done_unchecked|checks_not_run|interrupted)$/.test(reason) ? "neutral" : "bad";

function Notice({ event }: { event: { event: string; plan?: unknown; failure?: unknown } }) {
  const failure = fields(event.failure);
  const goal = fields(event.plan).goal;
  // What is worked off is ticked beside what happens now and in the panel.
  const quiet = event.event === "todo" || (event.event === "plan" && !goal);
  const done = useRendered(quiet ? null : { kind: "event", event });
  const bad = event.event === "error" || event.event === "model_failed";
  if (quiet) return null;
  if (goal) return <p class="notice"><Icon name="checks" /><button type="button" class="link" onClick={() => show("plan")}>{t("page.tab.plan")}: <Coded text={String(goal)} /></button></p>;
  // The sentence has a sign of its own in the terminal, which stands for the icon here.
  const text = event.event === "model_failed" ? [failure.status, failure.message].filter(Boolean).join(" · ") : (done?.text ?? event.event.replaceAll("_", " ")).replace(/^[✗✓↻!⚠…·]\s+/, "");
  return text ? <p class={`notice ${bad ? "bad" : ""}`}><Icon name={bad ? "warn" : "note"} /><span>{text}</span></p> : null;
}

function SummaryCard({ it }: { it: Summary }) {
  const failed = (status: string) => status !== "passed" && status !== "skipped" && status !== "not_reached";
  const figures = (
    <footer>
      {t("page.iterations", { count: it.iterations })} · {span(it.duration_ms)} · {t("page.tokens_count", { n: short(it.usage.input + it.usage.output) })}
      {it.cost != null && ` · ${money(it.cost)}`}
    </footer>
  );
  if (!it.text && !it.files?.length && !it.checks?.length && !it.undone?.length && !it.verify) return <div class="hint">{figures}</div>;
  return (
    <article class="summary" aria-label={t("page.summary")}>
      {it.text && <Markdown text={it.text} />}
      {!!it.files?.length && (
        <section>
          <header><h3>{t("page.files", { count: it.files.length })}</h3><Button kind="quiet" onClick={() => show("changes")}>{t("page.review_changes")}</Button></header>
          <ChangeList of={it.files} />
        </section>
      )}
      {!!it.checks?.length && (
        <section>
          <h3>{t("page.tab.checks")}</h3>
          <ul class="checklines">
            {it.checks.map((check) => (
              <li key={check.name} class={failed(check.status) ? "bad" : check.status === "passed" ? "good" : ""}>
                <Icon name={check.status === "passed" ? "check" : failed(check.status) ? "close" : "dot"} />
                <span>{check.name}</span>
                <small>{code("page.check", check.failed_before ? "failed_before" : check.status)}{check.why ? ` · ${check.why}` : ""}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      {!!it.undone?.length && <section><h3>{t("page.undone")}</h3><ul class="plainlist">{it.undone.map((line) => <li key={line}><Coded text={line} /></li>)}</ul></section>}
      {it.verify && <section><h3>{t("page.verify")}</h3><Markdown text={it.verify} /></section>}
      {figures}
    </article>
  );
}
