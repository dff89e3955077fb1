import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import type { Schema } from "../src/store/home/table-statements.ts";
import { createStore, type Home, postgres, sqlite } from "../src/store/index.ts";
import { counts } from "./tiers/counts.ts";
import { tier } from "./tiers/tier.ts";

/** A place for a store: an empty database that is gone afterwards. */
export type Place = {
  readonly url: string;
  readonly open: (options?: { readonly patience?: number; readonly schema?: Schema }) => Home;
  readonly remove: () => Promise<void>;
};
export type PlaceName = "sqlite" | "postgres";

/** Every home a store can live in: what holds for one has to hold for all. */
export const bothHomes: readonly PlaceName[] = ["sqlite", "postgres"];

/** The homes of this tier, for `x.homes.test.ts`: what both promise is tried on each once. */
export const homes: readonly PlaceName[] = tier === "logic" ? ["sqlite"] : ["postgres"];

/** `empty`: without Charter's tables, which making anew in every place takes longer than copying them. */
export function newPlace(name: PlaceName, how?: "empty"): Promise<Place> {
  return name === "sqlite" ? newFile(how) : newPostgres(inject("postgres"), how);
}

let tables: Promise<string> | undefined;

/** A file with Charter's tables and nothing in them, which others are copied from. */
async function makeTables(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), "charter-tables-")), "charter.db");
  await (await createStore(sqlite(file))).close();
  return file;
}

export async function newFile(how?: "empty"): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "charter-store-"));
  const url = join(folder, "charter.db");
  tables ??= makeTables();
  if (how !== "empty") copyFileSync(await tables, url);
  return {
    url,
    open: (options) => sqlite(url, options),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

let count = 0;

const template = "charter_tables";

/** A database with Charter's tables and nothing in them, which others are copied from. */
export async function makeTemplate(server: string): Promise<void> {
  await queryAsOwner(server, `create database ${template}`);
  const store = await createStore(postgres(server.replace(/\/postgres$/, `/${template}`)));
  await store.close();
}

/** A place that holds what another holds, which nobody has open. */
export async function copyOf(place: Place): Promise<Place> {
  if (place.url.startsWith("postgres:"))
    return newPostgres(inject("postgres"), { template: place.url.replace(/^.*\//, "") });
  const copy = await newFile("empty");
  copyFileSync(place.url, copy.url);
  return copy;
}

export async function newPostgres(server: string, how: "empty" | { template: string } = { template }): Promise<Place> {
  counts.databases++;
  const name = `test_${process.pid}_${++count}`;
  await copyWhenFree(
    server,
    `create database ${name}${how === "empty" ? "" : ` template ${how.template} strategy file_copy`}`,
  );
  const url = server.replace(/\/postgres$/, `/${name}`);
  const remove = async () => void (await queryAsOwner(server, `drop database if exists ${name} with (force)`));
  return { url, open: (options) => postgres(url, options), remove };
}

/** A database that someone else is copying just then cannot be copied: it is tried again. */
async function copyWhenFree(server: string, words: string): Promise<void> {
  for (;;) {
    try {
      await queryAsOwner(server, words);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "55006") throw error;
      await sleep(20);
    }
  }
}

/** Someone beside Charter who may do anything in a PostgreSQL database. Whoever asks for them sees them off: `end`. */
export async function connectAsOwner(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** One query of theirs, outside any transaction. */
export async function queryAsOwner<Row extends object>(url: string, words: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<Row>(words)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
