import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Environment } from "../../delivery/models/provider.ts";
import { endGroup, endWithProcess } from "../../delivery/process-group.ts";
import { reasonOf } from "../../prompt/problem.ts";
import { chainKeyVariable } from "../../sources/core-memory/key-source.ts";

type RunCommandOptions = {
  /** The program and its arguments. No shell reads them. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Buffer) => void;
  /** Called with what is printed to standard error; as with output, unless given. */
  readonly onError?: (chunk: Buffer) => void;
};

/** The way a command ended. `left`: number of processes it had started that still ran then, and were ended. */
export type CommandEnd =
  | { readonly kind: "exited"; readonly code: number; readonly left: number }
  | { readonly kind: "killed"; readonly signal: string; readonly left: number }
  | { readonly kind: "late" | "stopped" }
  | { readonly kind: "not-run"; readonly reason: string };

/** Milliseconds to wait for the output of background processes after the shell has gone: a pause that ends it, and a maximum. */
const quiet = { pause: 100, max: 1000 };

/**
 * Runs a command until it ends, or its time is up. Afterwards no process of it is left, except one that made a session of its
 * own.
 */
export async function runCommand(options: RunCommandOptions): Promise<CommandEnd> {
  const { words, cwd, env, seconds, signal, onOutput, onError = onOutput } = options;
  if (signal.aborted) return { kind: "stopped" };
  const [program = "", ...args] = words;
  let child: ChildProcess;
  try {
    child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    return { kind: "not-run", reason: reasonOf(error) };
  }
  const exit = exitOf(child);
  const leader = child.pid;
  if (leader === undefined)
    return existsSync(cwd) ? exit : { kind: "not-run", reason: `there is no “${cwd}” any more` };
  const forget = endWithProcess(leader);
  const output = listenTo(child, onOutput, onError);
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

/** Collects a command's output. A process in the background may keep the pipe open for ever, so silence counts as the end. */
function listenTo(child: ChildProcess, onOutput: (chunk: Buffer) => void, onError: (chunk: Buffer) => void) {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let onData = () => {};
  for (const stream of streams) {
    stream.on("data", (chunk: Buffer) => {
      if (stream === child.stderr) onError(chunk);
      else onOutput(chunk);
      onData();
    });
    stream.on("error", () => {});
  }
  return {
    quiet: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const max = setTimeout(resolve, quiet.max);
      const silence = startSilence(resolve);
      onData = silence.again;
      await Promise.race([closed, promise]);
      onData = () => {};
      clearTimeout(max);
      silence.stop();
    },
    stop: () => {
      for (const stream of streams) stream.destroy();
    },
  };
}

/** Waits for silence. A process too busy to read first reads what has come meanwhile. */
function startSilence(onSilence: () => void): { readonly again: () => void; readonly stop: () => void } {
  let check: NodeJS.Immediate | undefined;
  const start = () =>
    setTimeout(() => {
      check = setImmediate(onSilence);
    }, quiet.pause);
  let timer = start();
  const stop = () => {
    clearTimeout(timer);
    clearImmediate(check);
  };
  const again = () => {
    stop();
    timer = start();
  };
  return { again, stop };
}

/**
 * Names of secrets: a word of the name says so (`GITHUB_TOKEN`, `SECRET_KEY_BASE`, `SMTP_PASS`), or its end (`PGPASSWORD`,
 * `GH_PAT`).
 */
const secretName =
  /(?:^|_)(?:KEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSPHRASE|CREDENTIALS?|JWT)(?:_|$)|(?:APIKEY|PRIVATEKEY|TOKEN|SECRET|PASSWORD|PASSWD|_PWD|_AUTH|_PAT)$/i;
/**
 * Addresses with a password in them, or with a token in place of a name. A proxy's is passed on: without it nothing can be
 * reached.
 */
const secretValue = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:|https?:\/\/)[^/\s@]+@/i;
/** Secret keys of Nostr or of a chain, or what may be one, whatever the variable's name. They are passed to nobody. */
const secretKey = /nsec1[02-9ac-hj-np-z]{58}|^\s*(?:0x)?[0-9a-f]{64}\s*$/i;

/**
 * Makes the environment of commands: without variables that look like secrets, so that neither the keys of models nor a
 * database's password can be printed. `passed` names those that are needed all the same; a key of Nostr or of a chain is never
 * among them.
 *
 * It keeps secrets from being printed by accident. It is no wall: a command can read files, too.
 */
export function commandEnvironment(env: Environment, passed: readonly string[] = []): Environment {
  const isSecret = (name: string, value: string) =>
    secretName.test(name) || (secretValue.test(value) && !/_proxy$/i.test(name));
  const isKey = (name: string, value: string) => name === chainKeyVariable || secretKey.test(value);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value = ""]) => !isKey(name, value) && (passed.includes(name) || !isSecret(name, value)),
    ),
  );
}
