import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { ProbeInput } from "../../operations/here/chat.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { probeAgent } from "./probe-agent.ts";
import { reachedModel, reportLines } from "./probe-report.ts";

/** Where an agent takes a system prompt, and whether it arrives. */
export async function run({ input, json }: ParsedCommand): Promise<number> {
  const {
    program: [program = "", ...words],
    env = [],
    inherit = [],
    all = false,
    signIn,
    timeLimit,
  } = input as ProbeInput;
  const { stdout, stderr } = process;
  const report = await probeAgent({
    command: [/[/\\]/.test(program) ? resolve(program) : program, ...words],
    env: { ...inherited(inherit), ...given(env) },
    all,
    signIn,
    limitMs: timeLimit * 1000,
    newWord: () => `canary${randomBytes(8).toString("hex")}`,
    onProgress: (what) => {
      if (stderr.isTTY) stderr.write(`${what}…\n`);
    },
  });
  stdout.write(json ? `${JSON.stringify(report)}\n` : `${reportLines(report, stdout).join("\n")}\n`);
  return reachedModel(report) ? 0 : 1;
}

function given(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function inherited(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = process.env[name];
      if (value === undefined)
        throw new Problem("usage", `--inherit names ${name}, which is not set here.`, "See charter acp probe --help.");
      return [name, value];
    }),
  );
}
