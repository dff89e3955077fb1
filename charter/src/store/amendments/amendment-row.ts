import type { Amendment, Scope } from "../../amend/amendment.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { type Query, sql } from "../home/sql.ts";

export type AmendmentRow = {
  agent: string;
  user_id: string;
  section: string;
  revision: number;
  operation: Amendment["operation"];
  actor: Amendment["actor"];
  turn: string | null;
  at: string;
  reason: string | null;
  reason_digest: string | null;
  before_digest: string;
  after_digest: string;
  previous: string;
  digest: string;
  key: string | null;
  erased_at: string | null;
};

export const fromSection = ({ agent, user }: Scope, section: string): Query =>
  sql`from amendments where agent = ${agent} and user_id = ${user ?? ""} and section = ${section}`;

/** One page of a section's history, newest first, by the key it is stored under. */
export function historyRows(
  db: Database,
  scope: Scope,
  section: string,
  { before, ...page }: Page & { before?: number },
): Promise<AmendmentRow[]> {
  const { limit, offset } = pageOf(page);
  return db.all(sql`select * ${fromSection(scope, section)} and revision < ${before ?? Number.MAX_SAFE_INTEGER}
    order by revision desc limit ${limit} offset ${offset}`);
}
