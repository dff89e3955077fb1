import type { Proposal } from "../../../amend/proposal.ts";
import type { Refusal } from "../../../amend/refusal.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Agent } from "../../../store/agents.ts";
import type { Desk, Settled } from "../../../store/amendments/context.ts";
import { type BroughtBefore, broughtBefore } from "../../../store/import/imported.ts";
import { type Customization, type Merged, merge } from "../../../store/import/words.ts";
import { checkScope } from "../../../store/scope.ts";
import type { Store } from "../../../store/store.ts";
import { sha256 } from "../../../store/texts/sha256.ts";
import { createTexts } from "../../../store/texts/text.ts";
import type { UserOutcome } from "./import-report.ts";

export const section = "instructions";
const reason = "imported from supabase";

/** An agent whose users' instructions can be brought over. */
export type Receiving = { readonly agent: Agent; readonly desk: Desk };

type Told = Pick<UserOutcome, "outcome" | "because" | "revision" | "held">;

/** Brings one user's rows for one agent over, as one amendment of their instructions, or says why not. */
export async function bringInstructions(
  store: Store,
  { agent, desk }: Receiving,
  user: string,
  group: readonly Customization[],
  dryRun: boolean,
): Promise<UserOutcome> {
  const scope = { agent: agent.name, user };
  const merged = merge(group);
  const about = { agent: agent.name, user, rows: rowsOf(merged) };
  try {
    checkScope(scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...about, outcome: "left", because: error.message };
  }
  const before = await broughtBefore(
    { home: store.home, texts: createTexts() },
    scope,
    section,
    "supabase",
    merged.text,
  );
  const known = await settledAlready(store, scope, merged, before);
  const told = known ?? (await propose(store, { agent, desk: { ...desk, scope } }, merged, before, dryRun));
  if (!dryRun && (told.outcome === "imported" || (told.outcome === "held" && !known) || told.outcome === "empty")) {
    if (!(await store.users.find(user))) await store.users.put({ id: user });
    // What is no instruction (types, priorities, rows that were switched off) is kept too, where it is the user's.
    const detail = { from: "supabase", rows: [...merged.rows, ...merged.inactive].map(({ row }) => row) };
    await store.events.recordOnce({ scope, kind: "imported", detail });
  }
  const open = told.outcome === "held" || told.outcome === "conflict" || told.outcome === "rejected";
  return { ...about, ...told, ...(open ? { words: merged.text } : {}) };
}

function rowsOf({ rows, inactive }: Merged): UserOutcome["rows"] {
  const told = (active: boolean) => (one: Customization) => ({
    type: String(one.row.customization_type ?? "instructions"),
    priority: typeof one.row.priority === "number" ? one.row.priority : null,
    active,
  });
  return [...rows.map(told(true)), ...inactive.map(told(false))];
}

async function settledAlready(
  store: Store,
  scope: { readonly agent: string; readonly user: string },
  { text }: Merged,
  { newest, last, held }: BroughtBefore,
): Promise<Told | undefined> {
  if (last?.text === text) return { outcome: "unchanged", revision: last.revision };
  if (held) return { outcome: held.status === "rejected" ? "rejected" : "held", held: held.id };
  if (newest?.erased) return { outcome: "conflict", because: "It was erased here; it is not brought back." };
  if (text === "" && !last) return { outcome: "empty" };
  if (newest === undefined || newest.revision === last?.revision) return undefined;
  const stands = await store.history.at(scope, section, newest.revision);
  if (stands?.after === text) return { outcome: "unchanged", revision: newest.revision };
  const because = `It was amended here since (revision ${newest.revision}), and the old row says something else.`;
  return { outcome: "conflict", because };
}

async function propose(
  store: Store,
  { agent, desk }: Receiving,
  { text, rows }: Merged,
  { last }: BroughtBefore,
  dryRun: boolean,
): Promise<Told> {
  const operation = { kind: "rewrite", content: text } as const;
  const proposal: Proposal = { section, operation, actor: "operator", reason, revision: last?.revision ?? 0 };
  const key = `supabase:${sha256(JSON.stringify(rows.map(({ raw }) => raw)))}`;
  const ask = (by: Desk): Promise<Settled> =>
    dryRun ? store.judge(by, proposal, agent) : store.propose({ ...by, key }, proposal);
  const first = await ask(desk);
  if (first.verdict === "accepted") return { outcome: "imported", revision: first.revision };
  if (first.verdict === "unchanged") return { outcome: "unchanged", revision: first.revision };
  const said = because(first.refusals);
  const waits = first.verdict === "held" ? first : undefined;
  if (!waits && first.refusals.some(({ guard }) => guard === "frozen" || guard === "stale-revision"))
    return { outcome: "conflict", because: said };
  // Words a guard refuses are not lost: they wait, whole, until a person has put them in order.
  const held = waits ?? (await ask({ ...desk, rules: holding(desk.rules) }));
  return { outcome: "held", because: said, ...(held.held === undefined ? {} : { held: held.held }) };
}

const because = (refusals: readonly Refusal[]) => refusals.map((one) => `${one.guard}: ${one.because}`).join(" ");

function holding(rules: Desk["rules"]): Desk["rules"] {
  return (name, standing) => {
    const given = rules(name, standing);
    const held = (refusal: Refusal | undefined) => (refusal ? { ...refusal, holds: true as const } : undefined);
    return { ...given, guards: given.guards.map((guard) => (change) => held(guard(change))) };
  };
}
