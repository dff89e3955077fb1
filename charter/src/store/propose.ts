import type { Rules } from "../amend/amend.ts";
import type { Amendment, Scope } from "../amend/amendment.ts";
import { quietTurn, type TurnFacts } from "../amend/guard.ts";
import { frozen } from "../amend/guards/frozen.ts";
import { type Ledger, type Newest, propose as proposeTo } from "../amend/ledger.ts";
import { applyOperation } from "../amend/operation.ts";
import type { Proposal } from "../amend/proposal.ts";
import type { Verdict } from "../amend/verdict.ts";
import { type Charter, findSection } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import type { Standing } from "../prompt/source.ts";
import { agentAtWork } from "./agents.ts";
import { type AmendmentRow, amendmentAt, entryOf, insertAmendment, isSound } from "./amendments.ts";
import { recordEvent } from "./event.ts";
import { findHeldByKey, insertHeld } from "./held-row.ts";
import type { Database } from "./home/database.ts";
import { sql } from "./home/sql.ts";
import type { Parts } from "./parts.ts";
import { checkName, checkScope, sectionScope } from "./scope.ts";
import { sha256 } from "./sha256.ts";
import { type Fault, standingOf, standingsOf } from "./standing.ts";
import type { Texts } from "./text.ts";

/** What a proposal is judged by. `rules` sees the standing words of the moment, inside the transaction. */
export type Desk = {
  readonly charter: Charter;
  readonly scope: Scope;
  readonly rules: (section: string, standing: Readonly<Record<string, Standing>>) => Rules;
  readonly fault?: Fault;
  readonly turn?: TurnFacts;
  /** The same key, the same amendment: a proposal that is sent again is not made again. */
  readonly key?: string;
};

/** A verdict, and what the store made of it. */
export type Settled = Verdict & {
  readonly amendment?: Amendment;
  /** The id to approve or reject it by. */
  readonly held?: string;
  /** It had been settled before, under the same key. */
  readonly repeated?: true;
};

export type Propose = (desk: Desk, proposal: Proposal) => Promise<Settled>;

/** The one write path: everything from reading what stands to the amendment is one transaction. */
export function createPropose(parts: Parts): Propose {
  return async (desk, proposal) => {
    checkScope(desk.scope);
    if (desk.key !== undefined) checkName("key", desk.key);
    if (proposal.turn !== undefined) checkName("turn", proposal.turn);
    const { section } = findSection(desk.charter, proposal.section);
    const scope = sectionScope(section, desk.scope);
    return parts.home.write(scope, (db) =>
      settle(parts, db, { ...desk, scope }, { ...proposal, section: section.name }),
    );
  };
}

export async function settle(parts: Parts, db: Database, desk: Desk, proposal: Proposal): Promise<Settled> {
  const { texts, now, newId } = parts;
  const { scope, charter, fault = () => undefined, key } = desk;
  const { section } = proposal;
  const { agent: whose, user = "" } = scope;
  // What a turn may still do is counted while no other proposal of that turn is.
  const names = proposal.turn === undefined ? [] : [["turn", whose, proposal.turn]];
  for (const name of [...names, ["amend", whose, user, section]]) {
    const lock = db.dialect.lock(JSON.stringify(name));
    if (lock) await db.all(lock);
  }
  // Nobody erases words between reading what stands and writing what is made of it.
  const kept = db.dialect.notAlone("texts");
  if (kept) await db.run(kept);
  const agent = await agentAtWork(db, scope.agent);
  const standings = await standingsOf(db, texts, charter, scope, fault);
  const standing = Object.fromEntries(standings.map(({ section: name, found }) => [name, standingOf(name, found)]));
  const rules = desk.rules(section, standing);
  const before = key === undefined ? undefined : await settledBefore(db, texts, desk, key, proposal, rules);
  if (before) return before;

  const guards = agent.frozen === null ? rules.guards : [frozen(agent.name, agent.frozen), ...rules.guards];
  const at = now();
  const verdict = await proposeTo(
    {
      charter,
      scope,
      rules: () => ({ ...rules, guards }),
      turn: await turnFacts(db, scope, proposal, desk.turn),
      ...(key === undefined ? {} : { key }),
      now: () => at,
      sha256,
      ledger: ledgerOf(db, texts, (name) => standings.find((one) => one.section === name)?.found),
    },
    proposal,
  );
  const { actor, turn = null } = proposal;
  const about = { section, operation: proposal.operation.kind, actor };
  if (verdict.verdict === "accepted") {
    const detail = { ...about, revision: verdict.revision };
    await recordEvent(db, at, { scope, kind: "amended", turn, detail });
    return verdict;
  }
  const objections = verdict.refusals.map(({ guard, because }) => ({ guard, because }));
  if (verdict.verdict === "refused") {
    await recordEvent(db, at, { scope, kind: "amendment-refused", turn, detail: { ...about, refusals: objections } });
    return verdict;
  }
  const held = newId();
  await insertHeld(db, { id: held, scope, proposal, verdict, at, key: key ?? null });
  await recordEvent(db, at, { scope, kind: "amendment-held", turn, detail: { ...about, held, refusals: objections } });
  return { ...verdict, held };
}

