import type { Proposal } from "../../../amend/amend.ts";
import type { Refusal } from "../../../amend/operation.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { AmendmentContext, ProposalOutcome } from "../../../store/amendments/judge.ts";
import { createIds } from "../../../store/deps.ts";
import { bringNotes, findPreviousImport, type PreviousImport } from "../../../store/import/import-notes.ts";
import {
  type Customization,
  type MergedCustomizations,
  mergeCustomizations,
  type OldDatabase,
  readable,
} from "../../../store/import/supabase.ts";
import { checkScope } from "../../../store/scope.ts";
import type { Store } from "../../../store/store.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import { createTexts } from "../../../store/texts/text.ts";
import type { createReport, ImportedUser } from "./import-report.ts";

const instructionsSection = "instructions";
const reason = "imported from supabase";

/** An agent whose users' instructions can be brought over. */
export type ImportTarget = { readonly agent: AgentRecord; readonly context: AmendmentContext };

type ImportResult = Pick<ImportedUser, "outcome" | "reason" | "revision" | "held">;

/** Brings one user's rows for one agent over, as one amendment of their instructions, or says why not. */
export async function bringInstructions(
  store: Store,
  { agent, context: desk }: ImportTarget,
  user: string,
  group: readonly Customization[],
  dryRun: boolean,
): Promise<ImportedUser> {
  const scope = { agent: agent.name, user };
  const merged = mergeCustomizations(group);
  const about = { agent: agent.name, user, rows: rowsOf(merged) };
  try {
    checkScope(scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...about, outcome: "left", reason: error.message };
  }
  const before = await findPreviousImport(
    { home: store.home, texts: createTexts() },
    scope,
    instructionsSection,
    "supabase",
    merged.text,
  );
  const known = await alreadyImported(store, scope, merged, before);
  const told = known ?? (await propose(store, { agent, context: { ...desk, scope } }, merged, before, dryRun));
  // Also where the words came before: whoever brought them may have been stopped before this.
  if (!dryRun && told.outcome !== "conflict" && told.outcome !== "rejected") {
    if (!(await store.users.find(user))) await store.users.put({ id: user });
    // What is no instruction (types, priorities, rows that were switched off) is kept too, where it is the user's.
    const detail = { from: "supabase", rows: [...merged.rows, ...merged.inactive].map(({ row }) => row) };
    await store.events.recordOnce({ scope, kind: "imported", detail });
  }
  const open = told.outcome === "held" || told.outcome === "conflict" || told.outcome === "rejected";
  return { ...about, ...told, ...(open ? { text: merged.text } : {}) };
}

function rowsOf({ rows, inactive }: MergedCustomizations): ImportedUser["rows"] {
  const told = (active: boolean) => (one: Customization) => ({
    type: String(one.row.customization_type ?? "instructions"),
    priority: typeof one.row.priority === "number" ? one.row.priority : null,
    active,
  });
  return [...rows.map(told(true)), ...inactive.map(told(false))];
}

async function alreadyImported(
  store: Store,
  scope: { readonly agent: string; readonly user: string },
  { text }: MergedCustomizations,
  { newest, last, held }: PreviousImport,
): Promise<ImportResult | undefined> {
  if (last?.text === text) return { outcome: "unchanged", revision: last.revision };
  if (held) return { outcome: held.status === "rejected" ? "rejected" : "held", held: held.id };
  if (newest?.erased) return { outcome: "conflict", reason: "It was erased here; it is not brought back." };
  if (text === "" && !last) return { outcome: "empty" };
  if (newest === undefined || newest.revision === last?.revision) return undefined;
  const stands = await store.history.at(scope, instructionsSection, newest.revision);
  if (stands?.after === text) return { outcome: "unchanged", revision: newest.revision };
  const because = `It was amended here since (revision ${newest.revision}), and the old row says something else.`;
  return { outcome: "conflict", reason: because };
}

async function propose(
  store: Store,
  { agent, context: desk }: ImportTarget,
  { text, rows }: MergedCustomizations,
  { last }: PreviousImport,
  dryRun: boolean,
): Promise<ImportResult> {
  const operation = { kind: "rewrite", content: text } as const;
  const proposal: Proposal = {
    section: instructionsSection,
    operation,
    actor: "operator",
    reason,
    revision: last?.revision ?? 0,
  };
  const idempotencyKey = `supabase:${sha256(JSON.stringify(rows.map(({ raw }) => raw)))}`;
  const ask = (by: AmendmentContext): Promise<ProposalOutcome> =>
    dryRun ? store.judge(by, proposal, agent) : store.propose({ ...by, idempotencyKey }, proposal);
  const first = await ask(desk);
  if (first.verdict === "accepted") return { outcome: "imported", revision: first.revision };
  if (first.verdict === "unchanged") return { outcome: "unchanged", revision: first.revision };
  const said = refusalText(first.refusals);
  const waits = first.verdict === "held" ? first : undefined;
  if (!waits && first.refusals.some(({ guard }) => guard === "frozen" || guard === "stale-revision"))
    return { outcome: "conflict", reason: said };
  // Words a guard refuses are not lost: they wait, whole, until a person has put them in order.
  const held = waits ?? (await ask({ ...desk, rules: holdRefused(desk.rules) }));
  return { outcome: "held", reason: said, ...(held.held === undefined ? {} : { held: held.held }) };
}

const refusalText = (refusals: readonly Refusal[]) => refusals.map((one) => `${one.guard}: ${one.because}`).join(" ");

function holdRefused(rules: AmendmentContext["rules"]): AmendmentContext["rules"] {
  return (name, standing) => {
    const given = rules(name, standing);
    const held = (refusal: Refusal | undefined) => (refusal ? { ...refusal, holds: true as const } : undefined);
    return { ...given, guards: given.guards.map((guard) => (change) => held(guard(change))) };
  };
}

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
