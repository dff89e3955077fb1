import type { Database } from "../home/database.ts";
import { joinQueries, sql } from "../home/sql.ts";
import { type FaultList, linkName, ownerName } from "./faults.ts";

/** Something outside a hash chain of amendments that says how far it went. */
export type RevisionMention = {
  readonly agent: string;
  readonly user_id: string;
  readonly section: string;
  readonly revision: number;
  /** Who says so: “event 12 tells of it”. */
  readonly by: string;
};

export type HashChainReach = {
  /** A hash chain that does not go as far as it is told to have gone has lost its end, or is gone as a whole. */
  readonly compare: (tellings: readonly RevisionMention[]) => Promise<void>;
};

type Key = Omit<RevisionMention, "revision" | "by">;
type EndRow = Key & { last: number | null; head: number | null };

const keyOf = ({ agent, user_id, section }: Key) => JSON.stringify([agent, user_id, section]);
const remembered = 20_000;
const batch = 400;

export function createHashChainReach(db: Database, faults: FaultList): HashChainReach {
  const ends = new Map<string, number>();
  const look = async (keys: readonly Key[]): Promise<void> => {
    const wanted = keys.map(({ agent, user_id, section }) => sql`(${agent}, ${user_id}, ${section})`);
    const rows = await db.all<EndRow>(sql`with wanted (agent, user_id, section) as (values ${joinQueries(wanted, ", ")})
      select w.agent, w.user_id, w.section,
        (select max(a.revision) from amendments a
          where a.agent = w.agent and a.user_id = w.user_id and a.section = w.section) as last,
        (select s.revision from standings s
          where s.agent = w.agent and s.user_id = w.user_id and s.section = w.section) as head
      from wanted w`);
    // What the row that ends a chain says of it is compared where the chain is walked.
    for (const row of rows) ends.set(keyOf(row), Math.max(row.last ?? 0, row.head ?? 0));
  };
  return {
    compare: async (tellings) => {
      const furthest = new Map<string, RevisionMention>();
      for (const one of tellings) {
        const before = furthest.get(keyOf(one));
        if (!before || one.revision > before.revision) furthest.set(keyOf(one), one);
      }
      if (ends.size > remembered) ends.clear();
      const unknown = [...furthest].flatMap(([key, one]) => (ends.has(key) ? [] : [one]));
      for (let from = 0; from < unknown.length; from += batch) await look(unknown.slice(from, from + batch));
      for (const [key, { revision, by, ...owner }] of furthest) {
        const end = ends.get(key) ?? 0;
        if (revision <= end) continue;
        const row = linkName(ownerName(owner), "revision", end + 1, revision);
        faults.add({ table: "amendments", row, what: "missing", reason: by });
        // Once is enough: whoever else tells of it has nothing to add.
        ends.set(key, revision);
      }
    },
  };
}
