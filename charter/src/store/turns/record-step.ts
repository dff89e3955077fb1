import type { Scope } from "../../amend/amendment.ts";
import { createBoundedMap, remembered } from "../../prompt/bounds.ts";
import { type Receipt, type ReceiptText, type SentSection, type SentSlot, textsNamed } from "../../prompt/receipt.ts";
import { agentFrozen, lockWork } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { insertInto, lockAgainstErasure } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { sha256 } from "../texts/packing.ts";
import { type SessionTouch, touchSession } from "./session.ts";
import {
  type HashChainEnd,
  hashChainEnd,
  hashChains,
  type StepLink,
  type StepRow,
  stepDigest,
  steps,
} from "./steps.ts";
import { checkTurnRunning, renewTurn, type TurnHints, type TurnRow, unknownTurn } from "./turn.ts";

/** A request that is about to be sent: its receipt and the texts it refers to, as `receiptOf` returns them. */
export type NewStep = TurnHints & {
  readonly receipt: Receipt;
  readonly texts: readonly ReceiptText[];
  readonly session?: SessionTouch;
  /** Thousandths of the request that a provider keeps in its cache, for a provider that does not count what it writes there. */
  readonly stable?: number | undefined;
};

/** A recorded step: its number in the turn, its number in the agent's hash chain, and its digest. */
export type RecordedStep = { readonly step: number; readonly number: number; readonly digest: string };

/** Texts of a scope's last step: the next step is likely to be similar, so its texts are stored as differences to these. */
type Last = { readonly receipt: string; readonly sections: ReadonlyMap<string, string> };

/** Signal that rolls back a step which was about to be chained to the wrong one. */
const hashChainMoved = new Error("The hash chain of receipts does not end where it was thought to.");
const maxTries = 5;

export function createStepRecorder({ home, texts, now }: StoreDeps) {
  const lasts = createBoundedMap<string, Last>(1000);
  const ends = createBoundedMap<string, HashChainEnd>(1000);

  return async (turn: string, scope: Scope, given: NewStep): Promise<RecordedStep> => {
    const { agent, user = "" } = scope;
    const body = receiptText(given.receipt);
    const step = {
      ...given,
      turn,
      scope,
      body,
      receipt: sha256(body),
      model: given.receipt.receiver,
      whose: `${agent}\0${user}`,
    };
    for (let tries = 1; ; tries++) {
      // End of the hash chain as this process left it; else the last step there is, which only the operator's reach can read.
      const ours = ends.get(agent);
      const newest = ours ? undefined : await home.read("everything", (db) => newestStep(db, agent));
      try {
        const kept = await home.write(scope, (db) => keep(db, step, ours, newest));
        ends.set(agent, kept);
        lasts.set(step.whose, { receipt: step.receipt, sections: sectionsOf(given.texts) });
        return kept;
      } catch (error) {
        if (error !== hashChainMoved || tries === maxTries) throw error;
        ends.delete(agent);
      }
    }
  };

  async function keep(
    db: Database,
    step: Omit<NewStep, "receipt"> & {
      turn: string;
      scope: Scope;
      body: string;
      receipt: string;
      model: string | null;
      whose: string;
    },
    ours: HashChainEnd | undefined,
    newest: StepLink | undefined,
  ): Promise<RecordedStep> {
    const { turn, scope, receipt, session, stable, tainted = false, foreign } = step;
    const { agent, user = "" } = scope;
    // Erasure before this point shows in the turn's state, which is read after the locks are taken.
    lockAgainstErasure(db);
    lockWork(db, agent);
    const begun = await findTurnToStep(db, turn, scope);
    checkTurnRunning(turn, begun.state);
    if (begun.frozen === "agent") throw agentFrozen(agent);
    const at = now();
    await putTexts(db, step, lasts.get(step.whose) ?? (await lastKept(db, scope, begun.number)));
    const modelChange = step.model !== null && step.model !== begun.model ? [sql`model = ${step.model}`] : [];
    const { lease_seconds: lease, leased_until: until } = begun;
    renewTurn(db, { id: turn, lease, until, tainted: tainted && begun.tainted === 0, foreign }, at, modelChange);
    if (session && begun.session !== null) touchSession(db, { id: begun.session, scope }, at, session, step);
    // The agent's other turns wait from here on, so as little as possible is left to do.
    const chainEnd = await holdHashChain(db, agent, begun);
    const end = ours ? followHashChain(chainEnd, ours) : hashChainEnd(chainEnd, newest);
    // A chain that has moved since may have moved by a step of this very turn.
    const last = chainEnd?.number === (begun.number ?? undefined) ? begun.step : await lastStep(db, turn);
    const link = { turn, step: (last ?? 0) + 1, number: (end?.number ?? 0) + 1, at, receipt };
    const previous = end?.digest ?? sha256(agent);
    const digest = stepDigest({ ...link, agent, user_id: user, previous });
    const row = insertInto(steps, { ...link, scope, previous, digest, stable });
    const inserting = db.run(sql`${row} on conflict (agent, number) do nothing`);
    db.send(sql`${insertInto(hashChains, { agent, number: link.number, digest })}
      on conflict (agent) do update set number = excluded.number, digest = excluded.digest`);
    if ((await inserting) === 0) throw hashChainMoved;
    return { step: link.step, number: link.number, digest };
  }

  /**
   * Stores the texts that all of the agent's users share, and the scope's own with the receipt; each as the difference to what
   * was sent before.
   */
  function putTexts(
    db: Database,
    { texts: kept, scope: { user = "" }, body, receipt }: Parameters<typeof keep>[1],
    base: Last | undefined,
  ): Promise<void> {
    const sections = kept.map(({ text, digest, section, whose }) => {
      return { owner: whose === "agent" ? "" : user, text, digest, base: base?.sections.get(section) };
    });
    return texts.putAll(db, [...sections, { owner: user, text: body, digest: receipt, base: base?.receipt }]);
  }

  /** Returns the texts of the agent's last step, if that was for the same user. */
  async function lastKept(db: Database, { agent, user = "" }: Scope, number: number | null): Promise<Last | undefined> {
    if (number === null) return undefined;
    const row = await db.one<StepRow>(sql`select * from steps where agent = ${agent} and number = ${number}`);
    if (row?.user_id !== user || row.erased_at !== null) return undefined;
    const text = await texts.get(db, user, row.receipt);
    if (text === undefined) return undefined;
    return { receipt: row.receipt, sections: sectionsOf(textsNamed(JSON.parse(text) as Receipt)) };
  }
}

