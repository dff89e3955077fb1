import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { type Home, postgres, sqlite } from "../src/store/index.ts";

/** A place for a store: an empty database that is gone afterwards. */
export type Place = {
  readonly url: string;
  readonly open: (options?: { readonly patience: number }) => Home;
  readonly remove: () => Promise<void>;
};
export type PlaceName = "sqlite" | "postgres";

/** `npm run test:long` runs the whole of what `npm test` shortens: more moments to die at, more texts, more often. */
export const whole = process.env.CHARTER_LONG === "1";

/** Every home a store can live in: what holds for one has to hold for all. */
export const homes: readonly PlaceName[] = ["sqlite", "postgres"];

/** `empty`: without Charter's tables, which making anew in every PostgreSQL takes longer than most tests. */
export function newPlace(name: PlaceName, how?: "empty"): Promise<Place> {
  return name === "sqlite" ? newFile() : newPostgres(inject("postgres"), how);
}

export async function newFile(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "charter-store-"));
  const url = join(folder, "charter.db");
  return {
    url,
    open: (options) => sqlite(url, options),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

let count = 0;

const template = "charter_tables";

/** A database with Charter's tables and nothing in them, which others are copied from. */
export async function makeTemplate(server: string, stopping: AbortSignal): Promise<void> {
  const being = `${template}_being_made`;
  await onServer(server, `create database ${being}`, stopping);
  const { createStore } = await import("../src/store/index.ts");
  const store = await createStore(postgres(server.replace(/\/postgres$/, `/${being}`)));
  await store.close();
  await onServer(server, `alter database ${being} rename to ${template}`, stopping);
}

/** A place that holds what another holds, which nobody has open. */
export async function copyOf(place: Place): Promise<Place> {
  if (place.url.startsWith("postgres:"))
    return newPostgres(inject("postgres"), { template: place.url.replace(/^.*\//, "") });
  const copy = await newFile();
  copyFileSync(place.url, copy.url);
  return copy;
}

export async function newPostgres(server: string, how: "empty" | { template: string } = { template }): Promise<Place> {
  const name = `test_${process.pid}_${++count}`;
  await onServer(
    server,
    `create database ${name}${how === "empty" ? "" : ` template ${how.template} strategy file_copy`}`,
  );
  const url = server.replace(/\/postgres$/, `/${name}`);
  const remove = () => onServer(server, `drop database if exists ${name} with (force)`);
  return { url, open: (options) => postgres(url, options), remove };
}

/** Runs words as the server's owner; a server that is still starting is waited for, for five minutes. */
async function onServer(server: string, words: string, stopping?: AbortSignal): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await queryAsOwner(server, words);
      return;
    } catch (error) {
      const code = (error as { code?: string }).code;
      // Not there yet: the server, or the tables to copy; or someone is copying them.
      if (!["ECONNREFUSED", "57P03", "ECONNRESET", "3D000", "55006"].includes(code ?? "") || tries > 3000) throw error;
      await sleep(100, undefined, { signal: stopping });
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
