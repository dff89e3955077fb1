import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../delivery/models/provider.ts";
import { endGroup } from "../../delivery/process/process-group.ts";
import { endWithProcess } from "../../delivery/process/running-processes.ts";
import { reasonOf } from "../../prompt/problem.ts";

type RunCommandOptions = {
  readonly command: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
};

/** How a command came to its end; `left`: so many processes it had started still ran then, and were ended. */
export type CommandEnd =
  | { readonly kind: "exited"; readonly code: number; readonly left: number }
  | { readonly kind: "killed"; readonly signal: string; readonly left: number }
  | { readonly kind: "late" | "stopped" }
  | { readonly kind: "not-run"; readonly reason: string };

/** What a background process prints after the shell has gone is waited for, as long as it keeps coming, but not for ever. */
const quiet = { pause: 100, max: 1000 };

/**
 * Runs a command to its end, or to the end of its time. No process of it is left afterwards, but for one that made
 * itself a session of its own.
 *
 * Standard error goes where standard output goes, so that lines come in the order in which they were printed: the shell
 * that is started puts itself in the place of one whose outputs are joined.
 */
export async function runCommand({
  command,
  cwd,
  env,
  seconds,
  signal,
  onOutput,
}: RunCommandOptions): Promise<CommandEnd> {
  if (signal.aborted) return { kind: "stopped" };
  const shell = shellOf(env);
  let child: ChildProcess;
  try {
    const args = ["-c", 'exec "$0" -c "$1" 2>&1', shell, command];
    child = spawn(shell, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return { kind: "not-run", reason: reasonOf(error) };
  }
  const exit = exitOf(child);
  const leader = child.pid;
  if (leader === undefined)
    return existsSync(cwd) ? exit : { kind: "not-run", reason: `there is no “${cwd}” any more` };
  const forget = endWithProcess(leader);
  const output = listenTo(child, onOutput);
  const clock = startClock(seconds, signal);
  try {
    const first = await Promise.race([exit, clock.over]);
    if (first.kind === "exited" || first.kind === "killed") {
      await output.quiet();
      return { ...first, left: await endGroup(leader) };
    }
    if (first.kind !== "not-run") await endGroup(leader);
    await output.quiet();
    return first;
  } finally {
    clock.stop();
    output.stop();
    forget();
  }
}

function exitOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ kind: "not-run", reason: reasonOf(error) }));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? { kind: "exited", code: code ?? 0, left: 0 } : { kind: "killed", signal, left: 0 }),
    );
  });
}

function startClock(
  seconds: number,
  signal: AbortSignal,
): { readonly over: Promise<CommandEnd>; readonly stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<CommandEnd>();
  const stopped = () => resolve({ kind: "stopped" });
  const timer = setTimeout(() => resolve({ kind: "late" }), seconds * 1000);
  signal.addEventListener("abort", stopped, { once: true });
  const stop = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopped);
  };
  return { over: promise, stop };
}

/** A process in the background may keep the pipe open for ever: silence is as good as its end. */
function listenTo(child: ChildProcess, onOutput: (chunk: Buffer) => void) {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let heard = () => {};
  for (const stream of streams) {
    stream.on("data", (chunk: Buffer) => {
      onOutput(chunk);
      heard();
    });
    stream.on("error", () => {});
  }
  return {
    quiet: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const max = setTimeout(resolve, quiet.max);
      const silence = startSilence(resolve);
      heard = silence.again;
      await Promise.race([closed, promise]);
      heard = () => {};
      clearTimeout(max);
      silence.stop();
    },
    stop: () => {
      for (const stream of streams) stream.destroy();
    },
  };
}

/** Where the process was too busy to listen, what has come meanwhile is heard before silence is called. */
function startSilence(over: () => void): { readonly again: () => void; readonly stop: () => void } {
  let look: NodeJS.Immediate | undefined;
  const start = () =>
    setTimeout(() => {
      look = setImmediate(over);
    }, quiet.pause);
  let timer = start();
  const stop = () => {
    clearTimeout(timer);
    clearImmediate(look);
  };
  const again = () => {
    stop();
    timer = start();
  };
  return { again, stop };
}

/** bash where there is one, else sh. */
function shellOf({ PATH = "" }: Environment): string {
  const folders = ["/bin", ...PATH.split(delimiter).filter(isAbsolute)];
  const candidates = folders.map((folder) => join(folder, "bash"));
  return candidates.find(isRunnable) ?? "/bin/sh";
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
