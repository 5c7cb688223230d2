// A dialog over the page: the browser's own element, so that focus stays inside and Escape closes.

import { useEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { t } from "../core/words.ts";
import { Button } from "./Button.tsx";

interface Props {
  title: string;
  close(): void;
  children: ComponentChildren;
  foot?: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, close, children, foot, wide }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    ref.current?.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog ref={ref} class={wide ? "wide" : ""} aria-label={title} onClose={close}
      onClick={(event) => event.target === ref.current && close()}>
      <div class="dialog">
        <header>
          <h2>{title}</h2>
          <Button icon="close" kind="quiet" name={t("page.close")} onClick={close} />
        </header>
        <div class="body" tabIndex={0} role="group" aria-label={title}>{children}</div>
        {foot && <footer>{foot}</footer>}
      </div>
    </dialog>
  );
}
