// A conversation as one HTML file, opened from the disk: it plays, loads nothing, and what a tool printed stays text.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";

test("an exported conversation plays from a file and asks nobody", async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), "ox-recording-"));
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "bad.txt"), `</script><img src="x" onerror="document.title='broken'">\n`);
  writeFileSync(join(folder, "script.txt"), "-- model --\n@read_file\npath: bad.txt\n-- model --\nIt is **harmless**.\n");
  const env = { PATH: process.env.PATH, OX_HOME: join(folder, "home") };
  const ox = (...args: string[]) => execFileSync(process.env.OX_BIN as string, args, { cwd: project, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  ox("run", "--model", `scripted/${join(folder, "script.txt")}`, "--mode", "chat", "--name", "kept", "What is in it?");
  const file = join(folder, "kept.html");
  writeFileSync(file, ox("sessions", "export", "kept", "--format", "html"));

  const asked: string[] = [];
  const wrong: string[] = [];
  page.on("request", (it) => asked.push(it.url()));
  page.on("pageerror", (it) => wrong.push(String(it)));
  page.on("console", (it) => it.type() === "error" && wrong.push(it.text()));
  const address = pathToFileURL(file).href;
  await page.goto(address);
  const reply = page.getByText("harmless");
  await expect(reply).toBeVisible();
  await page.locator("summary", { hasText: "read_file" }).click();
  await expect(page.locator(".result")).toContainText(`</script><img src="x"`);
  await expect(page).toHaveTitle("kept");
  expect(await page.locator("img").count()).toBe(0);

  const position = page.getByRole("slider");
  const last = await position.getAttribute("max");
  await position.fill("1");
  await expect(reply).toBeHidden();
  await expect(page.getByText("What is in it?")).toBeVisible();
  await page.getByRole("combobox").selectOption("16");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(reply).toBeVisible();
  await expect(page.locator("output")).toHaveText(`${last}/${last}`);
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();

  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await colour();
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await colour()).not.toBe(light);
  expect(asked).toEqual([address]);
  expect(wrong).toEqual([]);
  rmSync(folder, { recursive: true });
});
