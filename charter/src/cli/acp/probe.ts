import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { Problem } from "../../prompt/problem.ts";
import { parseOptions, wholeNumber } from "../shared/options.ts";
import { probeAgent } from "./probe-agent.ts";
import { reachedModel, reportLines } from "./probe-report.ts";

const options = {
  env: { type: "string", multiple: true },
  inherit: { type: "string", multiple: true },
  "sign-in": { type: "string" },
  "time-limit": { type: "string" },
  all: { type: "boolean" },
  json: { type: "boolean" },
} as const;

const hint = "As in: charter acp probe --env NAME=value -- npx my-agent. See charter acp probe --help.";

/** `charter acp probe -- <command…>`: where an agent takes a system prompt, and whether it arrives. */
export async function run(args: readonly string[]): Promise<number> {
  const at = args.indexOf("--");
  const command = at === -1 ? [] : args.slice(at + 1);
  const { values, positionals } = parseOptions("acp probe", at === -1 ? args : args.slice(0, at), options);
  if (positionals.length > 0)
    throw new Problem("usage", `“${positionals[0]}” comes before “--”; the command goes after it.`, hint);
  const [program, ...words] = command;
  if (!program) throw new Problem("usage", "charter acp probe needs a command.", hint);

  const { stdout, stderr } = process;
  const report = await probeAgent({
    command: [/[/\\]/.test(program) ? resolve(program) : program, ...words],
    env: { ...inherited(values.inherit ?? []), ...given(values.env ?? []) },
    all: values.all ?? false,
    signIn: values["sign-in"],
    limitMs: (wholeNumber("time-limit", values["time-limit"]) ?? 60) * 1000,
    newWord: () => `canary${randomBytes(8).toString("hex")}`,
    onProgress: (what) => {
      if (stderr.isTTY) stderr.write(`${what}…\n`);
    },
  });
  stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${reportLines(report, stdout).join("\n")}\n`);
  return reachedModel(report) ? 0 : 1;
}

function given(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new Problem("usage", `--env is “${pair}”, which is not NAME=value.`, hint);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function inherited(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = process.env[name];
      if (value === undefined) throw new Problem("usage", `--inherit names ${name}, which is not set here.`, hint);
      return [name, value];
    }),
  );
}
