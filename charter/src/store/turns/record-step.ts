import type { Scope } from "../../amend/amendment.ts";
import { createBoundedMap } from "../../prompt/bounded-map.ts";
import type { Receipt, ReceiptText } from "../../prompt/receipt.ts";
import { textsNamed } from "../../prompt/sent-history.ts";
import { agentFrozen, workLock } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { sha256 } from "../texts/sha256.ts";
import { renewLease } from "./lease.ts";
import { type SessionTouch, touchSession } from "./sessions.ts";
import { type ChainEnd, chainEnd, type StepLink, type StepRow, stepDigest } from "./steps.ts";
import { checkTurnRunning, type TurnRow, unknownTurn } from "./turn.ts";

/** A request that is about to be sent: its receipt and the texts it refers to, as `receiptOf` returns them. */
export type NewStep = TurnHints & {
  readonly receipt: Receipt;
  readonly texts: readonly ReceiptText[];
  readonly session?: SessionTouch;
  /** So many thousandths of it a provider keeps in its cache that does not count what it writes there. */
  readonly stable?: number | undefined;
};

/** What is known about a turn: its scope, which is looked up otherwise, and whether it contains untrusted text. */
export type TurnHints = { readonly scope?: Scope; readonly tainted?: boolean };

/** A step that was recorded: its number in the turn, its number in the agent's chain, and its digest. */
export type RecordedStep = { readonly step: number; readonly number: number; readonly digest: string };

/** What the last step of a scope kept: the next one is likely to be much like it. */
type Last = { readonly receipt: string; readonly sections: ReadonlyMap<string, string> };

/** Thrown to undo a step that was about to be chained to the wrong one. */
const chainMoved = new Error("The chain of receipts does not end where it was thought to.");
const maxTries = 5;

