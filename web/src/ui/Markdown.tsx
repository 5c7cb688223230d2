// Markdown as a tree of blocks that the server made and cleaned; nothing here reads HTML.

import { memo } from "./memo.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { render, useRendered } from "../core/render.ts";
import { showFile, toast } from "../core/store.ts";
import { t } from "../core/words.ts";
import type { Block, Inline } from "../core/types.ts";
import { Button } from "./Button.tsx";
import { Lines } from "./Spans.tsx";

export function Inlines({ of }: { of: Inline[] }) {
  return <>{of.map((it, at) => <One key={at} it={it} />)}</>;
}

function One({ it }: { it: Inline }) {
  switch (it.inline) {
    case "code":
      return <code>{it.text}</code>;
    case "break":
      return <br />;
    case "link":
      return it.path ? (
        <button type="button" class="link" onClick={() => showFile(it.path as string, it.line)}>
          <Inlines of={it.inlines} />
        </button>
      ) : !it.href ? (
        <Inlines of={it.inlines} />
      ) : (
        <a href={it.href} target="_blank" rel="noreferrer noopener"><Inlines of={it.inlines} /></a>
      );
    case "text": {
      const text = it.strike ? <s>{it.text}</s> : it.text;
      const slanted = it.italic ? <em>{text}</em> : text;
      return <>{it.bold ? <strong>{slanted}</strong> : slanted}</>;
    }
    default:
      return <>{(it as { text?: string }).text ?? ""}</>;
  }
}

const Blocks = ({ of }: { of: Block[] }) => <>{of.map((it, at) => <BlockView key={it.start_byte ?? at} it={it} />)}</>;

function CodeBlock({ it }: { it: Extract<Block, { block: "code" }> }) {
  const copy = () => {
    const text = it.lines.map((line) => line.map((span) => span.text).join("")).join("\n");
    void navigator.clipboard?.writeText(text).then(() => toast(t("page.copied")));
  };
  return (
    <div class="codeblock">
      <Button icon="copy" kind="quiet" name={t("page.copy")} onClick={copy} />
      <pre tabIndex={0} role="region" aria-label={it.language || t("page.code")}><code><Lines lines={it.lines} /></code></pre>
    </div>
  );
}

const BlockView = memo(function BlockView({ it }: { it: Block }) {
  switch (it.block) {
    case "paragraph":
      return <p><Inlines of={it.inlines} /></p>;
    case "heading":
      // The page's own headings come above those of a reply.
      return <p class={`h h${it.level}`} role="heading" aria-level={Math.min(6, it.level + 2)}><Inlines of={it.inlines} /></p>;
    case "code":
      return <CodeBlock it={it} />;
    case "quote":
      return <blockquote><Blocks of={it.blocks} /></blockquote>;
    case "rule":
      return <hr />;
    case "list": {
      const items = it.items.map((item, at) => (
        <li key={at} class={item.checked == null ? "" : "task"}>
          {item.checked != null && <input type="checkbox" checked={item.checked} disabled aria-label={t(item.checked ? "page.done" : "page.open")} />}
          <Blocks of={item.blocks} />
        </li>
      ));
      return it.start == null ? <ul>{items}</ul> : <ol start={it.start}>{items}</ol>;
    }
    case "table":
      return (
        <div class="tablebox" tabIndex={0} role="region" aria-label={t("page.table")}>
          <table>
            <thead><tr>{it.head.map((cell, at) => <th key={at} class={it.align[at] || ""}><Inlines of={cell} /></th>)}</tr></thead>
            <tbody>
              {it.rows.map((row, at) => (
                <tr key={at}>{row.map((cell, i) => <td key={i} class={it.align[i] || ""}><Inlines of={cell} /></td>)}</tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    default:
      return null;
  }
});

export function Markdown({ text }: { text: string }) {
  const done = useRendered(text.trim() ? { kind: "markdown", text } : null);
  return <div class="md">{done?.blocks ? <Blocks of={done.blocks} /> : <p class="plain">{text}</p>}</div>;
}

const EVERY = 90;

/** Markdown while it streams. Blocks before the last one are settled: only the text from the last one on is asked for again. */
export function StreamingMarkdown({ text }: { text: string }) {
  const [blocks, setBlocks] = useState<Block[]>([]);
  const latest = useRef(text);
  const state = useRef({ settled: [] as Block[], from: 0, asked: "", busy: false, over: false });
  latest.current = text;

  useEffect(() => {
    const step = async () => {
      const it = state.current;
      if (it.busy || it.over || it.asked === latest.current) return;
      it.busy = true;
      it.asked = latest.current;
      try {
        const raw = new TextEncoder().encode(it.asked);
        const answer = await render({ kind: "markdown", text: new TextDecoder().decode(raw.subarray(it.from)) });
        const tail = (answer.blocks ?? []).map((block) => ({ ...block, start_byte: (block.start_byte ?? 0) + it.from }));
        const all = [...it.settled, ...tail];
        const last = tail.at(-1);
        if (last && tail.length > 1) {
          it.settled = all.slice(0, -1);
          it.from = last.start_byte;
        }
        if (!it.over) setBlocks(all);
      } catch {
        it.asked = ""; // Asked again with the next piece.
      } finally {
        it.busy = false;
      }
    };
    const timer = setInterval(() => void step(), EVERY);
    void step();
    return () => {
      state.current.over = true;
      clearInterval(timer);
    };
  }, []);
  return <div class="md streaming">{blocks.length ? <Blocks of={blocks} /> : <p class="plain">{text}</p>}</div>;
}
