// The files around the change: who imports whom, and which tests reach them.

import { useEffect, useMemo, useState } from "preact/hooks";
import { get, project as at, query } from "../core/api.ts";
import { attempt, project, showFile } from "../core/store.ts";
import type { Graph, View } from "../core/types.ts";
import { t } from "../core/words.ts";
import { Empty } from "../ui/bits.tsx";
import { Icon } from "../ui/Icon.tsx";
import { layout } from "./layout.ts";

export function GraphTab({ view }: { view: View }) {
  const [graph, setGraph] = useState<Graph | null>(null);
  const [over, setOver] = useState("");
  const key = project.value?.key;
  const paths = [...new Set(view.changes.map((it) => it.path))].slice(0, 40);
  const asked = paths.join("\n");
  useEffect(() => {
    if (!key || !paths.length) return setGraph({ nodes: [], edges: [], cut: false });
    void attempt(get<Graph>(at(key, `/graph${query({ path: paths })}`)).then(setGraph));
  }, [key, asked]);
  const picture = useMemo(() => (graph ? layout(graph) : null), [graph]);
  if (!picture) return <Empty><span class="spin" /></Empty>;
  if (!picture.boxes.length) return <Empty><Icon name="branch" size={24} /><p>{t("page.graph.none")}</p></Empty>;
  const near = (path: string) => !over || path === over || picture.arrows.some((it) => (it.from === over && it.to === path) || (it.to === over && it.from === path));
  return (
    <div class="graph">
      <ul class="legend" aria-hidden="true">
        <li class="changed">{t("page.graph.changed")}</li><li class="test">{t("page.graph.test")}</li><li>{t("page.graph.other")}</li>
      </ul>
      <div class="scroll" tabIndex={0} role="group" aria-label={t("page.tab.graph")}>
        <svg style={{ width: `${picture.width}px`, maxWidth: "100%", minWidth: `${picture.width * 0.8}px` }} viewBox={`0 0 ${picture.width} ${picture.height}`} aria-label={t("page.graph.label", { count: picture.boxes.length })} role="group">
          <defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L6 3L0 6z" /></marker></defs>
          {picture.arrows.map((it) => <path key={`${it.from}>${it.to}`} class={`arrow ${it.kind} ${over && it.from !== over && it.to !== over ? "far" : ""}`} d={it.path} fill="none" marker-end="url(#tip)" />)}
          {picture.boxes.map((it) => (
            <g key={it.path} class={`box ${it.changed ? "changed" : ""} ${it.test ? "test" : ""} ${near(it.path) ? "" : "far"}`} transform={`translate(${it.x} ${it.y})`}
              role="button" tabIndex={0} aria-label={it.path} onMouseEnter={() => setOver(it.path)} onMouseLeave={() => setOver("")} onFocus={() => setOver(it.path)} onBlur={() => setOver("")}
              onClick={() => showFile(it.path)} onKeyDown={(event) => event.key === "Enter" && showFile(it.path)}>
              <title>{it.path}</title><rect width={it.width} height={26} rx={6} /><text x={12} y={17}>{it.label}</text>
            </g>
          ))}
        </svg>
        {graph?.cut && <p class="hint">{t("page.graph.cut")}</p>}
      </div>
    </div>
  );
}
