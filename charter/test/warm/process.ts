import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { useSource } from "../../bin/resolve.js";
import type { Answered, Done, Job } from "./job.ts";

/**
 * A process in which the command runs again and again, as `charter` would: its folder, its standard streams and its exit
 * are its own each time; only that Node has started and our files are read is kept from one run to the next.
 */
process.getBuiltinModule("node:module").enableCompileCache?.();
const disk = process.getBuiltinModule("node:fs");
const { readFileSync } = disk;
let stdin: Uint8Array = new Uint8Array();
let runs = 0;
const loaded: string[] = [];
Object.assign(disk, {
  readFileSync: (path: unknown, ...rest: never[]) =>
    path === 0 ? Buffer.from(stdin) : (readFileSync as (...all: unknown[]) => unknown)(path, ...rest),
});
const forgetRequired = giveEachRunItsCode();
const { main } = await import("../../src/cli/main.ts");

process.on("message", async (job: Job) => {
  runs++;
  forgetRequired();
  const before = traces();
  const { came, goesOn } = await run(job);
  const answer: Answered = { done: came, last: goesOn || before !== traces(), loaded: loaded.splice(0) };
  process.send?.(answer);
});
process.on("disconnect", () => process.exit());

/** What one run could leave for the next. The one who answers for extensions stays. */
function traces(): string {
  const names = process.eventNames().filter((name) => name !== "uncaughtException");
  return names.map((name) => `${String(name)} ${process.listenerCount(name)}`).join();
}

/** A module that is not of this house is read anew in each run: its address carries the run's number. */
function giveEachRunItsCode(): () => void {
  const { createRequire, registerHooks } = process.getBuiltinModule("node:module");
  const house = new URL("../../../", import.meta.url);
  const unnumbered = (url: string | undefined) => url?.replace(/\?run=\d+$/, "");
  // Ours stand nearer to Node: they see addresses as they are.
  useSource();
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, { ...context, parentURL: unnumbered(context.parentURL) });
      const isOurs = found.url.startsWith(house.href);
      if (isOurs && !found.url.includes("/node_modules/")) loaded.push(fileURLToPath(found.url));
      const isTheirs = found.url.startsWith("file:") && !isOurs && !found.url.includes("?");
      return isTheirs && context.conditions.includes("import") ? { ...found, url: `${found.url}?run=${runs}` } : found;
    },
  });
  const { cache } = createRequire(import.meta.url);
  return () => {
    for (const path of Object.keys(cache)) if (!path.startsWith(house.pathname)) delete cache[path];
  };
}

/** Only what is otherwise is touched: a machine's time zone is looked up anew each time it is set. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && process.env[name] !== value) process.env[name] = value;
}

/** `goesOn`: it left by its exit, and what it was doing may go on. With extensions every run ends so, all done. */
async function run(job: Job): Promise<{ readonly came: Done; readonly goesOn: boolean }> {
  const home = process.cwd();
  const said = { stdout: "", stderr: "" };
  const kept = { out: process.stdout.write, err: process.stderr.write, exit: process.exit };
  const hear =
    (stream: keyof typeof said) =>
    (words: string | Uint8Array, ...rest: unknown[]) => {
      said[stream] += typeof words === "string" ? words : Buffer.from(words).toString("utf8");
      const done = rest.findLast((one) => typeof one === "function") as (() => void) | undefined;
      if (done) queueMicrotask(done);
      return true;
    };
  process.stdout.write = hear("stdout") as typeof kept.out;
  process.stderr.write = hear("stderr") as typeof kept.err;
  stdin = job.stdin;
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(stdin)]), configurable: true });
  setEnvironment(job.env);
  process.chdir(job.cwd);
  let goesOn = false;
  try {
    const exited = new Promise<number>((resolve) => {
      process.exit = ((code = 0) => {
        goesOn = !(Symbol.for("charter-extension") in globalThis);
        resolve(Number(code));
        return new Promise(() => {});
      }) as unknown as typeof kept.exit;
    });
    const code = await Promise.race([main(job.args), exited]);
    await new Promise((resolve) => setImmediate(resolve));
    return { came: { code, ...said }, goesOn };
  } finally {
    process.exit = kept.exit;
    process.stdout.write = kept.out;
    process.stderr.write = kept.err;
    process.stdout.removeAllListeners("error");
    process.chdir(home);
  }
}
