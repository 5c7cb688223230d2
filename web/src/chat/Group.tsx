// Calls one after another that only looked at something, as one row that opens to all of them.

import type { Session } from "../core/session.ts";
import type { CallEntry } from "../core/types.ts";
import { t } from "../core/words.ts";
import { about, CallRow } from "./CallRow.tsx";
import { Fold } from "./Fold.tsx";

export function Group({ calls, session }: { calls: CallEntry[]; session: Session | undefined }) {
  const what = [...new Set(calls.map((it) => about(it.args)).filter(Boolean))];
  return (
    <Fold id={`looks${calls[0]?.call}`} icon="read" title={t("page.explored", { count: calls.length })} detail={what.slice(0, 12).join(", ")}>
      {calls.map((it) => <div key={it.call}><CallRow it={it} session={session} /></div>)}
    </Fold>
  );
}
