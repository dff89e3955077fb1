import { isInCharge } from "../automata/automaton.ts";
import { recordChanges, type StateChange } from "../automata/state-change.ts";
import type { StoreDeps } from "../deps.ts";
import { messageTaken, recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { listOf, sql } from "../home/sql.ts";
import { endOfLease } from "../lease.ts";
import { giveUpTry } from "./finish-messages.ts";
import { type InboxMessage, type InboxRow, inboxColumns, messageOf } from "./inbox-row.ts";
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
  const late = await db.all<InboxRow>(sql`select * from inbox where agent = ${agent} and status = 'taken'
    and leased_until < ${at} order by at, id`);
  for (const row of late) await giveUpTry(db, at, row, abandoned);
  const ids: string[] = [];
  const taken: string[] = [];
  while (taken.length < counterparts && ids.length < limit) {
    const next = await nextCounterpart(db, agent, taken);
    if (next === undefined) break;
    const batch = await db.all<{ id: string; failures: string | null }>(sql`select id, failures from inbox
      where agent = ${agent} and user_id = ${next.user} and status = 'waiting' order by at, id limit ${limit - ids.length}`);
    // What has failed once may be what breaks the model: nobody else's message is tried, and dies, with it.
    const isAlone = batch.some(({ failures }) => failures !== null);
    if (isAlone && taken.length > 0) break;
    await serveLane(db, agent, next.lane);
    taken.push(next.user);
    ids.push(...batch.map(({ id }) => id));
    if (isAlone) break;
  }
  if (ids.length === 0) return [];
  const until = endOfLease(at, leaseMs);
  const updated = await db.all<InboxRow>(sql`update inbox set status = 'taken', tries = tries + 1,
      leased_until = ${until}, turn = ${turn}
    where agent = ${agent} and id in ${listOf(ids)} returning ${inboxColumns}`);
  const rows = updated.sort((one, other) =>
    one.at === other.at ? byText(one.id, other.id) : byText(one.at, other.at),
  );
  // The message names the last turn that worked on it; this names each of them.
  for (const { user_id: user, id } of rows)
    await recordEvent(db, at, { scope: { agent, user }, kind: messageTaken, turn, detail: { message: id } });
  await recordChanges(db, agent, changes);
  return rows.map(messageOf);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
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
