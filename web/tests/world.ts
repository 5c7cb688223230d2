// What the tests ask of the world: prompts that the scripted model answers, and conversations that are there.

import { createServer, request, type Server } from "node:http";
import type { Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, type Locator, type Page } from "@playwright/test";

/** A task that edits files and asks before it does; and one in which the agent asks a question. */
export const TASK = process.env.OX_TASK ?? "The total wraps around. Fix it.";
export const ASKING = process.env.OX_ASKING_TASK ?? "The total wraps around. Fix it, and ask me first.";
/** A finished run, and one of 10,000 events that changed 20,000 lines. */
export const DONE = process.env.OX_DONE ?? "20261126-done";
export const LONG = process.env.OX_LONG ?? "20261124-long";

export const talk = (page: Page): Locator => page.locator(".talk");
export const prompt = (page: Page): Locator => page.locator("#prompt");
export const seq = async (page: Page): Promise<number> => Number(await talk(page).getAttribute("data-seq"));

/** A new conversation, opened. */
export async function begin(page: Page, fields: { approval?: string; mode?: string } = {}, at = "/"): Promise<string> {
  await page.goto(at);
  await expect(page.locator(".app")).toBeVisible();
  const id = await page.evaluate(async (more) => {
    const [project] = await (await fetch("/api/projects")).json();
    const made = await fetch("/api/conversations", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ project: project.key, ...more }) });
    const it = await made.json();
    location.hash = `#/c/${it.id}`;
    return it.id as string;
  }, fields);
  await expect(page.locator(`.talk[data-conversation="${id}"]`)).toBeVisible();
  return id;
}

export async function send(page: Page, text: string): Promise<void> {
  await prompt(page).fill(text);
  await prompt(page).press("Enter");
  await expect(prompt(page)).toHaveValue("");
}

export async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/#/c/${id}`);
  await expect.poll(() => seq(page)).toBeGreaterThan(0);
}

export const settled = (page: Page): Promise<void> => expect(talk(page)).toHaveAttribute("data-busy", "false");

/** Waits until so many events are shown. */
export const reached = (page: Page, least: number): Promise<void> => expect.poll(() => seq(page)).toBeGreaterThanOrEqual(least);

/** Pastes a picture of 32 × 32 into the composer. */
export async function pasteImage(page: Page): Promise<void> {
  await prompt(page).focus();
  await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 32, height: 32 });
    canvas.getContext("2d")?.fillRect(4, 4, 20, 20);
    const blob = await new Promise<Blob>((done) => canvas.toBlob((it) => done(it as Blob), "image/png"));
    const data = new DataTransfer();
    data.items.add(new File([blob], "shot.png", { type: "image/png" }));
    document.getElementById("prompt")?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
}

/** What one sees of the conversation's end, without the moments at which it happened. */
export async function seen(page: Page): Promise<string[]> {
  return page.locator(".entries .vrow").evaluateAll((rows) =>
    rows.map((row) => {
      const copy = row.cloneNode(true) as HTMLElement;
      copy.querySelectorAll("time").forEach((it) => it.remove());
      return (copy.textContent ?? "").replace(/\s+/g, " ").trim();
    }),
  );
}

/** Stands between page and server, so that a test can cut what streams. */
export async function between(target: string): Promise<{ url: string; cut(): number; close(): void }> {
  const to = new URL(target);
  const streams = new Set<Socket>();
  const server: Server = createServer((req, res) => {
    const headers = { ...req.headers, host: to.host };
    if (headers.origin) headers.origin = to.origin;
    const onward = request({ host: to.hostname, port: to.port, path: req.url, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      if (String(answer.headers["content-type"]).startsWith("text/event-stream")) streams.add(req.socket);
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy());
    res.on("close", () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      const count = streams.size;
      streams.forEach((it) => it.destroy());
      streams.clear();
      return count;
    },
    close: () => server.closeAllConnections(),
  };
}
