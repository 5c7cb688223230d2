// Prompts that wait for the end of the turn: to be put in another order, taken back into the composer, or dropped.

import { attempt } from "../core/store.ts";
import { command, type Session } from "../core/session.ts";
import type { QueuedPrompt, View } from "../core/types.ts";
import { t } from "../core/words.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { fill } from "./draft.ts";

export function Queue({ session, view }: { session: Session; view: View }) {
  const queue = view.queue;
  if (!queue.length) return null;
  const set = (prompts: QueuedPrompt[]) => attempt(command(session.id, { command: "set_queue", prompts: prompts.map((it) => it.id) }));
  const up = (at: number) => {
    const next = [...queue];
    const [it] = next.splice(at, 1);
    if (it) next.splice(at - 1, 0, it);
    void set(next);
  };
  const drop = (it: QueuedPrompt) => set(queue.filter((other) => other !== it));
  return (
    <section class="queue" aria-label={t("page.queue")}>
      <h2><Icon name="queue" size={14} />{t("page.queue.count", { count: queue.length })}</h2>
      <ol>
        {queue.map((it, at) => (
          <li key={it.id}>
            <span class="words">{it.text}</span>
            {at > 0 && <Button kind="quiet" icon="up" name={t("page.queue.up")} onClick={() => up(at)} />}
            <Button kind="quiet" icon="edit" name={t("page.queue.edit")} onClick={() => void drop(it).then((ok) => ok && fill(session.id, it.text, it.images ?? []))} />
            <Button kind="quiet" icon="close" name={t("page.queue.drop")} onClick={() => void drop(it)} />
          </li>
        ))}
      </ol>
    </section>
  );
}
