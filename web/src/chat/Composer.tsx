// Where one types: words, pictures, `@` for files, `/` for commands; how they are delivered; mode, model, approval.

import { useEffect, useRef, useState } from "preact/hooks";
import { conversation, get, post, project as at } from "../core/api.ts";
import { attempt, info, project, toast } from "../core/store.ts";
import { command, type Session } from "../core/session.ts";
import type { Image, Model, View } from "../core/types.ts";
import { recall, remember, t } from "../core/words.ts";
import { short } from "../core/format.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Menu } from "../ui/Menu.tsx";
import { runSlash } from "./commands.ts";
import { draft, filled, keep } from "./draft.ts";
import { accepted, readImages } from "./images.ts";
import { Suggest, useSuggest } from "./Suggest.tsx";

export function Composer({ session, view }: { session: Session; view: View }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(draft(session.id).text);
  const [images, setImages] = useState<Image[]>(draft(session.id).images);
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState(false);
  const [delivery, setDelivery] = useState<"steer" | "queue">(recall("delivery") === "queue" ? "queue" : "steer");
  const composing = useRef(false);
  const key = info.value?.project.key ?? project.value?.key ?? "";
  const suggest = useSuggest(box, text, key, (next, caret) => {
    write(next);
    requestAnimationFrame(() => box.current?.setSelectionRange(caret, caret));
  });

  const write = (next: string) => {
    setText(next);
    keep(session.id, { text: next, images });
  };
  useEffect(() => {
    const it = draft(session.id);
    setText(it.text);
    setImages(it.images);
  }, [session.id, filled.value]);
  useEffect(() => {
    const it = box.current;
    if (!it) return;
    it.style.height = "auto";
    it.style.height = `${Math.min(it.scrollHeight, innerHeight * 0.4)}px`;
  }, [text, session.id]);

  const addImages = (list: Iterable<File>) =>
    void readImages([...list]).then(
      (more) => {
        if (!more.length) return;
        const all = [...images, ...more];
        setImages(all);
        keep(session.id, { text, images: all });
      },
      (why) => toast(String((why as Error).message), true),
    );
  const drop = (index: number) => {
    const all = images.filter((_, n) => n !== index);
    setImages(all);
    keep(session.id, { text, images: all });
  };

  const send = async () => {
    const words = text.trim();
    if ((!words && !images.length) || sending) return;
    if (words.startsWith("/") && !images.length && runSlash(words, session)) return write("");
    setSending(true);
    const ok = await attempt(
      words.startsWith("!") && !view.busy
        ? command(session.id, { command: "run_command", line: words.slice(1).trim() })
        : post(conversation(session.id, "/prompts"), { text: words, images, delivery }, { "Idempotency-Key": crypto.randomUUID() }),
    );
    setSending(false);
    if (!ok) return;
    setImages([]);
    setText("");
    keep(session.id, { text: "", images: [] });
    box.current?.focus();
  };
  const interrupt = () => void attempt(post(conversation(session.id, "/interrupt")));

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
        <Choices session={session} view={view} />
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

function Choices({ session, view }: { session: Session; view: View }) {
  const [models, setModels] = useState<Model[]>([]);
  const key = info.value?.project.key ?? project.value?.key;
  useEffect(() => {
    if (key) void get<{ models: Model[] }>(at(key, "/models")).then((it) => setModels(it.models), () => undefined);
  }, [key]);
  const set = (fields: { command: string } & Record<string, unknown>) => void attempt(command(session.id, fields));
  const fresh = view.turn === 0;
  const mode = fresh && view.seq === 0 ? (project.value?.mode ?? view.mode) : view.mode;
  const approval = fresh && view.seq === 0 ? (project.value?.approval ?? view.approval) : view.approval;
  const model = view.model || project.value?.model || "";
  return (
    <>
      <Menu up radio class="mode" name={`${t("page.mode")}: ${t(`page.mode.${mode}`)}`} choose={(id) => set({ command: "set_mode", mode: id })}
        choices={(["auto", "chat", "plan", "build"] as const).map((id) => ({ id, label: t(`page.mode.${id}`), detail: t(`mode.${id}`), chosen: id === mode }))}>
        <span>{t(`page.mode.${mode}`)}</span><Icon name="down" size={12} />
      </Menu>
      <Menu up radio class="policy" name={`${t("page.approval")}: ${t(`page.approval.${approval}`)}`} choose={(id) => set({ command: "set_approval", policy: id })}
        choices={(["ask", "accept-edits", "auto"] as const).map((id) => ({ id, label: t(`page.approval.${id}`), detail: t(`page.approval.${id}.about`), chosen: id === approval }))}>
        <span>{t(`page.approval.${approval}`)}</span><Icon name="down" size={12} />
      </Menu>
      <Menu up radio class="model" name={`${t("page.model")}: ${model}`} choose={(id) => set({ command: "set_model", model: id })}
        choices={models.map((it) => ({ id: it.name, label: it.alias ?? it.name, detail: [it.alias && it.name, it.window && t("page.window_of", { n: short(it.window) }), !it.ready && t("page.model.not_ready")].filter(Boolean).join(" · "), chosen: it.name === model, disabled: !it.ready }))}>
        <span>{model.split("/").pop() || t("page.model.none")}</span><Icon name="down" size={12} />
      </Menu>
    </>
  );
}
