import { isInCharge, recordChanges, type StateChange } from "../automata/automaton.ts";
import type { StoreDeps } from "../deps.ts";
import { messageTaken, recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { matching } from "../home/query.ts";
import { listOf, sql } from "../home/sql.ts";
import { listLost, take } from "../work.ts";
import { giveUpTry } from "./finish-messages.ts";
import { counterpartKey, type InboxMessage, inboxWork, listMessages, messageOf } from "./inbox-row.ts";
import { lockInbox } from "./post-message.ts";

/** How many messages a turn takes, of how many counterparts, and for how long. */
export type ClaimMessagesOptions = {
  /** 10, unless given. */
  readonly limit?: number;
  /** 1, unless given. */
  readonly counterparts?: number;
  readonly leaseMs?: number;
  /** Who has to be in charge of the agent; else nothing is taken. */
  readonly runner?: string;
  /** Changes of the agent's state to be recorded along with it, if there is a message to take. */
  readonly changes?: readonly StateChange[];
};

const abandoned = "nobody who took it came back";

/** Takes, within a transaction, the messages of whoever is next: lanes in turn, and the counterparts of each in turn. */
export async function claimMessages(
  db: Database,
  { now }: Pick<StoreDeps, "now">,
  agent: string,
  turn: string,
  { limit = 10, counterparts = 1, leaseMs = 300_000, changes = [], runner }: ClaimMessagesOptions,
): Promise<InboxMessage[]> {
  await lockInbox(db, agent);
  if (runner !== undefined && !(await isInCharge(db, agent, runner))) return [];
  const at = now();
  for (const row of await listLost(db, inboxWork, matching({ agent }), at))
    await giveUpTry(db, at, messageOf(row), abandoned);
  const next: InboxMessage[] = [];
  const taken: string[] = [];
  while (taken.length < counterparts && next.length < limit) {
    const whose = await nextCounterpart(db, agent, taken);
    if (whose === undefined) break;
    const theirs = matching({ agent, user_id: whose.user, status: "waiting" });
    const batch = await listMessages(db, theirs, sql`limit ${limit - next.length}`);
    // What has failed once may be what breaks the model: nobody else's message is tried, and dies, with it.
    const isAlone = batch.some(({ failures }) => failures.length > 0);
    if (isAlone && taken.length > 0) break;
    await serveLane(db, agent, whose.lane);
    taken.push(whose.user);
    next.push(...batch);
    if (isAlone) break;
  }
  if (next.length === 0) return [];
  const place = ({ at, id }: InboxMessage) => `${at} ${id}`;
  next.sort((one, other) => (place(one) < place(other) ? -1 : 1));
  const rows = await take(db, inboxWork, next, { among: matching({ agent }), at, leaseMs, set: { turn } });
  const paid = new Map(next.map((message) => [message.id, message.paid]));
  const messages = rows.map((row) => messageOf({ ...row, paid: paid.get(row.id) ?? null }));
  // The message names the last turn that worked on it; this names each of them.
  await recordEvents(
    db,
    messages.map(({ sender, id: message }) => {
      const scope = { agent, user: counterpartKey(sender) };
      return { at, scope, kind: messageTaken, turn, detail: { message } };
    }),
  );
  await recordChanges(db, agent, changes);
  return messages;
}

/** From the lane that was served longest ago, whose round is the earliest. */
async function nextCounterpart(
  db: Database,
  agent: string,
  but: readonly string[],
): Promise<{ readonly lane: string; readonly user: string } | undefined> {
  const open = sql`agent = ${agent} and status = 'waiting' ${but.length === 0 ? sql`` : sql`and user_id not in ${listOf(but)}`}`;
  // From one lane to the next by the index: however many messages wait, they are not looked through.
  const first = sql`select min(lane) from inbox where ${open}`;
  const lane = (
    await db.one<{ lane: string }>(sql`with recursive w (lane) as (select (${first}) union all
        select (${first} and lane > w.lane) from w where w.lane is not null)
      select w.lane from w left join lanes l on l.agent = ${agent} and l.lane = w.lane where w.lane is not null
      order by coalesce(l.served, 0), w.lane limit 1`)
  )?.lane;
  if (lane === undefined) return undefined;
  const row = await db.one<{ user_id: string }>(sql`select user_id from inbox where ${open} and lane = ${lane}
    order by round, at, id limit 1`);
  return row && { lane, user: row.user_id };
}

async function serveLane(db: Database, agent: string, lane: string): Promise<void> {
  await db.run(sql`insert into lanes (agent, lane, served)
    values (${agent}, ${lane}, (select coalesce(max(served), 0) + 1 from lanes where agent = ${agent}))
    on conflict (agent, lane) do update set served = excluded.served`);
}
