import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { statementsOf as postgresStatements } from "../../src/store/home/postgres/postgres-upkeep.ts";
import { triggersOf } from "../../src/store/home/sqlite/sqlite-connection.ts";
import { statementsOf as sqliteStatements } from "../../src/store/home/sqlite/sqlite-upkeep.ts";
import {
  defaultOf,
  partVersion,
  type SchemaPart,
  sealedColumns,
  step,
  tablesAt,
} from "../../src/store/home/table-statements.ts";
import { columns, sha256, type Table, table } from "../../src/store/index.ts";
import { storeSchema } from "../../src/store/schema.ts";
import { bothHomes, type PlaceName } from "../homes.ts";
import { known, later, withColumns } from "./trial.ts";

type Shapes = Readonly<Record<string, string>>;

const file = new URL("./shape.json", import.meta.url);
const pinned = JSON.parse(readFileSync(file, "utf8")) as { readonly version: number } & Readonly<
  Record<PlaceName, Shapes>
>;

const hint = `These tables are no longer as schema ${pinned.version} had them, and no step says so.
A column or a table: name it in a step of charter/src/store/schema.ts, step(${pinned.version + 1}, { add: { table: ["field"] }, create: ["table"] }).
A default, or whether a seal covers a column: never without a rewrite, because seals pass over defaults.
An index, a fence, a trigger: step(${pinned.version + 1}, {}), and pin the shape anew: CHARTER_PIN=1 npx vitest run --project logic charter/test/store/shape.test.ts
AGENTS.md says how a column is added. Changed:`;

/** What a home makes for a table, whatever the order of its columns. */
function shapeOf(home: PlaceName, declared: Table): string {
  const made = { ...declared, all: declared.all.toSorted((a, b) => (a.column < b.column ? -1 : 1)) };
  const triggers = (["insert", "update", "delete"] as const).map((kind) => triggersOf(made, kind));
  const statements = home === "sqlite" ? [...sqliteStatements(made), ...triggers] : postgresStatements(made);
  const seal = sealedColumns(made).map((one) => [one.column, one.type, defaultOf(one) ?? null]);
  // Triggers of a connection name the table's columns by a number of this process.
  return sha256(JSON.stringify([statements, seal]).replaceAll(/row_seal\(\d+/g, "row_seal(")).slice(0, 16);
}

const shapesOf = (home: PlaceName, part: SchemaPart, version: number): Shapes =>
  Object.fromEntries(tablesAt(part, version).map((made) => [made.name, shapeOf(home, made)]));

const [store] = storeSchema.parts as readonly [SchemaPart];

function changedIn(home: PlaceName, part: SchemaPart): string[] {
  const now = shapesOf(home, part, pinned.version);
  const names = new Set([...Object.keys(now), ...Object.keys(pinned[home])]);
  return [...names].filter((name) => now[name] !== pinned[home][name]);
}

test("the shape is pinned anew where a step allows it", () => {
  const version = partVersion(store);
  expect(version).toBeGreaterThanOrEqual(pinned.version);
  if (process.env.CHARTER_PIN === undefined || version === pinned.version) return;
  const [sqlite, postgres] = bothHomes.map((home) => shapesOf(home, store, version));
  writeFileSync(file, `${JSON.stringify({ version, sqlite, postgres }, null, 2)}\n`);
});

test.each(bothHomes)("what %s makes is as it was pinned, but for what steps say", (home) => {
  expect(changedIn(home, store), hint).toEqual([]);
});

const name = columns.name();
const partOf = (...given: Parameters<typeof later>) => later(...given).parts[0] as SchemaPart;
const next = known + 1;
const trialtags = withColumns("schedules", (all) => ({ ...all, trialtags: columns.data().usual("[]") }));
const labels = table("triallabels", { of: "user", key: ["id"] }, { id: columns.id() });
const fewer = withColumns("schedules", ({ zone: _, ...rest }) => rest);
const trials: [what: string, part: SchemaPart, changed: readonly string[]][] = [
  ["a column without a step", partOf(trialtags), ["schedules"]],
  ["a column of a step", partOf(trialtags, step(next, { add: { schedules: ["trialtags"] } })), []],
  ["a table without a step", partOf([...store.tables, labels]), ["triallabels"]],
  ["a table of a step", partOf([...store.tables, labels], step(next, { create: ["triallabels"] })), []],
  ["a column less without a step", partOf(fewer, step(next, {})), ["schedules"]],
  ["a column less of a step", partOf(fewer, step(next, { drop: { schedules: { zone: name.nullable() } } })), []],
  [
    "another default, even with a step",
    partOf(
      withColumns("schedules", (all) => ({ ...all, maxTries: columns.count().usual(4) })),
      step(next, { add: { schedules: [] } }),
    ),
    ["schedules"],
  ],
  [
    "a column that no seal covers any more",
    partOf(withColumns("schedules", (all) => ({ ...all, channel: name.unsealed() }))),
    ["schedules"],
  ],
];
test.each(trials)("%s", (_, part, changed) => {
  for (const home of bothHomes) expect(changedIn(home, part)).toEqual(changed);
});
