// A real server over a small project of its own, with a model that says what the test wants when the test wants it, and terminals
// that take part. `OX_BIN` names the program.

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test as base } from "@playwright/test";

export interface Reply { text?: string; thinking?: string; calls?: [string, Record<string, unknown>][] }

/** A model behind the wire format of chat completions; each request takes the next reply. */
class Model {
  replies: Reply[] = [];
  /** Nothing is sent after these words of a reply until `release`. */
  hold = "";
  private go = (): void => undefined;
  /** What was asked, as it came. */
  asked: string[] = [];
  private readonly server: Server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    const n = this.asked.push(Buffer.concat(parts).toString());
    const reply = this.replies.shift() ?? { text: "There is nothing left to say." };
    res.writeHead(200, { "content-type": "text/event-stream" });
    const send = (fields: Record<string, unknown>) => res.write(`data: ${JSON.stringify({ id: `c${n}`, object: "chat.completion.chunk", model: "m", choices: [], ...fields })}\n\n`);
    const piece = (delta: Record<string, unknown>, finish_reason: string | null = null) => send({ choices: [{ index: 0, delta, finish_reason }] });
    let sent = "";
    for (const [field, words] of [["reasoning_content", reply.thinking], ["content", reply.text]] as const) {
      for (const part of words?.match(/[^]{1,12}/g) ?? []) {
        if (this.hold && sent.includes(this.hold)) await new Promise<void>((done) => (this.go = done));
        piece({ [field]: part });
        sent += part;
        await new Promise((done) => setImmediate(done));
      }
    }
    reply.calls?.forEach(([name, args], index) => piece({ tool_calls: [{ index, id: `call_${n}_${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } }] }));
    piece({}, reply.calls ? "tool_calls" : "stop");
    send({ usage: { prompt_tokens: 2000, completion_tokens: 100, total_tokens: 2100 } });
    res.end("data: [DONE]\n\n");
  });

  async open(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }
  release(): void {
    this.hold = "";
    this.go();
  }
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** A terminal with a program of Ox in it. */
class Terminal {
  constructor(private readonly socket: string) {}

  tell(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.socket, "-f", "/dev/null", ...args], { encoding: "utf8", env: { ...process.env, LANG: "C.UTF-8" } });
  }
  /** Everything that was shown, lines that were wrapped joined again. */
  text(): string {
    return this.tell("capture-pane", "-p", "-J", "-S", "-", "-E", "-");
  }
  type(keys: string): void {
    this.tell("send-keys", "-l", keys);
  }
  enter(): void {
    this.tell("send-keys", "Enter");
  }
  close(): void {
    this.tell("kill-server");
  }
}

export class Ox {
  url = "";
  link = "";
  token = "";
  readonly model = new Model();
  readonly project: string;
  private readonly folder = mkdtempSync(join(tmpdir(), "ox-web-"));
  private readonly terminals: Terminal[] = [];
  private server: ChildProcess | undefined;
  private from = "";

  constructor() {
    this.project = join(this.folder, "sums");
    this.write("total.py", "def total(values):\n    return sum(values) % 100\n");
    this.write("use.py", "from total import total\n\nprint(total([60, 50]))\n");
    mkdirSync(join(this.folder, "home"));
  }

  get env(): Record<string, string> {
    return { PATH: process.env.PATH ?? "", HOME: this.folder, OX_HOME: join(this.folder, "home"), OX_LANGUAGE: "en", LANG: "C.UTF-8", TERM: "xterm-256color" };
  }
  get flags(): string[] {
    return ["--mode", "build", "--model", "openai/m", "--base-url", this.from];
  }
  async start(): Promise<this> {
    this.from = await this.model.open();
    this.server = spawn(process.env.OX_BIN ?? "ox", ["serve", "--port", "0", ...this.flags], { cwd: this.project, env: this.env, stdio: ["ignore", "pipe", "inherit"] });
    const words: string[] = [];
    for await (const line of createInterface({ input: this.server.stdout as NodeJS.ReadableStream })) {
      words.push(line.split(" ").at(-1) as string);
      if (words.length === 2) break;
    }
    [this.url, this.link] = words as [string, string];
    this.token = readFileSync(join(this.folder, "home/state/server-token"), "utf8");
    return this;
  }
  write(path: string, text: string): void {
    const at = join(this.project, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
  read(path: string): string {
    return readFileSync(join(this.project, path), "utf8");
  }
  terminal(...args: string[]): Terminal {
    const it = new Terminal(join(this.folder, `tmux${this.terminals.length}`));
    this.terminals.push(it);
    const variables = Object.entries(this.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    it.tell("new-session", "-d", "-x", "110", "-y", "40", "-c", this.project, ...variables, process.env.OX_BIN ?? "ox", ...args);
    return it;
  }
  async stop(): Promise<void> {
    for (const it of this.terminals) it.close();
    const ended = new Promise((done) => this.server?.once("exit", done));
    if (this.server?.kill()) await ended;
    this.model.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const test = base.extend<{ ox: Ox }>({
  ox: async ({}, use) => {
    const ox = await new Ox().start();
    await use(ox);
    await ox.stop();
  },
  baseURL: ({ ox }, use) => use(ox.url),
  page: async ({ page, ox }, use) => {
    await page.goto(ox.link);
    await use(page);
  },
});
