import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { command } from "../../cli.ts";
import { root } from "../../fetched-package.ts";

const bin = (file: string) => JSON.stringify(pathToFileURL(join(command, "..", file)).href);

/** What a process says that hears of these, one after the other: how it was told, or how long it waits. */
function heard(...what: readonly string[]): readonly string[] {
  const program = `
    import { createHearing } from ${bin("hearing.js")};
    let now = 1e6;
    performance.now = () => now;
    const { told, parentGone } = createHearing();
    const sent = (signal) => process.emit(signal, signal);
    const later = (ms) => { now += ms; };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, (name) => console.log(name));
    ${what.map((line) => `${line}; console.log(";");`).join("\n")}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout
    .split(";\n")
    .slice(0, -1)
    .map((lines) => lines.trim());
}

const int = 'sent("SIGINT")';
const term = 'sent("SIGTERM")';
const toldInt = 'told("SIGINT")';
const toldTerm = 'told("SIGTERM")';

test.each<[what: string, given: readonly string[], heard: readonly string[]]>([
  ["Ctrl-C, which reaches both, is one", [int, toldInt], ["SIGINT", ""]],
  ["the same where the launcher is quicker", [toldInt, int], ["SIGINT", ""]],
  ["Ctrl-C twice is two", [int, int, toldInt, toldInt], ["SIGINT", "SIGINT", "", ""]],
  ["what only the launcher was sent, once and again", [toldTerm, toldTerm], ["SIGTERM", "SIGTERM"]],
  ["two of different names", [int, toldTerm], ["SIGINT", "SIGTERM"]],
  ["sent to the one, and long after to the other", [toldTerm, "later(11_000)", term], ["SIGTERM", "", "SIGTERM"]],
  ["a launcher that dies ends it", ["parentGone()"], ["SIGTERM"]],
  ["a launcher that dies when it is ending already says nothing new", [toldTerm, "parentGone()"], ["SIGTERM", ""]],
  ["the same after a signal of its own", [term, "parentGone()"], ["SIGTERM", ""]],
  ["one that stopped an answer in a conversation does", [int, "parentGone()"], ["SIGINT", "SIGTERM"]],
  ["words that are no such signal", ['told("SIGSEGV")', 'told("")'], ["", ""]],
])("%s", (_what, given, expected) => {
  expect(heard(...given)).toEqual(expected);
});

test("the scripts that serve take the place of npm's shell, which would pass no signal on", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect([scripts.start, scripts.charter]).toEqual([
    "exec node scripts/run.mjs start",
    "exec node scripts/run.mjs charter",
  ]);
});
