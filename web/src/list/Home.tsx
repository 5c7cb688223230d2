// What one sees before a conversation is open: the projects, and a way to begin.

import { useEffect } from "preact/hooks";
import { listOpen, projects, version } from "../core/store.ts";
import { t } from "../core/words.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { begin, Mark } from "./List.tsx";

export function Home() {
  useEffect(() => {
    document.title = "Ox";
  }, []);
  return (
    <main class="home">
      {!listOpen.value && <Button class="corner" icon="menu" kind="quiet" name={t("page.list")} onClick={() => (listOpen.value = true)} />}
      <Mark size={48} />
      <h1>{t("page.home.title")}</h1>
      <p>{t("page.home.what")}</p>
      <ul>
        {projects.value.map((it) => (
          <li key={it.key}>
            <button type="button" class="project" onClick={() => void begin(it.key)}>
              <Icon name="folder" /><span><b>{it.name}</b><small>{it.root}</small></span>
              {it.branch && <small class="branch"><Icon name="branch" size={12} />{it.branch}{it.dirty ? " *" : ""}</small>}
              {it.trusted === "untrusted" && <span class="tag">{t("page.untrusted")}</span>}
            </button>
          </li>
        ))}
      </ul>
      {version.value && <p class="hint">Ox {version.value}</p>}
    </main>
  );
}
