// What one sees before a conversation is open: where to write what shall be done, and in which project.

import { useEffect, useState } from "preact/hooks";
import { emptyView } from "../core/fold.ts";
import { listOpen, projects, version } from "../core/store.ts";
import { t } from "../core/words.ts";
import { Composer } from "../chat/Composer.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Mark } from "./List.tsx";

const EMPTY = emptyView();

export function Home() {
  const [key, setKey] = useState("");
  const all = projects.value;
  const chosen = all.find((it) => it.key === key) ?? all[0];
  useEffect(() => {
    document.title = "Ox";
    if (matchMedia("(pointer: fine)").matches) document.getElementById("prompt")?.focus();
  }, []);
  return (
    <main class="home">
      {!listOpen.value && <Button class="corner" icon="menu" kind="quiet" name={t("page.list")} onClick={() => (listOpen.value = true)} />}
      <Mark size={48} />
      <h1>{t("page.home.title")}</h1>
      <Composer of={chosen} view={EMPTY} />
      <div class="projects" role="radiogroup" aria-label={t("page.home.what")}>
        {all.map((it) => (
          <button type="button" key={it.key} class="project" role="radio" aria-checked={it === chosen} onClick={() => setKey(it.key)}>
            <Icon name="folder" /><span><b>{it.name}</b><small>{it.root}</small></span>
            {it.trusted === "untrusted" && <span class="tag">{t("page.untrusted")}</span>}
            {it.branch && <small class="branch"><Icon name="branch" size={12} />{it.branch}{it.dirty ? " *" : ""}</small>}
          </button>
        ))}
      </div>
      {version.value && <p class="hint">Ox {version.value}</p>}
    </main>
  );
}
