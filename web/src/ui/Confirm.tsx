// A question before something that cannot simply be taken back.

import type { ComponentChildren } from "preact";
import { t } from "../core/words.ts";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

interface Props {
  title: string;
  yes: string;
  danger?: boolean;
  confirm(): void;
  close(): void;
  more?: ComponentChildren;
  children: ComponentChildren;
}

export const Confirm = ({ title, yes, danger, confirm, close, more, children }: Props) => (
  <Dialog title={title} close={close}
    foot={
      <>
        <Button kind="quiet" onClick={close}>{t("page.cancel")}</Button>
        {more}
        <Button kind={danger ? "danger" : "main"} onClick={confirm}>{yes}</Button>
      </>
    }>
    {children}
  </Dialog>
);
