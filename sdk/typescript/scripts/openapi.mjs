// Writes the types of the routes from the server's OpenAPI document, where that is there.

import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const from = new URL("../../openapi.json", import.meta.url);
if (existsSync(from)) {
  const { default: openapi, astToString } = await import("openapi-typescript");
  const text = astToString(await openapi(from));
  writeFileSync(fileURLToPath(new URL("../src/schema.d.ts", import.meta.url)), `// Generated from sdk/openapi.json. Do not edit.\n\n${text}`);
} else {
  console.log("sdk/openapi.json is not there yet: src/schema.d.ts is not written.");
}
