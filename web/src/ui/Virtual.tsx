// A long list of which only the rows in sight exist. Heights are measured as rows appear; what is above the
// reader's eye keeps its place when a height turns out other than guessed.

import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren, Ref } from "preact";

const OVER = 320;

export interface VirtualHandle {
  toEnd(): void;
  toIndex(index: number): void;
}
interface Props {
  count: number;
  /** Another object wherever other rows stand at the same indices. */
  stamp: unknown;
  keyOf(index: number): string | number;
  guess(index: number): number;
  row(index: number): ComponentChildren;
  /** Rows without a state of their own: one that leaves the view becomes the one that enters it. */
  alike?: boolean;
  /** Stays at the end while it grows, where the reader is at the end. */
  stick?: boolean;
  onAtEnd?(at: boolean): void;
  handle?: Ref<VirtualHandle>;
  class?: string;
  label: string;
  role?: "log" | "group";
  after?: ComponentChildren;
}

/** The heights of all rows, and where each ends. */
class Heights {
  private readonly known = new Map<string | number, number>();
  private sizes = new Float64Array(0);
  private ends = new Float64Array(0);
  private dirty = true;

  reset(count: number, keyOf: Props["keyOf"], guess: Props["guess"]): void {
    this.sizes = Float64Array.from({ length: count }, (_, at) => this.known.get(keyOf(at)) ?? guess(at));
    this.dirty = true;
  }
  get(at: number): number {
    return this.sizes[at] ?? 0;
  }
  set(at: number, key: string | number, height: number): void {
    this.known.set(key, height);
    this.sizes[at] = height;
    this.dirty = true;
  }
  /** Where the row begins. */
  before(at: number): number {
    if (this.dirty) {
      if (this.ends.length !== this.sizes.length) this.ends = new Float64Array(this.sizes.length);
      let total = 0;
      for (let i = 0; i < this.sizes.length; i++) this.ends[i] = total += this.sizes[i] as number;
      this.dirty = false;
    }
    return at > 0 ? (this.ends[at - 1] ?? 0) : 0;
  }
  /** The row that stands at this height. */
  at(y: number): number {
    this.before(0);
    let [low, high] = [0, this.ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle] as number) <= y) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function Virtual(props: Props) {
  const { count, keyOf, stick } = props;
  const box = useRef<HTMLDivElement>(null);
  const tail = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new Heights(), []);
  const atEnd = useRef(true);
  const now = useRef(props);
  now.current = props;
  const pool = useRef(1);
  /** Pixels by which heights turned out other than drawn. */
  const moved = useRef(0);
  moved.current = 0;
  const [, again] = useState(0);
  const [port, setPort] = useState({ top: 0, height: 800 });

  useMemo(() => heights.reset(count, keyOf, props.guess), [props.stamp, count]);
  const first = Math.max(0, Math.min(heights.at(port.top - OVER), count - 1));
  const last = Math.min(heights.at(port.top + port.height + OVER) + 1, count);
  pool.current = Math.max(pool.current, last - first);

  const observer = useMemo(() => new ResizeObserver((changes) => {
    const scroller = box.current;
    if (!scroller) return;
    let shift = 0;
    for (const { target } of changes) {
      const row = target as HTMLElement;
      const at = Number(row.dataset.at);
      if (!row.isConnected || at >= now.current.count) continue;
      const [height, before] = [row.offsetHeight, heights.get(at)];
      if (height === before) continue;
      heights.set(at, now.current.keyOf(at), height);
      moved.current += Math.abs(height - before);
      if (row.offsetTop + before <= scroller.scrollTop) shift += height - before;
    }
    if (stick && atEnd.current) scroller.scrollTop = scroller.scrollHeight;
    else if (shift) scroller.scrollTop += shift;
    // As long as the rows in sight and those around them make up for it, the next scroll draws what is due.
    if (moved.current > OVER / 2 || (stick && atEnd.current && moved.current > 0)) again((n) => n + 1);
  }), []);
  const adopt = useMemo(() => (row: HTMLElement | null) => {
    if (!row) return;
    observer.observe(row);
    return () => observer.unobserve(row);
  }, []);
  useEffect(() => () => observer.disconnect(), []);

  useLayoutEffect(() => {
    const scroller = box.current;
    if (scroller && stick && atEnd.current) scroller.scrollTop = scroller.scrollHeight;
  });

  useEffect(() => {
    const scroller = box.current;
    if (!scroller) return;
    let height = scroller.clientHeight;
    const look = () =>
      setPort((was) => (Math.abs(was.top - scroller.scrollTop) < 80 && was.height === height ? was : { top: scroller.scrollTop, height }));
    const onScroll = () => {
      const end = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
      // A box that was made smaller is no reader who scrolled.
      if (scroller.clientHeight === height && end !== atEnd.current) {
        atEnd.current = end;
        now.current.onAtEnd?.(end);
      }
      look();
    };
    const resized = new ResizeObserver(() => {
      height = scroller.clientHeight;
      if (stick && atEnd.current) scroller.scrollTop = scroller.scrollHeight;
      look();
    });
    resized.observe(scroller);
    if (tail.current) resized.observe(tail.current);
    scroller.addEventListener("scroll", onScroll, { passive: true });
    look();
    return () => {
      resized.disconnect();
      scroller.removeEventListener("scroll", onScroll);
    };
  }, []);

  const stand = (end: boolean, top: number) => {
    atEnd.current = end;
    now.current.onAtEnd?.(end);
    if (box.current) box.current.scrollTop = top;
  };
  useImperativeHandle(props.handle ?? null, () => ({
    toEnd: () => stand(true, box.current?.scrollHeight ?? 0),
    toIndex: (index) => stand(false, heights.before(index)),
  }), []); // Once: an owner that keeps it as state would be drawn again with each.

  const shown = [];
  for (let at = first; at < last; at++) {
    shown.push(<div key={props.alike ? at % pool.current : keyOf(at)} ref={adopt} data-at={at} class="vrow">{props.row(at)}</div>);
  }
  return (
    <div ref={box} class={`virtual ${props.class ?? ""}`} tabIndex={0} role={props.role ?? "group"} aria-live="off" aria-label={props.label}>
      <div style={{ height: `${heights.before(first)}px` }} />
      {shown}
      <div style={{ height: `${heights.before(count) - heights.before(last)}px` }} />
      {props.after && <div ref={tail}>{props.after}</div>}
    </div>
  );
}
