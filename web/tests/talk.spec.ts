import { expect, test } from "@playwright/test";
import { ASKING, begin, open, pasteImage, prompt, send, settled, talk, TASK, DONE } from "./world.ts";

test("a prompt becomes a change that is accepted", async ({ page }) => {
  await begin(page, { approval: "auto" });
  await send(page, TASK);
  await expect(talk(page)).toHaveAttribute("data-busy", "true");
  await settled(page);
  await expect(page.locator(".summary")).toBeVisible();
  await page.getByRole("tab", { name: /^Changes/ }).click();
  await expect(page.locator(".diff .drow.added").first()).toBeVisible();
  await page.getByRole("button", { name: "Accept all" }).click();
  await expect(page.locator(".hunkhead .tag.accepted").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Accept all" })).toHaveCount(0);
});

test("an approval is answered by a key, with the diff in sight", async ({ page }) => {
  await begin(page, { approval: "ask" });
  await send(page, TASK);
  const card = page.locator(".approval").first();
  await expect(card.locator(".drow.added").first()).toBeVisible();
  await expect(card).toBeFocused();
  const call = await card.getAttribute("data-call");
  await page.keyboard.press("y");
  await expect(page.locator(`.approval[data-call="${call}"]`)).toHaveCount(0);
});

test("a denial carries its reason", async ({ page }) => {
  await begin(page, { approval: "ask" });
  await send(page, TASK);
  await expect(page.locator(".approval")).toBeFocused();
  await page.keyboard.press("n");
  await page.locator(".approval textarea").fill("not this file");
  await page.keyboard.press("Enter");
  await expect(page.locator(".approval")).toHaveCount(0);
  await settled(page);
});

test("a question is answered by choosing", async ({ page }) => {
  await begin(page, { approval: "auto" });
  await send(page, ASKING);
  const card = page.locator(".question");
  await expect(card).toBeVisible();
  const option = card.locator(".options button").first();
  const text = (await option.innerText()).split("\n")[0] as string;
  await option.click();
  await expect(page.locator(".asked-before .answer")).toContainText(text.slice(0, 8));
});

test("a turn is interrupted", async ({ page }) => {
  await begin(page, { approval: "auto" });
  await send(page, TASK);
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeVisible();
  await prompt(page).press("Escape");
  await settled(page);
  await expect(page.locator(".end").last()).toContainText("Interrupted");
});

test("undo says what would be lost before it is done", async ({ page }) => {
  await open(page, DONE);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Undo" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo" });
  await expect(dialog.locator(".changelist").first()).toBeVisible();
  await expect(dialog.locator(".warning .changelist li")).not.toHaveCount(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toHaveCount(0);
});

test("a pasted image becomes a thumbnail and goes with the prompt", async ({ page }) => {
  await begin(page, { approval: "auto" });
  await pasteImage(page);
  await expect(page.locator(".thumbs img")).toHaveCount(1);
  await send(page, TASK);
  await expect(page.locator(".thumbs img")).toHaveCount(0);
  const picture = page.locator(".said .pictures img");
  await expect(picture).toHaveCount(1);
  await expect.poll(() => picture.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBe(32);
});

test("Enter that ends a composition sends nothing", async ({ page }) => {
  await begin(page);
  await prompt(page).focus();
  const client = await page.context().newCDPSession(page);
  await client.send("Input.imeSetComposition", { text: "qiuhe", selectionStart: 5, selectionEnd: 5 });
  await prompt(page).evaluate((box) => box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, isComposing: true, bubbles: true, cancelable: true } as KeyboardEventInit)));
  await client.send("Input.insertText", { text: "求和" });
  await expect(prompt(page)).toHaveValue("求和");
  await expect(talk(page)).toHaveAttribute("data-busy", "false");
  await prompt(page).press("Enter");
  await expect(page.locator(".said.prompt")).toContainText("求和");
});

