import { defineConfig } from "@playwright/test";

// Against a server that runs already where OX_BASE_URL names one (OX_OPEN_URL is its one-time link); else against the mock.
const own = process.env.OX_BASE_URL;
const port = 7272;

export default defineConfig({
  testDir: "tests",
  fullyParallel: true,
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 45_000 },
  reporter: [["list"]],
  globalSetup: "./tests/setup.ts",
  ...(own ? {} : { webServer: { command: `node mock/server.mjs ${port}`, url: `http://127.0.0.1:${port}/`, env: { OX_MOCK_SPEED: "1.5" }, reuseExistingServer: false } }),
  use: {
    baseURL: own ?? `http://127.0.0.1:${port}`,
    storageState: "test-results/.session.json",
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    launchOptions: {
      executablePath: process.env.OX_CHROMIUM ?? "/usr/bin/chromium",
      chromiumSandbox: false,
      args: ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    },
  },
});
