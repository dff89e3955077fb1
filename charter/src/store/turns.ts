import type { Scope } from "../amend/amendment.ts";
import { Problem } from "../prompt/problem.ts";
import type { KeptText, Receipt } from "../prompt/receipt.ts";
import { agentAtWork } from "./agents.ts";
import { scopeOf } from "./event.ts";
import type { Database, Reach } from "./home/database.ts";
import { type Page, pageOf } from "./home/page.ts";
import { reachOf, within } from "./home/reach.ts";
import { raw, sql } from "./home/sql.ts";
import type { Parts } from "./parts.ts";
import { checkName, checkScope } from "./scope.ts";
import { sha256 } from "./sha256.ts";
import { type ChainEnd, cameDigest, chainEnd, type StepLink, type StepRow, stepDigest } from "./steps.ts";

/** One input to one final answer. */
export type Turn = {
  readonly id: string;
  readonly scope: Scope;
  readonly session: string | null;
  readonly channel: string | null;
  readonly input: string;
  readonly reply: string | null;
  readonly state: "running" | "answered" | "failed" | "erased";
  readonly tainted: boolean;
  readonly startedAt: string;
  readonly endedAt: string | null;
};

export type NewTurn = {
  readonly scope: Scope;
  readonly input: string;
  readonly id?: string;
  readonly channel?: string;
  readonly session?: string;
};

/** What a step is told to keep, and what it was given for it. */
export type NewStep = { readonly receipt: Receipt; readonly texts: readonly KeptText[] };
export type Kept = { readonly step: number; readonly number: number; readonly digest: string };

export type Turns = {
  readonly open: (turn: NewTurn) => Promise<Turn>;
  /** Keeps the receipt of the next step, before the model is asked. */
  readonly step: (turn: string, step: NewStep) => Promise<Kept>;
  /** What came of a step: intents before a tool runs, results after, the provider's usage. */
  readonly came: (turn: string, step: number, came: Readonly<Record<string, unknown>>) => Promise<void>;
  /** A turn that was erased while it ran stays so: neither its reply nor what came of its steps is kept. */
  readonly close: (turn: string, end: TurnEnd) => Promise<Turn>;
  /** Newest first. */
  readonly list: (about?: Page & { readonly agent?: string; readonly user?: string }) => Promise<Turn[]>;
  readonly get: (turn: string, reach?: Reach) => Promise<Turn>;
};

export type TurnEnd = {
  readonly reply?: string | null;
  readonly state?: "answered" | "failed";
  readonly tainted?: boolean;
};

export type TurnRow = {
  id: string;
  agent: string;
  user_id: string;
  session: string | null;
  channel: string | null;
  input: string;
  reply: string | null;
  state: Turn["state"];
  tainted: number;
  started_at: string;
  ended_at: string | null;
};

export function turnOf(row: TurnRow): Turn {
  const { id, session, channel, input, reply, state } = row;
  const times = { startedAt: row.started_at, endedAt: row.ended_at };
  return { id, scope: scopeOf(row), session, channel, input, reply, state, tainted: row.tainted === 1, ...times };
}

export async function findTurn(db: Database, id: string, reach: Reach = "everything"): Promise<Turn> {
  const row = await db.one<TurnRow>(sql`select * from turns where id = ${id}${within(reach)}`);
  if (row) return turnOf(row);
  throw new Problem("unknown-turn", `There is no turn “${id}”.`, "See them with `charter turns`.");
}

