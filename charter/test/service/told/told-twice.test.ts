import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { beforeAll, expect, test } from "vitest";
import { command } from "../../cli.ts";
import { root } from "../../fetched-package.ts";

const int = 'sent("SIGINT")';
const term = 'sent("SIGTERM")';
const toldInt = 'told("SIGINT")';
const toldTerm = 'told("SIGTERM")';

const cases: readonly [what: string, given: readonly string[], heard: readonly string[]][] = [
  ["Ctrl-C, which reaches both, is one", [int, toldInt], ["SIGINT", ""]],
  ["the same where the launcher is quicker", [toldInt, int], ["SIGINT", ""]],
  ["the same where the launcher is seconds late", [int, "later(9_000)", toldInt], ["SIGINT", "", ""]],
  ["Ctrl-C twice is two", [int, int, toldInt, toldInt], ["SIGINT", "SIGINT", "", ""]],
  ["what only the launcher was sent, once and again", [toldTerm, toldTerm], ["SIGTERM", "SIGTERM"]],
  ["two of different names", [int, toldTerm], ["SIGINT", "SIGTERM"]],
  ["sent to the one, and long after to the other", [toldTerm, "later(11_000)", term], ["SIGTERM", "", "SIGTERM"]],
  ["a launcher that dies ends it", ["parentGone()"], ["SIGTERM"]],
  ["a launcher that dies when it is ending already says nothing new", [toldTerm, "parentGone()"], ["SIGTERM", ""]],
  ["the same after a signal of its own", [term, "parentGone()"], ["SIGTERM", ""]],
  ["one that stopped an answer in a conversation does", [int, "parentGone()"], ["SIGINT", "SIGTERM"]],
  ["words that are no such signal", ['told("SIGSEGV")', 'told("")'], ["", ""]],
];

/** What is heard of each, one after the other: how it was told, or nothing. A thread has a `process` of its own. */
const program = `
  const { parentPort } = require("node:worker_threads");
  import(${JSON.stringify(pathToFileURL(join(command, "../hearing.js")).href)}).then(({ createHearing }) => {
    const emit = process.emit;
    let [now, heard] = [1e6, ""];
    performance.now = () => now;
    const later = (ms) => { now += ms; };
    const sent = (signal) => process.emit(signal, signal);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, (name) => { heard = name; });
    parentPort.postMessage([${cases.map(
      ([, given]) => `(() => {
      process.emit = emit;
      const { told, parentGone } = createHearing();
      return [${given.map((line) => `(heard = "", ${line}, heard)`).join(", ")}];
    })()`,
    )}]);
  });`;
const heard = new Map<string, readonly string[]>();
beforeAll(async () => {
  const thread = new Worker(program, { eval: true, execArgv: [] });
  const [all] = await once(thread, "message");
  await thread.terminate();
  for (const [index, [what]] of cases.entries()) heard.set(what, all[index]);
});

test.each(cases)("%s", (what, _given, expected) => {
  expect(heard.get(what)).toEqual(expected);
});

test("the scripts that serve take the place of npm's shell, which would pass no signal on", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect([scripts.start, scripts.charter]).toEqual([
    "exec node scripts/run.mjs start",
    "exec node scripts/run.mjs charter",
  ]);
});
