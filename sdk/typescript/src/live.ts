/**
 * Text that streams, as far as it has come: of a reply, of its reasoning, of a command's output.
 *
 * It is shown and never stored: the event that ends a stream carries the whole text, so what streamed is dropped then.
 */

import type { Delta, DeltaKind, Frame } from "./wire.js";

/** How much of a command's output is kept, in characters. */
const OUTPUT = 64 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One stream of text. */
export interface LiveText {
  /** The conversation; a sub-agent's own where it is one. */
  conversation: string;
  /** What streams. */
  kind: DeltaKind;
  /** The message it belongs to; empty for a command's output. */
  message: string;
  /** The call whose output or arguments stream; empty for a message. */
  call: string;
  /** The text so far; of a long output its end. */
  text: string;
  /** Where the text begins in the stream, in bytes. */
  start: number;
  /** Where it ends, in bytes. */
  end: number;
}

/** All text that streams in a conversation and its sub-agents. */
export class Live {
  private readonly streams = new Map<string, LiveText>();

  /** Takes in a piece. One with offset 0 begins anew; what is there already is not taken twice. */
  take(delta: Delta): void {
    const { conversation_id: conversation = "", event: kind, message_id: message, offset } = delta;
    const call = delta.call ?? "";
    const key = [conversation, kind, message, call].join("\n");
    const size = byteLength(delta.delta);
    const known = this.streams.get(key);
    if (!known || offset === 0 || offset < known.start || offset > known.end) {
      const begun = { conversation, kind, message, call, text: delta.delta, start: offset, end: offset + size };
      this.streams.set(key, begun);
      return;
    }
    if (offset + size <= known.end) return;
    const have = known.end - offset;
    known.text += have === 0 ? delta.delta : decoder.decode(encoder.encode(delta.delta).subarray(have));
    known.end = offset + size;
    if (kind === "tool_output" && known.text.length > 2 * OUTPUT) keepEnd(known);
  }

  /** Drops what a frame stands in for. */
  settle(frame: Frame): void {
    const conversation = frame.conversation_id ?? "";
    const here = (it: LiveText) => it.conversation === conversation || it.conversation === "";
    switch (frame.event) {
      case "stream_complete":
      case "model_failed":
      case "stopped":
        return this.drop((it) => here(it) && it.kind !== "tool_output");
      case "tool_complete":
        return this.drop((it) => here(it) && it.call === frame.call);
      case "user_command":
        return this.drop((it) => here(it) && it.call === "user_command");
      case "agent_end":
        return this.drop((it) => isWithin(it.conversation, frame.agent));
      case "completion":
        return this.drop((it) => here(it) || isWithin(it.conversation, conversation));
    }
  }

  /** The text so far of a reply. */
  reply(message: string): string {
    return this.find((it) => it.kind === "stream_delta" && it.message === message && it.call === "");
  }

  /** The reasoning so far of a reply. */
  thinking(message: string): string {
    return this.find((it) => it.kind === "thinking" && it.message === message);
  }

  /** The output so far of a call. */
  output(call: string): string {
    return this.find((it) => it.kind === "tool_output" && it.call === call);
  }

  /** Everything that streams, in the order in which it began. */
  all(): LiveText[] {
    return [...this.streams.values()];
  }

  /** Drops everything. */
  clear(): void {
    this.streams.clear();
  }

  private find(is: (it: LiveText) => boolean): string {
    for (const it of this.streams.values()) if (is(it)) return it.text;
    return "";
  }

  private drop(is: (it: LiveText) => boolean): void {
    for (const [key, it] of this.streams) if (is(it)) this.streams.delete(key);
  }
}

const isWithin = (conversation: string, above: string): boolean =>
  above !== "" && (conversation === above || conversation.startsWith(`${above}.`));

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

function keepEnd(it: LiveText): void {
  let cut = it.text.length - OUTPUT;
  const first = it.text.charCodeAt(cut);
  if (first >= 0xdc00 && first <= 0xdfff) cut += 1;
  it.start += byteLength(it.text.slice(0, cut));
  it.text = it.text.slice(cut);
}
