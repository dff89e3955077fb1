import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Contender } from "./rounds.ts";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** On the clock: from starting a process to its first byte. Off the clock: its end is waited for. */
export function spawned(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Contender {
  let ended = Promise.resolve();
  const firstByte = () =>
    new Promise<void>((resolve, reject) => {
      const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
      child.on("error", reject);
      child.stdout.once("data", () => resolve());
      ended = new Promise((over) => {
        child.on("close", (code) => {
          reject(new Error(`${name} ended with ${code} before its first byte.`));
          over();
        });
      });
    });
  return { name, prepare: () => [firstByte], settle: () => ended };
}

export type Ended = {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  /** When its first byte came, by `performance.now()`. */
  readonly firstByte: number;
};

export function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    let firstByte = 0;
    child.stdout.on("data", (chunk) => {
      firstByte ||= performance.now();
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, errors, firstByte }));
  });
}
