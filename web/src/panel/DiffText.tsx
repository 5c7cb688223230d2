// A short diff inside the conversation.

import { useState } from "preact/hooks";
import { useRendered } from "../core/render.ts";
import { t } from "../core/words.ts";
import { Button } from "../ui/Button.tsx";
import { UnifiedRow } from "./DiffRow.tsx";
import { plainHunks } from "./rows.ts";

const FIRST = 40;

export function DiffText({ diff, path }: { diff: string; path: string }) {
  const done = useRendered({ kind: "diff", diff, path });
  const [all, setAll] = useState(false);
  const hunks = done?.hunks ?? plainHunks(diff);
  const total = hunks.reduce((sum, it) => sum + it.rows.length, 0);
  let room = all ? Infinity : FIRST;
  return (
    <div class="difftext" tabIndex={0} role="region" aria-label={t("page.diff_of", { path })}>
      {hunks.map((hunk, at) => {
        const rows = hunk.rows.slice(0, Math.max(0, room));
        room -= rows.length;
        return rows.length ? <div key={at} class="hunk">{rows.map((row, r) => <UnifiedRow key={r} row={row} />)}</div> : null;
      })}
      {!all && total > FIRST && <Button kind="quiet" onClick={() => setAll(true)}>{t("page.more_lines", { count: total - FIRST })}</Button>}
    </div>
  );
}
