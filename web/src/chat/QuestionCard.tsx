// A question of the agent: options to choose from, or words of one's own.

import { useEffect, useRef, useState } from "preact/hooks";
import { conversation, post } from "../core/api.ts";
import { announce, attempt } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import type { QuestionRequest } from "../core/types.ts";
import { t } from "../core/words.ts";
import { Button, Key } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { typing } from "./Approval.tsx";

export function QuestionCard({ it, session }: { it: QuestionRequest; session: Session }) {
  const card = useRef<HTMLElement>(null);
  const [own, setOwn] = useState("");
  const [busy, setBusy] = useState(false);
  const answer = (text: string) => {
    if (!text.trim() || busy) return;
    setBusy(true);
    void attempt(post(conversation(session.id, `/questions/${encodeURIComponent(it.call)}`), { text })).then(() => setBusy(false));
  };
  useEffect(() => {
    announce(it.text);
    const prompt = document.getElementById("prompt") as HTMLTextAreaElement | null;
    if (!prompt?.value && !document.querySelector("dialog[open]")) card.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      const option = it.options[Number(event.key) - 1];
      if (option) answer(option);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  return (
    <article class="approval question" ref={card} tabIndex={-1} aria-label={t("page.question")}>
      <header><Icon name="ask" /><h3>{it.text}</h3></header>
      {it.options.length > 0 && (
        <div class="options">
          {it.options.map((option, at) => (
            <Button key={option} disabled={busy} onClick={() => answer(option)}>{option}{at < 9 && <Key>{String(at + 1)}</Key>}</Button>
          ))}
        </div>
      )}
      <form class="own" onSubmit={(event) => {
        event.preventDefault();
        answer(own);
      }}>
        <input value={own} placeholder={t("page.own_words")} aria-label={t("page.own_words")} onInput={(event) => setOwn(event.currentTarget.value)} />
        <button type="submit" class="btn" disabled={busy || !own.trim()}>{t("page.answer")}</button>
      </form>
    </article>
  );
}
