import { isObject, isText } from "../prompt/argument.ts";
import { charters } from "./agent-tables.ts";
import { type CharterRecord, type CharterToKeep, charterRecordOf } from "./charter-record.ts";
import type { Database } from "./home/database.ts";
import { findRecord, putInto } from "./home/query.ts";
import { sql } from "./home/sql.ts";

/** What an agent calls its charter, and how that is kept with it, where it is no mere name. */
export function charterGiven(given: string | CharterToKeep) {
  if (typeof given === "string") return { charter: given, keep: async () => {} };
  const declared = charterRecordOf(given);
  const { name } = declared.charter;
  const keep = (db: Database, agent: string, at: string) => db.run(putInto(charters, { agent, name, declared, at }));
  return { charter: name, keep };
}

/** The charter that is kept with an agent, if that is still the one it has. */
export async function findCharter(db: Database, agent: string): Promise<CharterRecord | undefined> {
  const kept = sql`select c.* from charters c join agents a on a.name = c.agent and a.charter = c.name
    where c.agent = ${agent}`;
  return (await findRecord(db, charters, kept))?.declared;
}

export function isNameOrCharter(value: unknown): boolean {
  return isText(value) || isObject(value);
}
