// How much of what the lockfile names a task needs, and what there is to do where less is installed. Plain JavaScript: the
// machine's own Node may be as old as 18.

import { createHash } from "node:crypto";

/** The folders whose dependencies Charter runs on in a clone, its studio built. The root's own are for tests and tools. */
export const running = ["charter", "service", "studio", "scripts/source"];

/**
 * npm would follow peers even where they are optional: to viem, and from there to TypeScript, which tests need. It is told
 * to follow none. Those that must be there are dependencies here, which a test makes sure of.
 */
const withoutTests = ["--omit=dev", "--legacy-peer-deps"];
const only = (folders) => [...withoutTests, ...folders.map((folder) => `--workspace=${folder}`)];

/** Each holds all of the one before, and more. */
const portions = {
  running: { size: "210 MB", npm: only(running) },
  "running-with-node": {
    more: `a newer Node than ${process.versions.node}`,
    size: "400 MB",
    npm: only([...running, "scripts/node"]),
  },
  everything: { more: "what tests and tools need", size: "1 GB", npm: ["--include=dev"] },
};
const names = Object.keys(portions);

export function portionFor(needs, node = process.versions.node) {
  if (needs === "everything") return needs;
  return newEnough(node) ? "running" : "running-with-node";
}

export function newEnough(version) {
  const [major, minor] = version.replace("v", "").split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** What is written down once a portion is installed: of this very lockfile, on this very platform. */
export function stampOf(portion, { lockfile, platform = `${process.platform}-${process.arch}` }) {
  return `${createHash("sha256").update(lockfile).digest("hex")} ${platform} ${portion}\n`;
}

/** Nothing, or to add what is missing beside what is there and may be in use, or to install anew. */
export function todoFor(portion, stamp, place) {
  const there = names.findIndex((name) => stamp === stampOf(name, place));
  if (there >= names.indexOf(portion)) return "nothing";
  return there === -1 ? "anew" : "add";
}

/** What npm is told, and the user meanwhile. */
export function orderFor(portion, stamp, todo) {
  const { more, size, npm } = portions[portion];
  const what = ["what Charter runs on", more].filter(Boolean).join(", and ");
  const why = stamp === "" ? "first run" : "the lockfile has changed";
  return {
    npm: ["ci", ...npm, "--include=optional", "--no-audit", "--no-fund"],
    sentence:
      todo === "add"
        ? `Adding ${more}: about ${size} in all (what is there stays as it is)…`
        : `Installing ${what}: about ${size} (${why}, a minute or two)…`,
  };
}
