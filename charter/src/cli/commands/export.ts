import { sizeText } from "../../operations/print/columns.ts";
import { personNamed } from "../../operations/users/erase.ts";
import { counted, Problem, reasonOf } from "../../prompt/problem.ts";
import type { UserExport } from "../../store/lifecycle/export.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { withStore } from "../shared/store.ts";

type ExportInput = {
  readonly user?: string;
  readonly counterpart?: string;
  readonly agent?: string;
  readonly output?: string;
};

/** Prints what is stored about someone, or writes it to a file. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const { agent, output, ...named } = input as ExportInput;
  const user = personNamed(named);
  const exported = await withStore({ database }, (store) => store.export({ user, agent }));
  const text = `${JSON.stringify(exported, null, json && output === undefined ? 0 : 2)}\n`;
  const nothing = exported.agents.length === 0 && exported.tokens.length === 0 && exported.zone === null;
  if (output === undefined) process.stdout.write(text);
  else {
    writeWhole(output, text);
    const bytes = Buffer.byteLength(text);
    const counts = countsOf(exported);
    process.stdout.write(
      json
        ? `${JSON.stringify({ user, output, bytes, ...counts })}\n`
        : `Wrote what is kept about “${user}” to ${output}: ${counted(counts.agents, "agent")}, ${counted(counts.turns, "turn")}, ${counted(counts.memories, "note")}, ${sizeText(bytes)}.\n`,
    );
  }
  if (nothing) process.stderr.write(`Nothing is kept about “${user}”${agent ? ` with ${agent}` : ""}.\n`);
  return nothing ? 1 : 0;
}

function countsOf({ agents }: UserExport) {
  const sum = (what: "turns" | "memories") => agents.reduce((all, agent) => all + agent[what].length, 0);
  return { agents: agents.length, turns: sum("turns"), memories: sum("memories") };
}

/** Writes the file whole or not at all, readable by its owner alone, because it holds a person's data. */
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
