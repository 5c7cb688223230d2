// Highlighted text as the server sends it: pieces of text with a class each.

import { useRendered } from "../core/render.ts";
import type { Span } from "../core/types.ts";

export function Spans({ spans }: { spans: Span[] }) {
  return (
    <>
      {spans.map((it, at) =>
        it.class || it.changed ? <span key={at} class={`${it.class ? `s-${it.class.replaceAll(/[. ]+/g, " s-")}` : ""}${it.changed ? " chg" : ""}`}>{it.text}</span> : it.text,
      )}
    </>
  );
}

export const Lines = ({ lines }: { lines: Span[][] }) => (
  <>
    {lines.map((line, at) => (
      <span key={at} class="line">
        <Spans spans={line} />
        {"\n"}
      </span>
    ))}
  </>
);

/** Code or a program's output; plain until the server has coloured it. */
export function Text({ text, kind, path, label }: { text: string; kind: "code" | "ansi"; path?: string; label: string }) {
  const done = useRendered(text ? (kind === "code" ? { kind, text, ...(path ? { path } : {}) } : { kind, text }) : null);
  return (
    <pre class="text" tabIndex={0} role="region" aria-label={label}>
      {done?.lines ? <Lines lines={done.lines} /> : text}
    </pre>
  );
}
