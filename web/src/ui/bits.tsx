// Small things that several views show alike.

import type { ComponentChildren } from "preact";
import type { FileChange } from "../core/types.ts";
import { t } from "../core/words.ts";

export const Lines = ({ of }: { of: { added?: number; removed?: number } }) => (
  <span class="pm">
    {!!of.added && <span class="plus">+{of.added}</span>} {!!of.removed && <span class="minus">−{of.removed}</span>}
  </span>
);

/** A path whose end stays readable where there is little room. */
export function Path({ of }: { of: string }) {
  const cut = of.replace(/\/$/, "").lastIndexOf("/") + 1;
  return <span class="path" title={of}>{cut > 0 && <span class="dir">{of.slice(0, cut)}</span>}<span class="base">{of.slice(cut)}</span></span>;
}

export const Change = ({ of }: { of: FileChange }) => (
  <span class="change">
    <span class={`mark ${of.kind}`} title={t(`page.change.${of.kind}`)} aria-label={t(`page.change.${of.kind}`)} role="img">
      {{ created: "A", modified: "M", deleted: "D", renamed: "R" }[of.kind] ?? "?"}
    </span>
    <Path of={of.path} />
    <Lines of={of} />
  </span>
);

export const ChangeList = ({ of }: { of: FileChange[] }) => (
  <ul class="changelist">{of.map((it) => <li key={it.path}><Change of={it} /></li>)}</ul>
);

/** As a `ref`: takes the focus when it appears. */
export const focusFirst = (box: HTMLElement | null): void => box?.focus();

/** A sentence in which names stand between backticks. */
export const Coded = ({ text }: { text: string }) => <>{text.split("`").map((it, at) => (at % 2 ? <code key={at}>{it}</code> : it))}</>;

export const Empty = ({ children }: { children: ComponentChildren }) => <div class="empty">{children}</div>;

export const StateDot = ({ state }: { state: string }) => (
  <span class={`state ${state}`} role="img" aria-label={t(`page.state.${state}`)} title={t(`page.state.${state}`)} />
);
