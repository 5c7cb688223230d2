import { expect, test, type Page } from "@playwright/test";
import { begin, between, open, reached, seen, send, seq, settled, TASK } from "./world.ts";

// So tall that all rows are there, and not only those in sight.
test.use({ viewport: { width: 1440, height: 3000 } });

test("a cut stream and a reload show what an undisturbed page shows", async ({ page, context, baseURL }) => {
  const wire = await between(baseURL as string);
  const id = await begin(page, { approval: "auto" });
  const cut = await context.newPage();
  await cut.goto(`${wire.url}/#/c/${id}`);
  const reloaded = await context.newPage();
  await reloaded.goto(`/#/c/${id}`);
  await send(page, TASK);

  const streaming = (it: Page) => it.waitForFunction(() => !!document.querySelector(".live .md"));
  await Promise.all([
    streaming(cut).then(() => expect(wire.cut()).toBeGreaterThan(0)),
    streaming(reloaded).then(() => reloaded.reload()),
  ]);

  await settled(page);
  const last = await seq(page);
  for (const it of [cut, reloaded]) {
    await reached(it, last);
    await settled(it);
  }
  const undisturbed = await page.context().newPage();
  await open(undisturbed, id);
  await reached(undisturbed, last);
  for (const it of [cut, reloaded, undisturbed]) await expect.poll(() => seen(it)).toEqual(await seen(page));
  wire.close();
});

test("the connection's loss is said, and ends", async ({ page, baseURL }) => {
  const wire = await between(baseURL as string);
  await begin(page, {}, `${wire.url}/`);
  await page.route("**/api/events**", (route) => route.abort());
  // The stream of the list, which the conversation's replaces, may be all that there is at first: cut until it is said.
  await expect.poll(() => (wire.cut(), page.locator(".banner").isVisible())).toBe(true);
  await page.unroute("**/api/events**");
  await expect(page.locator(".banner")).toHaveCount(0);
  wire.close();
});
