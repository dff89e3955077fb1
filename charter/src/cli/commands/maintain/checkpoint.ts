import { colours, pairs, progressOn, sizeText, timeText } from "../../../operations/print/columns.ts";
import { hintsHere } from "../../../operations/print/command-name.ts";
import { counted, listed } from "../../../prompt/problem.ts";
import type { CheckpointResult } from "../../../store/lifecycle/checkpoint.ts";
import type { CheckpointProof } from "../../../store/lifecycle/restore.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { withStore } from "../../shared/store.ts";

type CheckpointInput = {
  readonly file: string;
  readonly agent?: string;
  readonly force?: boolean;
  readonly replace?: boolean;
};

const actions: Readonly<Record<string, typeof save>> = {
  "checkpoint.save": save,
  "checkpoint.restore": restore,
  "checkpoint.inspect": inspect,
};

export async function run({ operation, input, json, database }: ParsedCommand): Promise<number> {
  return (actions[operation.name] as typeof save)({ ...(input as CheckpointInput), json, database });
}

type Values = CheckpointInput & { readonly json: boolean; readonly database: string | undefined };

async function save(values: Values): Promise<number> {
  const { file, agent, force } = values;
  const progress = progressOn();
  const saved = await withStore(values, (store) =>
    store.checkpoint.save(file, { agent, force, progress: (rows) => progress.say(`saved ${counted(rows, "row")}`) }),
  ).finally(progress.end);
  if (values.json) process.stdout.write(`${JSON.stringify(saved)}\n`);
  else process.stdout.write(savedText(saved));
  return saved.lost.length === 0 ? 0 : 1;
}

function savedText({ file, agents, rows, bytes, content, lost }: CheckpointResult): string {
  const paint = colours(process.stdout);
  const what = `${counted(agents.length, "agent")}, ${counted(rows, "row")}, ${sizeText(bytes)}`;
  const lines = [`${paint.green("saved")} ${file} ${paint.dim(`(${what})`)}`, `${paint.dim("content")} ${content}`];
  if (lost.length > 0)
    lines.push(
      paint.red(
        hintsHere(
          `${counted(lost.length, "text")} of it could not be read and ${lost.length === 1 ? "is" : "are"} missing; charter verify names what was changed.`,
        ),
      ),
    );
  return `${lines.join("\n")}\n`;
}

async function restore({ file, replace, json, database }: Values): Promise<number> {
  const progress = progressOn();
  const told = (rows: number, of: number | undefined) => progress.say(`restored ${rows} of ${counted(of ?? 0, "row")}`);
  // Proved before anything is opened: a file that is no checkpoint does not even make a new database.
  const proof = await prove(file);
  const place = await withStore(
    { database },
    async (store) => {
      await store.checkpoint.restore(file, { replace, proof, progress: told });
      return store.home.place;
    },
    { create: true },
  ).finally(progress.end);
  const { header, rows } = proof;
  const paint = colours(process.stdout);
  process.stdout.write(
    json
      ? `${JSON.stringify({ file, agents: header.agents, rows, content: proof.content })}\n`
      : `${paint.green("restored")} ${listed(header.agents)} from ${file} into ${place} ${paint.dim(`(${counted(rows, "row")})`)}\n`,
  );
  return 0;
}

async function prove(file: string): Promise<CheckpointProof> {
  const { readCheckpoint } = await import("../../../store/lifecycle/restore.ts");
  const progress = progressOn();
  let read = 0;
  return readCheckpoint(file, undefined, async () => progress.say(`proved ${counted(++read, "row")}`)).finally(
    progress.end,
  );
}

async function inspect({ file, json }: Values): Promise<number> {
  const proof = await prove(file);
  const { header, ...held } = proof;
  process.stdout.write(
    json ? `${JSON.stringify({ file, ...header, ...held })}\n` : `${inspected(file, proof).join("\n")}\n`,
  );
  return 0;
}

function inspected(file: string, { header, rows, tables, digest, content }: CheckpointProof): string[] {
  const kept = Object.entries(tables).map(([table, count]) => `${table} ${count}`);
  return pairs(
    [
      ["file", `${file}, whole and as it was saved`],
      ["saved", `${timeText(header.madeAt)} UTC, from ${header.from}, schema ${header.schema}`],
      ["agents", listed(header.agents)],
      ["rows", `${counted(rows, "row")}: ${kept.join(", ")}`],
      ["digest", digest],
      ["content", content],
    ],
    process.stdout,
  );
}
