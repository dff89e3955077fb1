import type { ReactNode } from "react";
import { cell, figure, head, type Sort, SortHead, sorted, sortIn } from "../kit/table.tsx";
import { useAsked } from "./place.ts";

/** A column: its name is its head, and in the address what is sorted by. Without `by` it sorts nothing. */
export type Column<Row> = {
  readonly name: string;
  readonly by?: (row: Row) => string | number;
  /** Figures stand at the right, and the largest come first. */
  readonly figures?: boolean;
  readonly show: (row: Row) => ReactNode;
};

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
                  <td key={name} className={figures ? figure : cell}>
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
