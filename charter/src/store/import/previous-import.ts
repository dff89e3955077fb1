import type { Scope } from "../../amend/amendment.ts";
import { type AmendmentRow, fromSection } from "../amendments/amendments.ts";
import type { Home } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import type { Texts } from "../texts/text.ts";

/** What was brought over before, and what became of it since. */
export type PreviousImport = {
  /** The end of the section's chain here. */
  readonly newest: { readonly revision: number; readonly erased: boolean } | undefined;
  /** The newest revision that was brought over, and its words. */
  readonly last: { readonly revision: number; readonly text: string | undefined } | undefined;
  /** These very words wait for a person, or a person said no to them. */
  readonly held: { readonly id: string; readonly status: string } | undefined;
};

/** Keys of imports begin with where the words came from. */
export async function findPreviousImport(
  { home, texts }: { readonly home: Home; readonly texts: Texts },
  scope: Scope,
  section: string,
  from: string,
  text: string,
): Promise<PreviousImport> {
  const mine = fromSection(scope, section);
  return home.read(scope, async (db) => {
    const newest = await db.one<AmendmentRow>(sql`select * ${mine} order by revision desc limit 1`);
    const last = await db.one<AmendmentRow>(
      sql`select * ${mine} and key like ${`${from}:%`} order by revision desc limit 1`,
    );
    const held = await db.one<{ id: string; status: string }>(sql`select id, status from held
      where agent = ${scope.agent} and user_id = ${scope.user ?? ""} and section = ${section}
        and key like ${`${from}:%`} and after = ${text} and status <> 'approved' order by id desc limit 1`);
    return {
      newest: newest && { revision: newest.revision, erased: newest.erased_at !== null },
      last: last && { revision: last.revision, text: await texts.get(db, last.user_id, last.after_digest) },
      held,
    };
  });
}
