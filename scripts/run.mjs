// Every package script comes through here. It installs what the lockfile says when that has not happened yet, finds a
// Node that is new enough, and runs the task on it. Plain JavaScript: the machine's own Node may be as old as 18.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runChild } from "../charter/bin/child.js";
import { endAs } from "../charter/bin/signals.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".charter-installed");
const lockFolder = join(root, ".charter-install.lock");
const nodePackage = `node-${process.platform}-${process.arch}`;

const lifeline = new URL("../charter/bin/lifeline.js", import.meta.url).href;
const command = "charter/bin/charter.js";
const plain = process.stdout.isTTY ? [] : ["--colors=off"]; // “biome ci” colours even a log file.
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
const tests = ["tests", "vitest", "run"];
/** What was found out about the types of files that have not changed since is not found out again. */
const typesOf = (project, name) => {
  const known = ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/types/${name}.json`];
  return ["tsc", "-p", project, ...known];
};
const checks = [
  ["types", ...typesOf("tsconfig.json", "all")],
  ["types of the studio", ...typesOf("studio/tsconfig.json", "studio")],
  ["style", "biome", "ci", ...plain, "."],
];

/**
 * Each step is a title, a tool and its arguments; what the caller adds goes to the last step. What runs beside the steps
 * is printed after them.
 */
const tasks = {
  start: { does: "the demonstration", steps: [studio, ["start", "node", command, "start"]] },
  test: {
    does: "everything that has to hold: types, style, tests",
    steps: [tests],
    beside: checks,
    headers: true,
    closing: "All holds.",
  },
  "test:long": {
    does: "the tests that take long: every kill, the docs in real shells, each property hundreds of times",
    steps: [studio, ["long tests", "vitest", "run"]],
    env: { CHARTER_LONG: "1" },
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
  fuzz: {
    does: "the property tests, 10 000 runs each (FUZZ_RUNS)",
    steps: [["fuzz", "vitest", "run", "charter/test/properties"]],
    env: { FUZZ_RUNS: "10000" },
  },
  crash: {
    does: "does the store hold? writers are killed, and many write at once",
    steps: [["crash", "node", "--conditions=charter-source", "scripts/crash.ts"]],
  },
  workers: {
    does: "are schedules run once? workers are killed in the middle (--times 50)",
    steps: [["workers", "node", "--conditions=charter-source", "scripts/kill-worker.ts"]],
  },
  endurance: {
    does: "does an agent live on? its processes are killed, its model fails (--turns 5000; --only chain)",
    steps: [["endurance", "node", "--conditions=charter-source", "scripts/endurance.ts"]],
  },
  faults: {
    does: "what the service makes of outages, full disks and kills",
    steps: [["faults", "node", "--conditions=charter-source", "scripts/faults.ts"]],
  },
  canaries: {
    does: "does a word of one user turn up anywhere else? (--turns 10000)",
    steps: [["canaries", "node", "--conditions=charter-source", "scripts/canaries.ts"]],
  },
  peers: {
    does: "where real agents over ACP take a prompt; installs about 1 GB (-- gemini-cli: only this one)",
    steps: [["peers", "node", "--conditions=charter-source", "scripts/peers/peers.ts"]],
  },
  shots: {
    does: "pictures of every page of the studio, to be looked at (--page prompt)",
    steps: [["shots", "node", "--conditions=charter-source", "scripts/shots.ts"]],
  },
  mutate: {
    does: "do the tests notice a broken line? (prompt/fit.ts)",
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
  schema: {
    does: "the tables of a new SQLite file, after a migration was added",
    steps: [
      ["schema", "node", "scripts/sqlite-tables.ts"],
      ["format", "biome", "check", "--write", "charter/src/store/home/sqlite/sqlite-tables.ts"],
    ],
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
    steps: [["example", "node", "--conditions=charter-source"]],
  },
  charter: { does: "the command, from this clone", steps: [["charter", "node", command]] },
  lock: { does: "write charter.lock anew", steps: [["lock", "node", command, "lock"]] },
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
async function perform({ steps, beside = [], env, headers, closing }, args) {
  const missing = await install();
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

function newEnough(version) {
  const [major, minor] = version.replace("v", "").split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function refuseNode() {
  process.stderr.write(
    `node-too-old: Charter needs Node 22.18 or newer; this is ${process.versions.node}, ` +
      `and there is no package ${nodePackage} to run on instead.\nHint: install Node 24 from https://nodejs.org.\n`,
  );
  return 2;
}

/** Nothing, or why it ends here. Installed means: this very lockfile, on this very platform. */
async function install() {
  const wanted = stamp();
  if (installed(wanted)) return undefined;
  await takeLock();
  const heartbeat = setInterval(() => touchLock(), 2_000);
  let progress;
  try {
    if (installed(wanted)) return undefined;
    process.stderr.write("Installing packages (first run, a minute or two)…\n");
    const began = Date.now();
    progress = setInterval(() => process.stderr.write(`  ${Math.round((Date.now() - began) / 1000)} s…\n`), 10_000);
    const npm = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
    const options = { stranger: true, stdio: "pipe", shell: process.platform === "win32", isDetached: () => false };
    const { code, output, asked } = await runChild("npm", npm, { cwd: root, ...options });
    if (code === 0) writeFileSync(stampFile, wanted);
    if (asked) return { signal: asked };
    if (code === 0) return undefined;
    process.stderr.write(
      `${output}install-failed: “npm ${npm.join(" ")}” did not succeed.\n` +
        "Hint: npm's own words are above; is the registry within reach? The next run tries again.\n",
    );
    return { code: 1 };
  } finally {
    clearInterval(heartbeat);
    clearInterval(progress);
    releaseLock();
  }
}

function stamp() {
  const lockfile = readFileSync(join(root, "package-lock.json"));
  return `${createHash("sha256").update(lockfile).digest("hex")} ${process.platform}-${process.arch}\n`;
}

function installed(wanted) {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted;
}

/** Making a folder either succeeds or finds it there: a lock. Its age is a heartbeat, so a dead holder is noticed. */
async function takeLock() {
  for (let waiting = false; ; waiting = true) {
    try {
      mkdirSync(lockFolder);
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (!waiting) process.stderr.write("Waiting for another install to end…\n");
    if (lockAge() > 20_000) releaseLock();
    await sleep(250);
  }
}

function lockAge() {
  try {
    return Date.now() - statSync(lockFolder).mtimeMs;
  } catch {
    return 0;
  }
}

function touchLock() {
  try {
    utimesSync(lockFolder, new Date(), new Date());
  } catch {
    // Taken away by hand: the install goes on.
  }
}

function releaseLock() {
  try {
    rmdirSync(lockFolder);
  } catch {
    // Gone already.
  }
}
