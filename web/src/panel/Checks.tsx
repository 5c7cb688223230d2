// The project's checks: how the last run of them ended, and what checks there are.

import { useEffect, useState } from "preact/hooks";
import { get, project as at } from "../core/api.ts";
import { project } from "../core/store.ts";
import type { View } from "../core/types.ts";
import { code, t } from "../core/words.ts";
import { Empty } from "../ui/bits.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Report } from "../chat/ChecksRow.tsx";

interface Known { name: string; kind: string; command: string; evidence?: string | null; lacks?: { why: string } | null }

export function Checks({ view }: { view: View }) {
  const [known, setKnown] = useState<Known[]>([]);
  const key = project.value?.key;
  useEffect(() => {
    if (key) void get<{ checks: Known[] }>(at(key, "/checks")).then((it) => setKnown(it.checks), () => undefined);
  }, [key]);
  const runs = view.entries.filter((it) => it.entry === "checks").filter((it) => it.report).filter((it, at, all) => !(it.baseline && all[at + 1]?.baseline));
  const last = runs.at(-1);
  if (!last && !known.length) return <Empty><Icon name="checks" size={24} /><p>{t("page.checks.none_found")}</p></Empty>;
  return (
    <div class="scroll checkstab" tabIndex={0} role="group" aria-label={t("page.tab.checks")}>
      {view.checks && <p class="doing"><span class="spin" />{t("page.now.checks")}</p>}
      {last?.report && (
        <section>
          <h2>{last.baseline ? t("page.checks.baseline") : last.round ? t("page.checks.round", { round: last.round, total: last.total }) : t("page.checks.last")}</h2>
          <Report of={last.report} />
        </section>
      )}
      {runs.length > 1 && (
        <section>
          <h2>{t("page.checks.history")}</h2>
          <ol class="rounds">
            {runs.map((it) => (
              <li key={it.seq}><span>{it.baseline ? t("page.checks.baseline") : it.round ? t("page.checks.round", { round: it.round, total: it.total }) : t("page.tab.checks")}</span>
                <span class="pips">{it.report?.results.map((one) => <span key={one.check.name} class={`pip ${one.status}`} title={`${one.check.name}: ${code("page.check", one.status)}`} />)}</span></li>
            ))}
          </ol>
        </section>
      )}
      {known.length > 0 && (
        <section>
          <h2>{t("page.checks.known")}</h2>
          <ul class="known">{known.map((it) => <li key={it.name}><span class="tag">{code("checks.kind", it.kind)}</span><code>{it.command}</code>{(it.lacks?.why ?? it.evidence) && <small>{it.lacks?.why ?? it.evidence}</small>}</li>)}</ul>
        </section>
      )}
    </div>
  );
}
