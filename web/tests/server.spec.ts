// The page over the real server, whose scripted model reads a file, edits it and sums up, then answers in Markdown.

import { expect, test } from "@playwright/test";
import { begin, send, seen, seq, settled } from "./world.ts";

const token = process.env.OX_TOKEN ?? "";
const base = process.env.OX_BASE_URL ?? "";

test("a prompt becomes a change that is accepted @server", async ({ page }) => {
  await begin(page, { approval: "ask" });
  await send(page, "The total wraps around. Fix it.");
  const card = page.locator(".approval").first();
  await expect(card.locator(".drow.added").first()).toContainText("# checked");
  await expect(card).toBeFocused();
  await page.keyboard.press("y");
  await settled(page);
  await expect(page.locator(".summary")).toContainText("no longer wraps");
  await page.getByRole("tab", { name: /^Changes/ }).click();
  await page.getByRole("button", { name: "Accept all" }).click();
  await expect(page.locator(".hunkhead .tag.accepted").first()).toBeVisible();
});

test("an approval that is answered elsewhere disappears @server", async ({ page, request }) => {
  const id = await begin(page, { approval: "ask" });
  await send(page, "The total wraps around. Fix it.");
  const card = page.locator(".approval").first();
  await expect(card).toBeVisible();
  const call = await card.getAttribute("data-call");
  const answered = await request.post(`${base}/api/conversations/${id}/approvals/${call}`, {
    headers: { Authorization: `Bearer ${token}` },
    data: { decision: { answer: "deny", reason: "not now" } },
  });
  expect(answered.status()).toBe(202);
  await expect(page.locator(`.approval[data-call="${call}"]`)).toHaveCount(0);
});

test("a page that is loaded anew in mid-stream shows the same as one that was not @server", async ({ page, context }) => {
  const id = await begin(page, { approval: "auto" });
  const other = await context.newPage();
  await other.goto(`${base}/#/c/${id}`);
  await send(page, "The total wraps around. Fix it.");
  await expect.poll(() => seq(other)).toBeGreaterThan(3);
  await other.reload();
  await settled(page);
  await settled(other);
  const whole = await seen(page);
  expect(whole.length).toBeGreaterThan(2);
  await expect.poll(() => seen(other)).toEqual(whole);
  await page.reload();
  await expect.poll(() => seen(page)).toEqual(whole);
});

test("another page can neither read nor send anything @server", async ({ page }) => {
  // A page of another origin: the same address under another name is one.
  const other = base.replace("127.0.0.1", "localhost");
  await page.goto(`${other}/health`);
  const outcome = await page.evaluate(async (to) => {
    const tried = async (ask: () => Promise<Response>): Promise<string> => {
      try {
        const answer = await ask();
        return answer.type === "opaque" ? "opaque" : String(answer.status);
      } catch {
        return "refused";
      }
    };
    return {
      read: await tried(() => fetch(`${to}/api/conversations`, { credentials: "include" })),
      blind: await tried(() => fetch(`${to}/api/links`, { method: "POST", mode: "no-cors", credentials: "include" })),
    };
  }, base);
  expect(outcome.read).toBe("refused");
  expect(["refused", "opaque"]).toContain(outcome.blind);
});

test("the first paint comes soon and nothing is loaded from elsewhere @server", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (it) => asked.push(it.url()));
  await page.goto("/");
  await expect(page.locator(".app")).toBeVisible();
  expect(asked.filter((it) => !it.startsWith(base) && !it.startsWith("data:"))).toEqual([]);
  const problems = await page.evaluate(() => performance.getEntriesByType("resource").filter((it) => (it as PerformanceResourceTiming).responseStatus >= 400).length);
  expect(problems).toBe(0);
});
