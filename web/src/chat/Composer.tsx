// Where one types: words, pictures, `@` for files, `/` for commands; how they are delivered; mode, model, approval.

import { useEffect, useRef, useState } from "preact/hooks";
import { conversation, get, post, project as at } from "../core/api.ts";
import { attempt, create, go, info, project, toast } from "../core/store.ts";
import { command, type Session } from "../core/session.ts";
import type { Image, Model, Project, View } from "../core/types.ts";
import { recall, remember, t } from "../core/words.ts";
import { short } from "../core/format.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";
import { runSlash } from "./commands.ts";
import { draft, fill, filled, keep, sent } from "./draft.ts";
import { accepted, readImages } from "./images.ts";
import { Suggest, useSuggest } from "./Suggest.tsx";

interface Props {
  /** Where there is none yet, the first prompt begins one in the project. */
  session?: Session | undefined;
  of?: Project | undefined;
  view: View;
}

export function Composer({ session, of, view }: Props) {
  const id = session?.id ?? "";
  const box = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(draft(id).text);
  const [images, setImages] = useState<Image[]>(draft(id).images);
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState(false);
  const [delivery, setDelivery] = useState<"steer" | "queue">(recall("delivery") === "queue" ? "queue" : "steer");
  const composing = useRef(false);
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const key = of?.key ?? info.value?.project.key ?? project.value?.key ?? "";
  const suggest = useSuggest(box, text, key, !!session, (next, caret) => {
    write(next);
    requestAnimationFrame(() => box.current?.setSelectionRange(caret, caret));
  });

  const write = (next: string) => {
    setText(next);
    keep(id, { text: next, images });
  };
  useEffect(() => {
    const it = draft(id);
    setText(it.text);
    setImages(it.images);
  }, [id, filled.value]);
  useEffect(() => {
    const it = sent.get(id);
    if (!it || view.busy || !view.stop) return;
    sent.delete(id);
    if (view.turn === it.turn && view.stop.reason === "failed") fill(id, it.text, it.images);
  }, [view.busy, view.stop]);
  useEffect(() => {
    const it = box.current;
    if (!it) return;
    it.style.height = "auto";
    it.style.height = `${Math.min(it.scrollHeight, innerHeight * 0.4)}px`;
  }, [text, id]);

  const addImages = (list: Iterable<File>) =>
    void readImages([...list]).then(
      (more) => {
        if (!more.length) return;
        const all = [...images, ...more];
        setImages(all);
        keep(id, { text, images: all });
      },
      (why) => toast(String((why as Error).message), true),
    );
  const drop = (index: number) => {
    const all = images.filter((_, n) => n !== index);
    setImages(all);
    keep(id, { text, images: all });
  };

  const send = async () => {
    const words = text.trim();
    if ((!words && !images.length) || sending) return;
    if (session && words.startsWith("/") && !images.length && runSlash(words, session)) return write("");
    setSending(true);
    const ok = await attempt((async () => {
      const to = id || (await create({ project: key, ...chosen })).id;
      await (words.startsWith("!") && !view.busy
        ? command(to, { command: "run_command", line: words.slice(1).trim() })
        : post(conversation(to, "/prompts"), { text: words, images, delivery }, { "Idempotency-Key": crypto.randomUUID() }));
      if (!view.busy) sent.set(to, { text: words, images, turn: view.turn });
      if (id) return;
      addEventListener("hashchange", () => requestAnimationFrame(() => document.getElementById("prompt")?.focus()), { once: true });
      go({ at: "talk", id: to });
    })());
    setSending(false);
    if (!ok) return;
    setImages([]);
    setText("");
    keep(id, { text: "", images: [] });
    // What is asked may have come before the answer to the request.
    (document.querySelector<HTMLElement>(".approval") ?? box.current)?.focus();
  };
  const interrupt = () => void attempt(post(conversation(id, "/interrupt")));
  const set = (name: string, value: string) =>
    session ? void attempt(command(id, { command: `set_${name}`, [name === "approval" ? "policy" : name]: value })) : setChosen({ ...chosen, [name]: value });

  const onKey = (event: KeyboardEvent) => {
    // While a character is being composed, Enter chooses it and sends nothing.
    if (composing.current || event.isComposing || event.keyCode === 229) return;
    if (suggest.onKey(event)) return event.preventDefault();
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape" && view.busy && !text) {
      event.preventDefault();
      interrupt();
    }
  };
  return (
    <form class={`composer ${over ? "over" : ""} ${view.busy ? "busy" : ""}`} aria-label={t("page.composer")}
      onSubmit={(event) => (event.preventDefault(), void send())}
      onDragOver={(event) => (event.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => (event.preventDefault(), setOver(false), addImages(event.dataTransfer?.files ?? []))}>
      <Suggest {...suggest} />
      {images.length > 0 && (
        <ul class="thumbs" aria-label={t("page.images")}>
          {images.map((it, n) => (
            <li key={n}><img src={`data:${it.media_type};base64,${it.data}`} alt={it.name || t("page.picture", { n: n + 1 })} />
              <Button icon="close" kind="plain" name={t("page.image.remove", { name: it.name || n + 1 })} onClick={() => drop(n)} /></li>
          ))}
        </ul>
      )}
      <textarea id="prompt" ref={box} rows={1} value={text} placeholder={t(view.busy ? (delivery === "queue" ? "page.prompt.queue" : "page.prompt.steer") : "page.prompt")}
        aria-label={t("page.prompt.label")} aria-autocomplete="list" aria-haspopup="listbox" aria-controls="suggest"
        aria-activedescendant={suggest.items.length ? `suggest-${suggest.at}` : undefined}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKey}
        onKeyUp={suggest.look} onClick={suggest.look}
        onBlur={suggest.close}
        onCompositionStart={() => (composing.current = true)}
        onCompositionEnd={() => setTimeout(() => (composing.current = false), 0)}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])].filter((it) => accepted(it.type));
          if (!pasted.length) return;
          event.preventDefault();
          addImages(pasted);
        }} />
      <div class="tools">
        <input ref={files} type="file" accept="image/png,image/jpeg,image/gif,image/webp" multiple hidden aria-label={t("page.image.add")}
          onChange={(event) => (addImages(event.currentTarget.files ?? []), (event.currentTarget.value = ""))} />
        <Button icon="image" kind="quiet" name={t("page.image.add")} onClick={() => files.current?.click()} />
        <Choices key={key} of={of} view={view} chosen={chosen} set={set} />
        <span class="grow" />
        {view.busy && (
          <Menu up end radio name={`${t("page.delivery")}: ${t(`page.delivery.${delivery}`)}`} choose={(id) => (setDelivery(id as "steer"), remember("delivery", id))}
            choices={(["steer", "queue"] as const).map((id) => ({ id, label: t(`page.delivery.${id}`), detail: t(`page.delivery.${id}.about`), chosen: id === delivery }))}>
            <span>{t(`page.delivery.${delivery}`)}</span><Icon name="down" size={12} />
          </Menu>
        )}
        {view.busy && <Button icon="stop" class="stop" name={t("page.stop")} hint={`${t("page.stop")} (Esc)`} onClick={interrupt} />}
        <button type="submit" class="btn main only send" aria-label={t("page.send")} title={t("page.send")} disabled={sending || (!text.trim() && !images.length)}><Icon name="send" /></button>
      </div>
    </form>
  );
}

