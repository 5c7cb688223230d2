// A small layout of a dependency graph: files in layers from top to bottom, those that import above what they import.

import type { Graph } from "../core/types.ts";

export interface Box { path: string; changed: boolean; test: boolean; x: number; y: number; width: number; label: string }
export interface Arrow { from: string; to: string; kind: string; path: string }
export interface Picture { boxes: Box[]; arrows: Arrow[]; width: number; height: number }

const HIGH = 26;
const BESIDE = 16;
const BETWEEN = 44;
/** A layer that is wider than this goes on in another line. */
const WIDEST = 450;

export function layout({ nodes, edges }: Graph): Picture {
  const label = labels(nodes.map((it) => it.path));
  // Width of a label in the small monospace type.
  const wide = (path: string): number => (label.has(path) ? (label.get(path) as string).length * 7 + 24 : 0);
  const known = new Set(nodes.map((it) => it.path));
  const real = edges.filter((it) => known.has(it.from) && known.has(it.to) && it.from !== it.to);
  const depth = depths(nodes.map((it) => it.path), real);
  const at = (path: string): number => depth.get(path) ?? 0;
  const layers = Array.from({ length: Math.max(0, ...depth.values()) + 1 }, (): string[] => []);
  for (const it of nodes) layers[at(it.path)]?.push(it.path);
  // An edge over several layers keeps a gap free in each of those between, so that no box stands before it.
  const ways = real.map((it) => {
    const gaps = Array.from({ length: Math.max(0, at(it.to) - at(it.from) - 1) }, (_, n) => `${it.from}>${it.to}>${n}`);
    gaps.forEach((gap, n) => layers[at(it.from) + 1 + n]?.push(gap));
    return { ...it, way: [it.from, ...gaps, it.to] };
  });
  const lanes = layers.filter((it) => it.length);
  order(lanes, ways.flatMap(({ way }) => way.slice(1).map((to, n) => ({ from: way[n] as string, to }))));

  const lines = lanes.map((lane) => broken(lane, wide));
  const length = (line: string[]) => line.reduce((sum, it) => sum + wide(it) + BESIDE, -BESIDE);
  const width = Math.max(...lines.flat().map(length), 0) + 16;
  const boxes = new Map<string, Box>();
  let y = 8;
  for (const lane of lines) {
    for (const line of lane) {
      let x = (width - length(line)) / 2;
      for (const path of line) {
        const node = nodes.find((it) => it.path === path);
        boxes.set(path, { path, changed: !!node?.changed, test: !!node?.test, x, y, width: wide(path), label: label.get(path) ?? path });
        x += wide(path) + BESIDE;
      }
      y += HIGH + 12;
    }
    y += BETWEEN - 12;
  }
  const arrows = ways.map(({ way, ...it }) => ({ ...it, path: curve(way.map((one) => boxes.get(one) as Box)) }));
  return { boxes: [...boxes.values()].filter((it) => it.width), arrows, width, height: y - BETWEEN + 8 };
}

/** Each file moves to the middle of its neighbours, a few times over. */
function order(lanes: string[][], edges: { from: string; to: string }[]): void {
  const place = new Map<string, number>();
  for (const lane of lanes) lane.sort().forEach((path, at) => place.set(path, (at + 0.5) / lane.length));
  for (let round = 0; round < 6; round++) {
    for (const lane of round % 2 ? [...lanes].reverse() : lanes) {
      const middle = new Map(lane.map((path) => {
        const near = edges.flatMap((it) => (it.from === path ? [it.to] : it.to === path ? [it.from] : []));
        return [path, near.length ? near.reduce((sum, it) => sum + (place.get(it) ?? 0), 0) / near.length : (place.get(path) ?? 0)];
      }));
      lane.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0) || a.localeCompare(b)).forEach((path, at) => place.set(path, (at + 0.5) / lane.length));
    }
  }
}

function broken(lane: string[], wide: (path: string) => number): string[][] {
  const lines: string[][] = [[]];
  let used = 0;
  for (const path of lane) {
    if (used > 0 && used + wide(path) > WIDEST) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(path);
    used += wide(path) + BESIDE;
  }
  return lines;
}

/** The name of each file, with its folder where two are called alike. */
function labels(paths: string[]): Map<string, string> {
  const end = (path: string, parts: number) => path.split("/").slice(-parts).join("/");
  const count = new Map<string, number>();
  for (const path of paths) count.set(end(path, 1), (count.get(end(path, 1)) ?? 0) + 1);
  return new Map(paths.map((path) => {
    const name = end(path, (count.get(end(path, 1)) ?? 0) > 1 ? 2 : 1);
    return [path, name.length > 25 ? `…${name.slice(-24)}` : name];
  }));
}

/** The longest way to each file along the edges; a circle is cut where it closes. */
function depths(paths: string[], edges: { from: string; to: string }[]): Map<string, number> {
  const out = new Map<string, number>();
  const visiting = new Set<string>();
  const into = new Map<string, string[]>();
  for (const it of edges) into.set(it.to, [...(into.get(it.to) ?? []), it.from]);
  const depth = (path: string): number => {
    const found = out.get(path);
    if (found !== undefined) return found;
    if (visiting.has(path)) return 0;
    visiting.add(path);
    const at = Math.max(-1, ...(into.get(path) ?? []).map(depth)) + 1;
    visiting.delete(path);
    out.set(path, at);
    return at;
  };
  paths.forEach(depth);
  return out;
}

/** A line down through the gaps that were kept for it; around the right side where it goes up. */
function curve(way: Box[]): string {
  const [a, b] = [way[0] as Box, way.at(-1) as Box];
  if (b.y > a.y) {
    return way.slice(1).reduce((path, to, n) => {
      const from = way[n] as Box;
      const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2];
      const [y1, y2] = [from.y + HIGH, to === b ? to.y - 3 : to.y];
      const bend = Math.max(16, (y2 - y1) / 2);
      return `${path}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}${to === b ? "" : `V${y2 + HIGH}`}`;
    }, `M${a.x + a.width / 2} ${a.y + HIGH}`);
  }
  const [r1, r2] = [a.x + a.width, b.x + b.width + 3];
  const out = Math.max(r1, r2) + 24;
  return `M${r1} ${a.y + HIGH / 2}C${out} ${a.y + HIGH / 2} ${out} ${b.y + HIGH / 2} ${r2} ${b.y + HIGH / 2}`;
}
