import type { Proposal } from "../../../amend/amend.ts";
import type { Refusal } from "../../../amend/operation.ts";
import { factsOf } from "../../../charters/facts.ts";
import { usualCharter } from "../../../host/built-in.ts";
import { loadCharter } from "../../../host/load.ts";
import { amendmentContextFor } from "../../../host/proposal.ts";
import type { ImportInput } from "../../../operations/here/maintain.ts";
import { progressOn } from "../../../operations/print/columns.ts";
import { allSections } from "../../../prompt/charter.ts";
import { forbiddenFor } from "../../../prompt/plan.ts";
import { counted, listed, Problem, rethrowUnlessProblem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { AmendmentContext, ProposalOutcome } from "../../../store/amendments/judge.ts";
import { createIds } from "../../../store/deps.ts";
import {
  bringNotes,
  type Configuration,
  findPreviousImport,
  type PreviousImport,
  settingsDigest,
  settingsOf,
} from "../../../store/import/import-notes.ts";
import {
  type Customization,
  type MergedCustomizations,
  mergeCustomizations,
  type OldDatabase,
  readable,
  withOldDatabase,
} from "../../../store/import/supabase.ts";
import { checkAgentName, checkName, checkScope } from "../../../store/scope.ts";
import type { Store } from "../../../store/store.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import { createTexts } from "../../../store/texts/text.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { withStore } from "../../shared/store.ts";
import { checkCharterFile } from "../../shared/trust/trusted-database.ts";
import {
  createReport,
  type ImportedAgent,
  type ImportedUser,
  type ImportReport,
  printReport,
} from "./import-report.ts";

export async function run({ input, database, json }: ParsedCommand): Promise<number> {
  const { from, agent = [], dryRun = false, report } = input as ImportInput;
  return printReport(await importSupabase({ from, agents: agent, dryRun, database }), { report, json });
}

export type ImportOptions = {
  readonly from: string;
  /** Names of the agents to import; none means all. */
  readonly agents: readonly string[];
  readonly dryRun: boolean;
  readonly database: string | undefined;
};

/** Imports the old schema. The old tables are read at one moment and stay as they are. */
export async function importSupabase({ from, agents, dryRun, database }: ImportOptions): Promise<ImportReport> {
  return withOldDatabase(from, async (old) => {
    const work = (store: Store) => bring(store, old, agents, dryRun);
    if (!dryRun) return withStore({ database }, work, { create: true });
    return withStore({ database }, work).catch(async (error) => {
      // A dry run creates no database: if there is none, it runs on an empty one.
      if (!(error instanceof Problem) || error.code !== "no-database") throw error;
      return { ...(await withStore({ database: ":memory:" }, work, { create: true })), to: "a new database" };
    });
  });
}

async function bring(store: Store, old: OldDatabase, names: readonly string[], dryRun: boolean): Promise<ImportReport> {
  const report = createReport({ from: old.place, to: store.home.place, dryRun });
  const progress = progressOn();
  const all = Map.groupBy(await old.configurations([]), ({ row }) => String(row.agent_name ?? ""));
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0)
    throw new Problem(
      "unknown-agent",
      `The old database has no agent ${listed(unknown)}.`,
      `It has ${listed(all.keys())}. Nothing was changed.`,
    );
  const receiving = new Map<string, ImportTarget | string>();
  const soulLevel = await soulHeadingLevel();
  const inactive: string[] = [];
  for (const [name, rows] of all) {
    if (names.length > 0 && !names.includes(name)) continue;
    const { outcome, agent } = await bringAgent(store, { name, rows, soulLevel }, dryRun);
    report.agent(outcome);
    if (outcome.frozen) inactive.push(name);
    if (agent) receiving.set(name, await receivingOf(store, agent));
    else
      report.left(
        "agent_configurations",
        outcome.reason ?? "",
        rows.map(({ row }) => row),
      );
  }
  let done = 0;
  try {
    for await (const group of old.customizations(names)) {
      progress.say(`brought over ${counted(++done, "user")}`);
      const { agent_name, user_id } = (group[0] as (typeof group)[0]).row;
      const known = receiving.get(String(agent_name ?? "")) ?? (await findTarget(store, String(agent_name ?? "")));
      receiving.set(String(agent_name ?? ""), known);
      const reason = typeof known === "string" ? known : user_id === null ? "No user is named." : undefined;
      const rows = group.map(({ row }) => row);
      if (typeof known === "string" || reason !== undefined) {
        report.left("user_agent_prompt_customizations", reason as string, rows);
        continue;
      }
      const outcome = await bringInstructions(store, known, String(user_id), group, dryRun);
      report.user(outcome);
      if (outcome.outcome === "left") report.left("user_agent_prompt_customizations", outcome.reason ?? "", rows);
    }
    const isWanted = (name: string) => names.length === 0 || names.includes(name);
    await bringMemories({ store, old, report, wanted: isWanted, ids: idsOf(all), dryRun });
  } finally {
    progress.end();
  }
  // Agents are frozen last, because their users' texts still had to be added.
  if (!dryRun) for (const name of inactive) await freezeOnce(store, name);
  report.tables(await old.others());
  return report.end();
}

