import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { bareEnvironment, command } from "./cli.ts";

/** util-linux's `script` gives a process a real terminal; where it is missing, nothing can be said about one. */
export const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

/** A command at a pseudo-terminal, and someone who types there. */
export type Terminal = {
  readonly type: (keys: string) => void;
  /** Resolves when these words have been shown since the last thing that was waited for. */
  readonly shows: (words: string) => Promise<void>;
  /** Everything that was written, and the same as someone reads it. */
  readonly raw: () => string;
  readonly text: () => string;
  readonly ended: Promise<number | null>;
};

export function charterAtTerminal(
  args: readonly string[],
  { cwd, env: more = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Terminal {
  const line = [process.execPath, command, ...args].map((word) => `'${word}'`).join(" ");
  const env = { ...bareEnvironment(), ...more, TERM: "xterm", SHELL: "/bin/sh" };
  const child: ChildProcess = spawn("/usr/bin/script", ["-qfec", `stty cols 80 rows 24; ${line}`, "/dev/null"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let written = "";
  let seen = 0;
  let look = () => {};
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
    look();
  });
  return {
    type: (keys) => child.stdin?.write(keys),
    shows: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = plain(written).indexOf(words, seen);
          if (at === -1) return;
          seen = at + words.length;
          look = () => {};
          resolve();
        };
        look();
        const fail = (what: string) => reject(new Error(`${what} “${words}”:\n${plain(written)}`));
        ended.then(() => fail("It ended before it showed"));
        setTimeout(() => fail("It does not show"), 240_000).unref();
      }),
    raw: () => written,
    text: () => plain(written),
    ended,
  };
}

function plain(written: string): string {
  return stripVTControlCharacters(written).replaceAll("\r", "");
}
