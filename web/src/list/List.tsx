// The list of conversations, with search and the state of each.

import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../core/api.ts";
import { ago, money } from "../core/format.ts";
import { attempt, conversations, create, go, helpOpen, link, listOpen, place, projects, refresh, refreshProjects, search, session, toast } from "../core/store.ts";
import { theme, wear, type Theme } from "../core/theme.ts";
import type { Info, Project } from "../core/types.ts";
import { language, speak, t } from "../core/words.ts";
import { focusFirst, StateDot } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Confirm } from "../ui/Confirm.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";

export async function begin(key?: string): Promise<void> {
  const chosen = key ?? conversations.value.find((it) => it.id === session.value?.id)?.project.key ?? projects.value[0]?.key;
  if (!chosen) return toast(t("page.projects.none"), true);
  await attempt(create({ project: chosen }).then((it) => go({ at: "talk", id: it.id })));
  document.getElementById("prompt")?.focus();
}

export function List() {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (innerWidth < 900) nav.current?.focus();
  }, []);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [opening, setOpening] = useState(false);
  const all = conversations.value;
  const waiting = all.filter((it) => it.state === "waiting").length;
  const groups = new Map<string, Info[]>();
  for (const it of all) groups.set(it.project.key, [...(groups.get(it.project.key) ?? []), it]);
  const many = groups.size > 1 || projects.value.length > 1;
  return (
    <nav class="list" ref={nav} tabIndex={-1} aria-label={t("page.list")}>
      <header>
        <a class="brand" href="#/" aria-label="Ox"><Mark /><span>Ox</span></a>
        {waiting > 0 && <span class="tag wait">{t("page.list.waiting", { count: waiting })}</span>}
        <span class="grow" />
        {projects.value.length > 1 ? (
          <Menu name={t("page.new")} end choose={(key) => void begin(key)} choices={projects.value.map((it) => ({ id: it.key, label: it.name, detail: it.root }))}><Icon name="plus" /></Menu>
        ) : <Button icon="plus" kind="quiet" name={t("page.new")} onClick={() => void begin()} />}
        <Button icon="close" kind="quiet" class="narrow" name={t("page.close")} onClick={() => (listOpen.value = false)} />
      </header>
      <label class="searchbox"><Icon name="search" size={14} />
        <input id="search" type="search" placeholder={t("page.search")} aria-label={t("page.search")} value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            clearTimeout(timer.current);
            timer.current = setTimeout(() => void refresh(), 150);
          }} />
      </label>
      <div class="scroll" tabIndex={-1}>
        {[...groups].map(([key, items]) => (
          <section key={key}>
            {many && <h2>{items[0]?.project.name}</h2>}
            <ul>{items.map((it) => <Item key={it.id} it={it} />)}</ul>
          </section>
        ))}
        {all.length === 0 && <p class="empty">{t(search.value ? "page.search.none" : "page.list.none")}</p>}
      </div>
      <footer>
        <Button kind="quiet" icon="folder" onClick={() => setOpening(true)}>{t("page.projects.open")}</Button>
        <span class="grow" />
        <Menu name={`${t("page.language")}: ${language.value === "zh" ? "中" : "En"}`} up radio choose={(to) => void attempt(speak(to as "en"))} choices={[{ id: "en", label: "English", chosen: language.value === "en" }, { id: "zh", label: "中文", chosen: language.value === "zh" }]}>
          <span>{language.value === "zh" ? "中" : "En"}</span>
        </Menu>
        <Menu name={t("page.theme")} up end radio choose={(to) => wear(to as Theme)} choices={(["auto", "light", "dark"] as const).map((id) => ({ id, label: t(`page.theme.${id}`), icon: id === "auto" ? "auto" : id === "light" ? "sun" : "moon", chosen: theme.value === id }))}>
          <Icon name={theme.value === "auto" ? "auto" : theme.value === "light" ? "sun" : "moon"} />
        </Menu>
        <Button kind="quiet" name={t("page.keys")} hint={`${t("page.keys")} (?)`} onClick={() => (helpOpen.value = true)}><span aria-hidden="true">?</span></Button>
      </footer>
      {opening && <OpenFolder close={() => setOpening(false)} />}
    </nav>
  );
}

function Item({ it }: { it: Info }) {
  const here = place.value.at === "talk" && place.value.id === it.id;
  return (
    <li>
      <a href={link({ at: "talk", id: it.id })} class={`conversation ${it.state}`} aria-current={here ? "page" : undefined} data-id={it.id}>
        <StateDot state={it.state} />
        <span class="title">{it.title || it.prompt || t("page.untitled")}</span>
        <small>{it.state === "waiting" || it.state === "working" ? t(`page.state.${it.state}`) : ago(it.updated)}{it.cost ? ` · ${money(it.cost)}` : ""}</small>
      </a>
    </li>
  );
}

function OpenFolder({ close }: { close(): void }) {
  const [root, setRoot] = useState("");
  const open = () => void attempt(post<Project>("/api/projects", { root }).then(async (it) => {
    await refreshProjects();
    close();
    await begin(it.key);
  }));
  return (
    <Confirm title={t("page.projects.open")} yes={t("page.open_folder")} close={close} confirm={open}>
      <form onSubmit={(event) => (event.preventDefault(), open())}><label>{t("page.projects.root")}<input value={root} ref={focusFirst} placeholder="/home/…" onInput={(event) => setRoot(event.currentTarget.value)} /></label></form>
    </Confirm>
  );
}

/** Two horns. */
export const Mark = ({ size = 20 }: { size?: number }) => (
  <svg class="mark-ox" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
    <path d="M2 3c0 5 2.2 7 5 7.4M18 3c0 5-2.2 7-5 7.4" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" />
    <path d="M6.5 9.5h7l-1 5.7a2.5 2.5 0 0 1-5 0z" fill="currentColor" />
  </svg>
);

export function useFocusSearch(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "k") {
        event.preventDefault();
        listOpen.value = true;
        requestAnimationFrame(() => document.getElementById("search")?.focus());
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
