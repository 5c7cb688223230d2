// A run of the project's checks: each with its diagnostics and the end of its log.

import { span } from "../core/format.ts";
import { showFile } from "../core/store.ts";
import type { CheckReport, CheckResult, EntryOf } from "../core/types.ts";
import { code, t } from "../core/words.ts";
import { Icon } from "../ui/Icon.tsx";
import { Text } from "../ui/Spans.tsx";
import { Fold } from "./Fold.tsx";

export const isBad = (it: CheckResult): boolean => it.status === "failed" || it.status === "timed_out";

export function ChecksRow({ it }: { it: EntryOf<"checks"> }) {
  const name = it.baseline ? t("page.checks.baseline") : it.round ? t("page.checks.round", { round: it.round, total: it.total }) : t("page.tab.checks");
  const results = it.report?.results ?? [];
  const bad = results.filter(isBad).length;
  return (
    <Fold id={`checks${it.seq}`} icon="checks" title={name} tone={!it.report ? "running" : bad ? "bad" : "good"}
      detail={it.report && <span class="pips">{results.map((one) => <span key={one.check.name} class={`pip ${one.status}`} title={`${one.check.name}: ${code("page.check", one.status)}`} />)}</span>}
      end={
        !it.report ? <span class="spin" role="img" aria-label={t("page.running")} />
          : <span class={`tag ${bad ? "bad" : "good"}`}>{bad ? t("page.checks.failed", { count: bad }) : results.length ? t("page.checks.passed") : t("page.checks.none")}</span>
      }>
      {it.report && <Report of={it.report} />}
    </Fold>
  );
}

export const Report = ({ of }: { of: CheckReport }) => (
  <div class="report">{of.results.map((it) => <Result key={it.check.name} it={it} />)}</div>
);

function Result({ it }: { it: CheckResult }) {
  return (
    <section class={`result ${isBad(it) ? "bad" : it.status === "passed" ? "good" : ""}`}>
      <header>
        <Icon name={isBad(it) ? "close" : it.status === "passed" ? "check" : "dot"} />
        <strong>{it.check.name}</strong>
        <span class="detail">{code("page.check", it.status)}{it.tests ? ` · ${t("page.checks.tests", { passed: it.tests.passed, failed: it.tests.failed })}` : ""}</span>
        <small>{span(it.duration_ms)}</small>
      </header>
      {!!it.diagnostics?.length && (
        <ul class="diagnostics">
          {it.diagnostics.map((one, at) => (
            <li key={at}>
              <button type="button" class="link" onClick={() => showFile(one.file, one.line)}>{one.file}:{one.line}{one.column ? `:${one.column}` : ""}</button>
              <span>{one.message}{one.code && <code>{one.code}</code>}</span>
            </li>
          ))}
        </ul>
      )}
      {!!it.flaky?.length && <p class="hint">{t("page.checks.flaky", { tests: it.flaky.join(", ") })}</p>}
      {it.tail && <details open={isBad(it) && !it.diagnostics?.length}><summary>{t("page.checks.log")}</summary><Text kind="ansi" text={it.tail} label={t("page.checks.log")} /></details>}
    </section>
  );
}