test("a queued prompt is shown, taken back and dropped", async ({ page }) => {
  await begin(page, { approval: "ask" });
  await send(page, TASK);
  await page.getByRole("button", { name: /^When it is delivered/ }).click();
  await page.getByRole("menuitemradio", { name: /^Queue/ }).click();
  await send(page, "Then write the notes");
  await expect(page.locator(".queue li")).toContainText("Then write the notes");
  await page.getByRole("button", { name: "Take back to edit" }).click();
  await expect(prompt(page)).toHaveValue("Then write the notes");
  await expect(page.locator(".queue li")).toHaveCount(0);
});

test("comments on lines go back as one prompt", async ({ page }) => {
  await begin(page, { approval: "auto" });
  await send(page, TASK);
  await settled(page);
  await page.getByRole("tab", { name: /^Changes/ }).click();
  const row = page.locator(".diff .drow.added").first();
  await row.locator(".no").nth(1).click();
  await page.locator(".linecomment textarea").fill("use checked_add here");
  await page.getByRole("button", { name: "Send to the agent" }).click();
  await expect(page.locator(".said").last()).toContainText("use checked_add here");
});

test("the arrow keys reach every line of a diff, and Enter comments on it", async ({ page }) => {
  await open(page, DONE);
  await page.getByRole("tab", { name: /^Changes/ }).click();
  const lines = page.locator(".diff .drow");
  await expect(lines.first()).toBeVisible();
  const here = () => page.evaluate(() => (document.activeElement as HTMLElement).innerText);
  const all = await lines.allInnerTexts();
  await page.locator(".diff").focus();
  for (const it of all) {
    await page.keyboard.press("ArrowDown");
    await expect.poll(here).toBe(it);
  }
  expect(all.length).toBeGreaterThan(20);
  await page.keyboard.press("ArrowUp");
  await expect.poll(here).toBe(all.at(-2));
  await page.keyboard.press("Enter");
  await expect(page.locator(".linecomment textarea")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.locator(".linecomment")).toHaveCount(0);
  await expect.poll(here).toBe(all.at(-2));
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await expect.poll(here).toBe(all.at(-2));
});

test("side by side, what replaced a line stands beside it, and each side takes its own comment", async ({ page }) => {
  await begin(page, { approval: "auto" });
  await send(page, TASK);
  await settled(page);
  await page.getByRole("tab", { name: /^Changes/ }).click();
  await page.getByRole("button", { name: "Side by side" }).click();
  const pair = page.locator(".dpair", { has: page.locator(".removed") }).first();
  await expect(pair.locator(".side.removed")).toContainText(".sum()");
  await expect(pair.locator(".side.added")).toContainText("saturating_add");
  await pair.locator(".side.removed .no").click();
  const note = (n: number) => page.locator(".vrow:has(.linecomment)").nth(n);
  await note(0).locator("textarea").fill("why was this so?");
  await pair.locator(".side.added .no").click();
  await note(0).locator("textarea").fill("name this");
  // Both notes stand below the pair, that on the new line first.
  await expect(page.locator(".vrow:has(.dpair .removed) + .vrow:has(.linecomment) + .vrow:has(.linecomment)")).toHaveCount(1);
  await expect(note(1).locator("textarea")).toHaveValue("why was this so?");
  await page.getByRole("button", { name: "Send to the agent" }).click();
  await expect(page.locator(".said").last()).toContainText("src/ledger.rs:13` (removed): why was this so?");
  await expect(page.locator(".said").last()).toContainText("src/ledger.rs:13`: name this");
});

test("two tabs show the same run, and an answer in one closes it in the other", async ({ page, context }) => {
  const id = await begin(page, { approval: "ask" });
  const other = await context.newPage();
  await other.goto(`/#/c/${id}`);
  await send(page, TASK);
  await expect(page.locator(".approval")).toBeVisible();
  await expect(other.locator(".approval")).toBeVisible();
  const call = await page.locator(".approval").getAttribute("data-call");
  await other.getByRole("button", { name: /^Yes/ }).click();
  await expect(page.locator(`.approval[data-call="${call}"]`)).toHaveCount(0);
  await expect(other.locator(`.approval[data-call="${call}"]`)).toHaveCount(0);
});
