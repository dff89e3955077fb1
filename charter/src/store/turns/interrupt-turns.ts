import type { StoreDeps } from "../deps.ts";
import { recordEvent, scopeOf, turnEnded } from "../event.ts";
import { raw, sql } from "../home/sql.ts";
import { type Turn, type TurnRow, turnOf } from "./turn.ts";

/** Whose turns to look at, and which processes are known to have died. */
export type InterruptOptions = { readonly agent?: string; readonly isGone?: (runner: string) => boolean };

/**
 * Marks the turns nobody is working on any more, and gives them; each is marked once, whoever looks at the same time.
 *
 * A turn that was heard of in between goes on: the lease is looked at again when the mark is made.
 */
export async function interruptTurns(
  { home, now }: Pick<StoreDeps, "home" | "now">,
  { agent, isGone = () => false }: InterruptOptions,
): Promise<Turn[]> {
  const whose = agent === undefined ? raw("") : sql`and agent = ${agent}`;
  const running = await home.read("everything", (db) =>
    db.all<TurnRow>(sql`select * from turns where state = 'running' ${whose}
      and (runner is not null or leased_until is not null) order by id`),
  );
  const at = now();
  const silent = ({ leased_until }: TurnRow) => leased_until !== null && leased_until < at;
  const gone = ({ runner }: TurnRow) => runner !== null && isGone(runner);
  const dead = running.filter((row) => silent(row) || gone(row)).map((row) => ({ row, late: silent(row) }));
  if (dead.length === 0) return [];
  return home.write("everything", async (db) => {
    const marked: Turn[] = [];
    for (const { row, late } of dead) {
      const still = late ? sql`leased_until < ${at}` : sql`runner = ${row.runner}`;
      const taken = await db.one<TurnRow>(sql`update turns set state = 'interrupted', ended_at = ${at},
          duration_ms = ${db.dialect.millisSince("started_at", at)}, leased_until = ${null} where id = ${row.id} and state = 'running' and ${still} returning *`);
      if (!taken) continue;
      const because = late ? "its lease ran out" : "its runner is gone";
      const about = { scope: scopeOf(row), turn: row.id };
      await recordEvent(db, at, { ...about, kind: "turn-interrupted", detail: { runner: row.runner, because } });
      await recordEvent(db, at, { ...about, kind: turnEnded, detail: { state: "interrupted" } });
      marked.push(turnOf(taken));
    }
    return marked;
  });
}
