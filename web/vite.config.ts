import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** The page has one origin and one session cookie; without the attribute the browser needs no second thought about either. */
const plainTags: Plugin = {
  name: "plain-tags",
  transformIndexHtml: { order: "post", handler: (html) => html.replaceAll(" crossorigin", "") },
};

export default defineConfig({
  plugins: [plainTags],
  resolve: {
    alias: { "@ox-agent/sdk": fileURLToPath(new URL("../sdk/typescript/src", import.meta.url)) },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    sourcemap: false,
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      output: { entryFileNames: "app.js", assetFileNames: "app[extname]", codeSplitting: false },
    },
  },
});
