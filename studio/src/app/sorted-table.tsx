import type { ReactNode } from "react";
import { cell, figure, head, type Sort, SortHead, sorted, sortIn } from "../kit/table.tsx";
import { TextLink } from "../kit/text-link.tsx";
import { count } from "../kit/words.ts";
import { useAsked } from "./place.ts";

/** A column: its name is its head, and in the address what is sorted by. Without `by` it sorts nothing. */
export type Column<Row> = {
  readonly name: string;
  readonly by?: (row: Row) => string | number;
  /** Figures stand at the right, and the largest come first. */
  readonly figures?: boolean;
  readonly show: (row: Row) => ReactNode;
};

/** A column of figures: what is counted, how it is written, and the list it was counted in. Null: unknown. */
export function figures<Row>(
  name: string,
  by: (row: Row) => number | null | undefined,
  written: (value: number, row: Row) => string = count,
  href: (row: Row) => string | undefined = () => undefined,
): Column<Row> {
  const show = (row: Row) => {
    const [value, to] = [by(row), href(row)];
    const words = value === null || value === undefined ? "–" : written(value, row);
    return to === undefined || words === "–" ? words : <TextLink href={to}>{words}</TextLink>;
  };
  return { name, figures: true, by: (row) => by(row) ?? Number.NEGATIVE_INFINITY, show };
}

/** Names in a row, each of which leads somewhere. */
export function Links({ of }: { readonly of: readonly (readonly [words: string, href: string])[] }) {
  return of.map(([words, href], at) => (
    <span key={href}>
      {at > 0 && ", "}
      <TextLink href={href} dir="auto">
        {words}
      </TextLink>
    </span>
  ));
}

/** A table that is sorted by its heads; how, its address says (`?sort=-Cost`). The first column names the row. */
export function SortedTable<Row>(props: {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** How it is sorted while nothing is asked; without it as the rows come. */
  readonly usual?: Sort<string>;
  /** What its order is called in the address, where a page has several tables. */
  readonly sortKey?: string;
  readonly foot?: ReactNode;
}) {
  const { caption, columns, rows, keyOf, usual = { by: "", down: false }, sortKey = "sort", foot } = props;
  const [asked, setAsked] = useAsked();
  const values = Object.fromEntries(columns.flatMap(({ name, by }) => (by ? [[name, by]] : [])));
  const sort = sortIn(asked(sortKey), Object.keys(values), usual);
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-card">
      <table className="w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, by, figures = false }) =>
              by ? (
                <SortHead
                  key={name}
                  {...{ column: name, sort, figures }}
                  onSort={(next) => setAsked({ [sortKey]: next })}
                />
              ) : (
                <th key={name} scope="col" className={`${head} ${figures ? "text-right" : ""}`}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {(values[sort.by] ? sorted(rows, sort, values) : rows).map((row) => (
            <tr key={keyOf(row)} className="border-line border-t">
              {columns.map(({ name, figures, show }, at) =>
                at === 0 ? (
                  <th
                    key={name}
                    scope="row"
                    className={`${cell} min-w-32 text-left font-normal [overflow-wrap:anywhere]`}
                  >
                    {show(row)}
                  </th>
                ) : (
                  <td key={name} className={figures ? figure : `${cell} min-w-28`}>
                    {show(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}
