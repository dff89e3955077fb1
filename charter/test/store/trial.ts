import { type Columns, type Table, table } from "../../src/store/home/table.ts";
import {
  partVersion,
  type Schema,
  type SchemaPart,
  type SchemaStep,
  schemaOf,
} from "../../src/store/home/table-statements.ts";
import { storeSchema } from "../../src/store/schema.ts";

const [store] = storeSchema.parts as readonly [SchemaPart];

/** The version of this Charter; trial steps lead on from it. */
export const known = partVersion(store);

/** As a later Charter would know it: its tables, and the steps that led to them. */
export function later(tables: readonly Table[], ...steps: readonly SchemaStep[]): Schema {
  return schemaOf([{ ...store, tables, steps: [...store.steps, ...steps] }]);
}

/** The store's tables, one of them with other columns. */
export function withColumns(name: string, change: (columns: Columns) => Columns): readonly Table[] {
  return store.tables.map((made) => (made.name === name ? table(name, made, change(made.columns)) : made));
}
