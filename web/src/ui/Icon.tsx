// Icons: strokes on a 16 × 16 grid, drawn for this page.

const PATHS = {
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14",
  send: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7z",
  right: "M6 3.5L10.5 8 6 12.5",
  down: "M3.5 6L8 10.5 12.5 6",
  check: "M3 8.5l3.2 3.2L13 4.8",
  dot: "M8 8h.01",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  file: "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3",
  folder: "M1.8 4h4.4l1.4 1.6h6.6V13H1.8z",
  read: "M1.5 8s2.4-4.2 6.5-4.2S14.5 8 14.5 8 12.1 12.2 8 12.2 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z",
  edit: "M2.8 13.2l.7-3L10.7 3a1.5 1.5 0 0 1 2.3 2.3L5.8 12.5z",
  command: "M2 3h12v10H2zM4.5 6l2 2-2 2M8.2 10h3",
  find: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14",
  web: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2.2 2 2.2 10 0 12M8 2c-2.2 2-2.2 10 0 12",
  agent: "M5 3.5h6v5H5zM3 12.5c1.2-2 3-2.6 5-2.6s3.8.6 5 2.6M7 6h.01M9 6h.01",
  think: "M5.5 11.5c-1.7-1-2.5-2.5-2.5-4.2A4.9 4.9 0 0 1 8 2.5a4.9 4.9 0 0 1 5 4.8c0 1.7-.8 3.2-2.5 4.2zM6 14h4",
  checks: "M2.5 4.5l1.5 1.5 2.5-3M8.5 4.5h5M2.5 11l1.5 1.5 2.5-3M8.5 11h5",
  ask: "M5.8 6a2.2 2.2 0 1 1 3.3 1.9C8.4 8.3 8 8.7 8 9.5M8 12.2h.01",
  note: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5.2h.01",
  warn: "M8 2.2L14.5 13.5h-13zM8 6.5v3M8 11.5h.01",
  undo: "M3 6.5h6.5a3.2 3.2 0 0 1 0 6.5H6M5.8 3.5L3 6.5l2.8 3",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.5",
  play: "M5 3.2v9.6L12.5 8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  compare: "M2.5 3h4v10h-4zM9.5 3h4v10h-4z",
  panel: "M2 3h12v10H2zM10 3v10",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1",
  moon: "M13.2 9.8A5.6 5.6 0 0 1 6.2 2.8a5.6 5.6 0 1 0 7 7z",
  auto: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12",
  image: "M2 3h12v10H2zM2 11l3.5-3.5L9 11l2-2 3 3M10.5 6.2h.01",
  queue: "M2.5 4h11M2.5 8h7M2.5 12h7M13 9v4M11 11h4",
  up: "M3.5 10L8 5.5 12.5 10",
  comment: "M2.5 3h11v8H7l-3 2.5V11H2.5z",
  branch: "M4.5 4.5v7M4.5 4.5a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM4.5 14.1a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM11.5 6.6a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6zM11.5 6.6c0 2.4-7 1.4-7 4.9",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return <svg class={`icon i-${name}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
