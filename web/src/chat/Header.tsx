// The head of a conversation: its title, where it works, and what can be done with the whole of it.

import { useState } from "preact/hooks";
import { conversation, patch, post, remove } from "../core/api.ts";
import { asking, attempt, conversations, go, info, listOpen, panelOpen, project, refresh, type Tab, tab, show } from "../core/store.ts";
import type { Session } from "../core/session.ts";
import type { Info, View } from "../core/types.ts";
import { t } from "../core/words.ts";
import { Button } from "../ui/Button.tsx";
import { Confirm } from "../ui/Confirm.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";
import { focusFirst, StateDot } from "../ui/bits.tsx";
import { Undo } from "./Undo.tsx";

export function Header({ session, view }: { session: Session; view: View }) {
  const it = info.value;
  const asks = asking.value;
  const setAsks = (what: typeof asks) => (asking.value = what);
  const title = view.name || it?.title || view.turns[0]?.prompt || t("page.untitled");
  const state = view.asked.length ? "waiting" : view.busy ? "working" : (it?.state ?? "idle");
  const choose = (what: string) => {
    if (what === "export") open(conversation(session.id, "/export?format=markdown"), "_blank", "noopener");
    else if (what === "fork") void fork(session.id);
    else if (what === "play") go({ at: "play", id: session.id });
    else if (what === "redo") void attempt(post(conversation(session.id, "/redo")));
    else setAsks(what as "rename");
  };
  return (
    <header class="talkhead">
      <Button icon="menu" kind="quiet" name={t("page.list")} aria-expanded={listOpen.value} onClick={() => (listOpen.value = !listOpen.value)} />
      <div class="titles">
        <h1 title={title}><StateDot state={state} /><span>{title}</span></h1>
        <p>{project.value?.name ?? it?.project.name}{it?.branch && <><Icon name="branch" size={12} />{it.branch}</>}{it?.elsewhere && <span class="tag">{t("page.elsewhere")}</span>}</p>
      </div>
      <Menu name={t("page.more")} end choose={choose} choices={[
        { id: "undo", label: t("page.undo"), icon: "undo" },
        { id: "redo", label: t("page.redo"), icon: "right" },
        { id: "play", label: t("page.play"), icon: "play", disabled: view.busy },
        { id: "compare", label: t("page.compare"), icon: "compare" },
        { id: "fork", label: t("page.fork"), icon: "branch" },
        { id: "rename", label: t("page.rename"), icon: "edit" },
        { id: "export", label: t("page.export"), icon: "file" },
        { id: "delete", label: t("page.delete"), icon: "close", danger: true },
      ]}><Icon name="more" /></Menu>
      <Button icon="panel" kind="quiet" name={t("page.panel")} aria-expanded={panelOpen.value} onClick={() => (panelOpen.value = !panelOpen.value)} />
      {asks === "undo" && <Undo session={session} close={() => setAsks("")} />}
      {asks === "rename" && <Rename id={session.id} was={title} close={() => setAsks("")} />}
      {asks === "delete" && (
        <Confirm danger title={t("page.delete.ask")} yes={t("page.delete")} close={() => setAsks("")}
          confirm={() => void attempt(remove(conversation(session.id))).then((ok) => {
            if (!ok) return;
            setAsks("");
            go({ at: "home" });
            void refresh();
          })}>
          <p>{t("page.delete.what", { title })}</p>
        </Confirm>
      )}
      {asks === "compare" && <ChooseOther id={session.id} close={() => setAsks("")} />}
    </header>
  );
}

export async function fork(id: string): Promise<void> {
  await attempt(post<Info>(conversation(id, "/fork")).then(async (made) => {
    await refresh();
    go({ at: "talk", id: made.id });
  }));
}

function Rename({ id, was, close }: { id: string; was: string; close(): void }) {
  const [name, setName] = useState(was);
  const save = () => void attempt(patch(conversation(id), { name })).then((ok) => {
    if (!ok) return;
    close();
    void refresh();
  });
  return (
    <Confirm title={t("page.rename")} yes={t("page.save")} close={close} confirm={save}>
      <form onSubmit={(event) => (event.preventDefault(), save())}>
        <label>{t("page.rename.name")}<input value={name} ref={focusFirst} onInput={(event) => setName(event.currentTarget.value)} /></label>
      </form>
    </Confirm>
  );
}

function ChooseOther({ id, close }: { id: string; close(): void }) {
  const others = conversations.value.filter((it) => it.id !== id);
  return (
    <Dialog title={t("page.compare.with")} close={close}>
      <ul class="picklist">
        {others.map((it) => (
          <li key={it.id}><button type="button" onClick={() => (close(), go({ at: "compare", a: id, b: it.id }))}><StateDot state={it.state} /><span>{it.title}</span><small>{it.project.name}</small></button></li>
        ))}
        {others.length === 0 && <li class="empty">{t("page.compare.none")}</li>}
      </ul>
    </Dialog>
  );
}

export const openTab = (which: Tab): void => {
  if (panelOpen.value && tab.value === which) panelOpen.value = false;
  else show(which);
};
