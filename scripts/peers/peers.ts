// Real agents over ACP, each through the probe: which slot Charter chooses for it, and where the word arrives that was put
// there. They are installed into this folder on the first run. One that cannot run is skipped, with the reason; one that
// ran and took the word elsewhere than expected is a failure.

import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CanaryPlace, type ProbeReport, probeAgent } from "../../charter/src/cli/acp/probe.ts";
import type { IdentitySlot } from "../../charter/src/delivery/model.ts";

type Peer = {
  readonly package: string;
  readonly args?: readonly string[];
  /** The least Node it runs on. */
  readonly node: number;
  /** As its package and its documentation have it. */
  readonly slot: IdentitySlot;
  readonly reaches: CanaryPlace;
};

const peers: readonly Peer[] = [
  { package: "@agentclientprotocol/claude-agent-acp", node: 22, slot: "system-prompt", reaches: "system" },
  { package: "@agentclientprotocol/codex-acp", node: 20, slot: "system-prompt", reaches: "system" },
  { package: "@google/gemini-cli", args: ["--acp"], node: 20, slot: "first-message", reaches: "user" },
  { package: "@zed-industries/claude-code-acp", node: 20, slot: "meta-append", reaches: "system" },
];

const usage = `npm run peers [-- <name>…]

  Starts agents that others wrote, with a model on this machine behind them, and says where each takes a system prompt:
${peers.map((peer) => `  ${peer.package}`).join("\n")}
  With names, only those whose package contains one of them. The first run installs all of them, about 1 GB.
`;

const here = import.meta.dirname;
const modules = join(here, "node_modules");
const stampFile = join(modules, ".charter-installed");
const roomNeeded = 2 * 1024 ** 3;

/** Nothing, or why there is none of them. */
function install(): string | undefined {
  const stamp = createHash("sha256")
    .update(readFileSync(join(here, "package-lock.json")))
    .digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return undefined;
  const { bavail, bsize } = statfsSync(here);
  if (bavail * bsize < roomNeeded) return "there are less than 2 GB free on this disk";
  process.stderr.write("Installing the agents (first run, about 1 GB)…\n");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status, stderr } = spawnSync("npm", args, {
    cwd: here,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) return `npm ci did not succeed: ${stderr?.trim().split("\n").at(-1) ?? "npm is not here"}`;
  writeFileSync(stampFile, stamp);
  return undefined;
}

/** The file that its command runs; undefined if it is not installed here. */
function programOf(peer: Peer): string | undefined {
  const folder = join(modules, peer.package);
  if (!existsSync(folder)) return undefined;
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
  };
  const file = typeof bin === "string" ? bin : Object.values(bin)[0];
  return file === undefined ? undefined : join(folder, file);
}

function skipReason(peer: Peer, program: string | undefined, missing: string | undefined): string | undefined {
  if (missing !== undefined) return missing;
  if (program === undefined) return "it is not installed";
  if (Number(process.versions.node.split(".")[0]) < peer.node) return `it needs Node ${peer.node} or newer`;
  return undefined;
}

/** “ok” or what differs, and the row. */
function rowOf(peer: Peer, { name, version, protocols, chosen, trials }: ProbeReport): { ok: boolean; line: string } {
  const trial = trials.find(({ slot }) => slot === chosen?.slot);
  const ok = chosen?.slot === peer.slot && trial?.reached === peer.reaches;
  const advertised = protocols.map(({ asked, answered, slots, reason }) => {
    const own = slots.filter((slot) => slot !== "first-message").join(", ") || "no slot";
    return answered === asked
      ? `v${asked}: ${own}`
      : `v${asked}: ${answered === null ? reason : `answers v${answered}`}`;
  });
  const arrived = trial ? `${trial.got}, ${trial.reached}${trial.api ? ` (${trial.api})` : ""}` : "nothing";
  const others = trials.filter((one) => one !== trial).map(({ slot, reached }) => `${slot} → ${reached}`);
  const parts = [
    `${name ?? "no name"} ${version ?? ""}`.trim(),
    advertised.join("; "),
    chosen ? `Charter: v${chosen.protocol} ${chosen.slot} → ${arrived}` : "Charter: nothing",
    ...(others.length > 0 ? [`also ${others.join(", ")}`] : []),
    ...(trial?.reason ? [trial.reason] : []),
    ...(ok ? [] : [`expected ${peer.slot} → ${peer.reaches}`]),
  ];
  return { ok, line: parts.join(" | ") };
}

const names = process.argv.slice(2);
if (names.some((name) => name.startsWith("-"))) {
  process.stdout.write(usage);
  process.exit(names.some((name) => name === "--help" || name === "-h") ? 0 : 2);
}
const wanted = peers.filter((peer) => names.length === 0 || names.some((name) => peer.package.includes(name)));
const missing = wanted.length === 0 ? undefined : install();
const counts = { ok: 0, wrong: 0, skipped: 0 };
for (const peer of wanted) {
  const program = programOf(peer);
  const skipped = skipReason(peer, program, missing);
  if (skipped !== undefined || program === undefined) {
    counts.skipped++;
    process.stdout.write(`skipped  ${peer.package}: ${skipped}\n`);
    continue;
  }
  const report = await probeAgent({
    command: [process.execPath, program, ...(peer.args ?? [])],
    env: {},
    all: true,
    signIn: undefined,
    limitMs: 180_000,
    newWord: () => `canary${randomBytes(8).toString("hex")}`,
    onProgress: () => {},
  });
  const { ok, line } = rowOf(peer, report);
  counts[ok ? "ok" : "wrong"]++;
  process.stdout.write(`${ok ? "ok     " : "WRONG  "}  ${line}\n`);
}
process.stdout.write(`${counts.ok} as expected, ${counts.wrong} not, ${counts.skipped} skipped\n`);
process.exitCode = counts.wrong > 0 ? 1 : 0;
