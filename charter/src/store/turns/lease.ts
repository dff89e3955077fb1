import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";

/** So many seconds a turn that someone runs may be silent, unless they say otherwise. */
const usualSeconds = 300;

/** How long a turn may be silent before others take it for interrupted; `null`: for as long as it likes. */
export function leaseOf({ runner, leaseSeconds }: { runner?: string; leaseSeconds?: number }): number | null {
  const seconds = leaseSeconds ?? (runner === undefined ? null : usualSeconds);
  if (seconds === null || (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= maxLeaseSeconds)) return seconds;
  throw new Problem(
    "bad-lease",
    `A turn cannot be leased for ${seconds} seconds.`,
    "Give a whole number of seconds, up to a year.",
  );
}

/** A year: what is silent for longer is not coming back. */
export const maxLeaseSeconds = 31_536_000;

export function leaseEnd(at: string, seconds: number | null): string | null {
  return seconds === null ? null : new Date(Date.parse(at) + seconds * 1000).toISOString();
}

/** Says that a turn is alive; and that foreign words are in it, which sticks. */
export async function renewLease(
  db: Database,
  turn: { readonly id: string; readonly lease: number | null; readonly tainted: boolean },
  at: string,
): Promise<void> {
  const { id, lease, tainted } = turn;
  if (lease === null && !tainted) return;
  await db.run(sql`update turns set leased_until = ${leaseEnd(at, lease)},
    tainted = case when tainted = 1 then 1 else ${tainted ? 1 : 0} end where id = ${id} and state = 'running'`);
}
