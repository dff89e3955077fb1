// Installs the portion of the lockfile that a task needs, when that has not happened yet. Plain JavaScript: the machine's
// own Node may be as old as 18.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runChild } from "../charter/bin/child.js";
import { orderFor, stampOf, todoFor } from "./portions.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stampFile = join(modules, ".charter-installed");
const lockFolder = join(root, ".charter-install.lock");
const workshops = ".installing-";

/** Nothing, or why it ends here. */
export async function install(portion) {
  const place = { lockfile: readFileSync(join(root, "package-lock.json")) };
  if (todoFor(portion, readStamp(), place) === "nothing") return undefined;
  await takeLock();
  const heartbeat = setInterval(() => touchLock(), 2_000);
  let progress;
  try {
    const stamp = readStamp();
    const todo = todoFor(portion, stamp, place);
    if (todo === "nothing") return undefined;
    const { npm, sentence } = orderFor(portion, stamp, todo);
    process.stderr.write(`${sentence}\n`);
    const began = Date.now();
    progress = setInterval(() => process.stderr.write(`  ${Math.round((Date.now() - began) / 1000)} s…\n`), 10_000);
    await clearAway();
    const { code, output, asked } = todo === "add" ? await add(npm) : await installAnew(npm);
    if (code === 0) writeStamp(stampOf(portion, place));
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

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
}

/** Whole or not at all: by half a stamp, all would be installed anew. */
function writeStamp(words) {
  writeFileSync(`${stampFile}.new`, words);
  renameSync(`${stampFile}.new`, stampFile);
}

/** What was left by one that was killed. */
async function clearAway() {
  for (const name of readdirSync(root)) if (name.startsWith(workshops)) await remove(join(root, name));
}

/** npm empties node_modules first, in no order: what is half gone has no stamp. */
function installAnew(npm) {
  rmSync(stampFile, { force: true });
  return runNpm(npm, root);
}

/**
 * Installs into a folder of its own, and moves from there what is missing here. A server that runs from here keeps every
 * file it has or may still load; who is interrupted leaves whole packages.
 */
async function add(npm) {
  const workshop = mkdtempSync(join(root, workshops));
  try {
    for (const file of manifests()) cpSync(join(root, file), join(workshop, file));
    const ended = await runNpm(npm, workshop);
    if (ended.code === 0) moveMissing(join(workshop, "node_modules"), modules);
    return ended;
  } finally {
    await remove(workshop);
  }
}

/** All that npm reads of a project. */
function manifests() {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folders = [".", ...workspaces];
  return ["package-lock.json", ".npmrc", ...folders.map((folder) => join(folder, "package.json"))];
}

function moveMissing(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [made, place] = [join(from, entry.name), join(to, entry.name)];
    if (!existsSync(place)) renameSync(made, place);
    else if (entry.isDirectory()) moveMissing(made, place);
  }
}

function runNpm(npm, cwd) {
  const options = { stranger: true, stdio: "pipe", shell: process.platform === "win32", isDetached: () => false };
  return runChild("npm", npm, { cwd, ...options });
}

function remove(folder) {
  return rm(folder, { recursive: true, force: true });
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
