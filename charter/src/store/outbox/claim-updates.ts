import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { lockAgainstErasure } from "../home/query.ts";
import { listOf, raw, sql } from "../home/sql.ts";
import { endOfLease } from "../lease.ts";
import { type ChannelUpdate, type ChannelUpdateRow, maxTries, recordDead, updateOf } from "./channel-update-row.ts";
import { type NewDispatch, writeDispatches } from "./dispatch-row.ts";

/** How many updates are taken, and for how long. */
export type ClaimUpdatesOptions = {
  readonly limit?: number;
  readonly leaseMs?: number;
  /** What is sent for an update that is given up because its processes died. */
  readonly dispatchesForDead?: (update: ChannelUpdate) => readonly NewDispatch[];
};

const abandoned = "nobody who took it came back";

/** Oldest first. Ids that are numbers come in the order of the numbers: many updates arrive in one moment. */
const order = raw("at, length(id), id");

type Head = Pick<ChannelUpdateRow, "id" | "state" | "tries">;

/** Takes, within a transaction, the first open update of each address nobody works on. */
export async function claimUpdates(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  agent: string,
  channel: string,
  { limit = 10, leaseMs = 300_000, dispatchesForDead: dead = () => [] }: ClaimUpdatesOptions,
): Promise<ChannelUpdate[]> {
  await lockAgainstErasure(db);
  const at = now();
  const until = endOfLease(at, leaseMs);
  // Two who look at the same moment would each find an address free.
  const lock = db.dialect.lock(JSON.stringify(["updates", agent, channel]));
  if (lock) await db.all(lock);
  const named = (heads: readonly Head[]) =>
    sql`agent = ${agent} and channel = ${channel} and id in ${listOf(heads.map(({ id }) => id))}
      and state in ('waiting', 'taken')`;
  const bury = async (heads: readonly Head[]) => {
    const lost = await db.all<ChannelUpdateRow>(sql`update updates set state = 'dead', failure = ${abandoned},
      leased_until = ${null} where ${named(heads)} returning *`);
    for (const row of lost) {
      await recordDead(db, at, row);
      await writeDispatches(db, { now, newId }, dead(updateOf(row)));
    }
  };
  for (;;) {
    const free = await db.all<Head>(sql`select id, state, tries from (
        select id, at, state, tries, row_number() over (partition by address order by ${order}) as place,
          max(case when state = 'taken' and leased_until > ${at} then 1 else 0 end) over (partition by address) as busy
        from updates where agent = ${agent} and channel = ${channel} and state in ('waiting', 'taken')) as open
      where place = 1 and busy = 0 order by ${order} limit ${limit}`);
    const spent = free.filter(({ state, tries }) => state === "taken" && tries >= maxTries);
    // When the first of an address is dead, it is the next one's turn.
    if (spent.length > 0) await bury(spent);
    else if (free.length === 0) return [];
    else {
      const taken = await db.all<ChannelUpdateRow>(sql`update updates set state = 'taken', tries = tries + 1,
        leased_until = ${until} where ${named(free)} returning *`);
      const place = new Map(free.map(({ id }, index) => [id, index]));
      return taken.map(updateOf).sort((one, other) => Number(place.get(one.id)) - Number(place.get(other.id)));
    }
  }
}
