import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, run, spawned } from "../process.ts";
import type { Report, Row } from "../report.ts";
import { type Contender, inRounds, ratioOf, spreadOf, timeOf } from "../rounds.ts";

const launcher = join(root, "charter/bin/charter.js");
const facts = { now: "2026-02-20T10:00:00Z", tools: [], state: {} };

/**
 * How long until `charter show` writes its first byte, beside a process of the same Node that writes one and ends; and
 * until a program that takes a turn has its reply, beside one that does so by hand.
 */
export async function start(rounds: number): Promise<Report> {
  const title = "Start  `charter show` to its first byte, and a new process to its first reply";
  const about =
    "bare = the same Node writing one byte; Charter through its launcher, compile cache warm; a reply without any cache";
  const there = ["src/cli/main.ts", "dist/cli/main.js"].some((path) => existsSync(join(root, "charter", path)));
  if (!there)
    return { title, about, rows: [{ case: "start", what: "charter show", note: "not there yet" }], wrong: [] };
  const folder = mkdtempSync(join(tmpdir(), "charter-bench-"));
  try {
    const shown = await measured(folder, rounds);
    const replied = await firstReplies(folder, rounds);
    return { title, about, rows: [...shown.rows, ...replied], wrong: shown.wrong };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(folder: string, rounds: number): Promise<Pick<Report, "rows" | "wrong">> {
  const input = join(folder, "facts.json");
  writeFileSync(input, JSON.stringify(facts));
  const bare = join(folder, "bare.mjs");
  writeFileSync(bare, "process.stdout.write(String.fromCharCode(46));\n");
  const show = [launcher, "show", "--charter", "sovereign", "--input", input];
  const { NODE_COMPILE_CACHE: _, ...given } = process.env;
  const env = { ...given, TMPDIR: folder }; // where the launcher's compile cache lies: cold at first, warm after.

  const first = await run(show, env);
  if (first.code !== 0 || first.output === "")
    return {
      rows: [{ case: "start", what: "charter show", note: `did not run (exit ${first.code})` }],
      wrong: [`charter show ended with ${first.code}: ${first.errors.trim().split("\n")[0]}`],
    };
  const files = await loadedFiles(show, env, folder);
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "AGENTS.md"), "Run the tests before you say that you are done.\n");
  const coder = [launcher, "show", "--charter", "coder", "--cwd", project, "--home", join(folder, "home")];
  const coderFiles = await loadedFiles(coder, env, folder);
  const contenders: Contender[] = [
    spawned("bare", [bare], env),
    spawned("charter", show, env),
    spawned("coder", coder, env),
  ];
  const times = await inRounds(contenders, rounds);
  const tokenizers = [...files, ...coderFiles].filter(
    (url) => url.includes("/gpt-tokenizer/") || url.includes("/tiktoken/"),
  );
  const helpFiles = await loadedFiles([launcher, "--help"], env, mkdtempSync(join(folder, "help-")));
  const unused = helpFiles.filter((url) => /\/(nostr-tools|@agentclientprotocol|@modelcontextprotocol)\//.test(url));
  const rows: Row[] = [
    { case: "start", what: "bare Node", time: timeOf(times, "bare") },
    {
      case: "start",
      what: "charter show",
      time: timeOf(times, "charter"),
      ratio: { ...ratioOf(times, "charter", "bare"), of: "bare" },
      target: 1.8,
      note: `${files.length} files loaded`,
    },
    {
      case: "start",
      what: "charter show --charter coder, a directory",
      time: timeOf(times, "coder"),
      ratio: { ...ratioOf(times, "coder", "bare"), of: "bare" },
      note: `${coderFiles.length} files loaded`,
    },
    { case: "start", what: "tokenizer files loaded by it", figure: tokenizers.length, target: 0 },
    {
      case: "start",
      what: "files of nostr-tools, ACP and MCP loaded by charter --help",
      figure: unused.length,
      target: 0,
    },
  ];
  const wrong = tokenizers.length === 0 ? [] : [`charter show loads a tokenizer: ${tokenizers[0]}`];
  return { rows, wrong: unused.length === 0 ? wrong : [...wrong, `charter --help loads ${unused[0]}`] };
}

type Phases = { readonly load: number; readonly store: number; readonly turn: number };

/** In milliseconds: what a program says it had used by the end of each. */
function phasesOf(until: readonly NodeJS.CpuUsage[]): Phases {
  const [load = 0, opened = 0, replied = 0] = until.map(({ user, system }) => (user + system) / 1000);
  return { load, store: opened - load, turn: replied - opened };
}

/** A program that takes one turn, three times: by hand, through the package as it is published, through the sources. */
async function firstReplies(folder: string, rounds: number): Promise<Row[]> {
  const isBuilt = existsSync(join(root, "charter/dist/agent/index.js"));
  const programs: Readonly<Record<string, readonly string[]>> = {
    "by hand": ["first-reply-by-hand.mjs"],
    ...(isBuilt ? { built: ["first-reply.mjs"] } : {}),
    source: ["--conditions=charter-source", "first-reply.mjs"],
  };
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const phases = new Map<string, Phases[]>();
  let files = 0;
  const contenders = Object.entries(programs).map(([name, args]): Contender => {
    const options = args.slice(0, -1);
    const program = join(root, "bench/workloads", args.at(-1) as string);
    const reply = async () => {
      const began = performance.now();
      const { output, firstByte } = await run([...options, program, join(folder, `reply-${files++}.db`)], env);
      phases.set(name, [...(phases.get(name) ?? []), phasesOf(JSON.parse(output.split("\n")[1] as string))]);
      return firstByte - began;
    };
    return { name, ownClock: true, prepare: () => [reply] };
  });
  const times = await inRounds(contenders, rounds);
  const rows = Object.keys(programs).flatMap((name): Row[] => {
    const all = (phases.get(name) as Phases[]).slice(-rounds);
    const middle = (of: (one: Phases) => number) => Math.round(spreadOf(all.map(of)).median);
    const note = `load ${middle(({ load }) => load)}, store ${middle(({ store }) => store)}, turn ${middle(({ turn }) => turn)}`;
    const ratio = name === "by hand" ? {} : { ratio: { ...ratioOf(times, name, "by hand"), of: "by hand" } };
    const processor = spreadOf(all.map(({ load, store, turn }) => load + store + turn));
    return [
      { case: "start", what: `first reply, ${name}`, time: timeOf(times, name), ...ratio },
      { case: "start", what: `first reply, ${name}: processor time`, time: processor, note },
    ];
  });
  if (!isBuilt) return [...rows, { case: "start", what: "first reply, built", note: "run npm run build first" }];
  const milliseconds = Math.round(timeOf(times, "built").median);
  return [...rows, { case: "start", what: "first reply, built, in ms", figure: milliseconds, target: 600 }];
}

/** Every script a run loads, from V8's own list of what it covered. */
async function loadedFiles(args: readonly string[], env: NodeJS.ProcessEnv, folder: string): Promise<string[]> {
  const coverage = join(folder, "coverage");
  await run(args, { ...env, NODE_V8_COVERAGE: coverage });
  const urls = readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  return [...new Set(urls)].filter((url) => url.startsWith("file:"));
}
