// What the server renders, roughly: enough of Markdown, colours and diffs to build the page against.

const KEYWORDS = /\b(fn|let|mut|pub|use|impl|struct|enum|match|if|else|for|in|while|return|def|import|from|class|const|function|async|await|export|type|true|false|None|Some|self)\b/;
const TOKEN = /(\/\/.*|#(?!\[).*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\b\d[\d_.]*\b|\b[A-Za-z_]\w*\b|[^\w\s]+|\s+)/g;

export const spans = (line) =>
  (line.match(TOKEN) ?? []).map((text) =>
    /^(\/\/|#(?!\[))/.test(text) ? { text, class: "comment" }
      : /^["']/.test(text) ? { text, class: "string" }
        : /^\d/.test(text) ? { text, class: "number" }
          : KEYWORDS.test(text) ? { text, class: "keyword" }
            : /^[A-Z]\w*$/.test(text) ? { text, class: "type" }
              : /^[^\w\s]+$/.test(text) ? { text, class: "punctuation" } : { text },
  );
const code = (text) => text.replace(/\n$/, "").split("\n").map(spans);

function inlines(text) {
  const out = [];
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*|\[[^\]]+\]\([^)]+\))/g);
  for (const it of parts) {
    if (!it) continue;
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(it);
    if (link) {
      const inner = [{ inline: "text", text: link[1] }];
      const place = /^(?!https?:|mailto:)([^:]+)(?::(\d+))?$/.exec(link[2]);
      out.push(place ? { inline: "link", path: place[1], line: place[2] ? Number(place[2]) : undefined, inlines: inner } : { inline: "link", href: link[2], inlines: inner });
    } else if (it.startsWith("`")) out.push({ inline: "code", text: it.slice(1, -1) });
    else if (it.startsWith("**")) out.push({ inline: "text", text: it.slice(2, -2), bold: true });
    else if (/^\*[^*]+\*$/.test(it)) out.push({ inline: "text", text: it.slice(1, -1), italic: true });
    else out.push({ inline: "text", text: it.replaceAll("\n", " ") });
  }
  return out;
}

