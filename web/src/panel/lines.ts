// The lines of a diff by keyboard: arrows move from line to line and from side to side, Enter comments.

import { useEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { Flat } from "./rows.ts";

export type Side = "left" | "right";
export interface Line { at: number; side: Side }

const isLine = (it: Flat | undefined): boolean => it?.is === "row" || it?.is === "pair";

/** The line that Tab reaches; -1 until one has been chosen. */
export function useLine(box: RefObject<HTMLElement | null>, rows: Flat[], comment: (it: Line) => void) {
  const [line, setLine] = useState<Line>({ at: -1, side: "right" });
  useEffect(() => {
    const sides = [...(box.current?.querySelectorAll<HTMLElement>(`[data-row="${line.at}"]`) ?? [])];
    (sides.find((it) => it.dataset.side === line.side) ?? sides.find((it) => it.dataset.side))?.focus();
  }, [line]);

  const onKey = (event: KeyboardEvent) => {
    const from = event.target as HTMLElement;
    if (!from.matches(".diff, [data-side]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const side = ({ ArrowLeft: "left", ArrowRight: "right" } as const)[event.key];
    const here: Line = { at: Number(from.dataset.row ?? -1), side: (from.dataset.side as Side | undefined) ?? line.side };
    if (event.key === "Enter" && here.at >= 0) comment(here);
    else if (side && here.at >= 0) setLine({ ...here, side });
    else if (step) {
      let at = here.at < 0 ? inSight(from) : here.at + step;
      while (rows[at] && !isLine(rows[at])) at += step;
      if (rows[at]) setLine({ at, side: line.side });
    } else return;
    event.preventDefault();
  };
  /** To the line again, after its comment. */
  return { line, onKey, back: () => setLine({ ...line }) };
}

/** The first line that can be seen. */
function inSight(scroller: HTMLElement): number {
  const { top } = scroller.getBoundingClientRect();
  const first = [...scroller.querySelectorAll<HTMLElement>("[data-side]")].find((it) => it.getBoundingClientRect().top >= top);
  return Number(first?.dataset.row ?? -1);
}