const spansText = remembered((spans: SentSection["spans"]) => JSON.stringify(spans));

/** Writes a receipt as JSON. Most of its spans are as in the one before, and are not written anew. */
function receiptText(receipt: Receipt): string {
  // No text in JSON has such a name in it: quotes are escaped there.
  const put = (about: object, name: string, json: string) =>
    JSON.stringify({ ...about, [name]: [] }).replace(`"${name}":[]`, () => `"${name}":${json}`);
  const sectionText = (section: SentSection) => put(section, "spans", spansText(section.spans));
  const slotText = (slot: SentSlot) => put(slot, "sections", `[${slot.sections.map(sectionText).join()}]`);
  return put(receipt, "slots", `[${receipt.slots.map(slotText).join()}]`);
}

function sectionsOf(kept: readonly Pick<ReceiptText, "section" | "digest">[]): Last["sections"] {
  return new Map(kept.map(({ section, digest }) => [section, digest]));
}

/** Reads the turn, the number of its steps, and the end of its agent's hash chain. */
async function findTurnToStep(db: Database, turn: string, { agent, user = "" }: Scope) {
  type Begun = Pick<TurnRow, "state" | "session" | "lease_seconds" | "leased_until" | "model" | "tainted"> & {
    step: number | null;
    number: number | null;
    digest: string;
    frozen: string | null;
  };
  const found = await db.one<Begun>(sql`select t.state, t.session, t.lease_seconds, t.leased_until,
      t.model, t.tainted, c.number, c.digest, a.frozen,
      (select max(s.step) from steps s where s.turn = t.id) as step
    from turns t left join hash_chains c on c.agent = t.agent left join agents a on a.name = t.agent
    where t.id = ${turn} and t.agent = ${agent} and t.user_id = ${user}`);
  if (found) return found;
  throw unknownTurn(turn);
}

/**
 * Returns the end of the agent's hash chain, locked until this transaction ends. The first two steps of an agent may still race.
 */
async function holdHashChain(db: Database, agent: string, found: { number: number | null; digest: string }) {
  const held = db.dialect.hold(sql`select number, digest from hash_chains where agent = ${agent}`);
  if (held) return db.one<HashChainEnd>(held);
  return found.number === null ? undefined : { number: found.number, digest: found.digest };
}

async function lastStep(db: Database, turn: string): Promise<number | null> {
  const row = await db.one<{ step: number | null }>(sql`select max(step) as step from steps where turn = ${turn}`);
  return row?.step ?? null;
}

/**
 * Returns the end of the hash chain if it is where this process left it, or further on. Anything else was not done by a step, so
 * the step is tried again.
 */
function followHashChain(said: HashChainEnd | undefined, ours: HashChainEnd): HashChainEnd {
  const same = said?.digest === ours.digest;
  if (said && (said.number > ours.number ? !same : said.number === ours.number && same)) return said;
  throw hashChainMoved;
}

async function newestStep(db: Database, agent: string): Promise<StepLink | undefined> {
  return db.one<StepLink>(sql`select agent, number, user_id, turn, step, at, receipt, previous, digest from steps
    where agent = ${agent} order by number desc limit 1`);
}
