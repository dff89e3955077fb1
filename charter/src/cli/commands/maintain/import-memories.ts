import { Problem } from "../../../prompt/problem.ts";
import { createIds } from "../../../store/deps.ts";
import { bringNotes } from "../../../store/import/import-notes.ts";
import { type OldDatabase, readable } from "../../../store/import/supabase.ts";
import { checkScope } from "../../../store/scope.ts";
import type { Store } from "../../../store/store.ts";
import type { createReport } from "./import-report.ts";

type MemoriesToBring = {
  readonly store: Store;
  readonly old: OldDatabase;
  readonly report: ReturnType<typeof createReport>;
  readonly wanted: (agent: string) => boolean;
  /** Names of agents by the ids their old rows have. */
  readonly ids: ReadonlyMap<string, string>;
  readonly dryRun: boolean;
};

const table = "agent_long_term_memory";
/** What the column has been called that says whose, what and when. */
const agentColumns = ["agent_name", "agent_id", "agent"];
const wordColumns = ["notes", "note", "content", "memory", "memory_value", "text"];
const timeColumns = ["updated_at", "created_at"];

/** Brings what agents had noted about users over, as notes. */
export async function bringMemories({ store, old, report, wanted, ids, dryRun }: MemoriesToBring): Promise<void> {
  const clock = () => new Date();
  const newId = createIds(clock, (bytes) => crypto.getRandomValues(bytes));
  const target = { home: store.home, now: () => clock().toISOString(), newId, dryRun };
  const there = new Set((await store.agents.list()).map(({ name }) => name));
  for await (const { row } of old.memories()) {
    const named = String(row[agentColumns.find((one) => row[one] !== undefined && row[one] !== null) ?? ""] ?? "");
    const agent = ids.get(named) ?? named;
    if (!wanted(agent)) continue;
    const words = wordColumns.find((one) => row[one] !== undefined && row[one] !== null);
    const text = words === undefined ? "" : readable(row[words]);
    const user = String(row.user_id ?? "");
    // A trial has added no agent: those that would come are known by their rows.
    const known = there.has(agent) || (dryRun && [...ids.values()].includes(agent));
    const because =
      scopeFault(agent, user) ?? (known ? undefined : `There is no agent “${agent}”, neither there nor here.`);
    if (because !== undefined) {
      report.left(table, because, [row]);
      continue;
    }
    const used = new Set([...agentColumns, ...timeColumns, "user_id", words]);
    for (const [column, value] of Object.entries(row))
      if (!used.has(column) && value !== null) report.column(table, column);
    const { notes, erased } = await bringNotes(target, { agent, user }, { text, at: timeOf(row) });
    // Also where they came before: whoever brought them may have been stopped before this.
    if (!dryRun && !erased && text.trim() !== "" && !(await store.users.find(user)))
      await store.users.put({ id: user });
    const outcome = erased ? "conflict" : notes > 0 ? "imported" : text.trim() === "" ? "empty" : "unchanged";
    const reason = erased ? { reason: "Its user was erased here, and is not brought back." } : {};
    report.notes({ agent, user, outcome, ...reason, notes });
  }
}

function scopeFault(agent: string, user: string): string | undefined {
  if (agent === "") return "No agent is named.";
  if (user === "") return "No user is named.";
  try {
    checkScope({ agent, user });
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

function timeOf(row: Readonly<Record<string, unknown>>): string | undefined {
  const times = timeColumns.map((one) => Date.parse(String(row[one] ?? "")));
  const time = times.find((one) => !Number.isNaN(one));
  return time === undefined ? undefined : new Date(time).toISOString();
}
