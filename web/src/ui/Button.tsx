import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "name" | "type" | "disabled"> & {
  icon?: IconName;
  kind?: "plain" | "main" | "quiet" | "danger";
  /** Said to screen readers and as a tip, where the button shows only its icon. */
  name?: string;
  hint?: string | undefined;
  disabled?: boolean | undefined;
  children?: ComponentChildren;
};

export function Button({ icon, kind = "plain", name, hint, children, class: extra, ...rest }: Props) {
  return (
    <button type="button" {...rest} class={`btn ${kind} ${children ? "" : "only"} ${extra ?? ""}`} aria-label={name} title={hint ?? name}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export const Key = ({ children }: { children: string }) => <kbd aria-hidden="true">{children}</kbd>;
