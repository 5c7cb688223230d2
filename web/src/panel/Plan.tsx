// The plan and the todo list as they are ticked; a step can be commented on, an open question answered.

import { useState } from "preact/hooks";
import { attempt, showFile } from "../core/store.ts";
import { command, type Session } from "../core/session.ts";
import type { Plan, PlanStep, View } from "../core/types.ts";
import { t } from "../core/words.ts";
import { Coded, Empty, focusFirst } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Markdown } from "../ui/Markdown.tsx";

export function PlanTab({ session, view }: { session: Session; view: View }) {
  const { plan, todos } = view;
  if (!plan && !todos.length) return <Empty><Icon name="checks" size={24} /><p>{t("page.plan.none")}</p></Empty>;
  // A plan that is worked off is the todo list as well; its steps are ticked.
  const same = plan?.steps.length === todos.length && todos.every((it, at) => it.text === plan.steps[at]?.text);
  const done = todos.filter((it) => it.state === "completed").length;
  return (
    <div class="plan scroll" tabIndex={0} role="group" aria-label={t("page.tab.plan")}>
      {plan && <PlanView plan={plan} session={session} />}
      {todos.length > 0 && !same && (
        <section>
          <h2>{t("page.todo")} <small>{done}/{todos.length}</small></h2>
          <ul class="todos">
            {todos.map((it) => (
              <li key={it.id} class={it.state}>
                <span class="box" role="img" aria-label={t(`page.todo.${it.state}`)}>{it.state === "completed" && <Icon name="check" size={12} />}</span>
                <span><Coded text={it.text} />{it.notes && <small>{it.notes}</small>}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function PlanView({ plan, session }: { plan: Plan; session: Session }) {
  const say = (fields: { command: string } & Record<string, unknown>) => attempt(command(session.id, fields));
  return (
    <section>
      {plan.goal && <h2><Coded text={plan.goal} /></h2>}
      {plan.text && <Markdown text={plan.text} />}
      <ol class="plansteps">{plan.steps.map((it) => <Step key={it.id} it={it} say={(text) => say({ command: "comment_plan", step: it.id, text })} />)}</ol>
      {!!plan.questions?.length && (
        <>
          <h3>{t("page.plan.questions")}</h3>
          <ul class="plainlist">
            {plan.questions.map((it, at) => (
              <li key={it.text}><p><Coded text={it.text} /></p>{it.answer ? <p class="answer">{it.answer}</p> : <Say label={t("page.answer")} send={(text) => say({ command: "answer_plan", question: at + 1, text })} />}</li>
            ))}
          </ul>
        </>
      )}
      {!!plan.risks?.length && <><h3>{t("page.plan.risks")}</h3><ul class="plainlist">{plan.risks.map((it) => <li key={it}><Coded text={it} /></li>)}</ul></>}
      {!!plan.options?.length && <><h3>{t("page.plan.options")}</h3><ul class="plainlist">{plan.options.map((it) => <li key={it}><Coded text={it} /></li>)}</ul></>}
    </section>
  );
}

function Step({ it, say }: { it: PlanStep; say(text: string): Promise<boolean> }) {
  const [open, setOpen] = useState(false);
  return (
    <li class={it.state}>
      <span class="box" role="img" aria-label={t(`page.plan.${it.state}`)} title={t(`page.plan.${it.state}`)}>{it.state === "open" ? it.id : <Icon name="check" size={12} />}</span>
      <div>
        <p><Coded text={it.text} /></p>
        {!!it.files?.length && <p class="files">{it.files.map((path) => <button type="button" class="link" key={path} onClick={() => showFile(path)}>{path}</button>)}</p>}
        {!!it.evidence?.checks?.length && <p class="hint">{t("page.plan.verified", { checks: it.evidence.checks.join(", ") })}</p>}
        {it.comments?.map((text, at) => <p key={at} class="answer">{text}</p>)}
        {open && <Say label={t("page.plan.comment")} focus send={async (text) => {
          const ok = await say(text);
          if (ok) setOpen(false);
          return ok;
        }} />}
      </div>
      <Button kind="quiet" icon="comment" name={t("page.plan.comment_on", { step: it.id })} aria-expanded={open} onClick={() => setOpen(!open)} />
    </li>
  );
}

function Say({ label, focus, send }: { label: string; focus?: boolean; send(text: string): Promise<boolean> }) {
  const [text, setText] = useState("");
  return (
    <form class="own" onSubmit={(event) => {
      event.preventDefault();
      if (text.trim()) void send(text.trim()).then((ok) => ok && setText(""));
    }}>
      <input value={text} aria-label={label} placeholder={label} ref={focus ? focusFirst : null} onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit" class="btn" disabled={!text.trim()}>{label}</button>
    </form>
  );
}
