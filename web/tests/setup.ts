// The one-time link is opened once; its cookie serves all tests.

import { mkdirSync } from "node:fs";
import { chromium, type FullConfig } from "@playwright/test";

export default async function setup(config: FullConfig): Promise<void> {
  mkdirSync("test-results", { recursive: true });
  const browser = await chromium.launch(config.projects[0]?.use.launchOptions ?? {});
  const context = await browser.newContext();
  const link = process.env.OX_OPEN_URL;
  if (link) await (await context.newPage()).goto(link);
  await context.storageState({ path: "test-results/.session.json" });
  await browser.close();
}
