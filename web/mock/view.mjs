// The SDK's fold, bundled on the fly: the mock speaks plain JavaScript.

import { fileURLToPath } from "node:url";
import { build } from "vite";

let fold;
export async function viewOf(frames) {
  fold ??= build({ configFile: false, logLevel: "silent", build: { write: false, minify: false, lib: { entry: fileURLToPath(new URL("../../sdk/typescript/src/view.ts", import.meta.url)), formats: ["es"], fileName: "view" } } })
    .then(([out]) => import(`data:text/javascript;base64,${Buffer.from(out.output[0].code).toString("base64")}`));
  return (await fold).viewOf(structuredClone(frames));
}