function Choices({ of, view, chosen, set }: { of: Project | undefined; view: View; chosen: Record<string, string>; set(name: string, value: string): void }) {
  const [models, setModels] = useState<Model[]>([]);
  const here = of ?? project.value;
  const key = here?.key;
  useEffect(() => {
    if (key) void get<{ models: Model[] }>(at(key, "/models")).then((it) => setModels(it.models), () => undefined);
  }, [key]);
  const fresh = view.turn === 0 && view.seq === 0;
  const mode = chosen.mode ?? ((fresh && here?.mode) || view.mode);
  const approval = chosen.approval ?? ((fresh && here?.approval) || view.approval);
  const model = chosen.model ?? (view.model || here?.model || "");
  return (
    <>
      <Menu up radio class="mode" name={`${t("page.mode")}: ${t(`page.mode.${mode}`)}`} choose={(id) => set("mode", id)}
        choices={(["auto", "chat", "plan", "build"] as const).map((id) => ({ id, label: t(`page.mode.${id}`), detail: t(`mode.${id}`), chosen: id === mode }))}>
        <span>{t(`page.mode.${mode}`)}</span><Icon name="down" size={12} />
      </Menu>
      <Menu up radio class="policy" name={`${t("page.approval")}: ${t(`page.approval.${approval}`)}`} choose={(id) => set("approval", id)}
        choices={(["ask", "accept-edits", "auto"] as const).map((id) => ({ id, label: t(`page.approval.${id}`), detail: t(`page.approval.${id}.about`), chosen: id === approval }))}>
        <span>{t(`page.approval.${approval}`)}</span><Icon name="down" size={12} />
      </Menu>
      <Menu up radio class="model" name={`${t("page.model")}: ${model}`} choose={(id) => set("model", id)}
        choices={models.map((it) => ({ id: it.name, label: it.alias ?? it.name, detail: [it.alias && it.name, it.window && t("page.window_of", { n: short(it.window) }), !it.ready && t("page.model.not_ready")].filter(Boolean).join(" · "), chosen: it.name === model, disabled: !it.ready }))}>
        <span>{model.split("/").pop() || t("page.model.none")}</span><Icon name="down" size={12} />
      </Menu>
    </>
  );
}
