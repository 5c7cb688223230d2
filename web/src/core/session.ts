// One conversation as this page follows it: the view folded from frames, and the text that streams.

import { signal } from "@preact/signals";
import { conversation, get, post } from "./api.ts";
import { apply, emptyView } from "./fold.ts";
import type { Delta, Frame, View } from "./types.ts";

/** Text that grows. Its pieces say where they begin in bytes, so that a piece that comes twice is taken once. */
export class Growing {
  text = "";
  private bytes = 0;

  take(offset: number, piece: string): void {
    const raw = new TextEncoder().encode(piece);
    if (offset === 0 && raw.length >= this.bytes) {
      this.text = piece;
      this.bytes = raw.length;
    } else if (offset <= this.bytes && offset + raw.length > this.bytes) {
      this.text += new TextDecoder().decode(raw.subarray(this.bytes - offset));
      this.bytes = offset + raw.length;
    } else if (offset > this.bytes) {
      this.text += piece;
      this.bytes = offset + raw.length;
    }
  }
}

export interface Message {
  id: string;
  text: Growing;
  thinking: Growing;
}

export class Session {
  private raw: View = emptyView();
  /** A copy of the view with every change: what is the same object is drawn no second time. */
  private shown: View = this.raw;
  /** Sub-agents by their conversation, running and ended. */
  readonly agents = new Map<string, View>();
  /** What streams now, by conversation. */
  readonly messages = new Map<string, Message>();
  /** What running commands print, by call. */
  readonly outputs = new Map<string, Growing>();
  readonly loaded = signal(false);
  private readonly tick = signal(0);
  private readonly seen = new Map<string, number>();
  private asked = false;

  constructor(readonly id: string) {}

  /** The view as of the last frame of the screen; a component that reads it follows it. */
  get view(): View {
    void this.tick.value;
    return this.shown;
  }

  get live(): Message | undefined {
    void this.tick.value;
    return this.messages.get(this.id);
  }

  get seq(): number {
    return this.raw.seq;
  }

  frame(frame: Frame): void {
    const of = frame.conversation_id || this.id;
    if (frame.seq <= (this.seen.get(of) ?? 0)) return;
    this.seen.set(of, frame.seq);
    apply(this.raw, frame);
    if (of !== this.id) {
      const agent = this.agents.get(of) ?? emptyView();
      this.agents.set(of, agent);
      apply(agent, frame);
    }
    if (frame.event === "stream_complete" || frame.event === "completion" || frame.event === "model_failed") this.messages.delete(of);
    if (frame.event === "tool_complete" || frame.event === "lost") this.outputs.delete(String(frame.call));
    this.changed();
  }

  delta(delta: Delta): void {
    if (delta.event === "tool_output") {
      const call = delta.call ?? "";
      const output = this.outputs.get(call) ?? new Growing();
      this.outputs.set(call, output);
      output.take(delta.offset, delta.delta);
      if (output.text.length > 200_000) output.text = output.text.slice(-100_000);
    } else {
      const of = delta.conversation_id || this.id;
      let message = this.messages.get(of);
      if (message?.id !== delta.message_id) message = { id: delta.message_id, text: new Growing(), thinking: new Growing() };
      this.messages.set(of, message);
      (delta.event === "thinking" ? message.thinking : message.text).take(delta.offset, delta.delta);
    }
    this.changed();
  }

  snapshot(view: View): void {
    this.raw = view;
    this.seen.set(this.id, view.seq);
    this.messages.delete(this.id);
    this.changed();
  }

  /** What a sub-agent did that ended before this page came. */
  async fetchAgent(id: string): Promise<void> {
    if (this.agents.has(id)) return;
    const { frames } = await get<{ frames: Frame[] }>(conversation(id, "/frames"));
    const view = emptyView();
    frames.forEach((it) => apply(view, it));
    this.agents.set(id, view);
    this.changed();
  }

  /** Shows what is new with the next frame of the screen. */
  private changed(): void {
    if (this.asked) return;
    this.asked = true;
    const show = () => {
      this.asked = false;
      this.shown = { ...this.raw };
      this.loaded.value = true;
      this.tick.value++;
    };
    if (document.hidden) setTimeout(show, 100);
    else requestAnimationFrame(show);
  }
}

export const command = (id: string, what: { command: string } & Record<string, unknown>): Promise<unknown> =>
  post(conversation(id, "/commands"), what);
