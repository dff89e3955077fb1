import { Problem } from "../../prompt/problem.ts";
import { type Query, sql } from "./sql.ts";

/** Which part of a long list: the first 50 entries, unless given; at most 1,000 at once. */
export type Page = { readonly limit?: number; readonly offset?: number };

type GivenPage = { readonly [Name in keyof Page]: Page[Name] | undefined };

const max = 1000;

export function pageOf({ limit = 50, offset = 0 }: GivenPage): { readonly limit: number; readonly offset: number } {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= max && Number.isSafeInteger(offset) && offset >= 0)
    return { limit, offset };
  throw new Problem(
    "bad-page",
    `A page of ${limit} rows from ${offset} on cannot be read.`,
    `Ask for 1 to ${max} rows, from 0 on.`,
  );
}

/** Ends a query: only the rows of this page. */
export function onPage(page: GivenPage): Query {
  const { limit, offset } = pageOf(page);
  return sql`limit ${limit} offset ${offset}`;
}

type ListPage = { readonly limit: number; readonly offset: number };

/** Asks for the page and one row more, and says whether there was one. */
export async function readPage<Row>(
  list: (page: ListPage) => Promise<readonly Row[]>,
  page: ListPage,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows = await list(page);
  const more = rows.length === page.limit && (await list({ limit: 1, offset: page.offset + page.limit })).length > 0;
  return { rows, more };
}