/** Names of old agents by the ids in their rows. */
function idsOf(all: ReadonlyMap<string, readonly Configuration[]>): ReadonlyMap<string, string> {
  return new Map([...all].flatMap(([name, rows]) => rows.map(({ row }) => [String(row.id ?? name), name] as const)));
}

async function soulHeadingLevel(): Promise<number> {
  const { given } = await loadCharter(usualCharter);
  return forbiddenFor((await given(factsOf({}), () => new Date(0))).charter, "soul").level;
}

/** Freezes an imported agent once, so that one that was thawed here stays so. */
async function freezeOnce(store: Store, name: string): Promise<void> {
  const detail = { from: "supabase", inactive: true };
  const events = await store.events.list({ agent: name, kind: "imported", limit: 1000 });
  if (events.some((one) => one.scope.user === undefined && one.detail.inactive === true)) return;
  if ((await store.agents.get(name)).frozen !== "agent") await store.agents.freeze(name, "agent");
  await store.events.recordOnce({ scope: { agent: name }, kind: "imported", detail });
}

type OldAgent = { readonly name: string; readonly rows: readonly Configuration[]; readonly soulLevel: number };

async function bringAgent(
  store: Store,
  { name, rows, soulLevel }: OldAgent,
  dryRun: boolean,
): Promise<{ readonly outcome: ImportedAgent; readonly agent?: AgentRecord }> {
  let existing: AgentRecord | undefined;
  try {
    checkName("agent", name);
    existing = await store.agents.find(name);
    if (!existing) checkAgentName(name);
    if (!existing && (await store.agents.list({ removed: true })).some((one) => one.name === name))
      await store.agents.get(name);
  } catch (error) {
    rethrowUnlessProblem(error);
    return { outcome: { agent: name, outcome: "left", reason: `${error.message} ${error.hint}` } };
  }
  const { settings, lowered, active } = settingsOf(rows, { charter: usualCharter, soulLevel });
  const columns = Object.keys(settings.imported.columns);
  const agentOutcome = (outcome: ImportedAgent["outcome"], reason?: string) => ({
    agent: name,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    columns,
    ...(active || outcome === "conflict" ? {} : { frozen: true as const }),
    ...(lowered > 0 && outcome === "imported" ? { lowered } : {}),
  });
  const before = existing?.settings.imported as { digest?: string; made?: string } | undefined;
  if (existing && before?.digest === settings.imported.digest)
    return { outcome: agentOutcome("unchanged"), agent: existing };
  if (existing && !before)
    return {
      outcome: agentOutcome("conflict", "An agent of that name was here already; it stays as it is."),
      agent: existing,
    };
  if (existing && before && (await changedHere(store, existing, before.made)))
    return {
      outcome: agentOutcome("conflict", "It was changed here since, and in the old database, too."),
      agent: existing,
    };
  const { frozen = null, model = null } = existing ?? {};
  const planned = { name, charter: usualCharter, model, settings, frozen, createdAt: "", updatedAt: "" };
  return { outcome: agentOutcome("imported"), agent: dryRun ? planned : await store.agents.put(planned) };
}

async function changedHere(store: Store, agent: AgentRecord, made: string | undefined): Promise<boolean> {
  if (settingsDigest(agent.charter, agent.settings) !== made) return true;
  return (await store.history.sections({ agent: agent.name })).length > 0;
}

/** Finds the agent to import into: its charter has to have instructions for each user. */
async function receivingOf(store: Store, agent: AgentRecord): Promise<ImportTarget | string> {
  await checkCharterFile(store, agent);
  const { given } = await loadCharter(agent.charter);
  const declaredTurn = await given(factsOf({ ...agent.settings, agent: agent.name }), () => new Date());
  const keeps = allSections(declaredTurn.charter).some(({ section }) => section.name === "instructions");
  if (!keeps) return `“${agent.name}” has the charter ${agent.charter} here, which keeps no instructions.`;
  return { agent, context: await amendmentContextFor({ declaredTurn, scope: { agent: agent.name } }, {}) };
}

async function findTarget(store: Store, name: string): Promise<ImportTarget | string> {
  const agent = await store.agents.find(name);
  return agent ? receivingOf(store, agent) : `There is no agent “${name}”, neither there nor here.`;
}

const instructionsSection = "instructions";
const reason = "imported from supabase";

/** An agent whose users' instructions can be imported. */
export type ImportTarget = { readonly agent: AgentRecord; readonly context: AmendmentContext };

type ImportResult = Pick<ImportedUser, "outcome" | "reason" | "revision" | "held">;

