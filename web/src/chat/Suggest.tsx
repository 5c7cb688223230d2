// The list above the composer: files after `@`, commands after `/` at the beginning.

import { useEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import { get, project as at, query } from "../core/api.ts";
import type { Completion } from "../core/types.ts";
import { code, t } from "../core/words.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { SLASH } from "./commands.ts";

interface Item { insert: string; shown: string; detail: string; icon: IconName; from: number; to: number }
interface State {
  items: Item[];
  at: number;
  take(item: Item): void;
  onKey(event: KeyboardEvent): boolean;
  look(): void;
  close(): void;
}

interface Custom { name: string; about: string; source: string }

/** The custom commands of a project. */
const custom = (project: string): Promise<Custom[]> => get<{ commands: Custom[] }>(at(project, "/commands")).then((it) => it.commands);

/** What stands at the caret: a command at the beginning, its argument, or a file's beginning. */
function word(text: string, caret: number): { kind: "slash" | "value" | "file"; text: string; from: number; of?: string } | null {
  const before = text.slice(0, caret);
  const slash = /^\/([\w:.-]*)$/.exec(before);
  if (slash) return { kind: "slash", text: slash[1] ?? "", from: 0 };
  const value = /^\/(\w+)\s+([\w-]*)$/.exec(before);
  if (value) return { kind: "value", of: value[1] ?? "", text: value[2] ?? "", from: caret - (value[2]?.length ?? 0) };
  const file = /(?:^|\s)@(\S*)$/.exec(before);
  return file ? { kind: "file", text: file[1] ?? "", from: caret - (file[1]?.length ?? 0) - 1 } : null;
}

export function useSuggest(box: RefObject<HTMLTextAreaElement | null>, text: string, project: string, commands: boolean, write: (text: string, caret: number) => void): State {
  const [items, setItems] = useState<Item[]>([]);
  const [chosen, setChosen] = useState(0);
  const asked = useRef(0);
  const shut = useRef("");

  const look = () => {
    const caret = box.current?.selectionStart ?? 0;
    const found = document.activeElement === box.current ? word(text, caret) : null;
    const mine = ++asked.current;
    if (!found || shut.current === text || (found.kind !== "file" && !commands)) return setItems([]);
    const starts = (name: string) => name.startsWith(found.text);
    if (found.kind === "slash") {
      const item = (name: string, detail: string): Item => ({ insert: `/${name} `, shown: `/${name}`, detail, icon: "right", from: 0, to: caret });
      const own = SLASH.filter((it) => starts(it.name)).map((it) => item(it.name, t(`page.slash.${it.name}`)));
      put(own);
      if (!project) return;
      custom(project).then(
        (all) => mine === asked.current && put([...own, ...all.filter((it) => starts(it.name)).map((it) => item(it.name, `${it.about} (${it.source})`))]),
        () => undefined,
      );
      return;
    }
    if (found.kind === "value") {
      const takes = SLASH.find((it) => it.name === found.of)?.takes ?? [];
      return put(takes.filter((it) => starts(it) && it !== found.text).map((it) => ({ insert: it, shown: it, detail: code(`page.${found.of}`, it), icon: "right", from: found.from, to: caret })));
    }
    if (!project) return setItems([]);
    get<{ items: Completion[] }>(at(project, `/complete${query({ text: found.text, limit: 8 })}`)).then(
      (it) => mine === asked.current && put(it.items.map((one) => ({ insert: `@${one.insert}${one.kind === "folder" ? "" : " "}`, shown: one.shown, detail: one.detail, icon: one.kind === "folder" ? "folder" : "file", from: found.from, to: caret }))),
      () => setItems([]),
    );
  };
  const put = (next: Item[]) => {
    setItems(next);
    setChosen(0);
  };
  useEffect(look, [text]);
  const close = () => setItems([]);
  const take = (item: Item) => {
    write(text.slice(0, item.from) + item.insert + text.slice(item.to), item.from + item.insert.length);
    close();
    box.current?.focus();
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (!items.length) return false;
    const item = items[chosen];
    if (event.key === "ArrowDown") setChosen((chosen + 1) % items.length);
    else if (event.key === "ArrowUp") setChosen((chosen + items.length - 1) % items.length);
    else if (event.key === "Escape") {
      shut.current = text;
      close();
    } else if (item && (event.key === "Tab" || (event.key === "Enter" && text.slice(item.from, item.to) !== item.insert.trimEnd()))) take(item);
    else return false;
    return true;
  };
  return { items, at: chosen, take, onKey, look: () => items.length === 0 && look(), close };
}

export function Suggest({ items, at: chosen, take }: State) {
  return (
    <ul id="suggest" class="suggest" role="listbox" aria-label={t("page.suggestions")} hidden={!items.length}>
      {items.map((it, n) => (
        <li key={it.shown} id={`suggest-${n}`} role="option" aria-selected={n === chosen}
          onPointerDown={(event) => (event.preventDefault(), take(it))}>
          <Icon name={it.icon} size={14} /><span class="shown">{it.shown}</span><small>{it.detail}</small>
        </li>
      ))}
    </ul>
  );
}
