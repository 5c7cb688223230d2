import { defineConfig } from "@playwright/test";

// With `OX_BIN`, a program, each test runs it over a project of its own; else all run against the mock.
const real = !!process.env.OX_BIN;
const port = 7272;

export default defineConfig({
  testDir: "tests",
  testMatch: real ? /(server|recording)\.spec\.ts/ : /(access|scale|stream|talk)\.spec\.ts/,
  fullyParallel: true,
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 45_000 },
  reporter: [["list"]],
  ...(real ? {} : { webServer: { command: `node mock/server.mjs ${port}`, url: `http://127.0.0.1:${port}/`, env: { OX_MOCK_SPEED: "1.5" }, reuseExistingServer: false } }),
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    launchOptions: {
      executablePath: process.env.OX_CHROMIUM ?? "/usr/bin/chromium",
      chromiumSandbox: false,
      args: ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    },
  },
});
