/** What the routes of the server answer, beside the types of the event stream. */

import type { ApprovalPolicy, Check, CheckpointReason, Delivery, FileChange, Image, Mode, Over, Stop } from "./wire.js";

/** A piece of text of one kind. */
export interface Span { text: string; class?: string; changed?: boolean }

/** One line of a hunk. */
export interface Row { kind: "same" | "added" | "removed" | "note"; old: number | null; new: number | null; spans: Span[] }

/** Lines of a file that change together. */
export interface Hunk {
  /** Under this id it is accepted or rejected; absent where nothing is to be decided. */
  id?: string;
  state?: "pending" | "accepted" | "changed_since";
  rows: Row[];
}

/** A project that the server works in; `key` names it in routes. */
export interface Project {
  key: string;
  root: string;
  name: string;
  branch: string | null;
  /** Files with changes that are not committed. */
  dirty: number;
  trusted: "trusted" | "untrusted" | "nothing";
  model: string | null;
  mode: Mode;
  approval: ApprovalPolicy;
}

/** How a conversation stands; `waiting` is for the user. */
export type State = "working" | "waiting" | "idle" | "failed";

/** A conversation in a list; times are ms since 1970, money is in millionths of a US dollar. */
export interface Info {
  id: string;
  project: { key: string; root: string; name: string };
  title: string;
  name: string | null;
  prompt: string;
  /** Empty where none was checked out. */
  branch: string;
  created: number;
  updated: number;
  turns: number;
  cost: number | null;
  tokens: number;
  stop: Stop | null;
  state: State;
  /** This server works on it. */
  here: boolean;
  /** Another process does. */
  elsewhere: boolean;
}

/** A command was admitted; its effect comes as events that name `command_id`. */
export interface Accepted { command_id: string; conversation: string; seq: number }

/** A file that was changed, why, and how. */
export interface ChangedFile { change: FileChange; why?: string[]; hunks: Hunk[] }

/** What undoing would do. */
export interface UndoPreview { possible: boolean; changes: FileChange[]; lost: FileChange[]; head_moved: boolean }

/** A recorded state of a project's files. */
export interface Checkpoint { id: string; time: number; reason: CheckpointReason; why: string; files: number }

/** The states of one turn. */
export interface CheckpointTurn {
  turn: number | null;
  conversation: string | null;
  title: string;
  time: number;
  states: Checkpoint[];
}

/** A part of running text. */
export type Inline =
  | { inline: "text"; text: string; bold?: boolean; italic?: boolean; strike?: boolean }
  | { inline: "code"; text: string }
  | { inline: "link"; href?: string; path?: string; line?: number; inlines: Inline[] }
  | { inline: "break" };

/** A block of a document; one that is part of no other says where it begins in the source, in UTF-8 bytes. */
export type Block = { start_byte?: number } & (
  | { block: "paragraph"; inlines: Inline[] }
  | { block: "heading"; level: number; inlines: Inline[] }
  | { block: "code"; language: string; lines: Span[][] }
  | { block: "list"; start: number | null; items: { checked: boolean | null; blocks: Block[] }[] }
  | { block: "quote"; blocks: Block[] }
  | { block: "table"; align: string[]; head: Inline[][]; rows: Inline[][][] }
  | { block: "rule" }
);

/** What `POST /api/render` is asked for. */
export type RenderItem =
  | { kind: "markdown"; text: string }
  | { kind: "code"; text: string; path?: string; language?: string }
  | { kind: "diff"; diff: string; path?: string }
  | { kind: "call"; tool?: string; args: Record<string, unknown> }
  | { kind: "event"; event: unknown }
  | { kind: "ansi"; text: string };

/** What it answers; which fields are there depends on the kind. */
export interface Rendered {
  kind: string;
  blocks?: Block[];
  lines?: Span[][];
  hunks?: Hunk[];
  added?: number;
  removed?: number;
  title?: string;
  text?: string;
}

/** An entry of a folder. */
export interface FolderEntry { name: string; path: string; kind: "file" | "folder"; size: number | null; changed: boolean }

/** A file with its lines highlighted. */
export interface FileText {
  path: string;
  size: number;
  text: string | null;
  lines: Span[][] | null;
  image: string | null;
  too_large: boolean;
}

export interface Completion { kind: "file" | "folder" | "symbol"; insert: string; shown: string; detail: string }
export interface Hit { path: string; from: number; to: number; score: number; symbol: string | null; lines: Span[][] }
export interface Graph {
  nodes: { path: string; changed: boolean; test: boolean; distance: number }[];
  edges: { from: string; to: string; kind: "imports" | "tests" }[];
  /** True where there is more than is shown. */
  cut: boolean;
}
export interface ContextSections {
  sections: { name: string; purpose: string; tokens: number; text: string }[];
  total: number;
  window: number;
  model: string;
}
export type ProjectCheck = Check;
export interface Setting { key: string; value: string | null; origins: string[]; text: string }
export interface Model {
  name: string;
  alias: string | null;
  window: number | null;
  input_price: number | null;
  output_price: number | null;
  ready: boolean;
}
export interface MemoryTurn { id: string; conversation: string; time: number; prompt: string; summary: string; files: string[] }

/** How a conversation begins. */
export interface CreateOptions { project: string; name?: string; model?: string; mode?: Mode; approval?: ApprovalPolicy }

/** What comes with a prompt. */
export interface PromptOptions {
  images?: Image[];
  mode?: Mode;
  /** While a turn runs: `steer` it, or wait in the `queue`. */
  delivery?: Delivery;
  /** The same key again answers the same and nothing runs twice; made up by default. */
  key?: string;
}

/** What becomes of files that somebody changed since. */
export interface UndoOptions { over?: Over }
