// A row of the timeline that opens. What is open stays open while the row is out of sight.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../ui/Icon.tsx";

const opened = signal<ReadonlySet<string>>(new Set());

export const isOpen = (id: string): boolean => opened.value.has(id);
export function toggle(id: string): void {
  const next = new Set(opened.value);
  if (!next.delete(id)) next.add(id);
  opened.value = next;
}

interface Props {
  id: string;
  icon: IconName;
  title: ComponentChildren;
  detail?: ComponentChildren;
  end?: ComponentChildren;
  tone?: string;
  children?: ComponentChildren;
}

export function Fold({ id, icon, title, detail, end, tone = "", children }: Props) {
  const open = isOpen(id);
  return (
    <div class={`fold ${tone} ${open ? "open" : ""}`}>
      <button type="button" class="row" aria-expanded={open} onClick={() => toggle(id)}>
        <Icon name={icon} />
        <span class="title">{title}</span>
        {detail && <span class="detail">{detail}</span>}
        <span class="end">{end}<Icon name={open ? "down" : "right"} size={12} /></span>
      </button>
      {open && <div class="inside">{children}</div>}
    </div>
  );
}
