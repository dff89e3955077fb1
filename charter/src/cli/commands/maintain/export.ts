import { counted, Problem, reasonOf } from "../../../prompt/problem.ts";
import type { UserExport } from "../../../store/lifecycle/export.ts";
import { sizeText } from "../../print/size.ts";
import { counterpartOptions, userOption } from "../../shared/counterpart-options.ts";
import { noMoreWords, parseOptions, requiredOption } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("export", args, {
    ...storeOptions,
    ...counterpartOptions,
    agent: { type: "string", short: "a" },
    output: { type: "string", short: "o" },
  });
  noMoreWords("export", positionals);
  const user = requiredOption("export", "user", userOption(values));
  const exported = await withStore(values, (store) => store.export({ user, agent: values.agent }));
  const text = `${JSON.stringify(exported, null, values.json && values.output === undefined ? 0 : 2)}\n`;
  const nothing = exported.agents.length === 0 && exported.tokens.length === 0 && exported.zone === null;
  if (values.output === undefined) process.stdout.write(text);
  else {
    writeWhole(values.output, text);
    const bytes = Buffer.byteLength(text);
    const counts = countsOf(exported);
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ user, output: values.output, bytes, ...counts })}\n`
        : `Wrote what is kept about “${user}” to ${values.output}: ${counted(counts.agents, "agent")}, ${counted(counts.turns, "turn")}, ${counted(counts.memories, "note")}, ${sizeText(bytes)}.\n`,
    );
  }
  if (nothing) process.stderr.write(`Nothing is kept about “${user}”${values.agent ? ` with ${values.agent}` : ""}.\n`);
  return nothing ? 1 : 0;
}

function countsOf({ agents }: UserExport) {
  const sum = (what: "turns" | "memories") => agents.reduce((all, agent) => all + agent[what].length, 0);
  return { agents: agents.length, turns: sum("turns"), memories: sum("memories") };
}

/** Someone's data is nobody else's: the file is only its owner's to read. */
function writeWhole(path: string, text: string): void {
  const { renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new Problem(
      "unwritable",
      `${path} could not be written: ${reasonOf(error)}.`,
      "Check the path and its rights.",
    );
  }
}
