// A button that opens a list of choices: arrows move, Enter chooses, Escape closes.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

export interface Choice {
  id: string;
  label: string;
  detail?: string | undefined;
  icon?: IconName;
  chosen?: boolean;
  danger?: boolean;
  disabled?: boolean;
}
interface Props {
  name: string;
  choices: Choice[];
  choose(id: string): void;
  children: ComponentChildren;
  up?: boolean;
  end?: boolean;
  class?: string;
  /** True where one of the choices is always chosen. */
  radio?: boolean;
}

export function Menu({ name, choices, choose, children, up, end, class: extra = "", radio }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not([disabled])") ?? [])];

  useEffect(() => {
    if (!open) return;
    (items().find((it) => it.getAttribute("aria-checked") === "true") ?? items()[0])?.focus();
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (!open) return;
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else if (to !== undefined) all[to % all.length]?.focus();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class={`menu ${extra}`} ref={root} onKeyDown={onKey}>
      <button type="button" ref={button} class="btn quiet" aria-haspopup="menu" aria-expanded={open} aria-label={name} title={name}
        onClick={() => setOpen(!open)}>
        {children}
      </button>
      {open && (
        <div class={`pop ${up ? "up" : ""} ${end ? "end" : ""}`} role="menu" aria-label={name}>
          {choices.map((it) => (
            <button type="button" key={it.id} role={radio ? "menuitemradio" : "menuitem"} aria-checked={radio ? !!it.chosen : undefined}
              class={`item ${it.danger ? "danger" : ""}`} disabled={it.disabled} tabIndex={-1}
              onClick={() => {
                close();
                choose(it.id);
              }}>
              {it.icon && <Icon name={it.icon} />}
              <span class="label">{it.label}{it.detail && <small>{it.detail}</small>}</span>
              {radio && it.chosen && <Icon name="check" />}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
