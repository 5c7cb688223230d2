// A diff as a flat list of rows, which is what a long list can show a part of.

import type { ChangedFile, Hunk, Row, Span } from "../core/types.ts";

export interface Pair { left?: Row | undefined; right?: Row | undefined }
export type Flat =
  | { is: "file"; key: string; file: ChangedFile }
  | { is: "hunk"; key: string; file: ChangedFile; hunk: Hunk }
  | { is: "row"; key: string; path: string; row: Row; line: number }
  | { is: "pair"; key: string; path: string; pair: Pair; line: number }
  | { is: "comment"; key: string; path: string; line: number };

export const lineOf = (row: Row): number => row.new ?? row.old ?? 0;
export const commentKey = (path: string, row: Row): string => `${path}:${row.kind === "removed" ? `-${row.old}` : row.new}`;

/** Removed lines beside the added ones that replaced them. */
export function pairs(rows: Row[]): Pair[] {
  const out: Pair[] = [];
  let at = 0;
  while (at < rows.length) {
    const row = rows[at] as Row;
    if (row.kind === "same" || row.kind === "note") {
      out.push({ left: row, right: row });
      at++;
      continue;
    }
    const removed: Row[] = [];
    const added: Row[] = [];
    for (; at < rows.length && rows[at]?.kind === "removed"; at++) removed.push(rows[at] as Row);
    for (; at < rows.length && rows[at]?.kind === "added"; at++) added.push(rows[at] as Row);
    for (let i = 0; i < Math.max(removed.length, added.length); i++) out.push({ left: removed[i], right: added[i] });
  }
  return out;
}

export function flatten(files: ChangedFile[], split: boolean, folded: ReadonlySet<string>, comments: ReadonlyMap<string, string>): Flat[] {
  const out: Flat[] = [];
  for (const file of files) {
    const path = file.change.path;
    out.push({ is: "file", key: path, file });
    if (folded.has(path)) continue;
    file.hunks.forEach((hunk, h) => {
      out.push({ is: "hunk", key: `${path}#${h}`, file, hunk });
      const remark = (row: Row | undefined) => {
        if (row && comments.has(commentKey(path, row))) out.push({ is: "comment", key: `c${commentKey(path, row)}`, path: commentKey(path, row), line: lineOf(row) });
      };
      if (split) {
        pairs(hunk.rows).forEach((pair, r) => {
          out.push({ is: "pair", key: `${path}#${h}s${r}`, path, pair, line: lineOf((pair.right ?? pair.left) as Row) });
          remark(pair.right);
          if (pair.left !== pair.right) remark(pair.left);
        });
      } else {
        hunk.rows.forEach((row, r) => {
          out.push({ is: "row", key: `${path}#${h}r${r}`, path, row, line: lineOf(row) });
          remark(row);
        });
      }
    });
  }
  return out;
}

/** The rows of a unified diff, uncoloured; what is shown until the server's answer is there. */
export function plainHunks(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [old, now] = [1, 1];
  for (const line of diff.split("\n")) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (head) {
      [old, now] = [Number(head[1]), Number(head[2])];
      hunks.push({ rows: [] });
      continue;
    }
    if (/^(---|\+\+\+) /.test(line) && !hunks.length) continue;
    if (!hunks.length) hunks.push({ rows: [] });
    const spans: Span[] = [{ text: line.slice(1) }];
    const rows = hunks.at(-1)?.rows as Row[];
    if (line[0] === "+") rows.push({ kind: "added", old: null, new: now++, spans });
    else if (line[0] === "-") rows.push({ kind: "removed", old: old++, new: null, spans });
    else if (line !== "") rows.push({ kind: "same", old: old++, new: now++, spans });
  }
  return hunks;
}
