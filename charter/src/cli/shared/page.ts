import type { ListPage } from "../../store/home/page.ts";
import { colours } from "../print/colour.ts";
import { wholeNumber } from "./options.ts";

/** What every command understands that lists something. */
export const pageOptions = { limit: { type: "string" }, offset: { type: "string" } } as const;

export { type ListPage, readPage } from "../../store/home/page.ts";

export function pageValues(values: {
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
}): ListPage {
  return { limit: wholeNumber("limit", values.limit) ?? 50, offset: wholeNumber("offset", values.offset) ?? 0 };
}

/** The line that ends a list which goes on. */
export function morePages(more: boolean, { limit, offset }: ListPage): string[] {
  return more ? [colours(process.stdout).dim(`There is more: --offset ${offset + limit}`)] : [];
}
