// The page: list, conversation, panel; messages and help over them.

import { useEffect } from "preact/hooks";
import { dismiss, helpOpen, listOpen, panelOpen, place, recallWidth, said, session, tab, toasts } from "./core/store.ts";
import { t } from "./core/words.ts";
import { typing } from "./chat/Approval.tsx";
import { Talk } from "./chat/Talk.tsx";
import { begin, List, useFocusSearch } from "./list/List.tsx";
import { Home } from "./list/Home.tsx";
import { Panel, TABS } from "./panel/Panel.tsx";
import { Compare } from "./replay/Compare.tsx";
import { Playback } from "./replay/Playback.tsx";
import { Button } from "./ui/Button.tsx";
import { Dialog } from "./ui/Dialog.tsx";

export function App() {
  const at = place.value;
  const withPanel = at.at === "talk" && panelOpen.value;
  useKeys();
  useFocusSearch();
  return (
    <div class={`app ${listOpen.value ? "with-list" : ""} ${withPanel ? "with-panel" : ""}`} style={{ "--panel": `${recallWidth()}px` }}>
      <a class="skip" href="#prompt" onClick={(event) => (event.preventDefault(), document.getElementById("prompt")?.focus())}>{t("page.skip")}</a>
      {listOpen.value && <List />}
      {at.at === "talk" && session.value && <Talk key={session.value.id} session={session.value} />}
      {at.at === "play" && <Playback key={at.id} id={at.id} />}
      {at.at === "compare" && <Compare a={at.a} b={at.b} />}
      {at.at === "home" && <Home />}
      {withPanel && <Panel />}
      {(listOpen.value || withPanel) && <button type="button" class="veil" tabIndex={-1} aria-hidden="true" onClick={() => (panelOpen.value && innerWidth < 1200 ? (panelOpen.value = false) : (listOpen.value = false))} />}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.value.map((it) => (
          <div key={it.id} class={`toast ${it.bad ? "bad" : ""}`}><span>{it.text}</span><Button kind="quiet" icon="close" name={t("page.close")} onClick={() => dismiss(it.id)} /></div>
        ))}
      </div>
      <p class="sr" aria-live="polite">{said.value}</p>
      {helpOpen.value && <Help />}
    </div>
  );
}

const KEYS: [string, string][] = [
  ["?", "page.key.help"], ["/", "page.key.prompt"], ["Ctrl K", "page.key.search"], ["N", "page.key.new"], ["[", "page.key.list"], ["]", "page.key.panel"], ["1 – 7", "page.key.tabs"],
  ["Enter", "page.key.send"], ["Shift Enter", "page.key.newline"], ["@", "page.key.file"], ["Esc", "page.key.stop"],
  ["↑ ↓", "page.key.lines"], ["Y N A P E X", "page.key.approval"], ["1 – 9", "page.key.options"], ["End", "page.key.end"],
];

function Help() {
  return (
    <Dialog title={t("page.keys")} close={() => (helpOpen.value = false)}>
      <dl class="keys">{KEYS.map(([key, what]) => <div key={what}><dt>{key.split(" ").map((it) => (it === "–" ? " – " : <kbd key={it}>{it}</kbd>))}</dt><dd>{t(what)}</dd></div>)}</dl>
    </Dialog>
  );
}

function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && innerWidth < 1200 && !document.querySelector("dialog[open], [role=menu]")) {
        if (panelOpen.value) panelOpen.value = false;
        else if (innerWidth < 900) listOpen.value = false;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || document.querySelector("dialog[open], [role=menu]")) return;
      const panel = TABS[Number(event.key) - 1];
      const options = document.querySelector(".question .options");
      if (event.key === "?") helpOpen.value = true;
      else if (event.key === "/") document.getElementById("prompt")?.focus();
      else if (event.key === "[") listOpen.value = !listOpen.value;
      else if (event.key === "]") panelOpen.value = !panelOpen.value;
      else if (event.key === "N" || (event.key === "n" && !document.querySelector(".approval"))) void begin();
      else if (panel && !options) ((tab.value = panel), (panelOpen.value = true));
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
