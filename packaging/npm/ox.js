#!/usr/bin/env node
// The command `ox` of the npm package: finds the package with the binary for this system, and runs it. It downloads nothing.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

/** Whether this system's C library is musl: then Node itself was not linked against glibc. */
function isMusl() {
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

const packages = require("./packages.json");
const libc = process.platform === "linux" && isMusl() ? "-musl" : "";
const platform = `${process.platform}-${process.arch}${libc}`;
const name = packages[platform];
if (name === undefined) {
  const known = Object.keys(packages).join(", ");
  console.error(`ox: there is no build of Ox for ${platform}. There is one for ${known}.`);
  process.exit(1);
}

let binary;
try {
  binary = require.resolve(`${name}/bin/ox${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`ox: the package ${name}, which holds the binary for this system, is not installed.`);
  console.error("It is an optional dependency; install again without `--omit=optional` or `--no-optional`.");
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to both processes: handed on, it would arrive twice. What is sent to this one alone is handed on.
process.on("SIGINT", () => {});
process.on("SIGQUIT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (why) => {
  console.error(`ox: ${binary} could not be started: ${why.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal === null ? code : 128 + constants.signals[signal]);
});
