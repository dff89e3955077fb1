import { ArrowDown, ArrowUp } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import { Link } from "wouter";
import { Icon } from "./icon.tsx";

/** The link a row is opened by: of all rows one is in the Tab order. */
export function RowLink(props: {
  readonly href: string;
  readonly id: string;
  readonly inTabOrder: boolean;
  readonly onFocus: () => void;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  const { href, id, inTabOrder, onFocus, title, children } = props;
  return (
    <Link
      href={href}
      title={title}
      {...{ [rowMark]: id }}
      tabIndex={inTabOrder ? 0 : -1}
      onFocus={onFocus}
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {children}
    </Link>
  );
}

/** How a table is sorted: by the name of a column, upwards or downwards. */
export type Sort<Column extends string> = { readonly by: Column; readonly down: boolean };

/** The same from an address, as in `cost` or `-cost`: the minus sorts downwards. */
export function sortIn<Column extends string>(
  asked: string | undefined,
  columns: readonly Column[],
  usual: Sort<Column>,
): Sort<Column> {
  const by = columns.find((one) => one === asked?.replace(/^-/, ""));
  return by === undefined ? usual : { by, down: asked?.startsWith("-") ?? false };
}

/** Rows in that order; those that are alike stay as they were. */
export function sorted<Row, Column extends string>(
  rows: readonly Row[],
  { by, down }: Sort<Column>,
  values: Readonly<Record<Column, (row: Row) => string | number>>,
): readonly Row[] {
  const value = values[by];
  const turn = down ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [left, right] = [value(one), value(other)];
    return left === right ? 0 : turn * (left < right ? -1 : 1);
  });
}

/** The head of a column that rows can be sorted by; pressed again, it turns them round. Figures begin with the largest. */
export function SortHead<Column extends string>({
  column,
  title = column,
  sort,
  figures = false,
  onSort,
  className = "",
}: {
  readonly column: Column;
  readonly title?: string;
  readonly sort: Sort<Column>;
  readonly figures?: boolean;
  /** What to ask for in the address. */
  readonly onSort: (sort: string) => void;
  readonly className?: string;
}) {
  const isOn = sort.by === column;
  const down = isOn ? !sort.down : figures;
  return (
    <th
      scope="col"
      aria-sort={isOn ? (sort.down ? "descending" : "ascending") : "none"}
      className={`${head} ${figures ? "text-right" : ""} ${className}`}
    >
      <button
        type="button"
        className="inline-flex items-center gap-1 hover:text-ink"
        onClick={() => onSort(`${down ? "-" : ""}${column}`)}
      >
        {title}
        {isOn && <Icon of={sort.down ? ArrowDown : ArrowUp} className="size-3" />}
      </button>
    </th>
  );
}

/** How the cells of a compact table look. */
export const head = "px-2 py-1.5 text-left font-medium text-soft text-xs first:pl-4 last:pr-4";
export const cell = "px-2 py-1.5 align-top first:pl-4 last:pr-4";
export const figure = `${cell} text-right tabular-nums whitespace-nowrap`;

/** What each row's main link carries, so that the keys find it. */
export const rowMark = "data-row";

/**
 * Rows one below the other that are one stop of the Tab key: the arrows, Home and End go from row to row. One stands at a
 * row, not at a number: rows that come or go above it change nothing.
 */
export function useRowWalk<Around extends HTMLElement>(
  ids: readonly string[],
): {
  readonly around: RefObject<Around | null>;
  readonly at: string | undefined;
  readonly pressed: (event: KeyboardEvent) => void;
  readonly arrived: (id: string) => void;
} {
  const around = useRef<Around>(null);
  const [chosen, setChosen] = useState<string>();
  const at = chosen !== undefined && ids.includes(chosen) ? chosen : ids[0];
  return {
    around,
    at,
    arrived: setChosen,
    pressed: (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || at === undefined) return;
      const next = nextRow(event.key, ids.indexOf(at), ids.length);
      if (next === undefined) return;
      event.preventDefault();
      const id = ids[next] as string;
      setChosen(id);
      const rows = around.current?.querySelectorAll<HTMLElement>(`[${rowMark}]`) ?? [];
      [...rows].find((row) => row.getAttribute(rowMark) === id)?.focus();
    },
  };
}

/** To which row a key leads; to none where it is no such key. */
export function nextRow(key: string, at: number, size: number): number | undefined {
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: size - 1 }[key];
  return to === undefined ? undefined : Math.max(0, Math.min(size - 1, to));
}
