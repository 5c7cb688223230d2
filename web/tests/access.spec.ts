import AxeBuilder from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { begin, DONE, open, prompt, send, settled, talk, TASK } from "./world.ts";

async function faults(page: Page, within = "html"): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).include(within).analyze();
  return violations
    .filter((it) => it.impact === "serious" || it.impact === "critical")
    .flatMap((it) => it.nodes.map((node) => `${it.id}: ${node.target.join(" ")}`));
}

for (const scheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious, ${scheme}`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.goto("/");
    await expect(page.locator(".home h1")).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await open(page, DONE);
    for (const name of ["Changes", "Plan", "Checks", "Files", "Checkpoints", "Graph", "Tokens"]) {
      await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
      await expect(page.locator(".panelbody .empty .spin")).toHaveCount(0);
      expect(await faults(page, name === "Changes" ? "html" : ".panel"), name).toEqual([]);
    }
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await faults(page, "dialog")).toEqual([]);
    await begin(page, { approval: "ask" });
    await send(page, TASK);
    await expect(page.locator(".approval")).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await page.goto(`/#/play/${DONE}`);
    await expect(page.locator(".player")).toBeVisible();
    expect(await faults(page)).toEqual([]);
  });
}

test("language and theme are chosen and kept", async ({ page }) => {
  await open(page, DONE);
  await page.getByRole("button", { name: /^Language/ }).click();
  await page.getByRole("menuitemradio", { name: "中文" }).click();
  await expect(page.getByRole("tab", { name: /改动/ })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await page.getByRole("button", { name: "主题" }).click();
  await page.getByRole("menuitemradio", { name: "深色" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("tab", { name: /改动/ })).toBeVisible();
});

test("every sentence has its words in both languages", async ({ page }) => {
  for (const language of ["en", "zh"]) {
    await page.addInitScript((it) => localStorage.setItem("ox.language", it), language);
    await open(page, DONE);
    for (let n = 1; n <= 7; n++) {
      await page.locator("[role=tab]").nth(n - 1).click();
      await expect(page.locator(".panelbody .empty .spin")).toHaveCount(0);
      expect(await page.locator("body").innerText()).not.toMatch(/\bpage\.[a-z]/);
    }
  }
});

test("a task is done with the keyboard alone", async ({ page }) => {
  await begin(page, { approval: "ask" });
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("/");
  await expect(prompt(page)).toBeFocused();
  await page.keyboard.type(TASK);
  await page.keyboard.press("Enter");
  await expect(page.locator(".approval")).toBeFocused();
  await page.keyboard.press("y");
  await expect(page.locator(".approval .cmd")).toBeVisible();
  await expect(page.locator(".approval")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.locator(".approval button").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await settled(page);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("2");
  await expect(page.locator("#tab-plan")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("]");
  await expect(page.locator(".panel")).toHaveCount(0);
  await page.keyboard.press("Control+k");
  await expect(page.locator("#search")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
  expect(outline).toBe("solid");
});

test("a window that becomes narrow shows the conversation", async ({ page }) => {
  await open(page, DONE);
  await expect(page.locator(".panel")).toBeVisible();
  await page.setViewportSize({ width: 820, height: 740 });
  await expect(page.locator(".panel, .list, .veil")).toHaveCount(0);
});

test("it works at 360 px without sideways scrolling", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, DONE);
  await expect(talk(page)).toBeVisible();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(360);
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  await expect(page.getByRole("tab", { name: /^Changes/ })).toBeVisible();
});

test("where the panel is shut, what a run has changed so far is told and opened", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await begin(page, { approval: "accept-edits" });
  await send(page, TASK);
  await expect(page.locator(".edits")).toContainText("2 files");
  await page.locator(".edits .btn").click();
  await expect(page.locator("#tab-changes")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".edits")).toHaveCount(0);
});

test("nothing is fetched from elsewhere, and the policy is kept", async ({ page, baseURL }) => {
  const foreign: string[] = [];
  const refused: string[] = [];
  page.on("request", (it) => it.url().startsWith(baseURL as string) || /^(data|blob):/.test(it.url()) || foreign.push(it.url()));
  page.on("console", (it) => /Content Security Policy/.test(it.text()) && refused.push(it.text()));
  await open(page, DONE);
  await page.getByRole("tab", { name: /^Graph/ }).click();
  await expect(page.locator(".graph svg")).toBeVisible();
  expect([foreign, refused]).toEqual([[], []]);
});
