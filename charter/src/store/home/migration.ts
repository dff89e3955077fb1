import type { RemadeTable } from "./long-rows.ts";
import type { SchemaStep } from "./tables.ts";

/** The words in which the two homes differ when a table is made. */
export type ColumnTypes = {
  readonly bytes: string;
  readonly number: string;
  /** A primary key the database counts up itself. */
  readonly counted: string;
  /** Ends the definition of a table whose rows are kept in the order of its key. */
  readonly byKey: string;
  /** Makes a table anew whose rows are too long to be kept in the order of its key; nothing where they are not. */
  readonly remade: (table: RemadeTable) => readonly string[];
  /** What only this home has (search, row-level security), by the step of the schema it came with. */
  readonly own: Readonly<Record<SchemaStep, readonly string[]>>;
};

/** One step of the schema; its place in the list is its version. A step that was published is never edited. */
export type Migration = (types: ColumnTypes) => readonly string[];