export function createTurns({ home, texts, now, newId }: Parts): Turns {
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => findTurn(db, id, reach));
  const lastReceipts = new Map<string, Last>();
  return {
    get,
    open: async ({ scope, input, id = newId(), channel = null, session = null }) => {
      checkScope(scope);
      checkName("turn", id);
      return home.write(scope, async (db) => {
        const agent = await agentAtWork(db, scope.agent);
        if (agent.frozen === "agent")
          throw new Problem(
            "agent-frozen",
            `“${scope.agent}” is frozen.`,
            `Let it go on with \`charter thaw ${scope.agent}\`.`,
          );
        const added =
          await db.run(sql`insert into turns (id, agent, user_id, session, channel, input, reply, state, tainted, started_at)
          values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${session}, ${channel}, ${input}, ${null}, ${"running"}, ${0}, ${now()})
          on conflict (id) do nothing`);
        if (added === 0)
          throw new Problem(
            "turn-exists",
            `There is a turn “${id}” already.`,
            "Give every turn an id of its own, or none.",
          );
        return findTurn(db, id);
      });
    },
    step: async (turn, { receipt, texts: kept }) => {
      const { scope, newest } = await home.read("everything", async (db) => {
        const found = await findTurn(db, turn);
        return { scope: found.scope, newest: await newestStep(db, found.scope.agent) };
      });
      const { agent, user = "" } = scope;
      const body = JSON.stringify(receipt);
      const whose = `${agent}\0${user}`;
      const { answer, last } = await home.write(scope, async (db) => {
        const lock = db.dialect.lock(JSON.stringify(["receipts", agent]));
        if (lock) await db.all(lock);
        const said = await db.one<ChainEnd>(sql`select number, digest from chains where agent = ${agent}`);
        const end = chainEnd(said, newest);
        const base = lastReceipts.get(whose) ?? (end && (await lastKept(db, agent, user, end.number)));
        const owned = { agent: "", user };
        for (const owner of ["agent", "user"] as const) {
          const mine = kept.filter((one) => one.whose === owner);
          const news = mine.map(({ text, digest, section }) => ({ text, digest, base: base?.sections.get(section) }));
          await texts.putAll(db, owned[owner], news);
        }
        const receiptDigest = await texts.put(db, user, body, base?.receipt);
        // Asked when no one can be erasing any more: what a turn still had in mind is not written down again.
        const before = await db.one<{ state: Turn["state"]; step: number | null }>(
          sql`select state, (select max(step) from steps where turn = ${turn}) as step from turns where id = ${turn}`,
        );
        if (before?.state === "erased")
          throw new Problem("erased", `The turn “${turn}” was erased while it ran.`, "Nothing more of it is kept.");
        const row = {
          agent,
          number: (end?.number ?? 0) + 1,
          user_id: user,
          turn,
          step: (before?.step ?? 0) + 1,
          at: now(),
          receipt: receiptDigest,
          previous: end?.digest ?? sha256(agent),
        };
        const digest = stepDigest(row);
        await db.run(sql`insert into steps (agent, number, user_id, turn, step, at, receipt, previous, digest)
          values (${agent}, ${row.number}, ${user}, ${turn}, ${row.step}, ${row.at}, ${receiptDigest}, ${row.previous}, ${digest})`);
        await db.run(sql`insert into chains (agent, number, digest) values (${agent}, ${row.number}, ${digest})
          on conflict (agent) do update set number = excluded.number, digest = excluded.digest`);
        const sections = new Map(kept.map((one) => [one.section, one.digest]));
        return { answer: { step: row.step, number: row.number, digest }, last: { receipt: receiptDigest, sections } };
      });
      lastReceipts.delete(whose);
      lastReceipts.set(whose, last);
      if (lastReceipts.size > 1000) lastReceipts.delete(lastReceipts.keys().next().value as string);
      return answer;
    },
    came: async (turn, step, came) => {
      const { scope } = await get(turn);
      const body = JSON.stringify(came);
      const found = await home.write(scope, async (db) => {
        const row = await db.one<StepRow>(sql`select digest from steps where turn = ${turn} and step = ${step}`);
        if (!row) return false;
        // What comes of a step that was erased meanwhile is not kept either.
        await db.run(sql`update steps set came = ${body}, came_digest = ${cameDigest(row.digest, body)}
          where turn = ${turn} and step = ${step} and erased_at is null`);
        return true;
      });
      if (!found)
        throw new Problem("unknown-turn", `The turn “${turn}” has no step ${step}.`, "See it with `charter turns`.");
    },
    close: async (turn, { reply = null, state = "answered", tainted = false }) => {
      const { scope } = await get(turn);
      return home.write(scope, async (db) => {
        await db.run(sql`update turns set reply = ${reply}, state = ${state}, tainted = ${tainted ? 1 : 0}, ended_at = ${now()}
          where id = ${turn} and state <> 'erased'`);
        return findTurn(db, turn);
      });
    },
    list: ({ agent, user, ...page } = {}) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<TurnRow>(sql`select * from turns where 1 = 1
          ${agent === undefined ? raw("") : sql`and agent = ${agent}`}
          ${user === undefined ? raw("") : sql`and user_id = ${user}`}
          order by id desc limit ${limit} offset ${offset}`);
        return rows.map(turnOf);
      }),
  };

  /** What the agent's last step kept, when it was for the same user: the next one is likely to be much like it. */
  async function lastKept(db: Database, agent: string, user: string, number: number): Promise<Last | undefined> {
    const row = await db.one<StepRow>(sql`select * from steps where agent = ${agent} and number = ${number}`);
    if (row?.user_id !== user || row.erased_at !== null) return undefined;
    const text = await texts.get(db, user, row.receipt);
    if (text === undefined) return undefined;
    const { slots }: Receipt = JSON.parse(text);
    const sections = slots.flatMap((slot) => slot.sections.map(({ name, digest }): [string, string] => [name, digest]));
    return { receipt: row.receipt, sections: new Map(sections) };
  }
}

async function newestStep(db: Database, agent: string): Promise<StepLink | undefined> {
  return db.one<StepLink>(sql`select agent, number, user_id, turn, step, at, receipt, previous, digest from steps
    where agent = ${agent} order by number desc limit 1`);
}

type Last = { readonly receipt: string; readonly sections: ReadonlyMap<string, string> };