export function markdown(text) {
  const lines = text.split("\n");
  const blocks = [];
  let byte = 0;
  const size = (line) => Buffer.byteLength(line) + 1;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const start = byte;
    const take = (test) => {
      const got = [];
      while (at < lines.length && test(lines[at], got)) {
        byte += size(lines[at]);
        got.push(lines[at++]);
      }
      return got;
    };
    if (!line.trim()) {
      take((it, got) => !got.length && !it.trim());
      continue;
    }
    const put = (block) => blocks.push({ ...block, start_byte: start, end: byte });
    const head = /^(#{1,6}) (.*)/.exec(line);
    if (line.startsWith("```")) {
      let closed = false;
      const got = take((it, got) => !closed && (got.length === 0 || ((closed = it.startsWith("```")), true)));
      put({ block: "code", language: line.slice(3).trim() || null, lines: code(got.slice(1, closed ? -1 : undefined).join("\n")) });
    } else if (head) {
      take((_, got) => !got.length);
      put({ block: "heading", level: head[1].length, inlines: inlines(head[2]) });
    } else if (/^(---|\*\*\*)$/.test(line)) {
      take((_, got) => !got.length);
      put({ block: "rule" });
    } else if (/^\s*([-*]|\d+\.) /.test(line)) {
      const got = take((it) => /^\s*([-*]|\d+\.) |^\s+\S/.test(it));
      const first = /^\s*(\d+)\./.exec(line);
      put({ block: "list", start: first ? Number(first[1]) : null, items: got.map((it) => {
        const task = /^\s*[-*] \[([ x])\] (.*)/.exec(it);
        return { checked: task ? task[1] === "x" : null, blocks: [{ block: "paragraph", inlines: inlines(task ? task[2] : it.replace(/^\s*([-*]|\d+\.) /, "")) }] };
      }) });
    } else if (line.startsWith(">")) {
      const got = take((it) => it.startsWith(">"));
      put({ block: "quote", blocks: markdown(got.map((it) => it.replace(/^> ?/, "")).join("\n")) });
    } else if (line.startsWith("|") && /^\|[\s:|-]+\|$/.test(lines[at + 1] ?? "")) {
      const got = take((it) => it.startsWith("|"));
      const cells = (it) => it.split("|").slice(1, -1).map((cell) => inlines(cell.trim()));
      put({ block: "table", align: cells(got[0]).map(() => ""), head: cells(got[0]), rows: got.slice(2).map(cells) });
    } else {
      const got = take((it, got) => it.trim() && (!got.length || !/^(```|#|>|\s*[-*] |\|)/.test(it)));
      put({ block: "paragraph", inlines: inlines(got.join("\n")) });
    }
  }
  return blocks;
}

export function hunks(diff) {
  const out = [];
  let old = 1, now = 1;
  for (const line of diff.split("\n")) {
    const head = /^@@ -(\d+)\S* \+(\d+)\S* @@ ?(.*)/.exec(line);
    if (head) {
      [old, now] = [Number(head[1]), Number(head[2])];
      out.push({ heading: head[3], rows: [] });
    } else if (/^(---|\+\+\+) /.test(line) || line === "") continue;
    else {
      if (!out.length) out.push({ heading: "", rows: [] });
      const kind = { "+": "added", "-": "removed" }[line[0]] ?? "same";
      out.at(-1).rows.push({ kind, old: kind === "added" ? null : old++, new: kind === "removed" ? null : now++, spans: spans(line.slice(1)) });
    }
  }
  for (const hunk of out) changedWords(hunk.rows);
  return out;
}

/** Marks what differs where one removed line is followed by one added line. */
function changedWords(rows) {
  for (let at = 0; at + 1 < rows.length; at++) {
    const [a, b] = [rows[at], rows[at + 1]];
    if (a.kind !== "removed" || b.kind !== "added" || rows[at + 2]?.kind === "added") continue;
    const other = (row) => new Set(row.spans.map((it) => it.text));
    const [left, right] = [other(a), other(b)];
    for (const it of a.spans) if (!right.has(it.text)) it.changed = true;
    for (const it of b.spans) if (!left.has(it.text)) it.changed = true;
  }
}

const COLORS = { 31: "removed", 32: "added", 33: "number", 34: "function", 1: "keyword", 36: "type", 2: "comment" };
export const ansi = (text) =>
  text.split("\n").map((line) => {
    let color;
    return line.split(/(\x1b\[[\d;]*m)/).flatMap((it) => {
      const escape = /^\x1b\[([\d;]*)m$/.exec(it);
      if (escape) color = COLORS[escape[1].split(";").at(-1)];
      return escape || !it ? [] : [{ text: it, class: color }];
    });
  });

export function title(args) {
  return String(args.command ?? args.path ?? args.pattern ?? args.task ?? "").slice(0, 160);
}

export function event(it, words) {
  switch (it.event) {
    case "mode_set": return words["ui.mode_set"].replace("{mode}", it.mode);
    case "model_set": return words["ui.model_set"].replace("{model}", it.model);
    case "error": return words[it.problem.code] ?? it.problem.code;
    case "retry": return `Retry ${it.attempt} of ${it.total}: ${it.kind}`;
    case "todo": case "plan": return "";
    default: return it.event.replaceAll("_", " ");
  }
}

export function render(item, words) {
  switch (item.kind) {
    case "markdown": return { kind: "markdown", blocks: markdown(item.text) };
    case "code": return { kind: "code", lines: code(item.text) };
    case "diff": return { kind: "diff", hunks: hunks(item.diff), added: 0, removed: 0 };
    case "call": return { kind: "call", title: title(item.args ?? {}) };
    case "event": return { kind: "event", text: event(item.event, words) };
    default: return { kind: "ansi", lines: ansi(item.text) };
  }
}
