import { progressOn, sizeText } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { withStore } from "../shared/store.ts";
import { askFirst } from "../shared/trust/trust-question.ts";

type RemoveValues = {
  readonly output?: string;
  readonly erase?: boolean;
  readonly yes?: boolean;
  readonly json: boolean;
};

/** Freezes an agent, saves all of it to a file, and takes it out of every list; with --erase its words go as well. */
export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const { agent: name, ...asked } = input as RemoveValues & { readonly agent: string };
  const values = { ...asked, json };
  return withStore({ database }, async (store) => {
    const before = (await store.agents.list({ removed: true })).find((one) => one.name === name);
    if (!before) await store.agents.get(name);
    const again = before?.removedAt !== undefined;
    if (again && !values.erase) await store.agents.get(name);
    if (values.erase && !(await mayErase(name, values))) return 1;
    const saved = again ? undefined : await save(store, before as AgentRecord, values);
    const { agent, erased, scrubbed } = await store.remove(name, { erase: values.erase === true });
    if (json)
      process.stdout.write(`${JSON.stringify({ agent: name, removedAt: agent.removedAt, ...saved, erased })}\n`);
    else
      process.stdout.write(
        `${[
          ...(saved ? [`Saved everything of “${name}” to ${saved.file} (${saved.what}).`] : []),
          ...(again
            ? []
            : [`“${name}” was removed: it takes no turns, and its schedules, bots and tokens are stopped.`]),
          ...(erased ? [erasedText(erased)] : []),
          ...(saved && erased ? [`${saved.file} still has every word: delete it, if nobody may have them.`] : []),
          ...(saved ? backLines(name, saved.file) : []),
        ].join("\n")}\n`,
      );
    if (scrubbed === false)
      process.stderr.write(
        `Another process still reads ${store.home.place}, so erased text may still be in its log. When that process is done, run this again.\n`,
      );
    return 0;
  });
}

/** It was saved as it was then: frozen. */
function backLines(name: string, file: string): string[] {
  return [`Bring it back: charter checkpoint restore ${file} --replace`, `Then: charter thaw ${name}`].map(hintsHere);
}

/** What is erased is gone for everyone it spoke with: someone says yes to it. */
async function mayErase(name: string, { yes, json }: RemoveValues): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new Problem(
      "usage",
      `--erase deletes every word of “${name}” and of all who spoke with it.`,
      "Add --yes, if that is what you want.",
    );
  const lines = [`Every word of “${name}” and of all who spoke with it is deleted. It cannot be undone.`];
  const answer = await askFirst(lines, `Type its name to go on: `);
  if (answer?.trim() === name) return true;
  process.stdout.write("Nothing was changed.\n");
  return false;
}

/** Frozen first, so that nothing comes after what is saved; what cannot be saved is not removed. */
async function save(store: Store, before: AgentRecord, { output }: RemoveValues) {
  const { name, frozen } = before;
  const at = new Date().toISOString().replace(/[:.]/g, "-");
  const file = output ?? `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}-${at}.checkpoint`;
  const progress = progressOn();
  await store.agents.freeze(name, "agent");
  try {
    const told = (rows: number) => progress.say(`saved ${counted(rows, "row")}`);
    const { rows, bytes, lost } = await store.checkpoint.save(file, { agent: name, progress: told });
    if (lost.length > 0)
      throw new Problem(
        "text-missing",
        `${counted(lost.length, "text")} of “${name}” could not be read, so it was not removed.`,
        "See what was changed with charter verify.",
      );
    return { file, rows, what: `${counted(rows, "row")}, ${sizeText(bytes)}` };
  } catch (error) {
    await (frozen === null ? store.agents.thaw(name) : store.agents.freeze(name, frozen));
    throw error;
  } finally {
    progress.end();
  }
}

function erasedText(erased: Readonly<Record<string, number>>): string {
  const rows = Object.entries(erased).map(([table, count]) => `${table} ${count}`);
  return rows.length === 0 ? "Nothing was left to erase." : `Erased: ${rows.join(", ")}. What its chains need stays.`;
}
