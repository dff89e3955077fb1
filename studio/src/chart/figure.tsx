import type { ReactNode } from "react";

/** A chart with its name, a sentence about it, and the same as a table behind it. */
export function Figure(props: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly table: Table;
  readonly children: ReactNode;
}) {
  const { title, about, table, children } = props;
  return (
    <section className="min-w-0 rounded-lg border border-line bg-card p-4">
      <h2 className="font-medium">{title}</h2>
      {about && <div className="mb-2 max-w-3xl text-sm text-soft">{about}</div>}
      {children}
      <details className="mt-1 text-sm">
        <summary className="text-accent">As a table</summary>
        <Rows title={title} table={table} />
      </details>
    </section>
  );
}

export type Table = {
  readonly head: readonly string[];
  /** The first of each row is its name. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
};

function Rows({ title, table: { head, rows } }: { readonly title: string; readonly table: Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys.
    <section aria-label={`${title}, as a table`} tabIndex={0} className="mt-2 max-h-96 overflow-auto">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="border-line border-b">
            {head.map((name, index) => (
              <th
                key={name}
                scope="col"
                className={`sticky top-0 bg-card py-1 pr-4 font-medium text-soft text-xs ${index === 0 ? "text-left" : "text-right"}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key} className="border-line/60 border-b last:border-0">
              <th scope="row" className="py-1 pr-4 text-left font-normal whitespace-nowrap">
                {first}
              </th>
              {others.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column.
                <td key={index} className="py-1 pr-4 text-right whitespace-nowrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
