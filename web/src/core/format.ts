// Numbers and times, short, in the reader's language.

import { language, t } from "./words.ts";

const locale = () => (language.value === "zh" ? "zh-CN" : "en-GB");

/** 940, 12.3k, 1.2M. */
export function short(count: number): string {
  const [value, unit] = count >= 999_500 ? [count / 1e6, "M"] : count >= 1000 ? [count / 1000, "k"] : [count, ""];
  return `${unit && value < 99.5 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`;
}

/** Money comes in millionths of a US dollar. */
export function money(millionths: number): string {
  const dollars = millionths / 1e6;
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 3 : 4;
  return `$${dollars.toFixed(digits)}`;
}

export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(count: number): string {
  return count < 1024 ? `${count} B` : count < 1024 * 1024 ? `${(count / 1024).toFixed(1)} KB` : `${(count / 1024 / 1024).toFixed(1)} MB`;
}

export const clock = (time: number): string =>
  new Date(time).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" });

/** "now", "5 min", "3 h", then the date. */
export function ago(time: number, now = Date.now()): string {
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return t("page.time.now");
  if (minutes < 60) return t("page.time.minutes", { n: minutes });
  if (minutes < 24 * 60) return t("page.time.hours", { n: Math.floor(minutes / 60) });
  return new Date(time).toLocaleDateString(locale(), { month: "short", day: "numeric" });
}

/** "63 %", and "<1 %" for what is little but there. */
export const share = (part: number, whole: number): string => (part > 0 && part * 200 < whole ? "<1 %" : `${percent(part, whole)} %`);

export const percent = (part: number, whole: number): number => (whole > 0 ? Math.round((part / whole) * 100) : 0);
