import { expect, test, type Page } from "@playwright/test";
import { LONG, open, reached } from "./world.ts";

/** Pixels a frame; at 60 frames a second a list of 18,000 pixels passes in a second. */
const STEP = 300;

/** Scrolls through a list frame by frame; how many rows there were at most. */
const scroll = (page: Page, selector: string, frames: number): Promise<number> =>
  page.locator(selector).evaluate(async (box, [count, step]) => {
    let rows = 0;
    box.scrollTop = 0;
    for (let n = 0; n < count; n++) {
      await new Promise((done) => requestAnimationFrame(done));
      box.scrollTop += step;
      rows = Math.max(rows, box.querySelectorAll(".vrow").length);
    }
    return rows;
  }, [frames, STEP] as const);

async function memory(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  await client.send("Performance.enable");
  const { metrics } = await client.send("Performance.getMetrics");
  return metrics.find((it) => it.name === "JSHeapUsedSize")?.value ?? 0;
}

/** The time that the main thread works, by frame. */
async function worked(page: Page, frames: number, act: () => Promise<unknown>): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" }); // Whatever else the machine does counts not.
  const total = async () => (await client.send("Performance.getMetrics")).metrics.find((it) => it.name === "TaskDuration")?.value ?? 0;
  const before = await total();
  await act();
  return (((await total()) - before) * 1000) / frames;
}

test("10,000 events scroll within a frame's time", async ({ page }) => {
  await open(page, LONG);
  await reached(page, 9_000);
  let rows = 0;
  const work = await worked(page, 240, async () => (rows = await scroll(page, ".entries", 240)));
  const heap = await memory(page);
  console.log(`events: ${work.toFixed(1)} ms of work a frame, ${rows} rows, ${(heap / 2 ** 20).toFixed(0)} MiB`);
  expect(work).toBeLessThanOrEqual(16);
  expect(rows).toBeLessThan(200);
  expect(heap).toBeLessThanOrEqual(200 * 2 ** 20);
});

test("a diff of 20,000 lines scrolls within a frame's time", async ({ page }) => {
  await open(page, LONG);
  await page.getByRole("tab", { name: /^Changes/ }).click();
  await expect(page.locator(".diff .drow").first()).toBeVisible();
  let rows = 0;
  const work = await worked(page, 240, async () => (rows = await scroll(page, ".diff", 240)));
  await page.locator(".diff").evaluate((box) => (box.scrollTop = box.scrollHeight));
  await expect(page.locator(".diff .drow").last()).toContainText("line 9999");
  const heap = await memory(page);
  console.log(`diff: ${work.toFixed(1)} ms of work a frame, ${rows} rows, ${(heap / 2 ** 20).toFixed(0)} MiB`);
  expect(work).toBeLessThanOrEqual(16);
  expect(rows).toBeLessThan(300);
  expect(heap).toBeLessThanOrEqual(200 * 2 ** 20);
});
