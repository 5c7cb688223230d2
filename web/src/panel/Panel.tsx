// The panel on the right: what the conversation is about, by tabs.

import { useEffect, useRef } from "preact/hooks";
import { panelOpen, recallWidth, session, tab, type Tab, keepWidth } from "../core/store.ts";
import { t } from "../core/words.ts";
import { Button } from "../ui/Button.tsx";
import { Changes } from "./Changes.tsx";
import { Checkpoints } from "./Checkpoints.tsx";
import { Checks } from "./Checks.tsx";
import { Files } from "./Files.tsx";
import { GraphTab } from "./Graph.tsx";
import { PlanTab } from "./Plan.tsx";
import { Tokens } from "./Tokens.tsx";

export const TABS: Tab[] = ["changes", "plan", "checks", "files", "checkpoints", "graph", "tokens"];

export function Panel() {
  const it = session.value;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (innerWidth < 1200) list.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  }, []);
  if (!it) return null;
  const view = it.view;
  const now = tab.value;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(now) + step + TABS.length) % TABS.length] as Tab;
    tab.value = next;
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  const open = view.plan?.steps.filter((step) => step.state === "open").length ?? 0;
  const marks: Partial<Record<Tab, number>> = { changes: new Set(view.changes.map((one) => one.path)).size, plan: open };
  return (
    <aside class="panel" aria-label={t("page.panel")}>
      <Grip />
      <div class="tabs">
        <div role="tablist" ref={list} aria-label={t("page.panel")} onKeyDown={move}>
          {TABS.map((one) => (
            <button type="button" role="tab" key={one} id={`tab-${one}`} aria-selected={one === now} aria-controls="panel-body" tabIndex={one === now ? 0 : -1} onClick={() => (tab.value = one)}>
              {t(`page.tab.${one}`)}{!!marks[one] && <span class="count">{marks[one]}</span>}
            </button>
          ))}
        </div>
        <Button icon="close" kind="quiet" name={t("page.panel.close")} onClick={() => (panelOpen.value = false)} />
      </div>
      <div class="panelbody" id="panel-body" role="tabpanel" aria-labelledby={`tab-${now}`}>
        {now === "changes" && <Changes key={it.id} session={it} view={view} />}
        {now === "plan" && <PlanTab session={it} view={view} />}
        {now === "checks" && <Checks view={view} />}
        {now === "files" && <Files />}
        {now === "checkpoints" && <Checkpoints session={it} view={view} />}
        {now === "graph" && <GraphTab view={view} />}
        {now === "tokens" && <Tokens session={it} view={view} />}
      </div>
    </aside>
  );
}

/** The edge by which the panel is made wider: by pointer, or with the arrow keys. */
function Grip() {
  const width = recallWidth();
  const set = (next: number) => keepWidth(Math.max(320, Math.min(innerWidth - 480, next)));
  return (
    <div class="grip" role="separator" aria-orientation="vertical" aria-label={t("page.panel.resize")} tabIndex={0}
      aria-valuenow={width} aria-valuemin={320} aria-valuemax={1200}
      onKeyDown={(event) => {
        const step = { ArrowLeft: 32, ArrowRight: -32 }[event.key];
        if (step) (event.preventDefault(), set(width + step));
      }}
      onPointerDown={(event) => {
        const grip = event.currentTarget;
        grip.setPointerCapture(event.pointerId);
        grip.onpointermove = (move) => set(innerWidth - move.clientX);
        grip.onpointerup = () => (grip.onpointermove = null);
      }} />
  );
}
