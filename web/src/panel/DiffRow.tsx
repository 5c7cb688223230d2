// One line of a diff: unified, or the two sides beside each other. `at` is its place in the list of changes, where its
// number takes a comment.

import type { Row } from "../core/types.ts";
import { memo } from "../ui/memo.ts";
import { Spans } from "../ui/Spans.tsx";
import type { Pair } from "./rows.ts";

/** A line's number, so wide that those below each other end alike. Only text: a grid would have each line measured twice. */
export const Number = ({ of }: { of: number | null | undefined }) => <span class="no">{`${of ?? ""} `.padStart(5)}</span>;

/** Where a line takes a comment it can have the focus; Tab reaches the one that had it last. */
const focusable = (at: number | undefined, here: boolean | undefined) => (at === undefined ? {} : { tabIndex: here ? 0 : -1, role: here ? ("button" as const) : undefined });

const SIGN = { same: " ", added: "+", removed: "−", note: " " };

export const UnifiedRow = memo(function UnifiedRow({ row, at, here }: { row: Row; at?: number; here?: boolean }) {
  return (
    <div class={`drow ${row.kind}`} data-side={at === undefined ? undefined : "right"} data-row={at} {...focusable(at, here)}>
      <Number of={row.old} />
      <Number of={row.new} />
      {`${SIGN[row.kind]} `}
      <code><Spans spans={row.spans} />{row.spans.length ? "" : " "}</code>
    </div>
  );
});

const Side = ({ row, side, at, here }: { row: Row | undefined; side: "left" | "right"; at: number; here: boolean }) => (
  <div class={`side ${row ? row.kind : "none"}`} data-side={row ? side : undefined} data-row={at} {...focusable(row && at, here)}>
    <Number of={side === "left" ? row?.old : row?.new} />
    <code>{row ? <Spans spans={row.spans} /> : null}{row?.spans.length ? "" : " "}</code>
  </div>
);

export const SplitRow = memo(function SplitRow({ pair, at, here }: { pair: Pair; at: number; here: "left" | "right" | undefined }) {
  return (
    <div class="dpair">
      <Side row={pair.left} side="left" at={at} here={here === "left" || (!!here && !pair.right)} />
      <Side row={pair.right} side="right" at={at} here={here === "right" || (!!here && !pair.left)} />
    </div>
  );
});
