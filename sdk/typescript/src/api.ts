/** What the routes of the server answer, beside the types of the event stream. */

import type { ApprovalPolicy, Delivery, FileChange, Image, Mode, Over, Stop } from "./wire.js";

/** A piece of text of one kind. */
export interface Span { text: string; class?: string; changed?: boolean }

/** One line of a hunk. */
export interface Row { kind: "same" | "added" | "removed"; old: number | null; new: number | null; spans: Span[] }

/** Lines of a file that change together. */
export interface Hunk {
  /** Under this id it is accepted or rejected. */
  id?: string;
  state?: "pending" | "accepted" | "changed_since";
  heading: string;
  rows: Row[];
}

/** A project that the server works in; `key` names it in routes. */
export interface Project {
  key: string;
  root: string;
  name: string;
  branch: string | null;
  dirty: boolean;
  trusted: "trusted" | "untrusted" | "nothing";
  model: string;
  mode: Mode;
  approval: ApprovalPolicy;
}

/** A conversation in a list; times are ms since 1970, money is in millionths of a US dollar. */
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
  state: "working" | "waiting" | "idle" | "failed";
  /** This server works on it. */
  here: boolean;
  /** Another process does. */
  elsewhere: boolean;
}

/** A command was admitted; its effect comes as events that name `command_id`. */
export interface Accepted { command_id: string; conversation: string; seq: number }

/** A file that was changed, why, and how. */
export interface ChangedFile { change: FileChange; why?: unknown[]; hunks: Hunk[] }

/** What undoing would do. */
export interface UndoPreview { possible: boolean; changes: FileChange[]; lost: FileChange[]; head_moved: boolean }

/** A recorded state of a project's files. */
export interface Checkpoint { id: string; time: number; reason: string; files: number }

/** The states of one turn. */
export interface CheckpointTurn {
  turn: number | null;
  conversation: string | null;
  title: string;
  time: number;
  states: Checkpoint[];
}

/** What `POST /api/render` is asked for and answers; see the server's OpenAPI document. */
export interface RenderItem { kind: "markdown" | "code" | "diff" | "call" | "event" | "ansi"; [field: string]: unknown }
export interface Rendered { kind: RenderItem["kind"]; [field: string]: unknown }

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
  nodes: { path: string; changed: boolean; test: boolean }[];
  edges: { from: string; to: string; kind: "imports" | "tests" }[];
}
export interface ContextSections {
  sections: { name: string; tokens: number; budget: number; items: unknown }[];
  total: number;
  window: number;
}
export interface ProjectCheck { id: string; kind: string; command: string; why: string | null }
export interface Setting { key: string; value: unknown; origin: string; text: string }
export interface Model {
  name: string;
  alias: string | null;
  window: number;
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
