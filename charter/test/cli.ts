import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DeclaredTurn } from "../src/charters/declared-turn.ts";
import { amend, assemble, gather, type Prompt, type Proposal, type Room, type Verdict } from "../src/index.ts";
import { findSection } from "../src/prompt/charter.ts";
import type { Job } from "./warm/job.ts";
import { runWarm, runWarmMeanwhile } from "./warm/warm.ts";

/** The command's first file. */
export const command = fileURLToPath(new URL("../bin/charter.js", import.meta.url));

/** What a run of the real command came to. */
export type Answer = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as the one JSON document it is. */
  readonly json: () => unknown;
};

export type Files = Readonly<Record<string, string | Uint8Array>>;
export type Run = {
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs `charter …` as a process. Without a `cwd` it runs in a folder of its own that holds `files` and is gone after. */
export function charter(args: readonly string[], { stdin = "", cwd, files = {}, env = {} }: Run = {}): Answer {
  if (cwd !== undefined) return runIn(cwd, args, stdin, env);
  const folder = createFolder(files);
  try {
    return folder.charter(args, stdin);
  } finally {
    folder.remove();
  }
}

/** A command that is told its facts on standard input. */
export function withFacts(name: string, charterName: string, facts: unknown, ...more: readonly string[]): Answer {
  return charter([name, "--charter", charterName, "--input", "-", ...more], { stdin: JSON.stringify(facts) });
}

export function show(charterName: string, facts: unknown, ...more: readonly string[]): Answer {
  return withFacts("show", charterName, facts, ...more);
}

/** `charter amend --dry-run --json` */
export function dryRun(charterName: string, facts: unknown, ...more: readonly string[]): Answer {
  return withFacts("amend", charterName, facts, "--dry-run", "--json", ...more);
}

/** A folder in which several commands run one after the other. */
export type Folder = {
  readonly path: string;
  readonly charter: (args: readonly string[], stdin?: string | Uint8Array) => Answer;
  readonly read: (name: string) => string;
  readonly write: (name: string, content: string | Uint8Array) => void;
  /** Every file in it, however deep, in order. */
  readonly names: () => string[];
  readonly remove: () => void;
};

export function createFolder(files: Files = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), "charter-test-"));
  const write = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    path,
    write,
    charter: (args, stdin = "") => runIn(path, args, stdin),
    read: (name) => readFileSync(join(path, name), "utf8"),
    names: () =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
        .sort(),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The same while this process goes on: whoever stands for a provider answers meanwhile. */
export function charterMeanwhile(
  args: readonly string[],
  { cwd, stdin = "", env = {} }: { cwd: string; stdin?: string; env?: Readonly<Record<string, string>> },
): Promise<Omit<Answer, "json">> {
  return runWarmMeanwhile(jobIn(cwd, args, stdin, env));
}

/**
 * A folder for the front of PATH in which `npx charter` is this clone's command at once: finding it out costs npx more than
 * the command itself takes. That npx finds it too is looked at once, in docs-commands.door.test.ts.
 */
export function quickNpx(): string {
  const folder = join(tmpdir(), "charter-test-npx");
  const path = join(folder, "npx");
  const words = `#!/bin/sh\n[ "$1" = charter ] || { echo "npx: only charter" >&2; exit 2; }\nshift\nexec "${process.execPath}" "${command}" "$@"\n`;
  mkdirSync(folder, { recursive: true });
  const own = `${path}-${process.pid}`;
  writeFileSync(own, words, { mode: 0o755 });
  renameSync(own, path);
  return folder;
}

/** Nothing of whoever runs the tests decides what a command shows, which database it takes or which model answers. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const decides =
    /^(?:_|npm_command|npm_lifecycle_\w+|NO_COLOR|FORCE_COLOR|NODE_OPTIONS|CHARTER_DATABASE)$|_API_KEY$|_BASE_URL$/;
  const others = Object.entries(process.env).filter(([name]) => !decides.test(name));
  return { ...Object.fromEntries(others), HOME: join(tmpdir(), "charter-test-nobody-lives-here") };
}

function runIn(
  cwd: string,
  args: readonly string[],
  stdin: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Answer {
  const done = runWarm(jobIn(cwd, args, stdin, more));
  return { ...done, json: () => JSON.parse(done.stdout) as unknown };
}

function jobIn(
  cwd: string,
  args: readonly string[],
  stdin: string | Uint8Array,
  more: Readonly<Record<string, string>>,
): Job {
  return { cwd, args, stdin: Buffer.from(stdin), env: { ...bareEnvironment(), ...more }, anew: hasNewManifest(cwd) };
}

/** Each package.json as the warm process has read it, which Node does once. */
const knownManifests = new Map<string, string>();

/** Folders that are not of the tests keep theirs. */
function hasNewManifest(cwd: string): boolean {
  if (!cwd.startsWith(tmpdir())) return false;
  const paths = readdirSync(cwd, { recursive: true, encoding: "utf8" })
    .filter((name) => basename(name) === "package.json")
    .map((name) => join(cwd, name));
  const manifests = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
  const isNew = [...manifests].some(([path, words]) => (knownManifests.get(path) ?? words) !== words);
  if (isNew) knownManifests.clear();
  for (const [path, words] of manifests) knownManifests.set(path, words);
  return isNew;
}

/** The same through the library's doors, where a process for each case would be slow. */
export async function promptOf(given: DeclaredTurn, room?: Room): Promise<Prompt> {
  return assemble(given.charter, await gather(given.charter, given.turn), room);
}

export async function verdictOn(given: DeclaredTurn, proposal: Proposal, room?: Room): Promise<Verdict> {
  const { section } = findSection(given.charter, proposal.section);
  const readings = await gather(given.charter, given.turn);
  const rules = (await given.rules())(section.name, readings, room);
  const original = section.original ?? section.words ?? "";
  const standing = given.turn.standing[section.name];
  const { text, revision } = standing && "text" in standing ? standing : { text: original, revision: 0 };
  return amend(given.charter, { text, original, revision }, proposal, rules, given.turnFacts);
}
