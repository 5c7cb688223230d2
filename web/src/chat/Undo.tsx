// Undo: what would go back, and what work of others would be lost, before anything is done.

import { useEffect, useState } from "preact/hooks";
import { conversation, get, post } from "../core/api.ts";
import { attempt, toast } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import type { FileChange } from "../core/types.ts";
import { t } from "../core/words.ts";
import { ChangeList } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Confirm } from "../ui/Confirm.tsx";
import { Icon } from "../ui/Icon.tsx";

interface Preview { possible: boolean; changes: FileChange[]; lost: FileChange[]; head_moved: boolean }

export function Undo({ session, close }: { session: Session; close(): void }) {
  const [it, setIt] = useState<Preview | null>(null);
  useEffect(() => {
    void attempt(get<Preview>(conversation(session.id, "/undo")).then(setIt)).then((ok) => ok || close());
  }, []);
  const undo = (over: "ask" | "keep" | "force") =>
    void attempt(post(conversation(session.id, "/undo"), { over })).then((ok) => {
      if (ok) toast(t("page.undo.done"));
      close();
    });
  if (!it) return null;
  const risky = it.lost.length > 0 || it.head_moved;
  return (
    <Confirm title={t("page.undo")} close={close} danger={risky} yes={t(risky ? "page.undo.force" : "page.undo")}
      confirm={() => (it.possible ? undo(risky ? "force" : "ask") : close())}
      more={risky && <Button kind="main" onClick={() => undo("keep")}>{t("page.undo.keep")}</Button>}>
      {!it.possible && <p>{t("page.undo.nothing")}</p>}
      {it.changes.length > 0 && <><p>{t("page.undo.changes", { count: it.changes.length })}</p><ChangeList of={it.changes} /></>}
      {it.head_moved && <p class="warning"><Icon name="warn" />{t("page.undo.head_moved")}</p>}
      {it.lost.length > 0 && (
        <div class="warning" role="alert"><p><Icon name="warn" />{t("page.undo.lost", { count: it.lost.length })}</p><ChangeList of={it.lost} /></div>
      )}
    </Confirm>
  );
}
