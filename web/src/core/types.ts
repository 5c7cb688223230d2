// What the server says, as far as the page reads it. The stream's own words (View, Frame, Delta) come from the SDK.

import type * as Wire from "@ox-agent/sdk/wire.ts";

export type {
  ApprovalPolicy as Policy, Asked, CallEntry, CheckReport, CheckResult, Delta, Entry, FileChange, Image, Level, Mode, Plan,
  PlanStep, Problem, QueuedPrompt, Rule, Spent, Stop, Summary, Todo, Usage, View,
} from "@ox-agent/sdk/wire.ts";
type Mode = Wire.Mode;
type Policy = Wire.ApprovalPolicy;
type Stop = Wire.Stop;
type FileChange = Wire.FileChange;
export type Args = Record<string, unknown>;
/** Arguments of a call; the model may have written anything. */
export const fields = (args: unknown): Args => (typeof args === "object" && args !== null ? (args as Args) : {});
export type EntryOf<K extends Wire.Entry["entry"]> = Extract<Wire.Entry, { entry: K }>;
export type ApprovalRequest = Extract<Wire.Asked, { asks: "approval" }>;
export type QuestionRequest = Extract<Wire.Asked, { asks: "question" }>;
/** A frame of any kind, also of one that this version does not know. */
export type Frame = { v: number; conversation_id?: string; seq: number; time: number; command_id?: string; event: string } & Args;

export interface Project {
  key: string;
  root: string;
  name: string;
  branch: string | null;
  dirty: number;
  trusted: string;
  model: string | null;
  mode: Mode;
  approval: Policy;
}
export type State = "working" | "waiting" | "idle" | "failed";
export interface Info {
  id: string;
  project: { key: string; root: string; name: string };
  title: string;
  name: string | null;
  prompt: string;
  branch: string | null;
  created: number;
  updated: number;
  turns: number;
  cost: number | null;
  tokens: number;
  stop: Stop | null;
  state: State;
  here: boolean;
  elsewhere: boolean;
}
export interface Span { text: string; class?: string; changed?: boolean }
export type Inline =
  | { inline: "text"; text: string; bold?: boolean; italic?: boolean; strike?: boolean }
  | { inline: "code"; text: string }
  | { inline: "link"; href?: string; path?: string; line?: number; inlines: Inline[] }
  | { inline: "break" };
export type Block = { start_byte?: number } & (
  | { block: "paragraph"; inlines: Inline[] }
  | { block: "heading"; level: number; inlines: Inline[] }
  | { block: "code"; language?: string | null; lines: Span[][] }
  | { block: "list"; start: number | null; items: { checked: boolean | null; blocks: Block[] }[] }
  | { block: "quote"; blocks: Block[] }
  | { block: "table"; align: string[]; head: Inline[][]; rows: Inline[][][] }
  | { block: "rule" }
);
export interface Row { kind: "same" | "added" | "removed"; old: number | null; new: number | null; spans: Span[] }
export interface Hunk { id?: string; state?: "pending" | "accepted" | "rejected" | "changed_since"; heading?: string; rows: Row[] }
export interface ChangedFile { change: FileChange; why?: string[]; hunks: Hunk[] }
export type RenderItem =
  | { kind: "markdown"; text: string }
  | { kind: "code"; text: string; path?: string; language?: string }
  | { kind: "diff"; diff: string; path: string }
  | { kind: "call"; tool: string; args: Args }
  | { kind: "event"; event: unknown }
  | { kind: "ansi"; text: string };
export interface Rendered { kind: string; blocks?: Block[]; lines?: Span[][]; hunks?: Hunk[]; title?: string; text?: string }
export interface Model { name: string; alias: string | null; window: number | null; ready: boolean; input_price?: number | null; output_price?: number | null }
export interface FileEntry { name: string; path: string; kind: "file" | "folder"; size: number | null; changed: boolean }
export interface Completion { kind: "file" | "folder" | "symbol"; insert: string; shown: string; detail: string }
export interface CheckpointTurn {
  turn: number | null;
  conversation: string | null;
  title: string;
  time: number;
  states: { id: string; time: number; reason: string; files: number }[];
}
export interface Graph {
  nodes: { path: string; changed: boolean; test: boolean }[];
  edges: { from: string; to: string; kind: "imports" | "tests" }[];
}
