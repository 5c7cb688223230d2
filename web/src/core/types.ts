// What the server says, as far as the page reads it. The stream's own words (View, Frame, Delta) come from the SDK.

import type * as Wire from "@ox-agent/sdk/wire.ts";

export type {
  ApprovalPolicy as Policy, Asked, CallEntry, CheckReport, CheckResult, Delta, Entry, FileChange, Image, Level, Mode, Plan,
  PlanStep, Problem, QueuedPrompt, Rule, Spent, Stop, Summary, Todo, Usage, View,
} from "@ox-agent/sdk/wire.ts";
export type {
  Block, ChangedFile, CheckpointTurn, Completion, FolderEntry as FileEntry, Graph, Hunk, Info, Inline, Model, Project, Rendered,
  RenderItem, Row, Span, State,
} from "@ox-agent/sdk/api.ts";
export type Args = Record<string, unknown>;
/** Arguments of a call; the model may have written anything. */
export const fields = (args: unknown): Args => (typeof args === "object" && args !== null ? (args as Args) : {});
export type EntryOf<K extends Wire.Entry["entry"]> = Extract<Wire.Entry, { entry: K }>;
export type ApprovalRequest = Extract<Wire.Asked, { asks: "approval" }>;
export type QuestionRequest = Extract<Wire.Asked, { asks: "question" }>;
/** A frame of any kind, also of one that this version does not know. */
export type Frame = { v: number; conversation_id?: string; seq: number; time: number; command_id?: string; event: string } & Args;
