import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { bareEnvironment, command } from "../../cli.ts";

/** What `charter chat --json` says of a turn. */
export type TerminalTurn = {
  readonly turn: string;
  readonly state: string;
  readonly reply: string | null;
  readonly problem?: { readonly code: string; readonly message: string };
};

/** Someone at a terminal, in a process of their own that stays open from turn to turn. */
export type TerminalDoor = {
  readonly say: (line: string) => Promise<TerminalTurn>;
  /** Types a line that is no turn: a command. */
  readonly type: (line: string) => void;
  /** All that was written there, on both outputs. */
  readonly written: () => string;
  /** They leave; gives what the process ended with. */
  readonly leave: () => Promise<number | null>;
};

export function openTerminal(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): TerminalDoor {
  const child = spawn(process.execPath, [command, "chat", "--json", ...args], {
    cwd,
    env: { ...bareEnvironment(), ...env },
  });
  let written = "";
  const waiting: ((line: string) => void)[] = [];
  child.stderr.on("data", (chunk) => {
    written += chunk;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    written += `${line}\n`;
    waiting.shift()?.(line);
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    say: async (line) => {
      const answered = new Promise<string>((resolve) => waiting.push(resolve));
      child.stdin.write(`${line}\n`);
      const answer = await Promise.race([answered, ended]);
      if (typeof answer !== "string") throw new Error(`It ended with ${answer}:\n${written}`);
      return JSON.parse(answer) as TerminalTurn;
    },
    type: (line) => child.stdin.write(`${line}\n`),
    written: () => written,
    leave: () => {
      child.stdin.end();
      return ended;
    },
  };
}
