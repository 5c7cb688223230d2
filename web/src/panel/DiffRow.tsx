// One line of a diff: unified, or the two sides beside each other. `at` is its place in the list of changes, where its
// number takes a comment.

import type { Row } from "../core/types.ts";
import { memo } from "../ui/memo.ts";
import { Spans } from "../ui/Spans.tsx";
import type { Pair } from "./rows.ts";

const SIGN = { same: " ", added: "+", removed: "−", note: " " };

export const UnifiedRow = memo(function UnifiedRow({ row, at }: { row: Row; at?: number }) {
  return (
    <div class={`drow ${row.kind}`} data-side={at === undefined ? undefined : "right"} data-row={at}>
      <span class="no">{row.old ?? ""}</span>
      <span class="no">{row.new ?? ""}</span>
      <span class="sign">{SIGN[row.kind]}</span>
      <code><Spans spans={row.spans} />{row.spans.length ? "" : " "}</code>
    </div>
  );
});

const Side = ({ row, side, at }: { row: Row | undefined; side: "left" | "right"; at: number }) => (
  <div class={`side ${row ? row.kind : "none"}`} data-side={row ? side : undefined} data-row={at}>
    <span class="no">{(side === "left" ? row?.old : row?.new) ?? ""}</span>
    <code>{row ? <Spans spans={row.spans} /> : null}{row?.spans.length ? "" : " "}</code>
  </div>
);

export const SplitRow = memo(function SplitRow({ pair, at }: { pair: Pair; at: number }) {
  return (
    <div class="dpair">
      <Side row={pair.left} side="left" at={at} />
      <Side row={pair.right} side="right" at={at} />
    </div>
  );
});
