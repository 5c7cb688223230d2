// Highlighted text as the server sends it: pieces of text with a class each.

import { useRendered } from "../core/render.ts";
import type { Span } from "../core/types.ts";

/** What has a colour in `code.css`; the rest, above all punctuation, is most of the pieces and is plain text. */
const COLOURED = /keyword|tag|string|number|constant|escape|attribute|type|function|property|comment|added|removed/;
export const colour = (it: Span): string | undefined => (it.class && COLOURED.test(it.class) ? it.class : undefined);

/** Neighbours that look alike as one: each piece is a text or an element to lay out. */
export function joined(spans: Span[]): Span[] {
  const out: Span[] = [];
  for (const it of spans) {
    const last = out.at(-1);
    const [before, blank] = [!last?.text.trim(), !it.text.trim()]; // A blank looks the same in every colour.
    if (!last || !last.changed !== !it.changed || (colour(last) !== colour(it) && !before && !blank)) out.push(it);
    else out[out.length - 1] = { ...(before ? it : last), text: last.text + it.text };
  }
  return out;
}

export function Spans({ spans }: { spans: Span[] }) {
  return (
    <>
      {joined(spans).map((it, at) => {
        const of = colour(it);
        return of || it.changed ? <span key={at} class={`${of ? `s-${of.replaceAll(/[. ]+/g, " s-")}` : ""}${it.changed ? " chg" : ""}`}>{it.text}</span> : it.text;
      })}
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
