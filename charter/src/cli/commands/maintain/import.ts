import { factsOf } from "../../../charters/facts.ts";
import { usualCharter } from "../../../host/built-in.ts";
import { loadCharter } from "../../../host/load.ts";
import { amendmentContextFor } from "../../../host/proposal.ts";
import type { ImportInput } from "../../../operations/here/maintain.ts";
import { progressOn } from "../../../operations/print/columns.ts";
import { allSections } from "../../../prompt/charter.ts";
import { forbiddenFor } from "../../../prompt/plan.ts";
import { counted, listed, Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import { type Configuration, settingsDigest, settingsOf } from "../../../store/import/import-notes.ts";
import { type OldDatabase, withOldDatabase } from "../../../store/import/supabase.ts";
import { checkAgentName, checkName } from "../../../store/scope.ts";
import type { Store } from "../../../store/store.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { withStore } from "../../shared/store.ts";
import { checkCharterFile } from "../../shared/trust/trusted-database.ts";
import { createReport, type ImportedAgent, type ImportReport, printReport } from "./import-report.ts";
import { bringInstructions, bringMemories, type ImportTarget } from "./import-texts.ts";

export async function run({ input, database, json }: ParsedCommand): Promise<number> {
  const { from, agent: agents = [], dryRun = false, report } = input as ImportInput;
  return printReport(await importSupabase({ from, agents, dryRun, database }), { report, json });
}

export type ImportOptions = {
  readonly from: string;
  /** Only these; none is all of them. */
  readonly agents: readonly string[];
  readonly dryRun: boolean;
  readonly database: string | undefined;
};

/** Brings the old schema over. The old tables are read at one moment and stay as they are. */
export async function importSupabase({ from, agents, dryRun, database }: ImportOptions): Promise<ImportReport> {
  return withOldDatabase(from, async (old) => {
    const work = (store: Store) => bring(store, old, agents, dryRun);
    if (!dryRun) return withStore({ database }, work, { create: true });
    return withStore({ database }, work).catch(async (error) => {
      // A trial makes no database: where there is none, it is tried on an empty one.
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
      const because = typeof known === "string" ? known : user_id === null ? "No user is named." : undefined;
      const rows = group.map(({ row }) => row);
      if (typeof known === "string" || because !== undefined) {
        report.left("user_agent_prompt_customizations", because as string, rows);
        continue;
      }
      const outcome = await bringInstructions(store, known, String(user_id), group, dryRun);
      report.user(outcome);
      if (outcome.outcome === "left") report.left("user_agent_prompt_customizations", outcome.reason ?? "", rows);
    }
    const wanted = (name: string) => names.length === 0 || names.includes(name);
    await bringMemories({ store, old, report, wanted, ids: idsOf(all), dryRun });
  } finally {
    progress.end();
  }
  // Last of all: the words of its users still came to it.
  if (!dryRun) for (const name of inactive) await freezeOnce(store, name);
  report.tables(await old.others());
  return report.end();
}

/** Names of old agents by the ids their rows have. */
function idsOf(all: ReadonlyMap<string, readonly Configuration[]>): ReadonlyMap<string, string> {
  return new Map([...all].flatMap(([name, rows]) => rows.map(({ row }) => [String(row.id ?? name), name] as const)));
}

async function soulHeadingLevel(): Promise<number> {
  const { given } = await loadCharter(usualCharter);
  return forbiddenFor((await given(factsOf({}), () => new Date(0))).charter, "soul").level;
}

/** An agent that someone let go on here stays so. */
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
    if (!(error instanceof Problem)) throw error;
    return { outcome: { agent: name, outcome: "left", reason: `${error.message} ${error.hint}` } };
  }
  const { settings, lowered, active } = settingsOf(rows, { charter: usualCharter, soulLevel });
  const columns = Object.keys(settings.imported.columns);
  const told = (outcome: ImportedAgent["outcome"], reason?: string) => ({
    agent: name,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    columns,
    ...(active || outcome === "conflict" ? {} : { frozen: true as const }),
    ...(lowered > 0 && outcome === "imported" ? { lowered } : {}),
  });
  const before = existing?.settings.imported as { digest?: string; made?: string } | undefined;
  if (existing && before?.digest === settings.imported.digest) return { outcome: told("unchanged"), agent: existing };
  if (existing && !before)
    return { outcome: told("conflict", "An agent of that name was here already; it stays as it is."), agent: existing };
  if (existing && before && (await changedHere(store, existing, before.made)))
    return { outcome: told("conflict", "It was changed here since, and in the old database, too."), agent: existing };
  const { frozen = null, model = null } = existing ?? {};
  const planned = { name, charter: usualCharter, model, settings, frozen, createdAt: "", updatedAt: "" };
  return { outcome: told("imported"), agent: dryRun ? planned : await store.agents.put(planned) };
}

async function changedHere(store: Store, agent: AgentRecord, made: string | undefined): Promise<boolean> {
  if (settingsDigest(agent.charter, agent.settings) !== made) return true;
  return (await store.history.sections({ agent: agent.name })).length > 0;
}

/** Whose charter keeps instructions of each user can take them over. */
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
