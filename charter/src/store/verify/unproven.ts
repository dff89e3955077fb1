import type { Table, TableColumn } from "../home/table.ts";

/** Something that may be changed without `verifyStore` noticing: in words, and the columns it stands in by table. */
type Unproven = { readonly words: string; readonly columns: Readonly<Record<string, readonly string[] | "all">> };

/** What is no part of a hash chain, of a text's digest or of a seal, as the tables are declared. */
export function unprovenIn(tables: readonly Table[]): Unproven[] {
  const columnsOf = (isAll: (made: Table) => boolean, isOne: (column: TableColumn) => unknown = () => false) =>
    Object.fromEntries(
      tables.flatMap((made): [string, string[] | "all"][] => {
        if (isAll(made)) return [[made.name, "all"]];
        const columns = made.all.filter(isOne).map(({ column }) => column);
        return columns.length === 0 ? [] : [[made.name, columns]];
      }),
    );
  const noneOf = ({ proof }: Table) => (typeof proof === "object" ? proof.none : undefined);
  const said = new Set(tables.flatMap((made) => noneOf(made) ?? []));
  return [
    ...[...said].map((words) => ({ words, columns: columnsOf((made) => noneOf(made) === words) })),
    {
      words: "what notes and turns are searched and listed by: `charter migrate --rebuild` makes it anew",
      columns: columnsOf(
        ({ proof }) => proof === "cache",
        ({ isCache }) => isCache,
      ),
    },
    {
      words: "who is at work on a row, and when a token was last used",
      columns: columnsOf(
        () => false,
        ({ isPassing }) => isPassing,
      ),
    },
  ];
}
