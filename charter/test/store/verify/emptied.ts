import type { Database } from "../../../src/store/home/database.ts";
import { raw } from "../../../src/store/home/sql.ts";
import { createStore, type Home, type Store } from "../../../src/store/index.ts";
import { carriedTables } from "../../../src/store/lifecycle/checkpoint.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { type StoreFault, verifyStore } from "../../../src/store/verify/verify.ts";
import { answerMessage } from "../answer-message.ts";
import { chainPost, postByChain } from "../chain-post.ts";
import { deskOf } from "../desk.ts";
import { live } from "../lived.ts";

export const tables = [...carriedTables(storeTables).map(({ name }) => name), "texts", "link_codes"];

/** Which tables tell of a table: as long as one of them is there, that its rows are gone is seen. */
export const tellers: Readonly<Record<string, readonly string[]>> = {
  agents: ["amendments", "turns", "steps", "sessions", "memories", "hash_chains", "spending"],
  amendments: ["standings", "events", "held", "steps"],
  standings: ["amendments"],
  steps: ["hash_chains", "texts"],
  hash_chains: ["steps"],
  texts: ["amendments", "steps"],
  turns: ["steps", "events", "held_calls", "memories"],
  sessions: ["turns"],
  attachments: ["turns"],
  held: ["events"],
  held_calls: ["events"],
  events: ["agents", "turns", "amendments"],
  conversations: ["exchanges"],
  exchanges: ["conversations"],
  inbox: ["outbox", "events", "chain_messages"],
  outbox: ["inbox", "events", "chain_replies"],
  schedules: ["runs"],
  links: ["events"],
  // Nothing tells of these, or nothing that outlasts `charter retain`.
  ...{ users: [], memories: [], tokens: [], spending: [], runs: [], updates: [], dispatches: [], link_codes: [] },
  ...{ identities: [] },
  ...{ automata: [], totals: [], lanes: [], message_ids: [], publications: [], heads: [], tool_pins: [], charters: [] },
  ...{ chain_cursors: [], chain_blocks: [], chain_messages: [], chain_replies: [], chain_balances: [] },
};

/** Makes a store in which something of everything has happened. */
export async function fillAll(home: Home): Promise<Store> {
  let seconds = 0;
  const store = await createStore(home, { now: () => new Date(Date.UTC(2026, 1, 18, 0, 0, seconds++)) });
  await store.agents.put({ name: "ada", charter: "test" });
  await live(store);
  const scope = { agent: "ada", user: "bo" };
  const { id } = await store.sessions.open({ scope, receiver: "m1" });
  const turn = await store.turns.open({ scope, input: "In a session.", session: id, inSession: true });
  await store.memory.save(scope, { text: "Made in a turn.", turn: turn.id });
  await store.inbox.claim("ada", turn.id);
  await answerMessage(store.inbox, { agent: "ada", message: "m-dee", reply: "Yes.", turn: turn.id });
  await store.turns.close(turn.id, { reply: "Yes." });
  const place = { agent: "ada", chain: 1, contract: `0x${"c".repeat(40)}` };
  await postByChain(store, place, chainPost(), "Until six.");
  const [held] = await store.held.list({ agent: "ada" });
  await store.held.approve(held?.id as string, "olga", deskOf({ scope }));
  return store;
}

/** Ways to look at a store that somebody was at, each in one transaction that is undone at once. */
export function behindItsBack(home: () => Home) {
  /** Does something to the store, or behind its back. */
  const undone = async (work: (store: Store, db: Database) => Promise<void>): Promise<void> => {
    const only = new Error("Only to see.");
    const done = home().write("everything", async (db) => {
      const here = <Result>(_: unknown, look: (db: Database) => Promise<Result>) => look(db);
      const within = { ...home(), read: here, write: here, vacuum: async () => {}, scrub: async () => true };
      await work(await createStore(within, { now: () => new Date(Date.UTC(2026, 2, 1)) }), db);
      throw only;
    });
    await done.catch((error) => {
      if (error !== only) throw error;
    });
  };
  /** What verify finds after a deed behind the store's back. */
  const after = async (deed: (db: Database) => Promise<unknown>, about: { agent?: string } = {}) => {
    let faults: readonly StoreFault[] = [];
    await undone(async (inside, db) => {
      await deed(db);
      faults = await faultsOf(inside, about);
    });
    return faults;
  };
  /** Of tables that are emptied together: those that nobody names though one of those left tells of them. */
  const unnamed = async (tried: readonly (readonly string[])[]) => {
    const wrong: unknown[] = [];
    for (const gone of tried) {
      const faults = await after(without(...gone));
      const named = new Set(faults.flatMap(({ table, what }) => (what === "missing" ? [table as string] : [])));
      const told = gone.filter((table) => tellers[table]?.some((teller) => !gone.includes(teller)));
      const unseen = told.filter((table) => !named.has(table));
      // What is there is never called missing.
      const invented = [...named].filter((table) => !gone.includes(table));
      if (unseen.length > 0 || invented.length > 0) wrong.push({ gone, unseen, invented });
    }
    return wrong;
  };
  return { undone, after, unnamed };
}

export async function faultsOf({ home }: Store, about: { agent?: string } = {}): Promise<readonly StoreFault[]> {
  return (await verifyStore(home, about)).faults;
}

/** Empties these tables. */
export function without(...gone: readonly string[]) {
  return async (db: Database): Promise<void> => {
    for (const table of gone) await db.run(raw(`delete from ${table}`));
  };
}