export function createStepRecorder({ home, texts, now }: StoreDeps) {
  const lasts = createBoundedMap<string, Last>(1000);
  const ends = createBoundedMap<string, ChainEnd>(1000);

  return async (turn: string, scope: Scope, given: NewStep): Promise<RecordedStep> => {
    const { agent, user = "" } = scope;
    const body = JSON.stringify(given.receipt);
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
      // Where the chain ended for us last; or else the last step there is, which only an operator sees.
      const ours = ends.get(agent);
      const newest = ours ? undefined : await home.read("everything", (db) => newestStep(db, agent));
      try {
        const kept = await home.write(scope, (db) => keep(db, step, ours, newest));
        ends.set(agent, kept);
        lasts.set(step.whose, { receipt: step.receipt, sections: sectionsOf(given.texts) });
        return kept;
      } catch (error) {
        if (error !== chainMoved || tries === maxTries) throw error;
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
    ours: ChainEnd | undefined,
    newest: StepLink | undefined,
  ): Promise<RecordedStep> {
    const { turn, scope, receipt, session, stable, tainted = false } = step;
    const { agent, user = "" } = scope;
    // While we hold on to the texts no one is erasing, and what was erased before shows in the turn.
    const receipts = db.dialect.lock(JSON.stringify(["receipts", agent]));
    for (const lock of [db.dialect.lockTableShared("texts"), workLock(db, agent), receipts])
      if (lock) await db.all(lock);
    const found = await findTurnToStep(db, turn, scope);
    checkTurnRunning(turn, found.state);
    if (found.frozen === "agent") throw agentFrozen(agent);
    const said = found.number === null ? undefined : { number: found.number, digest: found.digest };
    const end = ours ? followChain(said, ours) : chainEnd(said, newest);
    await putTexts(db, step, lasts.get(step.whose) ?? (end && (await lastKept(db, scope, end.number))));
    const row = {
      agent,
      number: (end?.number ?? 0) + 1,
      user_id: user,
      turn,
      step: (found.step ?? 0) + 1,
      at: now(),
      receipt,
      previous: end?.digest ?? sha256(agent),
    };
    const digest = stepDigest(row);
    const added = await db.run(sql`insert into steps (agent, number, user_id, turn, step, at, receipt, previous, digest,
        stable)
      values (${agent}, ${row.number}, ${user}, ${turn}, ${row.step}, ${row.at}, ${receipt}, ${row.previous}, ${digest},
        ${stable ?? null})
      on conflict (agent, number) do nothing`);
    if (added === 0) throw chainMoved;
    await db.run(sql`insert into chains (agent, number, digest) values (${agent}, ${row.number}, ${digest})
      on conflict (agent) do update set number = excluded.number, digest = excluded.digest`);
    await renewLease(db, { id: turn, lease: found.lease_seconds, tainted }, row.at);
    if (step.model !== null && step.model !== found.model)
      await db.run(sql`update turns set model = ${step.model} where id = ${turn}`);
    if (session && found.session !== null) await touchSession(db, { id: found.session, scope }, row.at, session);
    return { step: row.step, number: row.number, digest };
  }

  /** The agents' common words and the scope's own, the receipt among them; each against what was sent before. */
  async function putTexts(
    db: Database,
    { texts: kept, scope: { user = "" }, body, receipt }: Parameters<typeof keep>[1],
    base: Last | undefined,
  ): Promise<void> {
    const news = (owner: ReceiptText["whose"]) =>
      kept
        .filter(({ whose }) => whose === owner)
        .map(({ text, digest, section }) => ({ text, digest, base: base?.sections.get(section) }));
    const own = [...news("user"), { text: body, digest: receipt, base: base?.receipt }];
    if (user === "") return texts.putAll(db, "", [...news("agent"), ...own]);
    await texts.putAll(db, "", news("agent"));
    await texts.putAll(db, user, own);
  }

  /** What the agent's last step kept, when it was for the same user. */
  async function lastKept(db: Database, { agent, user = "" }: Scope, number: number): Promise<Last | undefined> {
    const row = await db.one<StepRow>(sql`select * from steps where agent = ${agent} and number = ${number}`);
    if (row?.user_id !== user || row.erased_at !== null) return undefined;
    const text = await texts.get(db, user, row.receipt);
    if (text === undefined) return undefined;
    return { receipt: row.receipt, sections: sectionsOf(textsNamed(JSON.parse(text) as Receipt)) };
  }
}

function sectionsOf(kept: readonly Pick<ReceiptText, "section" | "digest">[]): Last["sections"] {
  return new Map(kept.map(({ section, digest }) => [section, digest]));
}

/** The turn, how far it got, and where its agent's chain says it ends. */
async function findTurnToStep(db: Database, turn: string, { agent, user = "" }: Scope) {
  type Begun = Pick<TurnRow, "state" | "session" | "lease_seconds" | "model"> & {
    step: number | null;
    number: number | null;
    digest: string;
    frozen: string | null;
  };
  const found =
    await db.one<Begun>(sql`select t.state, t.session, t.lease_seconds, t.model, c.number, c.digest, a.frozen,
      (select max(s.step) from steps s where s.turn = t.id) as step
    from turns t left join chains c on c.agent = t.agent left join agents a on a.name = t.agent
    where t.id = ${turn} and t.agent = ${agent} and t.user_id = ${user}`);
  if (found) return found;
  throw unknownTurn(turn);
}

/** The chain ends where we left it, or others went on. Anything else was not done by a step: we look again. */
function followChain(said: ChainEnd | undefined, ours: ChainEnd): ChainEnd {
  const same = said?.digest === ours.digest;
  if (said && (said.number > ours.number ? !same : said.number === ours.number && same)) return said;
  throw chainMoved;
}

async function newestStep(db: Database, agent: string): Promise<StepLink | undefined> {
  return db.one<StepLink>(sql`select agent, number, user_id, turn, step, at, receipt, previous, digest from steps
    where agent = ${agent} order by number desc limit 1`);
}
