import { colours } from "./colour.ts";
import { wholeNumber } from "./options.ts";

/** What every command understands that lists something. */
export const pageOptions = { limit: { type: "string" }, offset: { type: "string" } } as const;

export type ListPage = { readonly limit: number; readonly offset: number };

export function pageValues(values: {
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
}): ListPage {
  return { limit: wholeNumber("limit", values.limit) ?? 50, offset: wholeNumber("offset", values.offset) ?? 0 };
}

/** Asks for the page and one row more, and says whether there was one. */
export async function readPage<Row>(
  list: (page: ListPage) => Promise<readonly Row[]>,
  page: ListPage,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows = await list(page);
  const more = rows.length === page.limit && (await list({ limit: 1, offset: page.offset + page.limit })).length > 0;
  return { rows, more };
}

/** The line that ends a list which goes on. */
export function morePages(more: boolean, { limit, offset }: ListPage): string[] {
  return more ? [colours(process.stdout).dim(`There is more: --offset ${offset + limit}`)] : [];
}