/** Imports one user's rows for one agent, as one amendment of their instructions, or says why not. */
async function bringInstructions(
  store: Store,
  { agent, context }: ImportTarget,
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
    rethrowUnlessProblem(error);
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
  const userOutcome =
    known ?? (await propose(store, { agent, context: { ...context, scope } }, merged, before, dryRun));
  // The user is added even if the text was imported before: an earlier run may have been stopped in between.
  if (!dryRun && userOutcome.outcome !== "conflict" && userOutcome.outcome !== "rejected") {
    if (!(await store.users.find(user))) await store.users.put({ id: user });
    // Data that is no instruction (types, priorities, inactive rows) is stored as an event of the user's.
    const detail = { from: "supabase", rows: [...merged.rows, ...merged.inactive].map(({ row }) => row) };
    await store.events.recordOnce({ scope, kind: "imported", detail });
  }
  const open =
    userOutcome.outcome === "held" || userOutcome.outcome === "conflict" || userOutcome.outcome === "rejected";
  return { ...about, ...userOutcome, ...(open ? { text: merged.text } : {}) };
}

function rowsOf({ rows, inactive }: MergedCustomizations): ImportedUser["rows"] {
  const rowFacts = (active: boolean) => (one: Customization) => ({
    type: String(one.row.customization_type ?? "instructions"),
    priority: typeof one.row.priority === "number" ? one.row.priority : null,
    active,
  });
  return [...rows.map(rowFacts(true)), ...inactive.map(rowFacts(false))];
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
  const reason = `It was amended here since (revision ${newest.revision}), and the old row says something else.`;
  return { outcome: "conflict", reason };
}

async function propose(
  store: Store,
  { agent, context }: ImportTarget,
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
  const first = await ask(context);
  if (first.verdict === "accepted") return { outcome: "imported", revision: first.revision };
  if (first.verdict === "unchanged") return { outcome: "unchanged", revision: first.revision };
  const objections = refusalText(first.refusals);
  const waits = first.verdict === "held" ? first : undefined;
  if (!waits && first.refusals.some(({ guard }) => guard === "frozen" || guard === "stale-revision"))
    return { outcome: "conflict", reason: objections };
  // Text that a guard refuses is held, whole, until a person has decided about it.
  const held = waits ?? (await ask({ ...context, rules: holdRefused(context.rules) }));
  return { outcome: "held", reason: objections, ...(held.held === undefined ? {} : { held: held.held }) };
}

const refusalText = (refusals: readonly Refusal[]) => refusals.map((one) => `${one.guard}: ${one.because}`).join(" ");

function holdRefused(rules: AmendmentContext["rules"]): AmendmentContext["rules"] {
  return (name, standing) => {
    const guardRules = rules(name, standing);
    const held = (refusal: Refusal | undefined) => (refusal ? { ...refusal, holds: true as const } : undefined);
    return { ...guardRules, guards: guardRules.guards.map((guard) => (change) => held(guard(change))) };
  };
}

type MemoriesToBring = {
  readonly store: Store;
  readonly old: OldDatabase;
  readonly report: ReturnType<typeof createReport>;
  readonly wanted: (agent: string) => boolean;
  /** Names of agents by the ids in their old rows. */
  readonly ids: ReadonlyMap<string, string>;
  readonly dryRun: boolean;
};

const table = "agent_long_term_memory";
/** Names that each column has had in old schemas. */
const agentColumns = ["agent_name", "agent_id", "agent"];
const wordColumns = ["notes", "note", "content", "memory", "memory_value", "text"];
const timeColumns = ["updated_at", "created_at"];

/** Imports what agents had noted about users, as notes. */
async function bringMemories({ store, old, report, wanted, ids, dryRun }: MemoriesToBring): Promise<void> {
  const clock = () => new Date();
  const newId = createIds(clock, (bytes) => crypto.getRandomValues(bytes));
  const target = { home: store.home, now: () => clock().toISOString(), newId, dryRun };
  const there = new Set((await store.agents.list()).map(({ name }) => name));
  for await (const { row } of old.memories()) {
    const agentKey = String(row[agentColumns.find((one) => row[one] !== undefined && row[one] !== null) ?? ""] ?? "");
    const agent = ids.get(agentKey) ?? agentKey;
    if (!wanted(agent)) continue;
    const words = wordColumns.find((one) => row[one] !== undefined && row[one] !== null);
    const text = words === undefined ? "" : readable(row[words]);
    const user = String(row.user_id ?? "");
    // A dry run has added no agents, so those that would be are known by their rows.
    const known = there.has(agent) || (dryRun && [...ids.values()].includes(agent));
    const fault =
      scopeFault(agent, user) ?? (known ? undefined : `There is no agent “${agent}”, neither there nor here.`);
    if (fault !== undefined) {
      report.left(table, fault, [row]);
      continue;
    }
    const used = new Set([...agentColumns, ...timeColumns, "user_id", words]);
    for (const [column, value] of Object.entries(row))
      if (!used.has(column) && value !== null) report.column(table, column);
    const { notes, erased } = await bringNotes(target, { agent, user }, { text, at: timeOf(row) });
    // The user is added even if the notes were imported before: an earlier run may have been stopped in between.
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