export async function turnFacts(db: Database, scope: Scope, { turn }: Proposal, given = quietTurn): Promise<TurnFacts> {
  if (turn === undefined) return given;
  const made = await db.one<{ count: number }>(sql`select count(*) as count from amendments
    where agent = ${scope.agent} and user_id = ${scope.user ?? ""} and turn = ${turn}`);
  return { ...given, amendments: Math.max(given.amendments, made?.count ?? 0) };
}

/** The ledger of one transaction. */
function ledgerOf(db: Database, texts: Texts, newest: (section: string) => Newest | undefined): Ledger {
  return {
    newest: async (_scope, section) => newest(section),
    textAt: async (scope, section, revision) => {
      const row = await amendmentAt(db, scope, section, revision);
      return row?.erased_at === null && isSound(row) ? texts.get(db, row.user_id, row.after_digest) : undefined;
    },
    history: async () => {
      throw new Problem("internal", "A change does not read the whole history.", "Use store.history.");
    },
    append: async (amendment) => {
      await insertAmendment(db, texts, amendment);
      return true;
    },
  };
}

async function settledBefore(
  db: Database,
  texts: Texts,
  { charter, scope }: Desk,
  key: string,
  proposal: Proposal,
  rules: Rules,
): Promise<Settled | undefined> {
  const held = await findHeldByKey(db, scope, key);
  const row = held?.revision
    ? await amendmentAt(db, scope, held.section, held.revision)
    : await db.one<AmendmentRow>(
        sql`select * from amendments where agent = ${scope.agent} and user_id = ${scope.user ?? ""} and key = ${key}`,
      );
  const same = (section: string, operation: string, words: boolean) => {
    if (section === proposal.section && operation === proposal.operation.kind && words) return;
    throw new Problem(
      "key-reused",
      `The key “${key}” was used for another proposal (${operation} of “${section}”).`,
      "Give every proposal a key of its own.",
    );
  };
  if (row) {
    if (row.erased_at !== null)
      throw new Problem(
        "erased",
        `What was proposed under the key “${key}” was erased ${row.erased_at}.`,
        "To propose it anew, give it another key.",
      );
    const before = (await texts.get(db, row.user_id, row.before_digest)) ?? "";
    const after = (await texts.get(db, row.user_id, row.after_digest)) ?? "";
    const { original = "" } = findSection(charter, proposal.section).section;
    const words = held ? isSameOperation(held.proposal, proposal) : makes(proposal, rules, original, before, after);
    same(row.section, row.operation, words);
    const { erasedAt: _, ...entry } = entryOf(row);
    const amendment = { ...entry, before, after };
    return { verdict: "accepted", before, after, revision: row.revision, amendment, repeated: true };
  }
  if (!held) return undefined;
  same(held.section, held.proposal.operation.kind, isSameOperation(held.proposal, proposal));
  const { before, after, refusals, id, status, because } = held;
  if (status === "rejected") {
    const refusal = { guard: "needs-approval", because: because ?? "A person said no." };
    return { verdict: "refused", before, proposed: after, refusals: [refusal], held: id, repeated: true };
  }
  return { verdict: "held", before, after, refusals, held: id, repeated: true };
}

function isSameOperation({ operation: one }: Proposal, { operation: other }: Proposal): boolean {
  const fields = (operation: object) => JSON.stringify(Object.entries(operation).sort());
  return fields(one) === fields(other);
}

/** Whether a proposal makes of the words before it what was made of them; one without words of its own does. */
function makes({ operation }: Proposal, rules: Rules, original: string, before: string, after: string): boolean {
  if (!("content" in operation)) return true;
  const { opening = 0, settle: inOrder = (text: string) => text } = rules;
  const made = applyOperation(operation, { text: before, original, opening, revisionText: () => undefined });
  return "after" in made && inOrder(made.after) === after;
}
