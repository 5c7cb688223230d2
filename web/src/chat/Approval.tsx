// Consent, asked in place: what would be done, why it is asked, and one key for each answer.

import { useEffect, useRef, useState } from "preact/hooks";
import { conversation, post } from "../core/api.ts";
import { attempt, announce } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import { fields, type ApprovalRequest, type Rule } from "../core/types.ts";
import { code, problem, t } from "../core/words.ts";
import { Change, focusFirst } from "../ui/bits.tsx";
import { Button, Key } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { DiffText } from "../panel/DiffText.tsx";
import { about, iconOf } from "./CallRow.tsx";

const written = (rule: Rule): string => (rule.pattern ? `${rule.tool}(${rule.pattern})` : rule.tool);
export const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function question(it: ApprovalRequest): string {
  if (it.commands.length) return t(it.tool === "run_checks" ? "page.approve.checks" : "page.approve.command");
  const [only] = it.changes ?? [];
  if (only && it.changes?.length === 1) return t(`page.approve.${only.kind}`, { path: only.path });
  if (it.changes?.length) return t("page.approve.files", { count: it.changes.length });
  return t("page.approve.tool", { tool: it.tool.replaceAll("_", " ") });
}

type Step = "ask" | "deny" | "edit";

export function Approval({ it, session, first }: { it: ApprovalRequest; session: Session; first: boolean }) {
  const card = useRef<HTMLElement>(null);
  const [step, setStep] = useState<Step>("ask");
  const [explained, setExplained] = useState(false);
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const always = [it.always, ...(it.further ?? [])].map(written).join(", ");
  const args = fields(it.args);
  const isCommand = typeof args.command === "string";
  // What else reaches outside the project is asked about each time.
  const keeps = it.level !== "system" || it.tool.startsWith("mcp__") || it.always.tool === "network";

  const decide = (decision: Record<string, unknown>) => {
    setBusy(true);
    void attempt(post(conversation(session.id, `/approvals/${encodeURIComponent(it.call)}`), { decision })).then((ok) => {
      setBusy(false);
      if (ok) document.getElementById("prompt")?.focus();
    });
  };
  const keep = (how: "conversation" | "project") => decide({ answer: "allow_always", rule: it.always, further: it.further ?? [], keep: how });
  const edit = () => {
    setText(isCommand ? String(args.command) : JSON.stringify(it.args, null, 2));
    setStep("edit");
  };
  const amend = () => {
    try {
      decide({ answer: "amend", args: isCommand ? { ...args, command: text } : JSON.parse(text) });
    } catch (why) {
      setWrong(String((why as Error).message));
    }
  };
  const answers: Record<string, () => void> = {
    y: () => decide({ answer: "allow" }),
    n: () => setStep("deny"),
    ...(keeps && { a: () => keep("conversation"), p: () => keep("project") }),
    e: edit,
    x: () => setExplained((was) => !was),
  };

  const Hint = ({ children }: { children: string }) => (first ? <Key>{children}</Key> : null);
  useEffect(() => announce(`${question(it)} ${it.commands.join(" ") || about(it.args)}`), []);
  useEffect(() => {
    if (!first) return;
    const prompt = document.getElementById("prompt") as HTMLTextAreaElement | null;
    // Words that are being typed keep their place; otherwise one key answers.
    if (!prompt?.value && !document.querySelector("dialog[open]")) card.current?.focus({ preventScroll: true });
  }, [first]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || busy || step !== "ask") return;
      // The oldest request takes the keys.
      if (!first || document.querySelector("dialog[open]")) return;
      const answer = answers[event.key];
      if (!answer) return;
      event.preventDefault();
      answer();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });

  return (
    <article class="approval" ref={card} tabIndex={-1} aria-label={question(it)} data-call={it.call}>
      <header>
        <Icon name={iconOf(it.tool)} />
        <h3>{question(it)}</h3>
        <span class={`tag level-${it.level}`}>{code("approval.level", it.level)}</span>
      </header>
      {it.agent && <p class="hint">{t("page.approve.agent", { kind: it.agent })}</p>}
      {it.commands.map((line) => <pre key={line} class="cmd"><code>{line}</code></pre>)}
      {it.changes?.map((file) => (
        <section key={file.path} class="diffcard"><header><Change of={file} /></header>{file.diff && <DiffText diff={file.diff} path={file.path} />}</section>
      ))}
      {!it.commands.length && !it.changes?.length && <pre class="cmd"><code>{about(it.args) || JSON.stringify(it.args)}</code></pre>}
      <p class="why">{t("page.approve.because", { why: problem(it.why) })}</p>
      {explained && (
        <div class="explained">
          {it.effects.length > 0 && <ul class="plainlist">{it.effects.map((one, at) => <li key={at}>{t(`effect.${one.kind}`, { what: one.what })}</li>)}</ul>}
          <p>{it.sandbox_reach ? t("page.approve.sandbox", { what: it.sandbox_reach.write?.join(", ") || "–" }) : t("page.approve.no_sandbox")}</p>
          {keeps && <p>{t("page.approve.always_would", { rule: always })}</p>}
        </div>
      )}
      {step === "ask" && (
        <div class="answers">
          <Button kind="main" disabled={busy} onClick={answers.y}>{t("page.approve.yes")}<Hint>y</Hint></Button>
          <Button disabled={busy} onClick={answers.n}>{t("page.approve.no")}<Hint>n</Hint></Button>
          {answers.a && <Button disabled={busy} onClick={answers.a} hint={always}>{t("page.approve.always")}<Hint>a</Hint></Button>}
          {answers.p && <Button disabled={busy} onClick={answers.p} hint={always}>{t("page.approve.project")}<Hint>p</Hint></Button>}
          <Button kind="quiet" disabled={busy} onClick={answers.e}>{t("page.approve.edit")}<Hint>e</Hint></Button>
          <Button kind="quiet" aria-expanded={explained} onClick={answers.x}>{t("page.approve.explain")}<Hint>x</Hint></Button>
        </div>
      )}
      {step !== "ask" && (
        <form class="reason" onSubmit={(event) => {
          event.preventDefault();
          if (step === "deny") decide({ answer: "deny", reason: text, stop: !text.trim() });
          else amend();
        }}>
          <label>
            {t(step === "deny" ? "page.approve.reason" : isCommand ? "page.approve.edit_command" : "page.approve.edit_args")}
            <textarea rows={step === "edit" && !isCommand ? 6 : 2} value={text} ref={focusFirst}
              onInput={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") setStep("ask");
                if (event.key === "Enter" && !event.shiftKey && !event.isComposing && (step === "deny" || isCommand)) {
                  event.preventDefault();
                  event.currentTarget.form?.requestSubmit();
                }
              }} />
          </label>
          {wrong && <p class="hint bad" role="alert">{wrong}</p>}
          <div class="answers">
            <button type="submit" class={`btn ${step === "deny" ? "danger" : "main"}`} disabled={busy}>{t(step === "deny" ? "page.approve.deny" : "page.approve.run_edited")}</button>
            <Button kind="quiet" onClick={() => setStep("ask")}>{t("page.back")}</Button>
          </div>
        </form>
      )}
    </article>
  );
}
