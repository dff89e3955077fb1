import { Readable } from "node:stream";
import type { Answered, Done, Job } from "./job.ts";

/**
 * A process in which the command runs again and again, as `charter` would: its folder, its standard streams and its exit
 * are its own each time; only that Node has started and our files are read is kept from one run to the next.
 */
process.getBuiltinModule("node:module").enableCompileCache?.();
const disk = process.getBuiltinModule("node:fs");
const { readFileSync } = disk;
let stdin: Uint8Array = new Uint8Array();
Object.assign(disk, {
  readFileSync: (path: unknown, ...rest: never[]) =>
    path === 0 ? Buffer.from(stdin) : (readFileSync as (...all: unknown[]) => unknown)(path, ...rest),
});
const { main } = await import("../../src/cli/main.ts");

process.on("message", async (job: Job) => {
  const before = traces();
  const { came, goesOn } = await run(job);
  const answer: Answered = { done: came, last: goesOn || before !== traces() };
  process.send?.(answer);
});
process.on("disconnect", () => process.exit());

/** What one run could leave for the next: listeners, and extensions, which are code. */
function traces(): string {
  const listeners = process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`);
  return JSON.stringify([listeners.sort(), Symbol.for("charter-extension") in globalThis]);
}

/** Only what is otherwise is touched: a machine's time zone is looked up anew each time it is set. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && process.env[name] !== value) process.env[name] = value;
}

/** `goesOn`: it left by its exit, and what it was doing may go on. */
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
        goesOn = true;
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
