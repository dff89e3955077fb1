import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { bareEnvironment } from "../cli.ts";
import { root } from "../fetched-package.ts";

/** A task that serves, as a person starts it: in this clone, by npm. */
export type NpmProcess = {
  /** What it has said so far. */
  readonly said: () => string;
  /** The first match, as soon as it has been said. */
  readonly says: (words: RegExp) => Promise<RegExpExecArray>;
  /** Sends a signal to all of it, as a terminal does; its code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
};

export function startNpm(
  args: readonly string[],
  { env = {}, before = [] }: { env?: NodeJS.ProcessEnv; before?: readonly string[] } = {},
): NpmProcess {
  const [program, ...words] = [...before, "npm", ...args] as [string, ...string[]];
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(program, words, {
    ...{ cwd: root, env: { ...bareEnvironment(), PATH, NO_COLOR: "1", npm_config_update_notifier: "false", ...env } },
    ...{ detached: true, stdio: ["ignore", "pipe", "pipe"] },
  });
  const ended = once(child, "close") as Promise<[number | null]>;
  let said = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      said += chunk;
      for (const hear of listeners) hear();
    });
  return {
    said: () => said,
    says: (words) =>
      new Promise((resolve, reject) => {
        const hear = () => {
          const found = words.exec(said);
          if (found) resolve(found);
        };
        listeners.add(hear);
        hear();
        void ended.then(([code]) => reject(new Error(`npm ${args.join(" ")} ended with ${code}:\n${said}`)));
      }),
    end: async (signal = "SIGINT") => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), signal);
      return (await ended)[0];
    },
  };
}
