// The page over the real server.

import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { test, type Ox, type Reply } from "./ox.ts";
import { begin, between, pasteImage, prompt, reached, seen, send, seq, settled } from "./world.ts";

const TASK = "The total wraps around. Fix it.";
const EDIT: Reply = { text: "The sum is taken modulo 100.", calls: [["edit_file", { path: "total.py", old: "sum(values) % 100", new: "sum(values)", why: "it wrapped around" }]] };
const LOOK: Reply = { thinking: "Where is it?", calls: [["read_file", { path: "total.py" }], ["read_file", { path: "use.py" }], ["search_code", { pattern: "total" }]] };
const END: Reply = { calls: [["attempt_completion", { result: "The total **no longer** wraps around." }]] };
const said = (result: string): Reply => ({ calls: [["attempt_completion", { result, no_change: "nothing had to change" }]] });
const RUN: Reply = { text: "I try it.", calls: [["run_command", { command: "echo tried > tried.txt" }]] };
const LONG = `It wraps since the sum is taken **modulo** 100.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe middle of it.\n\n${"And so on. ".repeat(60)}\n\nThe end of it.`;

const approval = (page: Page) => page.locator(".approval").first();
/** Presses a key until this has the focus. */
async function reach(page: Page, key: string, selector: string): Promise<void> {
  for (let n = 0; n < 80; n++) {
    if (await page.evaluate((it) => !!document.activeElement?.matches(it), selector)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${selector} cannot be reached by ${key}`);
}
async function done(page: Page, ox: Ox): Promise<string> {
  ox.model.replies = [LOOK, EDIT, END];
  const id = await begin(page, { approval: "accept-edits" });
  await send(page, TASK);
  await settled(page);
  await expect(page.locator(".summary")).toBeVisible();
  return id;
}

test("a prompt becomes a change that is accepted", async ({ page, ox }) => {
  ox.model.replies = [EDIT, END];
  await begin(page, { approval: "ask" });
  await send(page, TASK);
  await expect(approval(page).locator(".drow.added").first()).toContainText("return sum(values)");
  await expect(approval(page)).toBeFocused();
  await page.keyboard.press("y");
  await settled(page);
  await expect(page.locator(".summary")).toContainText("no longer");
  await page.getByRole("tab", { name: /^Changes/ }).click();
  await page.getByRole("button", { name: "Accept all" }).click();
  await expect(page.locator(".hunkhead .tag.accepted").first()).toBeVisible();
  expect(ox.read("total.py")).toContain("return sum(values)\n");
});

test("what can be kept is offered for good, and what reaches further is not", async ({ page, ox }) => {
  const run = (command: string): Reply => ({ calls: [["run_command", { command }]] });
  ox.model.replies = [run("curl https://docs.example/a"), run("git push https://docs.example/r main"), said("Done.")];
  await begin(page, { approval: "ask" });
  await send(page, "Look there");
  const always = approval(page).getByRole("button", { name: /^Always/ });
  await expect(approval(page).locator(".cmd")).toContainText("curl");
  await expect(always).toBeVisible();
  await expect(always).toHaveAttribute("title", /network\(docs\.example\)/);
  await approval(page).getByRole("button", { name: /^No/ }).click();
  await approval(page).locator("textarea").fill("not there");
  await page.keyboard.press("Enter");
  await expect(approval(page).locator(".cmd")).toContainText("git push");
  await expect(always).toHaveCount(0);
});

test("a change that is rejected is taken back", async ({ page, ox }) => {
  await done(page, ox);
  await page.getByRole("tab", { name: /^Changes/ }).click();
  await page.locator(".hunkhead").getByRole("button", { name: "Reject" }).click();
  await expect.poll(() => ox.read("total.py")).toContain("% 100");
});

test("from nothing to the accepted change with the keyboard alone", async ({ page, ox }) => {
  ox.model.replies = [LOOK, EDIT, RUN, END];
  await page.goto("/");
  await expect(prompt(page)).toBeFocused();
  await reach(page, "Tab", ".tools .policy .btn");
  await page.keyboard.press("Enter");
  await reach(page, "ArrowUp", "[role=menuitemradio]:first-child");
  await page.keyboard.press("Enter");
  await reach(page, "Shift+Tab", "#prompt");
  await page.keyboard.type(TASK);
  await page.keyboard.press("Enter");
  await expect(approval(page).locator(".drow.added").first()).toBeVisible();
  await expect(approval(page)).toBeFocused();
  await page.keyboard.press("y");
  await expect(approval(page).locator(".cmd")).toContainText("echo tried");
  await expect(approval(page)).toBeFocused();
  await page.keyboard.press("n");
  await page.keyboard.type("it is plain enough");
  await page.keyboard.press("Enter");
  await settled(page);
  await reach(page, "Shift+Tab", ".entries");
  await page.keyboard.press("1");
  await reach(page, "Tab", ".changes .foot .btn.main");
  await page.keyboard.press("Enter");
  await expect(page.locator(".hunkhead .tag.accepted").first()).toBeVisible();
});

test("an approval that is answered in the page is resolved in the terminal that asked", async ({ page, ox }) => {
  ox.model.replies = [RUN, said("It works.")];
  const terminal = ox.terminal(...ox.flags, "--approval", "ask");
  await expect.poll(() => terminal.text()).toContain("›");
  terminal.type("try it");
  terminal.enter();
  await expect.poll(() => terminal.text()).toContain("y yes");
  await page.goto("/");
  await page.locator(".conversation").first().click();
  await expect(approval(page).locator(".cmd")).toContainText("echo tried");
  await expect(approval(page)).toBeFocused();
  await page.keyboard.press("y");
  await expect(page.locator(".approval")).toHaveCount(0);
  await expect.poll(() => terminal.text()).toContain("Allowed");
  await expect.poll(() => terminal.text()).toContain("It works.");
  await expect(page.locator(".summary").last()).toContainText("It works.");
  expect(ox.read("tried.txt")).toBe("tried\n");
});

test("two tabs and a terminal take part in one run", async ({ page, context, ox }) => {
  ox.model.replies = [EDIT, RUN, said("Both are done."), said("The second answer.")];
  const id = await begin(page, { approval: "ask" });
  const other = await context.newPage();
  await other.goto(`/#/c/${id}`);
  await send(page, TASK);
  await expect(approval(other)).toBeVisible();
  const terminal = ox.terminal("attach", id);
  await expect.poll(() => terminal.text()).toContain("y yes");
  const call = await approval(page).getAttribute("data-call");
  // The terminal answers the first, a tab the second.
  terminal.type("y");
  for (const it of [page, other]) await expect(it.locator(`.approval[data-call="${call}"]`)).toHaveCount(0);
  for (const it of [page, other]) await expect(approval(it).locator(".cmd")).toContainText("echo tried");
  await other.getByRole("button", { name: /^Yes/ }).click();
  await expect(page.locator(".approval")).toHaveCount(0);
  await expect.poll(() => terminal.text()).toContain("Both are done.");
  await settled(page);
  terminal.type("and then?");
  terminal.enter();
  for (const it of [page, other]) await expect(it.locator(".summary").last()).toContainText("The second answer.");
  for (const it of [page, other]) await settled(it);
  expect(await seen(other)).toEqual(await seen(page));
});

test("a turn is interrupted in mid-stream and continued", async ({ page, ox }) => {
  ox.model.hold = "The middle";
  ox.model.replies = [{ text: LONG }, { text: "Here is the rest." }];
  await begin(page, { approval: "auto", mode: "chat" });
  await send(page, TASK);
  await expect(page.locator(".live .md")).toContainText("The middle");
  await prompt(page).press("Escape");
  await settled(page);
  await expect(page.locator(".end").last()).toContainText("Interrupted");
  ox.model.release();
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await expect(page.locator(".reply").last()).toContainText("Here is the rest.");
});

test("undo names what others changed since, and keeps it where that is chosen", async ({ page, ox }) => {
  await done(page, ox);
  ox.write("total.py", `${ox.read("total.py")}\n# mine\n`);
  const dialog = page.getByRole("dialog", { name: "Undo" });
  const ask = async () => {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Undo" }).click();
    await expect(dialog.locator(".warning .changelist")).toContainText("total.py");
  };
  await ask();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(ox.read("total.py")).toContain("# mine");
  await ask();
  await dialog.locator(".btn.danger").click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => ox.read("total.py")).toBe("def total(values):\n    return sum(values) % 100\n");
});

