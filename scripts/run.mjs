// Every package script comes through here. It installs what the task needs when that has not happened yet, finds a Node
// that is new enough, and runs the task on it. Plain JavaScript: the machine's own Node may be as old as 18.

import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "../charter/bin/child.js";
import { endAs } from "../charter/bin/signals.js";
import { install } from "./install.mjs";
import { newEnough, portionFor } from "./portions.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const nodePackage = `node-${process.platform}-${process.arch}`;

const lifeline = new URL("../charter/bin/lifeline.js", import.meta.url).href;
const command = "charter/bin/charter.js";
/** The web page: built when its words have changed, which takes seconds. */
const studio = ["studio", "node", "studio/build.ts"];
/** Only what is built now: a file that was renamed leaves its old build behind. */
const build = [
  ["clean", "node", "-e", 'fs.rmSync("charter/dist", { recursive: true, force: true })'],
  ["build", "tsc", "-p", "charter/tsconfig.build.json"],
  ["declarations", "node", "scripts/declarations.ts"],
  ["code", "node", "scripts/strip-types.ts"],
  ["stemmers", "node", "scripts/stemmers.ts"],
];
/** One tier of the tests, or a part of the search. */
const testsOf = (name, ...more) => ["tests", "node", "--conditions=charter-source", "scripts/tests.ts", name, ...more];
/** What was found out about the types of files that have not changed since is not found out again. */
const typesOf = (project, name) => {
  const known = ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/types/${name}.json`];
  return ["tsc", "-p", project, ...known];
};
const checks = [
  ["types", ...typesOf("tsconfig.json", "all")],
  ["types of the studio", ...typesOf("studio/tsconfig.json", "studio")],
  ["style", "node", "scripts/style.ts"],
];

/**
 * Each step is a title, a tool and its arguments; what the caller adds goes to the last step. What runs beside the steps
 * is printed after them. A task needs everything installed, unless it only needs what Charter runs on.
 */
const tasks = {
  start: { does: "the demonstration", needs: "running", steps: [studio, ["start", "node", command, "start"]] },
  test: {
    does: "everything that has to hold: types, style, the logic",
    steps: [testsOf("logic")],
    beside: checks,
    headers: true,
    closing: "All holds.",
  },
  t: { does: "what an edit since the last run can break", steps: [testsOf("logic", "--since-last-run")] },
  "test:doors": {
    does: "the same through real things: processes, PostgreSQL, a browser, packages (--ledger)",
    steps: [testsOf("doors")],
    headers: true,
  },
  "test:search": {
    does: "what was overlooked? random, repeated, exhaustive (--share 0.05, --seed, --minutes)",
    steps: [testsOf("search")],
    headers: true,
  },
  check: { does: "types and style, without the tests", steps: checks, headers: true },
  build: { does: "the packages as they are published, with the studio", steps: [...build, studio] },
  pack: {
    does: "both packages as files that npm installs (--pack-destination <folder>)",
    steps: [["pack", "node", "scripts/pack.ts"]],
  },
  prepack: {
    does: "what npm pack does first, in charter/",
    steps: [...build, ["pages", "node", "scripts/pages.ts", "add", "charter"]],
  },
  "prepack:service": {
    does: "what npm pack does first, in service/",
    steps: [studio, ["pages", "node", "scripts/pages.ts", "add", "service"]],
  },
  postpack: { does: "what npm pack does last", steps: [["pages", "node", "scripts/pages.ts", "remove"]] },
  bench: { does: "measurements", steps: [["bench", "node", "bench/run.ts"]] },
  "bench:cost": {
    does: "what a prompt costs, in billed tokens a turn",
    steps: [["bench:cost", "node", "bench/cost/run.ts"]],
  },
  fuzz: { does: "the search: each property, at length", steps: [testsOf("fuzz")] },
  crash: { does: "the search: processes killed at every moment, many that write at once", steps: [testsOf("crash")] },
  workers: { does: "the search: workers killed in the middle of their runs", steps: [testsOf("workers")] },
  faults: { does: "the search: outages and kills under load", steps: [testsOf("faults")] },
  endurance: { does: "the search: an agent lives on while its processes are killed", steps: [testsOf("endurance")] },
  canaries: { does: "the search: does a word of one user turn up anywhere else?", steps: [testsOf("canaries")] },
  peers: {
    does: "where real agents over ACP take a prompt; installs about 1 GB (-- gemini-cli: only this one)",
    steps: [["peers", "node", "--conditions=charter-source", "scripts/peers/peers.ts"]],
  },
  shots: {
    does: "pictures of every page of the studio, to be looked at (--page prompt)",
    steps: [["shots", "node", "--conditions=charter-source", "scripts/shots.ts"]],
  },
  mutate: {
    does: "what breaks unnoticed in a folder or file? (-- prompt/fit.ts)",
    steps: [["mutate", "node", "scripts/mutate.ts"]],
  },
  "eval:screen": {
    does: "how well the screen tells good from bad",
    steps: [["eval", "node", "scripts/eval-screen.ts"]],
  },
  "eval:memory": {
    does: "how often the note that answers a question is found",
    steps: [["eval", "node", "--conditions=charter-source", "scripts/eval-memory.ts"]],
  },
  "eval:inert": {
    does: "how much of real texts is escaped in a prompt",
    steps: [["eval", "node", "scripts/eval-inert.ts"]],
  },
  chain: {
    does: 'a local chain with the inbox contract, to try an agent on; installs 112 MB (-- post "Are you open?")',
    steps: [["chain", "node", "chain/chain.ts"]],
  },
  contract: {
    does: "compile charter/contracts/Inbox.sol anew",
    steps: [
      ["contract", "node", "chain/compile.ts"],
      ["format", "biome", "check", "--write", "charter/src/channels/chain/inbox-contract.json"],
    ],
  },
  format: { does: "put the files into house style", steps: [["format", "biome", "check", "--write", "."]] },
  example: {
    does: "an example, as in: npm run example examples/01-hello.ts",
    needs: "running",
    steps: [["example", "node", "--conditions=charter-source"]],
  },
  charter: { does: "the command, from this clone", needs: "running", steps: [["charter", "node", command]] },
  lock: { does: "write charter.lock anew", needs: "running", steps: [["lock", "node", command, "lock"]] },
  reference: {
    does: "write docs/reference anew, from the comments in the source",
    steps: [["reference", "node", "scripts/reference.ts"]],
  },
};

/** Where a tool's own JavaScript lies, so that no link in node_modules/.bin is relied on. */
const tools = {
  tsc: "typescript/bin/tsc",
  biome: "@biomejs/biome/bin/biome",
  vitest: "vitest/vitest.mjs",
};

const [name, ...args] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name ?? "") ? tasks[name] : undefined;
endAs(task ? await perform(task, args) : { code: printTasks(name) });

function printTasks(unknown) {
  const lines = Object.entries(tasks).map(([task, { does }]) => `  ${task.padEnd(15)} ${does}`);
  const text = `Usage: npm run <task> [-- arguments]\n\n${lines.join("\n")}\n`;
  if (unknown === undefined) process.stdout.write(text);
  else process.stderr.write(`task-unknown: There is no task “${unknown}”.\n${text}`);
  return unknown === undefined ? 0 : 2;
}

/** How it ended: a code, or the signal that ended it. After a signal no further step begins. */
async function perform({ needs = "everything", steps, beside = [], env, headers, closing }, args) {
  const missing = await install(portionFor(needs));
  if (missing) return missing;
  const node = findNode();
  if (!node) return { code: refuseNode() };

  const began = Date.now();
  const kept = beside.map((step) => runOn(node, step, env, "kept"));
  const ended = await performSteps(node, { steps, env, headers }, args);
  const all = [ended];
  for (const [index, step] of beside.entries()) {
    const { output, ...result } = await kept[index];
    process.stdout.write(`${headerOf(step)}${output}`);
    if (isFailed(result)) process.stderr.write(`\n${step[0]} failed.\n`);
    all.push(result);
  }
  const failed = all.find(isFailed);
  if (failed) return failed;
  const titles = [...steps, ...beside].map(([title]) => title).join(", ");
  if (headers) process.stdout.write(`\n${titles}: ${seconds(began)}\n`);
  if (closing) process.stdout.write(`${closing}\n`);
  return { code: 0 };
}

async function performSteps(node, { steps, env, headers }, args) {
  const began = Date.now();
  for (const [index, step] of steps.entries()) {
    const last = index === steps.length - 1;
    const given = last ? [...step, ...args] : step;
    if (headers) process.stdout.write(headerOf(given));
    const ended = await runOn(node, given, env);
    if (isFailed(ended) && headers) process.stderr.write(`\n${step[0]} failed after ${seconds(began)}.\n`);
    if (isFailed(ended) || last) return ended;
    if (ended.asked) return { signal: ended.asked };
  }
}

function headerOf([title, ...words]) {
  return `\n── ${title}: ${words.join(" ")}\n`;
}

function isFailed({ code, signal }) {
  return Boolean(signal) || code !== 0;
}

function seconds(began) {
  return `${((Date.now() - began) / 1000).toFixed(1)} s`;
}

/**
 * Runs one step on the chosen Node, which is also the first `node` its own children find. It ends with this process; what
 * it says is printed at once, or kept.
 */
function runOn(node, [, tool, ...given], defaults = {}, says = "at once") {
  const PATH = [dirname(node), process.env.PATH].filter(Boolean).join(delimiter);
  const options = { cwd: root, env: { ...defaults, ...process.env, PATH }, isDetached: () => false };
  const args = tool === "node" ? given : [join(modules, tools[tool]), ...given];
  if (says === "kept") return runChild(node, args, { ...options, stranger: true, stdio: ["ignore", "pipe", "pipe"] });
  return runChild(node, ["--import", lifeline, ...args], options);
}

function findNode() {
  if (newEnough(process.versions.node)) return process.execPath;
  const home = join(modules, nodePackage);
  const node = join(home, "bin", "node");
  if (!existsSync(node)) return undefined;
  return newEnough(JSON.parse(readFileSync(join(home, "package.json"), "utf8")).version) ? node : undefined;
}

function refuseNode() {
  process.stderr.write(
    `node-too-old: Charter needs Node 22.18 or newer; this is ${process.versions.node}, ` +
      `and there is no package ${nodePackage} to run on instead.\nHint: install Node 24 from https://nodejs.org.\n`,
  );
  return 2;
}
