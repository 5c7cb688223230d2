// A finished run played again: its frames folded up to a point, with a scrubber and a speed.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { conversation, get } from "../core/api.ts";
import { apply, emptyView } from "../core/fold.ts";
import { clock, span } from "../core/format.ts";
import { attempt, conversations, go } from "../core/store.ts";
import type { Frame, View } from "../core/types.ts";
import { code, t } from "../core/words.ts";
import { Empty } from "../ui/bits.tsx";
import { Button } from "../ui/Button.tsx";
import { Transcript } from "../chat/Transcript.tsx";
import { StageBar } from "../chat/StageBar.tsx";

const SPEEDS = [1, 2, 4, 8, 16];
/** Nobody wants to watch somebody wait. */
const LONGEST_PAUSE = 2500;

export function Playback({ id }: { id: string }) {
  const [frames, setFrames] = useState<Frame[] | null>(null);
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(4);
  const folded = useRef<{ view: View; upTo: number }>({ view: emptyView(), upTo: 0 });
  useEffect(() => {
    void attempt(get<{ frames: Frame[] }>(conversation(id, "/frames?after=0")).then((it) => (setFrames(it.frames), setAt(it.frames.length))));
  }, [id]);

  const view = useMemo(() => {
    if (!frames) return emptyView();
    if (folded.current.upTo > at) folded.current = { view: emptyView(), upTo: 0 };
    for (; folded.current.upTo < at; folded.current.upTo++) apply(folded.current.view, frames[folded.current.upTo] as Frame);
    return { ...folded.current.view };
  }, [frames, at]);

  useEffect(() => {
    if (!playing || !frames) return;
    if (at >= frames.length) return setPlaying(false);
    const pause = at > 0 ? Math.min(LONGEST_PAUSE, (frames[at]?.time ?? 0) - (frames[at - 1]?.time ?? 0)) : 0;
    const timer = setTimeout(() => setAt(at + 1), Math.max(16, pause / speed));
    return () => clearTimeout(timer);
  }, [playing, at, speed, frames]);

  if (!frames) return <main class="talk"><Empty><span class="spin" /></Empty></main>;
  const now = frames[at - 1];
  const marks = frames.flatMap((it, n) => (it.event === "turn_start" || it.event === "checks_start" || it.event === "completion" ? [{ n, event: it.event }] : []));
  const title = conversations.value.find((it) => it.id === id)?.title ?? id;
  const toggle = () => {
    if (at >= frames.length) setAt(0);
    setPlaying(!playing);
  };
  return (
    <main class="talk playback" data-seq={view.seq}>
      <header class="talkhead">
        <Button icon="right" class="flip" kind="quiet" name={t("page.back")} onClick={() => go({ at: "talk", id })} />
        <div class="titles"><h1><span>{title}</span></h1><p>{t("page.play")}</p></div>
      </header>
      <StageBar view={view} past />
      <Transcript view={view} label={t("page.transcript")} />
      <div class="player" role="group" aria-label={t("page.play")}>
        <Button kind="main" icon={playing ? "pause" : "play"} name={t(playing ? "page.play.pause" : "page.play.start")} onClick={toggle} />
        <div class="scrub">
          <svg viewBox={`0 0 ${Math.max(1, frames.length)} 4`} preserveAspectRatio="none" aria-hidden="true">{marks.map((it) => <rect key={it.n} class={it.event} x={it.n} width={Math.max(1, frames.length / 300)} height="4" />)}</svg>
          <input type="range" min={0} max={frames.length} value={at} aria-label={t("page.play.position")} aria-valuetext={t("page.play.at", { n: at, m: frames.length })}
            onInput={(event) => (setPlaying(false), setAt(Number(event.currentTarget.value)))} />
        </div>
        <span class="where">{at}/{frames.length}{now && <small>{clock(now.time)} · {span(now.time - (frames[0]?.time ?? now.time))}</small>}</span>
        <label class="speed"><span class="sr">{t("page.play.speed")}</span>
          <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>{SPEEDS.map((it) => <option key={it} value={it}>{it}×</option>)}</select>
        </label>
      </div>
      <p class="sr" aria-live="polite">{!playing && now ? code("page.event", now.event) : ""}</p>
    </main>
  );
}