test("an undo that keeps what others changed puts only the rest back", async ({ page, ox }) => {
  ox.model.replies = [EDIT, { calls: [["edit_file", { path: "use.py", old: "60, 50", new: "60, 70", why: "a larger sum" }]] }, END];
  await begin(page, { approval: "accept-edits" });
  await send(page, TASK);
  await expect(page.locator(".summary")).toBeVisible();
  await settled(page);
  const mine = `${ox.read("total.py")}\n# mine\n`;
  ox.write("total.py", mine);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Undo" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo" });
  await expect(dialog.locator(".warning .changelist")).toContainText("total.py");
  await dialog.getByRole("button", { name: /^Keep these/ }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => ox.read("use.py")).toContain("60, 50");
  expect(ox.read("total.py")).toBe(mine);
});

test("a pasted image is shown, reaches the model, and comes back from the server", async ({ page, ox }) => {
  ox.model.replies = [{ text: "A square." }];
  const id = await begin(page, { mode: "chat" });
  await pasteImage(page);
  await expect(page.locator(".thumbs img")).toHaveCount(1);
  await send(page, "What is this?");
  await settled(page);
  expect(ox.model.asked.at(-1)).toContain("data:image/png;base64,");
  await page.goto("about:blank");
  await page.goto(`/#/c/${id}`);
  const picture = page.locator(".said .pictures img");
  await expect.poll(() => picture.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBe(32);
});

test.describe("in mid-stream", () => {
  // So tall that all rows are there, and not only those in sight.
  test.use({ viewport: { width: 1440, height: 3000 } });

  test("a socket that is killed and a page that is loaded anew show what an undisturbed page shows", async ({ page, context, ox }) => {
    ox.model.hold = "The middle";
    ox.model.replies = [LOOK, { text: LONG, calls: EDIT.calls as [] }, END];
    const id = await begin(page, { approval: "accept-edits" });
    const wire = await between(ox.url);
    const [cut, again] = [await context.newPage(), await context.newPage()];
    await cut.goto(`${wire.url}/#/c/${id}`);
    await again.goto(`/#/c/${id}`);
    await send(page, TASK);
    const all = [page, cut, again];
    const streams = (it: Page) => it.locator(".live .reply").innerText();
    for (const it of all) await expect(it.locator(".live .reply")).toContainText("The middle");
    expect(wire.cut()).toBeGreaterThan(0);
    await again.reload();
    for (const it of [cut, again]) await expect.poll(() => streams(it)).toBe(await streams(page));
    ox.model.release();
    for (const it of all) {
      await expect(it.locator(".summary")).toBeVisible();
      await settled(it);
    }
    const late = await context.newPage();
    await late.goto(`/#/c/${id}`);
    await reached(late, await seq(page));
    const whole = await seen(page);
    expect(whole.length).toBeGreaterThan(4);
    for (const it of [cut, again, late]) await expect.poll(() => seen(it)).toEqual(whole);
    wire.close();
  });
});

for (const scheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious in any view, ${scheme}`, async ({ page, ox }) => {
    test.setTimeout(480_000);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    const clean = async (name: string, within = "html") => {
      const { violations } = await new AxeBuilder({ page }).include(within).analyze();
      const found = violations.filter((it) => it.impact === "serious" || it.impact === "critical");
      expect(found.flatMap((it) => it.nodes.map((node) => `${it.id}: ${node.target.join(" ")}`)), name).toEqual([]);
    };
    await page.goto("/");
    await expect(page.locator(".project")).toBeVisible();
    await clean("home");
    const first = await done(page, ox);
    const folded = page.locator(".entries .fold > .row[aria-expanded=false]");
    while (await folded.count()) await folded.first().click();
    await clean("conversation");
    for (const name of ["changes", "plan", "checks", "files", "checkpoints", "graph", "tokens"]) {
      await page.locator(`#tab-${name}`).click();
      await expect(page.locator(".panelbody .empty .spin")).toHaveCount(0);
      if (name === "checkpoints") await page.locator(".timeline .row").last().click();
      await clean(name, ".panel");
      if (name !== "files") continue;
      await page.locator(".node", { hasText: "total.py" }).click();
      await expect(page.locator(".fileview .cline").first()).toBeVisible();
      await clean("file", ".panel");
    }
    ox.model.replies = [RUN, { calls: [["ask_user", { question: "Which one?", options: ["This", "That"] }]] }];
    const second = await begin(page, { approval: "ask" });
    await send(page, "Try it");
    await expect(approval(page)).toBeFocused();
    await page.keyboard.press("x");
    await clean("approval");
    await approval(page).focus();
    await page.keyboard.press("y");
    await expect(page.locator(".question")).toBeVisible();
    await clean("question");
    for (const [at, sign] of [[`play/${first}`, ".player"], [`compare/${first}/${second}`, ".figures"]] as const) {
      await page.goto(`/#/${at}`);
      await expect(page.locator(sign)).toBeVisible();
      await clean(at);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`/#/c/${first}`);
    await expect(page.locator(".summary")).toBeVisible();
    await clean("narrow");
  });
}

test("another page can neither read nor send anything", async ({ page, ox }) => {
  // A page of another origin: the same address under another name is one.
  await page.goto(`${ox.url.replace("127.0.0.1", "localhost")}/health`);
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
  }, ox.url);
  expect(outcome.read).toBe("refused");
  expect(["refused", "opaque"]).toContain(outcome.blind);
});

test("the page needs nothing from elsewhere", async ({ page, ox }) => {
  const asked: string[] = [];
  page.on("request", (it) => asked.push(it.url()));
  await page.goto("/");
  await expect(page.locator(".app")).toBeVisible();
  await expect(page.locator("#app > *")).toHaveCount(1);
  expect(asked.filter((it) => !it.startsWith(ox.url) && !it.startsWith("data:"))).toEqual([]);
  const entries = await page.evaluate(() => performance.getEntriesByType("resource").map((it) => (it as PerformanceResourceTiming).responseStatus));
  expect(entries.filter((it) => it >= 400)).toEqual([]);
  const [paint] = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint").map((it) => it.startTime));
  console.log(`first paint: ${paint?.toFixed(0)} ms`);
});
