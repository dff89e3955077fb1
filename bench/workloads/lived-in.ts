import { raw, sql } from "../../charter/src/store/home/sql.ts";
import type { Store } from "../../charter/src/store/store.ts";

/** Beside the turns of `fillLists`: notes, proposals and calls that wait, and schedules, of one agent. */
export type LivedInSizes = { readonly notes: number; readonly waiting: number; readonly schedules: number };

/** One of each is made by the store, in the words it keeps; the rest are copies of it. */
export async function fillBesideTurns(store: Store, agent: string, sizes: LivedInSizes): Promise<void> {
  const scope = { agent, user: "user-0" };
  await store.memory.save(scope, { key: "note-0", text: "Likes short answers, and is in Oslo on Mondays." });
  await store.schedules.add({
    scope,
    title: "Weekly letter",
    input: "Write the letter.",
    nextAt: "2026-03-01T08:00:00Z",
  });
  const call = { turn: "turn-0", step: 1, call: "c0", tool: "send_mail", input: { to: "bo" }, reason: "foreign words" };
  await store.calls.hold(scope, call);
  const numbers = (count: number) =>
    sql`with recursive count_up(n) as (select 1 union all select n + 1 from count_up where n < ${raw(String(count - 1))})`;
  await store.home.write("everything", async (db) => {
    await db.run(sql`insert into memories (id, agent, user_id, key, text, folded, tainted, turn, at, stems)
      ${numbers(sizes.notes)} select 'note-' || n, agent, user_id, 'note-' || n, words || n, folded || n, tainted, turn, at, stems
      from memories, count_up where agent = ${agent}`);
    await db.run(sql`insert into schedules (id, agent, user_id, title, cron, zone, input, channel, next_at, missed, overlap,
        max_tries, next_zone)
      ${numbers(sizes.schedules)} select 'schedule-' || n, agent, user_id, title || ' ' || n, cron, zone, input, channel, next_at,
        missed, overlap, max_tries, next_zone from schedules, count_up where agent = ${agent}`);
    await db.run(sql`insert into held_calls (id, agent, user_id, turn, step, call, call_digest, tool, input, reason, at, status)
      ${numbers(sizes.waiting)} select 'call-' || n, agent, user_id, 'turn-' || n, step, 'c' || n, call_digest, tool, input,
        reason, at, status from held_calls, count_up where agent = ${agent}`);
  });
}
